"""Every script that the suite writes for the gallery fails with its mutant, and passes with right mechanisms.

Right are the reference and others of the gallery, in an arithmetic and with ties of their own.
"""

import contextlib
import faulthandler
import io
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckResult
from proofs_checks.conformance.report.script import to_script
from proofs_checks.conformance.suite import check_mechanism
from tests.parametrized import long_but
from tests.proofs_checks.conformance import misbehaving

pytestmark = pytest.mark.usefixtures("little_shrinking")
SHRINKING = 20
RIGHT = (reference_mechanism, *(CORRECT[name] for name in ("ExactFractions", "Arrays", "LastOfTies")))
#: The exit code of a script that met another history: it says so, and neither that all is well nor that it is not.
NOTHING_COMPARED = 2
#: Their scripts count what is drawn, and judge nothing.
COUNTING = ("exploration-draw", "empty-draw")
#: Mutants, and checks of some mutants, whose counterexamples all have a draw, a tie or a mistake before the step.
SELDOM_FORCED = {
    "RivalsAreAll",
    *("eligibility", "exploration-set", "state-estimates", "widened-radius", "long-run", "past-bids"),
    *("robust-no-loss", "robust-worst-case", "robust-strict", "selection-threshold"),
}


class ClipsItsIndex(Plain):
    """Takes no index below 0, and pays the bid at which the winner's index is the least of the others'."""

    def _adjusted_bid(self, provider: int) -> float:
        return max(0.0, super()._adjusted_bid(provider))

    def _critical(self, winner: int, eligible: list[int]) -> float:
        rivals = [self._adjusted_bid(j) for j in eligible if j != winner]
        return self.bids[winner] - self._adjusted_bid(winner) + min(rivals, default=math.inf)


class AddsTheRivalsRadius(Plain):
    """Adds the cost radius of the best rival to the critical payment, not the winner's."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        best = min((j for j in eligible if j != winner), key=self._adjusted_bid, default=None)
        return math.inf if best is None else self.bids[best]


class PaysHalfwayToItsBid(Plain):
    """Pays the mean of the critical payment and the winner's own bid."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        return (super()._critical(winner, eligible) + self.bids[winner]) / 2


def with_factory(script: str, line: str) -> str:
    """Return a script with another line that finds the factory."""
    written = r"^(from .* import .* as factory|factory = .*)$"
    other, places = re.subn(written, line, script, count=1, flags=re.MULTILINE)
    assert places == 1, script
    return other


def script_ends(script: str, factory: object) -> tuple[int, str]:
    """Return the exit code of a script that plays another factory, in this process, and what it says at its end."""
    other = with_factory(script, "factory = the_factory")
    names = {"__name__": "exported", "__file__": "script.py", "the_factory": factory}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(other, "script.py", "exec"), names)
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
        except Exception as error:  # noqa: BLE001 - a script fails with any exception
            return 1, f"{type(error).__name__}: {error}"
        finally:
            faulthandler.cancel_dump_traceback_later()
    return 0, out.getvalue()


def process_ends(script: str, factory: Any) -> tuple[int, str]:
    """Return the same of a script in a process of its own, which the mechanism may end."""
    with tempfile.TemporaryDirectory() as folder:
        done = executed(
            with_factory(script, f"from {factory.__module__} import {factory.__name__} as factory"), Path(folder)
        )
    return done.returncode, done.stdout + done.stderr


def never_portable(factory: type[Plain], check: str) -> list[str]:
    """Say so if no search of five ends in a script that judges every right mechanism.

    One search in eight ends in another one, by luck: Hypothesis draws constants of the modules that are loaded.
    """
    name = f"{factory.__module__}:{factory.__qualname__}"
    for seed in range(1, 6):
        report = check_mechanism(factory, name=name, only=[check], effort=QUICK, seed=seed, explain=False)
        if any(found.failure.portable for found in report.checks if found.failure):
            return []
    return [f"{check} compares nothing with some right mechanisms"]


def wrong_scripts(factory: type[Plain], only: Sequence[str]) -> tuple[list[str], int]:
    """Return what is wrong with the scripts of a mechanism, and how many of its checks failed."""
    name = f"{factory.__module__}:{factory.__qualname__}"
    report = check_mechanism(factory, name=name, only=only, effort=QUICK, time_limit=1.0, explain=False)
    failed, wrong = [check for check in report.checks if check.failure is not None], []
    for check in failed:
        ends = process_ends if check.group == "contract" else script_ends
        code, said = ends(check.script.replace("dump_traceback_later(10,", "dump_traceback_later(1,"), factory)
        if code != 1 and check.name not in COUNTING:
            wrong.append(f"{check.name} passes with the mutant: {said}")
        portable = check.failure.portable and check.name != "restart"  # not every mechanism has a state()
        if not check.failure.portable and not {check.name, factory.__name__} & SELDOM_FORCED:
            wrong += never_portable(factory, check.name)
        ends = process_ends if "__file__" in check.script else script_ends  # a script that runs itself, in a process
        for right in RIGHT:
            code, said = ends(check.script, right)
            if code not in ((0,) if portable else (0, NOTHING_COMPARED)):
                wrong.append(f"{check.name} fails with {right.__name__}: {said}")
    return wrong, len(failed)


