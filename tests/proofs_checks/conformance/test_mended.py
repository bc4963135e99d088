"""Every script that the suite writes for the gallery fails with its mutant, and passes with right mechanisms.

Right are the reference and others of the gallery, in an arithmetic and with ties of their own.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Sequence

import pytest

from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism

pytestmark = pytest.mark.usefixtures("little_shrinking")
SHRINKING = 20
RIGHT = (reference_mechanism, *(CORRECT[name] for name in ("ExactFractions", "Arrays", "LastOfTies")))
#: The exit code of a script that met another history: it says so, and neither that all is well nor that it is not.
NOTHING_COMPARED = 2
#: Their scripts count what is drawn, and judge nothing.
COUNTING = ("exploration-draw", "empty-draw")
#: Scripts of the contract play whole processes; `test_script` runs them.
JUDGED = [name for name, check in ALL_CHECKS.items() if check.group != "contract"]


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


def one_each() -> dict[str, str]:
    """Return a mutant for each check that must catch it, chosen to differ from the others."""
    found: dict[str, str] = {}
    for check in JUDGED:
        caught = [name for name, mutant in MUTANTS.items() if check in mutant.caught_by]
        if caught:
            found[check] = next((name for name in caught if name not in found.values()), caught[0])
    return found


def script_ends(script: str, factory: object) -> tuple[int, str]:
    """Return the exit code of a script that plays another factory, in this process, and what it says at its end."""
    written = r"^(from .* import .* as factory|factory = .*)$"
    other, places = re.subn(written, "factory = the_factory", script, count=1, flags=re.MULTILINE)
    assert places == 1, script
    names = {"__name__": "exported", "__file__": "script.py", "the_factory": factory}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(other, "script.py", "exec"), names)
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
        except Exception as error:  # noqa: BLE001 - a script fails with any exception
            return 1, f"{type(error).__name__}: {error}"
    return 0, out.getvalue()


def wrong_scripts(factory: type[Plain], only: Sequence[str]) -> tuple[list[str], int]:
    """Return what is wrong with the scripts of a mechanism, and how many of its checks failed."""
    name = f"{factory.__module__}:{factory.__qualname__}"
    report = check_mechanism(factory, name=name, only=only, effort=QUICK, time_limit=1.0, explain=False)
    failed, wrong = [check for check in report.checks if check.failure is not None], []
    for check in failed:
        code, said = script_ends(check.script, factory)
        if code != 1 and check.name not in COUNTING:
            wrong.append(f"{check.name} passes with the mutant: {said}")
        for right in RIGHT:
            code, said = script_ends(check.script, right)
            if code not in (0, NOTHING_COMPARED):
                wrong.append(f"{check.name} fails with {right.__name__}: {said}")
    return wrong, len(failed)


@pytest.mark.parametrize(
    ("check", "mutant"),
    [
        pytest.param(*pair, marks=[] if place in (3, 17) else pytest.mark.long("plays the exports of many mutants"))
        for place, pair in enumerate(one_each().items())
    ],
)
def test_what_is_exported_fails_with_its_mutant_alone(check: str, mutant: str) -> None:
    assert wrong_scripts(MUTANTS[mutant].factory, [check]) == ([], 1)


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


def test_a_script_says_where_the_history_is_another() -> None:
    made = MUTANTS["BidsOneServiceLate"].factory
    name = f"{made.__module__}:{made.__qualname__}"
    report = check_mechanism(made, name=name, only=["robust-strict"], effort=QUICK, explain=False)
    code, said = script_ends(report.checks[0].script, reference_mechanism)
    assert code == NOTHING_COMPARED
    assert "Nothing was compared: run check again." in said
