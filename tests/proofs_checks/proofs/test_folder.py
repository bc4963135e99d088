"""A folder of proofs: what was written re-checks; whatever was changed since is named."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.proofs import bundle as folder_module
from proofs_checks.proofs.bundle import MANIFEST, recheck_folder, write_folder
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import solvers

SCRIPT, CERTIFICATE = "sum-positive.smt2", "sum-positive.certificate.json"
OTHER = "product-grows.certificate.json"


@pytest.fixture(scope="module")
def once(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("once")


@pytest.fixture
def written(theory, stored, once, tmp_path) -> Path:
    """A folder that was written once, copied for each test."""
    if not (once / "out").exists():
        write_folder(prove(proofs=theory), str(once / "out"))
    return Path(shutil.copytree(once / "out", tmp_path / "out"))


def manifest(place: Path) -> dict:
    return json.loads((place / MANIFEST).read_text())


def save(place: Path, found: dict, *, forged: bool = True) -> None:
    """Write a manifest; a forger also computes its hash anew."""
    if forged:
        found["sha256"] = folder_module._own_digest(found)
    (place / MANIFEST).write_text(json.dumps(found))


def forge(place: Path, name: str, text: str) -> None:
    """Replace a file and fix its hash."""
    (place / name).write_text(text)
    found = manifest(place)
    found["files"][name]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    save(place, found)


def failing(place: Path) -> set[str]:
    return {name for name, _ in recheck_folder(str(place)).failures}


def test_what_was_written_rechecks(written):
    found = recheck_folder(str(written))
    assert found.failures == ()
    assert (found.scripts, found.certificates, found.rechecked) == (12, 3, 3)
    assert found.agreed == {"z3": 12, "cvc5": 12}
    assert found.files == 15 == len(list(written.iterdir())) - 1
    assert json.dumps(found.to_data())


def test_the_manifest_names_hashes_versions_and_claims(written):
    found = manifest(written)
    assert found["versions"].keys() >= {"z3", "cvc5"}
    assert found["claims"]["thm:product"] == ["product-grows"]
    for name, entry in found["files"].items():
        assert entry["sha256"] == hashlib.sha256((written / name).read_bytes()).hexdigest()


def edited(place: Path) -> str:
    with (place / SCRIPT).open("a") as file:
        file.write(" ")
    return SCRIPT


def edited_certificate(place: Path) -> str:
    (place / CERTIFICATE).write_text((place / CERTIFICATE).read_text().replace("1", "2", 1))
    return CERTIFICATE


def removed(place: Path) -> str:
    (place / SCRIPT).unlink()
    return SCRIPT


def removed_certificate(place: Path) -> str:
    (place / CERTIFICATE).unlink()
    return CERTIFICATE


def a_folder_instead(place: Path) -> str:
    (place / SCRIPT).unlink()
    (place / SCRIPT).mkdir()
    return SCRIPT


def added(place: Path) -> str:
    (place / "more.smt2").write_text("(check-sat)")
    return "more.smt2"


def added_certificate(place: Path) -> str:
    (place / "more.certificate.json").write_text("{}")
    return "more.certificate.json"


def manifest_edited(place: Path) -> str:
    found = manifest(place)
    found["versions"]["z3"] = "99"
    save(place, found, forged=False)
    return MANIFEST


def manifest_without_hash(place: Path) -> str:
    found = manifest(place)
    del found["sha256"]
    save(place, found, forged=False)
    return MANIFEST


def manifest_without_claims(place: Path) -> str:
    found = manifest(place)
    del found["claims"]
    save(place, found)
    return MANIFEST


def entry_left_out(place: Path) -> str:
    found = manifest(place)
    del found["files"]["sum-positive.mutant-1.smt2"]
    save(place, found)
    return "sum-positive.mutant-1.smt2"


def needed_left_out(place: Path) -> str:
    found = manifest(place)
    name = "sum-positive.hypotheses.smt2"
    del found["files"][name]
    (place / name).unlink()
    save(place, found)
    return name


def expectation_flipped(place: Path) -> str:
    found = manifest(place)
    found["files"]["sum-positive.mutant-1.smt2"]["expected"] = "unsat"
    save(place, found)
    return "sum-positive.mutant-1.smt2"


def refutation_flipped(place: Path) -> str:
    found = manifest(place)
    found["files"][SCRIPT]["expected"] = "sat"
    save(place, found)
    return SCRIPT


def certificate_of_a_satisfiable_script(place: Path) -> str:
    found = manifest(place)
    found["files"][CERTIFICATE]["of"] = "sum-positive.mutant-1.smt2"
    save(place, found)
    return CERTIFICATE


def certificate_of_another(place: Path) -> str:
    found = manifest(place)
    found["files"][CERTIFICATE]["of"] = "product-grows.smt2"
    save(place, found)
    return CERTIFICATE


def certificates_swapped(place: Path) -> str:
    forge(place, CERTIFICATE, (place / OTHER).read_text())
    return CERTIFICATE


def forged_certificate(place: Path) -> str:
    found = json.loads((place / CERTIFICATE).read_text())
    found["tree"] = {"clash": True}
    forge(place, CERTIFICATE, json.dumps(found))
    return CERTIFICATE


def certificate_no_json(place: Path) -> str:
    forge(place, CERTIFICATE, "[" * 100_000)
    return CERTIFICATE


def forged_script(place: Path) -> str:
    """The negated goal is left out: satisfiable, so the certificate shows nothing."""
    lines = (place / SCRIPT).read_text().splitlines()
    forge(place, SCRIPT, "\n".join(line for line in lines if "negated-goal" not in line) + "\n")
    return SCRIPT if solvers.installed() else CERTIFICATE


def script_of_nothing(place: Path) -> str:
    forge(place, SCRIPT, "")
    return SCRIPT


def script_no_text(place: Path) -> str:
    (place / SCRIPT).write_bytes(b"\xff\xfe")
    found = manifest(place)
    found["files"][SCRIPT]["sha256"] = hashlib.sha256(b"\xff\xfe").hexdigest()
    save(place, found)
    return SCRIPT


def contradiction_hidden_in_text(place: Path) -> str:
    """Solvers would take the assertion as a text: the reader must not take it as an assertion."""
    lines = (place / SCRIPT).read_text().splitlines()
    lines.insert(2, '(set-info :notes ")\n(assert (! false :named |h:false|))\n(set-info :more ")')
    forge(place, SCRIPT, "\n".join(lines) + "\n")
    return CERTIFICATE


TAMPERINGS = [
    edited,
    edited_certificate,
    removed,
    removed_certificate,
    a_folder_instead,
    added,
    added_certificate,
    manifest_edited,
    manifest_without_hash,
    manifest_without_claims,
    entry_left_out,
    needed_left_out,
    expectation_flipped,
    refutation_flipped,
    certificate_of_a_satisfiable_script,
    certificate_of_another,
    certificates_swapped,
    forged_certificate,
    certificate_no_json,
    forged_script,
    script_of_nothing,
    script_no_text,
    contradiction_hidden_in_text,
]


@pytest.mark.parametrize("with_solvers", [True, False], ids=["solvers", "no solver"])
@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_tampering_is_found_and_named(written, monkeypatch, tamper, with_solvers):
    if not with_solvers:
        monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    assert tamper(written) in failing(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "files": []}',
        '{"format": 1, "files": {"../x": {"sha256": "", "kind": "script", "expected": "sat"}}}',
        '{"format": 1, "files": {"a/b": {"sha256": "", "kind": "script", "expected": "sat"}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "script", "expected": "maybe"}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "certificate", "of": ["a"]}}}',
        '{"format": 1, "files": {"a": {"sha256": "", "kind": "certificate", "of": "a"}}}',
        '{"format": 1, "files": {"a": {"sha256": 1, "kind": "script", "expected": "sat"}}}',
        '{"format": 1, "files": {"a": 1}}',
    ],
)
def test_what_is_no_manifest_is_bad_input(written, text):
    (written / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=MANIFEST):
        recheck_folder(str(written))


@pytest.mark.parametrize("place", ["nowhere", ""])
def test_no_folder_is_bad_input(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=MANIFEST):
        recheck_folder(place)


@pytest.mark.parametrize("label", ["thm:robust-dominant:best-reply", "lem:one-step:any-bid"])
def test_a_claim_that_this_version_refutes_fails(written, label):
    found = manifest(written)
    found["claims"][label] = ["sum-positive"]
    save(written, found)
    [(file, problem)] = recheck_folder(str(written)).failures
    assert file == MANIFEST
    assert problem.startswith(f"names the claim {label}, which this version refutes")


def test_what_was_checked_of_each_claim(written, monkeypatch):
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


def test_without_solvers_composition_is_not_checked(tmp_path, monkeypatch):
    write_folder(prove(["lem:payment-range"]), str(tmp_path))
    told = {one.composition for one in recheck_folder(str(tmp_path)).claims}
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    found = recheck_folder(str(tmp_path))
    assert (told, {one.composition for one in found.claims}) == ({"checked"}, {"not checked"})
    assert (found.failures, found.undecided, found.composed) == ((), (), ())


@pytest.fixture(scope="module")
def proved(tmp_path_factory) -> Path:
    """A folder of claims that this version proves: what it must ask is known."""
    return write_folder(prove(["lem:one-step"]), str(tmp_path_factory.mktemp("proved")))


def without_a_mutant(found: dict, place: Path) -> str:
    name = "one-step-no-loss.mutant-6.smt2"
    del found["files"][name]
    (place / name).unlink()
    return name


def without_mutants(found: dict, place: Path) -> str:
    mutants = [name for name in found["files"] if ".mutant-" in name]
    for name in mutants:
        del found["files"][name]
        (place / name).unlink()
    return mutants[0]


def with_another_mutant(found: dict, place: Path) -> str:
    """The one that takes the place is satisfiable, as a mutant must be, and of another hypothesis."""
    name, other = "one-step-no-loss.mutant-6.smt2", "one-step-no-loss.mutant-5.smt2"
    (place / name).write_bytes((place / other).read_bytes())
    found["files"][name]["sha256"] = found["files"][other]["sha256"]
    return name


def resting_on_nothing(found: dict, place: Path) -> str:
    found["uses"] = {label: [] for label in found["uses"]}
    return MANIFEST


def without_uses(found: dict, place: Path) -> str:
    del found["uses"]
    return MANIFEST


@pytest.mark.parametrize(
    "leave_out",
    [without_a_mutant, without_mutants, with_another_mutant, resting_on_nothing, without_uses],
    ids=lambda leave_out: leave_out.__name__,
)
def test_a_folder_cannot_leave_out_what_this_version_asks(proved, tmp_path, leave_out):
    """Even if everything that is left agrees, hashes included."""
    assert failing(proved) == set()
    place = Path(shutil.copytree(proved, tmp_path / "out"))
    found = manifest(place)
    name = leave_out(found, place)
    save(place, found)
    rechecked = recheck_folder(str(place))
    assert name in dict(rechecked.failures)
    assert rechecked.composed == ()


def test_a_second_run_replaces_the_first(theory, stored, written):
    write_folder(prove(["lem:cost"], proofs=theory), str(written))
    assert failing(written) == set()
    assert not (written / SCRIPT).exists()
    assert not (written / CERTIFICATE).exists()


def test_files_of_others_stay(theory, stored, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    write_folder(prove(["lem:cost"], proofs=theory), str(tmp_path))
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert recheck_folder(str(tmp_path)).failures == ()


def test_a_place_that_cannot_be_written_is_bad_input(theory, stored, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^out="):
        write_folder(prove(["lem:cost"], proofs=theory), str(tmp_path / "file" / "out"))


def test_rechecking_imports_no_solver(written):
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
