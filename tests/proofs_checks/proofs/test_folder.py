"""A folder of proofs: what was written re-checks; whatever was changed since is named, as in the attacks on folders."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import InputError
from proofs_checks.proofs import bundle
from proofs_checks.proofs.bundle import recheck_folder, write_folder
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.results import ProveReport
from proofs_checks.proofs.solvers import solvers
from proofs_checks.proofs.solvers.solvers import SOLVERS
from tests.proofs_checks.proofs.attacks import CERTIFICATE, MANIFEST, SCRIPT, forge, manifest_of, replaced

pytestmark = pytest.mark.usefixtures("shared_solvers")
MUTANT = "sum-positive.mutant-1.smt2"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("once")


@pytest.fixture
def written(theory, stored: Path, once: Path, tmp_path: Path) -> Path:
    """A folder that was written once, copied for each test."""
    if not (once / "out").exists():
        write_folder(prove(proofs=theory), str(once / "out"))
    return Path(shutil.copytree(once / "out", tmp_path / "out"))


def failing(place: Path) -> set[str]:
    return {name for name, _ in recheck_folder(str(place)).failures}


def edit_manifest(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a manifest, and its own hash with it."""
    found = manifest_of(place)
    change(found)
    (place / MANIFEST).write_text(json.dumps(found))
    forge(place)


def test_what_was_written_rechecks(written: Path) -> None:
    found = recheck_folder(str(written))
    assert found.failures == ()
    assert (found.scripts, found.certificates, found.rechecked) == (12, 3, 3)
    assert found.agreed == {"z3": 12, "cvc5": 12}
    assert found.files == 15 == len(list(written.iterdir())) - 1
    assert json.dumps(found.to_data())
    manifest = manifest_of(written)
    assert manifest["versions"].keys() >= {"z3", "cvc5"}
    assert manifest["claims"]["thm:product"] == ["product-grows"]
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hashlib.sha256((written / name).read_bytes()).hexdigest()


def a_folder_instead(place: Path) -> None:
    (place / SCRIPT).unlink()
    (place / SCRIPT).mkdir()


def forged_certificate(place: Path) -> None:
    replaced(place, CERTIFICATE, json.dumps(json.loads((place / CERTIFICATE).read_text()) | {"tree": {"clash": True}}))


def contradiction_hidden_in_text(place: Path) -> None:
    """Solvers would take the assertion as a text: the reader must not take it as an assertion."""
    lines = (place / SCRIPT).read_text().splitlines()
    lines.insert(2, '(set-info :notes ")\n(assert (! false :named |h:false|))\n(set-info :more ")')
    replaced(place, SCRIPT, "\n".join(lines) + "\n")


#: What is done, and the file that is named.
TAMPERINGS: list[tuple[Callable[[Path], object], str]] = [
    (lambda place: (place / SCRIPT).write_text((place / SCRIPT).read_text() + " "), SCRIPT),
    (lambda place: (place / SCRIPT).unlink(), SCRIPT),
    (lambda place: (place / CERTIFICATE).unlink(), CERTIFICATE),
    (lambda place: (place / CERTIFICATE).write_text((place / CERTIFICATE).read_text() + " "), CERTIFICATE),
    (a_folder_instead, SCRIPT),
    (lambda place: (place / "more.smt2").write_text("(check-sat)"), "more.smt2"),
    (lambda place: (place / "more.certificate.json").write_text("{}"), "more.certificate.json"),
    (lambda place: (place / MANIFEST).write_text(json.dumps(manifest_of(place) | {"sha256": None})), MANIFEST),
    (lambda place: edit_manifest(place, lambda found: found.pop("claims")), MANIFEST),
    (lambda place: edit_manifest(place, lambda found: found["files"].pop(MUTANT)), MUTANT),
    (lambda place: edit_manifest(place, lambda found: found["files"][MUTANT].update(expected="unsat")), MUTANT),
    (lambda place: edit_manifest(place, lambda found: found["files"][CERTIFICATE].update(of=MUTANT)), CERTIFICATE),
    (
        lambda place: edit_manifest(place, lambda found: found["files"][CERTIFICATE].update(of="product-grows.smt2")),
        CERTIFICATE,
    ),
    (forged_certificate, CERTIFICATE),
    (lambda place: replaced(place, CERTIFICATE, "[" * 100_000), CERTIFICATE),
    (lambda place: replaced(place, SCRIPT, ""), SCRIPT),
    (lambda place: (place / SCRIPT).write_bytes(b"\xff\xfe"), SCRIPT),
    (contradiction_hidden_in_text, CERTIFICATE),
]


