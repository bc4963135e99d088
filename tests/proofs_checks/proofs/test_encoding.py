"""Breaking any rule, in the encoding or in `mechanism.rules` itself, turns some obligation to not proved."""

from __future__ import annotations

import inspect
import random
import types
from collections.abc import Iterator
from fractions import Fraction

import pytest

from mechanism import rules
from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import Term, constant
from proofs_checks.proofs.language.vocabulary import Auction, market, provider, same_others
from proofs_checks.proofs.statements import rules as rules_proof, shared
from tests.proofs_checks.proofs.auctions import model_of_auction
from tests.proofs_checks.proofs.broken_rules import Break, of_hypotheses, of_terms, survivors, why_not_proved

AUCTIONS = [Auction(tag) for tag in ("", "_truthful", "_deviating")]

BOUNDARY = "excludes a boundary only: assumes more, and no obligation is about the boundary alone"
IMPLIED = "says less than least-rival-attained and rival-suffices, which imply the rule: redundant, kept for reading"
STRONGER = "assumes more, which no auction of mechanism.rules meets (tested below)"
SAME = "equal at the point that differs: the payment is the cost bound either way"
#: Changes that leave everything proved, and why they may.
UNNOTICED = {
    "cost-bound-positive: 0.0 for 1 (2)": "money has no unit: every auction scales to a cost bound above 1",
    "radii-non-negative: >= for > (1)": STRONGER,
    "radii-non-negative: 0.0 for 1 (4)": STRONGER,
    "rival-exists: dropped": IMPLIED,
    "rival-exists: forall for exists (0)": IMPLIED,
    "rival-exists: without its condition (1)": STRONGER,
    "rival-exists: has_rival of j for k (3)": IMPLIED,
    "rival-exists: without (eligible j) (5)": IMPLIED,
    "rival-exists: without (not (= j k)) (6)": IMPLIED,
    "rival-exists: or for and (7)": IMPLIED,
    "rival-suffices: without its condition (1)": STRONGER,
    "rival-suffices: without (eligible j) (3)": STRONGER,
    "rival-suffices: without (not (= j k)) (4)": STRONGER,
    "rival-suffices: or for and (5)": STRONGER,
    "deviations-non-negative: >= for > (6)": BOUNDARY,
    "deviations-non-negative: 0.0 for 1 (8)": "money has no unit: a largest deviation of 1 is one of any size",
    "second-cost-least: without (qualified j) (3)": "assumes more: who is not qualified is not cheaper either",
    "mean-costs-in-range: >= for > (4)": BOUNDARY,
    "mean-costs-in-range: 0.0 for 1 (7)": "money has no unit: mean costs above 1 are mean costs above 0",
    "payment: <= for < (4)": SAME,
    "gain: <= for < (7)": SAME,
}


def formulas(hypotheses) -> dict[str, Term]:
    return {name: hypothesis.formula for name, hypothesis in hypotheses.items()}


def breaks() -> list[Break]:
    """Every change at one place of the rules that proofs share."""
    found = [
        *of_hypotheses([formulas(auction.definitions()) for auction in AUCTIONS]),
        *of_hypotheses([formulas(market())]),
        *of_hypotheses([{"same-others": same_others(AUCTIONS[1], AUCTIONS[2], provider("i"))}]),
    ]
    for name in ("good_event", "eligibility", "bids", "optimal_provider", "second_cost", "mean_costs_in_range"):
        found += of_hypotheses([formulas(getattr(shared, name)())])
    for name in ("payment", "critical", "adjusted"):
        found += of_terms(name, [getattr(auction, name) for auction in AUCTIONS])
    gains = [lambda i, auction=auction: auction.gain(i, constant("estimate")) for auction in AUCTIONS]
    return [*found, *of_terms("gain", gains)]


@pytest.fixture(scope="module")
def obligations() -> dict[str, Obligation]:
    """Those of all proofs, the small ones first: they decide soonest."""
    known = obligations_of(all_proofs())
    return dict(sorted(known.items(), key=lambda pair: len(str(pair[1].refutation))))


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.long("asks z3 about 250 broken rules"))])
def test_a_broken_rule_leaves_something_unproved(obligations, every):
    tried = breaks()
    names = [one.name for one in tried]
    assert len(set(names)) == len(names) >= 200
    assert not UNNOTICED.keys() - set(names)
    found = survivors([one for one in tried if one.name not in UNNOTICED][::every], obligations)
    assert [name for name, why in found.items() if not why] == []


@pytest.mark.for_each("name", [name for name, why in UNNOTICED.items() if why == STRONGER])
def test_an_auction_of_the_rules_contradicts_what_assumes_more(name):
    """No proof notices, but the mechanism does: one of its auctions is excluded by the changed rule."""
    [one] = [one for one in breaks() if one.name == name]
    [changed] = [c for f in formulas(market()).values() if (c := one.rewriting(f)) != f]
    few, amounts = random.Random(5), [Fraction(k, 4) for k in range(5)]
    for _ in range(200):
        n = few.randint(1, 3)
        bids, radii = (few.choices(amounts, k=n) for _ in range(2))
        able = sorted(few.sample(range(n), few.randint(1, n)))
        model = model_of_auction(bids, radii, able, few.choice(amounts[1:]))
        assert all(model.value(formula) for formula in formulas(market()).values())
        if not model.value(changed):
            return
    pytest.fail("no auction is excluded")


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


def test_the_rules_as_they_are_meet_their_obligations():
    assert [why_not_proved(obligation) for obligation in obligations_of_rules()] == ["", ""]
    built = [obligation.goal for obligation in obligations_of_rules()]
    assert built == [rules_proof.TWO_PROVIDERS.goal, rules_proof.THREE_PROVIDERS.goal]


@pytest.mark.long("runs wrong rules on solver numbers")
@pytest.mark.for_each("name", WRONG_RULES)
def test_a_wrong_rule_fails_its_obligation(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_proof, "rules", changed_rules(*WRONG_RULES[name]))
        assert any(why_not_proved(obligation) == "false" for obligation in obligations_of_rules())
