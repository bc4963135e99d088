"""Documented findings: each has a witness that replays, and a repaired statement that the same witness spares."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import ELIMINATION_BOUND, IDENTIFICATION_BOUND
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import parse_setting
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.cases.steered import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import trace_witness
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import findings, unwidened, wording
from proofs_checks.claims.statements.findings import profits_of_provider, unwidened_case
from proofs_checks.claims.statements.good_event import radius_can_increase_for_one_provider
from proofs_checks.claims.statements.identification import literal_minimum_is_a_threshold, threshold_of_main_text
from proofs_checks.claims.statements.unwidened import wins_of_competitor
from proofs_checks.claims.witness import replays
from proofs_checks.verdict import Evidence, Verdict
from proofs_checks.verify.claim_verdicts import foreseen_verdict, in_words

FINDINGS = {label: stated for label, stated in all_claims().items() if stated.finding}
#: The finding is that the statement is empty, or not proved: nothing is refuted, no witness is needed.
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
    assert everywhere is not None
    return everywhere()


WITNESSED = sorted(FINDINGS.keys() - NOT_FALSE)


@pytest.mark.for_each("label", WITNESSED)
class TestWitnesses:
    def test_replays_also_from_json(self, label: str) -> None:
        evidence = evidence_of(label)
        assert evidence.verdict is Verdict.REFUTED
        assert evidence.witness is not None
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


def test_the_range_is_repaired_on_the_very_same_trace() -> None:
    case = case_of(evidence_of("lem:payment-range:under-deviations").witness or {})
    found = claim("lem:payment-range:repaired").check(case)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.tightness.checked == 2 * len(case.trace)


class TestWitnessesCanFail:
    """A witness that was changed does not replay."""

    @pytest.mark.for_each("label", WITNESSED)
    def test_changed(self, label: str) -> None:
        witness: dict[str, Any] = json.loads(json.dumps(evidence_of(label).witness))
        changes = {
            "trace": lambda w: {**w, "trace": {k: v[:2] for k, v in w["trace"].items()}},
            "identification": lambda w: {**w, "threshold": w["threshold"] + 1},
            "radius": lambda w: {**w, "n_providers": 2},
            "strategies": lambda w: {**w, "truthful_profit": 0.0},
            "unwidened": lambda w: {**w, "wins": w["ordinary_bound"]},
            "band": lambda w: {**w, "outside": 1},
            "target": lambda w: {**w, "target": "3/2"},
            "tie": lambda w: {**w, "rival": "5/8"},
            "main-text": lambda w: {**w, "setting": "gsm8k-full"},
            "margin": lambda w: {**w, "limit": w["advertised"]},
            "exclusion": lambda w: {**w, "selections": 11_000.0},
            "unobserved-mean": lambda w: {**w, "count": w["most_observations"]},
            "discount": lambda w: {**w, "discount": "1/4"},
        }
        assert not replays(changes[witness["kind"]](witness))

    def test_unknown_kinds_are_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown kind of witness: 'rumour'"):
            replays({"kind": "rumour"})

    def test_right_profits_in_the_other_order_do_not_replay(self) -> None:
        truthful, overbidding = profits_of_provider(100_000)
        witness = {"horizon": 100_000, "truthful_profit": truthful, "overbidding_profit": overbidding}
        assert not replays({"kind": "strategies", **witness})

    def test_a_right_table_does_not_replay(self) -> None:
        assert not replays({"kind": "table", "setting": "gpqa-strong"})

    def test_a_steered_instance_replays_only_what_it_refutes(self) -> None:
        refuted = {"kind": "steered", "seed": 0, "instance": 40, "claim": "thm:robust-dominant:no-loss-in-mean"}
        assert replays(refuted)
        assert not replays({**refuted, "claim": "eq:payment"})

    def test_a_trace_witness_may_be_cut_to_what_it_needs(self) -> None:
        label, case = "lem:payment-range:under-deviations", findings._underbidding_case()
        first = int(np.argmax(case.trace.payment < 0)) + 1
        assert replays(trace_witness(label, case, upto=first))
        assert not replays(trace_witness(label, case, upto=first - 1))


class TestEventualOptimality:
    """E1: the hypothesis m > M_i is never met by an eligible unqualified provider."""

    def cases(self, default_cases: list[Case]) -> list[Case]:
        return [case for case in default_cases if not case.setting.unmet_assumptions]

    def test_vacuous_wherever_somebody_is_unqualified(self, default_cases: list[Case]) -> None:
        original, repaired = (claim(f"cor:eventual-ordinary-optimality{part}") for part in ("", ":repaired"))
        found = {True: [], False: []}
        for case in default_cases:
            found[bool(case.setting.unqualified)].append((original.check(case).verdict, repaired.check(case).verdict))
        assert {one for one, _ in found[True]} == {Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED}
        assert (Verdict.VACUOUS, Verdict.NOT_REFUTED) in found[True], "the repair says something"
        assert (Verdict.NOT_REFUTED, Verdict.NOT_REFUTED) in found[False]

    def test_counts_stay_well_below_the_bound(self, default_cases: list[Case]) -> None:
        """While eligible m_{i,t} <= M_i - 4, as in the audit's instances; the last selection adds one."""
        last, final = [], []
        for case in self.cases(default_cases):
            for i, bound in zip(case.setting.unqualified, ELIMINATION_BOUND(case.constants), strict=True):
                last.append(bound - case.replay.counts[case.replay.eligible[:, i], i].max(initial=0))
                final.append(bound - case.replay.final_counts[i])
        assert len(last) > 20
        assert min(last) >= 4
        assert min(final) >= 3


