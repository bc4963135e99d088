"""A failure as a script: copied into a file, it brings the mechanism to the step in question and shows what it does."""

from __future__ import annotations

import ast
import os
import sys
import textwrap
from pathlib import Path

from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.step_kinds import kinds_comment
from proofs_checks.oracle.rule_oracle import money_rounding


def to_script(mechanism: str, check: str, claim: str, failure: Failure, *, folder: str | None = None) -> str:
    """Return Python that reproduces a failure of a check; it needs numpy and the mechanism, not this toolkit.

    The mechanism is ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT``; other names leave a line to fill in. A script that
    is written to a `folder` finds the file relative to itself.
    """
    config = ", ".join(f"{name}={value!r}" for name, value in vars(failure.config).items())
    standard, found = _import_lines(mechanism, folder=folder)
    history = ", ".join(f"({score!r}, {bid!r})" for score, bid in failure.settlements)
    lines = [
        f"# {check} ({claim}) fails: {failure.message}",
        *([f"# {failure.exact}"] if failure.exact else []),
        *(failure.start.split("\n") if failure.start else []),
        *sorted({*standard, *_standard(failure)}),
        "from types import SimpleNamespace",
        "",
        "import numpy as np",
        "",
        *found,
        "",
        f"config = SimpleNamespace({config})",
        f"seed = {failure.seed}",
        f"history = [{history}]  # score and standing bid, step by step",
        *([f"providers = {list(failure.providers)}  # who served them"] if failure.needs_its_history else []),
        *kinds_comment(failure),
        "",
        *(_in_flight(failure) if failure.in_flight is not None else []),
        *(failure.before.split("\n") if failure.before else []),
        *_body(failure).rstrip("\n").split("\n"),
        *([] if failure.misbehaviour else _with_text(failure.ending or _ending(failure), failure.message)),
    ]
    return "\n".join(lines) + "\n"


def to_test(mechanism: str, check: str, claim: str, failure: Failure, folder: str) -> str:
    """Return the script of a failure as a file that pytest takes as well, for a folder.

    The test runs the file in a process of its own, which the mechanism may end.
    """
    script = textwrap.indent(to_script(mechanism, check, claim, failure, folder=folder), "    ")
    counts = isinstance(failure.expected, dict)
    body = _COUNTED if counts else _RUN + _ENDED * (failure.misbehaviour in _EXPECTED)
    return _TEST.format(name=check.replace("-", "_"), body=body, script=script)


_TEST = """\
import subprocess
import sys
import unittest


def test_{name}():
{body}

if __name__ == "__main__":
{script}"""
_RUN = """\
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=600)
    if done.returncode == 2:
        raise unittest.SkipTest(done.stdout)
    assert done.returncode == 0, done.stderr or f"the script ended with {done.returncode}"
"""
_ENDED = """\
    assert "no failure this time" in done.stdout, "the script ended before its last line"
"""
_COUNTED = """\
    raise unittest.SkipTest("the script counts draws, and does not judge them: run costproof check")
"""
#: Steps of other instances that a script may play before.
_STEPS_BEFORE = 400
#: Turns a mechanism of the ticket form into one that is told of a step at once, and hears of it when it arrives.
_IN_FLIGHT = """\
# Of each step: how many are assigned when its feedback arrives.
arrivals = {arrivals}
ticket_form = factory


class InFlight:
    def __init__(self, config, rng):
        self.made, self.feedback = ticket_form(config, rng), []

    def assign(self):
        now = [query for query, arrival in enumerate(arrivals, 1) if arrival == len(self.feedback)]
        self.hand_over([(*self.feedback[query - 1], query) for query in now])
        return self.made.assign()

    def hand_over(self, arrived):
        for each in arrived:
            self.made.settle(*each)

    def settle(self, score, bid):
        self.feedback.append((score, bid))

    def state(self):
        return self.made.state(), self.feedback

    def restore(self, saved):
        state, self.feedback = saved
        self.made.restore(state)


factory = InFlight
"""


def _standard(failure: Failure) -> list[str]:
    """Return the imports of the standard library that the lines of a script need."""
    return ["import sys"] if failure.needs_its_history or not failure.ending else []


