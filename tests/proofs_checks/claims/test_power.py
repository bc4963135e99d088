"""The power of the default instances: a bound that is a tenth smaller is refuted, and a rule that is off by a hair."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy

from bounds.formulas.radius import EXACT_SELECTION_BOUND, SELECTION_BOUND
from bounds.formulas.regret import GENERATION_REGRET_ANYTIME, RADIUS_SUM_BOUND
from bounds.language.quantities import C_MAX, GAMMA, N
from bounds.language.trees import names_in, tree_of
from proofs_checks.claims.allowances import ALLOWED, HAIR, LOOSE, RULES, SLACKS_OF, loose, tightened
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import GENERATION_REGRET_SO_FAR, QUALITY_REGRET_SO_FAR
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from proofs_checks.verify import power_page
from proofs_checks.verify.power import NOT_PLAYED, Part, Power, compared, inequalities, measured_claims, power_of

#: Of this checkout, wherever the package is installed.
PAGE = Path(__file__).parents[3] / "docs" / "power.md"
#: Terms of sums that no instance needs, with the reason in docs/power.md.
NEVER_NEEDED = {("cor:excess-payment-polynomial", "start"), ("thm:regret", "start")}


@pytest.fixture(scope="module")
def power(default_cases: list[Case]) -> Power:
    return power_of(default_cases)


def refuted(stated: Claim, relation: Relation, cases: list[Case]) -> bool:
    """Whether some case refutes a relation under the assumptions of a claim."""
    found = (compared(stated, relation, case) for case in cases)
    return any(tightness is not None and tightness.violations for tightness in found)


def relation_of(part: Part) -> Relation:
    return next(r for r in inequalities(claim(part[0])) if isinstance(r, Relation) and r.name == part[1])


def relations(labels: list[str] | None = None) -> list[tuple[Claim, Relation]]:
    claims = measured_claims().values() if labels is None else map(claim, labels)
    return [(stated, check) for stated in claims for check in inequalities(stated) if isinstance(check, Relation)]


class TestATenthSmaller:
    def test_every_bound_is_refuted(self, power: Power, default_cases: list[Case]) -> None:
        """But for those in `LOOSE`. The instance that uses most of the bound is the one to refute it."""
        spared = [
            (stated.label, relation.name)
            for stated, relation in relations()
            if not refuted(
                stated, tightened(relation), [default_cases[power.everywhere[stated.label, relation.name].instance]]
            )
        ]
        assert [part for part in spared if loose(*part) is None] == []
        assert [part for part in power.everywhere if loose(*part) and part not in spared] == []

    def test_what_is_loose_is_refuted_by_less(self, power: Power, default_cases: list[Case]) -> None:
        for part in filter(lambda part: loose(*part), power.everywhere):
            entry, found = loose(*part), power.everywhere[part]
            assert entry is not None
            smaller = tightened(relation_of(part), 1 - sympy.Rational(str(entry.caught_at)))
            assert refuted(claim(part[0]), smaller, [default_cases[found.instance]]), part

    def test_what_is_loose_is_refuted_on_no_instance(self, default_cases: list[Case]) -> None:
        for part in [("lem:unqualified-elimination", LOOSE[1].parts[0]), ("lem:two-sided-payment", LOOSE[2].parts[0])]:
            assert not refuted(claim(part[0]), tightened(relation_of(part)), default_cases)

    def test_random_instances_alone_spare_many(self, power: Power, default_cases: list[Case]) -> None:
        """The test above can fail: without the instances at the boundary it would, for the headline theorems."""
        random = default_cases[len(BOUNDARY) :]
        for label in ("thm:regret", "cor:excess-payment-polynomial", "thm:deviation-payment-convergence"):
            for stated, relation in relations([label]):
                assert not refuted(stated, tightened(relation), random)
                assert power.random[label, relation.name].share < 0.6
        assert sum(found.share <= 0.9 for found in power.random.values()) > 40

    def test_the_headlines_use_nine_tenths(self, power: Power) -> None:
        for label in ("thm:regret", "cor:excess-payment-polynomial", "thm:deviation-payment-convergence"):
            assert min(found.share for part, found in power.everywhere.items() if part[0] == label) > 0.9

    def test_the_instances_at_the_boundary_do_it_alone(self, default_cases: list[Case]) -> None:
        """Random instances depend on the seed: no bound must need a lucky one."""
        power = power_of(default_cases[: len(BOUNDARY)])
        few = {part for part, found in power.everywhere.items() if found.share <= 0.9 and loose(*part) is None}
        assert few == set()

    def test_a_share_used_is_what_refutes(self, power: Power, default_cases: list[Case]) -> None:
        """A bound shrunk to a hair above the share used is spared, to a hair below it refuted."""
        for label in ("thm:regret", "lem:ordinary-payment", "lem:two-sided-payment:sharp", "lem:adjusted-bid-bounds"):
            for stated, relation in relations([label]):
                found = power.everywhere[label, relation.name]
                above, below = (1 - sympy.Rational(found.share) * (1 + sign * HAIR) for sign in (1, -1))
                assert not refuted(stated, tightened(relation, above), default_cases)
                assert refuted(stated, tightened(relation, below), [default_cases[found.instance]])


@pytest.mark.parametrize("label", SLACKS_OF)
def test_a_tenth_less_slack_is_refuted_by_the_bids(label: str, power: Power, default_cases: list[Case]) -> None:
    (found,) = (found for part, found in power.everywhere.items() if part[0] == label)
    case = default_cases[found.instance]
    slacks = {name: 0.9 * getattr(case.setting.platform, name) for name in SLACKS_OF[label]}
    platform = dataclasses.replace(case.setting.platform, **slacks)
    narrower = Case(dataclasses.replace(case.setting, platform=platform), case.trace, case.origin)
    assert claim(label).check(case).verdict is Verdict.NOT_REFUTED
    assert claim(label).check(narrower).verdict is Verdict.REFUTED


def test_truthful_bids_off_by_a_millionth_are_refuted(default_cases: list[Case]) -> None:
    case = next(c for c in default_cases if claim("eq:truthful-strategy").check(c).verdict is Verdict.NOT_REFUTED)
    trace = dataclasses.replace(case.trace, bid=case.trace.bid * (1 + 1e-6))
    assert claim("eq:truthful-strategy").check(Case(case.setting, trace, case.origin)).verdict is Verdict.REFUTED


def test_every_rule_off_by_a_hair_is_refuted(default_cases: list[Case]) -> None:
    rules = [
        (stated, check)
        for stated in all_claims().values()
        for check in stated.checks
        if isinstance(check, Relation) and check.name in RULES
    ]
    assert {relation.name for _, relation in rules} == RULES.keys()
    for stated, relation in rules:
        assert refuted(stated, tightened(relation, HAIR), default_cases), (stated.label, relation.name)


class TestNothingIsLeftOut:
    def test_every_relation_is_measured_or_a_rule_or_a_finding(self, power: Power) -> None:
        left_out = {
            stated.label
            for stated in all_claims().values()
            for check in stated.checks
            if isinstance(check, Relation)
            and check.name not in RULES
            and (stated.label, check.name) not in power.everywhere
        }
        assert {label for label in left_out if not claim(label).finding} == set(NOT_PLAYED)

    def test_every_part_was_compared(self, power: Power) -> None:
        assert [part for part, found in power.everywhere.items() if found.instance < 0] == []

    def test_what_is_said_of_relations_names_relations(self) -> None:
        names = {check.name for stated in all_claims().values() for check in stated.checks}
        assert ALLOWED.keys() <= names
        assert {part for entry in LOOSE for part in entry.parts} <= names
        assert {label for entry in LOOSE for label in entry.labels} <= all_claims().keys()

    def test_what_stands_on_something_allows_its_distance_from_there(self) -> None:
        """A bound of a payment, a bid, a mean or an estimate is one of `ALLOWED`, or stands on nothing."""
        levels = {"payment", "adjusted_bid", "standing_bid", "mean_cost", "quality_estimate"}
        named = {
            relation.name
            for _, relation in relations()
            if {name for side in (relation.left, relation.right) for name in names_in(tree_of(side))} & levels
        }
        assert named - ALLOWED.keys() == {
            "who wins bids at most P",
            "who loses bids at least P",
            "no query is served below the running mean cost",
            "a payment is at most c_max",
            "the winner's cost gap is at most two radii",
        }


class TestTerms:
    def test_all_are_needed_but_the_start_of_the_averages(self, power: Power) -> None:
        assert {part for part, found in power.terms.items() if found.share <= 0} == NEVER_NEEDED
        assert all(found.share > 0.1 for part, found in power.terms.items() if part not in NEVER_NEEDED)

    def test_the_shares_of_thm_regret_add_up(self, power: Power, default_cases: list[Case]) -> None:
        """The slack of the whole bound is the slack of each term: by hand for the instance that explores for ever."""
        found = power.terms["thm:regret", "exploration"]
        case = default_cases[found.instance]
        horizon = len(case.trace)
        second = case.setting.providers[1].mean_cost
        exploration = (horizon / 2) ** (case.setting.platform.exploration_exponent - 1) * (1 - second)
        radius = mpmath.sqrt(mpmath.log(4 * mpmath.pi**2 / (3 * 0.99) * (horizon / 2) ** 2) / horizon)
        slack = 2 / horizon + exploration + 6 * radius - (1 - second)
        assert found.share == pytest.approx(float(1 - slack / exploration), rel=1e-6)

    def test_one_sum_of_radii_is_enough_for_the_regrets(self, default_cases: list[Case]) -> None:
        """Sharper than 2 S_T; proved in docs/power.md. With half of it the instances refute it."""
        scale = (1 + GAMMA) * C_MAX
        quality = Relation(QUALITY_REGRET_SO_FAR, N + RADIUS_SUM_BOUND, horizons, "quality, one sum")
        generation = Relation(
            GENERATION_REGRET_SO_FAR, GENERATION_REGRET_ANYTIME - scale * RADIUS_SUM_BOUND, horizons, "cost, one sum"
        )
        for label, relation in (("thm:quality-guarantee", quality), ("thm:generation-regret", generation)):
            assert not refuted(claim(label), relation, default_cases)
        half = GENERATION_REGRET_ANYTIME - Fraction(3, 2) * scale * RADIUS_SUM_BOUND
        less = Relation(GENERATION_REGRET_SO_FAR, half, horizons, "cost, half a sum")
        assert refuted(claim("thm:generation-regret"), less, default_cases)


class TestNineTenthsOfMAreABound:
    """m*(x) < .862 M(x): the argument of docs/power.md, with its numbers, and the whole numbers beside it."""

    def test_the_share_at_114_and_its_fall(self) -> None:
        with mpmath.workdps(30):
            kappa = 32 * mpmath.pi**2 / 171
            # s - ln s grows for s > 1, so a value beyond ln(kappa y)/2 shows that s is smaller.
            s = mpmath.mpf("0.8618") * mpmath.log(114)
            assert s - mpmath.log(s) > mpmath.log(kappa * 114) / 2
            # s/ln y falls where ln y < 2 (s - 1), that is ln s > 1 - ln(kappa)/2.
            assert mpmath.mpf("2.0002") > mpmath.e / mpmath.sqrt(kappa)
            assert 0.8616 * mpmath.log(114) > 2.0002

    @pytest.mark.for_each(("n", "largest"), [(2, 17 / 20), (3, 20 / 24), (4, 0.8334), (9, 0.8334)])
    def test_whole_numbers(self, n: int, largest: float) -> None:
        shares = [
            EXACT_SELECTION_BOUND.value({}, n_providers=n, confidence=delta, gap=gap)
            / SELECTION_BOUND.value({}, n_providers=n, confidence=delta, gap=gap)
            for delta in (0.05, 0.5, 0.88, 0.9, 0.999)
            for gap in (0.1, 0.3, 0.6, 0.9, 0.954, 0.97, 0.985, 0.99, 1.0)
        ]
        assert max(shares) <= largest + 1e-12
        if n < 4:
            assert max(shares) == pytest.approx(largest)


class TestPage:
    def test_the_page_is_up_to_date(self, power: Power) -> None:
        """Else run `python -m proofs_checks.verify.power_page`."""
        assert PAGE.read_text(encoding="utf-8") == power_page.page(power) + "\n"

    def test_it_is_written_of_the_default_instances(
        self, power: Power, default_cases: list[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        measured: list[int] = []
        monkeypatch.setattr(power_page, "PAGE", tmp_path / "power.md")
        monkeypatch.setattr(power_page, "instance_case", lambda seed, number: (seed, default_cases[number]))
        monkeypatch.setattr(power_page, "power_of", lambda cases: measured.extend(seed for seed, _ in cases) or power)
        power_page.main()
        assert measured == [0] * len(default_cases)
        assert (tmp_path / "power.md").read_text(encoding="utf-8") == power_page.page(power) + "\n"

    def test_it_tells_every_claim_every_instance_and_every_reason(self, power: Power) -> None:
        text = power_page.page(power)
        assert all(f"| `{label}` |" in text for label, _ in power.everywhere)
        assert all(name in text for name in BOUNDARY)
        assert all(entry.why in text for entry in LOOSE)

    def test_a_bound_that_nobody_uses_shows(self, power: Power) -> None:
        part = next(iter(power.everywhere))
        unused = dataclasses.replace(power.everywhere[part], share=0.25)
        other = dataclasses.replace(power, everywhere={**power.everywhere, part: unused})
        assert "0.250" in power_page.page(other)