#: A wrong price, a bid that is remembered, and one whose counterexamples have draws before the step.
SAMPLE = ["PlainSecondPrice", "AveragedBids", "ExploresAllEligible"]


@pytest.mark.parametrize("mutant", long_but(SAMPLE, MUTANTS, reason="plays the exports of all mutants"))
def test_what_is_exported_fails_with_its_mutant_alone(mutant: str) -> None:
    made = MUTANTS[mutant]
    assert wrong_scripts(made.factory, made.caught_by) == ([], len(made.caught_by))


PRICES = ["selection-threshold", "critical-payment"]


@pytest.mark.parametrize(
    ("wrong", "checks"),
    [
        (ClipsItsIndex, ["own-bid-independence", "selection-threshold", "index-minimizer"]),
        (AddsTheRivalsRadius, PRICES),
        (PaysHalfwayToItsBid, PRICES),
    ],
)
def test_what_is_exported_passes_with_right_mechanisms(wrong: type[Plain], checks: list[str]) -> None:
    assert wrong_scripts(wrong, checks) == ([], len(checks))


@pytest.mark.long("plays all rules")
def test_a_wrong_winner_is_blamed_for_no_payment() -> None:
    """Of an auction that the wrong provider won, no payment is expected: the right winner gets another one."""
    report = check_mechanism(MUTANTS["NobodyIsExcluded"].factory, only=["rules"], effort=QUICK, explain=False)
    for check in report.checks:
        if check.failure is not None and isinstance(check.failure.expected, float):
            assert "eligibility" not in check.failure.exact
            assert "index-minimizer" not in check.failure.exact
    assert any("eligibility expects" in check.failure.exact for check in report.checks if check.failure)


MODULE = Path(__file__).parent / "misbehaving.py"

FAILING = [
    ("Negative", "lone-payment"),
    ("Raises", "answers"),
    ("Negative", "whole-interactions"),
    ("ChangesConfig", "configuration-unchanged"),
    ("SharedState", "independent-instances"),
    ("SharedMemory", "independent-instances"),
    ("RaisesWhenSettled", "answers"),
    ("NaN", "answers"),
    ("NoMethods", "answers"),
    ("raises_at_once", "answers"),
]


def failed(name: str, check: str, **options: object) -> CheckResult:
    factory = getattr(misbehaving, name)
    report = check_mechanism(factory, name=f"{MODULE}:{name}", only=[check], effort=QUICK, **options)
    [result] = report.checks
    assert result.status == "failed"
    return result