def _in_flight(failure: Failure) -> list[str]:
    steps = max(len(failure.settlements), _STEPS_BEFORE if failure.before else 0)
    return _IN_FLIGHT.replace("{arrivals}", f"{failure.arrivals(steps)}").split("\n")


_PLAYED = """\
mechanism = factory(config, np.random.default_rng(seed))
for score, bid in history:
    mechanism.assign()
    mechanism.settle(score, bid)
provider, payment = mechanism.assign()
print(f"step {len(history) + 1}: provider {provider} serves and is paid {payment!r}")
"""

#: So many of those who may serve are named by the text of an assertion.
_SHOWN = 4

#: A mended mechanism may serve by others than the broken one did. What is due depends on what each provider was told,
#: not on the order of providers: feedback follows whoever serves. If a provider serves more often than it did, scores
#: and bids are those of another history, of which nothing that follows is true.
_FOLLOWED = """

def follow(step, provider, served):
    if provider != served:
        print(f"step {step}: provider {provider} serves, "
              f"where {served} did when this was written.")
        print("Was the mechanism changed? What follows",
              "would be about another history.")
        print("Nothing was compared: run check again.")
        sys.exit(2)


mechanism = factory(config, np.random.default_rng(seed))
left, order = list(range(len(history))), []
while left:
    served, _ = mechanism.assign()
    fits = [row for row in left{reach} if providers[row] == served]
    found = fits[0] if fits else left[0]
    follow(len(order) + 1, served, providers[found])
    mechanism.settle(*history[found])
    left.remove(found)
    order.append(found)
providers = [providers[row] for row in order]
history = [history[row] for row in order]
provider, payment = mechanism.assign()
print(f"step {len(history) + 1}: provider {provider} serves and is paid {payment!r}")
"""

#: A coroutine does nothing until it is awaited: it is a failure though its call raises nothing.
#: All that it raises is caught: a mechanism that calls `sys.exit()` must not end the script as if all were well.
_MISBEHAVED = """\
import inspect
import math
import numbers
import operator


def answered(answer):
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a coroutine, which nothing awaits: write def, not async def")
    return answer


try:
    mechanism = answered(factory(config, np.random.default_rng(seed)))
    for score, bid in history:
        answered(mechanism.assign())
        answered(mechanism.settle(score, bid))
    provider, payment = answered(mechanism.assign())
    assert not isinstance(provider, bool) and operator.index(provider) in range(config.n_providers), provider
    assert not isinstance(payment, bool) and isinstance(payment, numbers.Real) and math.isfinite(payment), payment
except BaseException as error:
    raise AssertionError(f"in {len(history) + 1} steps: {type(error).__name__}: {error}") from error
print(f"step {len(history) + 1}: provider {provider}, payment {payment!r}: no failure this time. "
      "If nothing was changed, it depends on what was played before: is there state outside the mechanism?")
"""

_HANGS = f"""\
import faulthandler
import time

faulthandler.dump_traceback_later(10, exit=True)  # after 10 s: shows where it hangs, and ends
started = time.monotonic()
{_PLAYED}print(f"it returned after {{time.monotonic() - started:.3g}} s")
"""

#: The mechanism may end the process of the script as it ended its own, or fill the memory: what runs is a copy of it.
_HARMED = """\
import os

# Run this where it can do no harm. Expect the script to {expected}.
{body}print("no failure this time: if nothing was changed, it depends on what was played before")
"""
_EXPECTED = {
    "ended its process": "end without a message at that call",
    "too much memory": "take more and more memory (ulimit -v limits it)",
    "too many processes": "start more and more processes or threads, and not to end by itself",
    "returned twice": "end with an AssertionError in the process that the mechanism forked",
    "broke its host": "go wrong at that call: what the mechanism changes is the script's process now",
}
_SAME_PROCESS = (
    'assert os.getpid() == process, "this is a copy of the process: the mechanism forked, and both went on"\n'
)


def _harmed(kind: str) -> str:
    """Return the body of a script for a mechanism that harms its process."""
    body = _PLAYED
    if kind == "returned twice":
        body = f"process = os.getpid()\n{_PLAYED}{_SAME_PROCESS}"
    return _HARMED.replace("{expected}", _EXPECTED[kind]).replace("{body}", body)


