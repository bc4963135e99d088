"""A plugin of pytest: `pytest --check-mechanism my_package.router:make_router` needs no test file.

Loaded by every pytest run where this toolkit is installed, so it imports nothing heavy before it is asked to check.
"""

from __future__ import annotations

from typing import Any

import pytest

from proofs_checks.conformance import options

_MARK = "costproof"
#: By mechanism what `parametrize_with_checks` makes for each check.
_PARAMETERS: pytest.StashKey[dict[str, list[Any]]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("costproof", "conformance of learning procurement mechanisms")
    group.addoption(
        "--check-mechanism",
        action="append",
        default=[],
        metavar="MODULE:OBJECT",
        help="a factory (config, rng) -> mechanism to check; repeat for several; one test per check, marked costproof",
    )
    group.addoption("--costproof-profile", **options.PROFILE)
    group.addoption("--costproof-only", **options.ONLY)
    group.addoption("--costproof-exclude", **options.EXCLUDE)
    group.addoption("--costproof-strict", **options.STRICT)
    group.addoption("--costproof-expect-failure", **options.EXPECT_FAILURE)
    group.addoption("--costproof-seed", type=int, default=0, metavar="SEED", help="seed of all randomness (default 0)")
    group.addoption("--costproof-quick", **options.QUICK)
    group.addoption("--costproof-time-limit", **options.TIME_LIMIT)
    group.addoption("--costproof-domain", **options.DOMAIN)
    group.addoption("--costproof-in-flight", **options.IN_FLIGHT)


def pytest_configure(config: pytest.Config) -> None:
    """Find the mechanisms, so that a wrong name ends the run before it begins."""
    config.addinivalue_line("markers", f"{_MARK}: a conformance check of a mechanism given by --check-mechanism")
    if config.getoption("check_mechanism"):
        config.stash[_PARAMETERS] = _found(config)


#: The options behind arguments that are called otherwise.
_OPTIONS = {"factory": "--check-mechanism", "expected_failures": "--costproof-expect-failure"}


def _found(config: pytest.Config) -> dict[str, list[Any]]:
    from bounds.errors import InputError
    from proofs_checks.conformance.descriptions import DEFAULT, QUICK
    from proofs_checks.conformance.loading import parse_expected_failures
    from proofs_checks.conformance.parametrize import parametrize_with_checks
    from proofs_checks.conformance.play.subject import TIME_LIMIT

    limit = config.getoption("costproof_time_limit")
    try:
        given: dict[str, Any] = {
            **{name: config.getoption(f"costproof_{name}") for name in ("only", "exclude", "profile", "strict")},
            "expected_failures": parse_expected_failures(config.getoption("costproof_expect_failure")),
            "seed": config.getoption("costproof_seed"),
            "effort": QUICK if config.getoption("costproof_quick") else DEFAULT,
            "time_limit": TIME_LIMIT if limit is None else limit,
            "domain": config.getoption("costproof_domain"),
            "in_flight": config.getoption("costproof_in_flight"),
        }
        targets = dict.fromkeys(config.getoption("check_mechanism"))
        return {target: list(parametrize_with_checks([target], **given).args[1]) for target in targets}
    except InputError as error:
        option = _OPTIONS.get(error.argument, f"--costproof-{error.argument.replace('_', '-')}")
        raise pytest.UsageError(str(error.about(option))) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is checked, and with which seed."""
    found = config.stash.get(_PARAMETERS, None)
    if found is None:
        return None
    quick = ", quick" if config.getoption("costproof_quick") else ""
    law = config.getoption("costproof_in_flight")
    late = "" if law is None else f", queries in flight: {law}"
    counts = ", ".join(f"{target} (checks: {len(cases)})" for target, cases in found.items())
    return f"costproof: {counts}, seed {config.getoption('costproof_seed')}{quick}{late}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test per check to everything else that was collected; first, so that -k and -m see them."""
    for target, cases in config.stash.get(_PARAMETERS, {}).items():
        mechanism = _Mechanism.from_parent(session, name=target, nodeid=target, cases=cases)
        found = mechanism.collect()
        session.ihook.pytest_collectreport(report=pytest.CollectReport(target, "passed", None, [*found]))  # counts them
        items.extend(found)


class _Mechanism(pytest.Collector):
    """A mechanism: its tests are the checks."""

    def __init__(self, cases: list[Any], **options: Any) -> None:
        super().__init__(**options)
        self._cases = cases

    def collect(self) -> list[pytest.Item]:
        """Return a test for every check."""
        return [_CheckItem.from_parent(self, name=case.values[1].check.name, case=case) for case in self._cases]


class _CheckItem(pytest.Item):
    """One check of one mechanism."""

    def __init__(self, case: Any, **options: Any) -> None:
        super().__init__(**options)
        self._factory, self._check = case.values
        self.add_marker(_MARK)
        self.own_markers.extend(case.marks)

    def runtest(self) -> None:
        """Run the check."""
        self._check(self._factory)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show message and script of a failed check, without the suite's own frames."""
        from proofs_checks.conformance.parametrize import ConformanceError

        if isinstance(excinfo.value, ConformanceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Say where the test comes from."""
        return self.path, None, self.nodeid
