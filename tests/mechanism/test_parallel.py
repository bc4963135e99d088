"""Workers: the same results from threads, processes and clusters; clear words where there are none."""

from __future__ import annotations

import asyncio
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
from mechanism.metrics.tally import ProviderField, Tallies
from mechanism.parallel import Workers, WorkersLostError, check_backend, open_workers, run_tasks

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


def _reset(_: int) -> int:
    raise ConnectionResetError


def _slowly(_: int) -> int:
    time.sleep(0.1)
    return 0


# The scheduler and two workers in one process: all go at once. (With one, joblib stays in the calling process.)
_SCHEDULER = """
import time
from distributed import LocalCluster

cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None)
print(cluster.scheduler_address, flush=True)
time.sleep(60)
"""


def _die(_: int) -> None:
    os._exit(1)


@pytest.mark.parametrize("backend", ["threads", "processes"])
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


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_errors_of_a_task_come_through(backend: str) -> None:
    with open_workers(backend, 2) as workers, pytest.raises(InputError, match="value=1 is odd"):
        list(workers.run(_fail, [(1,), (1,), (1,)]))


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_a_copy_without_memory_ends_in_silence(error: Exception, capfd: pytest.CaptureFixture[str]) -> None:
    """What the machinery of a process raises, beside a task, would be printed with a traceback."""
    copy = parallel._Copy(target=_raise, args=(error,))
    copy.start()
    copy.join(60)
    assert (copy.exitcode, capfd.readouterr().err) == (0, "")


def test_lost_workers_are_named_by_the_option_that_asked_for_them() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loky also warns
        with pytest.raises(InputError, match=r"jobs=2 lost its workers, perhaps as memory ran out \(.+\): ask for"):
            list(run_tasks(_die, [(1,), (2,)], jobs=2))


def test_dead_processes_are_named() -> None:
    with open_workers("processes", 2) as workers, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loky also warns
        with pytest.raises(InputError, match="lost its workers"):
            list(workers.run(_die, [(1,), (2,)]))


@pytest.mark.parametrize(
    ("backend", "scheduler", "words"),
    [
        ("threads", "tcp://127.0.0.1:1", "needs backend dask"),
        ("processes", "tcp://127.0.0.1:1", "needs backend dask"),
        ("auto", "tcp://127.0.0.1:1", "needs backend dask"),
        ("gpu", "tcp://127.0.0.1:1", "needs backend dask"),
        ("dask", None, "must be given with backend dask"),
        ("ray", "auto", "must be one of auto, threads, processes, dask, gpu"),
    ],
)
def test_back_ends_that_make_no_sense(backend: str, scheduler: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run_campaign(CAMPAIGN, backend=backend, scheduler=scheduler)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # importing it fails
    with pytest.raises(InputError, match=r"is not installed: pip install 'costproof\[dask\]'"):
        run_campaign(CAMPAIGN, backend="dask", scheduler="tcp://127.0.0.1:8786")


def test_a_gpu_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_gpu, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"gpu' is not installed: pip install 'costproof\[gpu\]'"):
        run_campaign(CAMPAIGN, backend="gpu")


