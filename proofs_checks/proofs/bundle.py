"""A folder of proofs that anybody can re-check: SMT-LIB scripts, certificates, and a manifest with their hashes."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bounds.errors import InputError
from bounds.sheet import HasSheet, Sheet
from mechanism.files import read_whole
from proofs_checks.proofs.catalogue import all_proofs, obligations_of, proofs_for
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.composition import Composition, statements_of
from proofs_checks.proofs.foundations import condition_questions
from proofs_checks.proofs.inductions import start_questions
from proofs_checks.proofs.language.obligation import Proof, scripts_of
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.results import ProveReport
from proofs_checks.proofs.solvers.solvers import SOLVERS, TIME_LIMIT, Answered, ask_both, installed
from proofs_checks.proofs.store import stored_text
from proofs_checks.proofs.undecided import WRITE_AGAIN, not_installed

MANIFEST = "manifest.json"
_FORMAT = 2
#: Scripts that every obligation has.
_NEEDED = (".smt2", ".hypotheses.smt2")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def write_folder(report: ProveReport, out: str) -> Path:
    """Write the scripts and certificates of a report, and the manifest that names them.

    Parameters
    ----------
    report : ProveReport
    out : str
        Folder, made if it does not exist; files of earlier runs are replaced.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    place = Path(out)
    files: dict[str, dict[str, Any]] = {}
    try:
        place.mkdir(parents=True, exist_ok=True)
        contents = _contents(report)
        _remove_earlier(place, contents.keys())
        for name, (text, entry) in contents.items():
            (place / name).write_bytes(text.encode())
            files[name] = {**entry, "sha256": _digest(text.encode())}
        manifest = {
            "format": _FORMAT,
            "versions": dict(report.versions),
            "files": files,
            "claims": {c.proof.label: [r.obligation.name for r in c.obligations] for c in report.with_dependencies},
            "uses": {c.proof.label: list(c.proof.uses) for c in report.with_dependencies},
            "composition": {
                c.proof.label: {"checked": not c.proof.beyond, "beyond": c.left_to_english or None}
                for c in report.with_dependencies
            },
            "not_proved": {
                c.proof.label: c.reason for c in report.with_dependencies if not c.steps_stand and not c.missing
            },
            "undecided": {c.proof.label: list(c.missing) for c in report.with_dependencies if c.missing},
        }
        manifest["sha256"] = _own_digest(manifest)
        (place / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        rule = f"cannot be written ({(error.strerror or 'no reason given').lower()})"
        raise InputError("out", out, rule, "name a folder in which you may write") from None
    return place


def _remove_earlier(place: Path, kept: Collection[str]) -> None:
    """Remove what an earlier run wrote here and this one does not."""
    try:
        earlier = _manifest(place)["files"]
    except InputError:
        return
    for name in earlier.keys() - kept:
        (place / name).unlink(missing_ok=True)


def _contents(report: ProveReport) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return every file's text and its entry in the manifest."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for one in report.composition_scripts:
        found[f"{one.name}.smt2"] = (one.text, {"kind": "script", "expected": one.expected, "about": "composition"})
    for result in report.obligations_with_dependencies:
        for one in result.scripts:
            found[f"{one.name}.smt2"] = (one.text, {"kind": "script", "expected": one.expected})
        name = result.obligation.name
        text = stored_text(name)
        if text is not None:
            found[f"{name}.certificate.json"] = (text, {"kind": "certificate", "of": f"{name}.smt2"})
    return found


Composed = Literal["checked", "not checked", "unknown"]


@dataclass(frozen=True, kw_only=True)
class RecheckedClaim:
    """How much of a claim was checked when a folder was.

    Parameters
    ----------
    label : str
    steps : int
        Its obligations.
    certified : int
        Those of whose certificate the checker, which needs no solver, accepts.
    scripts : int
        Those of its obligations, mutants included; those about composition belong to the whole folder.
    not_checked : tuple of str
        Those of them that neither an accepted certificate nor both solvers decide.
    composition : {"checked", "not checked", "unknown"}
        Whether both solvers decided again how its obligations compose; "unknown" if this version does not prove it.
    """

    label: str
    steps: int
    certified: int
    scripts: int
    not_checked: tuple[str, ...]
    composition: Composed

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "not_checked": list(self.not_checked)}


