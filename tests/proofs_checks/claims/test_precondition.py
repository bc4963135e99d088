"""Every precondition of every claim: a case that meets it, and one that fails it with the reason."""

from typing import Any

import pytest

from mechanism.bidding import FixedBidder, TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import EdgeBidder, SmallMarket
from proofs_checks.claims.model.case import Case, PreconditionFailure
from proofs_checks.claims.model.precondition import BID_TOLERANCE, SEPARATED, bids_within
from proofs_checks.claims.model.radius_event import RADIUS_BANDS
from proofs_checks.claims.model.sharpest_event import EXCLUDED_IN_TIME, STITCHED_COST
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import LITTLE, platform_of

PRECONDITIONS = {p.name: p for claim in all_claims().values() for p in claim.preconditions}


def played(
    costs: tuple[float, ...] = (0.25, 0.5, 0.75),
    qualities: tuple[float, ...] = (1.0, 1.0, 0.0),
    bids: tuple[float, ...] = (),
    origin: dict[str, Any] | None = None,
    shown_costs: tuple[float, ...] | None = None,
    **platform: Any,
) -> Case:
    """60 steps of the reference platform with fixed outcomes; truthful unless fixed bids are given."""
    market = SmallMarket(costs, qualities, 60, platform_of(**{**LITTLE, **platform}))
    bidders = [FixedBidder(b) for b in bids] or [TruthfulBidder() for _ in costs]
    return Case(market.setting, market.run(bidders, costs=shown_costs, check_bids=False), origin or {})


def edge_bids(sign: float, **platform: float) -> Case:
    """Bidders at the edge of what the slacks allow."""
    case = played(**platform)
    market = SmallMarket((0.25, 0.5, 0.75), (1.0, 1.0, 0.0), 60, case.setting.platform)
    bidders = [EdgeBidder(case.setting, case.setting.platform.belief_slack, sign, clip=False) for _ in range(3)]
    return Case(case.setting, market.run(bidders, check_bids=False), {})


#: By name: a case that meets it, one that fails it, and a part of the reason.
CASES: dict[str, tuple[Case, Case, str]] = {
    "at least two qualified providers, unique cheapest": (
        played(),
        played(qualities=(1.0, 0.0, 0.0)),
        "1 provider reaches the quality threshold",
    ),
    "at least two qualified providers, unique cheapest, for any radius": (
        played(radius="beta-binomial"),
        played(qualities=(1.0, 0.0, 0.0), radius="beta-binomial"),
        "1 provider reaches the quality threshold",
    ),
    "belief slack 0": (played(), played(belief_slack=0.5), "0.5"),
    "belief slack above 0": (played(belief_slack=0.5), played(), "not widened"),
    "truthful bids": (played(), played(bids=(0.25, 0.5, 0.7)), "step 3 is 0.05 below the running mean cost"),
    "good event on this trace": (
        played(),
        played(costs=(0.9, 1.0, 0.5), shown_costs=(0.0, 0.5, 0.5), confidence=0.99),
        "the good event fails: the mean cost of provider-0 leaves its band at m = 4",
    ),
    "bids in [0, c_max]": (played(bids=(0.0, 1.0, 0.5)), played(bids=(0.25, -0.1, 0.75)), "bid left at step 2"),
    "bids within gamma radii of the running mean of the costs": (
        edge_bids(1.0, belief_slack=0.3),
        played(bids=(1.0, 1.0, 1.0), belief_slack=0.1),
        "above the running mean cost",
    ),
    "bids within 0.5 radii of the running mean of the costs": (
        edge_bids(1.0, belief_slack=0.0),
        played(bids=(2.0, 2.0, 2.0)),
        "above the running mean cost",
    ),
    "bids within [-d_-, d_+] of the mean cost": (
        edge_bids(-1.0, underbid=0.1),
        played(bids=(0.25, 0.5, 0.6), underbid=0.1),
        "step 3 is 0.15 below",
    ),
    "bids within gamma radii plus [-d_-, d_+]": (
        edge_bids(1.0, belief_slack=0.3, overbid=0.1),
        played(bids=(1.0, 1.0, 1.0), belief_slack=0.01, overbid=0.1),
        "above the running mean cost",
    ),
    "underbid or overbid above 0": (played(overbid=0.1), played(belief_slack=0.1), "no deviations are allowed"),
    "underbid and overbid 0": (
        played(belief_slack=0.1),
        played(belief_slack=0.1, underbid=0.1),
        "bids deviate from the estimates",
    ),
    "cost gaps above d_- + d_+": (
        played(underbid=0.1, overbid=0.1),
        played(underbid=0.125, overbid=0.125),
        "does not exceed underbid + overbid",
    ),
    "some cost gap at most d_- + d_+": (
        played(underbid=0.125, overbid=0.125),
        played(underbid=0.1, overbid=0.1),
        "every cost gap exceeds",
    ),
    "bidders declared truthful": (
        played(origin={"variant": "truthful"}),
        played(origin={"variant": "bayesian"}),
        "no log says that its bidders",
    ),
    "scores and costs drawn independently": (played(), played(origin={"kind": "steered"}), "chosen, not drawn"),
    "a market built for this claim": (played(origin={"built": "here"}), played(), "only on its own instances"),
}
#: Says only that costs are needed; a trace with costs always meets it.
NEVER_FAILS = "distance of bids from mean costs"


