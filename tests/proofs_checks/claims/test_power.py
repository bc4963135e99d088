"""The power of the default instances: a bound that is a tenth smaller is refuted, and a rule that is off by a hair."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
import sympy

from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_check import TraceCheck
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from tests.proofs_checks.claims.allowances import ALLOWED, HAIR, RULES, SLACKS_OF, loose, tightened, used

LONG = pytest.mark.long("plays the default instances")

#: Claims whose inequalities are used up on markets built for them alone, not on the instances.
NOT_PLAYED = ("claim:widening-necessary:repaired", "claim:own-unwidened-wins-stop")

Part = tuple[str, str]
Check = Relation | TraceCheck


class Reached(NamedTuple):
    """The largest share of what an inequality allows that an instance uses, and the number of the instance."""

    share: float
    instance: int


Power = dict[Part, Reached]


def measured_claims() -> dict[str, Claim]:
    """Claims with inequalities; without documented findings, which are refuted as they stand."""
    return {
        label: stated
        for label, stated in all_claims().items()
        if not stated.finding and label not in NOT_PLAYED and any(inequalities(stated))
    }


def inequalities(stated: Claim) -> Iterator[Check]:
    """The checks of a claim that compare something with a bound, rules left out."""
    for check in stated.checks:
        if check.name not in RULES if isinstance(check, Relation) else stated.label in SLACKS_OF:
            yield check


def power_of(cases: list[Case]) -> Power:
    """By claim and inequality, what the instances use; (0, -1) where nothing is compared."""
    return {
        (label, check.name): max(_shares(stated, check, cases), default=Reached(0.0, -1))
        for label, stated in measured_claims().items()
        for check in inequalities(stated)
    }


def _shares(stated: Claim, check: Check, cases: list[Case]) -> Iterator[Reached]:
    share = used(check) if isinstance(check, Relation) else check
    for instance, case in enumerate(cases):
        found = compared(stated, share, case)
        if found is not None and found.ratio is not None:
            yield Reached(found.ratio, instance)


def compared(stated: Claim, check: Check, case: Case) -> Tightness | None:
    """How a check fares on a case under the assumptions of a claim; None if one of them fails there."""
    if any(precondition.found_failure(case) for precondition in stated.preconditions):
        return None
    return check.check(case, stated.regime.overrides) if isinstance(check, Relation) else check(case)


@pytest.fixture(scope="module")
def power(default_cases: list[Case]) -> Power:
    return power_of(default_cases)


def refuted(stated: Claim, relation: Relation, cases: list[Case]) -> bool:
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
            if not refuted(stated, tightened(relation), [default_cases[power[stated.label, relation.name].instance]])
        ]
        assert [part for part in spared if loose(*part) is None] == []
        assert [part for part in power if loose(*part) and part not in spared] == []
        assert [part for part, found in power.items() if found.instance < 0] == [], "nothing was compared"

    @LONG
    def test_what_is_loose_is_refuted_by_less(self, power: Power, default_cases: list[Case]) -> None:
        for part in filter(lambda part: loose(*part), power):
            entry, found = loose(*part), power[part]
            smaller = tightened(relation_of(part), 1 - sympy.Rational(str(entry.caught_at)))
            assert refuted(claim(part[0]), smaller, [default_cases[found.instance]]), part

    def test_the_instances_at_the_boundary_do_it_alone(self, default_cases: list[Case]) -> None:
        """Random instances depend on the seed: no bound must need a lucky one."""
        power = power_of(default_cases[: len(BOUNDARY)])
        few = {part for part, found in power.items() if found.share <= 0.9 and loose(*part) is None}
        assert few == set()

    @LONG
    def test_a_share_used_is_what_refutes(self, power: Power, default_cases: list[Case]) -> None:
        """A bound shrunk to a hair above the share used is spared, to a hair below it refuted."""
        for label in ("thm:regret", "lem:ordinary-payment", "lem:two-sided-payment:sharp", "lem:adjusted-bid-bounds"):
            for stated, relation in relations([label]):
                found = power[label, relation.name]
                above, below = (1 - sympy.Rational(found.share) * (1 + sign * HAIR) for sign in (1, -1))
                assert not refuted(stated, tightened(relation, above), default_cases)
                assert refuted(stated, tightened(relation, below), [default_cases[found.instance]])


@LONG
@pytest.mark.for_each("label", SLACKS_OF)
def test_a_tenth_less_slack_is_refuted_by_the_bids(label: str, power: Power, default_cases: list[Case]) -> None:
    (found,) = (found for part, found in power.items() if part[0] == label)
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
            if isinstance(check, Relation) and check.name not in RULES and (stated.label, check.name) not in power
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
