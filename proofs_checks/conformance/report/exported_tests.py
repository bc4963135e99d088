"""A run as plain tests of pytest, which need numpy and the mechanism: its failures, and the scenarios that passed.

A failure's test runs its script. A scenario's test plays it again and asserts what the check found: of a check of rules
what these rules allow at each step, of one that compares histories that they still compare so, of every check that the
answers are answers. A mechanism that serves somebody else, as the rules may allow, has another history from there on:
the test ends. With queries in flight each scenario says when its feedback arrives, and hands it over then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from proofs_checks.conformance.play.any_subject import Played
from proofs_checks.conformance.play.late_feedback import arrival_list, oracle_beside
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.passed import PassedScenario
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.conformance.report.script import NO_FAILURE, beside, ends_by_itself, import_lines, to_script
from proofs_checks.oracle.rule_oracle import Decision, money_rounding
from proofs_checks.oracle.step_rules import applying, breaches, of_payment

FAILURES, SCENARIOS = "test_costproof_failures.py", "test_costproof_scenarios.py"
_DATA, _FOLDER = "costproof_scenarios.json", "costproof_failures"

#: What a scenario's test asserts beside answers that are some, by the check.
_ALSO: Mapping[str, str] = MappingProxyType(
    {
        "configuration-unchanged": "configuration unchanged",
        "reproducible": "the same again",
        "independent-instances": "the same beside another",
        "payment-range": "payments in range",
        "restart": "the same after a restart",
    }
)


@dataclass(frozen=True, kw_only=True)
class ExportedTests:
    """What is written: the text of each file by its path, and how many tests there are."""

    files: Mapping[str, str]
    failures: int
    scenarios: int


def exported_tests(report: ConformanceReport, rules: Mapping[str, frozenset[str]], folder: str) -> ExportedTests:
    """Return the tests of a run whose effort kept what passed.

    They find the mechanism relative to themselves, so a copy of the project tests its own.

    Parameters
    ----------
    report : ConformanceReport
    rules : mapping
        From the name of a check to the rules of a step that it compares.
    folder : str
        Where they will stand.
    """
    failing = [(check, check.failure) for check in report.checks if check.failure is not None]
    scenarios = [
        _scenario(check.name, passed, rules.get(check.name, frozenset()))
        for check in report.checks
        for passed in check.passed
    ]
    scripts = {
        f"{_FOLDER}/{check.name.replace('-', '_')}.py": to_script(
            report.mechanism, check.name, check.claim, failure, folder=os.path.join(folder, _FOLDER)
        )
        for check, failure in failing
    }
    standard, found = import_lines(report.mechanism, folder=folder)
    header = {
        "mechanism": report.mechanism,
        "folder": beside(os.getcwd(), folder),
        "imports": "import runpy\n" if "import runpy" in standard else "",
        "factory": "\n".join(found),
        **(_AT_ONCE if report.in_flight is None else _LATE),
    }
    files = {
        **scripts,
        FAILURES: _filled(_TEST_FAILURES, header, cases="\n".join(_cases(failing))),
        SCENARIOS: _filled(_TEST_SCENARIOS, header, data=_DATA),
        _DATA: _lines(scenarios),
    }
    return ExportedTests(files=files, failures=len(failing), scenarios=len(scenarios))


def _filled(template: str, header: Mapping[str, str], **others: str) -> str:
    for name, text in {**header, **others}.items():
        template = template.replace(f"@{name}@", text)
    return template


def _lines(scenarios: Sequence[Mapping[str, Any]]) -> str:
    """Return JSON with a line for each scenario."""
    return "[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in scenarios) + "\n]\n"


def _cases(failing: Sequence[tuple[CheckResult, Failure]]) -> Iterator[str]:
    """Yield a line for each script: its file, what it must print to count as passed, and what is known of it."""
    for check, failure in failing:
        file = f"{check.name.replace('-', '_')}.py"
        expected = "" if ends_by_itself(failure) else NO_FAILURE
        mark = ""
        if isinstance(failure.expected, dict):
            mark = ', marks=pytest.mark.skip("draws are counted, not judged: run costproof check")'
        elif check.status == "expected_failure":
            mark = f", marks=pytest.mark.xfail(reason={check.message!r}, strict=True)"
        yield f"    pytest.param({file!r}, {expected!r}, id={check.name!r}{mark}),"


def _scenario(check: str, passed: PassedScenario, rules: frozenset[str]) -> dict[str, Any]:
    played = passed.played
    late = {} if played.in_flight is None else {"arrivals": _arrivals(played)}
    return {
        "check": check,
        "config": dict(vars(played.config)),
        "seed": played.seed,
        "rounding": money_rounding(played.config),
        "history": [[*pair, i] for pair, i in zip(played.settlements, played.providers, strict=True)],
        "also": _ALSO.get(check, ""),
        "expected": list(_expected(played, rules)) if rules else [],
        "comparisons": [each.to_data() for each in passed.comparisons],
        **late,
    }


def _arrivals(played: Played) -> list[int | None]:
    return arrival_list(played.in_flight, played.seed, len(played.settlements))


def _expected(played: Played, rules: frozenset[str]) -> Iterator[Any]:
    """Yield what some rules allow at each step: readings, each with who may serve and who is paid what; None if all."""
    oracle = oracle_beside(played.config, played.seed, played.in_flight)
    for provider, (score, bid) in zip(played.providers, played.settlements, strict=True):
        decisions = oracle.decisions()
        judged = decisions and any(rule in rules for decision in decisions for rule in applying(decision))
        yield [_reading(decision, rules) for decision in decisions] if judged else None
        oracle.settle(provider, score, bid)


def _reading(decision: Decision, rules: frozenset[str]) -> list[Any]:
    """Return who may serve, None for anybody, and what each provider is paid, if the rules say it."""
    providers = range(len(decision.payments))
    spoken = [rule for rule in applying(decision) if rule in rules]
    serves = None
    if any(not of_payment(rule) for rule in spoken):
        serves = [i for i in providers if not _misplaced(decision, i, rules)]
    pays = {}
    if any(of_payment(rule) for rule in spoken):
        # Of whom an auction does not choose the rules do not say what it is paid.
        among = decision.providers if decision.kind == "auction" else providers
        pays = {i: float(decision.payments[i]) for i in among}
    return [serves, pays]


def _misplaced(decision: Decision, provider: int, rules: frozenset[str]) -> bool:
    found = breaches([decision], provider, decision.payments[provider], 0.0)
    return any(breach.rule in rules and not of_payment(breach.rule) for breach in found)


_TEST_FAILURES = '''\
"""What `costproof check @mechanism@` found: each test runs the script of a failure.