@pytest.mark.long("re-checks many folders")
@pytest.mark.parametrize("with_solvers", [True, False], ids=["solvers", "no solver"])
def test_tampering_is_found_and_named(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_solvers: bool, subtests: pytest.Subtests
) -> None:
    if not with_solvers:
        monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    for number, (tamper, named) in enumerate(TAMPERINGS):
        with subtests.test(number=number, named=named):
            place = Path(shutil.copytree(written, tmp_path / str(number)))
            tamper(place)
            assert named in failing(place)


def test_a_tampered_folder_is_named_without_solvers(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    assert failing(written) == set()
    forged_certificate(written)
    assert CERTIFICATE in failing(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "files": []}',
        '{"format": 1, "files": {"a/b": {"sha256": "", "kind": "script", "expected": "sat"}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "script", "expected": "maybe"}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "certificate", "of": ["a"]}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "certificate", "of": "a"}}}',
        '{"format": 1, "files": {"a": {"sha256": 1, "kind": "script", "expected": "sat"}}}',
        '{"format": 1, "files": {"a": 1}}',
    ],
)
def test_what_is_no_manifest_is_bad_input(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=MANIFEST):
        recheck_folder(str(tmp_path))


@pytest.mark.parametrize("place", ["nowhere", ""])
def test_no_folder_is_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=MANIFEST):
        recheck_folder(place)


@pytest.mark.long("re-checks a folder")
@pytest.mark.parametrize("label", ["thm:robust-dominant:best-reply", "lem:radius-monotone:one-provider"])
def test_a_claim_that_this_version_refutes_fails(written: Path, label: str) -> None:
    edit_manifest(written, lambda found: found["claims"].update({label: ["sum-positive"]}))
    [(file, problem)] = recheck_folder(str(written)).failures
    assert file == MANIFEST
    assert problem.startswith(f"names the claim {label}, which this version refutes")


