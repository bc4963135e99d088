"""Implications among claims: declared completely, true of every input at hand, and noticed where they are false."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings, strategies as st

from bounds.published import published
from bounds.setting.model import PlatformParameters, Setting
from costproof import strategies
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims import implications as oracle
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.implications import (
    SPARED,
    ContradictionError,
    broken_implications,
    closed,
    forbid_contradictions,
    implications,
)
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.precondition import PLAIN_MECHANISM
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements.bayesian import UNDISTORTED
from proofs_checks.claims.statements.definitions import WIDENED
from proofs_checks.claims.statements.deviations import DEVIATIONS
from proofs_checks.verdict import PROOFS, Verdict
from proofs_checks.verify.run import Effort, verify
from tests.proofs_checks.claims.test_findings import case_of, evidence_of
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.wrongs import CHECKED, GALLERY, LOGS, UNREFUTABLE, judged

PAIRS = [(cause, consequence) for cause, implied in implications().items() for consequence in implied]
COMPARED = [pair for pair in PAIRS if pair[0] in CHECKED and pair[1] in CHECKED]
ByLabel = dict[str, Evidence]
Columns = dict[str, np.ndarray]

#: What the setting of a truthful log may say about its bidders: truthful bids lie within every slack.
BELIEFS, DEVIATING = {"belief_slack": 0.1}, {"underbid": 0.02, "overbid": 0.02}


def with_slacks(case: Case, slacks: Mapping[str, float]) -> Case:
    """The same log under a setting with other slacks, its bidders declared truthful (as those of the gallery are)."""
    platform = replace(case.setting.platform, **slacks)
    return Case(replace(case.setting, platform=platform), case.trace, {**case.origin, "variant": "truthful"})


@pytest.fixture(scope="module")
def gallery() -> list[ByLabel]:
    """What every claim says about broken platforms and tampered logs, as they are and under other slacks."""
    cases = [wrong.case() for wrong in [*GALLERY, *LOGS]]
    under = [
        with_slacks(case, slacks)
        for case in cases
        for slacks in (BELIEFS, {**BELIEFS, **DEVIATING})
        if len(case.trace) < 5000
    ]
    return [judged(case) for case in [*(with_slacks(case, {}) for case in cases), *under]]


def refuting(findings: ByLabel, cause: str, consequence: str) -> bool:
    """Whether both sides of an implication are refuted: only then could it have failed."""
    return all(findings[label].verdict is Verdict.REFUTED for label in (cause, consequence))


class TestDeclared:
    @pytest.mark.for_each(
        ("declared", "told"),
        [
            ({"a": ["b"]}, "a implies b, which is the label of no claim"),
            ({"a": ["a"]}, "a is declared to imply itself"),
            ({"a": ["b"], "b": ["c"], "c": ["a"]}, "imply each other"),
        ],
    )
    def test_declarations_that_cannot_be_meant_are_refused(self, declared: dict[str, list[str]], told: str) -> None:
        with pytest.raises(ValueError, match=told):
            closed(declared)

    def test_consequences_of_consequences_follow_through_equivalences(self) -> None:
        assert closed({"a": ["b"], "b": ["a", "c"], "c": []}) == {"a": ("b", "c"), "b": ("a", "c"), "c": ()}

    @pytest.mark.for_each(("cause", "consequence"), PAIRS)
    def test_both_sides_are_compared_on_one_kind_of_input(self, cause: str, consequence: str) -> None:
        first, second = claim(cause), claim(consequence)
        sides = [(one.checks, one.on_setting, one.everywhere) for one in (first, second)]
        assert any(all(kind) for kind in zip(*sides, strict=True))

    def test_a_claim_implies_what_it_contains(self) -> None:
        """Who compares all that another claim compares, with the same values, implies it: none is forgotten."""
        contained = {
            (one.label, other.label)
            for one, other in itertools.permutations(CHECKED.values(), 2)
            if together(one, other) and contains(one, other)
        }
        assert len(contained) > 20
        assert contained - set(PAIRS) == set()


#: Assumptions that exclude each other.
_EXCLUSIVE = [
    {PLAIN_MECHANISM.name, WIDENED.name},
    {"belief slack 0", WIDENED.name},
    {UNDISTORTED.name, DEVIATIONS.name},
]


def together(one: Claim, other: Claim) -> bool:
    """Whether some case can meet the assumptions of both."""
    names = {precondition.name for precondition in (*one.preconditions, *other.preconditions)}
    return not any(pair <= names for pair in _EXCLUSIVE)


def contains(one: Claim, other: Claim) -> bool:
    """Whether one claim makes every comparison of the other, with the same values."""
    return all(any(check is mine and same_values(one, other, check) for mine in one.checks) for check in other.checks)


def same_values(one: Claim, other: Claim, check: object) -> bool:
    if not isinstance(check, Relation):
        return True
    mine, theirs = (
        {name: value for name, value in stated.regime.overrides.items() if name in check.needed}
        for stated in (one, other)
    )
    return mine == theirs


#: Claims whose witness is a case on which an implication between documented findings is put to the test.
SHOWN_BY = ["claim:condition-cannot-be-dropped:fixed-costs"]


def exact_evidence(setting: Setting) -> dict[str, Evidence]:
    return {label: stated.on_setting(setting) for label, stated in all_claims().items() if stated.on_setting}


Edit = Callable[[Columns, slice, Case, float], None]


def _scale_payments(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    columns["payment"][rows] *= amount


def _pay_the_rule(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    """Pay what the rules prescribe after the edits so far, so that only the others of them show."""
    now = Case(case.setting, Trace(**columns))
    prescribed = np.where(now.replay.auction, now.replay.of_served(now.replay.critical_payments), np.inf)
    columns["payment"][rows] = np.minimum(np.nan_to_num(prescribed, posinf=np.inf), now.setting.platform.cost_bound)[
        rows
    ]


def _others_serve(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    columns["provider"][rows] = (columns["provider"][rows] + int(8 * amount)) % case.setting.n_providers


def _move_bids(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    bound = case.setting.platform.cost_bound
    columns["bid"][rows] = np.clip(columns["bid"][rows] + (amount - 1) * bound, 0.0, bound)


def _reverse_rows(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    for column in columns.values():
        column[rows] = column[rows][::-1].copy()


def _everything_at_its_mean(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    """Let whoever serves score, cost and bid its means: truthful, on the good event, whoever that is."""
    quality, cost = (np.array([getattr(p, name) for p in case.setting.providers]) for name in ("quality", "mean_cost"))
    served = columns["provider"]
    columns.update(score=quality[served], cost=cost[served], bid=cost[served])


EDITS: list[Edit] = [_scale_payments, _pay_the_rule, _others_serve, _move_bids, _reverse_rows, _everything_at_its_mean]
#: Amounts close to what rounding allows are the ordinary ones: tolerances must not break an implication.
AMOUNTS = [0.0, 0.5, 0.9, 1.1, 3.0, -4.0, *(1 + sign * 10.0**-i for sign in (1, -1) for i in (6, 9, 10, 12, 14))]


@st.composite
def edited_cases(draw: st.DrawFn) -> Case:
    """A right log on a market at the edge of the confidence bands, with up to four edits."""
    longest, clip = draw(st.sampled_from([20, 100, 600])), draw(st.booleans())
    case = draw(
        strategies.traces(strategies.settings(n_providers=(2, 4)), horizon=(1, longest), bidding=None, clip=clip)
    ).case
    columns: Columns = {name: column.copy() for name, column in case.trace.columns().items()}
    edits = draw(st.lists(st.tuples(st.sampled_from(EDITS), st.sampled_from(AMOUNTS)), min_size=1, max_size=4))
    for edit, amount in edits:
        length = len(columns["bid"])
        start = draw(st.integers(0, length - 1))
        stop = draw(st.sampled_from([start + 1, length]) | st.integers(start + 1, length))
        edit(columns, slice(start, stop), case, amount)
    slacks: Mapping[str, float] = draw(st.sampled_from([{}, BELIEFS, DEVIATING, {**BELIEFS, **DEVIATING}]))
    edited = Case(case.setting, Trace(**columns), case.origin)
    return with_slacks(edited, slacks) if draw(st.booleans()) else edited


class TestOracle:
    @pytest.mark.long("judges every wrong log by every claim")
    def test_no_broken_platform_and_no_tampered_log_breaks_one(self, gallery: list[ByLabel]) -> None:
        assert [broken_implications(findings) for findings in gallery] == [()] * len(gallery)

    @pytest.mark.long("judges every wrong log by every claim")
    def test_every_implication_is_put_to_the_test(self, gallery: list[ByLabel]) -> None:
        """Where both sides are refuted the cause was needed; elsewhere the implication could say anything."""
        inputs = [*gallery, *(judged(case_of(evidence_of(label).witness or {})) for label in SHOWN_BY)]
        untested = {pair for pair in COMPARED if not any(refuting(findings, *pair) for findings in inputs)}
        assert {pair for pair in untested if pair[1] not in UNREFUTABLE} == set()

    @pytest.mark.long("judges 120 logs by every claim")
    @seed(0)
    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(edited_cases())
    def test_no_edited_log_breaks_one(self, case: Case) -> None:
        assert broken_implications(judged(case)) == ()

    @seed(0)
    @settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(strategies.settings(n_providers=(2, 3)))
    def test_no_setting_breaks_one(self, drawn: Setting) -> None:
        assert broken_implications(exact_evidence(drawn)) == ()

    def test_derivations_break_none(self) -> None:
        found = {label: stated.everywhere() for label, stated in all_claims().items() if stated.everywhere}
        assert found["cor:optimal-alpha"].verdict in SPARED
        assert broken_implications({label: e for label, e in found.items() if e.kind == "exact"}) == ()


#: What looks like an implication, in one direction or the other, and is none.
FALSE = [
    ("eq:critical-payment", "eq:payment"),
    ("eq:payment", "alg:platform"),
    ("eq:payment", "lem:payment-range"),
    ("eq:allocation", "eq:payment"),
    ("eq:qualified-set", "eq:allocation"),
    ("lem:selection-counting", "alg:platform"),
    ("lem:payment-range", "eq:payment"),
    ("eq:qualified-set", "eq:provider-history"),
    ("lem:forced-exploration-bound", "eq:qualified-set"),
    ("thm:deviation-generation-regret:anytime", "thm:deviation-generation-regret"),
    ("thm:excess-payment-general", "thm:regret:sharp"),
]


def right_case(horizon: int) -> Case:
    market = SmallMarket((0.2, 0.4), (1.0, 1.0), horizon, PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.5))
    return Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]))


class TestTester:
    @pytest.mark.long("judges every wrong log by every claim")
    def test_false_implications_are_noticed(self, gallery: list[ByLabel]) -> None:
        assert set(FALSE) & set(PAIRS) == set()
        unnoticed = [
            (cause, consequence)
            for cause, consequence in FALSE
            if not any(broken_implications(findings, {cause: (consequence,)}) for findings in gallery)
        ]
        assert unnoticed == []

    @pytest.mark.for_each(("less", "verdict"), [(1e-10, Verdict.NOT_REFUTED), (1e-8, Verdict.REFUTED)])
    def test_a_payment_within_rounding_of_the_bound_is_no_auction(self, less: float, verdict: Verdict) -> None:
        """A log rounded to ten digits: c_max to one claim, and then to the other, too."""
        right = right_case(horizon=30)
        assert right.replay.exploration.any()
        paid = np.where(right.replay.exploration, right.trace.payment * (1 - less), right.trace.payment)
        findings = judged(Case(right.setting, logs.edited(right, payment=paid)))
        assert findings["eq:payment"].verdict is findings["lem:ordinary-qualified-set"].verdict is verdict
        assert broken_implications(findings) == ()

    @pytest.mark.for_each("verdict", Verdict)
    def test_only_a_spared_cause_of_a_refuted_consequence_counts(self, verdict: Verdict) -> None:
        spared = verdict in (Verdict.NOT_REFUTED, Verdict.EXACT, *PROOFS)
        declared, refuted = {"a": ("b",)}, Evidence(Verdict.REFUTED)
        assert broken_implications({"a": Evidence(verdict), "b": refuted}, declared) == (
            (("a", "b"),) if spared else ()
        )
        spared_cause = {"a": Evidence(Verdict.NOT_REFUTED), "b": Evidence(verdict)}
        assert bool(broken_implications(spared_cause, declared)) == (verdict is Verdict.REFUTED)

    def test_claims_that_were_not_looked_at_break_nothing(self) -> None:
        refuted, spared = Evidence(Verdict.REFUTED), Evidence(Verdict.NOT_REFUTED)
        assert broken_implications({"eq:critical-payment": refuted}) == ()
        assert broken_implications({"eq:payment": spared, "no claim": refuted}) == ()

    def test_the_message_names_the_place_and_both_claims(self) -> None:
        findings = {"eq:payment": Evidence(Verdict.NOT_REFUTED), "eq:critical-payment": Evidence(Verdict.REFUTED)}
        with pytest.raises(ContradictionError, match=r"on run 3: eq:critical-payment is REFUTED, eq:payment, which"):
            forbid_contradictions(findings, "run 3")
        forbid_contradictions({**findings, "eq:payment": Evidence(Verdict.REFUTED)}, "run 3")


class TestVerify:
    """`verify` holds everything it finds to the implications."""

    def verified(self, monkeypatch: pytest.MonkeyPatch, cause: str, consequence: str, *settings: Setting) -> None:
        monkeypatch.setattr(oracle, "implications", lambda: {cause: (consequence,)})
        effort = Effort(runs=1, horizon=200, variant_horizon=100, instances=20)
        verify(settings, seed=0, effort=effort, labels=(cause, consequence))

    @pytest.mark.long("plays episodes")
    def test_episodes_are_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ContradictionError, match=r"steered episode .*'instance': \d+.*alg:platform, which implies"):
            self.verified(monkeypatch, "alg:platform", "thm:robust-dominant:no-loss-in-mean")

    def test_exact_evidence_is_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ContradictionError, match="exact evidence on gsm8k-full: claim:T_id:tightened is REFUTED"):
            self.verified(monkeypatch, "lem:good-event", "claim:T_id:tightened", published("gsm8k-full").setting)