They need numpy, pytest and the mechanism alone. A script ends with 0 if the mechanism is right at its step, and with 2
if nothing could be compared, since the mechanism has another history now: such a test is skipped.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Where the mechanism was imported from.
FOLDER = @folder@
SCRIPTS = [
@cases@
]


@pytest.mark.parametrize(("script", "printed"), SCRIPTS)
def test_failure(script, printed):
    path = Path(__file__).parent / "costproof_failures" / script
    found = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode == 2:
        pytest.skip(done.stdout.strip() or "nothing was compared")
    assert done.returncode == 0, done.stderr or f"the script ended with {done.returncode}"
    assert printed in done.stdout, "the script ended before it could say that all is well"
'''

_TEST_SCENARIOS = '''\
"""Scenarios in which `costproof check @mechanism@` found no failure, to be played again.

They need numpy, pytest and the mechanism alone.
"""

import json
import math
import numbers
import operator
@imports@import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(@folder@))  # where the mechanism was imported from
@factory@

SCENARIOS = json.loads((Path(__file__).parent / "@data@").read_text())
@late@

def started(scenario, later=0):
    config = SimpleNamespace(**scenario["config"])
    return config, @made@


def answered(mechanism, config):
    provider, payment = mechanism.assign()
    assert not isinstance(provider, bool) and operator.index(provider) in range(config.n_providers), provider
    assert isinstance(payment, numbers.Real) and math.isfinite(payment), payment
    return int(provider), float(payment)


def allowed(readings, provider, payment, rounding):
    """Whether a reading of the rules lets this provider serve for this payment."""
    return any(
        (serves is None or provider in serves)
        and (str(provider) not in pays or abs(payment - pays[str(provider)]) <= rounding)
        for serves, pays in readings
    )


def played(scenario):
    """Play as long as the history is the one that was played, and judge every answer."""
    config, mechanism = started(scenario)
    expected = scenario["expected"] or [None] * len(scenario["history"])
    for step, ((score, bid, served), readings) in enumerate(zip(scenario["history"], expected), 1):
        provider, payment = answered(mechanism, config)
        right = readings is None or allowed(readings, provider, payment, scenario["rounding"])
        assert right, f"step {step}: provider {provider} is paid {payment!r}; {readings} is allowed"
        if scenario["also"] == "payments in range":
            low, high = -scenario["rounding"], config.cost_bound + scenario["rounding"]
            assert low <= payment <= high, f"step {step}: {payment!r}"
        if provider != served:
            return
        mechanism.settle(score, bid)
    if scenario["also"] == "configuration unchanged":
        assert vars(config) == scenario["config"]


