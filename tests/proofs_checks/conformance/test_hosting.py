"""A hosted mechanism answers and prints as in this process, and ends with whoever started it, however that ends."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from bounds.errors import InputError
from mechanism import platform
from mechanism.delays import delay_law
from mechanism.platform import reference_mechanism
from proofs_checks.cli.main import main
from proofs_checks.conformance.checks.fresh_process import compare_with_a_fresh_process
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.hosting.host_process import HostLimits
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.printed import BYTES, LINES, PrintedText
from proofs_checks.conformance.hosting.shared_page import SharedPage
from proofs_checks.conformance.mutants.gallery import CORRECT
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import BrokenOffError, answers_to, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario, usual_config
from proofs_checks.conformance.play.subject import Subject, name_of
from proofs_checks.conformance.suite import check_mechanism
from tests.proofs_checks.conformance import misbehaving
from tests.refusals import assert_refused

ROOT = Path(__file__).parents[3]
MODULE = Path(misbehaving.__file__)
REFERENCE = "mechanism.platform:reference_mechanism"
CONFIG = usual_config(n_providers=3, quality_threshold=0.25, exploration_scale=1.3)
SETTLEMENTS = [(7 * step % 10 / 10, 3 * step % 8 / 8) for step in range(450)]
LOCAL = Subject(reference_mechanism, REFERENCE)


@pytest.fixture(scope="module")
def hosted() -> Iterator[HostedSubject]:
    with HostedSubject(REFERENCE) as subject:
        yield subject


class TestAnswers:
    """Whatever way it is asked, a hosted mechanism gives the answers of one in this process."""

    def test_of_a_history(self, hosted: HostedSubject) -> None:
        assert answers_to(hosted, CONFIG, 5, SETTLEMENTS) == answers_to(LOCAL, CONFIG, 5, SETTLEMENTS)
        assert answers_to(hosted, CONFIG, 5, ()) == answers_to(LOCAL, CONFIG, 5, ())

    def test_step_by_step(self, hosted: HostedSubject) -> None:
        mechanism, answers = hosted.start(CONFIG, 5), []
        for score, bid in SETTLEMENTS[:60]:
            answers.append(mechanism.assign())
            mechanism.settle(score, bid)
        answers.append(mechanism.assign())
        assert answers == answers_to(LOCAL, CONFIG, 5, SETTLEMENTS[:60])

    @pytest.mark.parametrize("before", [0, 12, 450])
    def test_settled_by_who_serves_after_a_history(self, hosted: HostedSubject, before: int) -> None:
        yields = [[(score / 10, bid / 20) for bid in range(20)] for score in (1, 5, 9)]
        plays = [(SETTLEMENTS[:before], yields[::way]) for way in (1, -1)]
        there, here = (subject.answers_after(CONFIG, 3, plays, 20) for subject in (hosted, LOCAL))
        assert there == here
        assert [len(answers) for answers in there] == [before + 20] * 2
        served, alone = (subject.start(CONFIG, 3).serve(yields, 20) for subject in (hosted, LOCAL))
        assert served == alone

    def test_of_many_steps_at_a_time(self, hosted: HostedSubject) -> None:
        """A request and its reply are longer than what a pipe holds."""
        history = SETTLEMENTS * 50
        assert answers_to(hosted, CONFIG, 5, history) == answers_to(LOCAL, CONFIG, 5, history)


def test_the_longest_time_limit_is_one() -> None:
    with HostedSubject(REFERENCE, limits=HostLimits(time=999_999.0)) as subject:
        assert subject.start(CONFIG, 5).assign() == LOCAL.start(CONFIG, 5).assign()


class TestScenarios:
    """A scenario that is played in the host, in one request, is the one that is played here step by step."""

    SCENARIO = Scenario(
        CONFIG,
        5,
        (
            (Query(1.0, 0.25), Query(0.5, 0.5, "critical"), Query(0.0, 0.125, "critical + ulp")),
            (Query(1.0, 0.5, 0.375), Query(0.25, 0.5)),
            (Query(0.75, 0.5, "critical - ulp"),),
        ),
        60,
    )

    @pytest.mark.long("plays step by step in a process of its own")
    @pytest.mark.parametrize("law", [None, "0-3,lost=0.1"])
    def test_are_played_alike(self, law: str | None) -> None:
        in_flight = None if law is None else delay_law(law)
        name = "mechanism.platform:" + ("reference_mechanism" if law is None else "concurrent_mechanism")
        with HostedSubject(name) as hosted:
            subjects = (hosted, Subject(getattr(platform, name.partition(":")[2]), name))
            there, here = (play_scenario(subject.played(in_flight=in_flight), self.SCENARIO) for subject in subjects)
        assert there == here
        assert there.decisions == here.decisions
        assert len(there.events) >= 60

    @pytest.mark.parametrize(("kind", "step"), [("ends", 7), ("raises", 7), ("ends", 1), ("raises when settled", 7)])
    def test_that_fail_are_known_up_to_there(self, kind: str, step: int, tmp_path: Path) -> None:
        what = "os._exit(0)" if kind == "ends" else "1 / 0"
        where = "settle" if kind == "raises when settled" else "assign"
        (tmp_path / "it.py").write_text(
            "import os\nfrom mechanism.platform import Platform\n\n\n"
            f"class Ends(Platform):\n    def {where}(self, *a):\n"
            f"        if self.step >= {step + (where == 'settle')}:\n            {what}\n"
            f"        return super().{where}(*a)\n"
        )
        whole = play_scenario(LOCAL, self.SCENARIO).events
        with HostedSubject(f"{tmp_path}/it.py:Ends") as subject:
            with pytest.raises(BrokenOffError, match=f"{where}.* at step {step} (ended|raised)") as broken:
                play_scenario(subject, self.SCENARIO)
            assert subject.aftermath().last is not None
        assert broken.value.interaction.events == whole[: step if where == "settle" else step - 1]
        assert (broken.value.interaction.unanswered is None) == (where == "settle")

    def test_played_twice_because_c_code_forked_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "it.py").write_text(
            "import ctypes\nfrom mechanism.platform import Platform\n\n\n"
            "class Forks(Platform):\n    def assign(self):\n        answer = super().assign()\n"
            "        if self.step == 8:\n            ctypes.CDLL(None).fork()\n        return answer\n"
        )
        # Both processes answer: it is told once the other one's is heard.
        with HostedSubject(f"{tmp_path}/it.py:Forks") as subject, pytest.raises(MechanismError, match="returned twice"):
            deque((play_scenario(subject, self.SCENARIO) for _ in range(50)), maxlen=0)


@pytest.mark.long("checks with processes of their own")
def test_a_right_mechanism_is_not_accused() -> None:
    report = check_mechanism(name_of(CORRECT["Arrays"]), only=["contract", "critical-payment"], effort=QUICK)
    assert report.conforms, report.headline
    assert report.time_limited


def test_an_error_of_the_last_settlement_is_seen(hosted: HostedSubject) -> None:
    with HostedSubject(f"{MODULE}:RaisesWhenSettled") as subject:
        mechanism = subject.start(CONFIG, 0)
        mechanism.replay(SETTLEMENTS[:2])
        mechanism.assign()
        mechanism.settle(1.0, 0.5)
        with pytest.raises(MechanismError, match=r"settle\(1\.0, 0\.5\) at step 3 raised ZeroDivisionError: no grades"):
            mechanism.finish()
        assert subject.start(CONFIG, 0).assign()[0] == 0, "the process lives, and others are not touched"


#: Right, but for what it does beside in one step.
BESIDE = """
import os, pathlib, subprocess, sys, time
from mechanism.platform import reference_mechanism

