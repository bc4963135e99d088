"""Every induction assumes its goal one step earlier, and begins with what is true."""

from __future__ import annotations

import pytest

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.language.matching import readings_of
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.language.terms import Term, constant, equal, open_subterms
from proofs_checks.proofs.solvers.solvers import ask_all

OBLIGATIONS = obligations_of(all_proofs())
INDUCTIONS = [
    (obligation.name, name)
    for obligation in OBLIGATIONS.values()
    for name, hypothesis in obligation.hypotheses.items()
    if hypothesis.source == "induction"
]
#: A part of the step of another induction.
PARTS = {"cauchy-schwarz-mixed-term-squared": "cauchy-schwarz-one-more"}
#: With which obligation an induction begins.
BASES = {
    "sum-of-decays-one-more": "sum-of-decays-first",
    "classified-sum-one-more": "classified-sum-none",
    "unqualified-count-at-most-threshold": "unqualified-count-at-most-threshold-base",
    "selection-counting-step": "selection-counting-base",
    "capped-selections-step": "capped-selections-base",
    "explorations-step": "explorations-base",
    "failures-of-one-more-count": "failures-before-any-count",
    "misses-are-selections": "misses-are-selections-base",
    "regret-by-provider": "regret-by-provider-none",
    "inverse-roots-one-more": "inverse-roots-none",
    "radii-of-one-provider-one-more": "radii-of-one-provider-none",
    "cauchy-schwarz-mixed-term-squared": "cauchy-schwarz-none",
    "cauchy-schwarz-one-more": "cauchy-schwarz-none",
}
#: With which values one begins that has none: what is 0, as an empty sum is, and what is equal to what.
STARTS = {
    "early-steps-at-most-T0": {"early_steps": "0", "step": "0", "T0": "not negative"},
    "deviations-by-kind-of-step": dict.fromkeys(
        ("total", "early_steps", "explorations_of_all", "sum_of_decays", "steps"), "0"
    ),
    "steps-with-radius-at-most": {"steps_with_radius": "0", "time": "providers_number"},
    "selection-counts-do-not-decrease": {"count_now": "count_then"},
    "sum-of-equally-bounded-terms": {"total": "0", "terms_number": "0"},
    "capped-terms-add-up": {"total": "0", "caps": "0"},
    "share-sum-below-tangents": dict.fromkeys(("sum_of_roots", "providers_so_far", "selections_in_total"), "0"),
    "share-lines-add-up": {"sum_of_roots": "0", "selections_in_total": "0"},
    "share-radii-by-roots": {"radii_of_providers": "0", "sum_of_roots": "0"},
    "weighted-selections-add-up": {"sum_over_providers": "0", "sum_of_bounds": "0"},
    "robust-no-loss-step": {"utility_so_far": "0"},
    "radii-of-providers-one-more": {"radii_of_providers": "0", "roots_of_providers": "0"},
    "selections-add-up-to-steps": {"selections_after_initialization": "0", "time": "providers_so_far"},
    "radius-sum-by-provider": {"sum_so_far": "0", "radii_of_providers": "0"},
}
#: What the statement itself assumes of the first step.
STATED = {"ineligible-stays-ineligible"}


@pytest.mark.parametrize("place", INDUCTIONS, ids=": ".join)
def test_induction_hypotheses_are_goals_one_step_before(place: tuple[str, str]) -> None:
    step = OBLIGATIONS[PARTS.get(place[0], place[0])]
    assert readings_of(step.goal, OBLIGATIONS[place[0]].hypotheses[place[1]].formula, step=True)


def test_every_induction_begins() -> None:
    begun = [*BASES, *STARTS, *STATED]
    assert sorted(begun) == sorted(step for step, _ in INDUCTIONS)
    for step, name in INDUCTIONS:
        if step in BASES:
            assert readings_of(OBLIGATIONS[BASES[step]].goal, OBLIGATIONS[step].hypotheses[name].formula)


def test_inductions_without_a_base_begin_with_what_is_true() -> None:
    questions = {}
    for step, name in INDUCTIONS:
        if step in STARTS:
            formula = OBLIGATIONS[step].hypotheses[name].formula
            sorts = {part.head: part.sort for part in open_subterms(formula) if not part.arguments}
            facts = {f"start-{k}": started(*pair, sorts) for k, pair in enumerate(STARTS[step].items())}
            questions[step] = script({**facts, "negated": ~formula}, title=step, satisfiable=False)
            questions[f"{step} anywhere"] = script({"negated": ~formula}, title=step, satisfiable=True)
    answers = {name: answered.answer for name, answered in ask_all("z3", questions).items()}
    assert answers == {name: "sat" if name.endswith("anywhere") else "unsat" for name in questions}


def started(name: str, value: str, sorts: dict[str, str]) -> Term:
    begins = constant(name, sorts[name])
    if value in sorts:
        return equal(begins, constant(value, sorts[value]))
    return {"0": equal(begins, 0), "not negative": begins >= 0}[value]
