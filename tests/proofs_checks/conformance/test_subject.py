"""A mechanism under test: what cannot be loaded, wrong answers and endless calls become errors that say so."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import BrokenOffError, play_scenario
from proofs_checks.conformance.play.raised_at import raised_at
from proofs_checks.conformance.play.scenario import Query, Scenario, usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.play.time_limit import Stopwatch, too_long
from proofs_checks.conformance.report.script import to_script
from tests.refusals import refusal

CONFIG = MechanismConfig(2, 0.5, 0.05, 1.0, 0.01, 0.5)


def answering(answer, settle=lambda score, bid: None):
    made = SimpleNamespace(assign=lambda: answer() if callable(answer) else answer, settle=settle)
    return Subject(lambda config, rng: made, "test:answering")


WRONG = {
    "wrong type": [
        *(
            None,
            3,
            (0, 1.0, 2.0),
            "ab",
            {"provider": 0, "payment": 1.0},
            {0: "the provider", 1.0: "the payment"},
            {0, 1.0},
        ),
        *((0.0, 1.0), (True, 1.0), ("0", 1.0), (0, "1"), (0, None), (0, True), (0, 1j), (0, Decimal(1))),
    ],
    "no such provider": [(2, 1.0), (-1, 1.0)],
    "not finite": [(0, float("nan")), (0, float("inf")), (0, -np.inf)],
}


@pytest.mark.for_each(("kind", "answer"), [(kind, answer) for kind, answers in WRONG.items() for answer in answers])
def test_a_wrong_answer_is_named(answer, kind):
    with pytest.raises(MechanismError) as caught:
        answering(answer).start(CONFIG, 0).assign()
    assert caught.value.kind == kind
    assert "assign() at step 1" in caught.value.message


@pytest.mark.parametrize("answer", [(1, 0), [1, 0.5], (np.int64(1), np.float32(0.5)), (1, Fraction(1, 2))])
def test_whole_and_real_numbers_of_any_type_are_taken(answer):
    provider, payment = answering(answer).start(CONFIG, 0).assign()
    assert (type(provider), type(payment)) == (int, float)


@pytest.mark.parametrize("error", [ValueError("no\nroute"), SystemExit(3), AssertionError(), GeneratorExit()])
def test_whatever_a_mechanism_raises_is_an_error_of_its_own(error):
    def fails():
        raise error

    with pytest.raises(MechanismError, match=type(error).__name__) as caught:
        answering(fails).start(CONFIG, 0).assign()
    assert "\n" not in caught.value.message


def test_ctrl_c_is_nobodys_error():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answering(interrupted).start(CONFIG, 0).assign()


def test_a_factory_that_returns_no_mechanism_is_an_error():
    for made in (None, object(), SimpleNamespace(assign=lambda: (0, 1.0)), reference_mechanism):
        with pytest.raises(MechanismError, match="without"):
            Subject(lambda config, rng, made=made: made, "test:none").start(CONFIG, 0)


def sleeps():
    time.sleep(60)


def loops():
    while True:
        pass


def asks(assign, stopwatch: Stopwatch) -> tuple[int, float]:
    made = SimpleNamespace(assign=assign, settle=lambda score, bid: None)
    return Subject(lambda config, rng: made, "test:hangs", stopwatch).start(CONFIG, 0).assign()


#: On a busy machine a loop waits for its turn as well.
COMPUTES = r"took more than 0\.3 s|had not returned after 3\.6 s, and computed for"
WAITS = r"had not returned after 3\.6 s: it waits, it does not compute"


@pytest.mark.parametrize(("hang", "told"), [(sleeps, WAITS), (loops, COMPUTES)])
def test_a_call_that_hangs_is_interrupted(hang, told):
    paces: list[float] = []
    stopwatch = Stopwatch(0.3, paces.append)
    with stopwatch.watching(), pytest.raises(MechanismError, match=told) as caught:
        asks(hang, stopwatch)
    assert caught.value.kind == "too slow"
    assert all(seconds < 0.1 for seconds in paces), "how long a call takes that was interrupted is not known"


def test_nothing_is_interrupted_between_calls_and_a_foreign_alarm_is_put_back():
    def foreign(number, frame):
        raise RuntimeError

    before = signal.signal(signal.SIGALRM, foreign)
    try:
        with Stopwatch(0.1).watching():
            time.sleep(0.5)  # no call is being timed
        assert signal.getsignal(signal.SIGALRM) is foreign
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    finally:
        signal.signal(signal.SIGALRM, before)


def test_what_was_played_before_an_error_is_kept():
    def factory(config, rng):
        made = reference_mechanism(config, rng)
        calls = iter(range(100))
        return SimpleNamespace(assign=lambda: made.assign() if next(calls) < 4 else 1 / 0, settle=made.settle)

    scenario = Scenario(CONFIG, 0, ((Query(1.0, 0.25),), (Query(1.0, 0.5),)), 9)
    with pytest.raises(BrokenOffError, match="ZeroDivisionError") as caught:
        play_scenario(Subject(factory, "test:breaks"), scenario)
    assert len(caught.value.interaction.events) == 4


def test_a_changed_configuration_is_noticed_and_does_no_harm():
    def factory(config, rng):
        config.__dict__["cost_bound"] = 7.0
        return reference_mechanism(config, rng)

    mechanism = Subject(factory, "test:changes").start(CONFIG, 0)
    assert mechanism.configuration_change() == "cost_bound from 1.0 to 7.0"
    assert CONFIG.cost_bound == 1.0


def said(factory: Any) -> str:
    with pytest.raises(MechanismError) as caught:
        Subject(factory, "test:it").start(usual_config(n_providers=2), 0).assign()
    return caught.value.message


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {text}"))


class Divides:
    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.paid = 0

    def assign(self) -> tuple[int, float]:
        return 0, self.share()

    def share(self) -> float:
        return 1 / self.paid  # the division

    def settle(self, score: float, bid: float) -> None: ...


class Reads(Divides):
    def share(self) -> float:
        return float(json.loads("{"))  # the reading


def make(config: Any, rng: np.random.Generator) -> Any:
    raise OSError("no licence")  # the factory


@pytest.mark.for_each(
    ("factory", "error", "comment"),
    [
        (Divides, "ZeroDivisionError: division by zero", "the division"),
        (Reads, "JSONDecodeError", "the reading"),  # not the library that raises
        (make, "OSError: no licence", "the factory"),
    ],
)
def test_the_innermost_statement_of_ones_own_is_named(factory: Any, error: str, comment: str) -> None:
    told = said(factory)
    assert error in told
    assert told.endswith(f"test_subject.py:{line_of(comment)})")


def test_an_error_of_compiled_code_has_no_place() -> None:
    with pytest.raises(TypeError) as caught:
        len(3)  # type: ignore[arg-type]
    assert raised_at(caught.value, __file__) is None
    raising = Subject(lambda config, rng: None, "test:it")
    with pytest.raises(MechanismError, match=r"without assign\(\)$"):
        raising.start(usual_config(n_providers=2), 0)


ROOT = Path(__file__).parents[3]


def swallows(times: int = 1) -> tuple[int, float]:
    for _ in range(times):
        with contextlib.suppress(BaseException):
            time.sleep(60)
    return 0, 1.0


def swallows_and_raises() -> tuple[int, float]:
    swallows()
    raise ValueError("the service is down")


def slow() -> tuple[int, float]:
    time.sleep(0.4)
    return 0, 1.0


@pytest.mark.parametrize("assign", [partial(swallows, 4), swallows_and_raises])
def test_an_interruption_that_is_swallowed_is_no_way_out(assign, capfd) -> None:
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching(), pytest.raises(MechanismError, match=r"at step 1 had not .* 1\.2 s: it waits") as caught:
        asks(assign, stopwatch)
    assert caught.value.kind == "too slow"
    assert capfd.readouterr().err == ""


def test_the_person_who_waits_is_told_once(capfd) -> None:
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching(), pytest.raises(MechanismError, match="had not returned after"):
        asks(partial(swallows, 14), stopwatch)
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("costproof: assign() at step 1 has taken more than 0.1 s and catches every interruption")


def test_what_cannot_be_interrupted_is_timed_all_the_same() -> None:
    found: list[str] = []

    def asked() -> None:
        stopwatch = Stopwatch(0.03)
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
            asks(swallows, stopwatch)
        assert stopwatch.exceeded
        assert asks(lambda: (1, 0.5), stopwatch) == (1, 0.5)
    assert not stopwatch.exceeded


def test_the_suite_reports_it_and_goes_no_further() -> None:
    made = SimpleNamespace(assign=swallows, settle=lambda score, bid: None)
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
            line = next(line for line in running.stderr if "catches every interruption" in line)
            assert "assign() at step 1 has taken more than 0.2 s" in line
            assert f"kill -9 {running.pid}" in line
            running.kill()  # what `kill -9` sends
            assert running.wait(10) != 0
        finally:
            running.kill()


def loops_without_python() -> tuple[int, float]:
    return 0, float(sum(range(10**8)) > 0)  # one call into C: no interruption before it returns


@pytest.mark.long("computes and waits for seconds")
@pytest.mark.parametrize("assign", [loops, loops_without_python])
def test_what_a_call_works_is_known_where_the_alarm_reads_it(assign, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of many periods no call asks for the processor's time: the alarm has it."""
    monkeypatch.setattr("proofs_checks.conformance.play.time_limit._PERIOD", 0.01)
    stopwatch = Stopwatch(0.1)
    with stopwatch.watching():
        for _ in range(3):
            assert asks(slow, stopwatch) == (0, 1.0)
        # The second is what a busy machine makes of it: then it did not work for half of the time.
        with pytest.raises(MechanismError, match=r"took more than 0\.1 s|after 1\.2 s, and computed for"):
            asks(assign, stopwatch)
        assert asks(slow, stopwatch) == (0, 1.0)


