"""A wrong rule in `mechanism.rules` fails the obligations that are made of its code."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator

import pytest

from mechanism import rules
from proofs_checks.proofs.language.models import with_providers
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.statements import rules as rules_proof

WRONG_RULES = {
    "eligible: strictly": ("quality_estimate + radius >= threshold", "not threshold >= quality_estimate + radius"),
    "eligible: radius subtracted": ("quality_estimate + radius >= threshold", "quality_estimate - radius >= threshold"),
    "eligible: in another order": ("zip(quality_estimates, radii,", "zip(quality_estimates, radii[::-1],"),
    "under-sampled: at the target too": ("counts[i] < target", "not target < counts[i]"),
    "under-sampled: the other's count": ("counts[i] < target", "counts[i - 1] < target"),
    "adjusted: radius added": ("bid - radius for", "bid + radius for"),
    "adjusted: the other's radius": ("zip(bids, cost_radii,", "zip(bids, cost_radii[::-1],"),
    "lowest: of everybody": ("least = min([adjusted[i] for i in among])", "least = min(adjusted)"),
    "lowest: the first only": ("if adjusted[i] == least])", "if adjusted[i] == least])[:1]"),
    "critical: own bid counts": ("for j in among if j != provider]", "for j in among]"),
    "critical: no radius": ("return cost_radius + min(rivals)", "return min(rivals)"),
    "critical: the highest rival": ("cost_radius + min(rivals)", "cost_radius + max(rivals)"),
    "critical: radius without a rival": ("if rivals else None", "if rivals else cost_radius"),
    "critical: everybody is a rival": ("j in among if j != provider]", "j in range(len(adjusted)) if j != provider]"),
    "payment: the larger": ("not critical < cost_bound", "critical < cost_bound"),
    "payment: never the bound": ("critical is None or not critical < cost_bound", "critical is None"),
    "allocate: everybody is explored": ("under_sampled(able,", "under_sampled(range(len(counts)),"),
    "allocate: no exploration": ("    if explored:", "    if False:"),
    "allocate: an auction among all": ("lowest(able, adjusted)", "lowest(tuple(range(len(counts))), adjusted)"),
    "allocate: nobody counts as somebody": ("if not able:", "if len(able) < 2:"),
}


def changed_rules(old: str, new: str) -> types.ModuleType:
    """Return `mechanism.rules` from its changed source."""
    source = inspect.getsource(rules)
    assert source.count(old) == 1, old
    module = types.ModuleType("changed_rules")
    # Dataclasses look their module up.
    module.__dict__["__name__"] = rules.__name__
    exec(compile(source.replace(old, new), "changed_rules", "exec"), module.__dict__)
    return module


def obligations_of_rules() -> Iterator[Obligation]:
    """Yield the obligations on the rules anew: from the module that the proofs see now."""
    build = rules_proof._obligation
    yield build("two", "w", lambda lift: rules_proof._run(2, lift), lambda ran: rules_proof._says_paper(2, ran))
    yield build("three", "w", lambda lift: rules_proof._run_auction(3, lift), rules_proof._auction)


def is_false(obligation: Obligation) -> bool:
    """Whether z3 finds numbers for which an obligation is false."""
    import z3

    solver = z3.Solver()
    refutation = with_providers(obligation.refutation, obligation.providers or 3)
    solver.from_string(script(refutation, title="rules", satisfiable=True).partition("(check-sat)")[0])
    return str(solver.check()) == "sat"


def test_the_rules_as_they_are_meet_their_obligations():
    assert [is_false(obligation) for obligation in obligations_of_rules()] == [False, False]
    built = [obligation.goal for obligation in obligations_of_rules()]
    assert built == [rules_proof.TWO_PROVIDERS.goal, rules_proof.THREE_PROVIDERS.goal]


@pytest.mark.for_each("name", WRONG_RULES)
def test_a_wrong_rule_fails_its_obligation(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_proof, "rules", changed_rules(*WRONG_RULES[name]))
        assert any(map(is_false, obligations_of_rules()))
