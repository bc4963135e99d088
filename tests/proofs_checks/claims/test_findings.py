"""Documented findings have a witness and a repair that it spares; the sharpest claims are nearly tight."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import parse_setting
from bounds.sharpest.formulas import RADIUS_SUM
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.conditions import checkpoints
from proofs_checks.claims.model.evidence import Evidence, trace_witness
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.sharpest_event import STITCHED_COST
from proofs_checks.claims.model.trace_quantities import RADIUS_SUM_SO_FAR
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import findings, unwidened, wording
from proofs_checks.claims.statements.findings import profits_of_provider, unwidened_case
from proofs_checks.claims.statements.identification import literal_minimum_is_a_threshold, threshold_of_main_text
from proofs_checks.claims.witness import replays
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import in_words, stored_verdict
from tests.proofs_checks.claims.sharpest_instances import sharpest_case

FINDINGS = {label: stated for label, stated in all_claims().items() if stated.finding}
#: The finding is that the statement is empty, or not proved in the paper: nothing is refuted, no witness is needed.
NOT_FALSE = {"cor:eventual-ordinary-optimality", "lem:good-event:adaptive-selection"}
#: Settings on which the finding is made.
PER_SETTING = {
    "claim:T_id:tightened": "gsm8k-full",
    "claim:T_id:main-text": "gpqa-full",
    "thm:regret:advertised-margins": "gsm8k-full",
    "lem:unqualified-elimination:queries-to-exclude": "gpqa-strong",
}


def evidence_of(label: str) -> Evidence:
    """The evidence that carries the finding's witness."""
    on_setting = claim(label).on_setting
    if label in PER_SETTING and on_setting is not None:
        return on_setting(published(PER_SETTING[label]).setting)
    everywhere = claim(label).everywhere
    return everywhere()


WITNESSED = sorted(FINDINGS.keys() - NOT_FALSE)


@pytest.mark.for_each("label", WITNESSED)
class TestWitnesses:
    def test_replays_also_from_json(self, label: str) -> None:
        evidence = evidence_of(label)
        assert evidence.verdict is Verdict.REFUTED
        assert replays(evidence.witness)
        read_back = json.loads(json.dumps(evidence.witness, allow_nan=False))
        assert read_back == json.loads(json.dumps(evidence.to_data()["witness"]))
        assert replays(read_back)

    def test_the_repair_is_not_refuted(self, label: str) -> None:
        witness, repair = evidence_of(label).witness or {}, claim(claim(label).repaired_by)
        if witness["kind"] == "trace" and label not in STRONGER_READINGS:
            assert repair.check(case_of(witness)).verdict in (Verdict.NOT_REFUTED, Verdict.ASSUMPTION_VIOLATED)
        if repair.everywhere:
            assert repair.everywhere().verdict in (Verdict.NOT_REFUTED, Verdict.EXACT)
        if repair.on_setting and label in PER_SETTING:
            assert repair.on_setting(published(PER_SETTING[label]).setting).verdict is Verdict.EXACT


#: The repair is the paper's own statement, that something may happen: it needs a market of its own.
STRONGER_READINGS = {"claim:condition-cannot-be-dropped:fixed-costs"}


def case_of(witness: Mapping[str, Any]) -> Case:
    return Case(parse_setting(witness["setting"], "witness"), Trace(**witness["trace"]), dict(witness["origin"]))


class TestWitnessesCanFail:
    """`test_reach` changes every number of every witness."""

    def test_a_steered_instance_replays_only_what_it_refutes(self) -> None:
        refuted = {"kind": "steered", "seed": 0, "instance": 40, "claim": "thm:robust-dominant:no-loss-in-mean"}
        assert replays(refuted)
        assert not replays({**refuted, "claim": "eq:payment"})

    def test_a_trace_witness_may_be_cut_to_what_it_needs(self) -> None:
        label, case = "lem:payment-range:under-deviations", findings._underbidding_case()
        first = int(np.argmax(case.trace.payment < 0)) + 1
        assert replays(trace_witness(label, case.upto(first)))
        assert not replays(trace_witness(label, case.upto(first - 1)))


