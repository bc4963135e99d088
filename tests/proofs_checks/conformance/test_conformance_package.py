"""What users import from `proofs_checks.conformance`, and what that costs."""

from __future__ import annotations

import pytest

from bounds.errors import InputError
from mechanism.platform import reference_mechanism
from proofs_checks import conformance
from proofs_checks.conformance import descriptions, parametrize, suite
from proofs_checks.conformance.mutants.gallery import MUTANTS


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
        with pytest.raises(InputError, match="write effort=QUICK, after: from"):
            refuse()


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
    with pytest.raises(InputError, match=message):
        suite.check_mechanism(reference_mechanism, **options)


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
    assert list(suite.ALL_CHECKS) == list(descriptions.ALL_DESCRIPTIONS)
    assert list(suite.IN_FLIGHT_CHECKS) == list(descriptions.IN_FLIGHT_DESCRIPTIONS)
