"""No false statement comes out PROVED: every attack of `attacks`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.bundle import recheck_folder, write_folder
from proofs_checks.proofs.catalogue import all_proofs, checked
from proofs_checks.proofs.language.obligation import Proof
from proofs_checks.proofs.prove import prove
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.attacks import CITATIONS, FOLDERS, GROUPS, Attack, OnFolder, OnProve

pytestmark = pytest.mark.usefixtures("shared_solvers")

#: One of each group in the first tier, beside those that are refused before a solver is asked.
FIRST = {
    "dropped-premise",
    "one-bound-of-all",
    "axiom-without-its-condition",
    "false-start",
    "contradictory-definitions",
    "left-to-english",
}


def tried(attacks: Mapping[str, Attack]) -> list[Any]:
    """Return the parameters of a test, of which most are long."""
    quick = [name in FIRST or attack.outcome.startswith("refused") for name, attack in attacks.items()]
    marks = [() if one else pytest.mark.long("asks both solvers") for one in quick]
    return [pytest.param(attacks[name], id=name, marks=mark) for name, mark in zip(attacks, marks, strict=True)]


ON_PROVE = {name: one for group in GROUPS.values() for name, one in group.items() if isinstance(one, OnProve)}

_Answer = TypeVar("_Answer")


def answer(ask: Callable[[], _Answer]) -> _Answer | str:
    """Return what is answered, or why it is refused."""
    try:
        return ask()
    except InputError as error:
        return f"refused: {error} {error.value} {error.rule} {error.__cause__}"


def assert_outcome(attack: Attack, verdict: str, reason: str) -> None:
    expected, _, because = attack.outcome.partition(": ")
    assert (verdict, because in reason) == (expected, True), reason


@pytest.mark.parametrize("attack", tried(ON_PROVE))
def test_no_false_claim_is_proved(attack: OnProve) -> None:
    mutants = attack is ON_PROVE["idle-hypothesis"]
    report = answer(lambda: prove(["lem:false"], proofs=attack.proofs(), mutants=mutants))
    if isinstance(report, str):
        assert_outcome(attack, "refused", report)
        return
    [claim] = report.claims
    assert claim.verdict not in (Verdict.PROVED, Verdict.EXACT), "a false statement is proved"
    assert_outcome(attack, claim.verdict.value, claim.reason)
    assert claim.composition == "argued"
    if claim.verdict is Verdict.PROVED_STEPS:
        assert claim.to_data()["beyond"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folders")


@pytest.mark.long("writes and re-checks a folder")
@pytest.mark.parametrize("attack", FOLDERS.values(), ids=FOLDERS)
def test_no_folder_of_a_false_proof_rechecks(
    attack: OnFolder, theory: dict[str, Proof], stored: Path, folders: Path, tmp_path: Path
) -> None:
    written = folders / attack.folder
    if not written.exists():
        proofs = theory if attack.folder == "true" else CITATIONS["dropped-premise"].proofs()
        write_folder(prove(proofs=proofs, mutants=False), str(written))
        assert bool(recheck_folder(str(written)).failures) == (attack.folder == "false")
    place = Path(shutil.copytree(written, tmp_path / "folder"))
    attack.tamper(place)
    found = answer(lambda: recheck_folder(str(place)))
    if isinstance(found, str):
        assert_outcome(attack, "refused", found)
    else:
        assert_outcome(attack, "failed", "\n".join(problem for _, problem in found.failures))
        assert found.failures


def test_the_paper_has_nothing_that_is_refused() -> None:
    """What is handed in must be well formed; so are the proofs of the package."""
    assert checked(all_proofs()) == all_proofs()
