"""Which claims have a theorem in Coq, what it says and assumes, and whether it was checked on this machine.

`theories/` holds the sources. `labels.json` says, by hand, which theorem is about which claim, and `instances.json`
which theorems show that assumptions can be met. `stored.json` is written by `python -m proofs_checks.proofs.kernel`: it
holds what Coq printed when it last checked these sources.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from bounds.documents import Document
from bounds.errors import InputError
from bounds.words import listed
from proofs_checks.proofs.kept import keep, read_kept
from proofs_checks.proofs.kernel.formulas import check_formulas, packaged_text

KernelStatus = Literal["checked", "stored", "none"]
#: Whether a theorem states its claim, states a part or another form of it, states steps of the argument for it, or
#: proves that the claim as worded is false.
States = Literal["claim", "part", "steps", "refutes"]

#: What is said first of what a theorem states.
_SCOPES: Mapping[States, str] = {
    "claim": "It states the claim.",
    "part": "It states a part of the claim, or another form.",
    "steps": "It states a step of the argument.",
    "refutes": "It proves that this wording is false.",
}
#: A theorem after the name of its file.
_PLACE = re.compile(r"\w+\.\w+", re.ASCII)

#: What a theorem may rest on: the axioms of Coq's own real numbers, by full name, each with its type.
ALLOWED_ASSUMPTIONS: Mapping[str, str] = {
    # A property of natural numbers that can be decided holds for all or fails.
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec": (
        "forall P : nat -> Prop, (forall n, {P n} + {~ P n}) -> {n | ~ P n} + {forall n, P n}"
    ),
    # Whether not not P holds can be decided.
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec": "forall P : Prop, {~ ~ P} + {~ P}",
    # Functions that agree everywhere are equal.
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep": (
        "forall (A : Type) (B : A -> Type) (f g : forall x : A, B x), (forall x, f x = g x) -> f = g"
    ),
    # Every statement is true or false.
    "Coq.Logic.Classical_Prop.classic": "forall P : Prop, P \\/ ~ P",
}

_INSTANCES = json.loads(packaged_text("instances.json"))

#: Theorems of `RulesRefineRuns.v`: of no claim, but what ties the rules that run to those of every claim.
ABOUT_RULES: Sequence[str] = _INSTANCES["about_rules"]

#: What theorems about claims assume, by its name in Coq, and a theorem, after the name of its file, that something is
#: so: a theorem whose assumptions nothing satisfies is empty. Markets are of the paper.
INSTANCES: Mapping[str, str] = _INSTANCES["instances"]

#: By label, what its theorem says of GSM8K-full, a market of the paper: nothing that it assumes is left open.
APPLIED: Mapping[str, str] = _INSTANCES["applied"]

#: What every theorem about plays says less than the paper, in short and in full, and more.
LESS = "proved up to any horizon, not for endless runs"
_LESS = (
    f"It is {LESS}: up to any horizon the good event fails with probability at most delta, and on it "
    "the claim holds of every play. One probability for all horizons is proved only where draws are countably "
    "additive, of countably many values (lem:good-event, in Additive.v)."
)
_MORE = (
    "A strategy is a function of the step and of its provider's own history; random ones are mixtures of these. "
    "The platform may break ties and explore by any rule that uses the history so far and no later draw. The score "
    "and the cost of a query may depend on each other. Laws need only be finitely additive."
)

_LABELS = "labels.json"
#: What `labels.json` lists of a label: theorems, each after the name of its file.
_LISTS = ("theorems", "witnesses")
#: Where a build that agreed with what is stored is remembered, in the user's cache folder.
_REMEMBERED = "kernel"
#: Of the files that have changed so many are named.
_MOST_NAMED = 5
_CHECK_AGAIN = "python -m proofs_checks.proofs.kernel has Coq check them and stores what it prints"


@dataclass(frozen=True, kw_only=True)
class KernelTheorem:
    """A theorem in Coq about a claim of the paper.

    Parameters
    ----------
    label : str
        The claim's.
    name : str
        The theorem's, in Coq.
    file : str
        Which holds it, in `theories/`.
    states : {"claim", "part", "steps", "refutes"}
        Whether it states the claim itself, up to notation or more; a part or another form of it; a step of the
        argument; or that the claim is false.
    says : str
        What it says, in a sentence: the comment before it in its file.
    differs : str
        How it differs from the paper's statement; empty if it does not.
    statement : str
        As Coq prints it; empty where nothing is stored of it.
    assumptions : tuple of str
        The axioms on which it rests at most: Coq prints those of all theorems together.
    witnesses : tuple of str
        Theorems, each after the name of its file: instances at the limits of the statement, where it cannot be sharper.
    others : tuple of str
        Theorems, each after the name of its file, that state further parts of the claim.
    beyond : str
        What no theorem states of the claim, in a sentence; empty if nothing.
    takes : mapping
        Numbers that the program computes and the theorem takes, by a short name: the property that each must have.
    vacuous : str
        A theorem, after the name of its file, that the condition of the claim is never met; empty if there is none.
    """

    label: str
    name: str
    file: str
    states: States
    says: str
    differs: str
    statement: str
    assumptions: tuple[str, ...]
    witnesses: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    beyond: str = ""
    takes: Mapping[str, str] = field(default_factory=dict)
    vacuous: str = ""

    @property
    def in_words(self) -> str:
        """What it states, how that differs from the paper, what it leaves to English, and where it is sharp."""
        differs = f" {self.scope}: {self.differs}" if self.differs else ""
        return f"{self.stated}{differs}"

    @property
    def scope(self) -> str:
        """What `differs` is about."""
        return "Its scope" if self.states == "refutes" else "Unlike the paper"

    @property
    def stated(self) -> str:
        """What it states, what it leaves to English, and where it is sharp."""
        limits = f" Instances at its limits: {', '.join(self.witnesses)}." if self.witnesses else ""
        beyond = f" No theorem states: {self.beyond}" if self.beyond else ""
        return f"{_SCOPES[self.states]} {self.says}{beyond}{limits}"

    @property
    def cited(self) -> tuple[str, ...]:
        """The names of the theorems on which the verdict on the claim rests."""
        return tuple(place.partition(".")[2] for place in self.places)

    @property
    def places(self) -> tuple[str, ...]:
        """The same theorems, each after the name of its file."""
        own = f"{self.file.removesuffix('.v')}.{self.name}"
        return tuple(place for place in (own, *self.others, self.vacuous) if place)


@dataclass(frozen=True, kw_only=True)
class CoqSaid:
    """What Coq, on this machine, said of the present sources.

    Parameters
    ----------
    coq : str
        Its version.
    problems : tuple of str
        Why the theorems do not stand as stored; none if they do.
    """

    coq: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class KernelRecord:
    """A theorem about a claim, and whether a machine checked it.

    Parameters
    ----------
    theorem : KernelTheorem
    status : {"checked", "stored", "none"}
        Checked by Coq on this machine; only stored, for exactly these sources; or neither.
    coq : str
        The version of Coq that checked it; empty if none did.
    source_hash : str
        SHA-256 of the file that holds it.
    problem : str
        Why it does not count; empty if it does.
    """

    theorem: KernelTheorem
    status: KernelStatus
    coq: str
    source_hash: str
    problem: str = ""

    @property
    def proves_claim(self) -> bool:
        """Whether a machine checked it, and it states the claim itself."""
        return self.status != "none" and self.theorem.states == "claim"

    @property
    def place(self) -> str:
        """Its name and file."""
        return f"{self.theorem.name} in {self.theorem.file}"

    @property
    def how_checked(self) -> str:
        """How it is known that Coq accepts it, in words."""
        if self.status == "none":
            return f"which does not count: {self.problem}"
        if self.status == "checked":
            return f"checked here by Coq {self.coq}"
        return f"stored: Coq {self.coq} checked these sources, not on this machine"

    @property
    def trusted(self) -> str:
        """What somebody trusts who takes the verdict from it, in words; empty where it does not count."""
        if self.status == "none":
            return ""
        axioms = ", ".join(name.rpartition(".")[2] for name in self.theorem.assumptions)
        rests = f"Coq's kernel; the axioms of its real numbers ({axioms})" if axioms else "Coq's kernel"
        record = "" if self.status == "checked" else "; that the stored record is right, since Coq was not run here"
        return f"{rests}{record}; that {self.theorem.name} says what the paper says: read it"

    def __str__(self) -> str:
        said = f"{self.place}, {self.how_checked}."
        return said if self.status == "none" else f"{said} {self.theorem.in_words}"


@dataclass(frozen=True, kw_only=True)
class CoqPrint(Document):
    """What Coq prints of the theorems.

    Parameters
    ----------
    coq : str
        The version that printed it.
    sources : mapping
        From a file to the hash of its text; `labels.json` is one of them.
    statements : mapping
        By the name of the theorem.
    assumptions : tuple of str
        Full names of the axioms that the theorems assume, all together.
    """

    coq: str
    sources: Mapping[str, str]
    statements: Mapping[str, str]
    assumptions: tuple[str, ...]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> CoqPrint:
        """Return what `to_data` gave."""
        return cls(
            coq=str(data["coq"]),
            sources={name: str(found) for name, found in data["sources"].items()},
            statements={name: str(found) for name, found in data["statements"].items()},
            assumptions=tuple(map(str, data["assumptions"])),
        )

    def unlike(self, other: CoqPrint) -> tuple[str, ...]:
        """Return how it differs from what another build printed, sources aside; nothing if it does not."""
        mine, theirs = self.statements, other.statements
        changed = (name for name in sorted({*mine, *theirs}) if mine.get(name) != theirs.get(name))
        assumed = ["what the theorems assume is another"] if self.assumptions != other.assumptions else []
        return (*(f"{name}: the statement is another" for name in changed), *assumed)


@functools.cache
def sources() -> Mapping[str, str]:
    """Return the text of every file of the development, by its name, in the order in which Coq reads them."""
    listed = packaged_text("theories", "_CoqProject").split()
    return {name: packaged_text("theories", name) for name in listed if name.endswith(".v")}


def hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the hash of every file's text, and of `labels.json`, which says what the theorems in them state."""
    return {name: _hash_of_text(text) for name, text in {**texts, _LABELS: _labels()}.items()}