class TestEventualOptimality:
    """E1: the hypothesis m > M_i is never met by an eligible unqualified provider."""

    def test_vacuous_wherever_somebody_is_unqualified(self, default_cases: list[Case]) -> None:
        original, repaired = (claim(f"cor:eventual-ordinary-optimality{part}") for part in ("", ":repaired"))
        found = {True: [], False: []}
        for case in default_cases:
            found[bool(case.setting.unqualified)].append((original.check(case).verdict, repaired.check(case).verdict))
        assert {one for one, _ in found[True]} == {Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED}
        assert (Verdict.VACUOUS, Verdict.NOT_REFUTED) in found[True], "the repair says something"
        assert (Verdict.NOT_REFUTED, Verdict.NOT_REFUTED) in found[False]


class TestIdentificationHorizon:
    """E2: with integer caps the condition T > N + 2 B_id(T) can hold and fail again."""

    def test_gsm8k_by_its_numbers(self) -> None:
        evidence = literal_minimum_is_a_threshold(published("gsm8k-full").setting)
        assert evidence.parameters == {"literal_minimum": 63_738, "threshold": 63_740}
        assert (evidence.witness or {})["fails_at"] == 63_739

    @pytest.mark.for_each(
        ("name", "main_text"), [*zip(PUBLISHED_NAMES, (63_740, 59_735, 315_298, 2_540_932, 153_697), strict=True)]
    )
    def test_the_printed_thresholds(self, name: str, main_text: int) -> None:
        printed = published(name).printed["T_id"]
        evidence = threshold_of_main_text(published(name).setting)
        assert (evidence.verdict, evidence.parameters) == (
            Verdict.EXACT,
            {"T_id": printed, "T_id_main_text": main_text},
        )
        differs = wording.printed_horizon_is_that_of_main_text(published(name)).verdict is Verdict.REFUTED
        assert differs == (main_text != printed)


class TestConditionOnGaps:
    """E7: at equality with fixed costs the two providers share the auctions."""

    def test_the_share_is_one_half_with_fixed_costs(self) -> None:
        case = findings._equal_gap_case()
        auctions = case.trace.provider[case.replay.auction]
        assert len(auctions) > 300
        assert (auctions == 1).mean() == pytest.approx(0.5, abs=0.02)
        assert case.setting.optimal == 0

    def test_truthful_bids_show_nothing(self) -> None:
        built = findings._equal_gap_case()
        market = SmallMarket((0.25, 0.5), (1.0, 1.0), 400, built.setting.platform)
        truthful = Case(built.setting, market.run([TruthfulBidder(), TruthfulBidder()]), built.origin)
        assert claim("claim:condition-cannot-be-dropped").check(truthful).verdict is Verdict.REFUTED


class TestSelectionInSummary:
    """Appendix C's summary: a provider further than d_- + d_+ from i* is explored for ever, and wins no auction."""

    DEAR = 2

    def test_serves_past_its_threshold_by_exploration_alone(self) -> None:
        """L = ceil((4/a^2) ln(57 N/(delta a^4))) for a = Delta - d_+ = 3/4, computed here anew."""
        case = findings.explored_for_ever(240)
        threshold = math.ceil(4 / 0.75**2 * math.log(57 * 3 / (0.05 * 0.75**4)))
        late = case.replay.served[:, self.DEAR] & (case.replay.counts[:, self.DEAR] > threshold)
        assert threshold == 67
        assert (np.flatnonzero(late) + 1).tolist() == [218, 224, 230, 237]
        assert case.replay.exploration[late].all()
        assert case.replay.auction.sum() > 20
        found = claim("claim:summary-appC:selection").check(case).tightness
        assert (found.checked, found.violations) == (4, 4)
        assert {(found.where or {})[side] for side in ("left", "right")} == {7 / 8, 1 / 8}

    def test_spares_a_provider_within_the_deviations_and_auctions(self) -> None:
        stated = claim("claim:summary-appC:selection")
        case = findings.explored_for_ever(217)
        assert stated.check(case).verdict is Verdict.VACUOUS, "one step before the first violation"
        separated = replace(case.setting.platform, overbid=1 / 16)
        other = Case(replace(case.setting, platform=separated), case.trace, case.origin)
        assert stated.check(other).verdict is Verdict.ASSUMPTION_VIOLATED, "no competitor is within d_- + d_+"


