"""Histories and strategies: what a bid may depend on, and how selections are counted."""

from __future__ import annotations

from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import after_initialization, served_at
from proofs_checks.claims.model.evidence import not_applicable
from proofs_checks.claims.model.precondition import BID_TOLERANCE, COMPARABLE_BIDS, required
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import SELECTION_COUNT, SELECTIONS
from proofs_checks.claims.statements.definitions import AUCTION_PAYS_CRITICAL, WINNER_MINIMIZES
from proofs_checks.verdict import Verdict


@trace_check(exact_money=True, by_ratio=True)
def bids_are_running_means(case: Case) -> Tightness:
    """Compare every bid with the mean of the costs of its own provider."""
    deviation, _ = case.bid_deviations
    if not len(deviation):
        return NOTHING_COMPARED
    allowed = BID_TOLERANCE * case.setting.platform.cost_bound
    worst = float(abs(deviation).max(initial=0.0))
    where = {"relation": "bid = mean of own costs", "step": int(case.replay.settlements.steps[abs(deviation).argmax()])}
    violations = int((abs(deviation) > allowed).sum())
    return Tightness(len(deviation), violations, allowed - worst, worst / allowed, where)


PROVIDER_HISTORY = Claim(
    label="eq:provider-history",
    any_radius=True,
    any_delay=True,
    name="Provider history and bid",
    statement="a standing bid changes only when its provider serves: every auction is explained by the bids last "
    "left behind",
    checks=(WINNER_MINIMIZES, *AUCTION_PAYS_CRITICAL),
    implies=("eq:critical-payment",),
    note="A strategy may depend on t only when its provider serves: otherwise its standing bid cannot change, even "
    "where the footnote on time-varying strategies allows it.",
)
UTILITIES = Claim(
    label="eq:utilities",
    any_radius=True,
    name="Conditional utility",
    statement="the expected sum of payment minus running cost estimate over the provider's queries",
    everywhere=lambda: not_applicable(
        "nothing: a definition", "it states no fact; thm:robust-dominant uses it", Verdict.SKIPPED
    ),
)


def _declared_truthful(case: Case) -> bool:
    """Whether a trace comes from truthful bidders by its origin, so that its bids can be held to it."""
    platform = case.setting.platform
    slacks = platform.belief_slack or platform.underbid or platform.overbid
    return case.origin.get("variant") == "truthful" or (case.origin.get("kind") == "steered" and not slacks)


DECLARED_TRUTHFUL = required(
    "bidders declared truthful",
    _declared_truthful,
    "no log says that its bidders are truthful, only a run that costproof simulates itself",
)
TRUTHFUL_STRATEGY = Claim(
    label="eq:truthful-strategy",
    any_radius=True,
    any_delay=True,
    name="Truthful strategy",
    statement="the bid is the running mean of the provider's own costs",
    checks=(bids_are_running_means,),
    assuming=(DECLARED_TRUTHFUL, COMPARABLE_BIDS),
    # A bid at the running mean lies within every slack.
    implies=("asmp:beliefs", "asmp:bounded-deviations"),
    note="A definition: the verdict says whether the simulated truthful bidders follow it.",
)
SELECTION_COUNTING = Claim(
    label="lem:selection-counting",
    any_radius=True,
    name="Selection counting",
    statement="the l-th post-initialization selection of i happens at m_{i,t} = l",
    checks=(
        Relation(SELECTIONS, SELECTION_COUNT, served_at(after_initialization), "l <= m", exact=True),
        Relation(SELECTION_COUNT, SELECTIONS, served_at(after_initialization), "m <= l", exact=True),
    ),
    commented_out=True,
    note="Commented out in the paper's source, so not in the PDF; used there implicitly.",
)