@functools.lru_cache(maxsize=64)
def _hash_of_text(text: str) -> str:
    """Return the hash of a text; every claim asks for those of the same files."""
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _labels() -> str:
    """Return the text of `labels.json`."""
    return packaged_text(_LABELS)


@functools.cache
def named_theorems() -> Mapping[str, Mapping[str, Any]]:
    """Return what `labels.json` says by label: the theorems, what they state, their witnesses."""
    try:
        named: dict[str, dict[str, Any]] = json.loads(_labels())
        for label, one in named.items():
            _check_entry(label, one)
        if missing := {f"{file}.v" for file in _file_of_each(named).values()} - sources().keys():
            raise ValueError(f"{', '.join(sorted(missing))} is missing")
        if not named:
            raise ValueError("no claim is named")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            "file", _LABELS, f"is not as it was packaged ({error!r})", "install costproof again"
        ) from error
    return named


def _check_entry(label: str, one: Mapping[str, Any]) -> None:
    """Raise an error if what `labels.json` says of a label has another shape."""
    texts = {name: value for name, value in one.items() if name not in (*_LISTS, "takes")}
    told = (*texts.values(), *one.get("takes", {}).values())
    if not one["theorems"] or not all(isinstance(text, str) for text in told):
        raise TypeError(f"{label}: only {listed(_LISTS)} are lists, takes is a mapping, and all else is text")
    if unknown := texts.keys() - {"states", "differs", "beyond", "vacuous"}:
        raise ValueError(f"{label}: {', '.join(sorted(unknown))} means nothing")
    if one["states"] not in _SCOPES or not all(map(_PLACE.fullmatch, _places(one))):
        raise ValueError(f"{label}: another scope than {', '.join(_SCOPES)}, or no plain name")
    if one["states"] in ("part", "steps") and not one.get("beyond"):
        raise ValueError(f"{label}: beyond does not say what no theorem states")