class TestWidening:
    """E4: without widening optimism fails, and the payment bands hold all the same."""

    def test_optimism_fails_as_the_paper_says(self) -> None:
        stated = claim("claim:widening-necessary")
        assert not stated.finding
        assert stated.everywhere().verdict is Verdict.NOT_REFUTED
        case = unwidened_case()
        by = (stated.check(case).tightness.where or {})["by"]
        means = np.array([provider.mean_cost for provider in case.setting.providers])
        assert by == pytest.approx((case.replay.adjusted_bids - means)[case.replay.auction].max())
        assert by > 0.1

    @pytest.mark.for_each(("paid", "refuted"), [(-1.0, 0), (1.0, 1)])
    def test_bands_are_compared_and_each_can_fail(self, paid: float, refuted: int) -> None:
        stated, case = claim("claim:widening-necessary:repaired"), unwidened_case()
        assert stated.check(case).tightness.checked > 100
        payment = np.where(case.replay.auction, paid, case.trace.payment)
        moved = Case(case.setting, Trace(**{**case.trace.columns(), "payment": payment}), case.origin)
        verdicts = [part.verdict for part in stated.check(moved).parts]
        assert [place for place, verdict in enumerate(verdicts) if verdict is Verdict.REFUTED] == [refuted]


class TestUnwidenedWins:
    """A5: without widening competitors stop winning auctions at a time that is free of T, though later than at L_i."""

    def test_the_time_is_attained(self) -> None:
        """g(t) = 104 = floor(m*) at the last win: no smaller target would do."""
        found = claim("claim:own-unwidened-wins-stop").check(unwidened.tight_case())
        assert found.verdict is Verdict.NOT_REFUTED
        assert [part.tightness.checked > 0 for part in found.parts] == [True] * 3
        assert found.tightness.ratio == 1.0
        assert (found.tightness.where or {})["left"] == 104

    def test_a_bound_that_is_a_tenth_smaller_is_refuted(self) -> None:
        stated = claim("claim:own-unwidened-wins-stop")
        overrides = dict(stated.regime.overrides)
        for check in stated.checks:
            if isinstance(check, Relation):
                smaller = replace(check, right=check.right * sympy.Rational(9, 10), exact=False)
                assert not check.check(unwidened.tight_case(), overrides).violations
                assert smaller.check(unwidened.tight_case(), overrides).violations

    @pytest.mark.for_each("part", [0, 1, 2])
    def test_a_late_win_is_caught_by_every_part(self, part: int) -> None:
        """The platform gives a late auction to the competitor: its log is refuted by each comparison alone."""
        case = unwidened.market_of_edges((0.1, 0.9), 10.1, 0.5, 600)
        late = np.flatnonzero(case.replay.auction)[-50]
        provider = case.trace.provider.copy()
        provider[late] = 1
        moved = Case(case.setting, Trace(**{**case.trace.columns(), "provider": provider}), case.origin)
        stated = claim("claim:own-unwidened-wins-stop")
        check = stated.checks[part]
        found = check.check(moved, stated.regime.overrides) if isinstance(check, Relation) else check.compare(moved)
        assert found.violations >= 1


class TestGoodEvent:
    """What the good event takes for granted: means of every count, and independent draws."""

    def test_scores_are_no_likelier_than_independent_ones_unless_the_selection_sees_them(self) -> None:
        found = wording.likelihood_of_patterns(wording.best_so_far, steps=9, count=3)
        assert len(found) > 2**3, "some of both providers"
        assert max(found.values()) == Fraction(1, 8)
        assert sum(found.values()) < 2, "a provider may serve fewer than three queries"
        seeing = wording.likelihood_of_patterns(lambda seen, coming: coming, steps=9, count=3)
        assert seeing[1, (1, 1, 1)] > Fraction(1, 2)

    def test_the_first_sentence_of_a_finding_is_its_title(self) -> None:
        titles = [stated.finding.partition(". ")[0] for stated in FINDINGS.values()]
        assert max(len(title.split()) for title in titles) <= 10

    def test_the_paper_asserts_independence_and_coq_proves_it(self) -> None:
        stated = claim("lem:good-event:adaptive-selection")
        assert (stated.unproved, stored_verdict(stated.label)) == (True, Verdict.PROVED)
        assert in_words(stated, Verdict.PROVED) == "proved"


