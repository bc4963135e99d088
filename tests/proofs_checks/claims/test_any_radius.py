"""Claims about any confidence radius: near-tight instances of each, traces off their bands, bounds a hair less."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bounds.formulas.identification import identification_horizon
from bounds.language.arithmetic import Array
from bounds.limits import LARGEST_HORIZON
from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import RADII
from bounds.radius_caps import RADIUS_LEAD, RADIUS_UNQUALIFIED_CAP, RadiusCaps
from bounds.setting.formula_inputs import formula_inputs
from mechanism.trace import Trace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.radius_event import RADIUS_BANDS
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import any_radius
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import setting_of, with_radius
from tests.proofs_checks.claims.radius_constructed import radius_case

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
            assert isinstance(check, Relation)
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