class TestIdentificationHorizon:
    """E2: with integer caps the condition T > N + 2 B_id(T) can hold and fail again."""

    def test_gsm8k_by_its_numbers(self) -> None:
        values = formula_inputs(published("gsm8k-full").setting)
        needed = {t: int(9 + 2 * IDENTIFICATION_BOUND.value(values, horizon=t)) for t in range(63_736, 63_760)}
        assert (needed[63_738], needed[63_739]) == (63_737, 63_739)
        holds = {t: t > bound for t, bound in needed.items()}
        assert holds[63_738]
        assert not holds[63_737]
        assert not holds[63_739]
        assert all(holds[t] for t in range(63_740, 63_760))
        evidence = literal_minimum_is_a_threshold(published("gsm8k-full").setting)
        assert evidence.parameters == {"literal_minimum": 63_738, "threshold": 63_740}
        assert (evidence.witness or {})["fails_at"] == 63_739

    def test_the_printed_thresholds(self) -> None:
        printed = dict(zip(PUBLISHED_NAMES, (63_740, 59_735, 315_294, 2_540_927, 153_697), strict=True))
        main = dict(zip(PUBLISHED_NAMES, (63_740, 59_735, 315_298, 2_540_932, 153_697), strict=True))
        assert list(printed) == ["gsm8k-full", "gsm8k-ladder", "gpqa-full", "gpqa-ladder", "gpqa-strong"]
        for name in PUBLISHED_NAMES:
            setting = published(name).setting
            evidence = threshold_of_main_text(setting)
            assert evidence.verdict is Verdict.EXACT
            assert evidence.parameters == {"T_id": printed[name], "T_id_main_text": main[name]}
            assert identification_horizon(formula_inputs(setting)) == published(name).printed["T_id"] == printed[name]


class TestPaymentRange:
    """E3: two free providers that underbid by 0.3 c_max are paid -0.3 c_max."""

    def test_pays_minus_the_underbid(self) -> None:
        case = findings._underbidding_case()
        auctions = case.trace.payment[case.replay.auction]
        assert auctions.min() == pytest.approx(-0.3)
        found = claim("lem:payment-range:repaired").check(case).tightness
        assert (found.violations, found.margin) == (0, pytest.approx(0.0, abs=1e-12))

    def test_steered_instances_know_it_as_well(self) -> None:
        case = random_case(7, 1198)
        assert claim("lem:payment-range:under-deviations").check(case).verdict is Verdict.REFUTED
        assert claim("lem:payment-range:repaired").check(case).verdict is Verdict.NOT_REFUTED
        assert claim("lem:payment-range").check(case).verdict is Verdict.ASSUMPTION_VIOLATED


