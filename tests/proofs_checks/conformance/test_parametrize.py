"""The suite as parametrised tests: ids, strict xfails, what a failing check raises."""

import pickle
import re

import pytest

from mechanism.platform import concurrent_mechanism, reference_mechanism
from proofs_checks import conformance
from proofs_checks.conformance import descriptions, parametrize, suite
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.tickets import CountsWhenAssigned
from proofs_checks.conformance.parametrize import ConformanceError, MechanismCheck, parametrize_with_checks
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.conformance.suite import ALL_CHECKS
from tests.proofs_checks.conformance import misbehaving
from tests.refusals import assert_refused

BROKEN = misbehaving.__name__
#: Compares nothing.
EMPTY = Check(
    **{"name": "answers", "claim": "alg:platform", "group": "contract", "says": "nothing"},
    run=lambda subject, seed, effort: CheckOutcome(examples=3),
)
CHOSEN = ["initialization-payment", "lone-payment"]


@parametrize_with_checks([reference_mechanism, f"{BROKEN}:Honest"], only=CHOSEN, effort=QUICK)
def test_right_ones_pass(factory, check) -> None:
    check(factory)


@parametrize_with_checks(
    [misbehaving.Negative],
    only=["initialization-order", "lone-payment"],
    effort=QUICK,
    expected_failures={"lone-payment": "we charge providers"},
)
def test_expected_failures_fail(factory, check) -> None:
    check(factory)


def cases(*arguments: object, **options: object) -> list:
    return list(parametrize_with_checks(*arguments, **options).args[1])


def ids(*arguments: object, **options: object) -> list[str]:
    return [case.id for case in cases(*arguments, **options)]


@parametrize_with_checks(
    [concurrent_mechanism], only=["overtaking-feedback", "critical-payment"], effort=QUICK, in_flight="2"
)
def test_queries_in_flight(factory, check) -> None:
    check(factory)
    with pytest.raises(ConformanceError, match=check.check.name):
        check(CountsWhenAssigned)


class TestIds:
    def test_every_check_of_every_mechanism(self) -> None:
        found = ids([reference_mechanism, misbehaving.NaN])
        assert found == [f"{name}-{check}" for name in ("reference_mechanism", "NaN") for check in ALL_CHECKS]

    def test_targets_are_called_by_their_object(self) -> None:
        assert ids([f"{BROKEN}:Nested.factory"], only=["answers"]) == ["Nested.factory-answers"]

    def test_equal_names_are_until_distinct(self) -> None:
        found = ids([f"{BROKEN}:reference_mechanism", "mechanism.platform:reference_mechanism"], only=["answers"])
        assert found == [f"{BROKEN}:reference_mechanism-answers", "mechanism.platform:reference_mechanism-answers"]


class TestExpectedFailures:
    def marks(self, case) -> list[tuple]:
        return [(mark.name, mark.kwargs) for mark in case.marks]

    def test_are_strict_and_only_for_failed_checks(self) -> None:
        plain, marked = cases([reference_mechanism], only=CHOSEN, expected_failures={"lone-payment": "why"})
        assert self.marks(plain) == []
        kwargs = {"reason": "why", "strict": True, "raises": ConformanceError}
        assert self.marks(marked) == [("xfail", kwargs)]

    def test_may_depend_on_the_mechanism(self) -> None:
        found = cases(
            [reference_mechanism, misbehaving.Negative],
            only=["lone-payment"],
            expected_failures=lambda factory: {"lone-payment": "why"} if factory is misbehaving.Negative else {},
        )
        assert [len(case.marks) for case in found] == [0, 1]


class TestRefuses:
    @pytest.mark.parametrize("factories", [[], f"{BROKEN}:Honest", reference_mechanism, ()])
    def test_what_is_no_list(self, factories: object) -> None:
        assert_refused("factories", parametrize_with_checks, factories)

    def test_what_cannot_be_called(self) -> None:
        assert_refused("must be callable", parametrize_with_checks, [7])


