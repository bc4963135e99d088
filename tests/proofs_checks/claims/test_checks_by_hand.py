"""Checks that are functions instead of relations, on small logs; truthful bids; claims on queries in flight."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

from bounds.language.quantities import C_MAX
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import run_concurrent_episode, simulate
from mechanism.platform import Platform
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.cases.constructed import FixedMarket
from proofs_checks.claims.cases.instances import delayed_case
from proofs_checks.claims.cases.late_boundary import LATE_BOUNDARY
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.precondition import IMMEDIATE_FEEDBACK
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_quantities import (
    ALL_IN_FLIGHT,
    MOST_IN_FLIGHT,
    OTHERS_IN_FLIGHT,
    QUALITY_IN_FLIGHT,
    UNQUALIFIED_IN_FLIGHT,
)
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements.bayesian import estimates_stay_near_means
from proofs_checks.claims.statements.definitions import estimates_are_exact_means, serves_each_once
from proofs_checks.claims.statements.deviations import deviations_stay_in_bounds
from proofs_checks.claims.statements.findings import competitor_wins_every_auction, optimism_fails_somewhere
from proofs_checks.claims.statements.identification import nobody_else_wins, original_condition
from proofs_checks.claims.statements.payments import PAID_IN_FLIGHT
from proofs_checks.claims.statements.unwidened import gaps_of_winners
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import setting_of
from tests.proofs_checks.audit.audited import parts

PLATFORM = PlatformParameters(0.5, 0.05, 1.0, 1e-3, 0.5)
SETTING = Setting("hand", PLATFORM, (Provider("a", 1.0, 0.25), Provider("b", 1.0, 0.5)))


def case(
    served: list[int], bids: list[float] | None = None, costs: list[float] | None = None, **platform: float
) -> Case:
    n = len(served)
    trace = Trace(served, [1.0] * n, [1.0] * n, bids or [0.5] * n, costs or [0.5] * n)
    return Case(replace(SETTING, platform=replace(PLATFORM, **platform)), trace, {})


def in_flight(settled: Case) -> Case:
    """Return the case of a log that ends before the score and the bid of its last query arrive."""
    arrivals = [*range(1, len(settled.trace)), 2**53 - 1]
    return replace(settled, trace=replace(settled.trace, settled=np.array(arrivals)))


class TestInitialization:
    def test_each_once_in_any_order(self) -> None:
        assert serves_each_once(case([1, 0, 0])).violations == 0

    def test_one_left_out(self) -> None:
        assert serves_each_once(case([1])).violations == 0  # the log ends within the initialization
        found = serves_each_once(case([1, 1, 0]))
        assert (found.checked, found.violations, found.margin) == (1, 1, -1.0)

    @pytest.mark.parametrize("served", [[1], [1, 0]])
    def test_the_last_of_which_is_in_flight(self, served: list[int]) -> None:
        assert serves_each_once(in_flight(case(served))).violations == 0
        assert serves_each_once(in_flight(case([1, 1]))).violations == 1


class TestMeans:
    def test_replayed_scores_are_exact(self) -> None:
        right = case([0, 1, 0])
        assert estimates_are_exact_means(right).violations == 0
        right.replay.__dict__["_quality"] = right.replay._quality + np.array([[0.0, 1e-9]])
        assert estimates_are_exact_means(right).violations == 1

    def test_the_score_of_a_query_in_flight_is_not_in_the_mean(self) -> None:
        assert estimates_are_exact_means(in_flight(case([0, 1, 0]))).violations == 0


class TestSlacks:
    def test_deviations(self) -> None:
        bids, costs = [0.5, 0.45, 0.7], [0.5, 0.5, 0.5]
        inside = deviations_stay_in_bounds(case([0, 1, 0], bids, costs, underbid=0.05, overbid=0.25))
        assert (inside.violations, inside.checked) == (0, 3)
        assert inside.ratio == pytest.approx(0.8)
        for slacks in ({"underbid": 0.04, "overbid": 0.25}, {"underbid": 0.05, "overbid": 0.1}):
            assert deviations_stay_in_bounds(case([0, 1, 0], bids, costs, **slacks)).violations == 1

    def test_a_vanishing_overbid_has_no_ratio(self) -> None:
        found = deviations_stay_in_bounds(case([0, 1], [0.75, 0.75], overbid=5e-324))
        assert (found.violations, found.ratio) == (2, None)

    def test_beliefs(self) -> None:
        # beta(1) = sqrt(ln(2 pi^2 2/0.15)/2) = 1.6693, and 0.4/1.6693 = 0.2396.
        wide, narrow = (case([0, 1], [0.9, 0.5], belief_slack=slack) for slack in (0.24, 0.239))
        assert estimates_stay_near_means(wide).violations == 0
        found = estimates_stay_near_means(narrow)
        assert (found.violations, (found.where or {})["step"]) == (1, 1)
        assert found.ratio > 1


class TestWinners:
    # With k = 1/1000 every step after initialization is an auction.
    def test_every_auction(self) -> None:
        assert competitor_wins_every_auction(case([0, 1, 1, 1])).violations == 0
        found = competitor_wins_every_auction(case([0, 1, 1, 0, 0]))
        assert (found.checked, found.violations, (found.where or {})["step"]) == (3, 2, 4)

    def test_optimism(self) -> None:
        # beta(1) = 1.67 at c_max = 1: an adjusted bid exceeds the mean cost only if the bid exceeds it by 1.67.
        assert optimism_fails_somewhere(case([0, 1, 0], [1.0, 1.0, 1.0])).violations == 1
        found = optimism_fails_somewhere(case([0, 1, 0], [2.0, 1.0, 1.0]))
        assert (found.checked, found.violations) == (1, 0)
        assert found.margin == pytest.approx(2.0 - 0.25 - 1.6693, abs=1e-4)


class TestUnwidened:
    """Delta = 1/4, c_max = 1, gamma = 1/2: a win at counts m_i, m_* needs 1/4 <= 2.5 beta(m_i) + .5 beta(m_*)."""

    def test_both_radii_count(self) -> None:
        few = gaps_of_winners(case([0, 1, 1]))
        beta = np.sqrt(np.log(2 * np.pi**2 * 2 / (3 * 0.05)) / 2)
        assert (few.checked, few.violations, few.ratio) == (1, 0, pytest.approx(0.25 / (3 * beta)))
        assert gaps_of_winners(case([0, 1, 0])) == Tightness(0, 0)

    def test_a_win_at_large_counts_is_too_late(self) -> None:
        served = [0, 1, *([1] * 3000)]
        assert gaps_of_winners(case(served)).violations == 0, "i* has one selection, and a large radius"
        late = gaps_of_winners(case([0, 1, *([0] * 500), *([1] * 3000)]))
        assert (late.checked, late.violations > 500) == (3000, True)
        m = np.arange(1, 3001)
        radius = lambda k: np.sqrt(np.log(2 * np.pi**2 * 2 * k**2 / (3 * 0.05)) / (2 * k))  # noqa: E731 - of arrays
        assert late.violations == int((2.5 * radius(m) + 0.5 * radius(501) < 0.25).sum())
        assert (late.where or {})["step"] == 3502


class TestEventually:
    """The gap is a quarter of c_max: L = M(1/4), and the condition is m > L for the competitor."""

    BOUND = int(np.ceil(64 * np.log(57 * 2 * 256 / 0.05)))

    @pytest.mark.for_each("condition", [original_condition, nobody_else_wins])
    def test_from_then_on_auctions_go_to_the_optimal(self, condition: Callable[[Case], Tightness]) -> None:
        # After step 2 the competitor has one selection; after BOUND more it has m = L + 1.
        served = [0, 1, *([1] * self.BOUND)]
        assert condition(case([*served])) == Tightness(0, 0)
        good = condition(case([*served, 0, 0]))
        assert (good.checked, good.violations) == (2, 0)
        bad = condition(case([*served, 0, 1]))
        assert (bad.checked, bad.violations, (bad.where or {})["step"]) == (2, 1, len(served) + 2)

    def test_without_slacks_of_the_setting(self) -> None:
        served = [0, 1, *([1] * self.BOUND), 0]
        assert nobody_else_wins(case(served, overbid=0.9)).checked == 1


CLAIM = claim("eq:truthful-strategy")
CASE = play(published("gpqa-strong").setting, "truthful", horizon=300, seed=0, run=0)


def test_truthful_bidders_follow_it() -> None:
    finding = CLAIM.check(CASE)
    assert (finding.verdict, finding.tightness.checked) == (Verdict.NOT_REFUTED, 300)


@pytest.mark.for_each("step", [0, 150, 299])
def test_one_other_bid_refutes_it(step: int) -> None:
    bids = np.array(CASE.trace.bid)
    bids[step] += 1e-6
    lying = Case(CASE.setting, replace(CASE.trace, bid=bids), CASE.origin)
    finding = CLAIM.check(lying)
    assert (finding.verdict, finding.tightness.violations) == (Verdict.REFUTED, 1)
    assert finding.tightness.where["step"] == step + 1


OF_ANY_DELAY = [stated for stated in all_claims().values() if stated.any_delay]
FIRST_RANDOM = len(LATE_BOUNDARY)
INSTANCES = FIRST_RANDOM + 20


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [delayed_case(7, instance) for instance in range(INSTANCES)]


@pytest.mark.for_each("stated", OF_ANY_DELAY, ids=lambda stated: stated.label)
def test_no_steered_instance_with_queries_in_flight_refutes_a_claim(stated: Claim, cases: list[Case]) -> None:
    found = [stated.check(case).verdict for case in cases]
    assert Verdict.REFUTED not in found
    # Instances are steered, not drawn: the claim about how far drawn means stray assumes draws.
    assert Verdict.NOT_REFUTED in found or stated.label == "lem:good-event"


@pytest.mark.for_each(("name", "law"), [("gsm8k-full", "1"), ("gpqa-ladder", "0-9"), ("gpqa-strong", "3,lost=0.05")])
def test_no_drawn_market_with_queries_in_flight_refutes_a_claim(name: str, law: str) -> None:
    setting = published(name).setting
    trace = simulate(setting, horizon=1_000, seed=5, delay=delay_law(law))
    for stated in OF_ANY_DELAY:
        assert stated.check(Case(setting, trace, {"kind": "log"})).verdict is not Verdict.REFUTED, stated.label


@pytest.mark.for_each("label", [stated.label for stated in all_claims().values() if stated.checks])
def test_every_other_claim_says_that_it_needs_immediate_feedback(label: str) -> None:
    stated = claim(label)
    assert (IMMEDIATE_FEEDBACK in stated.assumptions) is not stated.any_delay
    trace = simulate(published("gpqa-strong").setting, horizon=60, seed=1, delay=delay_law("3"))
    found = stated.check(Case(published("gpqa-strong").setting, trace, {"kind": "log"}))
    assert stated.any_delay or found.verdict in (Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED)


def without_delays(stated: Claim, case: Case) -> int:
    """Violations of the paper's own bound, with its assumption of immediate feedback left out."""
    failures = [p for p in stated.preconditions if p.found_failure(case) is not None]
    if failures:
        return 0
    return sum(
        (check.check(case, stated.regime.overrides) if isinstance(check, Relation) else check.compare(case)).violations
        for check in stated.checks
    )


