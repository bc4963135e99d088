"""What a proof leaves out or rests on is said, and a folder that supports nothing fails."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from proofs_checks.proofs import bundle as folders
from proofs_checks.proofs.bundle import recheck_folder, write_folder
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import solvers
from proofs_checks.proofs.solvers.solvers import SOLVERS
from proofs_checks.verdict import Verdict


@pytest.fixture(scope="module")
def report():
    return prove(["thm:robust-dominant", "eq:allocation"])


def rewritten(place: Path, change) -> None:
    """Change the manifest, with its own hash put right."""
    manifest = json.loads((place / folders.MANIFEST).read_text())
    change(manifest)
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    manifest["sha256"] = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    (place / folders.MANIFEST).write_text(json.dumps(manifest))


def test_two_providers_are_no_proof_for_all(report) -> None:
    found = {claim.proof.label: claim for claim in report.claims}
    assert found["eq:allocation"].verdict is Verdict.EXACT
    assert found["thm:robust-dominant"].by_solvers is Verdict.PROVED_STEPS


def test_what_is_left_to_english_is_said() -> None:
    proofs = all_proofs()
    assert proofs["thm:regret"].beyond
    counting, vacuous = prove(["cor:eventual-ordinary-optimality", "lem:selection-counting"], mutants=False).claims
    never = "its condition never holds while a provider is unqualified"
    assert (vacuous.verdict, vacuous.reason) == (Verdict.VACUOUS, never)
    assert (counting.verdict, counting.composition) == (Verdict.PROVED_STEPS, "argued")


def test_a_folder_holds_what_its_claims_rest_on(report, tmp_path) -> None:
    place = write_folder(report, str(tmp_path / "out"))
    manifest = json.loads((place / folders.MANIFEST).read_text())
    assert {"thm:robust-dominant", "lem:one-step", "prop:selection-threshold"} <= manifest["claims"].keys()
    assert recheck_folder(str(place)).failures == ()
    rewritten(place, lambda manifest: manifest["claims"].pop("lem:one-step"))
    assert any("lacks the claim lem:one-step" in problem for _, problem in recheck_folder(str(place)).failures)


def test_an_obligation_that_nothing_decides_fails(report, tmp_path, monkeypatch) -> None:
    place = write_folder(report, str(tmp_path / "out"))

    def without_certificates(manifest) -> None:
        for name in [name for name in manifest["files"] if name.endswith(".certificate.json")]:
            del manifest["files"][name]
            (place / name).unlink()

    rewritten(place, without_certificates)
    assert recheck_folder(str(place)).failures == ()  # both solvers decide every one of them
    monkeypatch.setattr(folders, "installed", lambda: SOLVERS[:1])
    monkeypatch.setattr(solvers, "installed", lambda: SOLVERS[:1])
    alone = recheck_folder(str(place))
    assert alone.rechecked == 0
    assert {name for name, problem in alone.failures if "decided by nothing" in problem} == {
        *(f"{result.obligation.name}.smt2" for claim in report.needed for result in claim.obligations),
        *(f"{one.name}.smt2" for one in report.composition_scripts if one.expected == "unsat"),
    }


def test_a_folder_without_claims_fails(report, tmp_path) -> None:
    place = write_folder(report, str(tmp_path / "out"))

    def emptied(manifest) -> None:
        manifest["claims"], manifest["uses"], manifest["files"] = {"thm:regret": []}, {}, {}

    rewritten(place, emptied)
    assert any("nothing to check" in problem for _, problem in recheck_folder(str(place)).failures)