def executed(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    return subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(("name", "check"), long_but([("Raises", "answers")], FAILING, reason="runs scripts"))
def test_scripts_show_the_failure(name: str, check: str, tmp_path: Path) -> None:
    done = executed(failed(name, check).script, tmp_path)
    assert done.returncode == 1, done.stdout
    assert done.stderr.strip().split("\n")[-1].startswith("AssertionError: "), done.stderr


@pytest.mark.parametrize(
    ("ending", "last"),
    [
        ("assert payment < 0  # no", "step 1: it's [wrong]"),
        ("assert payment < 0, 'no gain'", "no gain"),
        ("for i in range(3):\n    assert payment < i - 2", "step 1: it's [wrong]"),
    ],
)
def test_an_assertion_without_text_says_what_the_failure_is(ending: str, last: str, tmp_path: Path) -> None:
    failure = replace(TestNames.FAILURE, message="step 1: it's [wrong]", ending=ending)
    done = executed(to_script("mechanism.platform:reference_mechanism", "x", "y", failure), tmp_path)
    assert done.stderr.strip().split("\n")[-1] == f"AssertionError: {last}"


@pytest.mark.long("waits for a script that hangs")
def test_a_hanging_mechanism_is_shown_where_it_hangs(tmp_path: Path) -> None:
    script = failed("Sleeps", "answers", time_limit=0.3).script
    assert "dump_traceback_later(10," in script
    done = executed(script.replace("dump_traceback_later(10,", "dump_traceback_later(1,"), tmp_path)
    assert done.returncode == 1
    assert "Timeout" in done.stderr
    assert "misbehaving.py" in done.stderr


@pytest.mark.long("runs scripts")
@pytest.mark.parametrize(("broken", "check"), [FAILING[place] for place in (0, 3, 4, 7)])
def test_a_mended_mechanism_ends_well(broken: str, check: str, tmp_path: Path) -> None:
    script = failed(broken, check).script.replace(f"[{broken!r}]", "['Honest']")
    done = executed(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "step" in done.stdout


class TestNames:
    FAILURE = Failure(
        message="step 1: wrong", config=MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5), seed=3, expected=[1], found=0
    )

    def script(self, name: str) -> str:
        return to_script(name, "initialization-order", "alg:platform", self.FAILURE)

    def test_the_configuration_has_every_documented_attribute(self, tmp_path: Path) -> None:
        script = self.script("mechanism.platform:reference_mechanism")
        done = executed(f"{script.partition('history =')[0]}print(*vars(config))", tmp_path)
        assert done.stdout.split() == [field.name for field in fields(MechanismConfig)], done.stderr

    def test_modules_are_imported(self, tmp_path: Path) -> None:
        (tmp_path / "house.py").write_text("class Routers:\n    class Own:\n        pass\n")
        assert "from mechanism.platform import reference_mechanism as factory\n" in self.script(
            "mechanism.platform:reference_mechanism"
        )
        done = executed(self.script("house:Routers.Own"), tmp_path)
        assert "Own() takes no arguments" in done.stderr

    def test_neighbours_of_a_file_are_found(self, tmp_path: Path) -> None:
        folder, elsewhere = tmp_path / "a", tmp_path / "b"
        folder.mkdir(), elsewhere.mkdir()
        (folder / "neighbour.py").write_text("class Own:\n    pass\n")
        (folder / "house.py").write_text("import neighbour\n")
        done = executed(self.script(f"{folder}/house.py:neighbour.Own"), elsewhere)
        assert "Own() takes no arguments" in done.stderr

    @pytest.mark.parametrize("name", ["tests.x:<lambda>", "x:make.<locals>.inner", "<partial>", ""])
    def test_what_has_no_name_leaves_a_line_to_fill_in(self, name: str) -> None:
        script = self.script(name)
        assert "factory = ...  # put your factory here" in script
        compile(script, "script.py", "exec")

    @pytest.mark.long("a process that loads SymPy")
    def test_expected_providers_are_asserted(self, tmp_path: Path) -> None:
        (tmp_path / "house.py").write_text(WRONG_OTHERWISE)
        done = executed(self.script("house:make"), tmp_path)
        expected = "AssertionError: provider 3 is paid 0.7, expected provider 0 at 1.0 or provider 1 at 1.0"
        assert done.stderr.strip().endswith(expected)
        assert executed(self.script("mechanism.platform:reference_mechanism"), tmp_path).returncode == 0


#: Plays like the reference and then, at one step, answers as it is told.
WRONG_OTHERWISE = """
import os

from mechanism.platform import reference_mechanism

STEP, ANSWER = int(os.environ.get("STEP", 1)), (int(os.environ.get("PROVIDER", 3)), 0.7)


class Wrong:
    def __init__(self, config, rng):
        self.right, self.step = reference_mechanism(config, rng), 0

    def assign(self):
        self.step += 1
        return ANSWER if self.step == STEP else self.right.assign()

    def settle(self, score, bid):
        self.right.settle(score, bid)


make = Wrong
"""


class TestAnotherProviderServes:
    """A payment was wrong when the script was written, and now another provider serves at that step."""

    CONFIG = MechanismConfig(3, 0.0, 0.05, 1.0, 0.01, 0.5)
    #: An auction that provider 1 wins, for the second bid; the three scores and radii are equal.
    AUCTION = Failure(
        message="step 4: paid 0.9, expected 0.5 (rule critical-payment)",
        config=CONFIG,
        seed=3,
        settlements=((1.0, 0.5), (1.0, 0.25), (1.0, 0.75)),
        providers=(0, 1, 2),
        expected=0.5,
        found=0.9,
    )

    def ended(self, failure: Failure, provider: int, folder: Path) -> subprocess.CompletedProcess[str]:
        (folder / "house.py").write_text(WRONG_OTHERWISE)
        script = to_script("house:make", "critical-payment", "eq:payment", failure)
        told = f"import os\nos.environ |= {{'STEP': '{failure.step}', 'PROVIDER': '{provider}'}}\n"
        return executed(told + script, folder)

    @pytest.mark.parametrize("provider", [0, 1, 2])
    def test_a_third_router_is_judged_whoever_serves(self, provider: int, tmp_path: Path) -> None:
        done = self.ended(self.AUCTION, provider, tmp_path)
        assert done.returncode == 1
        assert done.stderr.strip().endswith(f"provider {provider} is paid 0.7, expected provider 1 at 0.5")

    @pytest.mark.parametrize(
        ("changes", "code", "said"),
        [
            ({}, 0, "This is what the rules prescribe here."),
            # Provider 0 left the bid 0.5 wherever it served: the same auction.
            (
                {"settlements": ((1.0, 0.75), (1.0, 0.25), (1.0, 0.5)), "providers": (2, 1, 0)},
                0,
                "provider 1 serves and is paid 0.5",
            ),
            ({"providers": (0, 0, 2)}, NOTHING_COMPARED, "Nothing was compared"),
        ],
        ids=["same history", "another order of the same services", "another history"],
    )
    def test_a_mended_one_ends_well_where_something_is_compared(
        self, changes: dict[str, Any], code: int, said: str, tmp_path: Path
    ) -> None:
        failure = replace(self.AUCTION, **changes)
        script = to_script("mechanism.platform:reference_mechanism", "critical-payment", "eq:payment", failure)
        done = executed(script, tmp_path)
        assert done.returncode == code, done.stderr
        assert said in done.stdout


def test_the_reference_has_no_script() -> None:
    [result] = check_mechanism(reference_mechanism, only=["lone-payment"], effort=QUICK).checks
    assert result.script == ""
