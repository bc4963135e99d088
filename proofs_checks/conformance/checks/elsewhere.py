"""A mechanism in other processes: where Python orders sets otherwise, and where hours pass between its calls."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from proofs_checks.conformance.checks.fresh_process import IN_BOTH, compared_again, in_fresh_processes, scripted
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.leaping_clock import LEAP, leaping_clock
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure

#: Five names are in the same order under two seeds once in 120 times. After 28 hours it is another time of day, too.
_SETS, _LEAP = "PYTHONHASHSEED", 100_000
_USUAL = {_SETS: "0"}
#: Other environments, what is said of them, and where to look. An order that the first one does not change, the second
#: one hardly does.
_OTHERS = (
    ({_SETS: "1"}, f"with {_SETS}=1", "does it depend on the order of a set? sorted(...) has one"),
    ({_SETS: "2", LEAP: f"{_LEAP}"}, f"if {_LEAP:,} s pass before each call", "does it read a clock?"),
)
_SEED, _STEPS = 20_264, 120
#: Auctions, explorations among some, and steps without eligible providers.
_CONFIG = usual_config(n_providers=5, quality_threshold=0.75, confidence=0.9, exploration_scale=1.3)


def compare_elsewhere(subject: AnySubject) -> Probe:
    """Compare answers of a mechanism in fresh processes of which each has another environment."""

    def compared(fresh: Sequence[HostedSubject]) -> Iterator[Failure | None]:
        usual, *others = (each.played(domain=subject.domain, in_flight=subject.in_flight) for each in fresh)
        played, answers = scripted(usual, _CONFIG, _SEED, _STEPS)
        start = _START.format(clock=inspect.getsource(leaping_clock), leap=LEAP)
        for other, (environment, *how) in zip(others, _OTHERS, strict=True):
            script = {"start": start, "before": _BEFORE, "ending": IN_BOTH.format(environments=(_USUAL, environment))}
            yield from compared_again(other, played, answers, 1, lambda it: it, *how, **script)

    return in_fresh_processes(subject, [_USUAL, *(environment for environment, *_ in _OTHERS)], compared)


#: What goes before the import of the mechanism in the script, and before the play.
_START = """\
import json
import os
import subprocess
import sys


{clock}

leap = int(os.environ.get("{leap}", "0"))
called = leaping_clock(leap) if leap else lambda made: made"""
_BEFORE = """\
imported = factory


def factory(config, rng):
    return called(imported(config, rng))

"""
