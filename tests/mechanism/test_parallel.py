"""Workers: the same results from threads, processes and clusters; clear words where there are none."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import nullcontext, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.published import published
from mechanism import parallel
from mechanism.campaign import gpu as campaign_gpu, run as campaign
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.delays import DelayLaw
from mechanism.metrics.tally import Tally
from mechanism.parallel import Workers, WorkersLostError, check_backend, open_workers, run_tasks
from tests.refusals import assert_refused

CAMPAIGN = Campaign(
    published("gpqa-strong").setting,
    horizon=600,
    runs=6,
    seed=3,
    window=100,
    policies=("platform", "no-quality-filter"),
    checkpoints=(50,),
)
TASKS = [(value, value + 1) for value in range(20)]


def _sum(first: int, second: int) -> int:
    return first + second


def _where(_: int) -> tuple[int, int]:
    time.sleep(0.05)  # nobody does it all alone
    return os.getpid(), threading.get_ident()


def _fail(value: int) -> int:
    raise InputError("value", value, "is odd", "make it even")


def on_dask(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that needs Dask, whose own warnings say nothing here."""
    for mark in (
        pytest.mark.long("starts a cluster"),
        pytest.mark.skipif(find_spec("distributed") is None, reason="needs distributed: pip install '.[long]'"),
        pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:distributed"),
        pytest.mark.filterwarnings("ignore::ResourceWarning"),
    ):
        test = mark(test)
    return test


def _die(_: int) -> None:
    os._exit(1)


PROCESSES = pytest.param("processes", marks=pytest.mark.long("starts processes"))


@pytest.mark.parametrize("backend", ["threads", PROCESSES])
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_result_comes_once(backend: str, jobs: int) -> None:
    with open_workers(backend, jobs) as workers:
        assert sorted(workers.run(_sum, TASKS)) == [2 * value + 1 for value in range(20)]


def test_where_tasks_run() -> None:
    here = _where(0)
    assert set(run_tasks(_where, [(1,), (2,)], jobs=1)) == {here}
    with open_workers("threads", 2) as workers:
        threads = set(workers.run(_where, [(n,) for n in range(8)]))
    assert {process for process, _ in threads} == {here[0]}
    assert here not in threads
    assert here[0] not in {process for process, _ in run_tasks(_where, [(n,) for n in range(4)], jobs=2)}


@pytest.mark.parametrize("backend", ["threads", PROCESSES])
def test_errors_of_a_task_come_through(backend: str) -> None:
    with open_workers(backend, 2) as workers, pytest.raises(InputError, match="value=1 is odd"):
        list(workers.run(_fail, [(1,), (1,), (1,)]))


@pytest.mark.long("kills processes")
def test_dead_processes_are_named_by_the_option_that_asked_for_them() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loky also warns
        with pytest.raises(InputError, match=r"jobs=2 lost its workers, perhaps as memory ran out \(.+\): ask for"):
            list(run_tasks(_die, [(1,), (2,)], jobs=2))
        with open_workers("processes", 2) as workers, pytest.raises(InputError, match="lost its workers"):
            list(workers.run(_die, [(1,), (2,)]))


@pytest.mark.for_each(
    ("backend", "scheduler", "words"),
    [
        *((backend, "tcp://127.0.0.1:1", "needs backend dask") for backend in ("threads", "processes", "auto", "gpu")),
        ("dask", None, "must be given with backend dask"),
        ("ray", "auto", "must be one of auto, threads, processes, dask, gpu"),
    ],
)
def test_back_ends_that_make_no_sense(backend: str, scheduler: str | None, words: str) -> None:
    assert_refused(words, run_campaign, CAMPAIGN, backend=backend, scheduler=scheduler)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # importing it fails
    with pytest.raises(InputError, match=r"is not installed: pip install 'costproof\[cluster\]'"):
        run_campaign(CAMPAIGN, backend="dask", scheduler="tcp://127.0.0.1:8786")


def test_a_gpu_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_gpu, "find_spec", lambda _: None)
    assert_refused(r"gpu' is not installed: pip install 'costproof\[gpu\]'", run_campaign, CAMPAIGN, backend="gpu")


