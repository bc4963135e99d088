"""How obligations compose: what a citation says follows from what it cites, and what is cited is assumed, or derived.

An obligation is a sequent: hypotheses, and a goal, for any value of every symbol. A hypothesis that cites another
obligation is that one's goal, read in the citing obligation's symbols, or follows from it. What the cited obligation
assumes, read in the same way, is then assumed by the citing one as well, unless it is already stated there. So every
obligation has, beside its own, premises that it *carries*. In the end they are stated by the proof (`Proof.assumes`),
or derived from what is stated, by both solvers; anything else leaves the proof open.

A reading is found by matching (`language.matching`), or given by the hypothesis (`Hypothesis.reading`). Whatever it is,
the conclusion is sound: the reading only says which instance of the cited obligation is used.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from proofs_checks.proofs.language.axioms import OPAQUE
from proofs_checks.proofs.language.logarithms import multiples
from proofs_checks.proofs.language.matching import (
    FIXED,
    Reading,
    conclusions,
    conjuncts,
    fixed,
    plain,
    readings_of,
    renamed,
    untagged,
)
from proofs_checks.proofs.language.models import model_of, no_divisor_zero, with_providers
from proofs_checks.proofs.language.names import names_realizable
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation, Proof, Script
from proofs_checks.proofs.language.smtlib import assertions, script, values_of_model
from proofs_checks.proofs.language.sorts import BUILT_IN
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    REAL,
    Term,
    all_of,
    equal,
    for_all,
    implies,
    parts_of,
    with_casts,
)
from proofs_checks.proofs.language.vocabulary import MARKET_CONSTANTS
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered

#: What a premise is: stated as an assumption or definition, where an axiom holds, what a symbol stands for.
Kind = Literal["assumption", "definition", "condition", "name"]


@dataclass(frozen=True)
class Premise:
    """Something that an obligation assumes: by itself, or because of what it cites.

    Parameters
    ----------
    formula : Term
        In the symbols of the obligation that rests on it.
    kind : str
    of, name : str
        The obligation that states it, and its hypothesis there.
    """

    formula: Term
    kind: Kind
    of: str
    name: str

    @property
    def place(self) -> str:
        """Where it is stated, as `Proof.assumes` writes it."""
        return f"{self.of}: {self.name}"

    @property
    def named(self) -> tuple[Term, Term]:
        """Of a premise that says what a symbol stands for: the symbol, and that; of each provider alike."""
        symbol, meaning = fixed(self.formula).arguments
        return symbol, meaning


def _symbols_of(whole: Term) -> list[Term]:
    """Return what stands for a logarithm together, or the one symbol that stands for anything else."""
    with suppress(ValueError):
        return list(multiples(whole))
    return [whole]


def unrealizable(names: Sequence[Premise]) -> str:
    """Return why no numbers are what symbols stand for, all at once; "" if some are.

    A symbol stands for one thing. What differs from provider to provider has a function of them as its name; and a
    function has one meaning for all of them, not another at some.
    """
    places: dict[str, set[tuple[Term, ...]]] = {}
    constants = {symbol for symbol, meaning in (one.named for one in names) if not _fixed(equal(symbol, meaning))}
    for whole, meaning in (premise.named for premise in names):
        variables = set(_fixed(meaning)) | set(_fixed(whole))
        for symbol in _symbols_of(whole):
            if not variables <= set(symbol.arguments) and symbol not in constants:
                return f"{whole} cannot stand for {meaning} of everybody: {symbol} is the same for all"
            if symbol.arguments:
                places.setdefault(symbol.head, set()).add(symbol.arguments)
    for head, arguments in places.items():
        if len(arguments) > 1:
            return f"{head} has two meanings, which may be of one argument"
    return names_realizable(premise.named for premise in names)


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A hypothesis that cites an obligation.

    Parameters
    ----------
    hypothesis, cited : str
    reading : tuple of (Term, Term)
        What symbols of the cited obligation stand for, those that keep their names aside.
    carried : tuple of Premise
        What the cited obligation assumes, and the citing one does not state.
    question : Script or None
        What both solvers must answer with "unsat", where the hypothesis is no instance that matching finds.
    """

    hypothesis: str
    cited: str
    reading: tuple[tuple[Term, Term], ...]
    carried: tuple[Premise, ...]
    question: Script | None = None