class make:
    def __init__(self, config, rng):
        self.honest, self.step = reference_mechanism(config, rng), 1
    def assign(self):
        if self.step == 4:
            BESIDE
        return self.honest.assign()
    def settle(self, score, bid):
        self.step += 1
        self.honest.settle(score, bid)
"""
#: Writes a line into all descriptors, as the suite's part of its process might.
FORGES = """
            for descriptor in range(3, 64):
                try:
                    os.write(descriptor, b'LINE\\n')
                except OSError:
                    pass
"""
#: Each is like what a host says, but for one thing; `{}` is the number of a request.
FORGED = [
    '["failed", "raised", "x", {}, [[99, 0.0]]]',
    '["failed", "raised", "x", {}, [[0, NaN]]]',
    '["failed", "raised", "x", {}, [5]]',
    '["failed", "raised", "x", {}, 5]',
    '["failed", [], "x", {}, []]',
    '["ended"]',
    '["ended", {}, "x", "y", {}, []]',
    '["pace", Infinity]',
    '["answered", [[0, 1e999]]]',
    '["answered"]',
]


@pytest.mark.long("a process for each line")
@pytest.mark.parametrize("line", FORGED)
def test_a_forged_line_is_a_failed_check(line: str, tmp_path: Path) -> None:
    # The first request is to import; whichever the second one is, most numbers are of a request before it.
    for request in (2, 3):
        forges = FORGES.strip().replace("LINE", line.replace("{}", str(request)))
        (tmp_path / f"forger{request}.py").write_text(BESIDE.replace("BESIDE", forges))
        report = check_mechanism(f"{tmp_path}/forger{request}.py:make", only=["answers"], effort=QUICK, explain=False)
        assert [check.status for check in report.checks] == ["failed"]


def test_answers_of_another_request_are_not_taken() -> None:
    page = SharedPage()
    page.expect(2)
    page.answered(7, 0.5)
    assert page.answers() == (2, [(7, 0.5)])
    page.expect(3)
    assert page.answers() == (3, [])


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long("starts processes"))])
def test_warnings_of_every_process_come_home(jobs: int, tmp_path: Path) -> None:
    (tmp_path / "warns.py").write_text(
        "import os, warnings\nfrom mechanism.platform import reference_mechanism\n"
        "def make(config, rng):\n    warnings.warn(f'made in {os.getpid()}', RuntimeWarning)\n"
        "    return reference_mechanism(config, rng)\n"
    )
    only = ["initialization-order", "initialization-payment"]
    report = check_mechanism(f"{tmp_path}/warns.py:make", only=only, effort=QUICK, jobs=jobs)
    assert len(report.warned) == jobs
    for warning in report.warned:
        assert re.fullmatch(rf"RuntimeWarning: made in \d+ \({tmp_path}/warns.py:4\)", warning)


@pytest.mark.for_each(
    ("code", "told"), [("import os\nos._exit(0)\n", r"it ended .* \(exit code 0\)"), ("raise KeyboardInterrupt\n", "")]
)
def test_an_import_that_fails_is_refused(tmp_path_factory: pytest.TempPathFactory, code: str, told: str) -> None:
    file = tmp_path_factory.mktemp("refused") / "it.py"
    file.write_text(code)
    assert_refused(f"fails when it is imported.*{told}", check_mechanism, f"{file}:make", only=["answers"])


@pytest.mark.long("checks within a check")
def test_an_import_that_checks_itself(tmp_path: Path) -> None:
    (tmp_path / "it.py").write_text(
        "from mechanism.platform import reference_mechanism as make\n"
        "from proofs_checks.conformance import QUICK, check_mechanism\n"
        f"check_mechanism('{REFERENCE}', only=['initialization-payment'], effort=QUICK)\n"
    )
    assert check_mechanism(f"{tmp_path}/it.py:make", only=["initialization-payment"], effort=QUICK).conforms


@pytest.mark.for_each("limit", [0.1, float("nan"), "4", True])
def test_a_memory_limit_leaves_room_for_python(limit: object) -> None:
    assert_refused("GiB", check_mechanism, REFERENCE, only=["answers"], memory_limit=limit)


def test_in_process_is_in_this_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "it.py").write_text(
        "import os, sys\nfrom mechanism.platform import reference_mechanism as make\n"
        "sys.stderr.write(f'imported in {os.getpid()}\\n')\n"
    )
    command = ["check", f"{tmp_path}/it.py:make", "--quick", "--only", "initialization-payment"]
    for more, here in ([], False), (["--in-process"], True):
        assert main([*command, *more]) == 0
        assert (f"imported in {os.getpid()}\n" in capfd.readouterr().err) is here


#: Sleeps beside a daemon that does, too, and writes who is there: itself, its parent, the daemon.
SLEEPS = """
            daemon = subprocess.check_output(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"], text=True)
            pathlib.Path(__file__).with_name("pids").write_text(f"{os.getpid()} {os.getppid()} {daemon}")
            sys.stderr.write("asleep\\n")
            time.sleep(1000)
"""
#: Right, but a process is killed in the third step or while it is imported, as often as the file beside it says: its
#: own, or the one that watches over it.
KILLED = """
import os, pathlib, signal, time

from mechanism.platform import reference_mechanism

left = pathlib.Path(__file__).with_name("kills")


def killed():
    kills = int(left.read_text())
    if kills:
        left.write_text(str(kills - 1))
        os.kill(os.{whose}(), signal.SIGKILL)
        time.sleep(60)


class Killed:
    def __init__(self, config, rng):
        self.made, self.step = reference_mechanism(config, rng), 0
        self.settle = self.made.settle

    def assign(self):
        self.step += 1
        if {third} and self.step == 3:
            killed()
        return self.made.assign()


if not {third}:
    killed()
"""


def kills(folder: Path, times: int, *, third: bool, whose: str = "getpid") -> str:
    """Return a target whose process is killed so many times, in the third step or while it is imported."""
    (folder / "kills").write_text(f"{times}")
    (folder / "killed.py").write_text(KILLED.replace("{third}", f"{third}").replace("{whose}", whose))
    return f"{folder}/killed.py:Killed"


@pytest.mark.long("kills processes")
class TestKilled:
    """As the system does where memory runs out: the check runs once more, in a fresh process."""

    @pytest.mark.parametrize("whose", ["getpid", "getppid"])
    @pytest.mark.parametrize(("only", "third"), [("answers", True), ("long-run", True), ("answers", False)])
    def test_once_is_no_failure(self, tmp_path: Path, only: str, third: bool, whose: str) -> None:
        target = kills(tmp_path, 1, third=third, whose=whose)
        report = check_mechanism(target, only=only, effort=QUICK, explain=False)
        assert [check.status for check in report.checks] == ["passed"]
        assert (tmp_path / "kills").read_text() == "0"

    def test_again_is_told(self, tmp_path: Path) -> None:
        report = check_mechanism(kills(tmp_path, 1000, third=True), only="answers", effort=QUICK, explain=False)
        told = r"assign\(\) at step 3 lost its process, which was killed by signal 9 \(SIGKILL\), twice; perhaps"
        assert re.match(told, report.checks[0].message)

    def test_again_while_it_is_imported_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"killed by signal 9 \(SIGKILL\): perhaps the machine's memory ran out"):
            check_mechanism(kills(tmp_path, 2, third=False), only="answers", effort=QUICK, explain=False)
        assert (tmp_path / "kills").read_text() == "0"


def left_after(seconds: float, processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return which of some processes still run when all have had so much time to end."""
    until = time.monotonic() + seconds
    while left := [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]:
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    return left


@pytest.mark.long("kills processes")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_a_command_that_is_ended(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(BESIDE.replace("BESIDE", SLEEPS.strip()))
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from proofs_checks.cli.program import program; sys.argv[0] = 'costproof'; program()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "check", f"{tmp_path}/sleeper.py:make", "--quick", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr.readline() == "asleep\n"
        started = [psutil.Process(int(pid)) for pid in (tmp_path / "pids").read_text().split()]
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
    if number == signal.SIGKILL:
        assert (running.returncode, out) == (-number, "")
    else:
        assert running.returncode == 128 + number
        assert err.splitlines() == [f"costproof: {'interrupted' if number == signal.SIGINT else 'terminated'}"]
        assert '"interrupted": true' in out
    assert not left_after(20, started)


def subject(factory) -> Subject:
    return Subject(factory, name_of(factory))


def test_a_right_mechanism_answers_there_as_here() -> None:
    probe = compare_with_a_fresh_process(subject(reference_mechanism))
    assert (probe.compared, probe.failure) == (400, None)


def test_state_that_only_the_module_holds_is_seen_at_its_step() -> None:
    failure = compare_with_a_fresh_process(subject(misbehaving.SharedMemory)).failure
    assert failure.step == 100
    assert failure.expected != failure.found


class TestNoVerdict:
    def test_without_a_name(self) -> None:
        for factory in (lambda config, rng: reference_mechanism(config, rng), partial(reference_mechanism)):
            assert subject(factory).importable_name is None
            assert compare_with_a_fresh_process(subject(factory)).compared == 0

    def test_where_the_name_leads_to_something_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hidden = misbehaving.Honest
        monkeypatch.setattr(misbehaving, "Honest", misbehaving.SharedState)
        assert subject(hidden).importable_name is None
        assert subject(misbehaving.SharedState).importable_name == f"{misbehaving.__name__}:SharedState"

    @pytest.mark.parametrize("code", ["", "import os\nos._exit(0)\n"])
    def test_where_the_other_process_fails(self, tmp_path: Path, code: str) -> None:
        (tmp_path / "ends.py").write_text(code)
        ending = Subject(misbehaving.SharedMemory, f"{tmp_path}/ends.py:SharedMemory")
        assert compare_with_a_fresh_process(ending).compared == 0

    def test_within_such_a_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A module that checks its own mechanism when it is imported does not start processes without end."""
        monkeypatch.setenv("COSTPROOF_HOST", "1")
        assert compare_with_a_fresh_process(subject(misbehaving.SharedMemory)).compared == 0

    def test_of_a_mechanism_that_breaks_down(self) -> None:
        assert compare_with_a_fresh_process(subject(misbehaving.Raises)).compared == 0


NOTICE = "costproof: further output of the mechanism is not shown"


def passed_on(tmp_path: Path, *written: bytes) -> str:
    """Return what becomes of some writes."""
    with open(tmp_path / "out", "wb") as file:
        printed = PrintedText(file.fileno())
        for text in written:
            os.write(printed.descriptor, text)
        printed.close()
        printed.close()  # once more does nothing
    return (tmp_path / "out").read_text(encoding="utf-8")


def test_no_more_lines_than_are_shown_are_passed_on_as_they_are(tmp_path: Path) -> None:
    assert passed_on(tmp_path, b"one\n", b"two") == "one\ntwo"
    assert passed_on(tmp_path) == ""
    assert passed_on(tmp_path, b"debug\n" * LINES) == "debug\n" * LINES


@pytest.mark.parametrize("at_once", [True, False])
def test_of_many_lines_the_first_are_shown_and_the_others_counted(tmp_path: Path, at_once: bool) -> None:
    lines = [f"debug {number}\n".encode() for number in range(1_000)]
    told = passed_on(tmp_path, *([b"".join(lines)] if at_once else lines)).splitlines()
    assert told[:LINES] == [f"debug {number}" for number in range(LINES)]
    assert told[LINES:] == [NOTICE, f"costproof: {1_000 - LINES} lines of the mechanism were not shown"]


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    told = passed_on(tmp_path, b"x" * 50_000)
    assert told.startswith("x" * BYTES + f"\n{NOTICE}\n")
    assert len(told) < BYTES + 200


MECHANISM = """\
import os, subprocess, sys
from proofs_checks.conformance.mutants.plain import Plain

class Prints(Plain):
    def assign(self):
        print("debug", self.step)
        os.write(2, b"raw\\n")
        return super().assign()

class LeavesAWriter(Plain):
    def assign(self):
        if self.step == 2:
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
        return super().assign()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "it.py").write_text(MECHANISM, encoding="utf-8")
    return tmp_path / "it.py"


@pytest.mark.long("starts processes")
def test_the_limit_is_of_all_processes_together(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = check_mechanism(f"{file}:Prints", only=["answers", "independent-instances"], effort=QUICK)
    assert report.conforms
    told = capfd.readouterr().err.splitlines()
    assert len(told) == LINES + 2
    assert told[:2] == ["debug 1", "raw"]
    assert told[LINES] == NOTICE


def test_a_quiet_one_shows_nothing(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with HostedSubject(f"{file}:Prints", quiet=True) as subject:
        assert answers_to(subject, CONFIG, 5, SETTLEMENTS)
    assert capfd.readouterr().err == ""


@pytest.mark.long("starts processes")
def test_nobody_waits_for_a_child_that_holds_the_pipe(file: Path) -> None:
    report = check_mechanism(f"{file}:LeavesAWriter", only=["initialization-order"], effort=QUICK)
    assert report.checks  # it comes back


# ----------------------------------------------------------------------------------------------------
# `--jobs`: checks in several processes find what they find one after another, in the same order.

MUTANTS = "proofs_checks.conformance.mutants"


def printed(*options: str) -> tuple[int, str]:
    """What the command prints: scenarios depend on the modules that are loaded, so it has a process of its own."""
    only = [f"--only={name}" for name in ("answers", "critical-payment", "long-run")]
    command = [sys.executable, "-m", "costproof", "check", *options, *only, "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.long("starts processes")
@pytest.mark.parametrize(
    ("code", "options"),
    [
        (0, "mechanism.platform:reference_mechanism --only restart"),
        (0, "mechanism.platform:concurrent_mechanism --in-flight 3"),
        (1, f"{MUTANTS}.pricing:FirstPrice"),
        (1, f"{MUTANTS}.pricing:FirstPrice --fail-fast"),
        (1, f"{MUTANTS}.contract:Raises --exclude answers"),  # the others look at what it answers up to there
        (1, f"{MODULE}:Sleeps --time-limit 0.1"),
    ],
)
def test_several_processes_make_the_same_report(code: int, options: str) -> None:
    one, two = (printed(*options.split(), "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two
    assert one[0] == code
