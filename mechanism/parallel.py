"""Independent tasks over local cores or a Dask cluster; results as they come.

Processes are copies of this one where that can be: on Linux, while it has a single thread. They have loaded then what
it has, which takes a second each time. Everything else goes through joblib.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from bounds.errors import InputError
from mechanism.arguments import whole_number

Result = TypeVar("Result")

#: Where tasks can run; the last on a cluster that is there already.
BACKENDS = ("threads", "processes", "dask")
_JOBLIB = {"threads": "threading", "processes": "loky"}
#: Seconds to wait for a cluster to answer.
_PATIENCE = 15
#: Seconds between two looks of a worker process at whether its parent is alive.
_GLANCE = 0.25
_ADDRESS_REMEDY = "give the address that `dask scheduler` prints"
#: What Dask takes as the address of a scheduler; anything else would make its client wait in vain.
_DASK_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[\w.-]+|\[[0-9A-Fa-f:.%\w]+\]):(\d{1,5})")
#: What Python asks whether to leave the current folder out, and which warnings to show.
_SAFE_PATH, _WARNINGS = "PYTHONSAFEPATH", "PYTHONWARNINGS"
#: Errors that mean that workers are gone, by name, since the classes live in packages that need not be there.
_LOST_WORKERS = {"BrokenProcessPool", "KilledWorker"}
_CANCELLED = {"CancelledError", "FutureCancelledError", "FuturesCancelledError"}
_LOST_CLUSTER = {"CommClosedError", "ConnectionError", "TimeoutError", "ClosedClientError"}


class WorkersLostError(InputError):
    """Processes or a cluster died under their tasks; finished results have been handed over."""


@dataclass(frozen=True)
class Workers:
    """Workers that tasks can be handed to (see `open_workers`).

    Parameters
    ----------
    backend : str
        One of `BACKENDS`.
    count : int
        How many tasks run at the same time.
    options : dict, optional
        For joblib's back end.
    """

    backend: str
    count: int
    options: dict[str, Any] = field(default_factory=dict)

    def run(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        begun: Callable[[], None] = lambda: None,
    ) -> Iterator[Result]:
        """Yield the result of every task, in the order in which they finish.

        Parameters
        ----------
        function : callable
            A module-level function of a task's items.
        tasks : sequence of tuple
            Arguments, one tuple per task.
        begun : callable, optional
            Called when the tasks are handed over, before any result. Who shows progress by a thread starts it here:
            processes cannot be copied before that.

        Raises
        ------
        WorkersLostError
            A process or cluster died under the tasks.
        """
        if self.backend in _JOBLIB and (self.count == 1 or len(tasks) <= 1):
            begun()
            for task in tasks:
                yield function(*task)
            return
        if self.backend == "processes" and _can_be_copied():
            with _worker_failures(self.backend):
                yield from _by_copies(function, tasks, min(self.count, len(tasks)), begun)
            return
        begun()
        with _worker_failures(self.backend), _environment(), warnings.catch_warnings():
            # Whoever interrupts knows that tasks in flight are lost; joblib need not warn of it.
            warnings.filterwarnings("ignore", message=r".*tasks which were still being processed", category=UserWarning)
            # A process that has grown by 300 MB is replaced between two tasks: nothing is lost.
            warnings.filterwarnings("ignore", message=r"A worker stopped while some jobs", category=UserWarning)
            yield from self._results(function, tasks)

    def _results(self, function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Result]:
        from joblib import Parallel, delayed, parallel_config  # 50 ms, which who only catches the error need not pay

        count = min(self.count, len(tasks)) if self.backend in _JOBLIB else -1
        options = self.options
        if self.backend == "processes":
            options = {**options, "initializer": _end_with, "initargs": (os.getpid(),)}
        with parallel_config(backend=_JOBLIB.get(self.backend, self.backend), n_jobs=count, **options):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(function)(*task) for task in tasks)


def _can_be_copied() -> bool:
    """Whether this process has one thread: in a copy nobody would open what other threads have locked."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    with suppress(OSError):
        for _ in range(10):
            if len(os.listdir("/proc/self/task")) == 1:
                return True
            time.sleep(0.005)  # one that has just ended may still be there
    return False


