"""The suite as tests of pytest: one test for every mechanism and check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.descriptions import DEFAULT, Profile, SuiteEffort
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.domain import Domain, domain_of
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory
from proofs_checks.conformance.report.deciding_table import deciding_text
from proofs_checks.conformance.report.report import CheckResult
from proofs_checks.conformance.suite import (
    check_mechanism,
    law_in_flight,
    refuse_strange_expectations,
    refuse_strange_options,
    select,
)

if TYPE_CHECKING:
    import pytest

    from proofs_checks.diagnosis.together import MechanismDiagnosis

Expected = Mapping[str, str]


class ConformanceError(AssertionError):
    """A check of the suite found a failure: `result` says which; `diagnosis` what explains it, if anything does."""

    def __init__(self, result: CheckResult, diagnosis: MechanismDiagnosis | None = None) -> None:
        failure = result.failure
        numbers = "" if failure is None or failure.misbehaviour else deciding_text(failure)
        parts = [
            f"{result.name} ({result.claim}): {result.message}",
            f"  says: {result.says}",
            "" if failure is None else failure.exact,
            "" if diagnosis is None or result.group == "contract" else f"  {diagnosis.told}",
            numbers,
        ]
        script = f"\n{result.script}" if result.script else ""
        super().__init__("\n".join(part for part in parts if part) + script)
        self.result, self.diagnosis = result, diagnosis

    def __reduce__(self) -> tuple[type[ConformanceError], tuple[CheckResult, MechanismDiagnosis | None]]:
        return type(self), (self.result, self.diagnosis)


@dataclass(frozen=True)
class MechanismCheck:
    """A check of the suite that raises if a mechanism fails it.

    Parameters
    ----------
    check : Check
    options : mapping, optional
        Those of `check_mechanism`, as ``name``, ``effort`` and ``domain``.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> check = MechanismCheck(select(["initialization-payment"])["initialization-payment"])
    >>> check(reference_mechanism)
    """

    check: Check
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, factory: Factory) -> None:
        """Check a mechanism.

        Raises
        ------
        ConformanceError
            It fails. If nothing could be compared, the test of pytest is skipped, unless `strict` is among the options.
        """
        import pytest

        __tracebackhide__ = True
        try:
            assert_passes(factory, self.check.name, **self.options)
        except ConformanceError as error:
            if error.result.status == "skipped" and not self.options.get("strict"):
                pytest.skip(error.result.message)
            raise


def parametrize_with_checks(
    factories: Sequence[Factory | str],
    *,
    only: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    profile: Profile = "auction",
    strict: bool = False,
    expected_failures: Expected | Callable[[Factory], Expected] | None = None,
    seed: int = 0,
    effort: SuiteEffort = DEFAULT,
    time_limit: float = TIME_LIMIT,
    domain: Domain | str | Iterable[str] = (),
    in_flight: str | None = None,
) -> pytest.MarkDecorator:
    """Return a decorator that turns a test of (factory, check) into one test for every mechanism and check.

    Parameters
    ----------
    factories : sequence of callable or str
        Functions of (config, rng), or ``MODULE:OBJECT``.
    only, exclude, profile : optional
        Which checks, as of `check_mechanism`.
    strict : bool, optional
        Whether a check that is skipped fails its test; by default it skips it.
    expected_failures : mapping or callable, optional
        From the name of a check to the reason why it fails, or from a factory to such a mapping. Those tests become
        strict xfails: one that passes is a failure.
    seed, effort, time_limit, domain, in_flight : optional
        As of `check_mechanism`.

    Raises
    ------
    InputError
        No factories, one that cannot be found or called, or what `check_mechanism` refuses.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> @parametrize_with_checks([reference_mechanism], only=["contract"])
    ... def test_router(factory, check):
    ...     check(factory)
    >>> [case.id for case in test_router.pytestmark[0].args[1]][0]
    'reference_mechanism-answers'
    """
    import pytest

    if isinstance(factories, str) or callable(factories) or not factories:
        raise InputError("factories", factories, "must be a list with a mechanism in it", "write [make_router]")
    refuse_strange_options(seed, effort, time_limit)
    late = law_in_flight(in_flight) is not None
    checks, within = select(only, exclude=exclude, profile=profile, in_flight=late), domain_of(domain)
    options = {
        "profile": profile,
        "strict": strict,
        "seed": seed,
        "effort": effort,
        "time_limit": time_limit,
        "domain": within,
        "in_flight": in_flight,
    }
    shorts = Counter(_short(factory) for factory in factories)
    cases = []
    for given in factories:
        factory = load_factory(given) if isinstance(given, str) else _callable(given)
        expected = expected_failures(factory) if callable(expected_failures) else expected_failures or {}
        refuse_strange_expectations(expected, checks)
        name = given if isinstance(given, str) else None
        label = name if name is not None and shorts[_short(given)] > 1 else _short(given)
        for check in checks.values():
            marks = []
            if check.name in expected:
                marks.append(pytest.mark.xfail(reason=expected[check.name], raises=ConformanceError, strict=True))
            bound = MechanismCheck(check, {"name": name, **options})
            cases.append(pytest.param(factory, bound, id=f"{label}-{check.name}", marks=marks))
    return pytest.mark.parametrize(("factory", "check"), cases)


def check_names(only: str | Sequence[str] = ()) -> list[str]:
    """Return the names of all checks, or of those of some groups, in the order in which they run.

    Examples
    --------
    >>> check_names("contract")[:2], len(check_names())
    (['answers', 'configuration-unchanged'], 32)
    """
    return list(select(only))


def assert_passes(factory: Factory | str, *only: str, **options: Any) -> None:
    """Check a mechanism.

    Parameters
    ----------
    factory : callable or str
        From (configuration, numpy.random.Generator) to an object with `assign` and `settle`, or its name.
    *only : str
        Names of checks or groups; all by default.
    **options
        Those of `check_mechanism`, as ``effort`` and ``domain``.

    Raises
    ------
    ConformanceError
        A check fails, or had nothing to compare; the first one. It says which rule at which step of which history,
        what was expected and what was found.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> assert_passes(reference_mechanism, "initialization-payment", "lone-payment")
    """
    __tracebackhide__ = True
    report = check_mechanism(factory, only=only, **options)
    if report.interrupted:
        raise KeyboardInterrupt
    for result in report.checks:
        if result.status not in ("passed", "expected_failure"):
            raise ConformanceError(result, report.explanation)


def _short(factory: Factory | str) -> str:
    if isinstance(factory, str):
        return factory.rpartition(":")[2]
    return str(getattr(factory, "__name__", type(factory).__name__))


def _callable(factory: Factory) -> Factory:
    if not callable(factory):
        raise InputError("factories", factory, "must be callable", "give functions of (config, rng), or classes")
    return factory