@pytest.mark.for_each(
    ("change", "words"),
    [
        ({"bidders": "bayesian"}, "plays truthful bidders only, not bayesian ones"),
        ({"policies": ("cheapest-bid",)}, "no runs of cheapest-bid"),
        ({"delay": DelayLaw(most=3)}, "no runs with late feedback"),
    ],
)
def test_what_no_gpu_plays(change: dict[str, Any], words: str) -> None:
    """It is said before anything is played; here without a GPU."""
    (part,) = replace(CAMPAIGN, **change).parts
    assert_refused(words, campaign_gpu.check_playable, part)


class CudaAPIError(Exception):
    """As Numba calls what a GPU answers that has too little memory."""


class FailingGpu:
    """In place of the module that needs a GPU: plays two runs of a campaign as the processor does, then fails."""

    __file__ = campaign_gpu.__file__

    def check_gpu(self) -> None:
        """There is one."""

    def gpu_name(self) -> str:
        return "FAKE GPU"

    def gpu_totals(self, episode: CompiledEpisode, *, runs: list[int], **asked: Any) -> Iterator[Tally]:
        yield episode.totals(runs=runs[:2], **asked)
        if len(runs) > 1:
            raise CudaAPIError("out of memory")


def test_a_gpu_that_fails_loses_nothing_that_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_gpu, "_gpu", FailingGpu)
    asked = {"out": str(tmp_path), "traces": False}
    with pytest.raises(WorkersLostError, match=r"gpu' failed \(out of memory\): 2 of .* runs are finished in"):
        run_campaign(CAMPAIGN, backend="gpu", **asked)
    assert run_campaign(CAMPAIGN, **asked).resumed == 2
    with pytest.raises(WorkersLostError, match="leave it more memory"):
        run_campaign(CAMPAIGN, backend="gpu")


@on_dask
@pytest.mark.parametrize("address", ["127.0.0.1:1", "tcp://127.0.0.1:1"])
def test_a_cluster_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_PATIENCE", 0.5)
    assert_refused(r"scheduler=.* cannot be reached", run_campaign, CAMPAIGN, backend="dask", scheduler=address)


