"""z3 and cvc5, each on the same SMT-LIB text, in processes of their own with a limit on the time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Lock, Timer
from time import perf_counter
from typing import IO, Literal, cast

from bounds.errors import InputError, printable
from bounds.words import listed
from proofs_checks.proofs.lemma.solver_process import CANNOT_START

Answer = Literal["sat", "unsat", "unknown", "timeout", "error"]
SOLVERS = ("z3", "cvc5")
#: From a solver to the distribution that brings it.
_DISTRIBUTIONS = {"z3": "z3-solver", "cvc5": "cvc5"}


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What a solver says of a script.

    Parameters
    ----------
    answer : {"sat", "unsat", "unknown", "timeout", "error"}
    text : str
        The rest of its output: a model, or an error.
    """

    answer: Answer
    text: str = ""


class Solvers:
    """Both solvers, each in a process of its own, for as long as a ``with`` block lasts.

    Each script has a context of its own: an answer does not depend on the scripts before it.

    Raises
    ------
    InputError
        A solver is not installed, or cannot be started.

    Examples
    --------
    >>> with Solvers() as solvers:
    ...     [answered] = solvers.ask(["(set-logic QF_UF) (check-sat)"])
    >>> {solver: one.answer for solver, one in answered.items()}
    {'z3': 'sat', 'cvc5': 'sat'}
    """

    def __init__(self) -> None:
        missing = [solver for solver in SOLVERS if find_spec(solver) is None]
        if missing:
            raise InputError("solver", listed(missing), "is not installed", "pip install 'costproof[prove]'")
        self._workers = {solver: _Worker(solver) for solver in SOLVERS}

    def __enter__(self) -> Solvers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            worker.close()

    def ask(self, scripts: Sequence[str], *, time_limit: float = 10.0) -> list[dict[str, Answered]]:
        """Return what each solver says of each script; the solvers work side by side."""
        with ThreadPoolExecutor(len(SOLVERS)) as pool:
            try:
                running = {
                    solver: pool.submit(worker.ask_all, scripts, time_limit) for solver, worker in self._workers.items()
                }
                answers = {solver: future.result() for solver, future in running.items()}
            except BaseException:
                self.__exit__()  # an interruption must not wait for the other questions
                raise
        return [{solver: answers[solver][k] for solver in SOLVERS} for k in range(len(scripts))]


class _Worker:
    """A process that answers scripts, one JSON line each; it is started anew after one that took too long."""

    def __init__(self, solver: str) -> None:
        self._solver, self._closed = solver, False
        self._process: subprocess.Popen[str] | None = None
        self._asking = Lock()

    def ask_all(self, scripts: Sequence[str], time_limit: float) -> list[Answered]:
        found = []
        for script in scripts:
            with self._asking:  # nobody takes the process away from under a question
                found.append(self._ask(script, time_limit))
        return found

    def _ask(self, script: str, time_limit: float) -> Answered:
        if self._closed:
            return Answered(answer="error", text="the solvers were closed")
        start = perf_counter()
        process = self._process = self._process or self._started()
        timer = Timer(time_limit, process.kill)
        timer.start()
        stdin, stdout = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        with suppress(BrokenPipeError):  # a process that has ended may have written why
            stdin.write(json.dumps(script) + "\n")
            stdin.flush()
        line = stdout.readline()
        timer.cancel()
        late = perf_counter() - start >= time_limit
        if late or not line.endswith("\n"):
            self._stop()
            return Answered(answer="timeout" if late else "error", text="the solver's process ended")
        output = json.loads(line)
        if isinstance(output, dict):
            remedy = f"fix or remove it: pip install --force-reinstall {_DISTRIBUTIONS[self._solver]}"
            rule = f"cannot be started, so that it was asked nothing ({printable(output[CANNOT_START], 200)})"
            raise InputError("solver", self._solver, rule, remedy)
        return _interpreted(output)

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            # -P: with -m alone the current folder comes first, and a `re.py` or `z3.py` in it would run.
            [sys.executable, "-P", "-m", "proofs_checks.proofs.lemma.solver_process", self._solver],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def close(self) -> None:
        self._closed, process = True, self._process
        if process is not None:
            process.kill()
        with self._asking:
            self._stop()


def _interpreted(output: str) -> Answered:
    first, _, rest = output.strip().partition("\n")
    word = first.partition(" ")[0]  # cvc5 adds a reason to "unknown"
    if "(error" in output or word not in ("sat", "unsat", "unknown"):
        return Answered(answer="error", text=output)
    return Answered(answer=word, text=rest)  # type: ignore[arg-type]