#: What the sharpest bounds are stated on is met and failed in test_findings.
#: And that of bounds for any radius in test_any_radius.
OF_THE_SHARPEST = {each.name for each in (EXCLUDED_IN_TIME, STITCHED_COST)}


def test_every_precondition_has_its_cases() -> None:
    assert PRECONDITIONS.keys() == {*CASES, NEVER_FAILS} | OF_THE_SHARPEST | {RADIUS_BANDS.name}


@pytest.mark.for_each("name", CASES)
class TestEvery:
    def test_fails_with_the_reason(self, name: str) -> None:
        failure = PRECONDITIONS[name].found_failure(CASES[name][1])
        assert CASES[name][2] in failure.reason

    def test_a_claim_reports_the_reason(self, name: str) -> None:
        claims = [c for c in all_claims().values() if name in [p.name for p in c.preconditions] and c.checks]
        reported = [claim.check(CASES[name][1]) for claim in claims]
        assert all(finding.verdict is Verdict.ASSUMPTION_VIOLATED for finding in reported)
        # Another precondition of a claim may come first and fail as well.
        assert any((finding.reason or "").startswith(f"{name}: ") for finding in reported)


@pytest.mark.for_each("name", [name for name, p in PRECONDITIONS.items() if p.needs_costs])
def test_without_costs_a_claim_is_skipped_and_says_why(name: str) -> None:
    case = CASES[name][0] if name in CASES else played(belief_slack=0.1)
    blind = without_costs(case)
    claims = [c for c in all_claims().values() if name in [p.name for p in c.preconditions] and c.checks]
    verdicts = {claim.check(blind).verdict for claim in claims}
    assert verdicts <= {Verdict.SKIPPED, Verdict.ASSUMPTION_VIOLATED}
    reasons = [claim.check(blind).reason or "" for claim in claims]
    assert any("logs no costs" in reason for reason in reasons)


def without_costs(case: Case) -> Case:
    columns = {name: column for name, column in case.trace.columns().items() if name != "cost"}
    return Case(case.setting, Trace(**columns), case.origin)


def test_no_claim_stumbles_over_a_trace_without_costs() -> None:
    for case, _, _ in CASES.values():
        for claim in all_claims().values():
            assert claim.check(without_costs(case)).verdict in Verdict


def test_preconditions_of_one_name_say_the_same() -> None:
    for precondition in (p for claim in all_claims().values() for p in claim.preconditions):
        assert precondition.needs_costs == PRECONDITIONS[precondition.name].needs_costs
        if precondition.name in CASES:
            met, failed, _ = CASES[precondition.name]
            assert precondition.failure(met) is None
            assert precondition.failure(failed)


def test_nothing_to_separate_without_an_optimal_provider() -> None:
    assert SEPARATED.failure(played(costs=(0.25, 0.25, 0.75), underbid=0.5)) is None


class TestBids:
    """bids_within against the definition, at the edges."""

    def test_edges_of_beliefs(self) -> None:
        # With gamma = 1/2 the estimates are clipped to [0, c_max] while the radius is wide.
        case = played(belief_slack=0.5)
        assert bids_within(case, 0.5, 0.0, 0.0) is None
        radii = case.bid_deviations[1]
        assert radii.min() > 0
        shifted = Trace(**{**case.trace.columns(), "bid": case.trace.bid + 0.5 * radii})
        assert bids_within(Case(case.setting, shifted, {}), 0.5, 0.0, 0.0) is None
        assert bids_within(Case(case.setting, shifted, {}), 0.4999, 0.0, 0.0) is not None

    def test_rounding_is_forgiven(self) -> None:
        case = played()
        for excess, accepted in ((0.5, True), (2.0, False)):
            bids = case.trace.bid + excess * BID_TOLERANCE
            moved = Case(case.setting, Trace(**{**case.trace.columns(), "bid": bids}), {})
            assert (bids_within(moved, 0.0, 0.0, 0.0) is None) == accepted

    def test_names_the_first_step(self) -> None:
        case = played()
        bids = case.trace.bid.copy()
        bids[[10, 20]] += 0.25
        found = bids_within(Case(case.setting, Trace(**{**case.trace.columns(), "bid": bids}), {}), 0, 0, 0)
        assert found == PreconditionFailure(11, "the bid left at step 11 is 0.25 above the running mean cost", 11)
