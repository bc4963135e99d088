"""What a finding says of horizons: which one was missing, and whether a comparison could fail at all."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.model.finding import NOTHING_MEETS_IT, Part, combine
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import FromStart, Start, start_of
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.reach import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS, key_of, with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import AgainstTrivial, HorizonNeeded, Verdict, any_could_fail
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import VerifyReport, verify

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
    return combine([part.found(Tightness(0, 0)) for part in claim(label).parts()])


def held(label: str):
    return combine([part.found(Tightness(9, 0)) for part in claim(label).parts()])


class TestTheHorizonThatIsMissing:
    @pytest.mark.for_each("name", PUBLISHED_NAMES)
    @pytest.mark.parametrize(
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
    def test_it_is_the_number_of_the_report(self, name: str, label: str, method: str, quantity: str) -> None:
        setting = published(name).setting
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

    def test_parts_that_miss_different_things_are_told_apart(self) -> None:
        label = "prop:bayesian-substitution"
        stated = claim(label)
        parts = [
            part.found(Tightness(int(check.name.startswith("quality regret")), 0))
            for part, check in zip(stated.parts(), stated.checks, strict=True)
        ]
        reason = with_horizons(stated, combine(parts), published("gsm8k-full").setting, 70_000).reason
        assert reason is not None
        assert reason.count("needs T > T_0 = 1,337,853.6; here T = 70,000") == 1
        assert reason.count("needs T >= T_0 = 1,337,853.6; here T = 70,000") == 1
        assert NOTHING_MEETS_IT in reason

    def test_none_up_to_the_largest_horizon(self) -> None:
        start = Start("T >= T_id", lambda setting: None)
        assert str(start.needed(EARLY, 9)) == "needs T >= T_id which is not below 2^52; here T = 9"

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
            assert value is not None
            assert value < 2_000, "the market was made to start early"
            assert not rows[: int(value) - 1].any()
            assert rows[int(value) :].any()

    def test_every_condition_that_waits_for_a_horizon_names_it(self) -> None:
        """A relation that speaks of no step of a short run, and of T_0 or T_id in its name, has a start."""
        for stated in all_claims().values():
            for check in stated.checks:
                if isinstance(check, Relation) and ("T_0" in check.name or "T_id" in check.name):
                    assert isinstance(check.on, FromStart), (stated.label, check.name)


class TestWhatCouldNotFail:
    def test_by_hand(self) -> None:
        """B_id of gpqa-strong beside T - 1, and the bound of thm:sample-complexity:sharp once it is below."""
        setting = published("gpqa-strong").setting
        (part,) = with_trivial(claim("claim:B_id-tightened"), held("claim:B_id-tightened"), [(setting, 70_000)]).parts
        expected = setting.n_providers - 1 + evaluate_bounds(setting, horizon=70_000).identification_bound
        assert part.could_fail is False
        assert part.against_trivial == AgainstTrivial(horizon=70_000, bound=float(expected), trivial=69_999.0)
        label = "thm:sample-complexity:sharp"
        (part,) = with_trivial(claim(label), held(label), [(setting, 70_000)]).parts
        assert (part.could_fail, part.against_trivial) == (True, None)

    @pytest.mark.for_each("name", PUBLISHED_NAMES)
    @pytest.mark.parametrize(
        ("label", "part_name", "guarantee"),
        [
            ("claim:B_id-tightened", "at most N - 1 + B_id(T) queries miss i*", "identification"),
            ("thm:excess-payment-general", "cumulative payment above the second cost", "excess_payment"),
        ],
    )
    def test_a_guarantee_that_says_something_could_fail(
        self, name: str, label: str, part_name: str, guarantee: str
    ) -> None:
        """`bounds` decides it with enclosures; at one horizon at which it says something the claim could fail."""
        setting = published(name).setting
        worth = evaluate_bounds(setting, horizon=70_000).guarantees[guarantee].worth
        found = with_trivial(claim(label), held(label), [(setting, 70_000)])
        part = next(part for part in found.parts if part.name == part_name)
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

    @pytest.mark.parametrize("horizon", [10_000, 200_000])
    @pytest.mark.for_each("label", [label for label in all_claims() if label.endswith(":in-flight")])
    def test_in_flight_is_like_the_claim_that_it_extends(self, label: str, horizon: int) -> None:
        """Without queries in flight the bounds are the same, so one could fail exactly if the other could."""
        played = [(published("gpqa-strong").setting, horizon)]

        def told(label: str) -> dict[Any, Part]:
            stated = claim(label)
            parts = with_trivial(stated, held(label), played).parts
            return {
                (
                    key_of(check.left),
                    part.name.removesuffix(", queries in flight").replace(" + sum d_i", "").replace(" + d_i", ""),
                ): part
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
        for label in ("claim:T_id:in-flight", "claim:T_id:repaired:in-flight"):
            (part,) = with_trivial(claim(label), held(label), [(setting, 10_000)]).parts
            assert part.could_fail is False
            assert part.against_trivial is not None
            assert part.against_trivial.trivial == 2 * 10_000 - setting.n_providers
            (part,) = with_trivial(claim(label), held(label), [(setting, 1_000_000)]).parts
            assert part.could_fail is True

    def test_a_part_that_could_fail_lets_the_claim_fail(self) -> None:
        assert any_could_fail([]) is None
        assert any_could_fail([None, False]) is None
        assert any_could_fail([None, True]) is True

    @pytest.mark.for_each("variant", VARIANTS)
    def test_no_trace_exceeds_what_is_called_trivial(self, variant: str) -> None:
        """The trivial value holds on every trace: a trivial value that is too small would call a test idle."""
        from proofs_checks.claims.model.claim import Claim
        from proofs_checks.claims.model.conditions import horizons

        for name in ("gpqa-strong", "gsm8k-ladder"):
            case = play(published(name).setting, variant, horizon=400, seed=3, run=0)
            for left, right in TRIVIAL.values():
                among = "unqualified" if "selections" in str(left) else "all"
                relation = Relation(left, right, horizons, "trivial", among=among)
                if "selections" in str(left):
                    from proofs_checks.claims.model.conditions import each_provider

                    relation = replace(relation, on=each_provider(horizons, "unqualified"))
                found = Claim(label="lem:trivial", name="", statement="", checks=(relation,)).check(case)
                assert found.verdict is Verdict.NOT_REFUTED, (left, found.tightness)


@functools.cache
def verified() -> VerifyReport:
    effort = Effort(runs=2, horizon=600, variant_horizon=300, instances=0)
    labels = ("thm:regret", "claim:B_id-tightened", "prop:deviation-selection", "lem:radius-sum")
    return verify([published("gpqa-strong").setting], effort=effort, labels=labels)


class TestVerify:
    @pytest.fixture
    def report(self) -> VerifyReport:
        return verified()

    def test_json_holds_both(self, report) -> None:
        rows = {row["label"]: row for row in report.to_data()["claims"] if row["setting"]}
        (piece,) = rows["thm:regret"]["evidence"]
        burn_in = evaluate_bounds(published("gpqa-strong").setting, horizon=600).burn_in
        assert piece["parts"][0]["horizon_needed"] == {"condition": "T >= T_0", "value": burn_in, "reached": 600}
        assert piece["reason"] == "needs T >= T_0 = 3,904,780.9; here T = 600"
        assert rows["thm:regret"]["could_fail"] is None
        assert rows["claim:B_id-tightened"]["could_fail"] is False
        (piece,) = rows["claim:B_id-tightened"]["evidence"]
        assert piece["could_fail"] is False
        assert piece["parts"][0]["against_trivial"]["trivial"] == 599.0
        assert rows["lem:radius-sum"]["could_fail"] is None

    def test_json_says_why_it_is_not_known_whether_a_comparison_could_fail(self, report) -> None:
        rows = {row["label"]: row for row in report.to_data()["claims"] if row["setting"]}
        assert rows["claim:B_id-tightened"]["could_fail_unknown"] is None
        assert rows["thm:regret"]["could_fail_unknown"] == "nothing was compared"
        assert rows["lem:radius-sum"]["could_fail_unknown"] == "no trivial value is known for what is compared"

    def test_small_instances_say_that_it_is_not_computed_there(self) -> None:
        effort = Effort(runs=1, horizon=100, variant_horizon=100, instances=2)
        rows = verify([], effort=effort, labels=("claim:B_id-tightened",)).to_data()["claims"]
        pieces = [
            piece for row in rows for piece in row["evidence"] if piece["kind"] == "property" and piece["checked"]
        ]
        assert pieces
        for piece in pieces:
            told = {each["could_fail_unknown"] for each in (piece, *piece["parts"])}
            assert piece["could_fail"] is None
            assert told == {"not computed on small instances, each of which has a setting of its own"}
        assert all((row["could_fail"] is None) == bool(row["could_fail_unknown"]) for row in rows)

    def test_the_sheet_and_the_row_say_the_same(self, report) -> None:
        told = {row.label: row.could_fail for row in report.claim_rows}
        assert told["claim:B_id-tightened"] is False
        assert told["lem:radius-sum"] is None

    def test_a_bound_of_bidders_is_that_of_their_slacks(self, report) -> None:
        """Deviating bidders have larger L_i: the told bound is theirs where only they were compared."""
        row = next(row for row in report.results if row.label == "prop:deviation-selection")
        part = next(part for part in row.evidence[0].parts if part.against_trivial)
        assert part.against_trivial is not None
        assert part.against_trivial.horizon == 300
        setting = VARIANTS["deviating"].prepare(published("gpqa-strong").setting)
        deviating, plain = (
            max(
                each.selection_cap or 0
                for each in evaluate_bounds(one, horizon=300).providers
                if each.gap_kind == "cost"
            )
            for one in (setting, published("gpqa-strong").setting)
        )
        assert plain < part.against_trivial.bound == deviating


def test_words() -> None:
    assert (
        str(HorizonNeeded(condition="T >= T_id", value=63_740, reached=10)) == "needs T >= T_id = 63,740; here T = 10"
    )
    assert str(AgainstTrivial(horizon=9, bound=228_989.0, trivial=46.0)) == "the bound 228,989 is above the trivial 46"
    assert "is no less than" in str(AgainstTrivial(horizon=9, bound=46.0, trivial=46.0))
