"""The suite as parametrised tests: ids, strict xfails, what a failing check raises."""

from __future__ import annotations

import pickle
import re

import pytest

from bounds.errors import InputError
from mechanism.platform import concurrent_mechanism, reference_mechanism
from proofs_checks.conformance import suite
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.mutants.tickets import CountsWhenAssigned
from proofs_checks.conformance.parametrize import ConformanceError, MechanismCheck, parametrize_with_checks
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.conformance.suite import ALL_CHECKS
from tests.proofs_checks.conformance import misbehaving

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
        with pytest.raises(InputError, match="factories"):
            parametrize_with_checks(factories)

    def test_what_cannot_be_called(self) -> None:
        with pytest.raises(InputError, match="must be callable"):
            parametrize_with_checks([7])


class TestFailing:
    def error(self, name: str = "Negative") -> ConformanceError:
        [case] = cases([f"{BROKEN}:{name}"], only=["lone-payment"], effort=QUICK)
        factory, check = case.values
        with pytest.raises(ConformanceError) as caught:
            check(factory)
        return caught.value

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

    def test_says_what_would_explain_it_and_the_numbers_that_decide(self) -> None:
        [case] = cases(
            ["proofs_checks.conformance.mutants.pricing:FirstPrice"], only=["critical-payment"], effort=QUICK
        )
        factory, check = case.values
        with pytest.raises(ConformanceError) as caught:
            check(factory)
        text = str(caught.value)
        assert "A guess: it pays the winner its own bid (first price). This explains all " in text
        assert re.search(r"^ +provider +count +radius +quality +eligible +bid +adjusted +P$", text, re.MULTILINE)
        assert "so an auction is due" in " ".join(text.split())
        assert str(pickle.loads(pickle.dumps(caught.value))) == text

    def test_comparing_nothing_is_skipped_as_by_the_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(suite, "select", lambda only, in_flight: {"answers": EMPTY})
        with pytest.raises(pytest.skip.Exception, match="nothing to compare"):
            MechanismCheck(EMPTY)(reference_mechanism)
