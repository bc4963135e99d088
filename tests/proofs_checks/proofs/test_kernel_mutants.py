"""Rules and constants changed in Coq, and in the formulas of `bounds`: what rests on them notices.

Changes of the engines that run are in `test_kernel_engines.py`.
"""

from __future__ import annotations

import re
import resource
from pathlib import Path
from typing import Any

import pytest
import sympy

from bounds.errors import InputError
from bounds.formulas import belief, identification, payment, radius, regret, selection, sharp
from bounds.language.formula import Formula
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import sources
from tests.proofs_checks.proofs.kernel_engines import CHANGES
from tests.proofs_checks.proofs.kernel_mutants import Build, needed, rule_mutants

#: Processor time for all changes of Coq's files.
_SECONDS = 240


def formulas() -> dict[str, Formula]:
    """Return every formula that is printed as a term of Coq, by name."""
    modules = (radius, regret, payment, selection, identification, belief, sharp)
    return {one.quantity.name: one for module in modules for one in vars(module).values() if isinstance(one, Formula)}


def change(expression: Any) -> Any:
    """Return an expression with one of its numbers one greater: a constant or an exponent; without one, twice it."""
    numbers = sorted(expression.atoms(sympy.Rational), key=str)
    return expression.xreplace({numbers[-1]: numbers[-1] + 1}) if numbers else 2 * expression


@pytest.mark.long("prints every formula for each change")
@pytest.mark.for_each("name", formulas())
def test_a_changed_formula_is_seen(name):
    formula = formulas()[name]
    check_formulas()  # what it keeps of a formula is kept before the formula changes
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(formula), "expression", change(formula.expression))
        check_formulas.cache_clear()
        with pytest.raises(InputError, match=rf"\b{re.escape(name)}\b"):
            check_formulas()
    check_formulas.cache_clear()
    check_formulas()


def test_sixty_changes_are_seen() -> None:
    rules = {(one.file, one.sentence, one.was, one.now) for one in rule_mutants(sources())}
    assert len(rules) >= 60
    assert len(formulas()) >= 20
    assert len({*CHANGES}) >= 50


@pytest.mark.coq
def test_a_changed_rule_is_refused_by_what_rests_on_it(tmp_path: Path) -> None:
    wrong = rule_mutants(sources())
    build = Build(tmp_path, needed(sources(), {one.file for one in wrong} | {"RulesRefineRuns.v"}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    unseen = [str(mutant) for mutant in wrong if not build.killer(mutant)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert unseen == []
    assert used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime < _SECONDS
