"""The power of the default instances: a bound that is a tenth smaller is refuted, and a rule that is off by a hair."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy

from bounds.formulas.regret import GENERATION_REGRET_ANYTIME, RADIUS_SUM_BOUND
from bounds.language.quantities import C_MAX, GAMMA, N
from proofs_checks.claims.allowances import ALLOWED, HAIR, RULES, SLACKS_OF, loose, tightened
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

LONG = pytest.mark.long("plays the default instances")

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
    @LONG
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
        assert [part for part, found in power.everywhere.items() if found.instance < 0] == [], "nothing was compared"

    @LONG
    def test_what_is_loose_is_refuted_by_less(self, power: Power, default_cases: list[Case]) -> None:
        for part in filter(lambda part: loose(*part), power.everywhere):
            entry, found = loose(*part), power.everywhere[part]
            smaller = tightened(relation_of(part), 1 - sympy.Rational(str(entry.caught_at)))
            assert refuted(claim(part[0]), smaller, [default_cases[found.instance]]), part

    def test_the_instances_at_the_boundary_do_it_alone(self, default_cases: list[Case]) -> None:
        """Random instances depend on the seed: no bound must need a lucky one."""
        power = power_of(default_cases[: len(BOUNDARY)])
        few = {part for part, found in power.everywhere.items() if found.share <= 0.9 and loose(*part) is None}
        assert few == set()

    @LONG
    def test_a_share_used_is_what_refutes(self, power: Power, default_cases: list[Case]) -> None:
        """A bound shrunk to a hair above the share used is spared, to a hair below it refuted."""
        for label in ("thm:regret", "lem:ordinary-payment", "lem:two-sided-payment:sharp", "lem:adjusted-bid-bounds"):
            for stated, relation in relations([label]):
                found = power.everywhere[label, relation.name]
                above, below = (1 - sympy.Rational(found.share) * (1 + sign * HAIR) for sign in (1, -1))
                assert not refuted(stated, tightened(relation, above), default_cases)
                assert refuted(stated, tightened(relation, below), [default_cases[found.instance]])


@LONG
@pytest.mark.for_each("label", SLACKS_OF)
def test_a_tenth_less_slack_is_refuted_by_the_bids(label: str, power: Power, default_cases: list[Case]) -> None:
    (found,) = (found for part, found in power.everywhere.items() if part[0] == label)
    case = default_cases[found.instance]
    slacks = {name: 0.9 * getattr(case.setting.platform, name) for name in SLACKS_OF[label]}
    platform = replace(case.setting.platform, **slacks)
    narrower = Case(replace(case.setting, platform=platform), case.trace, case.origin)
    assert claim(label).check(case).verdict is Verdict.NOT_REFUTED
    assert claim(label).check(narrower).verdict is Verdict.REFUTED


@LONG
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


@LONG
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

    def test_what_stands_on_something_allows_its_distance_from_there(self) -> None:
        """A bound of a payment, a bid, a mean or an estimate is one of `ALLOWED`, or stands on nothing."""
        levels = {"payment", "adjusted_bid", "standing_bid", "mean_cost", "quality_estimate"}
        named = {
            relation.name
            for _, relation in relations()
            if {symbol.name for side in (relation.left, relation.right) for symbol in side.free_symbols} & levels
        }
        assert named - ALLOWED.keys() == {
            "who wins bids at most P",
            "who loses bids at least P",
            "no query is served below the running mean cost",
            "a payment is at most c_max",
            "the winner's cost gap is at most two radii",
        }


@LONG
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


@LONG
def test_one_sum_of_radii_is_enough_for_the_regrets(default_cases: list[Case]) -> None:
    """Sharper than 2 S_T; proved in docs/power.md. With half of it the instances refute it."""
    radii = (1 + GAMMA) * C_MAX * RADIUS_SUM_BOUND
    quality = Relation(QUALITY_REGRET_SO_FAR, N + RADIUS_SUM_BOUND, horizons, "quality, one sum")
    cost = Relation(GENERATION_REGRET_SO_FAR, GENERATION_REGRET_ANYTIME - radii, horizons, "cost, one sum")
    assert not refuted(claim("thm:quality-guarantee"), quality, default_cases)
    assert not refuted(claim("thm:generation-regret"), cost, default_cases)
    less = replace(cost, right=GENERATION_REGRET_ANYTIME - Fraction(3, 2) * radii, name="cost, half a sum")
    assert refuted(claim("thm:generation-regret"), less, default_cases)


@LONG
def test_the_page_is_up_to_date(power: Power) -> None:
    """Else run `python -m proofs_checks.verify.power_page`."""
    assert PAGE.read_text(encoding="utf-8") == power_page.page(power) + "\n"
