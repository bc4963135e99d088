"""z3 and cvc5, each on the same SMT-LIB text, in processes of their own with a limit on the time."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Event, Thread
from time import perf_counter
from typing import IO, Literal

from bounds.errors import InputError, printable
from mechanism.versions import versions
from proofs_checks.proofs.solvers.solver_process import CANNOT_START

Answer = Literal["sat", "unsat", "unknown", "timeout", "error", "missing"]
SOLVERS = ("z3", "cvc5")
#: Answers that stay: a solver that gives up or is stopped may do better another time.
DEFINITE = ("sat", "unsat")
#: From a solver to the distribution that brings it.
_DISTRIBUTIONS = {"z3": "z3-solver", "cvc5": "cvc5"}
#: Seconds that one question may take.
TIME_LIMIT = 10.0
#: How the C library is to give z3 memory, where it is GNU's: z3 fills two tables of 8 MB for every script, which is
#: quicker in huge pages.
_MEMORY: dict[str, dict[str, str]] = {"z3": {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}, "cvc5": {}}
#: Seconds between looks whether an answer is overdue.
_LOOKS = 0.1


@dataclass(frozen=True)
class Answered:
    """What a solver says of a script.

    Parameters
    ----------
    answer : {"sat", "unsat", "unknown", "timeout", "error", "missing"}
    seconds : float
    text : str
        The rest of its output: a model, or an error.
    kept : bool
        Whether it was given before, to the same script by the same version.
    stored : bool
        Whether that was when this package was made, and not here.
    """

    answer: Answer
    seconds: float
    text: str = ""
    kept: bool = False
    stored: bool = False


def installed() -> tuple[str, ...]:
    """Return the solvers that can be run here."""
    return tuple(name for name in SOLVERS if find_spec(name) is not None)


def solver_versions() -> dict[str, str]:
    """Return the versions that produced a result; "missing" for a solver that is not installed."""
    return versions(_DISTRIBUTIONS, absent="missing")


def ask_all(
    solver: str,
    questions: Mapping[str, str],
    *,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[int, int], None] = lambda done, total: None,
    stopped: Event | None = None,
) -> dict[str, Answered]:
    """Return a solver's answers to scripts, one after another in one process of it.

    Scripts that differ in their title alone are put to it once.
    """
    stopped = stopped or Event()
    if solver not in installed():
        return {name: Answered("missing", 0.0) for name in questions}
    answers: dict[str, Answered] = {}
    said: dict[str, Answered] = {}
    worker: _Worker | None = None
    try:
        for name, text in questions.items():
            if stopped.is_set():
                break
            script = _untitled(text)
            if script not in said:
                worker = worker or _idle_worker(solver) or _Worker(solver)
                said[script] = worker.ask(text, time_limit)
                if worker.ended:
                    worker = None
            answers[name] = said[script]
            progress(len(answers), len(questions))
    finally:
        if worker is not None:
            _leave(worker, whole=len(answers) == len(questions))
    return answers


#: Processes that wait for further questions, by solver, while `shared_processes` lasts; None outside.
_idle: dict[str, list[_Worker]] | None = None


@contextmanager
def shared_processes() -> Iterator[None]:
    """Let all that is asked within the block be asked of the same processes: to start one takes as long as 20 answers.

    Each script has a context of its own whichever process it is put to. Nested blocks share with the outer one.
    """
    global _idle
    if _idle is not None:
        yield
        return
    _idle = {solver: [] for solver in SOLVERS}
    try:
        yield
    finally:
        waiting, _idle = _idle, None
        for workers in waiting.values():
            for worker in workers:
                worker.stop()


def _idle_worker(solver: str) -> _Worker | None:
    return _idle[solver].pop() if _idle is not None and _idle[solver] else None


def _untitled(text: str) -> str:
    """Return a script without the comment that it begins with."""
    return text.partition("\n")[2] if text.startswith(";") else text


def _leave(worker: _Worker, *, whole: bool) -> None:
    """Let a process wait for more questions where they may come; one that was interrupted may be at work on one."""
    if _idle is not None and whole:
        _idle[worker.solver].append(worker)
    else:
        worker.stop()


def ask_both(
    questions: Mapping[str, str],
    *,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, dict[str, Answered]]:
    """Return the answers of both solvers to the same questions, by solver and name; as `ask_each`."""
    return ask_each(dict.fromkeys(SOLVERS, questions), time_limit=time_limit, progress=progress)


def ask_each(
    questions: Mapping[str, Mapping[str, str]],
    *,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, dict[str, Answered]]:
    """Return the answers of solvers, which work side by side, by solver and name."""
    stopped = Event()
    with ThreadPoolExecutor(len(SOLVERS)) as pool:
        try:
            running = {
                solver: pool.submit(
                    ask_all, solver, questions[solver], time_limit=time_limit, progress=progress, stopped=stopped
                )
                for solver in questions
            }
            return {solver: future.result() for solver, future in running.items()}
        except BaseException:
            stopped.set()  # an interruption must not wait for all the other questions
            raise


class _Worker:
    """A process that answers scripts, one JSON line each."""

    def __init__(self, solver: str) -> None:
        self.ended, self.solver = False, solver
        self._process = subprocess.Popen(
            # -P: with -m alone the current folder comes first, and a `re.py` or `z3.py` in it would run.
            [sys.executable, "-P", "-m", "proofs_checks.proofs.solvers.solver_process", solver],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**_MEMORY[solver], **os.environ},
        )
        self._input: IO[str] = self._process.stdin  # type: ignore[assignment]
        self._output: IO[str] = self._process.stdout  # type: ignore[assignment]
        self._due, self._stopped = math.inf, Event()
        # One thread watches over all its answers: a timer for each would be a thread for each.
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """End the process once an answer is overdue."""
        while not self._stopped.wait(_LOOKS):
            if perf_counter() > self._due:
                self._process.kill()

    def ask(self, text: str, time_limit: float) -> Answered:
        start = perf_counter()
        self._due = start + time_limit
        with suppress(BrokenPipeError):  # a process that has ended may have written why
            self._input.write(json.dumps(text) + "\n")
            self._input.flush()
        line = self._output.readline()
        self._due = math.inf
        # Taken after that: a process that was ended is never taken for one that answered in time.
        seconds = perf_counter() - start
        if not line or seconds > time_limit:
            self.stop()
            self.ended = True
            return Answered("timeout" if seconds > time_limit else "error", seconds, "the solver's process ended")
        output = json.loads(line)
        if isinstance(output, dict):
            remedy = f"fix or remove it: pip install --force-reinstall {_DISTRIBUTIONS[self.solver]}"
            rule = f"cannot be started, so that it was asked nothing ({printable(output[CANNOT_START], 200)})"
            raise InputError("solver", self.solver, rule, remedy)
        return _interpreted(output, seconds)

    def stop(self) -> None:
        self._stopped.set()
        self._process.kill()
        self._process.communicate()


def _interpreted(output: str, seconds: float) -> Answered:
    first, _, rest = output.strip().partition("\n")
    if first.startswith("unknown ("):  # cvc5 adds the reason
        first = "unknown"
    if "(error" in output or first not in ("sat", "unsat", "unknown"):
        return Answered("error", seconds, output)
    return Answered(first, seconds, rest)  # type: ignore[arg-type]
