"""No false statement comes out PROVED: every attack of `attacks`, and the page that lists them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.bundle import recheck_folder, write_folder
from proofs_checks.proofs.catalogue import all_proofs, checked
from proofs_checks.proofs.counterexamples import COUNTEREXAMPLES, find_counterexamples
from proofs_checks.proofs.language.obligation import Proof
from proofs_checks.proofs.lemma import prove_lemma
from proofs_checks.proofs.prove import prove
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs import attacks
from tests.proofs_checks.proofs.attacks import ATTACKS, GROUPS, PAGE, SQUARE, OnFolder, OnLemma, OnProve, current_page

ON_PROVE = [attack for attack in ATTACKS if isinstance(attack, OnProve)]


_Answer = TypeVar("_Answer")


def answer(ask: Callable[[], _Answer]) -> _Answer | str:
    """Return what is answered, or why it is refused."""
    try:
        return ask()
    except InputError as error:
        return f"{error} {error.value} {error.rule} {error.__cause__}"


@pytest.mark.parametrize("attack", ON_PROVE, ids=lambda attack: attack.name)
def test_no_false_claim_is_proved(attack: OnProve) -> None:
    mutants = attack.name == "idle-hypothesis"
    report = answer(lambda: prove(["lem:false"], proofs=attack.proofs(), mutants=mutants))
    if isinstance(report, str):
        assert (attack.outcome, attack.because in report) == ("refused", True), report
        return
    [claim] = report.claims
    assert claim.verdict not in (Verdict.PROVED, Verdict.EXACT), "a false statement is proved"
    assert (claim.verdict.value, attack.because in claim.reason) == (attack.outcome, True), claim.reason
    assert claim.composition == "argued"
    if claim.verdict is Verdict.PROVED_STEPS:
        assert claim.to_data()["beyond"]


@pytest.mark.parametrize("attack", attacks.LEMMAS, ids=lambda attack: attack.name)
def test_no_false_lemma_is_proved(attack: OnLemma) -> None:
    found = answer(lambda: prove_lemma(attack.lemma()))
    if isinstance(found, str):
        assert (attack.outcome, attack.because in found) == ("refused", True), found
        return
    said = f"{found.reason} {found.numbers}"
    assert (found.verdict.value, attack.because in said) == (attack.outcome, True), said
    if found.verdict is Verdict.REFUTED:
        model = found.counterexample
        assert model is not None
        assert all(model.value(formula) for formula in found.obligation.formulas.values())
        assert not model.value(found.obligation.goal)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folders")


@pytest.mark.parametrize("attack", attacks.FOLDERS, ids=lambda attack: attack.name)
def test_no_folder_of_a_false_proof_rechecks(
    attack: OnFolder, theory: dict[str, Proof], stored: Path, folders: Path, tmp_path: Path
) -> None:
    written = folders / attack.folder
    if not written.exists():
        [dropped] = [one for one in attacks.CITATIONS if one.name == "dropped-premise"]
        proofs = theory if attack.folder == "true" else dropped.proofs()
        write_folder(prove(proofs=proofs, mutants=False), str(written))
        assert bool(recheck_folder(str(written)).failures) == (attack.folder == "false")
    place = Path(shutil.copytree(written, tmp_path / "folder"))
    attack.tamper(place)
    found = answer(lambda: recheck_folder(str(place)))
    if isinstance(found, str):
        assert (attack.outcome, attack.because in found) == ("refused", True), found
        return
    assert attack.outcome == "failed"
    assert any(attack.because in problem for _, problem in found.failures), found.failures


def test_a_claim_is_not_proved_and_refuted_in_one_report() -> None:
    """A label with a counterexample that replays, and a proof of something else under it."""
    label = "lem:one-step:any-bid"
    assert label in {one.label for one in COUNTEREXAMPLES}
    report = prove(proofs={label: Proof(label, (SQUARE,), "")}, mutants=False)
    assert [claim.verdict for claim in report.claims] == [Verdict.PROVED]
    both = replace(report, refuted=find_counterexamples({label}))
    assert both.contradictions == (f"{label}: its proof and its counterexample stand in one report",)


def test_false_wordings_have_labels_of_their_own() -> None:
    """lem:forced-exploration-bound for any g, and others: their proofs are of another statement."""
    assert not {one.label for one in COUNTEREXAMPLES} & all_proofs().keys()
    assert any(one.label.startswith("lem:forced-exploration-bound:") for one in COUNTEREXAMPLES)


def test_the_paper_has_nothing_that_is_refused() -> None:
    """What is handed in must be well formed; so are the proofs of the package."""
    assert checked(all_proofs()) == all_proofs()


def test_attacks_have_names_of_their_own_and_are_many() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 60
    assert sum(map(len, GROUPS.values())) == len(ATTACKS)


def test_the_page_is_up_to_date() -> None:
    """Else run `python -m tests.proofs_checks.proofs.attacks`."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == current_page(page)
    assert page.count("\n| ") == len(ATTACKS) + len(GROUPS)