BROKEN = {
    "NameError": ("import math\n\nx = math.pi + undefined_name\n", 3, "undefined_name"),
    "SyntaxError": ("x = 1\ndef broken(:\n    pass\n", 2, "invalid syntax"),
    "ModuleNotFoundError": ("x = 1\n\n\nimport no_such_dependency.part\n", 4, "no_such_dependency"),
    "ImportError": ("from math import no_such_function\n", 1, "no_such_function"),
    "SystemExit": ("import sys\nsys.exit('not today')\n", 2, "not today"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def refused(target: str) -> str:
    error = refusal(load_factory, target)
    return str(error)


@pytest.mark.parametrize("error", BROKEN)
@pytest.mark.parametrize("by_name", [True, False], ids=["module", "file"])
def test_a_module_that_fails_names_file_and_line(folder: Path, error: str, by_name: bool) -> None:
    code, line, mentioned = BROKEN[error]
    name = f"broken_{error}_{by_name}".lower()
    (folder / f"{name}.py").write_text(code)
    message = refused(f"{name}:make" if by_name else f"{folder}/{name}.py:make")
    assert f"fails when it is imported at {folder}/{name}.py:{line} ({error}: " in message
    assert mentioned in message
    assert "write MODULE:OBJECT" not in message
    assert ("install the package that has 'no_such_dependency'" in message) == (error == "ModuleNotFoundError")


def test_the_module_that_fails_may_be_one_that_is_imported(folder: Path) -> None:
    (folder / "house_outer.py").write_text("import house_inner\n")
    (folder / "house_inner.py").write_text("\n\n1 / 0\n")
    assert f"at {folder}/house_inner.py:3 (ZeroDivisionError" in refused("house_outer:make")


def test_a_package_whose_own_import_is_misspelt_is_not_missing(folder: Path) -> None:
    (folder / "house_package").mkdir()
    (folder / "house_package" / "__init__.py").write_text("")
    (folder / "house_package" / "router.py").write_text("import house_package.rooter\n")
    message = refused("house_package.router:make")
    assert "house_package/router.py:1 (ModuleNotFoundError" in message
    assert "write MODULE:OBJECT" not in message


@pytest.mark.parametrize("text", ["from house_beside.rules import make\n", "from .rules import make\n"])
def test_a_file_that_imports_from_the_current_folder_says_how_to_name_its_module(folder: Path, text: str) -> None:
    for name in ("house_beside", "house_routers"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("")
        (folder / name / "rules.py").write_text("def make(config, rng):\n    raise NotImplementedError\n")
    (folder / "house_routers" / "first.py").write_text(text)
    assert "write house_routers.first:make" in refused("house_routers/first.py:make")
    assert load_factory("house_routers.first:make").__name__ == "make"
    (folder / "house_routers" / "second.py").write_text("import house_beside_misspelt\n")
    assert "install the package that has 'house_beside_misspelt'" in refused("house_routers/second.py:make")


SERVICE = {
    "house/core.py": "def make(config, rng): ...\n",
    "house/routers/second.py": "from ..core import make\n",
    "house/routers/third.py": "from .second import make\n",
    "house/routers/inner/fourth.py": "from house.core import make\n",
}


@pytest.mark.parametrize(
    ("start", "target", "says"),
    [
        (
            ".",
            "house/routers/second.py",
            "write house.routers.second:make, which imports packages of the current folder",
        ),
        ("house", "routers/second.py", "write house.routers.second:make and run it from {}, which holds the package"),
        ("house", "routers.third", "write house.routers.third:make and run it from {}, which holds the package"),
        ("house/routers", "third.py", "write routers.third:make and run it from {}/house, which holds the package"),
        ("..", "*/house/routers/inner/fourth.py", "write house.routers.inner.fourth:make and run it from {}, which"),
    ],
)
def test_the_folder_that_holds_a_package_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, start: str, target: str, says: str
) -> None:
    for name, text in SERVICE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("house", "routers", "inner", "second", "third")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.chdir(folder / start)
    assert says.format(folder) in refused(f"{target.replace('*', folder.name)}:make")


@pytest.mark.parametrize("target", ["no_such_module:make", "math.no_such_part:make", "..bad:make", "no_such.part:make"])
def test_a_module_that_is_not_there_says_how_to_name_one(target: str) -> None:
    assert "write MODULE:OBJECT" in refused(target)


ASYNC = """
from mechanism.platform import reference_mechanism

async def factory(config, rng):
    return reference_mechanism(config, rng)

class Assigns:
    def __init__(self, config, rng):
        self._mechanism = reference_mechanism(config, rng)
    async def assign(self):
        return self._mechanism.assign()
    def settle(self, score, bid):
        self._mechanism.settle(score, bid)

class Settles:
    def __init__(self, config, rng):
        self._mechanism = reference_mechanism(config, rng)
    def assign(self):
        return self._mechanism.assign()
    async def settle(self, score, bid):
        self._mechanism.settle(score, bid)
"""


@pytest.mark.parametrize(
    ("name", "call"), [("factory", "factory(config, rng)"), ("Assigns", "assign() at step 1"), ("Settles", "settle(")]
)
def test_coroutines_are_not_awaited_and_that_is_said(folder: Path, name: str, call: str) -> None:
    (folder / "house_async.py").write_text(ASYNC)
    target = f"{folder}/house_async.py:{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = check_mechanism(load_factory(target), name=target, only=["answers"], effort=QUICK)
        [result] = report.checks
        assert result.status == "failed"
        assert call in result.message
        assert "returned a coroutine, which nothing awaits: write def, not async def" in result.message
        with pytest.raises(AssertionError, match="a coroutine, which nothing awaits"):
            exec(to_script(target, result.name, result.claim, result.failure), {})
