"""The time limit on code that swallows interruptions: seen afterwards, and said if there is no afterwards."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from mechanism.config import MechanismConfig
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.play.time_limit import Stopwatch, too_long

CONFIG = MechanismConfig(2, 0.5, 0.05, 1.0, 0.01, 0.5)
ROOT = Path(__file__).parents[3]


def asks(assign, stopwatch: Stopwatch) -> tuple[int, float]:
    made = SimpleNamespace(assign=assign, settle=lambda score, bid: None)
    return Subject(lambda config, rng: made, "test:hangs", stopwatch).start(CONFIG, 0).assign()


def swallows_and_answers() -> tuple[int, float]:
    with contextlib.suppress(BaseException):
        time.sleep(60)
    return 0, 1.0


def swallows_and_raises() -> tuple[int, float]:
    with contextlib.suppress(BaseException):
        time.sleep(60)
    raise ValueError("the service is down")


def swallows_several(times: int = 4) -> tuple[int, float]:
    for _ in range(times):
        with contextlib.suppress(BaseException):
            time.sleep(60)
    return 0, 1.0


@pytest.mark.parametrize("assign", [swallows_several, swallows_and_raises])
def test_an_interruption_that_is_swallowed_is_no_way_out(assign, capfd) -> None:
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching(), pytest.raises(MechanismError, match=r"at step 1 had not .* 1\.2 s: it waits") as caught:
        asks(assign, stopwatch)
    assert caught.value.kind == "too slow"
    assert capfd.readouterr().err == ""


def test_the_person_who_waits_is_told_once(capfd) -> None:
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching(), pytest.raises(MechanismError, match="had not returned after"):
        asks(lambda: swallows_several(14), stopwatch)
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("costproof: assign() at step 1 has taken more than 0.1 s and catches every interruption")


def test_what_cannot_be_interrupted_is_timed_all_the_same() -> None:
    found: list[str] = []

    def slow() -> tuple[int, float]:
        time.sleep(0.7)
        return 0, 1.0

    def asked() -> None:
        stopwatch = Stopwatch(0.05)
        with stopwatch.watching(), pytest.raises(MechanismError) as caught:
            asks(slow, stopwatch)
        found.append(caught.value.kind)

    thread = threading.Thread(target=asked)
    thread.start()
    thread.join()
    assert found == ["too slow"]


def test_the_next_call_is_timed_anew() -> None:
    stopwatch = Stopwatch(0.2)
    with stopwatch.watching():
        with pytest.raises(MechanismError, match="had not returned after"):
            asks(swallows_and_answers, stopwatch)
        assert stopwatch.exceeded
        assert asks(lambda: (1, 0.5), stopwatch) == (1, 0.5)
    assert not stopwatch.exceeded


def test_the_suite_reports_it_and_goes_no_further() -> None:
    made = SimpleNamespace(assign=swallows_and_answers, settle=lambda score, bid: None)
    only = ["answers", "lone-payment"]
    first, second = check_mechanism(lambda config, rng: made, only=only, effort=QUICK, time_limit=0.1).checks
    assert (first.status, second.status) == ("failed", "skipped")
    assert "had not returned after 1.2 s: it waits, it does not compute" in first.message
    assert second.message == "not run: answers failed"


ENDLESS = """
from types import SimpleNamespace

def assign():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass

def make(config, rng):
    return SimpleNamespace(assign=assign, settle=lambda score, bid: None)
"""


@pytest.mark.parametrize(
    ("worked", "told"), [(4.0, "took more than 5 s"), (2.0, "60 s, and computed for 2 s of them"), (0.1, "it waits")]
)
def test_what_is_said_depends_on_how_much_it_worked(worked: float, told: str) -> None:
    assert told in too_long(5.0, worked, 6.0)


@pytest.mark.long("kills processes")
def test_an_endless_loop_in_this_process_is_named_and_can_be_killed_by_hand(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = [sys.executable, "-m", "proofs_checks", "check", f"{tmp_path}/endless.py:make", "--quick"]
    with subprocess.Popen(
        [*command, "--time-limit", "0.2", "--in-process"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stderr is not None
            line = next(line for line in running.stderr if "catches every interruption" in line)
            assert "assign() at step 1 has taken more than 0.2 s" in line
            assert f"kill -9 {running.pid}" in line
            running.kill()  # what `kill -9` sends
            assert running.wait(10) != 0
        finally:
            running.kill()


def _computes() -> tuple[int, float]:
    while True:
        pass


def _computes_without_python() -> tuple[int, float]:
    return 0, float(sum(range(10**8)) > 0)  # one call into C: no interruption before it returns


def _waits_a_little() -> tuple[int, float]:
    time.sleep(0.4)
    return 0, 1.0


@pytest.mark.long("computes and waits for seconds")
@pytest.mark.parametrize("assign", [_computes, _computes_without_python])
def test_what_a_call_works_is_known_where_the_alarm_reads_it(assign, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of many periods no call asks for the processor's time: the alarm has it."""
    monkeypatch.setattr("proofs_checks.conformance.play.time_limit._PERIOD", 0.01)
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching():
        for _ in range(3):
            assert asks(_waits_a_little, stopwatch) == (0, 1.0)
        # The second is what a busy machine makes of it: then it did not work for half of the time.
        with pytest.raises(MechanismError, match=r"took more than 0\.1 s|after 1\.2 s, and computed for"):
            asks(assign, stopwatch)
        assert asks(_waits_a_little, stopwatch) == (0, 1.0)
