"""The sharpest claims: near-tight instances, traces off their event, and what a bound a hair smaller would do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from bounds.formulas.sharp import (
    SHARP_ELIMINATION_BOUND,
    SHARP_EXPLORATION_STEPS_BOUND,
    SHARP_IDENTIFICATION_BOUND,
    SHARP_LEAD_BOUND,
    SHARP_RADIUS_SUM_BOUND,
    SHARP_UNQUALIFIED_CAP,
)
from bounds.language.computed import Stated
from bounds.published import published
from bounds.sharpest.formulas import CHERNOFF_BOUND, RADIUS_SUM, SHARPEST
from costproof import strategies
from mechanism.trace import Trace
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.sharpest_constructed import sharpest_case
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.conditions import checkpoints
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.sharpest_event import STITCHED_COST
from proofs_checks.claims.model.trace_quantities import RADIUS_SUM_SO_FAR
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import inputs

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
        assert isinstance(check, Relation)
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

    def test_who_serves_an_excluded_provider_is_refuted(self) -> None:
        """The last queries go to a provider that is excluded: the event holds, and the bound does not."""
        case = BOUNDARY["excluded at one count"]()
        columns = {name: column.copy() for name, column in case.trace.columns().items()}
        columns["provider"][-3:] = 2
        columns["score"][-3:] = 0.0
        columns["cost"][-3:] = case.setting.providers[2].mean_cost
        for row in range(len(case.trace) - 3, len(case.trace)):
            columns["bid"][row] = columns["cost"][: row + 1][columns["provider"][: row + 1] == 2].mean()
        found = claim("lem:unqualified-elimination:sharpest").check(Case(case.setting, Trace(**columns), case.origin))
        assert found.verdict is Verdict.REFUTED


PAIRS: list[tuple[Stated, Stated]] = [
    (CHERNOFF_BOUND, SHARP_ELIMINATION_BOUND),
    (SHARPEST["unqualified_cap"], SHARP_UNQUALIFIED_CAP),
    (SHARPEST["identification"], SHARP_IDENTIFICATION_BOUND),
    (SHARPEST["lead"], SHARP_LEAD_BOUND),
    (SHARPEST["exploration_steps"], SHARP_EXPLORATION_STEPS_BOUND),
    (RADIUS_SUM, SHARP_RADIUS_SUM_BOUND),
]


@given(inputs(strategies.settings(assumptions=True, least_gap=0.01)))
def test_sharpest_is_at_most_sharp(values: dict[str, Any]) -> None:
    for sharpest, sharp in PAIRS:
        assert (sharpest(values) <= sharp(values) * (1 + 1e-12)).all(), sharpest


class TestProbability:
    @pytest.mark.for_each("name", ["gpqa-strong", "gsm8k-ladder"])
    def test_delta_pays_for_all(self, name: str) -> None:
        found = claim("lem:good-event:sharpest").on_setting
        assert found is not None
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