@dataclass(frozen=True, kw_only=True)
class Recheck(HasSheet):
    """What re-checking a folder found.

    Parameters
    ----------
    folder : str
    files, scripts, certificates : int
        How many there are.
    rechecked : int
        Certificates that the checker accepts.
    agreed : mapping
        From an installed solver to how many scripts it answers as expected.
    composed : tuple of str
        Claims whose obligations, and whose composition, are those of this version; both solvers decide it again.
    unknown : tuple of str
        Claims that this version does not prove: how their obligations compose is not re-checked.
    undecided : tuple of (str, str)
        Claims that lacked a solver when the folder was written, and are not decided here either; why, and the remedy.
    failures : tuple of (str, str)
        File and what is wrong with it.
    not_checked : int
        Scripts that neither an accepted certificate nor both solvers decide.
    claims : tuple of RecheckedClaim
        What was checked of each claim, and what was not.
    """

    folder: str
    files: int
    scripts: int
    certificates: int
    rechecked: int
    agreed: Mapping[str, int]
    composed: tuple[str, ...]
    unknown: tuple[str, ...]
    undecided: tuple[tuple[str, str], ...]
    failures: tuple[tuple[str, str], ...]
    not_checked: int
    claims: tuple[RecheckedClaim, ...]

    def sheet(self) -> Sheet:
        """Return a row for every problem; a claim that is not decided is none."""
        title = f"Problems in {self.folder}: {self.rechecked} of {self.certificates} certificates re-checked"
        return Sheet(title=title, columns=("file", "problem"), rows=self.failures)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        failures = [{"file": name, "problem": problem} for name, problem in self.failures]
        undecided = [{"label": label, "reason": why} for label, why in self.undecided]
        lists = {"undecided": undecided, "failures": failures, "claims": [one.to_data() for one in self.claims]}
        return {**asdict(self), "agreed": dict(self.agreed), **lists}


def recheck_folder(
    folder: str, *, time_limit: float = TIME_LIMIT, progress: Callable[[int, int], None] = lambda done, total: None
) -> Recheck:
    """Check a folder from disk: hashes, certificates without any solver, scripts with the solvers that are installed.

    Parameters
    ----------
    folder : str
    time_limit : float, optional
        Seconds that a solver may take for one script.
    progress : callable, optional

    Raises
    ------
    InputError
        The folder has no readable manifest.
    """
    place = Path(folder)
    manifest = _manifest(place)
    entries: dict[str, dict[str, Any]] = manifest["files"]
    texts, failures = _read(place, entries)
    failures += _manifest_problems(manifest)
    scripts = {name: text for name, text in texts.items() if entries[name]["kind"] == "script"}
    certificates = [name for name in texts if entries[name]["kind"] == "certificate"]
    failures += _announced_otherwise(scripts, entries)
    problems = {name: _certificate_problem(texts, entries, name) for name in certificates}
    failures += [(name, problem) for name, problem in problems.items() if problem]
    accepted = {entries[name]["of"] for name, problem in problems.items() if not problem}
    composed, unknown, differing = _composition(manifest, texts)
    failures += [*differing, *_refuted_here(unknown)]
    answers = ask_both(scripts, time_limit=time_limit, progress=progress) if installed() else {}
    wrong = {solver: _answered_otherwise(solver, answers[solver], entries) for solver in installed()}
    failures += itertools.chain.from_iterable(wrong.values())
    failures += _decided_by_nothing(scripts, entries, answers, accepted)
    composed = composed if set(SOLVERS) <= set(installed()) else ()
    decided = composed if not failures else ()
    checked = accepted | _decided_by_both(scripts, entries, answers)
    return Recheck(
        folder=folder,
        files=len(entries),
        scripts=len(scripts),
        certificates=len(certificates),
        rechecked=len(accepted),
        agreed={solver: len(answers[solver]) - len(those) for solver, those in wrong.items()},
        composed=composed,
        unknown=unknown,
        undecided=tuple(_still_undecided(manifest, decided)),
        failures=tuple(sorted(failures)),
        not_checked=len(scripts.keys() - checked),
        claims=tuple(_rechecked_claims(manifest, accepted, checked, composed, unknown)),
    )


def _decided_by_both(
    scripts: Iterable[str], entries: Mapping[str, Mapping[str, Any]], answers: Mapping[str, Mapping[str, Answered]]
) -> set[str]:
    """Return the scripts to which both solvers answer as expected."""
    return {
        name
        for name in scripts
        if all(solver in answers and answers[solver][name].answer == entries[name]["expected"] for solver in SOLVERS)
    }


