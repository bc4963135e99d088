"""Claims about any confidence radius: near-tight instances of each, traces off their bands, bounds a hair less."""

import functools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bounds.formulas.identification import identification_horizon
from bounds.language.arithmetic import Array
from bounds.limits import LARGEST_HORIZON
from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import PAPERS, RADII
from bounds.radius_caps import RADIUS_LEAD, RADIUS_UNQUALIFIED_CAP, RadiusCaps
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from mechanism.replay import Replay
from mechanism.tables import cost_table, quality_table
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.cases.constructed import WalkedMarket
from proofs_checks.claims.cases.edge_walk import BandWalk
from proofs_checks.claims.cases.sharpest_constructed import Edges, trace_at_edges
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.radius_event import RADIUS_BANDS, upper_quality_table
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import any_radius
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.mutants.correct import Arrays
from proofs_checks.conformance.mutants.incentives import Remembering
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, OracleNumbers, RuleOracle
from proofs_checks.oracle.step_audit import StepAudit
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import setting_of, with_radius
from tests.proofs_checks.claims.sharpest_instances import sharpest_setting

CLAIMS = {label: stated for label, stated in all_claims().items() if label.endswith(":any-radius") and stated.checks}


EACH = pytest.mark.long("near-tight instances of every radius")


def verdicts(cases: list[Case]) -> Counter[tuple[str, Verdict]]:
    return Counter((label, stated.check(case).verdict) for case in cases for label, stated in CLAIMS.items())


@functools.cache
def instances_of(radius: str) -> list[Case]:
    return [radius_case(radius, 0, number) for number in range(0, 2000, 14)]


