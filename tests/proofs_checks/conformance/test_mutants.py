"""The gallery: each mutant is caught by every check that it names, and no correct mechanism is accused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance.descriptions import QUICK, SuiteEffort
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.played import played_by
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.play.subject import Factory
from proofs_checks.conformance.report.report import NOT_OFFERED, CheckResult
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from tests.pseudo_code import refused

pytestmark = pytest.mark.usefixtures("little_shrinking")
#: What no mutant needs alone: the only search whose settlements depend on the answers before them.
NEEDED_BY_NONE = "whole-interactions"


def one_a_check() -> set[str]:
    """Return mutants of which each is caught by a check that catches none before it."""
    checks: set[str] = set()
    names: set[str] = set()
    for name, mutant in MUTANTS.items():
        if not checks.issuperset(mutant.caught_by):
            names.add(name)
            checks.update(mutant.caught_by)
    return names


FIRST = one_a_check()


def offered(result: CheckResult) -> bool:
    return not result.message.startswith(NOT_OFFERED)


def accused(name: str, **options: Any) -> dict[str, str]:
    """What the suite says against a correct mechanism."""
    report = check_mechanism(CORRECT[name], name=name, effort=SuiteEffort(examples=4, draws=3_000), **options)
    return {result.name: result.message for result in report.checks if result.status != "passed" and offered(result)}


class TestGallery:
    def test_is_large_and_knows_its_checks(self) -> None:
        assert len(MUTANTS) >= 40
        assert len(CORRECT) >= 8
        for mutant in MUTANTS.values():
            assert mutant.factory.__doc__.endswith(".")
            assert set(mutant.caught_by) <= ALL_CHECKS.keys()
            assert mutant.caught_by
        assert len({mutant.factory.__doc__ for mutant in MUTANTS.values()}) == len(MUTANTS)

    def test_every_check_but_one_is_named_by_a_mutant(self) -> None:
        named = {name for mutant in MUTANTS.values() for name in mutant.caught_by}
        assert named | {NEEDED_BY_NONE} == ALL_CHECKS.keys()

    def test_every_rule_of_the_plain_mechanism_is_broken_by_some_mutant(self) -> None:
        rules = {name for name, rule in vars(Plain).items() if callable(rule) and not name.startswith("__")}
        classes = {made for mutant in MUTANTS.values() for made in type.mro(mutant.factory)} - {Plain}
        assert rules - {name for made in classes for name in vars(made)} == {"_adjusted_bids", "_goal_at"}


class TestAnswers:
    """What the gallery answers, by the paper written anew."""

    @staticmethod
    def refused(factory: Any) -> list[int]:
        config = MechanismConfig(3, 0.8, 0.5, 2.0, 0.7, 0.75, 0.5)
        queries = tuple((Query(score, 0.5, 0.3 + 0.4 * i), Query(1.0, 0.5)) for i, score in enumerate([1.0, 0.3, 0.0]))
        scenario = Scenario(config, 5, queries, 60)
        return list(refused(config, played_by(factory(config, np.random.default_rng(1)), scenario).trace))

    WRONG = ("OnePercentLow", "CountsOneMore", "WithoutOptimism", "NeverExplores", "LowestBidWins")

    @pytest.mark.for_each("name", [*CORRECT, *WRONG])
    def test_correct_mechanisms_alone_answer_as_the_paper_says(self, name: str) -> None:
        factory = CORRECT[name] if name in CORRECT else MUTANTS[name].factory
        assert (self.refused(factory) == []) is (name in CORRECT)


class TestKills:
    @pytest.mark.parametrize("mutant", sorted(FIRST))
    def test_named_checks_catch(self, mutant: str) -> None:
        """One mutant a check; `test_mended` has all of them, with the scripts of their failures."""
        made = MUTANTS[mutant]
        report = check_mechanism(made.factory, only=made.caught_by, effort=QUICK, time_limit=1.0, explain=False)
        assert {result.name: result.status for result in report.checks} == dict.fromkeys(made.caught_by, "failed")

    def test_a_correct_mechanism_is_not_accused(self) -> None:
        assert accused("RandomOfTies", only=["index-minimizer", "critical-payment"]) == {}

    @pytest.mark.long("all checks of many mechanisms")
    @pytest.mark.parametrize("name", CORRECT)
    def test_correct_mechanisms_are_not_accused(self, name: str) -> None:
        assert accused(name) == {}


class SecondPrice:
    """Learns nothing: the least standing bid wins and is paid the second least."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self._n, self._bound = config.n_providers, config.cost_bound
        self._bids: dict[int, float] = {}
        self._served = -1

    def assign(self) -> tuple[int, float]:
        if len(self._bids) < self._n:
            self._served = len(self._bids)
            return self._served, self._bound
        self._served, second = sorted(self._bids, key=lambda i: (self._bids[i], i))[:2]
        return self._served, self._bids[second]

    def settle(self, score: float, bid: float) -> None:
        self._bids[self._served] = bid


def twice_the_radius(config: MechanismConfig, rng: np.random.Generator) -> object:
    """The paper's mechanism, but 2 (1 + gamma) c_max beta in index and critical payment: (1 + gamma') with gamma'."""
    return reference_mechanism(replace(config, belief_slack=1.0 + 2.0 * config.belief_slack), rng)


@pytest.mark.long("a suite for each")
@pytest.mark.for_each("factory", [SecondPrice, twice_the_radius])
def test_rules_of_their_own_pass_contract_and_economic_checks(factory: Factory) -> None:
    report = check_mechanism(factory, only=["contract", "economic"], effort=QUICK)
    assert [(each.name, each.message) for each in report.checks if each.status != "passed" and offered(each)] == []
    assert report.conforms


@pytest.mark.parametrize(
    ("factory", "check"),
    [
        (twice_the_radius, "widened-radius"),
        pytest.param(SecondPrice, "index-minimizer", marks=pytest.mark.long("a check for each")),
    ],
)
def test_they_break_the_papers_rules(factory: Factory, check: str) -> None:
    assert check_mechanism(factory, only=[check], effort=QUICK).failed == 1