@dataclass(frozen=True, kw_only=True)
class Sequent:
    """An obligation with all that it rests on.

    Parameters
    ----------
    obligation : Obligation
    citations : tuple of Citation
    premises : tuple of Premise
        Its own, then those that it carries.
    argued : tuple of str
        Inductions and axioms of probability below it: what no solver composes.
    """

    obligation: Obligation
    citations: tuple[Citation, ...]
    premises: tuple[Premise, ...]
    argued: tuple[str, ...]

    @property
    def questions(self) -> tuple[Script, ...]:
        """What both solvers must answer with "unsat", so that what it cites says what it takes from it."""
        return tuple(citation.question for citation in self.citations if citation.question)

    @property
    def carried(self) -> tuple[Premise, ...]:
        """The premises that other obligations state."""
        return tuple(premise for premise in self.premises if premise.of != self.obligation.name)


class Composition:
    """The sequents of some obligations, which cite each other.

    Parameters
    ----------
    obligations : mapping
        By name, with everything that they cite.
    derived : collection of str, optional
        Conditions of axioms that both solvers derive where the axiom is used: names of `condition_questions`.

    Raises
    ------
    ValueError
        They cite each other in a circle, or what is not there.

    Examples
    --------
    >>> from proofs_checks.proofs.catalogue import all_proofs, obligations_of
    >>> composition = Composition(obligations_of(all_proofs()))
    >>> [premise.place for premise in composition.sequent("ordinary-selection-gap").carried][-1]
    'adjusted-bid-bounds: bids-near-estimates'
    """

    def __init__(self, obligations: Mapping[str, Obligation], derived: Collection[str] = ()) -> None:
        self._obligations = obligations
        self._derived = frozenset(derived)
        self._sequents: dict[str, Sequent] = {}
        self._open: list[str] = []

    def sequent(self, name: str) -> Sequent:
        """Return an obligation with all that it rests on."""
        if name not in self._sequents:
            if name in self._open:
                raise ValueError(f"the obligations cite each other in a circle: {' -> '.join((*self._open, name))}")
            if name not in self._obligations:
                raise ValueError(f"{self._open[-1] if self._open else 'a proof'} cites {name!r}, which is not there")
            self._open.append(name)
            self._sequents[name] = self._made(self._obligations[name])
            self._open.pop()
        return self._sequents[name]

    def _made(self, obligation: Obligation) -> Sequent:
        own = list(_own(obligation, self._derived))
        cited = {name: one for name, one in obligation.hypotheses.items() if one.source == "obligation"}
        citations = _citations(obligation, {name: self.sequent(one.of) for name, one in cited.items()}, own)
        carried = itertools.chain.from_iterable(citation.carried for citation in citations)
        premises: dict[Term, Premise] = {}
        for premise in (*own, *carried):
            premises.setdefault(premise.formula, premise)
        below = itertools.chain.from_iterable(self.sequent(one.of).argued for one in cited.values())
        return Sequent(
            obligation=obligation,
            citations=citations,
            premises=tuple(premises.values()),
            argued=tuple(dict.fromkeys((*_argued(obligation), *below))),
        )


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What an obligation that says (a part of) a claim says in all.

    Parameters
    ----------
    obligation : Obligation
    assumptions : tuple of Premise
        Its own, and those that it carries and the proof states.
    unstated : tuple of Premise
        Those that must follow from the assumptions.
    names : tuple of Premise
        What symbols stand for.
    hidden : tuple of Premise
        Those of them that it does not state, of symbols that it speaks of.
    satisfiable : Script
        Whether all of it can be true together.
    derivations : tuple of Script
        One for each unstated premise, to be answered "unsat".
    """

    obligation: Obligation
    assumptions: tuple[Premise, ...]
    unstated: tuple[Premise, ...]
    names: tuple[Premise, ...]
    hidden: tuple[Premise, ...]
    satisfiable: Script
    derivations: tuple[Script, ...]


def statements_of(proof: Proof, composition: Composition) -> tuple[Statement, ...]:
    """Return what the obligations that say a claim say in all, with the questions that decide it."""
    listed = [one.partition(":") for one in proof.assumes]
    stated = {f"{of.strip()}: {name}" for of, _, names in listed for name in names.split()}
    sequents = [composition.sequent(obligation.name) for obligation in proof.saying]
    idle = stated - {premise.place for sequent in sequents for premise in sequent.premises}
    if idle:
        raise ValueError(f"{proof.label} states what nothing rests on: {', '.join(sorted(idle))}")
    return tuple(_statement(f"{proof.label.replace(':', '-')}.{one.obligation.name}", one, stated) for one in sequents)


def with_models(
    questions: Mapping[str, str], ask: Callable[[str, Mapping[str, str]], Mapping[str, Answered]]
) -> frozenset[str]:
    """Return the names of those scripts whose formulas can all be true together, as `ask` has a solver answer scripts.

    They can if they are, evaluated exactly, at numbers that a solver gives; or if both solvers say so, where the
    numbers that they give are no fractions. The second solver is asked what the first one leaves open.
    """
    shown: set[str] = set()
    said: dict[str, list[str]] = {name: [] for name in questions}
    for solver in SOLVERS:
        left = {name: text for name, text in questions.items() if name not in shown}
        for name, answered in ask(solver, left).items() if left else ():
            said[name].append(answered.answer)
            if answered.answer == "sat" and _true_at(answered.text, questions[name]):
                shown.add(name)
    return frozenset(shown | {name for name, answers in said.items() if answers == ["sat"] * len(SOLVERS)})


def _true_at(numbers: str, text: str) -> bool:
    """Return whether all formulas of a script are true, evaluated exactly, at the numbers that a solver gives."""
    model = model_of(values_of_model(numbers.strip() or "()"))
    with suppress(ZeroDivisionError):
        return model is not None and all(model.value(formula) for formula in assertions(text).values())
    return False


def _statement(name: str, sequent: Sequent, stated: set[str]) -> Statement:
    facts = [premise for premise in sequent.premises if premise.kind != "name"]
    own = {one.formula for one in facts if one.of == sequent.obligation.name and one.kind != "condition"}
    assumptions = tuple(premise for premise in facts if premise.formula in own or premise.place in stated)
    unstated = tuple(premise for premise in facts if premise not in assumptions)
    known = {f"premise-{k}": with_casts(premise.formula) for k, premise in enumerate(assumptions)}
    derivations = (
        _question(f"{name}.premise-{k}", {**_about(premise.formula, known), "negated": ~premise.formula})
        for k, premise in enumerate(unstated)
    )
    counted = with_providers(known, sequent.obligation.providers)
    model = script(
        counted | no_divisor_zero(counted), title=f"{name}: what it assumes in all", satisfiable=True, model=True
    )
    return Statement(
        obligation=sequent.obligation,
        assumptions=assumptions,
        unstated=unstated,
        names=tuple(premise for premise in sequent.premises if premise.kind == "name"),
        hidden=tuple(_hidden(sequent, assumptions, stated)),
        satisfiable=Script(name=f"{name}.assumptions", text=model, satisfiable=True),
        derivations=tuple(derivations),
    )


def _about(premise: Term, known: Mapping[str, Term]) -> dict[str, Term]:
    """Return the assumptions that are mostly about what a premise is about, near or far: fewer are quicker to use."""
    symbols = _symbols(premise)
    found: dict[str, Term] = {}
    while True:
        near = {key: one for key, one in known.items() if 2 * len(_symbols(one) & symbols) >= len(_symbols(one))}
        if near.keys() == found.keys():
            return found
        found = near
        symbols = symbols.union(*map(_symbols, near.values()))


@functools.lru_cache(maxsize=4096)
def _symbols(formula: Term) -> frozenset[str]:
    parts = parts_of(formula)
    bound = {variable for part in parts for variable in part.bound}
    return frozenset(part.head for part in parts if part not in bound and part.number is None) - BUILT_IN


def _hidden(sequent: Sequent, assumptions: Sequence[Premise], stated: set[str]) -> Iterator[Premise]:
    """Yield what symbols of a statement stand for, where only what it cites says so: a reader would take any number."""
    names = [premise for premise in sequent.premises if premise.kind == "name"]
    own = {one.head for premise in names if premise not in sequent.carried for one in _symbols_of(premise.named[0])}
    formulas = [*(premise.formula for premise in assumptions), plain(sequent.obligation.goal)]
    spoken_of = {part.head for formula in formulas for part in parts_of(formula)} - own
    for premise in names:
        symbols = {one.head for one in _symbols_of(premise.named[0])}
        if premise.place not in stated and symbols & spoken_of:
            yield premise


def _argued(obligation: Obligation) -> Iterator[str]:
    for hypothesis in obligation.hypotheses.values():
        if hypothesis.source == "induction":
            yield f"the induction of {obligation.name}"
        if hypothesis.source == "axiom" and hypothesis.of in OPAQUE:
            yield f"the axiom {hypothesis.of}"


def _own(obligation: Obligation, derived: frozenset[str]) -> Iterator[Premise]:
    """Yield what an obligation assumes by itself; of an axiom where it holds, and what its symbols stand for."""
    for name, hypothesis in obligation.hypotheses.items():
        if hypothesis.source in ("assumption", "definition"):
            for part in conjuncts(plain(hypothesis.formula)):
                yield Premise(
                    part, "assumption" if hypothesis.source == "assumption" else "definition", obligation.name, name
                )
        for k, condition in enumerate(hypothesis.conditions):
            if f"{obligation.name}.{name}.{k}" in derived:
                continue
            for part in conjuncts(plain(condition)):
                yield Premise(part, "condition", obligation.name, name)
        for symbol, meaning in hypothesis.names:
            yield Premise(Term("=", (plain(symbol), plain(meaning)), BOOL), "name", obligation.name, name)


def _stated(obligation: Obligation) -> set[Term]:
    """Return what an obligation has as a hypothesis, but for what it takes from an axiom or from what it cites."""
    kept = (one for one in obligation.hypotheses.values() if one.source not in ("axiom", "obligation"))
    return {part for one in kept for part in conjuncts(plain(one.formula))}


def _citations(obligation: Obligation, cited: Mapping[str, Sequent], own: Sequence[Premise]) -> tuple[Citation, ...]:
    """Return the citations of an obligation; what one says meets the premises of those after it alone.

    Else two citations could each rest on the other, or one on itself. First are those that need nothing more.
    """
    known = _stated(obligation) | {premise.formula for premise in own}
    found: dict[str, Citation] = {}
    while len(found) < len(cited):
        left = {name: _cited(obligation, name, one, known) for name, one in cited.items() if name not in found}
        met = [name for name, citation in left.items() if not citation.carried] or [next(iter(left))]
        for name in met:
            found[name] = left[name]
            known |= set(conjuncts(plain(obligation.hypotheses[name].formula)))
    return tuple(found[name] for name in cited)


def _cited(obligation: Obligation, name: str, cited: Sequent, known: set[Term]) -> Citation:
    hypothesis = obligation.hypotheses[name]
    step = any(one.source == "induction" for one in cited.obligation.hypotheses.values())
    ways = [] if hypothesis.reading else readings_of(cited.obligation.goal, hypothesis.formula, step=step)
    if not ways:
        return _read_as_given(obligation, name, cited, known)
    found = [_read(hypothesis, way, cited, known, step=step) for way in ways]
    carried, reading = min(found, key=lambda one: (len(one[0]), len(one[1])))
    return Citation(hypothesis=name, cited=cited.obligation.name, reading=reading, carried=carried)


_Read = tuple[tuple[Premise, ...], tuple[tuple[Term, Term], ...]]


def _read(hypothesis: Hypothesis, way: tuple[Reading, ...], cited: Sequent, known: set[Term], *, step: bool) -> _Read:
    """Return what a citation carries, and what the symbols stand for, in one way of matching."""
    concluded = list(conclusions(hypothesis.formula))
    antecedents = [tuple(map(plain, premises)) for premises, _ in concluded] if len(way) == len(concluded) else [()]
    found: dict[Term, Premise] = {}
    stands: dict[Term, Term] = {}
    for reading, given in zip(way, antecedents, strict=True):
        stands |= reading.stands()
        named = {untagged(symbol): untagged(value) for symbol, value in reading.names().items()}
        # Of the step of an induction, what it assumes at every step.
        premises = [premise for premise in cited.premises if not step or premise.kind == "assumption"]
        read = list(zip(premises, reading.here(one.formula for one in premises), strict=True))
        closed = _closing([formula for _, formula in read], given, [hypothesis.formula, *named.values()])
        for premise, formula in read:
            needed = closed(premise.kind, formula)
            if formula not in given and needed not in known:
                found.setdefault(needed, Premise(needed, premise.kind, premise.of, premise.name))
        for symbol, value in named.items():
            formula = Term("=", (symbol, value), BOOL)
            found.setdefault(formula, Premise(formula, "definition", cited.obligation.name, "goal"))
    return tuple(found.values()), tuple(stands.items())


def _read_as_given(obligation: Obligation, name: str, cited: Sequent, known: set[Term]) -> Citation:
    """Return a citation whose reading is given, or in which symbols keep their names: the solvers decide it."""
    hypothesis = obligation.hypotheses[name]
    values = {left: right for left, right in hypothesis.reading if not left.arguments and left.number is None}
    for left, right in values.items():
        if left.sort != right.sort and (left.sort, right.sort) != (REAL, INT):
            raise ValueError(f"{obligation.name}: {name}: {left} is of sort {left.sort}, {right} is of {right.sort}")
    variables = hypothesis.formula.bound

    def here(formula: Term) -> Term:
        """Return a formula of the cited obligation as it is read here, of all that the hypothesis quantifies over."""
        said = renamed(formula, values)
        return for_all(variables, said) if set(variables) & parts_of(said) else said

    named = [here(equal(right, left)) for left, right in hypothesis.reading if left not in values]
    fix = {variable: Term(FIXED + variable.head, (), variable.sort) for variable in variables}
    plainly = fix | {plain(left): renamed(plain(right), fix) for left, right in values.items()}
    body = plain(hypothesis.formula.arguments[0]) if variables else plain(hypothesis.formula)
    given = tuple(renamed(one, fix) for one in conjuncts(body.arguments[0])) if variables and body.head == "=>" else ()
    read = [(one, renamed(one.formula, plainly)) for one in cited.premises]
    question = {
        "cited": here(cited.obligation.goal),
        **{f"reading-{k}": formula for k, formula in enumerate(named)},
        "negated": ~hypothesis.formula,
    }
    closed = _closing([formula for _, formula in read], given, question.values())
    found: dict[Term, Premise] = {}
    for premise, formula in read:
        needed = closed(premise.kind, formula)
        if formula not in given:
            found.setdefault(needed, Premise(needed, premise.kind, premise.of, premise.name))
    for formula in map(plain, named):
        found.setdefault(formula, Premise(formula, "definition", cited.obligation.name, "goal"))
    carried = tuple(premise for formula, premise in found.items() if formula not in known)
    return Citation(
        hypothesis=name,
        cited=cited.obligation.name,
        reading=hypothesis.reading,
        carried=carried,
        question=_question(f"{obligation.name}.citation.{name}", question),
    )


def _question(name: str, formulas: Mapping[str, Term]) -> Script:
    cast = {key: with_casts(formula) for key, formula in formulas.items()}
    return Script(name=name, text=script(cast, title=name, satisfiable=False), satisfiable=False)


def _closing(
    formulas: Sequence[Term], antecedents: tuple[Term, ...], concluded: Iterable[Term]
) -> Callable[[Kind, Term], Term]:
    """Return what makes a premise one of the citing obligation: where the citation's antecedents hold, of everybody.

    What the citation quantifies over is quantified over here as well. A constant that is no constant of the market can
    then differ from provider to provider, if it is tied to one: it becomes a function of the provider. One that stands
    in what is concluded is the same there for all of them, and so it is here.
    """
    providers = _fixed(*formulas, *antecedents) if formulas else []
    rigid = {part for formula in concluded for part in parts_of(plain(formula))}
    tied = set(providers)
    while True:
        more = {part for formula in formulas if tied & parts_of(formula) for part in parts_of(formula)}
        more = {part for part in more if _is_local(part)} - tied - rigid
        if not more:
            break
        tied |= more
    taken = {part.head for formula in (*formulas, *antecedents) for part in _free(formula)}
    names = {one: Term(_variable(one.head.removeprefix(FIXED), taken), (), one.sort) for one in providers}
    each = {part: Term(f"{part.head}_each", tuple(names.values()), part.sort) for part in tied - set(providers)}

    def closed(kind: Kind, formula: Term) -> Term:
        body = _under(antecedents, formula) if kind in ("assumption", "condition") else formula
        if not tied & parts_of(body):
            return body
        return for_all(list(names.values()), renamed(body, {**each, **names}))

    return closed


def _variable(name: str, taken: set[str]) -> str:
    """Return the name of a variable that is no symbol's."""
    while name in taken:
        name += "_"
    return name


@functools.lru_cache(maxsize=8192)
def _free(formula: Term) -> frozenset[Term]:
    """Return the constants of a formula, not the variables of its quantifiers."""
    if formula.arguments:
        return frozenset[Term]().union(*map(_free, formula.arguments)).difference(formula.bound)
    return frozenset() if formula.number is not None else frozenset({formula})


def _under(antecedents: tuple[Term, ...], formula: Term) -> Term:
    """Return a formula where antecedents hold; one about the market alone, which holds anyway, as it is."""
    if not any(_is_local(part) or part.head.startswith(FIXED) for part in parts_of(formula)):
        return formula
    had = set(conjuncts(formula.arguments[0])) if formula.head == "=>" else set()
    given = [one for one in antecedents if one not in had]
    return implies(all_of(*given), formula) if given else formula


def _fixed(*formulas: Term) -> list[Term]:
    parts = {part for formula in formulas for part in parts_of(formula)}
    return sorted((part for part in parts if part.head.startswith(FIXED)), key=str)


def _is_local(term: Term) -> bool:
    is_symbol = not term.arguments and term.number is None and not term.head.startswith(FIXED)
    return is_symbol and term.sort in (REAL, INT) and term.head not in MARKET_CONSTANTS