def _by_copies(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], count: int, begun: Callable[[], None]
) -> Iterator[Result]:
    """Yield the results of tasks over copies of this process, which are killed if it is interrupted."""
    others = set(multiprocessing.active_children())
    # A signal that comes now reaches the copies when they ignore it, and this process when it can end them.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    pool = ProcessPoolExecutor(count, mp_context=_Copies(), initializer=partial(_begin_copy, os.getpid(), blocked))
    try:
        finished = as_completed([pool.submit(function, *task) for task in tasks])
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        begun()
        for future in finished:
            yield future.result()
    except BaseException:
        for copy in set(multiprocessing.active_children()) - others:
            copy.kill()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        pool.shutdown(cancel_futures=True)


if sys.platform == "linux":  # elsewhere nothing is copied
    from multiprocessing.context import ForkContext, ForkProcess

    class _Copy(ForkProcess):
        """A copy that ends in silence where memory or threads run out: its parent says that it lost a worker."""

        def run(self) -> None:
            with suppress(MemoryError, RuntimeError):
                super().run()

    class _Copies(ForkContext):
        Process = _Copy


#: Those that interrupt work.
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _begin_copy(parent: int, blocked: Iterable[int]) -> None:
    """Let a copy leave signals from the terminal to its parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    # What the parent made lives as long as the copy: a compiler leaves millions of objects, and to look through them
    # again and again takes as long as to compile.
    gc.freeze()
    try:
        _end_with(parent)
    except RuntimeError:  # no thread can be started; raised, it would be logged with a traceback
        os._exit(1)


@contextmanager
def _environment() -> Iterator[None]:
    """Let what is started meanwhile do without the current folder, and clean up in silence what an interruption left.

    A `re.py` in the current folder, which comes first among the modules, would run in workers. They are handed the
    modules' path of this process before they load anything of a task's. What tracks the resources of workers ends after
    them all, and would warn of each that it has to remove.
    """
    before = {name: os.environ.get(name) for name in (_SAFE_PATH, _WARNINGS)}
    filters = [before[_WARNINGS], "ignore:resource_tracker:UserWarning"]
    os.environ |= {_SAFE_PATH: "1", _WARNINGS: ",".join(filter(None, filters))}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end_with(parent: int) -> None:
    """End this worker process when its parent is gone, as it may be already: a killed one cannot say so.

    Runs before a worker waits for its first task. The kernel's own signal (PR_SET_PDEATHSIG) would not do: it comes
    when the thread ends that started the worker, and a worker may be started by a thread that has less to do than the
    process. Loky's resource tracker ends by itself, once its pipe has no writer: neither the parent nor a worker.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_GLANCE)
        os._exit(1)

    threading.Thread(target=watch, name="ends with its parent", daemon=True).start()