@pytest.mark.for_each("label", ["lem:forced-exploration-bound", "claim:B_id-tightened"])
def test_the_bounds_of_the_paper_are_violated_with_queries_in_flight(label: str, cases: list[Case]) -> None:
    assert any(without_delays(claim(label), case) for case in cases)


def small(*, scale: float, qualities: tuple[float, ...] = (1.0, 1.0)) -> Setting:
    pairs = list(zip(qualities, (0.1, 0.4, 0.9), strict=False))
    return setting_of(pairs, confidence=0.5, exploration_scale=scale, exploration_exponent=0.5)


class Stubborn(Platform):
    """Decides on what had arrived when the query before was assigned: one answer behind."""

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        self._late = getattr(self, "_late", [])
        self._late.append((score, bid, query))

    def assign(self) -> tuple[int, float]:
        waiting, self._late = getattr(self, "_late", []), []
        answer = super().assign()
        for score, bid, query in waiting:
            super().settle(score, bid, query)
        return answer


class Forgetful(Platform):
    """Forgets what is in flight of the others, and gives every third query to a provider that it likes."""

    def assign(self) -> tuple[int, float]:
        provider, payment = super().assign()
        step = self.step - 1
        if step > self.config.n_providers and step % 3 == 0:
            provider = self.in_flight[step] = self.config.n_providers - 1
        return provider, payment