@pytest.mark.long("re-checks a folder three times")
def test_what_was_checked_of_each_claim(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = recheck_folder(str(written)).to_data()
    assert both["not_checked"] == 0
    assert [one["not_checked"] for one in both["claims"]] == [[], [], []]
    monkeypatch.setattr(solvers, "find_spec", lambda name: None if name == "cvc5" else object())
    half = recheck_folder(str(written)).to_data()
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    none = recheck_folder(str(written)).to_data()
    assert half["claims"] == none["claims"]
    # Of 12 scripts the certificates decide the three steps.
    assert none["not_checked"] == half["not_checked"] == 9
    [first, *_] = none["claims"]
    assert first == {
        "label": "lem:sum",
        "steps": 1,
        "certified": 1,
        "scripts": 4,
        "not_checked": ["sum-positive.hypotheses.smt2", "sum-positive.mutant-1.smt2", "sum-positive.mutant-2.smt2"],
        "composition": "unknown",
    }


@pytest.fixture(scope="module")
def report() -> ProveReport:
    """Claims that this version proves: what a folder of them must ask is known."""
    return prove(["thm:robust-dominant", "eq:allocation"])


@pytest.fixture
def proved(report: ProveReport, tmp_path: Path) -> Path:
    return write_folder(report, str(tmp_path / "proved"))


@pytest.mark.long("proves theorems of the paper")
class TestTheoremsOfThePaper:
    """A folder holds what its claims rest on, and cannot leave out what this version asks."""

    def test_what_they_rest_on_is_there(self, proved: Path) -> None:
        assert {"thm:robust-dominant", "lem:one-step", "prop:selection-threshold"} <= manifest_of(proved)[
            "claims"
        ].keys()
        assert recheck_folder(str(proved)).failures == ()
        edit_manifest(proved, lambda found: found["claims"].pop("lem:one-step"))
        assert any("lacks the claim lem:one-step" in problem for _, problem in recheck_folder(str(proved)).failures)

    def test_what_is_left_out_is_named(self, tmp_path: Path) -> None:
        """Even if everything that is left agrees, hashes included."""
        proved = write_folder(prove(["lem:one-step"]), str(tmp_path))
        last, other = (f"one-step-no-loss.mutant-{number}.smt2" for number in (6, 5))
        whole = manifest_of(proved)
        text = (proved / last).read_text()
        edit_manifest(proved, lambda found: found["files"].pop(last))
        (proved / last).unlink()
        assert last in failing(proved)
        # The one that takes its place is satisfiable, as a mutant must be, and of another hypothesis.
        replaced(proved, last, (proved / other).read_text(), **whole["files"][last])
        assert last in failing(proved)
        replaced(proved, last, text)
        edit_manifest(proved, lambda found: found.update(uses={label: [] for label in found["uses"]}))
        assert MANIFEST in failing(proved)
        edit_manifest(proved, lambda found: found.pop("uses"))
        rechecked = recheck_folder(str(proved))
        assert MANIFEST in dict(rechecked.failures)
        assert rechecked.composed == ()

    def test_an_obligation_that_nothing_decides_fails(
        self, report: ProveReport, proved: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        certificates = list(proved.glob("*.certificate.json"))
        edit_manifest(proved, lambda found: [found["files"].pop(one.name) for one in certificates])
        for one in certificates:
            one.unlink()
        assert recheck_folder(str(proved)).failures == ()  # both solvers decide every one of them
        monkeypatch.setattr(bundle, "installed", lambda: SOLVERS[:1])
        monkeypatch.setattr(solvers, "installed", lambda: SOLVERS[:1])
        alone = recheck_folder(str(proved))
        assert alone.rechecked == 0
        assert {name for name, problem in alone.failures if "decided by nothing" in problem} == {
            *(f"{result.obligation.name}.smt2" for claim in report.needed for result in claim.obligations),
            *(f"{one.name}.smt2" for one in report.composition_scripts if one.expected == "unsat"),
        }

    def test_a_folder_without_claims_fails(self, proved: Path) -> None:
        edit_manifest(proved, lambda found: found.update(claims={"thm:regret": []}, uses={}, files={}))
        assert any("nothing to check" in problem for _, problem in recheck_folder(str(proved)).failures)


@pytest.mark.long("writes and re-checks a folder")
def test_a_second_run_replaces_the_first_and_files_of_others_stay(theory, stored: Path, written: Path) -> None:
    (written / "notes.txt").write_text("mine")
    write_folder(prove(["lem:cost"], proofs=theory), str(written))
    assert failing(written) == set()
    assert not (written / SCRIPT).exists()
    assert not (written / CERTIFICATE).exists()
    assert (written / "notes.txt").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_bad_input(theory, stored: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^out="):
        write_folder(prove(["lem:cost"], proofs=theory), str(tmp_path / "file" / "out"))


@pytest.mark.long("starts a process")
def test_rechecking_imports_no_solver(written: Path) -> None:
    """In a Python in which z3 and cvc5 cannot be imported, every certificate is re-checked all the same."""
    code = (
        "import sys\nfor name in ('z3', 'cvc5'): sys.modules[name] = None\n"
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name in ('z3', 'cvc5') else find(name, *more)\n"
        "from proofs_checks.cli.main import main\n"
        f"sys.exit(main(['prove', '--json', '--recheck', {str(written)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rechecked"], found["agreed"], found["failures"]) == (3, {}, [])
