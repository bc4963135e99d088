"""What an obligation takes from analysis: instances of axioms and ball facts, made again, and where they hold, derived.

A condition of an axiom is derived from the other hypotheses, and from axioms before it whose conditions are: never from
what the axiom itself says, as y >= 0 would be from "the square root of y".
"""

from __future__ import annotations

from collections.abc import Mapping

from bounds.errors import InputError
from proofs_checks.proofs.language.axioms import check_axiom
from proofs_checks.proofs.language.ball_facts import check_ball
from proofs_checks.proofs.language.names import names_realizable
from proofs_checks.proofs.language.obligation import Obligation, Script
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.language.terms import Term, all_of, equal
from proofs_checks.proofs.solvers.solvers import SOLVERS, ask_both


def check_foundations(obligation: Obligation) -> None:
    """Check that axioms and ball facts are what they say, and that symbols can stand for what they are said to."""
    for hypothesis in obligation.hypotheses.values():
        if hypothesis.source == "axiom":
            check_axiom(hypothesis)
        elif hypothesis.source == "ball":
            check_ball(hypothesis)
        elif hypothesis.conditions or hypothesis.names:
            rule = f"is of source {hypothesis.source}, which has no conditions and names nothing"
            raise InputError("hypothesis", str(hypothesis.formula), rule, "only instances of axioms and ball facts do")
    problem = names_realizable(name for one in obligation.hypotheses.values() for name in one.names)
    if problem:
        remedy = "give each symbol one meaning, made of others"
        raise InputError("obligation", obligation.name, f"names what cannot be ({problem})", remedy)


def condition_questions(obligation: Obligation) -> dict[str, Script]:
    """Return what both solvers must answer with "unsat", by what it derives: "the condition ... of ...".

    Examples
    --------
    >>> from proofs_checks.proofs.language.axioms import square_root
    >>> from proofs_checks.proofs.language.terms import constants
    >>> root, y = constants("root y")
    >>> list(condition_questions(Obligation("o", "", {"root": square_root(root, y)}, root >= 0)))
    ['the condition (>= y 0.0) of square-root']
    """
    known: dict[str, Term] = {name: one.formula for name, one in obligation.hypotheses.items() if one.source != "axiom"}
    found: dict[str, Script] = {}
    for name, hypothesis in obligation.hypotheses.items():
        for k, condition in enumerate(hypothesis.conditions):
            title = f"the condition {condition} of {hypothesis.of}"
            text = script({**known, "negated-condition": ~condition}, title=title, satisfiable=False)
            found.setdefault(title, Script(name=f"{obligation.name}.{name}.{k}", text=text, satisfiable=False))
        known[name] = hypothesis.formula
    return found


def meanings_in_numbers(obligation: Obligation) -> dict[str, Term] | None:
    """Return what a counterexample must satisfy beside the hypotheses, so that its symbols are what they stand for.

    Examples
    --------
    >>> from proofs_checks.proofs.language.axioms import log_tangent, root_non_negative
    >>> from proofs_checks.proofs.language.terms import constants
    >>> root, y, log_of_y = constants("root y log_of_y")
    >>> rooted = Obligation("o", "", {"root": root_non_negative(root, y)}, root > 1)
    >>> [str(formula) for formula in meanings_in_numbers(rooted).values()]
    ['(and (>= root 0.0) (= (* root root) y))']
    >>> meanings_in_numbers(Obligation("o", "", {"log": log_tangent(log_of_y, y)}, y > 1)) is None
    True
    """
    names = [name for one in obligation.hypotheses.values() for name in one.names]
    if any(meaning.head != "sqrt" for _, meaning in names):
        return None
    return {
        f"meaning.{k}": all_of(symbol >= 0, equal(symbol * symbol, meaning.arguments[0]))
        for k, (symbol, meaning) in enumerate(names)
    }


def not_derived(obligation: Obligation, *, time_limit: float) -> str:
    """Return a condition of an axiom that not both solvers derive from the other hypotheses, as text; "" if none."""
    questions = condition_questions(obligation)
    answers = ask_both({one.name: one.text for one in questions.values()}, time_limit=time_limit) if questions else {}
    for title, asked in questions.items():
        said: Mapping[str, str] = {solver: answers[solver][asked.name].answer for solver in SOLVERS}
        if set(said.values()) != {"unsat"}:
            return f"{title} is not derived"
    return ""