def check_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown back end, and a scheduler without a cluster or the other way round.

    Raises
    ------
    InputError
        Also for what cannot be the address of a Dask scheduler.
    """
    if backend not in BACKENDS:
        raise InputError("backend", backend, f"must be one of {', '.join(BACKENDS)}", "threads is the default")
    if backend == "dask" and scheduler is None:
        raise InputError("scheduler", None, "must be given with backend dask", "name the cluster's address")
    if backend != "dask" and scheduler is not None:
        raise InputError("scheduler", scheduler, "needs backend dask", "leave it out to use this machine's cores")
    if backend == "dask":
        match = _DASK_ADDRESS.fullmatch(str(scheduler))
        if match is None or not 0 < int(match[1]) < 65_536:
            raise InputError("scheduler", scheduler, "must be tcp://HOST:PORT or HOST:PORT", _ADDRESS_REMEDY)


@contextmanager
def open_workers(backend: str, jobs: int, scheduler: str | None = None) -> Iterator[Workers]:
    """Open workers on this machine or connect to those of a cluster, and let go of them at the end.

    Parameters
    ----------
    backend : {"threads", "processes", "dask"}
    jobs : int
        Workers on this machine; one is the calling thread itself. A cluster has as many as it has.
    scheduler : str, optional
        Address of the Dask scheduler (``tcp://host:8786``).

    Raises
    ------
    InputError
        An unknown back end, a scheduler without a cluster or the other way round, no worker, a missing extra, or a
        cluster that does not answer.

    Examples
    --------
    >>> with open_workers("threads", jobs=2) as workers:
    ...     sorted(workers.run(max, [(1, 2), (4, 3)]))
    [2, 4]
    """
    check_backend(backend, scheduler)
    whole_number("jobs", jobs, "it is how many workers this machine gives", least=1)
    if backend in _JOBLIB:
        yield Workers(backend, jobs)
        return
    with _dask_workers(str(scheduler)) as workers:
        yield workers


@contextmanager
def _dask_workers(address: str) -> Iterator[Workers]:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise InputError("backend", "dask", "is not installed", "pip install 'costproof[cluster]'") from None
    with _silent_loggers("distributed", "distributed.client", "distributed.core", "distributed.utils"):
        try:
            client = _client(distributed, address)
        except (OSError, ValueError) as error:
            why = " ".join(str(error).split())[:120] or f"nothing answered within {_PATIENCE:g} s"
            rule = f"cannot be reached ({why})"
            raise InputError("scheduler", address, rule, _ADDRESS_REMEDY) from None
        try:
            yield Workers("dask", _dask_cores(client, address), {"client": client})
        finally:
            # Letting go of the futures also cancels the chunks that are still waiting on the cluster.
            _close(client)


def _client(distributed: Any, address: str) -> Any:
    """Return the client of a scheduler; an OSError or ValueError says why there is none."""
    with ThreadPoolExecutor(1) as thread:  # this one may have a loop that runs, as in a notebook
        greeting = thread.submit(asyncio.run, _greeted(distributed, address)).exception()
    if isinstance(greeting, OSError | ValueError):
        raise greeting
    try:
        if greeting is not None:
            raise greeting
        return _started(distributed.Client, address)
    except OSError:
        raise
    except Exception as error:  # of many kinds: Dask takes any bytes for its own, and asserts what a scheduler answers
        raise OSError("what answers there is not a Dask scheduler") from error


def _started(kind: Any, address: str) -> Any:
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=_PATIENCE, set_as_default=False)
    except BaseException:
        _close(client)
        raise
    return client


def _close(client: Any) -> None:
    """Close a client for good: its end would wait, and print a traceback, for a cluster that does not answer."""
    with suppress(TimeoutError, OSError, AttributeError):  # the cluster is gone, or the client was never whole
        client.close(timeout=2)
    client.status = "closed"


async def _greeted(distributed: Any, address: str) -> None:
    """Wait until a scheduler answers: its client would wait without end for one that accepts and does not answer."""
    arguments = distributed.Security().get_connection_args("client")
    connecting = distributed.comm.connect(address, timeout=_PATIENCE, **arguments)
    (await asyncio.wait_for(connecting, _PATIENCE)).abort()


@contextmanager
def _silent_loggers(*names: str) -> Iterator[None]:
    """Keep a library from logging tracebacks of what is reported as an error of one line."""
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _dask_cores(client: Any, address: str) -> int:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise InputError("scheduler", address, "has no workers", "start some with `dask worker ADDRESS`") from None
    return int(sum(client.ncores().values()))


@contextmanager
def _worker_failures(backend: str) -> Iterator[None]:
    """Say in one line that workers died; joblib and Dask would show a traceback of their own machinery."""
    names = _LOST_WORKERS | (_LOST_CLUSTER | _CANCELLED if backend == "dask" else set())
    try:
        yield
    except BaseException as error:  # a cancellation by asyncio is not a Exception
        if {kind.__name__ for kind in type(error).__mro__} & names:
            remedy = "finished chunks are kept where out names a folder; the same call does the rest"
            what = (
                "failed, the cluster was lost" if backend == "dask" else "lost its workers, perhaps as memory ran out"
            )
            raise WorkersLostError("backend", backend, f"{what} ({type(error).__name__})", remedy) from error
        raise


def run_tasks(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int,
    begun: Callable[[], None] = lambda: None,
) -> Iterator[Result]:
    """Yield the result of every task over local processes, in the order in which they finish.

    Parameters
    ----------
    function, tasks, begun
        As for `Workers.run`.
    jobs : int
        Processes; one means this process and the order of the tasks.

    Examples
    --------
    >>> list(run_tasks(max, [(1, 2), (4, 3)], jobs=1))
    [2, 4]
    """
    count = whole_number("jobs", jobs, "it is the number of processes", least=1)
    try:
        yield from Workers("processes", count).run(function, tasks, begun)
    except WorkersLostError as lost:
        raise WorkersLostError("jobs", jobs, lost.rule, "ask for fewer, or allow more memory (ulimit -v)") from lost