_BODIES: dict[str | None, str] = {
    **dict.fromkeys(("raised", "wrong type", "not finite", "no such provider"), _MISBEHAVED),
    **{kind: _harmed(kind) for kind in _EXPECTED},
    "too slow": _HANGS,
}


def _body(failure: Failure) -> str:
    # With queries in flight the order decides what has arrived.
    followed = _FOLLOWED.replace("{reach}", "" if failure.in_flight is None else "[:1]")
    return _BODIES.get(failure.misbehaviour, followed if failure.needs_its_history else _PLAYED)


def _import_lines(mechanism: str, *, folder: str | None = None) -> tuple[list[str], list[str]]:
    """Return imports of the standard library, and the lines that find the factory."""
    module, _, name = mechanism.rpartition(":")
    if module == "__main__":
        module = getattr(sys.modules["__main__"], "__file__", None) or module
    first, *rest = name.split(".")
    inner = "".join(f".{part}" for part in rest)
    if not all(part.isidentifier() for part in (first, *rest)) or module in ("", "__main__"):
        return [], [f"factory = ...  # put your factory here: {mechanism} cannot be imported by its name"]
    if module.endswith(".py"):
        if folder is not None:
            lines = [
                f"file = {_beside(module, folder)}",
                "sys.path.insert(0, str(file.parent))",
                f"factory = runpy.run_path(str(file))[{first!r}]{inner}",
            ]
            return ["import runpy", "import sys", "from pathlib import Path"], lines
        path = Path(module).resolve()
        load = f"factory = runpy.run_path({str(path)!r})[{first!r}]{inner}"
        return ["import runpy", "import sys"], [f"sys.path.insert(0, {str(path.parent)!r})", load]
    if not inner:
        found = [f"from {module} import {first} as factory"]
    else:
        found = [f"from {module} import {first}", "", f"factory = {name}"]
    if folder is None:
        return [], found
    here = f"sys.path.insert(0, str({_beside(os.getcwd(), folder)}))"
    return ["import sys", "from pathlib import Path"], [here, *found]


def _beside(path: str | Path, folder: str) -> str:
    """Return Python that finds a path from a file in a folder."""
    relative = Path(os.path.relpath(Path(path).resolve(), Path(folder).resolve())).as_posix()
    return f"(Path(__file__).parent / {relative!r}).resolve()"


def _with_text(ending: str, message: str) -> list[str]:
    """Return the lines of an ending; an assertion without a text of its own says what the failure is."""
    lines = [line.encode() for line in ending.rstrip("\n").split("\n")]  # columns of a syntax tree count bytes
    found = [node for node in ast.walk(ast.parse(ending)) if isinstance(node, ast.Assert) and node.msg is None]
    for row, column in sorted(((node.end_lineno or 1, node.end_col_offset or 0) for node in found), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + f", {message!r}".encode() + line[column:]
    return [line.decode() for line in lines]


#: A mended mechanism may serve by another provider, which has a payment of its own; whoever serves is compared.
_ALLOWED = """
allowed = [  # who may serve here, and what it is then paid
{pairs}
]
assert any(
    provider == one and abs(payment - due) <= {rounding!r}
    for one, due in allowed
), (
    f"provider {{provider}} is paid {{payment!r}}, "
    "expected {expected}"
)
print("This is what the rules prescribe here.")
"""
_NOT_JUDGED = """
print("The rules do not decide this step: nothing was compared.")
sys.exit(2)
"""


def _ending(failure: Failure) -> str:
    """Return the comparison of an answer with what the rules allow, whoever serves."""
    allowed = failure.allowed()
    if not allowed:
        return _NOT_JUDGED
    pairs = "\n".join(f"    ({provider}, {due!r})," for provider, due in allowed)
    expected = ' or "\n    "'.join(f"provider {provider} at {due!r}" for provider, due in allowed[:_SHOWN])
    more = f" or {len(allowed) - _SHOWN} more" if len(allowed) > _SHOWN else ""
    return _ALLOWED.format(pairs=pairs, rounding=money_rounding(failure.config), expected=f"{expected}{more}")