class TestConditionOnGaps:
    """E7: at equality with fixed costs the two providers share the auctions; other costs let one win them all."""

    def test_the_share_is_one_half_with_fixed_costs(self) -> None:
        case = findings._equal_gap_case()
        auctions = case.trace.provider[case.replay.auction]
        assert len(auctions) > 300
        assert (auctions == 1).mean() == pytest.approx(0.5, abs=0.02)
        assert case.setting.optimal == 0

    def test_the_competitor_may_win_them_all(self) -> None:
        case = findings._edge_costs_case()
        assert claim("claim:condition-cannot-be-dropped").check(case).verdict is Verdict.NOT_REFUTED
        assert (case.trace.provider[case.replay.auction] == 1).all()
        assert case.replay.auction.sum() > 300
        gap = case.setting.providers[1].mean_cost - case.setting.providers[0].mean_cost
        assert gap == case.setting.platform.underbid + case.setting.platform.overbid

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

    def test_does_so_for_ever(self) -> None:
        """Its steps grow with the horizon as ceil(g(T)) does, whose number each of three horizons determines."""
        served = {}
        for horizon in (240, 960, 2160):
            case = findings.explored_for_ever(horizon)
            mine = case.replay.served[:, self.DEAR] & ~case.replay.initialization
            served[horizon] = int(mine.sum())
            assert not (mine & case.replay.auction).any()
        # ceil(8 sqrt(T/3)) - 1, less at most the one of the round that is going on
        wanted = {horizon: math.ceil(8 * math.sqrt(horizon / 3)) - 1 for horizon in served}
        assert all(wanted[horizon] - 1 <= number <= wanted[horizon] for horizon, number in served.items())
        assert served[2160] > 2 * served[240]

    def test_spares_a_provider_within_the_deviations_and_auctions(self) -> None:
        stated = claim("claim:summary-appC:selection")
        case = findings.explored_for_ever(217)
        assert stated.check(case).verdict is Verdict.VACUOUS, "one step before the first violation"
        separated = replace(case.setting.platform, overbid=1 / 16)
        other = Case(replace(case.setting, platform=separated), case.trace, case.origin)
        assert stated.check(other).verdict is Verdict.ASSUMPTION_VIOLATED, "no competitor is within d_- + d_+"

    def test_what_holds_instead_holds_on_the_same_trace(self) -> None:
        case = findings.explored_for_ever(960)
        assert claim("prop:deviation-selection:gap").check(case).verdict is Verdict.NOT_REFUTED


class TestWidening:
    """E4: without widening optimism fails, and the payment bands hold all the same."""

    def test_optimism_fails_as_the_paper_says(self) -> None:
        stated = claim("claim:widening-necessary")
        assert not stated.finding
        assert stated.everywhere is not None
        assert stated.everywhere().verdict is Verdict.NOT_REFUTED
        case = unwidened_case()
        by = (stated.check(case).tightness.where or {})["by"]
        means = np.array([provider.mean_cost for provider in case.setting.providers])
        assert by == pytest.approx((case.replay.adjusted_bids - means)[case.replay.auction].max())
        assert by > 0.1

    def test_bidders_pull_by_half_a_radius(self) -> None:
        for seed in range(3):
            case = unwidened_case(seed)
            deviation, radii = case.bid_deviations
            assert (np.abs(deviation) <= 0.5 * radii * (1 + 1e-9)).all()
            assert (np.abs(deviation) > 0.499 * radii).any()
            assert case.good_event_violation is None

    def test_bands_are_compared_and_can_fail(self) -> None:
        label = "claim:widening-necessary:repaired"
        case = unwidened_case()
        assert claim(label).check(case).tightness.checked > 100
        paid = np.where(case.replay.auction, 1.0, case.trace.payment)
        moved = Case(case.setting, Trace(**{**case.trace.columns(), "payment": paid}), case.origin)
        assert claim(label).check(moved).verdict is Verdict.REFUTED


class TestUnwidenedWins:
    """A5: without widening competitors stop winning auctions at a time that is free of T, though later than at L_i."""

    def test_their_number_does_not_grow_with_the_horizon(self) -> None:
        found = [wins_of_competitor(horizon) for horizon in (5_000, 20_000)]
        assert found[0] == found[1]
        assert (found[0]["wins"], found[0]["last_win"]) == (4694, 4748)
        assert found[0]["wins"] > found[0]["ordinary_bound"], "the count of the widened mechanism is passed"

    @pytest.mark.sweep
    def test_a_run_of_half_a_million(self) -> None:
        """The costs 0.4 and 0.5, k = 1, alpha = 1/2: wins go on long after L_i, and end."""
        won = []
        for horizon in (300_000, 500_000):
            case = unwidened.market_of_edges((0.4, 0.5), 1.0, 0.5, horizon)
            won.append(int((case.replay.auction & (case.trace.provider == 1)).sum()))
        assert won[0] == won[1] > 16_708

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

    def test_the_gap_is_nearly_attained(self) -> None:
        found = unwidened.gaps_of_winners.compare(unwidened.long_case())
        assert found.ratio == pytest.approx(1, abs=0.005)
        assert found.violations == 0

    def test_both_runs_meet_what_is_assumed(self) -> None:
        for case in (unwidened.tight_case(), unwidened.long_case()):
            assert case.good_event_violation is None
            deviation, radii = case.bid_deviations
            assert (np.abs(deviation) <= 0.5 * radii * (1 + 1e-9)).all()
            assert ((case.trace.bid >= 0) & (case.trace.bid <= 1)).all()
            assert case.setting.platform.belief_slack == 0

    def test_bidders_who_pull_by_more_are_no_case_of_it(self) -> None:
        case = unwidened.tight_case()
        bids = np.clip(case.trace.bid + 0.1, 0, 1)
        moved = Case(case.setting, Trace(**{**case.trace.columns(), "bid": bids}), case.origin)
        found = claim("claim:own-unwidened-wins-stop").check(moved)
        assert found.verdict is Verdict.ASSUMPTION_VIOLATED

    @pytest.mark.parametrize("part", [0, 1, 2])
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

    def test_the_paper_asserts_independence_and_nothing_proves_it(self) -> None:
        stated = claim("lem:good-event:adaptive-selection")
        assert (stated.unproved, foreseen_verdict(stated.label)) == (True, Verdict.NOT_REFUTED)
        assert in_words(stated, Verdict.NOT_REFUTED) == "tested"

    def test_an_excluded_provider_serves_so_often_at_most(self) -> None:
        """M_i of lem:unqualified-elimination by its formula, at delta = 1/20, N = 2 and a gap of 1/2."""
        most = math.ceil(4 / 0.5**2 * math.log(57 * 2 / (0.05 * 0.5**4)))
        assert wording.most_observations(Fraction(1, 2)) == 1 + most

    def test_readings_are_not_counted_as_wordings(self) -> None:
        wordings = {label for label, stated in FINDINGS.items() if not stated.stronger_reading}
        assert wordings == NOT_FALSE | {
            "claim:T_id:tightened",
            "lem:forced-exploration-bound:any-g",
            "thm:robust-dominant:strict-at-ties",
            "lem:good-event:means-of-all-counts",
            "eq:experimental-generation-cost:discount",
        }


