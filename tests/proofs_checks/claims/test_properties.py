"""Every claim that a trace can decide, on random cases full of corners: never refuted, but for documented findings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings

from bounds.setting.model import PlatformParameters, Setting
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.model.precondition import BELIEFS_AND_DEVIATIONS
from proofs_checks.claims.registry import all_claims
from proofs_checks.conformance import strategies
from proofs_checks.conformance.strategies import GridBidder, platform_parameters, steered_cases
from proofs_checks.verdict import Verdict

CHECKED = {label: claim for label, claim in all_claims().items() if claim.checks}
#: Their verdict is whether the bids satisfied them, which arbitrary bids need not.
ABOUT_BIDS = {"asmp:beliefs", "asmp:bounded-deviations"}


def refuted(case: Case) -> dict[str, Finding]:
    """The claims that a case refutes against expectation."""
    found = {label: claim.check(case) for label, claim in CHECKED.items() if not claim.finding}
    as_assumed = BELIEFS_AND_DEVIATIONS.failure(case) is None
    return {
        label: finding
        for label, finding in found.items()
        if finding.verdict is Verdict.REFUTED and (as_assumed or label not in ABOUT_BIDS)
    }


def quiet(examples: int) -> settings:
    """Time on shared machines varies: no deadline and no complaint about slow draws."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("part", range(4))
def test_no_claim_is_refuted(part: int) -> None:
    @seed(part)
    @quiet(50)
    @given(steered_cases())
    def check(case: Case) -> None:
        assert case.good_event_violation is None
        assert refuted(case) == {}

    check()


@quiet(40)
@given(steered_cases(max_horizon=60, of=strategies.settings(slacks=False, assumptions=True)))
def test_no_claim_about_truthful_bids_is_refuted(case: Case) -> None:
    assert case.setting.unmet_assumptions == ()
    assert refuted(case) == {}


@quiet(40)
@given(steered_cases(max_horizon=60))
def test_sharp_statements_are_tighter(case: Case) -> None:
    for label, claim in CHECKED.items():
        sharp = CHECKED.get(f"{label}:sharp")
        if sharp is None or len(claim.checks) != 1 or len(sharp.checks) != 1:
            continue
        wide, tight = claim.check(case).tightness, sharp.check(case).tightness
        if wide.checked == tight.checked > 0:
            # A gap at the end of the doubles makes both bounds infinite, or the paper's alone.
            if tight.margin is None:
                assert wide.margin is None, label
            elif wide.margin is not None:
                assert tight.margin <= wide.margin + 1e-9, label


class TestStrategies:
    """The corners that the strategies promise are found."""

    def count(self, examples: int = 300) -> Counter[str]:
        # Examples of one seed are not independent of each other, and depend on the modules that are loaded.
        seen: Counter[str] = Counter()
        for chosen in range(3):
            seen.update(self.count_of(chosen, examples))
        return seen

    def count_of(self, chosen: int, examples: int) -> Counter[str]:
        seen: Counter[str] = Counter()

        @seed(chosen)
        @settings(
            max_examples=examples, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
        )
        @given(strategies.settings())
        def tally(setting: Setting) -> None:
            costs, qualities = ([getattr(p, name) for p in setting.providers] for name in ("mean_cost", "quality"))
            threshold, platform = setting.platform.quality_threshold, setting.platform
            seen.update(
                {
                    "two": setting.n_providers == 2,
                    "four": setting.n_providers == 4,
                    "equal costs": len(set(costs)) < len(costs),
                    "at the threshold": threshold in qualities,
                    "a hair below": any(0 < threshold - q < 1e-12 for q in qualities),
                    "nobody unqualified": not setting.unqualified,
                    "assumptions met": not setting.unmet_assumptions,
                    "one qualified": len(setting.qualified) == 1,
                    "nobody qualified": not setting.qualified,
                    "a tie for the cheapest": bool(setting.qualified) and setting.optimal is None,
                    "free": 0.0 in costs,
                    "truthful": platform.belief_slack == platform.underbid == platform.overbid == 0,
                    "belief slack": platform.belief_slack > 0,
                    "underbid": platform.underbid > 0,
                    "overbid": platform.overbid > 0,
                    "g(N) < 1": platform.exploration_scale < 1,
                }
            )
            seen["drawn"] += 1

        tally()
        return seen

    def test_corners_are_drawn(self) -> None:
        seen = self.count()
        assert seen["drawn"] >= 750
        assert [corner for corner, times in seen.items() if times == 0] == []
        assert len(seen) == 17
        assert seen["assumptions met"] > seen["drawn"] / 2
        assert seen["truthful"] > seen["drawn"] / 4

    def test_slacks_can_be_left_out(self) -> None:
        @quiet(50)
        @given(platform_parameters(slacks=False))
        def check(platform: PlatformParameters) -> None:
            assert (platform.belief_slack, platform.underbid, platform.overbid) == (0, 0, 0)

        check()

    def test_horizons_start_at_n(self) -> None:
        case = find(steered_cases(), lambda case: True, settings=quiet(200))
        assert len(case.trace) == case.setting.n_providers == 2

    def test_cases_draw_ties_at_auctions(self) -> None:
        def has_tie(case: Case) -> bool:
            adjusted = case.replay.adjusted_bids[case.replay.auction & case.replay.eligible.all(axis=1)]
            return bool((adjusted[:, 0] == adjusted[:, 1]).any())

        assert has_tie(find(steered_cases(), has_tie, settings=quiet(2000)))

    def test_arbitrary_bids_can_be_left_out(self) -> None:
        @quiet(40)
        @given(steered_cases(max_horizon=30, arbitrary_bids=False))
        def check(case: Case) -> None:
            assert BELIEFS_AND_DEVIATIONS.failure(case) is None

        check()

    def test_grid_bids(self) -> None:
        bidder = GridBidder(8.0, np.random.default_rng(0))
        assert {bidder.observe(1.0, 1.0) for _ in range(100)} == {0.0, 2.0, 4.0, 8.0}


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(100, 108))
def test_no_claim_is_refuted_sweep(part: int) -> None:
    """1,000 cases each, with longer horizons."""

    @seed(part)
    @quiet(1000)
    @given(steered_cases(max_horizon=600))
    def check(case: Case) -> None:
        assert case.good_event_violation is None
        assert refuted(case) == {}

    check()