@pytest.mark.parametrize(
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
    with pytest.raises(InputError, match=words):
        campaign_gpu.check_playable(part)


class CudaAPIError(Exception):
    """As Numba calls what a GPU answers that has too little memory."""


class FailingGpu:
    """In place of the module that needs a GPU: plays two runs of a campaign as the processor does, then fails."""

    __file__ = campaign_gpu.__file__

    def check_gpu(self) -> None:
        """There is one."""

    def gpu_name(self) -> str:
        return "FAKE GPU"

    def GpuEpisode(self, episode: CompiledEpisode) -> FailingGpu:  # noqa: N802 - the name of the class
        self.episode = episode
        return self

    def totals(self, *, runs: list[int], **asked: Any) -> Iterator[Tallies]:
        yield self.episode.totals(runs=runs[:2], **asked)
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


def test_a_folder_tells_what_it_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where runs of a GPU, whose payments are rounded otherwise, are played again for their curves."""

    class Rounding(FailingGpu):
        def totals(self, *, runs: list[int], **asked: Any) -> Iterator[Tallies]:
            played = self.episode.totals(runs=runs, **asked)
            played.by_provider[:, :, ProviderField.PAYMENT] *= 1 + 2**-50
            yield played

    monkeypatch.setattr(campaign_gpu, "_gpu", Rounding)
    asked = {"out": str(tmp_path), "traces": False, "tallies": True}
    there = run_campaign(CAMPAIGN, backend="gpu", **asked)
    again = run_campaign(CAMPAIGN, curves=True, **asked)
    assert there.metrics == again.metrics == run_campaign(CAMPAIGN, **asked).metrics
    assert there.tallies == again.tallies
    assert again.resumed == 0
    assert there.metrics != run_campaign(CAMPAIGN).metrics
    assert "FAKE GPU" in again.notes[0]


def test_what_a_gpu_plays() -> None:
    for part in CAMPAIGN.parts:
        campaign_gpu.check_playable(part)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "tcp://127.0.0.1:1"])
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_PATIENCE", 0.5)
    with pytest.raises(InputError, match=r"scheduler=.* cannot be reached"):
        run_campaign(CAMPAIGN, backend="dask", scheduler=address)


@pytest.mark.parametrize(
    ("says", "why"),
    [(b"", "nothing answered within 1 s"), (b"HTTP/1.1 400 Bad Request\r\n\r\n", "what answers there is not a Dask")],
)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_listens_and_is_no_scheduler(says: bytes, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's client would wait for it without end."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_PATIENCE", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted: list[socket.socket] = []

        def accept() -> None:
            accepted.append(listening.accept()[0])  # which stays open
            accepted[0].sendall(says)

        threading.Thread(target=accept, daemon=True).start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(InputError, match=rf"scheduler='{address}' cannot be reached \(.+\): give the address"):
            run_campaign(CAMPAIGN, backend="dask", scheduler=address)
        assert time.monotonic() - began < 60
        accepted[0].close()


@pytest.mark.parametrize("answer", [{"status": "OK"}, [{"op": "owned"}]])
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_speaks_dask_and_is_no_scheduler(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a worker does, whose address is easily taken for the scheduler's."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_PATIENCE", 2.0)
    listening, done = threading.Event(), threading.Event()
    contacts: list[str] = []

    async def answer_everything(comm: Any) -> None:
        with suppress(OSError):
            while True:
                await comm.read()
                await comm.write(answer)

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
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "address", ["nonsense", "nonsense://x:1", "tcp://h", "h:0", "h:65536", ":1", "h:1/x", "a b:1", ""]
)
def test_addresses_that_make_no_sense(address: str) -> None:
    with pytest.raises(InputError, match=r"scheduler=.* must be tcp://HOST:PORT"):
        check_backend("dask", address)


@pytest.mark.parametrize("address", ["h:1", "tcp://10.0.0.1:65535", "tls://my-host.org:8786", "tcp://[::1]:8786"])
def test_addresses_that_do(address: str) -> None:
    check_backend("dask", address)


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


def test_a_task_may_fail_on_this_machine_as_it_likes() -> None:
    with open_workers("threads", 2) as workers, pytest.raises(ConnectionResetError):
        list(workers.run(_reset, [(1,), (2,)]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_scheduler_that_is_killed() -> None:
    pytest.importorskip("distributed")
    scheduler = subprocess.Popen(
        [sys.executable, "-c", _SCHEDULER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        with open_workers("dask", 1, address) as workers:
            results = workers.run(_slowly, [(n,) for n in range(200)])
            next(results)
            scheduler.kill()
            with pytest.raises(WorkersLostError, match="the cluster was lost"):
                list(results)
    finally:
        scheduler.kill()
        scheduler.communicate(timeout=30)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a real cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as running:
            yield running.scheduler_address


#: A process with two threads, whose workers are no copies of it, that ends in the midst of their tasks.
ENDS_EARLY = """
import os, threading, time
from mechanism.parallel import Workers

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
for _ in Workers("processes", 2).run(abs, [(1,), (2,), (3,)]):
    os._exit(3)
"""


def test_nobody_warns_of_what_an_end_leaves_behind() -> None:
    """What tracks the workers' semaphores removes them after everybody else's end: it holds stderr until then."""
    ended = subprocess.run([sys.executable, "-c", ENDS_EARLY], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (3, "")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
class TestDask:
    def test_two_processes_of_a_cluster(self, cluster: str) -> None:
        with open_workers("dask", 1, cluster) as workers:
            assert workers.count == 2
            places = {process for process, _ in workers.run(_where, [(n,) for n in range(20)])}
        assert len(places) == 2
        assert os.getpid() not in places

    def test_results_are_those_of_threads_bit_for_bit(self, cluster: str, tmp_path) -> None:
        seen: list[tuple[int, int]] = []
        there = run_campaign(
            CAMPAIGN,
            backend="dask",
            scheduler=cluster,
            out=str(tmp_path),
            tallies=True,
            progress=lambda done, total: seen.append((done, total)),
        )
        here = run_campaign(CAMPAIGN, jobs=2, tallies=True)
        assert there.metrics == here.metrics
        assert there.tallies == here.tallies
        assert seen[0] == (0, 12)
        assert seen[-1] == (12, 12)
        assert len(list(tmp_path.glob("*.csv.gz"))) == 12

    def test_errors_of_a_worker_come_through(self, cluster: str) -> None:
        with open_workers("dask", 1, cluster) as workers, pytest.raises(InputError, match="value=1 is odd"):
            list(workers.run(_fail, [(1,), (1,)]))


def test_a_worker_with_other_versions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from mechanism.campaign import run as campaign

    monkeypatch.setattr(campaign, "result_versions", lambda: {"numpy": "1.0"})
    with pytest.raises(InputError, match="worker's versions"):
        run_campaign(replace(CAMPAIGN, runs=1))


#: How the tests below begin, in a process that can be copied: tests themselves may run beside other threads.
_ALONE = """
import multiprocessing, os, signal, sys, threading, time
from bounds.errors import InputError
from mechanism import parallel
from mechanism.parallel import WorkersLostError, run_tasks

LOADED = []

def where(number):
    time.sleep(0.05)
    return os.getpid(), list(LOADED), os.environ["OPENBLAS_NUM_THREADS"]

def fail(number):
    raise InputError("number", number, "is odd", "make it even")

def die(number):
    os._exit(1)

def sleep(number):
    time.sleep(60)

assert parallel._can_be_copied() is (sys.platform == "linux")
if sys.platform != "linux":
    raise SystemExit
"""


def _alone(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-Werror", "-c", _ALONE + code], capture_output=True, text=True, timeout=60, env=environment
    )


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "LOADED.append(1)\n"
            "found = list(run_tasks(where, [(n,) for n in range(8)], 2))\n"
            "assert len({pid for pid, _, _ in found} - {os.getpid()}) == 2, found\n"
            "assert all(loaded == [1] for _, loaded, _ in found)",
            id="they have loaded what this process has",
        ),
        pytest.param(
            "begun = []\n"
            "tasks = run_tasks(where, [(n,) for n in range(4)], 2, lambda: begun.append(threading.active_count()))\n"
            "next(tasks)\n"
            "assert begun, begun\n"
            "tasks.close()\n"
            "assert not multiprocessing.active_children()",
            id="who looks at the first result alone leaves none of them",
        ),
        pytest.param(
            "try:\n    list(run_tasks(fail, [(1,), (1,)], 2))\n"
            "except InputError as error:\n    assert 'is odd' in str(error)\n"
            "else:\n    raise SystemExit('no error')\n"
            "assert not multiprocessing.active_children()",
            id="errors come through",
        ),
        pytest.param(
            "try:\n    list(run_tasks(die, [(1,), (1,)], 2))\n"
            "except WorkersLostError as error:\n    assert 'lost its workers' in str(error)\n"
            "else:\n    raise SystemExit('no error')",
            id="dead ones are named",
        ),
        pytest.param(
            "before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}\n"
            "tasks = run_tasks(sleep, [(n,) for n in range(4)], 2, lambda: signal.raise_signal(signal.SIGINT))\n"
            "began = time.monotonic()\n"
            "try:\n    list(tasks)\nexcept KeyboardInterrupt:\n    pass\n"
            "else:\n    raise SystemExit('no interruption')\n"
            "assert time.monotonic() - began < 30\n"
            "assert not multiprocessing.active_children()\n"
            "assert before == {n: signal.getsignal(n) for n in before}\n"
            "assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())",
            id="an interruption ends them at once",
        ),
        pytest.param(
            "stop = threading.Event()\n"
            "other = threading.Thread(target=stop.wait)\n"
            "other.start()\n"
            "assert not parallel._can_be_copied()\n"
            "stop.set(); other.join()\n"
            "assert parallel._can_be_copied()",
            id="a process with other threads is not copied",
        ),
    ],
)
def test_copies_of_a_process_with_one_thread(code: str) -> None:
    done = _alone(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