class TestFailing:
    def error(self, target: str = f"{BROKEN}:Negative", check: str = "lone-payment") -> ConformanceError:
        [case] = cases([target], only=[check], effort=QUICK)
        factory, checked = case.values
        with pytest.raises(ConformanceError) as caught:
            checked(factory)
        return caught.value

    @pytest.mark.long("explains a failure")
    def test_says_what_is_wrong_and_how_to_see_it(self) -> None:
        text = str(self.error())
        assert text.startswith("lone-payment (eq:critical-payment): step ")
        assert "confirmed in exact fractions" in text
        assert f"from {BROKEN} import Negative as factory" in text

    def test_is_an_assertion_error_that_survives_pickling(self) -> None:
        error = self.error()
        assert isinstance(error, AssertionError)
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.result) == (str(error), error.result)

    @pytest.mark.long("explains a failure")
    def test_says_what_would_explain_it_and_the_numbers_that_decide(self) -> None:
        error = self.error("proofs_checks.conformance.mutants.pricing:FirstPrice", "critical-payment")
        text = str(error)
        assert "A guess: it pays the provider's own bid in auctions. This explains all " in text
        assert re.search(r"^ +provider +count +radius +quality +eligible +bid +adjusted +P$", text, re.MULTILINE)
        assert "so an auction is due" in " ".join(text.split())
        assert str(pickle.loads(pickle.dumps(error))) == text

    def test_comparing_nothing_is_skipped_as_by_the_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(suite, "select", lambda only, **options: {"answers": EMPTY})
        with pytest.raises(pytest.skip.Exception, match="nothing to compare"):
            MechanismCheck(EMPTY)(reference_mechanism)
        with pytest.raises(ConformanceError, match="nothing to compare"):
            MechanismCheck(EMPTY, {"strict": True})(reference_mechanism)

    def test_a_profile_has_its_own_checks(self) -> None:
        mark = parametrize_with_checks(
            [misbehaving.Honest], profile="router", exclude=["contract", "economic"], strict=True
        )
        names = [case.values[1].check.name for case in mark.args[1]]
        assert names == ["initialization-order", "continued-exploration", "best-provider", "quality-threshold"]
        assert {case.values[1].options["profile"] for case in mark.args[1]} == {"router"}


def test_it_has_what_the_documentation_imports() -> None:
    assert conformance.DEFAULT is descriptions.DEFAULT
    assert conformance.QUICK is descriptions.QUICK
    assert conformance.check_mechanism is suite.check_mechanism
    assert conformance.parametrize_with_checks is parametrize.parametrize_with_checks
    assert set(conformance.__all__) <= set(dir(conformance))


@pytest.mark.parametrize("effort", ["quick", None, 8])
def test_an_effort_that_is_none_says_what_to_write(effort: object) -> None:
    for refuse in (
        lambda: suite.check_mechanism(reference_mechanism, effort=effort),
        lambda: parametrize.parametrize_with_checks([reference_mechanism], effort=effort),
    ):
        assert_refused("write effort=QUICK, after: from", refuse)


def test_a_group_may_be_given_by_itself() -> None:
    assert suite.select("contract") == suite.select(["contract"])
    report = suite.check_mechanism(reference_mechanism, only="initialization-payment", effort=descriptions.QUICK)
    assert [result.name for result in report.checks] == ["initialization-payment"]


@pytest.mark.for_each(
    ("options", "message"),
    [
        ({"only": ["nope"]}, "only='nope' is not a check of the suite: costproof check --list names them"),
        ({"only": ["lone-paymnet"]}, "did you mean lone-payment"),
        ({"seed": -1}, "seed=-1 must be a whole number from 0"),
        ({"seed": 1.5}, "seed=1.5 must be a whole number from 0"),
        ({"expected_failures": {"answers": " "}}, r"expected_failures\['answers'\]=' ' gives no reason"),
        ({"only": "rules", "expected_failures": {"answers": "no"}}, "is not among the selected checks"),
    ],
)
def test_input_that_makes_no_sense_is_refused(options: dict[str, object], message: str) -> None:
    assert_refused(message, suite.check_mechanism, reference_mechanism, **options)


class InThousandths:
    """The reference mechanism in units of c_max / 1000, rounded down."""

    def __init__(self, config, rng) -> None:
        self._exact, self._unit = reference_mechanism(config, rng), config.cost_bound / 1000

    def assign(self) -> tuple[int, float]:
        provider, payment = self._exact.assign()
        return provider, round(payment // self._unit * self._unit, 6)

    def settle(self, score: float, bid: float) -> None:
        self._exact.settle(score, bid)


@pytest.mark.long("searches a counterexample in thousandths")
def test_a_payment_that_looks_rounded_is_said_to_be() -> None:
    rounded = suite.check_mechanism(InThousandths, only="critical-payment", effort=descriptions.QUICK).checks[0]
    assert "decimals? costproof docs check describes how" in rounded.message
    dear = suite.check_mechanism(MUTANTS["OnePercentHigh"].factory, only="critical-payment", effort=descriptions.QUICK)
    assert "decimals" not in dear.checks[0].message


def test_the_list_that_is_read_without_the_checks_names_them_all() -> None:
    both = [(profile, late) for profile in descriptions.PROFILES for late in (False, True)]
    named = {name for profile, late in both for name in descriptions.described(profile, in_flight=late)}
    assert named == descriptions.DESCRIPTIONS.keys()
    for profile, late in both:
        assert list(suite.select((), profile=profile, in_flight=late)) == [
            *descriptions.described(profile, in_flight=late)
        ]
