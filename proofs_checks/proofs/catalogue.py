"""Every proof of `statements`, by label; their graph, checked; and which of them a list of labels needs."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.proofs import statements
from proofs_checks.proofs.kernel.theorems import kernel_record
from proofs_checks.proofs.language.axioms import AXIOMS
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof, scripts_of
from proofs_checks.proofs.language.well_formed import check_proofs
from proofs_checks.verdict import PROOFS, Verdict


@functools.cache
def all_proofs() -> Mapping[str, Proof]:
    """Return every proof by its label, in the order of the modules.

    A module of `proofs_checks.proofs.statements` need only define `Proof` objects: nothing registers them by hand.
    """
    found: dict[str, Proof] = {}
    for module in sorted(pkgutil.iter_modules(statements.__path__), key=lambda module: module.name):
        loaded = importlib.import_module(f"{statements.__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, Proof) and found.setdefault(value.label, value) is not value:
                raise ValueError(f"two proofs of {value.label}")
    _check_graph(found)
    return MappingProxyType(found)


def checked(proofs: Mapping[str, Proof]) -> Mapping[str, Proof]:
    """Return plain copies of proofs that somebody hands in, after a look at their graph."""
    proofs = check_proofs(proofs)
    try:
        _check_graph(proofs)
        for obligation in obligations_of(proofs).values():
            scripts_of(obligation)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("proofs", list(proofs), f"do not hold together ({error})", "correct what is cited") from None
    return proofs


def obligations_of(proofs: Mapping[str, Proof]) -> dict[str, Obligation]:
    """Return the obligations of some proofs by name; proofs may share them."""
    return {obligation.name: obligation for proof in proofs.values() for obligation in proof.obligations}


def _check_graph(proofs: Mapping[str, Proof]) -> None:
    known: dict[str, Obligation] = {}
    for proof in proofs.values():
        for obligation in proof.obligations:
            if known.setdefault(obligation.name, obligation) != obligation:
                raise ValueError(f"two obligations are named {obligation.name}")
    for label, proof in proofs.items():
        for used in proof.uses:
            if used not in proofs:
                raise ValueError(f"{label} uses {used}, which has no proof")
        allowed = _available(label, proofs, ())
        for obligation in proof.obligations:
            _check_sources(label, obligation, allowed)
            allowed.add(obligation.name)


def _available(label: str, proofs: Mapping[str, Proof], above: tuple[str, ...]) -> set[str]:
    """Return the obligations of the claims that a proof uses, near and far."""
    if label in above:
        raise ValueError(f"the proofs use each other in a circle: {' -> '.join((*above, label))}")
    names: set[str] = set()
    for used in proofs[label].uses:
        names |= {obligation.name for obligation in proofs[used].obligations}
        names |= _available(used, proofs, (*above, label))
    return names


def _check_sources(label: str, obligation: Obligation, earlier: set[str]) -> None:
    for name, hypothesis in obligation.hypotheses.items():
        known = {"obligation": earlier, "axiom": AXIOMS, "ball": BALL_FACTS}.get(hypothesis.source)
        if known is not None and hypothesis.of not in known:
            place = f"{label}, {obligation.name}, hypothesis {name}"
            raise ValueError(f"{place}: {hypothesis.source} {hypothesis.of!r} is not available there")


def verdict_if_it_stands(proof: Proof) -> Verdict:
    """Return the verdict that a proof gives its claim once every obligation of it is decided and says something.

    Examples
    --------
    >>> verdict_if_it_stands(Proof("lem:a", (), "", beyond="the limit")).value
    'PROVED_STEPS'
    """
    if proof.vacuous:
        return Verdict.VACUOUS
    if proof.instances:
        return Verdict.EXACT
    return Verdict.PROVED_STEPS if proof.beyond else Verdict.PROVED


def verdict_foreseen(label: str) -> Verdict | None:
    """Return the verdict on one of the paper's claims by its proof, with the theorem in Coq that states it, if any.

    None where it has no proof. No solver is asked.

    Examples
    --------
    >>> verdict_foreseen("lem:radius-sum").value, verdict_foreseen("eq:payment") is None
    ('PROVED', True)
    """
    proof = all_proofs().get(label)
    if proof is None:
        return None
    steps, record = verdict_if_it_stands(proof), kernel_record(label)
    return Verdict.PROVED if steps in PROOFS and record is not None and record.proves_claim else steps


def is_proved_whole_in_coq(label: str) -> bool:
    """Whether the verdict on a claim rests on a theorem in Coq that states it."""
    record = kernel_record(label)
    return record is not None and record.proves_claim and verdict_foreseen(label) is Verdict.PROVED


def proved_whole_in_coq() -> frozenset[str]:
    """Return the labels of the claims whose verdict rests on a theorem in Coq that states them."""
    return frozenset(filter(is_proved_whole_in_coq, all_proofs()))


@dataclass(frozen=True, kw_only=True)
class LeftToEnglish:
    """What a proof leaves to English.

    Parameters
    ----------
    argument : str
        What no machine checks of it, in sentences.
    unjoined : tuple of str
        Its obligations that lead to no other one, where there are several: no machine joins them.
    inherited : tuple of str
        The claims that it uses and that leave something to English as well.
    """

    argument: str
    unjoined: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()

    def __str__(self) -> str:
        joined = [f"The steps {', '.join(self.unjoined)} are proved; that together they give the claim is argued."]
        more = [f"Claims it relies on that leave something to English too: {', '.join(self.inherited)}."]
        return " ".join([self.argument, *(joined if self.unjoined else ()), *(more if self.inherited else ())])


def english_of(proof: Proof, proofs: Mapping[str, Proof], whole: Collection[str] = frozenset()) -> LeftToEnglish | None:
    """Return what a proof leaves to English; None where that is nothing.

    What is PROVED says in its own assumptions whatever it rests on.
    """
    if not proof.beyond:
        return None
    ends = [obligation.name for obligation in proof.ends] if verdict_if_it_stands(proof) is Verdict.PROVED_STEPS else []
    used = proofs_for(proof.uses, proofs) if proof.uses else {}
    inherited = [label for label, one in used.items() if one.beyond and label not in whole]
    unjoined = tuple(ends) if len(ends) > 1 else ()
    return LeftToEnglish(argument=proof.beyond, unjoined=unjoined, inherited=tuple(inherited))


def left_to_english(proof: Proof, proofs: Mapping[str, Proof], whole: Collection[str] = frozenset()) -> str:
    """Return in sentences what a proof leaves to English, see `english_of`; empty where that is nothing.

    Examples
    --------
    >>> sums = Proof("lem:b", (), "", beyond="The sum.")
    >>> left_to_english(Proof("lem:a", (), "", uses=("lem:b",), beyond="The limit."), {"lem:b": sums})
    'The limit. Claims it relies on that leave something to English too: lem:b.'
    """
    found = english_of(proof, proofs, whole)
    return "" if found is None else str(found)


def assumed_by(proof: Proof, proofs: Mapping[str, Proof]) -> dict[str, str]:
    """Return the named axioms that a proof assumes, each with what it says, in the order of `AXIOMS`.

    Those of its obligations, and of the obligations that these cite. What is joined in English rests on the claims that
    it names as well, so on what they assume.

    Examples
    --------
    >>> list(assumed_by(all_proofs()["lem:good-event"], all_proofs()))
    ['exp-of-minus-log', 'square-root', 'zeta-two', 'hoeffding', 'union-bound']
    """
    assumed = _axioms_of(proof, proofs, obligations_of(proofs))
    return {name: says for name, says in AXIOMS.items() if name in assumed}


def _axioms_of(proof: Proof, proofs: Mapping[str, Proof], known: Mapping[str, Obligation]) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(proof.obligations)
    while waiting:
        for hypothesis in waiting.pop().hypotheses.values():
            if hypothesis.source == "axiom":
                found.add(hypothesis.of)
            elif hypothesis.source == "obligation" and hypothesis.of not in seen:
                seen.add(hypothesis.of)
                waiting.append(known[hypothesis.of])
    return found.union(*(_axioms_of(proofs[used], proofs, known) for used in (proof.uses if proof.beyond else ())))


def proofs_for(labels: Sequence[str], proofs: Mapping[str, Proof]) -> dict[str, Proof]:
    """Return the proofs of some labels, and of the claims that they use, those first.

    Examples
    --------
    >>> a, b = Proof("lem:a", (), "", uses=("lem:b",)), Proof("lem:b", (), "")
    >>> list(proofs_for(["lem:a"], {"lem:a": a, "lem:b": b}))
    ['lem:b', 'lem:a']
    """
    found: dict[str, Proof] = {}

    def add(label: str) -> None:
        if label in found:
            return
        for used in proofs[label].uses:
            add(used)
        found[label] = proofs[label]

    for label in labels or proofs:
        if label not in proofs:
            some = f"did you mean {', '.join(list(proofs)[:3])}?"
            variants = [each for each in proofs if is_or_varies(each, label)]
            # What holds instead of a wording that is false, before other variants and labels that look alike.
            variants.sort(key=lambda each: not each.endswith(":repaired"))
            near = f"prove {' or '.join(variants)} instead" if variants else ""
            remedy = near or did_you_mean(label, proofs, some, most=3, cutoff=0.4)
            raise InputError("labels", label, "is no claim with a proof", remedy)
        add(label)
    return found