class TestWording:
    """Part E of the findings, by numbers that are written out here."""

    def test_exploration_for_no_target(self) -> None:
        assert [wording.explorations_for_target(Fraction(t)) for t in (-1, 0, 1, 2, 3)] == [0, 0, 0, 1, 2]
        assert [math.ceil(t) - 1 for t in (-1, 0, 1, 2, 3)] == [-2, -1, 0, 1, 2]

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
        limits = {
            name: wording.advertised_margin_is_the_limit(published(name).setting).parameters["limit"]
            for name in printed
        }
        assert limits == {"gsm8k-full": 113.6, "gpqa-strong": 17.9}

    def test_settings_that_a_sentence_is_not_about_are_passed_over(self) -> None:
        for evidence in (wording.advertised_margin_is_the_limit, wording.selections_until_excluded):
            assert evidence(published("gpqa-ladder").setting).verdict is Verdict.SKIPPED
        own = SmallMarket((0.25, 0.5), (1.0, 1.0), 400, PlatformParameters(0.5, 0.05, 1.0, 1.0, 0.5)).setting
        assert wording.printed_horizon_is_that_of_main_text(own).verdict is Verdict.SKIPPED

    def test_horizons_of_the_main_text(self) -> None:
        found = {
            name: wording.printed_horizon_is_that_of_main_text(published(name).setting) for name in PUBLISHED_NAMES
        }
        refuted = {name: one.parameters["main_text"] for name, one in found.items() if one.verdict is Verdict.REFUTED}
        assert refuted == {"gpqa-full": 315_298, "gpqa-ladder": 2_540_932}


class TestBestReply:
    """S1: after initialization, at T = 20,000, always bidding c_max earns 1,599 and truthful bidding 771."""

    def test_profits(self) -> None:
        truthful, overbidding = profits_of_provider(20_000)
        initial = 1.0 - 0.2
        assert truthful - initial == pytest.approx(771, abs=0.5)
        assert overbidding - initial == pytest.approx(1599, abs=0.5)

    def test_the_order_turns_as_exploration_gets_rare(self) -> None:
        truthful, overbidding = profits_of_provider(100_000)
        assert truthful > overbidding


def test_no_loss_in_mean_by_hand() -> None:
    """S2: provider 0 drew 0 so far, bids 0, is paid 0.4 and costs 0.5 in the mean."""
    case = findings._loss_in_mean_case()
    won = case.replay.auction & (case.trace.provider == 0)
    assert case.trace.payment[won][0] == pytest.approx(0.4)
    assert case.setting.providers[0].mean_cost == 0.5


def test_radius_grows_for_one_provider_by_its_derivative() -> None:
    """E8: beta increases on [1, e/sqrt(C_0)] if N = 1 and delta > 2 pi^2/(3 e^2) = .8905."""
    m = sympy.Symbol("m", positive=True)
    square = sympy.log(2 * sympy.pi**2 * m**2 / (3 * sympy.Rational(95, 100))) / (2 * m)
    assert sympy.diff(square, m).subs(m, 1).evalf() > 0
    assert float(2 * sympy.pi**2 / (3 * sympy.E**2)) == pytest.approx(0.8905, abs=1e-4)
    assert radius_can_increase_for_one_provider().verdict is Verdict.REFUTED


def test_every_finding_is_covered_above() -> None:
    assert set(WITNESSED) | NOT_FALSE == FINDINGS.keys()
