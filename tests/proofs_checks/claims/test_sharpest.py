"""The sharpest claims: near-tight instances, traces off their event, and what a bound a hair smaller would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bounds.formulas.sharp import (
    SHARP_ELIMINATION_BOUND,
    SHARP_EXPLORATION_STEPS_BOUND,
    SHARP_IDENTIFICATION_BOUND,
    SHARP_LEAD_BOUND,
    SHARP_RADIUS_SUM_BOUND,
    SHARP_UNQUALIFIED_CAP,
)
from bounds.language.computed import Stated
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.formula_inputs import formula_inputs
from bounds.sharpest.formulas import BINARY, CHERNOFF_BOUND, RADIUS_SUM, SHARPEST
from bounds.sharpest.information import information_counts
from mechanism.trace import Trace
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.sharpest_steered import sharpest_case
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.sharpest_event import EXCLUDED_IN_EXACT_TIME, JOINTLY_EXCLUDED, STITCHED_COST, Scores
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from tests.bounds.sharpest.random_markets import values_of

SHARPEST_CLAIMS = {
    label: stated
    for label, stated in all_claims().items()
    if stated.checks and label.rpartition(":")[2] in ("sharpest", "sharpest-binary")
}
#: Claims whose bound instances attain: a whole number less is refuted.
ATTAINED = [
    "lem:unqualified-elimination:sharpest",
    "lem:unqualified-elimination:sharpest-binary",
    "lem:forced-exploration-bound:sharpest",
    "lem:forced-exploration-bound:sharpest-binary",
    "thm:sample-complexity:sharpest",
    "thm:sample-complexity:sharpest-binary",
]


def steered(scores: Scores, seed: int, numbers: range) -> list[Case]:
    return [sharpest_case(seed, number, scores) for number in numbers]


def verdicts(cases: list[Case], scores: Scores) -> Counter[tuple[str, Verdict]]:
    """Count what the claims say; those about scores of 0 and 1 only where these are the scores."""
    found: Counter[tuple[str, Verdict]] = Counter()
    for case in cases:
        for label, stated in SHARPEST_CLAIMS.items():
            if scores == "binary" or not label.endswith("binary"):
                found[label, stated.check(case).verdict] += 1
    return found


@pytest.fixture(scope="module")
def cases() -> dict[Scores, list[Case]]:
    return {"any": steered("any", 0, range(0, 800, 10)), "binary": steered("binary", 0, range(0, 800, 10))}


class TestInstances:
    @pytest.mark.long("160 near-tight instances")
    @pytest.mark.parametrize("scores", ["any", "binary"])
    def test_none_is_refuted_and_the_event_holds(self, cases: dict[Scores, list[Case]], scores: Scores) -> None:
        found = verdicts(cases[scores], scores)
        assert {verdict for _, verdict in found} <= {Verdict.NOT_REFUTED, Verdict.VACUOUS}
        compared = {label for label, verdict in found if verdict is Verdict.NOT_REFUTED}
        # T_id needs long horizons: the next tests have them.
        assert {label for label, _ in found} - compared <= {"claim:T_id:sharpest", "claim:T_id:sharpest-binary"}

    @pytest.mark.long("160 near-tight instances")
    @pytest.mark.for_each("label", ATTAINED)
    def test_one_less_is_refuted(self, cases: dict[Scores, list[Case]], label: str) -> None:
        stated = SHARPEST_CLAIMS[label]
        check = stated.checks[0]
        assert isinstance(check, Relation)
        less = replace(stated, checks=(replace(check, right=check.right - 1),))
        built = ("cheapest auctions", "excluded at one count", "excluded at one count, binary")
        tried = [*cases["any"], *cases["binary"], *(BOUNDARY[name]() for name in built)]
        assert any(less.check(case).verdict is Verdict.REFUTED for case in tried)

    @pytest.mark.parametrize("more", ["", "-binary"])
    def test_a_rival_comes_near_to_the_lead(self, more: str) -> None:
        """From the sharpest T_id on a rival has up to more than 98 of 100 selections of i*."""
        case = BOUNDARY[f"excluded at one count{more.replace('-', ', ')}"]()
        found = SHARPEST_CLAIMS[f"claim:T_id:sharpest{more}"].check(case)
        assert found.verdict is Verdict.NOT_REFUTED
        assert found.tightness.ratio > 0.98

    @pytest.mark.long("160 near-tight instances")
    def test_the_radius_sum_is_attained_to_a_billionth(self, cases: dict[Scores, list[Case]]) -> None:
        _, radius_sum = SHARPEST_CLAIMS["thm:generation-regret:sharpest"].checks
        found = [radius_sum.check(case, {}).ratio for case in cases["any"]]
        assert 1 - 1e-9 < max(ratio for ratio in found if ratio is not None) <= 1


class TestOffTheEvent:
    def test_a_provider_that_lingers_is_none_of_the_event(self) -> None:
        case = BOUNDARY["lingering"]()
        for label in ("lem:unqualified-elimination:sharpest", "thm:excess-payment-general:sharpest"):
            found = claim(label).check(case)
            assert found.verdict is Verdict.ASSUMPTION_VIOLATED
            assert "excluded at one count" in str(found.reason)
        assert claim("lem:unqualified-elimination:sharp").check(case).verdict is Verdict.NOT_REFUTED

    def test_a_provider_that_never_fails_is_off_the_exact_law(self) -> None:
        case = BOUNDARY["excluded at one count, binary"]()
        columns = {name: column.copy() for name, column in case.trace.columns().items()}
        columns["score"][:] = 1.0
        lucky = Case(case.setting, Trace(**columns))
        assert EXCLUDED_IN_EXACT_TIME.found_failure(case) is None
        assert EXCLUDED_IN_EXACT_TIME.found_failure(lucky) is not None
        assert JOINTLY_EXCLUDED.found_failure(case) is None

    def test_a_cost_above_the_stitched_radius(self) -> None:
        """Costs at the edge of the paper's band lie above it from some count on."""
        case = BOUNDARY["shared auctions"]()
        assert case.good_event_violation is None
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