@on_dask
@pytest.mark.parametrize(
    ("says", "why"),
    [(b"", "nothing answered within 1 s"), (b"HTTP/1.1 400 Bad Request\r\n\r\n", "what answers there is not a Dask")],
)
def test_what_listens_and_is_no_scheduler(says: bytes, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's client would wait for it without end."""
    monkeypatch.setattr(parallel, "_PATIENCE", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted: list[socket.socket] = []

        def accept() -> None:
            accepted.append(listening.accept()[0])  # which stays open
            accepted[0].sendall(says)

        threading.Thread(target=accept, daemon=True).start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(InputError, match=rf"scheduler='{address}' cannot be reached \({why}.*\): give the address"):
            run_campaign(CAMPAIGN, backend="dask", scheduler=address)
        accepted[0].close()


@pytest.mark.long("listens as a Dask worker does")
@pytest.mark.parametrize("answer", [{"status": "OK"}, [{"op": "owned"}], None])
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_speaks_dask_and_is_no_scheduler(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a worker does, whose address is easily taken for the scheduler's; or what sends back whatever comes."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_PATIENCE", 2.0)
    listening, done = threading.Event(), threading.Event()
    contacts: list[str] = []

    async def answer_everything(comm: Any) -> None:
        with suppress(OSError):
            while True:
                asked = await comm.read()
                await comm.write(asked if answer is None else answer)

    async def listen() -> None:
        async with distributed.comm.listen("tcp://127.0.0.1:0", answer_everything) as listener:
            contacts.append(listener.contact_address)
            listening.set()
            while not done.is_set():
                await asyncio.sleep(0.05)

    thread = threading.Thread(target=asyncio.run, args=(listen(),))
    thread.start()
    listening.wait(60)
    try:
        with pytest.raises(InputError, match=r"cannot be reached \(what answers there is not a Dask scheduler\)"):
            run_campaign(CAMPAIGN, backend="dask", scheduler=contacts[0])
        assert {client.status for client in gc.get_objects() if type(client) is distributed.Client} <= {"closed"}
    finally:
        done.set()
        thread.join()


@pytest.mark.for_each(
    "address", ["nonsense", "nonsense://x:1", "tcp://h", "h:0", "h:65536", ":1", "h:1/x", "a b:1", ""]
)
def test_addresses_that_make_no_sense(address: str) -> None:
    assert_refused(r"scheduler=.* must be tcp://HOST:PORT", check_backend, "dask", address)
    for right in ("h:1", "tcp://10.0.0.1:65535", "tls://my-host.org:8786", "tcp://[::1]:8786"):
        check_backend("dask", right)


class CommClosedError(OSError):
    """Named like Dask's."""


@pytest.mark.parametrize(
    "error", [CommClosedError, asyncio.CancelledError, futures.CancelledError, ConnectionResetError]
)
def test_a_lost_cluster_is_one_line(error: type[BaseException], tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(workers: Workers, function: Callable[..., object], tasks: list[tuple]) -> Iterator[object]:
        yield function(*tasks[0])
        raise error

    monkeypatch.setattr(Workers, "_results", lost)
    monkeypatch.setattr(campaign, "open_workers", lambda *_: nullcontext(Workers("dask", 2)))
    with pytest.raises(InputError, match="the cluster was lost") as caught:
        run_campaign(CAMPAIGN, backend="dask", scheduler="h:1", out=str(tmp_path), traces=False)
    assert re.fullmatch(r"[1-9]\d* of 12 runs are finished in .*; the same command does the rest", caught.value.remedy)
    assert str(tmp_path) in caught.value.remedy


@on_dask
def test_runs_of_a_cluster_are_those_of_threads_bit_for_bit(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    seen: list[tuple[int, int]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as running:
            with open_workers("dask", 1, running.scheduler_address) as workers:
                assert workers.count == 2
                places = {process for process, _ in workers.run(_where, [(n,) for n in range(20)])}
                assert_refused("value=1 is odd", list, workers.run(_fail, [(1,), (1,)]))
            asked = {"scheduler": running.scheduler_address, "out": str(tmp_path), "tallies": True}
            there = run_campaign(CAMPAIGN, backend="dask", progress=lambda *told: seen.append(told), **asked)
    assert len(places - {os.getpid()}) == len(places) == 2
    here = run_campaign(CAMPAIGN, jobs=2, tallies=True)
    assert (there.metrics, there.tallies) == (here.metrics, here.tallies)
    assert (seen[0], seen[-1]) == ((0, 12), (12, 12))
    assert len(list(tmp_path.glob("*.csv.gz"))) == 12


def test_a_worker_with_other_versions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "result_versions", lambda: {"numpy": "1.0"})
    assert_refused("worker's versions", run_campaign, replace(CAMPAIGN, runs=1))


#: Workers that are copies of a process with one thread: tests themselves may run beside other threads.
_COPIES = """
import multiprocessing, os, signal, sys, threading, time
from bounds.errors import InputError
from mechanism import parallel
from mechanism.parallel import WorkersLostError, run_tasks

LOADED = []

def where(number):
    time.sleep(0.05)
    return os.getpid(), list(LOADED)

def fail(number):
    raise InputError("number", number, "is odd", "make it even")

def die(number):
    os._exit(1)

def sleep(number):
    time.sleep(60)

def error_of(tasks):
    try:
        list(tasks)
    except (InputError, KeyboardInterrupt) as error:
        assert not multiprocessing.active_children()
        return type(error), str(error)

assert parallel._can_be_copied()
LOADED.append(1)
found = list(run_tasks(where, [(n,) for n in range(8)], 2))
assert len({pid for pid, _ in found} - {os.getpid()}) == 2, found
assert all(loaded == [1] for _, loaded in found), "copies have loaded what this process has"

begun = []
tasks = run_tasks(where, [(n,) for n in range(4)], 2, lambda: begun.append(threading.active_count()))
next(tasks)
assert begun
tasks.close()
assert not multiprocessing.active_children(), "who looks at the first result alone leaves none of them"

assert "is odd" in error_of(run_tasks(fail, [(1,), (1,)], 2))[1]
kind, text = error_of(run_tasks(die, [(1,), (1,)], 2))
assert kind is WorkersLostError and "lost its workers" in text

before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
tasks = run_tasks(sleep, [(n,) for n in range(4)], 2, lambda: signal.raise_signal(signal.SIGINT))
assert error_of(tasks)[0] is KeyboardInterrupt, "an interruption ends them at once"
assert before == {n: signal.getsignal(n) for n in before}
assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())

stop = threading.Event()
other = threading.Thread(target=stop.wait)
other.start()
assert not parallel._can_be_copied(), "a process with other threads is not copied"
stop.set(); other.join()
assert parallel._can_be_copied()
"""


@pytest.mark.long("starts processes")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
def test_copies_of_a_process_with_one_thread() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-Werror", "-c", _COPIES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=55, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