class TestWording:
    """Part E of the findings, by numbers that are written out here."""

    def test_a_tie_and_what_is_none(self) -> None:
        half = Fraction(1, 2)
        assert wording.net_payments_at_tie(half, Fraction(3, 4), half) == ([True, False], [0, 0])
        assert wording.net_payments_at_tie(half, Fraction(3, 4), Fraction(5, 8)) == ([True, False], [Fraction(1, 8), 0])
        assert wording.net_payments_at_tie(half, Fraction(1, 4), Fraction(3, 8)) == (
            [False, True],
            [0, Fraction(-1, 8)],
        )

    def test_margins_from_the_printed_costs(self) -> None:
        """Table 1 prints c* and c_(2): 16.1 and 34.4, 43.0 and 50.7; and 27.5, 47.4 on the last pass."""
        printed = {"gsm8k-full": (16.1, 34.4, 27.5), "gpqa-strong": (43.0, 50.7, 47.4)}
        for name, (cheapest, second, paid) in printed.items():
            found = wording.advertised_margin_is_the_limit(published(name).setting).parameters
            assert found["limit"] == pytest.approx(100 * (second / cheapest - 1), abs=0.8)
            assert found["advertised"] == pytest.approx(100 * (paid / cheapest - 1), abs=1)


def test_profits_by_hand() -> None:
    """S1: after initialization, at T = 20,000, always bidding c_max earns 1,599 and truthful bidding 771."""
    assert [profit - (1.0 - 0.2) for profit in profits_of_provider(20_000)] == pytest.approx([771, 1599], abs=0.5)


def test_no_loss_in_mean_by_hand() -> None:
    """S2: provider 0 drew 0 so far, bids 0, is paid 0.4 and costs 0.5 in the mean."""
    case = findings._loss_in_mean_case()
    won = case.replay.auction & (case.trace.provider == 0)
    assert case.trace.payment[won][0] == pytest.approx(0.4)
    assert case.setting.providers[0].mean_cost == 0.5


SHARPEST_CLAIMS = {
    label: stated for label, stated in all_claims().items() if stated.checks and label.endswith(":sharpest")
}
#: Claims whose bound instances attain: a whole number less is refuted.
ATTAINED = [
    "lem:unqualified-elimination:sharpest",
    "lem:forced-exploration-bound:sharpest",
    "thm:sample-complexity:sharpest",
]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [sharpest_case(0, number) for number in range(0, 800, 10)]


class TestInstances:
    @pytest.mark.long("80 near-tight instances")
    def test_none_is_refuted_and_the_event_holds(self, cases: list[Case]) -> None:
        found = {(label, stated.check(case).verdict) for case in cases for label, stated in SHARPEST_CLAIMS.items()}
        assert {verdict for _, verdict in found} <= {Verdict.NOT_REFUTED, Verdict.VACUOUS}
        compared = {label for label, verdict in found if verdict is Verdict.NOT_REFUTED}
        # T_id needs long horizons: the next tests have them.
        assert {label for label, _ in found} - compared <= {"claim:T_id:sharpest"}

    @pytest.mark.long("80 near-tight instances")
    @pytest.mark.for_each("label", ATTAINED)
    def test_one_less_is_refuted(self, cases: list[Case], label: str) -> None:
        stated = SHARPEST_CLAIMS[label]
        check = stated.checks[0]
        less = replace(stated, checks=(replace(check, right=check.right - 1),))
        tried = [*cases, BOUNDARY["cheapest auctions"](), BOUNDARY["excluded at one count"]()]
        assert any(less.check(case).verdict is Verdict.REFUTED for case in tried)

    def test_a_rival_comes_near_to_the_lead(self) -> None:
        """From the sharpest T_id on a rival has up to more than 98 of 100 selections of i*."""
        found = SHARPEST_CLAIMS["claim:T_id:sharpest"].check(BOUNDARY["excluded at one count"]())
        assert found.verdict is Verdict.NOT_REFUTED
        assert found.tightness.ratio > 0.98

    @pytest.mark.long("80 near-tight instances")
    def test_the_radius_sum_is_attained_to_a_billionth(self, cases: list[Case]) -> None:
        radius_sum = Relation(RADIUS_SUM_SO_FAR, RADIUS_SUM, checkpoints, "sum of the radii of the selected, exact")
        found = [radius_sum.check(case, {}).ratio for case in cases]
        assert 1 - 1e-9 < max(ratio for ratio in found if ratio is not None) <= 1


