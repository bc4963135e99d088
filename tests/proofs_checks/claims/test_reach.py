"""What a finding says of horizons: which one was missing, and whether a comparison could fail at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.model.conditions import each_provider, horizons
from proofs_checks.claims.model.evidence import NOTHING_MEETS_IT, AgainstTrivial, Part, combine
from proofs_checks.claims.model.in_flight import PLUS
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import start_of
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.reach import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS, key_of, with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict

#: Starts early: M_i and so T_0 are small where qualities lie far apart and k is large.
EARLY = Setting(
    name="early",
    platform=PlatformParameters(
        quality_threshold=0.9, confidence=0.5, cost_bound=1.0, exploration_scale=5.0, exploration_exponent=0.5
    ),
    providers=(
        Provider(name="a", quality=1.0, mean_cost=0.1),
        Provider(name="b", quality=1.0, mean_cost=0.9),
        Provider(name="c", quality=0.0, mean_cost=0.05),
    ),
)


def vacuous(label: str):
    return combine([part.compared(Tightness(0, 0)) for part in claim(label).parts()])


def held(label: str):
    return combine([part.compared(Tightness(9, 0)) for part in claim(label).parts()])


class TestTheHorizonThatIsMissing:
    @pytest.mark.for_each(
        ("label", "method", "quantity"),
        [
            ("thm:regret", "paper", "burn_in"),
            ("lem:two-sided-payment", "paper", "burn_in"),
            ("lem:ordinary-qualified-set", "paper", "burn_in"),
            ("claim:T_id:repaired", "paper", "identification_horizon"),
            ("thm:regret:sharp", "sharp", "burn_in"),
            ("lem:two-sided-payment:sharp", "sharp", "burn_in"),
            ("claim:T_id:sharp", "sharp", "identification_horizon"),
        ],
    )
    def test_it_is_the_number_of_the_report(self, label: str, method: str, quantity: str) -> None:
        setting = published("gpqa-full").setting
        expected = getattr(evaluate_bounds(setting, horizon=5_000, method=method), quantity)
        found = with_horizons(claim(label), vacuous(label), setting, 5_000)
        needed = [part.horizon_needed for part in found.parts if part.horizon_needed is not None]
        assert needed
        assert {each.value for each in needed} == {expected}
        assert {each.reached for each in needed} == {5_000}
        assert found.verdict is Verdict.VACUOUS
        assert str(needed[0]) in str(found.reason)

    def test_a_claim_without_such_a_horizon_stays_in_plain_words(self) -> None:
        found = vacuous("lem:ordinary-selection-gap")
        same = with_horizons(claim("lem:ordinary-selection-gap"), found, published("gpqa-strong").setting, 5_000)
        assert same == found
        assert same.reason == NOTHING_MEETS_IT

    def test_a_horizon_that_was_reached_is_not_what_was_missing(self) -> None:
        found = with_horizons(claim("lem:two-sided-payment"), vacuous("lem:two-sided-payment"), EARLY, 10**9)
        assert found.reason == NOTHING_MEETS_IT
        assert all(part.horizon_needed is None for part in found.parts)

    @pytest.mark.for_each("label", [label for label, each in all_claims().items() if each.checks])
    def test_nothing_is_compared_before_a_start(self, label: str) -> None:
        """The start that a condition names is its own: it is met nowhere before, and somewhere after (for EARLY)."""
        case = play(EARLY, "truthful", horizon=2_000, seed=0, run=0)
        for check in claim(label).checks:
            start = start_of(check.on) if isinstance(check, Relation) else None
            if start is None:
                continue
            value = start.value(EARLY)
            met = check.on(case)
            rows = met.any(axis=1) if met.ndim > 1 else met
            assert value < 2_000, "the market was made to start early"
            assert not rows[: int(value) - 1].any()
            assert rows[int(value) :].any()


class TestWhatCouldNotFail:
    def test_by_hand(self) -> None:
        """B_id of gpqa-strong beside T - 1, and the bound of thm:sample-complexity:sharp once it is below."""
        setting = published("gpqa-strong").setting
        (part,) = with_trivial(claim("claim:B_id-tightened"), held("claim:B_id-tightened"), [(setting, 70_000)]).parts
        expected = setting.n_providers - 1 + evaluate_bounds(setting, horizon=70_000).identification_bound
        assert part.could_fail is False
        assert part.against_trivial == AgainstTrivial(horizon=70_000, bound=float(expected), trivial=69_999.0)
        label = "thm:sample-complexity:sharp"
        part, _ = with_trivial(claim(label), held(label), [(setting, 70_000)]).parts
        assert (part.could_fail, part.against_trivial) == (True, None)

    @pytest.mark.for_each("name", PUBLISHED_NAMES)
    @pytest.mark.parametrize(
        ("label", "guarantee"),
        [("claim:B_id-tightened", "identification"), ("thm:excess-payment-general", "excess_payment")],
    )
    def test_a_guarantee_that_says_something_could_fail(self, name: str, label: str, guarantee: str) -> None:
        """`bounds` decides it with enclosures; at one horizon at which it says something the claim could fail."""
        setting = published(name).setting
        worth = evaluate_bounds(setting, horizon=70_000).guarantees[guarantee].worth
        found = with_trivial(claim(label), held(label), [(setting, 70_000)])
        part = found.parts[-1]
        assert part.could_fail is True or not worth.informative
        if worth.informative_from is not None and worth.informative_from <= 70_000:
            assert part.could_fail is True

    def test_nothing_is_said_where_the_trivial_value_is_not_known(self) -> None:
        setting = published("gpqa-strong").setting
        for label in ("lem:radius-sum", "lem:payment-range", "lem:ordinary-payment", "eq:payment"):
            found = with_trivial(claim(label), held(label), [(setting, 1_000)])
            assert {part.could_fail for part in found.parts} == {None}

    def test_one_run_that_could_fail_is_enough(self) -> None:
        """A longer run, or one with less slack, could fail where another could not."""
        setting = published("gsm8k-full").setting
        label = "claim:B_id-tightened"
        short, long = (setting, 10_000), (setting, 70_000)
        for played in ([short, long], [long, short]):
            (part,) = with_trivial(claim(label), held(label), played).parts
            assert part.could_fail is True
        (part,) = with_trivial(claim(label), held(label), [short]).parts
        assert part.could_fail is False

    @pytest.mark.for_each("label", [label for label in all_claims() if label.endswith(":in-flight")])
    def test_in_flight_is_like_the_claim_that_it_extends(self, label: str) -> None:
        """Without queries in flight the bounds are the same, so one could fail exactly if the other could."""
        played = [(published("gpqa-strong").setting, 10_000)]

        def told(label: str) -> dict[Any, Part]:
            stated = claim(label)
            parts = with_trivial(stated, held(label), played).parts
            return {
                (key_of(check.left), part.name.removesuffix(PLUS)): part
                for check, part in zip(stated.checks, parts, strict=True)
                if isinstance(check, Relation)
            }

        base, extended = told(label.removesuffix(":in-flight")), told(label)
        for (left, name), part in base.items():
            if left in TRIVIAL or left in TRIVIAL_WITHOUT_UNDERBIDS:
                found = extended[left, name]
                assert found.could_fail is not None or part.could_fail is None
                assert (found.could_fail, found.against_trivial) == (part.could_fail, part.against_trivial)

    def test_a_lead_that_no_run_could_break(self) -> None:
        """i* is served once and one rival always else: T - N more at most, beside N + 2 B_id - T."""
        setting = published("gpqa-strong").setting
        label = "claim:T_id:repaired:in-flight"
        (part,) = with_trivial(claim(label), held(label), [(setting, 10_000)]).parts
        assert part.could_fail is False
        assert part.against_trivial.trivial == 2 * 10_000 - setting.n_providers
        (part,) = with_trivial(claim(label), held(label), [(setting, 1_000_000)]).parts
        assert part.could_fail is True

    @pytest.mark.for_each("variant", VARIANTS)
    def test_no_trace_exceeds_what_is_called_trivial(self, variant: str) -> None:
        """The trivial value holds on every trace: a trivial value that is too small would call a test idle."""
        case = play(published("gsm8k-ladder").setting, variant, horizon=400, seed=3, run=0)
        for left, right in TRIVIAL.values():
            relation = Relation(left, right, horizons, "trivial")
            if "selections" in str(left):
                relation = replace(relation, on=each_provider(horizons, "unqualified"), among="unqualified")
            found = relation.check(case, {})
            assert not found.violations, (left, found)
            assert found.checked