def _rechecked_claims(
    manifest: Mapping[str, Any],
    accepted: Collection[str],
    checked: Collection[str],
    composed: Collection[str],
    unknown: Collection[str],
) -> Iterator[RecheckedClaim]:
    claims = manifest.get("claims")
    for label, names in claims.items() if isinstance(claims, dict) else ():
        own = [f"{name}" for name in names] if isinstance(names, list) else []
        scripts = [
            file
            for file, entry in manifest["files"].items()
            if entry["kind"] == "script"
            and entry.get("about") != "composition"
            and any(file.startswith(f"{name}.") for name in own)
        ]
        yield RecheckedClaim(
            label=label,
            steps=len(own),
            certified=sum(f"{name}.smt2" in accepted for name in own),
            scripts=len(scripts),
            not_checked=tuple(sorted(set(scripts) - set(checked))),
            composition="unknown" if label in unknown else "checked" if label in composed else "not checked",
        )


def _refuted_here(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return the labels that this version knows to be false: nothing in a folder proves those."""
    from proofs_checks.claims.registry import all_claims

    known_false = {label for label, stated in all_claims().items() if stated.finding}
    why = "which this version refutes: `costproof claims` says how, and no folder proves it"
    return [(MANIFEST, f"names the claim {label}, {why}") for label in labels if label in known_false]


def _manifest(place: Path) -> dict[str, Any]:
    remedy = "give a folder that `costproof prove --out DIR` wrote"
    try:
        manifest = json.loads(read_whole(place / MANIFEST).decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is no JSON"
        raise InputError("folder", str(place), f"has no readable {MANIFEST} ({reason.lower()})", remedy) from None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT or not _is_sound(manifest):
        raise InputError("folder", str(place), f"has a {MANIFEST} of another form", remedy)
    return manifest


def _is_sound(manifest: dict[str, Any]) -> bool:
    """Whether a manifest has the form in which it is written; what it says may be wrong."""
    told = [manifest.get(key, {}) for key in ("uses", "composition", "not_proved", "undecided")]
    if not all(isinstance(one, dict) for one in told):
        return False
    uses, composition, _, undecided = told
    names = [*uses.values(), *undecided.values()]
    lists = all(isinstance(used, list) and all(isinstance(one, str) for one in used) for used in names)
    return lists and all(isinstance(one, dict) for one in composition.values()) and _entries_are_sound(manifest)


def _entries_are_sound(manifest: dict[str, Any]) -> bool:
    files = manifest.get("files")
    return isinstance(files, dict) and all(
        _PLAIN_NAME.fullmatch(name)
        and isinstance(entry, dict)
        and isinstance(entry.get("sha256"), str)
        and (
            (entry.get("kind") == "script" and entry.get("expected") in ("sat", "unsat"))
            or (entry.get("kind") == "certificate" and _is_script(files.get(str(entry.get("of")))))
        )
        for name, entry in files.items()
    )


def _is_script(entry: Any) -> bool:
    """Whether an entry is that of a script."""
    return isinstance(entry, dict) and entry.get("kind") == "script"


def _manifest_problems(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    problems = []
    if manifest.get("sha256") != _own_digest(manifest):
        problems.append((MANIFEST, "was changed: its hash is not its own"))
    claims = manifest.get("claims")
    if not isinstance(claims, dict) or not all(isinstance(names, list) for names in claims.values()):
        return [*problems, (MANIFEST, "does not say which obligations each claim has")]
    problems += [
        (MANIFEST, f"says that {label} was not proved when this was written: {why}")
        for label, why in manifest.get("not_proved", {}).items()
    ]
    if not any(claims.values()):
        problems.append((MANIFEST, "names no claim with an obligation: there is nothing to check"))
    unsupported = {used for uses in manifest.get("uses", {}).values() for used in uses} - claims.keys()
    problems += [(MANIFEST, f"lacks the claim {used}, on which others rest") for used in sorted(unsupported)]
    needed = {f"{name}{ending}" for names in claims.values() for name in names for ending in _NEEDED}
    missing = needed - manifest["files"].keys()
    return [*problems, *((name, "is needed by a claim, but not in the manifest") for name in missing)]


def _read(place: Path, entries: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the texts of the files whose hash is right, and what is wrong with the others."""
    texts: dict[str, str] = {}
    failures = []
    for name, entry in entries.items():
        try:
            raw = read_whole(place / name)
        except OSError:
            failures.append((name, "is missing or cannot be read"))
            continue
        if _digest(raw) != entry["sha256"]:
            failures.append((name, "was changed: its hash is not the manifest's"))
        else:
            texts[name] = raw.decode("utf-8", errors="replace")
    strangers = {path.name for path in place.iterdir()} - entries.keys() - {MANIFEST}
    failures += [(name, "is not in the manifest") for name in strangers if name.endswith((".smt2", ".json"))]
    return texts, failures


def _certificate_problem(texts: Mapping[str, str], entries: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """Return why a certificate shows nothing, "" if it is right."""
    of = entries[name]["of"]
    if of not in texts:
        return f"certifies {of}, which cannot be checked"
    if entries[of]["expected"] != "unsat":
        return f"certifies that {of} is contradictory, which the manifest denies"
    try:
        check_certificate(assertions(texts[of]), json.loads(texts[name]))
    except (CertificateError, ValueError, RecursionError) as error:
        return f"the checker refuses it: {error}"
    return ""


def _answered_otherwise(
    solver: str, answers: Mapping[str, Answered], entries: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Return the scripts to which a solver does not answer as expected."""
    return [
        (name, f"{solver} says {answered.answer}, expected {entries[name]['expected']}")
        for name, answered in answers.items()
        if answered.answer != entries[name]["expected"]
    ]


def _still_undecided(manifest: Mapping[str, Any], decided: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the claims that lacked a solver when the folder was written, but for those that both decide here."""
    here = [solver for solver in SOLVERS if solver not in installed()]
    for label, missing in manifest.get("undecided", {}).items():
        if label not in decided:
            now = f"; here {not_installed(here)}" if here else ""
            then = f"{' and '.join(missing)} {'was' if len(missing) == 1 else 'were'} not installed"
            yield label, f"{then} when the folder was written{now}; with both, {WRITE_AGAIN}"


def _decided_by_nothing(
    scripts: Iterable[str],
    entries: Mapping[str, Mapping[str, Any]],
    answers: Mapping[str, Mapping[str, Answered]],
    accepted: Collection[str],
) -> list[tuple[str, str]]:
    """Return the obligations that neither an accepted certificate nor both solvers decide."""
    return [
        (name, "is decided by nothing here: no certificate that is accepted, and not both solvers")
        for name in scripts
        if entries[name]["expected"] == "unsat"
        and name not in accepted
        and (answers or entries[name].get("about") != "composition")
        and not all(solver in answers and answers[solver][name].answer == "unsat" for solver in SOLVERS)
    ]


def _composition(
    manifest: Mapping[str, Any], texts: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[str, str]]]:
    """Return the claims that compose as this version says, those that it does not know, and what differs."""
    known = all_proofs()
    claims = manifest.get("claims")
    claims = claims if isinstance(claims, dict) else {}
    labels = [label for label in claims if label in known]
    unknown = tuple(label for label in claims if label not in known)
    if not labels:
        return (), unknown, []
    needed = proofs_for(labels, known)
    expected = expected_scripts(needed, written=texts)
    differing = {name for name, text in expected.items() if texts.get(name) != text}
    listed, other = manifest["files"], "is not what this version of the package asks"
    problems = [
        (name, other if name in listed else "is asked by this version, and is not in the manifest")
        for name in sorted(differing)
    ]
    for label in labels:
        own = [obligation.name for obligation in known[label].obligations]
        if claims[label] != own:
            problems.append((MANIFEST, f"gives {label} other obligations than this version does"))
        if manifest.get("uses", {}).get(label) != list(known[label].uses):
            problems.append((MANIFEST, f"lets {label} rest on other claims than this version does"))
        said = manifest.get("composition", {}).get(label, {}).get("checked")
        if said is not (not known[label].beyond):
            problems.append((MANIFEST, f"says of the composition of {label} what this version does not"))
    return tuple(labels) if not problems else (), unknown, problems


def expected_scripts(proofs: Mapping[str, Proof], *, written: Collection[str]) -> dict[str, str]:
    """Return what a folder of some proofs must ask, by the name of the file."""
    obligations = obligations_of(proofs)
    conditions = [one for each in obligations.values() for one in condition_questions(each).values()]
    derived = [one for one in conditions if f"{one.name}.smt2" in written]
    composition = Composition(obligations, [one.name for one in derived])
    statements = [one for p in proofs.values() if p.composes for one in statements_of(p, composition)]
    asked = [
        *(one for obligation in obligations.values() for one in scripts_of(obligation)),
        *derived,
        *(one for name in obligations for one in composition.sequent(name).questions),
        *(one for obligation in obligations.values() for one in start_questions(obligation)),
        *(one for statement in statements for one in statement.derivations),
    ]
    return {f"{one.name}.smt2": one.text for one in asked}


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _announced_otherwise(scripts: Mapping[str, str], entries: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the scripts whose own word on the expected answer is not the manifest's: no solver is needed for that."""
    return [
        (name, f"does not announce that it is {entries[name]['expected']}, as the manifest does")
        for name, text in scripts.items()
        if f"\n(set-info :status {entries[name]['expected']})\n" not in text
    ]


def _own_digest(manifest: Mapping[str, Any]) -> str:
    """Return the hash of a manifest without its hash."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return _digest(json.dumps(rest, sort_keys=True).encode())