def played(setting: Setting, law: str, *, horizon: int, make: type[Platform] = Platform) -> Case:
    rng = np.random.default_rng(0)
    platform = make(MechanismConfig.of(setting), rng, concurrent=True)
    market = FixedMarket([p.quality for p in setting.providers], [p.mean_cost for p in setting.providers])
    settled = delay_law(law).settled(horizon, rng)
    trace = run_concurrent_episode(platform, truthful_bidders(setting, rng), market, settled)
    return Case(setting, trace, {"kind": "log"})


def test_a_platform_that_is_one_answer_behind_is_caught() -> None:
    setting = small(scale=0.5)
    assert claim("eq:payment").check(played(setting, "2", horizon=300)).verdict is Verdict.NOT_REFUTED
    assert claim("eq:payment").check(played(setting, "2", horizon=300, make=Stubborn)).verdict is Verdict.REFUTED


@pytest.mark.for_each(
    ("label", "qualities"),
    [
        ("lem:unqualified-elimination:in-flight", (1.0, 1.0, 0.0)),
        ("claim:B_id-tightened:in-flight", (1.0, 1.0, 1.0)),
        ("claim:B_id-tightened:in-flight", (1.0, 1.0, 0.0)),
    ],
)
def test_a_platform_that_serves_too_often_is_caught(label: str, qualities: tuple[float, ...]) -> None:
    setting = small(scale=0.5, qualities=qualities)
    assert claim(label).check(played(setting, "0-5", horizon=6_000)).verdict is Verdict.NOT_REFUTED
    assert claim(label).check(played(setting, "0-5", horizon=6_000, make=Forgetful)).verdict is Verdict.REFUTED