def answers(scenario, beside=False):
    """Return the answers to the whole history, whoever serves; beside another instance that is told otherwise."""
    config, mechanism = started(scenario)
    _, other = started(scenario, later=1) if beside else (None, None)
    found = []
    for score, bid, _ in scenario["history"]:
        found.append(answered(mechanism, config))
        if other is not None:
            other.assign()
            other.settle(1.0 - score, config.cost_bound - bid)
        mechanism.settle(score, bid)
    return found


@restarted@def replayed(scenario, history):
    """Return a mechanism after a history, which is about to answer; None where it is another history now."""
    config, mechanism = started(scenario)
    for score, bid, served in history:
        if answered(mechanism, config)[0] != served:
            return config, None
        mechanism.settle(score, bid)
    return config, mechanism


def compare_bids(scenario, comparison):
    """A provider leaves other bids at a step; the answers later on keep a law."""
    found = []
    for bid in comparison["bids"]:
        history = [list(row) for row in scenario["history"][: comparison["step"] - 1]]
        history[comparison["changed"] - 1][1] = bid
        config, mechanism = replayed(scenario, history)
        if mechanism is None:
            return
        found.append(answered(mechanism, config))
    provider, estimate = comparison["provider"], comparison["estimate"]
    gains = [payment - estimate if winner == provider else 0.0 for winner, payment in found]
    names = {"answers": found, "gains": gains, "provider": provider, "estimate": estimate}
    holds(comparison["law"], {**names, "rounding": scenario["rounding"]})


def compare_futures(scenario, comparison):
    """A provider follows strategies from a step on; what it earns at least keeps a law."""
    worst = []
    for settlements, winners, estimates in comparison["futures"]:
        first = comparison["changed"] - 1
        config, mechanism = replayed(scenario, scenario["history"][:first])
        if mechanism is None or answered(mechanism, config)[0] != comparison["provider"]:
            return
        utility, utilities = 0.0, []
        for (score, bid), served, estimate in zip(settlements, winners, estimates):
            mechanism.settle(score, bid)
            winner, payment = answered(mechanism, config)
            if winner != served:
                return
            utility += 0.0 if estimate is None else payment - estimate
            utilities.append(utility)
        worst.append(min(utilities))
    holds(comparison["law"], {"worst": worst, "rounding": comparison["rounding"]})


def holds(law, names):
    assert eval(law, {"abs": abs, "any": any, **names}), f"{law} is false of {names}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["check"])
def test_scenario(scenario):
    played(scenario)
    if scenario["also"] == "the same again":
        assert answers(scenario) == answers(scenario)
    if scenario["also"] == "the same beside another":
        assert answers(scenario) == answers(scenario, beside=True)
@restarts@    for comparison in scenario["comparisons"]:
        (compare_futures if "futures" in comparison else compare_bids)(scenario, comparison)
'''

#: What the tests of a mechanism need whose feedback comes at once: nothing more.
_AT_ONCE = {
    "late": "",
    "made": 'factory(config, np.random.default_rng(scenario["seed"] + later))',
    "restarted": "",
    "restarts": "",
}
#: What those of a mechanism with queries in flight need.
_LATE = {
    "late": '''

class InFlight:
    """Takes score and bid of a query at once; the mechanism hears of them when they arrive, by the query's number."""

    def __init__(self, scenario, config, seed):
        self.config, self.told = config, []
        self.mechanism = factory(config, np.random.default_rng(seed))
        self.due = {}  # from a number of queries to those whose feedback arrives when so many are assigned
        for query, arrival in enumerate(scenario["arrivals"], 1):
            self.due.setdefault(arrival, []).append(query)

    def assign(self):
        for query in self.due.get(len(self.told), ()):
            self.mechanism.settle(*self.told[query - 1], query)
        return self.mechanism.assign()

    def settle(self, score, bid):
        self.told.append((score, bid))

    def restart(self, seed):
        saved = json.dumps(self.mechanism.state())
        self.mechanism = factory(self.config, np.random.default_rng(seed))
        self.mechanism.restore(json.loads(saved))

''',
    "made": 'InFlight(scenario, config, scenario["seed"] + later)',
    "restarted": '''def answers_after_restart(scenario, restart):
    """Return the answers of a mechanism that is made anew before a step, from its saved state."""
    config, mechanism = started(scenario)
    found = []
    for step, (score, bid, _) in enumerate(scenario["history"], 1):
        if step == restart:
            mechanism.restart(scenario["seed"] + 1)
        found.append(answered(mechanism, config))
        mechanism.settle(score, bid)
    return found


''',
    "restarts": """    if scenario["also"] == "the same after a restart":
        steps = len(scenario["history"])
        for restart in sorted({2, steps // 2, steps} - {0, 1}):
            assert answers_after_restart(scenario, restart) == answers(scenario), f"a restart before step {restart}"
""",
}