@pytest.mark.for_each("number", range(30))
def test_sharpest_is_at_most_sharp(number: int) -> None:
    values = values_of(np.random.default_rng([1, number]))
    values["horizon"] = max(values["horizon"], float(values["n_providers"]))
    for sharpest, sharp in PAIRS:
        assert (sharpest(values) <= sharp(values) * (1 + 1e-12)).all(), sharpest


@pytest.mark.for_each("name", PUBLISHED_NAMES)
@pytest.mark.parametrize("horizon", [None, pytest.param(1000, marks=pytest.mark.long("five settings"))])
def test_simulation_stays_below(name: str, horizon: int | None) -> None:
    """Compare a run with every sharpest claim; its scores are 0 and 1."""
    setting = published(name).setting
    case = play(setting, "truthful", horizon=horizon or setting.n_providers + 1, seed=3, run=0)
    for label, stated in SHARPEST_CLAIMS.items():
        assert stated.check(case).verdict in (Verdict.NOT_REFUTED, Verdict.VACUOUS), label


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_binary_is_at_most_sharpest(name: str) -> None:
    values = {**formula_inputs(published(name).setting), "horizon": 70_000.0}
    for role in ("identification", "lead", "exploration_steps", "excess"):
        assert float(BINARY[role](values)) <= float(SHARPEST[role](values)) * (1 + 1e-12)


class TestProbabilityAndInformation:
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

    def test_less_for_delta_would_not_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The comparison can fail: with a hundredth more to spare the parts cost more than delta."""
        from proofs_checks.claims.statements import sharpest_event

        spare = sharpest_event.spare_probability
        monkeypatch.setattr(sharpest_event, "spare_probability", lambda n, delta: spare(n, delta) + 0.01 * delta)
        found = sharpest_event.delta_pays_for_all(published("gpqa-strong").setting)
        assert found.verdict is Verdict.REFUTED

    def test_the_information_bound_of_the_five_settings(self) -> None:
        sums = [information_counts(formula_inputs(published(name).setting)).sum() for name in PUBLISHED_NAMES]
        found = dict(zip(PUBLISHED_NAMES, np.round(sums).tolist(), strict=True))
        expected = {"gsm8k-full": 240, "gsm8k-ladder": 113, "gpqa-full": 0, "gpqa-ladder": 570, "gpqa-strong": 495}
        assert found == expected