def _places(one: Mapping[str, Any]) -> list[str]:
    """Return the theorems that an entry of `labels.json` names, each after the name of its file."""
    listed = [place for name in _LISTS for place in one.get(name, ())]
    return [*listed, one["vacuous"]] if "vacuous" in one else listed


def printed_theorems() -> dict[str, str]:
    """Return the theorems that Coq prints, and the file of each: of claims, their instances, and about the rules."""
    return _file_of_each(named_theorems())


def _file_of_each(named: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the file of each theorem by its name, under which its statement is stored: no two may have the same."""
    claimed = [place for one in named.values() for place in _places(one)]
    found: dict[str, str] = {}
    about_rules = (f"RulesRefineRuns.{name}" for name in ABOUT_RULES)
    for place in (*claimed, *INSTANCES.values(), *APPLIED.values(), *about_rules):
        file, name = place.split(".")
        if found.setdefault(name, file) != file:
            raise ValueError(f"{name} is in {found[name]} and in {file}")
    return found


@functools.cache
def stored() -> CoqPrint:
    """Return what Coq printed when it last checked the sources, as the repository holds it; nothing if unreadable."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        text = (files("proofs_checks.proofs.kernel") / "stored.json").read_text(encoding="utf-8")
        return CoqPrint.from_data(json.loads(text))
    return CoqPrint(coq="", sources={}, statements={}, assumptions=())


@functools.cache
def kernel_theorems() -> Mapping[str, KernelTheorem]:
    """Return the theorems by the label of their claim.

    Examples
    --------
    >>> kernel_theorems()["lem:radius-inversion"].name, kernel_theorems()["lem:radius-inversion"].states
    ('lem_radius_inversion', 'claim')
    """
    return {label: _theorem(label, named) for label, named in named_theorems().items()}


def _theorem(label: str, named: Mapping[str, Any]) -> KernelTheorem:
    (file, _, name), *_ = (place.partition(".") for place in named["theorems"])
    printed = stored()
    statement = printed.statements.get(name, "")
    less, more = (_LESS, _MORE) if "holds_on_" in statement else ("", "")
    return KernelTheorem(
        label=label,
        name=name,
        file=f"{file}.v",
        states=named["states"],
        says=comment_of(f"{file}.{name}"),
        differs=" ".join(filter(None, (less, named.get("differs"), more))),
        statement=statement,
        assumptions=printed.assumptions,
        witnesses=tuple(named.get("witnesses", ())),
        others=tuple(named["theorems"][1:]),
        beyond=named.get("beyond", ""),
        takes=named.get("takes", {}),
        vacuous=named.get("vacuous", ""),
    )


def comment_of(place: str) -> str:
    """Return what the comment before a theorem says, which stands after the name of its file; empty without one."""
    file, _, name = place.partition(".")
    return comment_before(name, sources()[f"{file}.v"])


def comment_before(name: str, text: str) -> str:
    """Return what the comment before a theorem says; empty without one.

    Examples
    --------
    >>> comment_before("a", "(* Zero is\\n   itself. *)\\nTheorem a : 0 = 0.")
    'Zero is itself.'
    """
    stated = re.search(rf"^(?:Theorem|Lemma|Corollary|Example) {name}\b", text, re.MULTILINE)
    found = re.search(r"\(\*((?:(?!\*\)).)*)\*\)\s*\Z", text[: stated.start()], re.DOTALL) if stated else None
    return " ".join(found[1].split()) if found else ""


def remember(coq: str, problems: Sequence[str] = ()) -> None:
    """Remember what a version of Coq said, on this machine, of the present sources and of what is stored of them."""
    keep(_REMEMBERED, {_key(): {"coq": coq, "problems": list(problems)}})
    said_here.cache_clear()


@functools.cache
def said_here() -> CoqSaid | None:
    """Return what Coq said of the present sources on this machine; None if it was not asked."""
    found = read_kept(_REMEMBERED).get(_key())
    with contextlib.suppress(KeyError, TypeError):
        return CoqSaid(coq=str(found["coq"]), problems=tuple(map(str, found["problems"]))) if found else None
    return None


def _key() -> str:
    """Return a hash of the present sources and of what is stored of them: Coq was asked about both."""
    return _hash_of_text(json.dumps([hashes(sources()), stored().to_data()], sort_keys=True))


def why_not_counted(theorem: KernelTheorem, said: CoqSaid | None) -> str:
    """Return why a theorem does not count as checked, neither here nor by what is stored; empty if it does."""
    kept, present = stored().sources, hashes(sources())
    if not kept:
        return f"no record is stored, or it cannot be read; {_CHECK_AGAIN}"
    if changed := sorted(name for name in {*kept, *present} if kept.get(name) != present.get(name)):
        more = len(changed) - _MOST_NAMED
        named = ", ".join(changed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        return f"what is stored was checked for other sources ({named} changed since); {_CHECK_AGAIN}"
    if not theorem.statement or not all(map(stored().statements.get, theorem.cited)):
        return f"nothing is stored of it; {_CHECK_AGAIN}"
    if forbidden := sorted(set(theorem.assumptions) - ALLOWED_ASSUMPTIONS.keys()):
        return f"the theorems rest on {', '.join(forbidden)}"
    if said is not None and said.problems:
        return f"Coq {said.coq} on this machine does not confirm it ({said.problems[0].splitlines()[0]})"
    return ""


def kernel_record(label: str, said: CoqSaid | None = None) -> KernelRecord | None:
    """Return the theorem about a claim, and whether a machine checked it; None where there is no theorem.

    Examples
    --------
    >>> kernel_record("lem:radius-inversion").proves_claim, kernel_record("eq:payment") is None
    (True, True)
    """
    check_formulas()
    theorem = kernel_theorems().get(label)
    if theorem is None:
        return None
    said = said_here() if said is None else said
    problem = why_not_counted(theorem, said)
    status: KernelStatus = "none" if problem else "stored" if said is None else "checked"
    version = "" if problem else stored().coq if said is None else said.coq
    source = hashes(sources()).get(theorem.file, "")
    return KernelRecord(theorem=theorem, status=status, coq=version, source_hash=source, problem=problem)


@dataclass(frozen=True, kw_only=True)
class KernelFacts:
    """What is known of the theorem about a claim: what counts, or why it does not.

    Parameters
    ----------
    kernel : {"checked", "stored", "none"}
        Whether Coq checked a theorem about the claim on this machine, or elsewhere; or there is none that counts.
    kernel_states : {"claim", "part", "steps", "refutes"} or None
        Whether that theorem states the claim, a part or another form of it, a step of its argument, or that it is
        false; None without one.
    kernel_theorem : str or None
        Name of the theorem in Coq; None if there is none.
    kernel_assumptions : tuple of str
        The axioms on which the theorem in Coq rests at most.
    kernel_problem : str or None
        Why a theorem in Coq that is about the claim does not count, as sources that have changed; None if one does.
    """

    kernel: KernelStatus = "none"
    kernel_states: States | None = None
    kernel_theorem: str | None = None
    kernel_assumptions: tuple[str, ...] = ()
    kernel_problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class KernelEvidence(KernelFacts):
    """The same, with where the theorem stands and what it says.

    Parameters
    ----------
    kernel_file : str or None
        File that holds the theorem; None if there is none.
    kernel_hash : str or None
        SHA-256 of that file; None if there is none.
    kernel_coq : str or None
        Version of the Coq that checked it; None if there is none.
    kernel_says : str or None
        What the theorem says, in a sentence; None if there is none.
    kernel_differs : str or None
        How the theorem differs from the paper's statement; None if it does not, or there is none.
    """

    kernel_file: str | None = None
    kernel_hash: str | None = None
    kernel_coq: str | None = None
    kernel_says: str | None = None
    kernel_differs: str | None = None


def kernel_facts(record: KernelRecord | None) -> KernelFacts:
    """Return what is known of the theorem about a claim, given its record."""
    if record is None or record.status == "none":
        return KernelFacts(kernel_problem=record.problem if record is not None else None)
    return KernelFacts(
        kernel=record.status,
        kernel_states=record.theorem.states,
        kernel_theorem=record.theorem.name,
        kernel_assumptions=record.theorem.assumptions,
        kernel_problem=record.problem or None,
    )


def kernel_evidence(record: KernelRecord) -> KernelEvidence:
    """Return the same with where the theorem stands and what it says."""
    facts = vars(kernel_facts(record))
    if record.status == "none":
        return KernelEvidence(**facts)
    return KernelEvidence(
        **facts,
        kernel_file=record.theorem.file,
        kernel_hash=record.source_hash,
        kernel_coq=record.coq,
        kernel_says=record.theorem.says,
        kernel_differs=record.theorem.differs or None,
    )