class TestOffTheEvent:
    def test_a_provider_that_lingers_is_none_of_the_event(self) -> None:
        case = BOUNDARY["lingering"]()
        for label in ("lem:unqualified-elimination:sharpest", "thm:excess-payment-general:sharpest"):
            found = claim(label).check(case)
            assert found.verdict is Verdict.ASSUMPTION_VIOLATED
            assert "excluded at one count" in str(found.reason)
        assert claim("lem:unqualified-elimination:sharp").check(case).verdict is Verdict.NOT_REFUTED

    def test_a_cost_above_the_stitched_radius(self) -> None:
        """Costs at the edge of the paper's band lie above it from some count on."""
        case = BOUNDARY["shared auctions"]()
        assert case.band_exit is None
        failure = STITCHED_COST.found_failure(case)
        assert failure is not None
        assert claim("thm:excess-payment-general:sharpest").check(case).verdict is Verdict.ASSUMPTION_VIOLATED


class TestProbability:
    @pytest.mark.for_each("name", ["gpqa-strong", "gsm8k-ladder"])
    def test_delta_pays_for_all(self, name: str) -> None:
        found = claim("lem:good-event:sharpest").on_setting
        evidence = found(published(name).setting)
        assert evidence.verdict is Verdict.EXACT
        parameters = evidence.parameters
        assert parameters["exact_exclusion_failure"] < parameters["exclusions_cost"] / 2
        assert parameters["exact_stitched_failure"] < parameters["spare"] / 20
        assert parameters["exact_band_failure_of_scores"] < parameters["bands_cost"] / 1000

    def test_a_count_that_comes_too_soon_is_refuted_and_a_late_one_is_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With a gap of 0.0001 a relative entropy is known to few digits of a double, at counts of 10^9."""
        from proofs_checks.claims.statements import sharpest_event

        full = published("gsm8k-full").setting
        near = [replace(each, quality=0.7639) if each.quality < 0.764 else each for each in full.providers]
        setting = replace(full, providers=tuple(near))
        assert sharpest_event.delta_pays_for_all(setting).verdict is Verdict.EXACT
        counts = sharpest_event.chernoff_counts
        monkeypatch.setattr(sharpest_event, "chernoff_counts", lambda values: counts(values) * 0.99)
        assert sharpest_event.delta_pays_for_all(setting).verdict is Verdict.REFUTED
        # Far below its quality the mean has a large relative entropy as well.
        monkeypatch.setattr(sharpest_event, "_law_of", lambda quality, count, values: None)
        monkeypatch.setattr(sharpest_event, "chernoff_counts", lambda values: counts(values) * 0 + 9)
        assert sharpest_event.delta_pays_for_all(setting).verdict is Verdict.REFUTED

    def test_less_for_delta_would_not_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The comparison can fail: with a hundredth more to spare the parts cost more than delta."""
        from proofs_checks.claims.statements import sharpest_event

        spare = sharpest_event.spare_probability
        monkeypatch.setattr(sharpest_event, "spare_probability", lambda n, delta: spare(n, delta) + 0.01 * delta)
        found = sharpest_event.delta_pays_for_all(published("gpqa-strong").setting)
        assert found.verdict is Verdict.REFUTED
