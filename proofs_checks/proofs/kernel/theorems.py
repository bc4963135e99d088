"""Which claims have a theorem in Coq, what it says and assumes, and whether it was checked on this machine.

`theories/` holds the sources. `labels.json` says, by hand, which theorem is about which claim. `stored.json` is written
by `python -m proofs_checks.proofs.kernel`: it holds what Coq printed when it last checked these sources.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from proofs_checks.proofs.kept import Table, hash_of

KernelStatus = Literal["checked", "stored", "none"]

#: What a theorem may rest on: what Coq's own real numbers are built on, and nothing else.
ALLOWED_ASSUMPTIONS: Mapping[str, str] = {
    "ClassicalDedekindReals.sig_forall_dec": "a property of natural numbers that can be decided holds for all or fails",
    "ClassicalDedekindReals.sig_not_dec": "whether not not P holds can be decided",
    "FunctionalExtensionality.functional_extensionality_dep": "functions that agree everywhere are equal",
    "Classical_Prop.classic": "every statement is true or false",
}

#: Theorems of `RulesRefineRuns.v`: of no claim, but what ties the rules that run to those of every claim.
ABOUT_RULES = (
    "eligible_is_Qh",
    "under_sampled_is",
    "kind_of_query_is",
    "candidates_are_steps",
    "payment_is",
    "rational_candidates",
    "rational_payment",
    "rounded_steps",
    "rounded_payment",
)

#: Where a build that agreed with what is stored is remembered, in the user's cache folder.
_REMEMBERED = "kernel"


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
    says : str
        What it says, in a sentence.
    differs : str
        How it differs from the paper's statement; empty if it does not.
    statement : str
        As Coq prints it.
    assumptions : tuple of str
        The axioms on which it rests, as Coq prints them.
    witnesses : tuple of str
        Theorems, each after the name of its file: instances at the limits of the statement, where it cannot be sharper.
    """

    label: str
    name: str
    file: str
    says: str
    differs: str
    statement: str
    assumptions: tuple[str, ...]
    witnesses: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Printed:
    """What Coq prints of the theorems.

    Parameters
    ----------
    coq : str
        The version that printed it.
    sources : mapping
        From a file to the hash of its text.
    statements, assumptions : mapping
        By the name of the theorem.
    """

    coq: str
    sources: Mapping[str, str]
    statements: Mapping[str, str]
    assumptions: Mapping[str, tuple[str, ...]]

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "coq": self.coq,
            "sources": dict(self.sources),
            "statements": dict(self.statements),
            "assumptions": {name: list(found) for name, found in self.assumptions.items()},
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Printed:
        """Return what `to_data` gave."""
        return cls(
            coq=data["coq"],
            sources=data["sources"],
            statements=data["statements"],
            assumptions={name: tuple(found) for name, found in data["assumptions"].items()},
        )

    def unlike(self, other: Printed) -> tuple[str, ...]:
        """Return how it differs from what another build printed, sources aside; nothing if it does not."""
        found = []
        for what, mine, theirs in (
            ("the statement", self.statements, other.statements),
            ("what is assumed", self.assumptions, other.assumptions),
        ):
            names = sorted({*mine, *theirs})
            found += [f"{name}: {what} is another" for name in names if mine.get(name) != theirs.get(name)]
        return tuple(found)


@functools.cache
def sources() -> Mapping[str, str]:
    """Return the text of every file of the development, by its name, in the order in which Coq reads them."""
    folder = files("proofs_checks.proofs.kernel") / "theories"
    listed = (folder / "_CoqProject").read_text(encoding="utf-8").split()
    return {name: (folder / name).read_text(encoding="utf-8") for name in listed if name.endswith(".v")}


def hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the hash of every file's text."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


@functools.cache
def named_theorems() -> Mapping[str, Mapping[str, Any]]:
    """Return what `labels.json` says by label: the theorem, its file, what it says, how it differs, its witnesses."""
    text = (files("proofs_checks.proofs.kernel") / "labels.json").read_text(encoding="utf-8")
    named: dict[str, dict[str, Any]] = json.loads(text)
    return named


def printed_theorems() -> dict[str, str]:
    """Return the theorems that Coq prints, and the file of each: about claims, their witnesses, and about the rules."""
    named = named_theorems().values()
    witnesses = [witness.split(".") for one in named for witness in one.get("witnesses", ())]
    about_rules = dict.fromkeys(ABOUT_RULES, "RulesRefineRuns")
    return {one["theorem"]: one["file"] for one in named} | {name: file for file, name in witnesses} | about_rules


@functools.cache
def stored() -> Printed:
    """Return what Coq printed when it last checked the sources, as the repository holds it."""
    text = (files("proofs_checks.proofs.kernel") / "stored.json").read_text(encoding="utf-8")
    return Printed.from_data(json.loads(text))


@functools.cache
def kernel_theorems() -> Mapping[str, KernelTheorem]:
    """Return the theorems by the label of their claim.

    Examples
    --------
    >>> kernel_theorems()["lem:radius-inversion"].name
    'lem_radius_inversion'
    """
    printed = stored()
    return {
        label: KernelTheorem(
            label=label,
            name=named["theorem"],
            file=f"{named['file']}.v",
            says=named["says"],
            differs=named["differs"],
            statement=printed.statements[named["theorem"]],
            assumptions=printed.assumptions[named["theorem"]],
            witnesses=tuple(named.get("witnesses", ())),
        )
        for label, named in named_theorems().items()
    }


def remember(printed: Printed) -> None:
    """Remember that Coq checked these sources on this machine, and printed what is stored."""
    Table(_REMEMBERED).add({_key(printed.sources): printed.coq})
    checked_by.cache_clear()


@functools.cache
def checked_by() -> str:
    """Return the version of Coq that checked the present sources on this machine; empty if none did."""
    found = Table(_REMEMBERED).read().get(_key(hashes(sources())), "")
    return found if isinstance(found, str) else ""


def _key(of_sources: Mapping[str, str]) -> str:
    return hash_of(json.dumps(dict(of_sources), sort_keys=True))


def kernel_status(label: str) -> KernelStatus:
    """Return whether the theorem about a claim was checked on this machine, is only stored, or does not exist."""
    if label not in kernel_theorems() or stored().sources != hashes(sources()):
        return "none"
    return "checked" if checked_by() else "stored"


def kernel_facts(label: str) -> dict[str, Any]:
    """Return what is known of the theorem about a claim, as plain JSON data."""
    status = kernel_status(label)
    theorem = kernel_theorems().get(label) if status != "none" else None
    return {
        "kernel": status,
        "kernel_theorem": theorem.name if theorem else None,
        "kernel_assumptions": list(theorem.assumptions) if theorem else [],
    }


def kernel_in_words(label: str) -> str:
    """Say which theorem is about a claim, and whether it was checked here; empty where there is none."""
    status = kernel_status(label)
    if status == "none":
        return ""
    theorem = kernel_theorems()[label]
    how = f"checked here by Coq {checked_by()}" if status == "checked" else "stored, not checked on this machine"
    differs = f" Unlike the paper: {theorem.differs}" if theorem.differs else ""
    limits = f" Instances at its limits: {', '.join(theorem.witnesses)}." if theorem.witnesses else ""
    return f"{theorem.name} in {theorem.file}, {how}. {theorem.says}{differs}{limits}"