@pytest.mark.parametrize(
    "radius", [pytest.param(name, marks=() if name == "beta-binomial" else EACH) for name in RADII]
)
class TestInstances:
    def test_none_is_refuted_and_every_claim_is_compared(self, radius: str) -> None:
        found = verdicts(instances_of(radius))
        assert {verdict for _, verdict in found} <= {Verdict.NOT_REFUTED, Verdict.VACUOUS}
        assert {label for label, verdict in found if verdict is Verdict.NOT_REFUTED} == set(CLAIMS)

    @pytest.mark.for_each("label", CLAIMS)
    def test_one_less_is_refuted(self, radius: str, label: str) -> None:
        """Every bound is attained, that of the lead by one selection: each part on its own."""
        stated = CLAIMS[label]
        for check in stated.checks:
            less = replace(stated, checks=(replace(check, right=check.right - 1),), headline=())
            assert any(less.check(case).verdict is Verdict.REFUTED for case in instances_of(radius))

    def test_a_mean_off_its_band_is_none_of_the_event(self, radius: str) -> None:
        """A hair further than the band allows, for a cost and for a score; the claim then says nothing."""
        case = next(
            case
            for case in instances_of(radius)
            if case.setting.unqualified and len(case.trace) >= 100 and not case.setting.platform.belief_slack
        )
        assert RADIUS_BANDS.found_failure(case) is None
        served = case.setting.unqualified[0]
        of, bound = case.setting.providers[served], case.setting.platform.cost_bound
        for what, far in (("score", 1.0), ("cost", 0.0 if of.mean_cost > bound / 2 else bound)):
            columns = {name: values.copy() for name, values in case.trace.columns().items()}
            columns["provider"][:], columns["score"][:], columns["cost"][:] = served, of.quality, of.mean_cost
            columns[what][:] = far
            failure = RADIUS_BANDS.found_failure(Case(case.setting, Trace(**columns)))
            assert f"leaves the band of the radius at m = {_first_beyond(case, served, what)}" in failure.reason

    def test_who_serves_an_excluded_provider_is_refuted(self, radius: str) -> None:
        refuted = set()
        for case in instances_of(radius):
            if not case.setting.unqualified or len(case.trace) < 100:
                continue
            served = case.setting.unqualified[0]
            columns = {name: values.copy() for name, values in case.trace.columns().items()}
            start = case.setting.n_providers
            columns["provider"][start:], columns["score"][start:] = served, case.setting.providers[served].quality
            columns["cost"][start:] = columns["bid"][start:] = case.setting.providers[served].mean_cost
            changed = Case(case.setting, Trace(**columns), case.origin)
            refuted |= {label for label, stated in CLAIMS.items() if stated.check(changed).verdict is Verdict.REFUTED}
        assert {"lem:unqualified-elimination:any-radius", "thm:sample-complexity:any-radius"} <= refuted

    @pytest.mark.for_each("name", PUBLISHED_NAMES)
    def test_bands_fail_less_than_is_paid_for(self, radius: str, name: str) -> None:
        stated = claim("lem:good-event:any-radius")
        evidence = stated.of_setting(with_radius(published(name).setting, radius))
        assert evidence.verdict is Verdict.EXACT
        assert evidence.parameters["total"] < evidence.parameters["delta"] * 3 / 4

    def test_bands_that_are_too_narrow_are_refuted(self, radius: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Half as wide they fail too often."""
        found = any_radius.radius_named(radius)

        def half_of_quality(counts: Array, mean: float, n: int, delta: float) -> Array:
            return found.quality_radius(counts, mean=mean, n_providers=n, confidence=delta) / 2

        half = replace(found, quality=half_of_quality, cost=lambda *known: found.cost(*known) / 2)
        monkeypatch.setattr(any_radius, "radius_named", lambda name: half)
        any_radius._failure.cache_clear()
        setting = with_radius(published("gpqa-strong").setting, radius)
        assert any_radius.each_band_is_paid_for(setting).verdict is Verdict.REFUTED
        any_radius._failure.cache_clear()


def _first_beyond(case: Case, provider: int, what: str) -> str:
    """Return at which count a mean of nothing but 1, or of the far end of costs, leaves its band; by the definition."""
    platform, of = case.setting.platform, case.setting.providers[provider]
    radius, counts = any_radius.radius_named(platform.radius), np.arange(1.0, len(case.trace) + 1)
    known = {"n_providers": case.setting.n_providers, "confidence": platform.confidence}
    if what == "score":
        beyond = 1 - of.quality > radius.quality_radius(counts, mean=1 - of.quality, **known) * (1 + 1e-12)
    else:
        far = max(of.mean_cost, platform.cost_bound - of.mean_cost)
        beyond = far > platform.cost_bound * radius.cost_radius(counts, **known) * (1 + 1e-12)
    return f"{int(counts[np.argmax(beyond)]):,}"


def test_what_no_cap_bounds_is_a_number_that_no_run_reaches() -> None:
    """A cheap unqualified provider is never too dear to win auctions, and one at the threshold is never excluded."""
    setting = setting_of([(0.9, 0.3), (0.8, 0.6), (0.5 - 2**-40, 0.1)], exploration_scale=1.0, radius="beta-binomial")
    assert RADIUS_UNQUALIFIED_CAP(formula_inputs(setting), horizon=1000).tolist() == [LARGEST_HORIZON]
    assert identification_horizon(formula_inputs(setting), RADIUS_LEAD, twice=False) is None
    assert RadiusCaps(setting).identification_horizon is None


def radius_market(setting: Setting, edges: Edges, horizon: int, rng: np.random.Generator) -> WalkedMarket:
    """Return a market on which the bands of the radius at hand hold, near their edges."""
    platform, config = setting.platform, MechanismConfig.of(setting)
    tested, cost_radii = quality_table(config).upto(horizon), cost_table(config).upto(horizon)
    scores = []
    for provider, (score, _) in zip(setting.providers, edges, strict=True):
        if provider.quality >= platform.quality_threshold:
            scores.append(BandWalk(platform.quality_threshold, 1.0, score, tested, rng))
        else:
            radii = upper_quality_table(setting, provider.quality).upto(horizon)
            scores.append(BandWalk(provider.quality, 1.0, score, radii, rng))
    costs = [
        BandWalk(provider.mean_cost, platform.cost_bound, cost, cost_radii, rng)
        for provider, (_, cost) in zip(setting.providers, edges, strict=True)
    ]
    return WalkedMarket(scores=tuple(scores), costs=tuple(costs))


def played_at_edges(setting: Setting, horizon: int, rng: np.random.Generator) -> Case:
    """Play a setting on such a market, with edges drawn at random and bids at the edge of the setting's slacks."""
    trace = trace_at_edges(setting, horizon, rng, lambda edges: radius_market(setting, edges, horizon, rng))
    return Case(setting, trace, {"kind": "steered", "market": "at the edges of the bands of the radius at hand"})


def radius_case(radius: str, seed: int, instance: int, *, runs: int = 25) -> Case:
    """Return one instance with the radius of a name, a pure function of the arguments; `runs` numbers share a setting.

    The mean score of a qualified provider moves within the quality radius about the threshold, that of an unqualified
    one within the radius of its own scores about its quality, mean costs within the cost radius.

    Examples
    --------
    >>> from proofs_checks.claims.model.radius_event import RADIUS_BANDS
    >>> RADIUS_BANDS.found_failure(radius_case("normal-mixture", 0, 3)) is None
    True
    """
    setting, horizon = sharpest_setting(np.random.default_rng([seed, 2, instance // runs]))
    setting = replace(setting, platform=replace(setting.platform, radius=radius))
    return played_at_edges(setting, horizon, np.random.default_rng([seed, 2, instance // runs, instance]))


OTHERS = tuple(name for name in RADII if name != PAPERS)


def of_strong_roster(name: str, horizon: int = 3000) -> Case:
    setting = with_radius(published("gpqa-strong").setting, name)
    return Case(setting, CompiledEpisode(setting).trace(horizon=horizon, seed=4), {"bidders": "truthful"})


@pytest.mark.for_each(("name", "numbers"), [(name, numbers) for name in OTHERS for numbers in (FLOATS, EXACT)])
def test_the_oracle_prescribes_what_the_platform_does(name: str, numbers: OracleNumbers) -> None:
    config = MechanismConfig(3, 0.6, 0.3, 1.0, 1.0, 0.5, belief_slack=0.25, radius=name)
    papers = replace(config, radius=PAPERS)
    rng, platform = np.random.default_rng(7), Platform(config, np.random.default_rng(0))
    oracle, other = RuleOracle(config, numbers), RuleOracle(papers, numbers)
    disagreements = 0
    for _ in range(150):
        provider, payment = platform.assign()
        allowed, elsewhere = oracle.decisions(), other.decisions()
        assert any(provider in one.providers and math.isclose(payment, one.payments[provider]) for one in allowed)
        disagreements += not any(
            provider in one.providers and math.isclose(payment, one.payments[provider]) for one in elsewhere
        )
        score, bid = float(rng.random() < (0.9, 0.8, 0.2)[provider]), float(rng.uniform(0.1, 0.6))
        platform.settle(score, bid)
        oracle.settle(provider, score, bid)
        other.settle(provider, score, bid)
    assert disagreements > 0


@pytest.mark.for_each("name", RADII)
def test_a_log_is_judged_by_the_radius_of_its_setting(name: str) -> None:
    case = of_strong_roster(name, 1500)
    for judged in RADII:
        setting = with_radius(case.setting, judged)
        violations = sum(StepAudit(setting, Replay(MechanismConfig.of(setting), case.trace)).counts.values())
        assert (violations == 0) == (judged == name), (name, judged)


def test_an_audit_says_what_is_stated_for_the_papers_radius() -> None:
    case = of_strong_roster("beta-binomial", 1000)
    report = audit([case.trace], case.setting, labels=["lem:payment-range", "lem:radius-sum", "thm:sample-complexity"])
    found = {each.label: each.evidence for each in report.claims}
    assert report.violations == ()
    assert found["lem:payment-range"].verdict is Verdict.NOT_REFUTED
    for label in ("lem:radius-sum", "thm:sample-complexity"):
        assert found[label].verdict is Verdict.ASSUMPTION_VIOLATED
        assert "stated for the paper's radius, and this one is 'beta-binomial'" in (found[label].reason or "")


@pytest.mark.for_each("name", OTHERS)
def test_no_claim_is_refuted_by_a_run_with_another_radius(name: str) -> None:
    case = of_strong_roster(name)
    compared = 0
    for stated in all_claims().values():
        if not stated.checks:
            continue
        verdict = stated.check(case).verdict
        assert verdict is not Verdict.REFUTED or stated.finding, stated.label
        if not stated.any_radius:
            assert verdict is Verdict.ASSUMPTION_VIOLATED
        compared += verdict is Verdict.NOT_REFUTED
    assert compared >= 15


def test_without_the_precondition_bounds_of_beta_would_be_judged_falsely() -> None:
    """The sum of the radii of a run with larger ones at small counts exceeds the paper's bound of its own."""
    platform = PlatformParameters(0.0, 0.5, 1.0, 0.01, 0.5, radius="normal-mixture")
    setting = Setting("toy", platform, (Provider("a", 1.0, 0.1), Provider("b", 1.0, 0.2)))
    case = Case(setting, CompiledEpisode(setting).trace(horizon=60, seed=0), {})
    stated = claim("lem:radius-sum")
    assert stated.check(case).verdict is Verdict.ASSUMPTION_VIOLATED
    assert replace(stated, any_radius=True).check(case).verdict is Verdict.REFUTED


@pytest.mark.for_each("name", OTHERS)
def test_a_setting_with_another_radius_has_no_exact_evidence_about_beta(name: str) -> None:
    setting = with_radius(published("gpqa-strong").setting, name)
    for stated in all_claims().values():
        found = stated.of_setting(setting)
        assert found is None or found.verdict is Verdict.SKIPPED or stated.any_radius or stated.finding, stated.label


def test_check_configures_a_mechanism_with_a_radius() -> None:
    domain, checks = "radius=beta-binomial", ["eligibility"]
    report = check_mechanism(reference_mechanism, only=checks, effort=QUICK, domain=domain)
    assert (report.ran, report.failed) == (len(checks), 0)
    # One that has the paper's radius alone is judged by what its configuration asks for.
    assert check_mechanism(Arrays, only=checks, effort=QUICK, domain=domain, explain=False).failed > 0


class EmpiricalBernstein(Remembering):
    """Cost radii of empirical Bernstein: the sample variance of the costs that the bids tell, means of means."""

    def _cost_radius(self, provider: int) -> float:
        means = [*self.earlier[provider], self.bids[provider]]
        sums = [(k + 1) * mean for k, mean in enumerate(means)]
        costs = np.diff([0.0, *sums])
        count, logarithm = len(costs), math.log(4 * self.n_providers * len(costs) ** 2 / self.config.confidence)
        if count < 2:
            return super()._cost_radius(provider)
        spread = math.sqrt(2 * float(np.var(costs, ddof=1)) * logarithm / count)
        return spread + 7 * self.bound * logarithm / (3 * (count - 1))


def test_a_bid_of_ones_own_moves_ones_own_payment() -> None:
    """Two histories that differ in one earlier bid of the winner: the same winner, another payment, to its gain."""

    def paid(first_bid: float) -> tuple[int, float]:
        config = MechanismConfig(2, 0.0, 0.05, 1.0, 1e-6, 0.5)
        mechanism = EmpiricalBernstein(config, np.random.default_rng(0))
        answer = (-1, 0.0)
        bids = {0: [first_bid, *[0.1] * 400], 1: [0.9, *[0.9] * 400]}
        for _ in range(400):
            answer = mechanism.assign()
            mechanism.settle(1.0, bids[answer[0]].pop(0))
        return answer

    honest, inflated = paid(0.1), paid(0.9)
    assert honest[0] == inflated[0] == 0
    assert inflated[1] > honest[1] + 1e-6
