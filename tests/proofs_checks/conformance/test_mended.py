"""Every script that the suite writes for the gallery raises with its mutant, and ends well with the reference."""

from __future__ import annotations

import contextlib
import io

import pytest

from proofs_checks.conformance import QUICK
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.report.report import CheckResult
from proofs_checks.conformance.report.script import import_lines
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism

#: A few of every kind of script: rules, deviations, futures.
SAMPLE = ("FirstPrice", "StaleQuality", "BidsOneServiceLate", "LateTurns", "AuctionsTheLastInitialStep")
#: Their scripts count what is drawn, and judge nothing.
COUNTING = ("exploration-draw", "empty-draw")
#: The exit code of a script that met another history: it says so, and neither that all is well nor that it is not.
NOTHING_COMPARED = 2
#: Scripts of the contract play whole processes; `test_script` runs them.
JUDGED = [name for name, check in ALL_CHECKS.items() if check.group != "contract"]


def ended(script: str) -> str:
    """What a script says at its end: the text of its assertion, or nothing."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    except AssertionError as error:
        return f"AssertionError: {error}"
    except SystemExit as leaving:
        return f"exit code {leaving.code}"
    return ""


def mended(script: str, name: str) -> str:
    """The same script with the reference mechanism in the mutant's place."""
    reference = "mechanism.platform:reference_mechanism"
    old, new = ("\n".join(import_lines(each)[1]) for each in (name, reference))
    assert old in script
    return script.replace(old, new)


def failed(mutant: str) -> list[CheckResult]:
    report = check_mechanism(MUTANTS[mutant].factory, only=JUDGED, effort=QUICK, explain=False)
    return [check for check in report.checks if check.script]


def wrong_scripts(mutant: str) -> list[str]:
    made, wrong = MUTANTS[mutant].factory, []
    for check in failed(mutant):
        if not ended(check.script).startswith("AssertionError") and check.name not in COUNTING:
            wrong.append(f"{mutant}, {check.name}: raises nothing with the mutant")
        said = ended(mended(check.script, f"{made.__module__}:{made.__qualname__}"))
        if said not in ("", f"exit code {NOTHING_COMPARED}"):
            wrong.append(f"{mutant}, {check.name}: with the reference it says {said}")
    return wrong


#: Mutants that keep the contract: the others have scripts about calls, not about answers.
ANSWERING = [name for name, mutant in MUTANTS.items() if mutant.theme != "contract"]


@pytest.mark.parametrize("mutant", SAMPLE)
def test_scripts_of_a_sample_end_well_once_it_is_mended(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SHRINKING", 50)
    assert wrong_scripts(mutant) == []


@pytest.mark.sweep
@pytest.mark.parametrize("mutant", ANSWERING)
def test_scripts_end_well_once_the_mechanism_is_mended(mutant: str) -> None:
    assert wrong_scripts(mutant) == []


def test_a_wrong_winner_is_blamed_for_no_payment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an auction that the wrong provider won, no payment is expected: the right winner gets another one."""
    monkeypatch.setattr(search, "SHRINKING", 50)
    report = check_mechanism(MUTANTS["NobodyIsExcluded"].factory, only=["rules"], effort=QUICK, explain=False)
    for check in report.checks:
        if check.failure is not None and isinstance(check.failure.expected, float):
            assert "eligibility" not in check.failure.exact
            assert "index-minimizer" not in check.failure.exact
    assert any("eligibility expects" in check.failure.exact for check in report.checks if check.failure)


def test_a_script_says_where_the_history_is_another() -> None:
    made = MUTANTS["BidsOneServiceLate"].factory
    report = check_mechanism(made, only=["robust-strict"], effort=QUICK, explain=False)
    script = mended(report.checks[0].script, f"{made.__module__}:{made.__qualname__}")
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard), pytest.raises(SystemExit) as left:
        exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    assert left.value.code == NOTHING_COMPARED
    assert "Nothing was compared: run check again." in heard.getvalue()
