"""A mechanism in a process of its own, where nothing that other instances left behind can reach it.

The other process receives configuration, seed and settlements as JSON on its standard input, plays, and prints its
answers as one marked line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mechanism.config import MechanismConfig
from proofs_checks.conformance.checks.search import Probe, first_failure
from proofs_checks.conformance.play.interaction import Answer, answers_to
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import MechanismError, Subject
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.script import import_lines

#: Seconds that the other process may take, importing the mechanism included; without an answer there is no verdict.
PROCESS_LIMIT = 30.0
#: Set in that process: a module that checks a mechanism when it is imported must not start another one there.
_WITHIN = "COSTPROOF_FRESH_PROCESS"
#: Begins the one line of its output that counts: a module may print others when it is imported, or at its end.
_MARK = "costproof-answers "
#: Enough for what is kept by selection count to be reached; settlements repeat after so many.
_STEPS, _PERIOD = 400, 40
_SEED = 20_261


#: What is compared. The others, played before, differ from it in some parameters each: what is kept by the rest of them
#: collides.
_COMPARED = usual_config(n_providers=3, quality_threshold=0.25, exploration_scale=1.3)
_OTHERS = (
    replace(_COMPARED, n_providers=2),
    replace(_COMPARED, quality_threshold=0.75, confidence=0.5),
    replace(_COMPARED, cost_bound=2.0, exploration_scale=0.3, exploration_exponent=0.75, belief_slack=1.0),
)


def _settlements(config: MechanismConfig, steps: int = _STEPS - 1) -> list[tuple[float, float]]:
    """Return how a mechanism is answered, whoever serves."""
    return [(7 * step % 10 / 10, 3 * step % 8 / 8 * config.cost_bound) for step in range(1, steps + 1)]


def compare_with_a_fresh_process(subject: Subject) -> Probe:
    """Compare a mechanism that is played after others with the same one in a process in which it is the first.

    Nothing is compared where the factory cannot be imported by its name, or the process gives no answer.
    """
    name = subject.importable_name
    if name is None or _WITHIN in os.environ:
        return Probe(0)
    try:
        *_, here = (answers_to(subject, config, _SEED, _settlements(config)) for config in (*_OTHERS, _COMPARED))
    except MechanismError:
        return Probe(0)  # other checks say what is wrong
    alone = _answers_in_a_fresh_process(name)
    return Probe(0) if alone is None else first_failure(_compared(here, alone))


def _compared(here: Sequence[Answer], alone: Sequence[Answer]) -> Iterator[Failure | None]:
    for step, (answer, other) in enumerate(zip(here, alone, strict=True), 1):
        yield None if answer == other else _failure(step, here, other)


def _failure(step: int, here: Sequence[Answer], alone: Answer) -> Failure:
    provider, payment = here[step - 1]
    message = (
        f"step {step}: provider {provider} is paid {payment:.12g}, but in a process of its own, with no instances "
        f"before it, the same seed and history answer provider {alone[0]} for {alone[1]:.12g}: "
        "is there state outside the instance?"
    )
    others = ", ".join(f"({vars(config)!r}, {_settlements(config, _PERIOD)!r})" for config in _OTHERS)
    return Failure(
        message=message,
        config=_COMPARED,
        seed=_SEED,
        settlements=tuple(_settlements(_COMPARED, step - 1)),
        providers=tuple(answer[0] for answer in here[: step - 1]),
        expected=list(alone),
        found=[provider, payment],
        before=_BEFORE.format(others=others, seed=_SEED, steps=_STEPS - 1),
        ending=_ENDING,
    )


#: What goes before and after the play in the script: it is played once after others, and once alone.
_BEFORE = """\
import json
import subprocess
import sys

# Other instances first, unless this is the process in which there are none.
for other, settlements in [] if sys.argv[1:] == ["alone"] else [{others}]:
    instance = factory(SimpleNamespace(**other), np.random.default_rng({seed}))
    for k in range({steps}):
        instance.assign()
        instance.settle(*settlements[k % len(settlements)])
"""

_ENDING = """\
if sys.argv[1:] == ["alone"]:
    print(json.dumps([int(provider), float(payment)]))
    sys.exit()
done = subprocess.run([sys.executable, __file__, "alone"], capture_output=True, text=True, check=True)
alone = json.loads(done.stdout.splitlines()[-1])
assert [provider, payment] == alone, f"in a process of its own it answers {alone}"
"""


def _answers_in_a_fresh_process(name: str) -> list[Answer] | None:
    standard, found = import_lines(name)
    play = _CODE.format(found="\n    ".join(found), mark=_MARK)
    code = "\n".join([f"import sys\nsys.path[:] = {sys.path!r}", *standard, play])
    sent = json.dumps([vars(_COMPARED), _SEED, _settlements(_COMPARED)])
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=sent,
            capture_output=True,
            text=True,
            timeout=PROCESS_LIMIT,
            check=False,
            env={**os.environ, _WITHIN: "1"},
        )
    except (subprocess.TimeoutExpired, OSError):
        return None
    said = [line.removeprefix(_MARK) for line in done.stdout.splitlines() if line.startswith(_MARK)]
    return [(provider, payment) for provider, payment in json.loads(said[0])] if said else None


_CODE = """\
import contextlib
import json
from types import SimpleNamespace

import numpy as np

config, seed, settlements = json.load(sys.stdin)
with contextlib.redirect_stdout(sys.stderr):
    {found}
    mechanism = factory(SimpleNamespace(**config), np.random.default_rng(seed))
    answers = []
    for score, bid in settlements:
        answers.append(mechanism.assign())
        mechanism.settle(score, bid)
    answers.append(mechanism.assign())
print({mark!r} + json.dumps([(int(provider), float(payment)) for provider, payment in answers]))
"""
