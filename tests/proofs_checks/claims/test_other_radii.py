"""What judges a mechanism takes the radius from its configuration, and says what is stated for the paper's alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from mechanism.replay import Replay
from proofs_checks.audit.run import audit
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.mutants.correct import Arrays
from proofs_checks.conformance.mutants.incentives import Remembering
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, OracleNumbers, RuleOracle
from proofs_checks.oracle.step_audit import StepAudit
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import with_radius

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