def test_parts_say_what_the_whole_says() -> None:
    case = delayed_case(7, FIRST_RANDOM + 3)
    claims = ClaimsOnTrace(case.setting, OF_ANY_DELAY, origin=case.origin)
    for number, part in enumerate(parts(case.trace, 23)):
        claims.feed(part, ends=number == (len(case.trace) - 1) // 23)
    for label, found in claims.evidence().items():
        assert found == claim(label).check(case), label


@pytest.mark.for_each("instance", range(4))
def test_the_quantities_of_queries_in_flight_are_what_they_say(instance: int) -> None:
    case = delayed_case(9, FIRST_RANDOM + instance)
    trace, setting, n = case.trace, case.setting, case.setting.n_providers
    most = np.zeros((len(trace), n))
    for row in range(len(trace)):
        most[row] = most[row - 1] if row else 0
        served = int(trace.provider[row])
        settled = trace.settled[:row][trace.provider[:row] == served]
        if row >= n:
            most[row, served] = max(most[row, served], int((settled > row).sum()))
    np.testing.assert_array_equal(case.value("most_in_flight", "all"), most)
    np.testing.assert_array_equal(case.value("all_in_flight", "all"), most.sum(axis=1))
    if setting.optimal is not None:
        others = most.sum(axis=1) - most[:, setting.optimal]
        np.testing.assert_array_equal(case.value("others_in_flight", "all"), others)
        above = [max(p.mean_cost - setting.providers[setting.optimal].mean_cost, 0.0) for p in setting.providers]
        np.testing.assert_allclose(case.value("cost_in_flight", "all"), (most * above).sum(axis=1), rtol=1e-12)
    threshold = setting.platform.quality_threshold
    short = np.array([p.quality < threshold for p in setting.providers])
    np.testing.assert_array_equal(case.value("unqualified_in_flight", "all"), most[:, short].sum(axis=1))
    lacking = [max(threshold - p.quality, 0.0) for p in setting.providers]
    np.testing.assert_allclose(case.value("quality_in_flight", "all"), (most * lacking).sum(axis=1), rtol=1e-12)


#: Of claims in flight that no instance attains: the part, what queries in flight add, and the instance that needs it.
ADDED = [
    ("lem:unqualified-elimination:in-flight", 0, MOST_IN_FLIGHT, "unheard, unqualified"),
    ("lem:forced-exploration-bound:in-flight", 2, ALL_IN_FLIGHT, "unheard, dear"),
    ("thm:quality-guarantee:in-flight", 0, 1 * UNQUALIFIED_IN_FLIGHT, "unheard, unqualified"),
    ("thm:quality-guarantee:in-flight", 1, 1 * QUALITY_IN_FLIGHT, "unheard, unqualified"),
    ("thm:quality-guarantee:in-flight", 2, 1 * UNQUALIFIED_IN_FLIGHT, "unheard, unqualified"),
    ("thm:generation-regret:in-flight", 0, C_MAX * OTHERS_IN_FLIGHT, "no news"),
    ("thm:excess-payment-general:in-flight", 0, PAID_IN_FLIGHT, "unheard, dear"),
]


@pytest.fixture(scope="module")
def built() -> dict[str, Case]:
    return {name: make() for name, make in LATE_BOUNDARY.items()}


class TestBuiltWithQueriesInFlight:
    @pytest.mark.for_each("name", LATE_BOUNDARY)
    def test_it_is_a_run_of_the_platform(self, name: str, built: dict[str, Case]) -> None:
        case = built[name]
        assert case.setting.unmet_assumptions == ()
        assert case.band_exit is None
        assert audit([case.trace], case.setting, labels=["eq:payment"]).violating_steps == 0

    @pytest.mark.for_each(("label", "part", "added", "name"), ADDED)
    def test_a_tenth_less_for_what_is_in_flight_is_refuted(
        self, label: str, part: int, added: Any, name: str, built: dict[str, Case]
    ) -> None:
        stated, case = claim(label), built[name]
        relation = stated.checks[part]
        assert all(precondition.found_failure(case) is None for precondition in stated.preconditions)
        assert relation.check(case, stated.regime.overrides).violations == 0
        smaller = replace(relation, right=relation.right - sympy.sympify(added) / 10)
        assert smaller.check(case, stated.regime.overrides).violations > 0

    @pytest.mark.for_each(
        ("label", "part"),
        [
            ("lem:forced-exploration-bound:in-flight", 1),
            ("claim:B_id-tightened:in-flight", 0),
            ("claim:B_id-tightened:in-flight", 1),
            ("claim:T_id:repaired:in-flight", 0),
            ("thm:generation-regret:in-flight", 1),
        ],
    )
    def test_what_is_attained_allows_no_hair_less(self, label: str, part: int, built: dict[str, Case]) -> None:
        stated, case = claim(label), built["held back"]
        relation = stated.checks[part]
        assert relation.check(case, stated.regime.overrides).violations == 0
        smaller = replace(relation, right=relation.right - sympy.Rational(1, 10**6))
        assert smaller.check(case, stated.regime.overrides).violations > 0
