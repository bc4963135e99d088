"""Who wins, what a bid can change, and why bidding the cost estimate is worst-case optimal.

Sources: prop:selection-threshold, lem:one-step, thm:robust-dominant, lem:payment-range. Radii are any non-negative
numbers, the estimate any number in [0, c_max]: the Bayesian forms of appendix B are the same obligations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from proofs_checks.proofs.language.axioms import expectation_monotone
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    PROVIDER,
    Term,
    all_of,
    any_of,
    constant,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    Auction,
    assuming,
    concluded,
    defining,
    every,
    induction,
    market,
    only,
    provider,
    same_others,
    within,
)
from proofs_checks.proofs.statements.shared import STATED_WHOLE

_I, _J = provider("i"), provider("j")
_AUCTION, _TRUTHFUL, _DEVIATING = Auction(), Auction("_truthful"), Auction("_deviating")
ESTIMATE, DEVIATION = constants("estimate deviation")
_PRICES = ("cost-bound-positive", "radii-non-negative", "rival-exists")

BELOW_WINS = Obligation(
    "bid-below-critical-wins",
    "an eligible provider that bids below P, or has no rival, serves",
    market()
    | _AUCTION.definitions()
    | assuming(eligible=ELIGIBLE(_I), below=implies(HAS_RIVAL(_I), _AUCTION.bid(_I) < _AUCTION.critical(_I))),
    equal(_AUCTION.winner, _I),
    (Mutant("at P", {"below": implies(HAS_RIVAL(_I), _AUCTION.bid(_I) <= _AUCTION.critical(_I))}),),
    redundant=dict.fromkeys([*_PRICES, "least-rival-attained"], STATED_WHOLE),
)
ABOVE_LOSES = Obligation(
    "bid-above-critical-loses",
    "a provider that bids above P does not serve",
    market() | _AUCTION.definitions() | assuming(rival=HAS_RIVAL(_I), above=_AUCTION.bid(_I) > _AUCTION.critical(_I)),
    ~equal(_AUCTION.winner, _I),
    (Mutant("at P", {"above": _AUCTION.bid(_I) >= _AUCTION.critical(_I)}),),
    redundant=dict.fromkeys([*market(), "least-rival-bounds", "winner-eligible"], STATED_WHOLE),
)
_TWO_RUNS = (
    market()
    | _TRUTHFUL.definitions()
    | _DEVIATING.definitions()
    | assuming(others_bid_the_same=same_others(_TRUTHFUL, _DEVIATING, _I))
)
SELECTION_THRESHOLD = Proof(
    "prop:selection-threshold",
    (BELOW_WINS, ABOVE_LOSES),
    "Each part is one obligation, for any set of providers, any radii and any tie-breaking.",
)

_ONE_STEP = _TWO_RUNS | assuming(
    bids_the_estimate=equal(_TRUTHFUL.bid(_I), ESTIMATE),
    bids_otherwise=equal(_DEVIATING.bid(_I), DEVIATION),
    estimate_in_range=within(0, ESTIMATE, COST_BOUND),
    deviation_in_range=within(0, DEVIATION, COST_BOUND),
)
_CRITICAL = _TRUTHFUL.critical(_I)
NO_LOSS = Obligation(
    "one-step-no-loss",
    "in an auction, bidding the estimate gives a net payment of at least 0",
    market() | _TRUTHFUL.definitions() | only(_ONE_STEP, "bids-the-estimate", "estimate-in-range"),
    _TRUTHFUL.gain(_I, ESTIMATE) >= 0,
    (
        Mutant("an estimate above the cost bound", {"estimate-in-range": ESTIMATE >= 0}),
        Mutant("strictly", goal=_TRUTHFUL.gain(_I, ESTIMATE) > 0),
    ),
    redundant=dict.fromkeys([*market(), "least-rival-bounds_truthful", "winner-eligible_truthful"], STATED_WHOLE),
)
NO_PROFITABLE_DEVIATION = Obligation(
    "one-step-no-profitable-deviation",
    "in an auction, no bid gives more than the estimate does, whatever the tie-breaks of the two runs",
    _ONE_STEP,
    _TRUTHFUL.gain(_I, ESTIMATE) >= _DEVIATING.gain(_I, ESTIMATE),
    (
        Mutant("no ranges", drop=("estimate-in-range", "deviation-in-range")),
        Mutant("strictly", goal=_TRUTHFUL.gain(_I, ESTIMATE) > _DEVIATING.gain(_I, ESTIMATE)),
    ),
    redundant=dict.fromkeys(
        [*_PRICES, "least-rival-bounds_truthful", "least-rival-attained_deviating", "winner-least_deviating"],
        STATED_WHOLE,
    )
    | {
        "bids-otherwise": "what the other bid is, does not matter here",
        "estimate-in-range": "the range of the deviation does instead: see the mutant without both",
        "deviation-in-range": "the range of the estimate does instead: see the mutant without both",
    },
)


def _straddles(below: Callable[[Term, Term], Term]) -> Term:
    """Return that the critical payment lies between estimate and deviation."""
    between = [
        all_of(below(low, _CRITICAL), below(_CRITICAL, high))
        for low, high in ((ESTIMATE, DEVIATION), (DEVIATION, ESTIMATE))
    ]
    return all_of(HAS_RIVAL(_I), any_of(*between))


STRICTLY_WORSE = Obligation(
    "one-step-strictly-worse-across-P",
    "in an auction, a bid on the other side of P gives strictly less than the estimate",
    _ONE_STEP | assuming(eligible=ELIGIBLE(_I), straddles=_straddles(operator.lt)),
    _DEVIATING.gain(_I, ESTIMATE) < _TRUTHFUL.gain(_I, ESTIMATE),
    (Mutant("at P", {"straddles": _straddles(operator.le)}),),
    redundant=dict.fromkeys([*market(), "least-rival-attained_deviating"], STATED_WHOLE)
    | {"estimate-in-range": "the range of the deviation, across P, does instead"},
)
SERVED_AT_THE_BOUND = Obligation(
    "one-step-outside-auctions",
    "where the draw decides and c_max is paid, the net payment is at least 0",
    assuming(estimate_in_range=within(0, ESTIMATE, COST_BOUND)),
    either(constant("drawn", BOOL), COST_BOUND - ESTIMATE, 0) >= 0,
)
_U, _V = constants("first_difference second_difference")
SIGNS = Obligation(
    "negative-product-means-opposite-signs",
    "u v < 0 only if one is negative and the other positive",
    assuming(negative=_U * _V < 0),
    any_of(all_of(_U < 0, _V > 0), all_of(_V < 0, _U > 0)),
    (Mutant("at 0", {"negative": _U * _V <= 0}),),
    signs=(_U, _V),
)
ONE_STEP = Proof(
    "lem:one-step",
    (NO_LOSS, NO_PROFITABLE_DEVIATION, SIGNS, STRICTLY_WORSE, SERVED_AT_THE_BOUND),
    "Parts a, b, c in an auction are one obligation each, where a provider that is not eligible has the net payment 0 "
    "whatever it bids (c uses negative-product-means-opposite-signs). On every other step the same draw decides for "
    "every bid and c_max is paid: a is one-step-outside-auctions, b an equality of equals, c does not apply.",
    uses=("prop:selection-threshold",),
)

#: Scenarios: a horizon T and the other providers' types. `NOW` are those with T = t.
_SCENARIO = constant("scenario", PROVIDER)
_NOW, _UTILITY, _DEVIANT = function("ends_now", BOOL), function("utility"), function("deviant_utility")
_WORST, _WORST_DEVIANT, _GAIN, _DEVIANT_GAIN = constants("worst worst_deviant gain_now deviant_gain_now")


def _in_every_scenario(body: Term) -> Term:
    return for_all([_SCENARIO], body)


_SUM, _NEXT_SUM, _EXPECTED = constants("utility_so_far utility_next expected_gain")
NEVER_A_LOSS = Obligation(
    "robust-no-loss-step",
    "a utility that is at least 0 stays so when the expected net payment of a further step is added",
    induction(_SUM >= 0, start={_SUM: 0})
    | {"expected": expectation_monotone(_EXPECTED, 0)}
    | defining(sum=equal(_NEXT_SUM, _SUM + _EXPECTED)),
    _NEXT_SUM >= 0,
)
_INFIMA = defining(
    worst_bounds=_in_every_scenario(_UTILITY(_SCENARIO) >= _WORST),
    worst_is_greatest=implies(_in_every_scenario(_UTILITY(_SCENARIO) >= _GAIN), _WORST >= _GAIN),
    worst_deviant_bounds=_in_every_scenario(_DEVIANT(_SCENARIO) >= _WORST_DEVIANT),
    deviant_now=_in_every_scenario(implies(_NOW(_SCENARIO), equal(_DEVIANT(_SCENARIO), _DEVIANT_GAIN))),
    some_end_now=exists([_SCENARIO], _NOW(_SCENARIO)),
)
_GROWS = concluded("robust-no-loss-step", only_grows=_in_every_scenario(_UTILITY(_SCENARIO) - _GAIN >= 0))
WORST_CASE_OPTIMAL = Obligation(
    "robust-worst-case-optimal",
    "the worst case of the truthful strategy is today's net payment, and no strategy has a better one",
    _INFIMA
    | _GROWS
    | defining(now=_in_every_scenario(implies(_NOW(_SCENARIO), equal(_UTILITY(_SCENARIO), _GAIN))))
    | concluded("one-step-no-profitable-deviation", no_gain=_DEVIANT_GAIN <= _GAIN),
    all_of(equal(_WORST, _GAIN), _WORST >= _WORST_DEVIANT),
    individuals="scenario",
)
STRICTLY_OPTIMAL = Obligation(
    "robust-strictly-optimal",
    "a strategy that bids across P today has a strictly worse worst case",
    _INFIMA | _GROWS | concluded("one-step-strictly-worse-across-P", loses=_DEVIANT_GAIN < _GAIN),
    _WORST > _WORST_DEVIANT,
    (Mutant("only weakly", {"loses": _DEVIANT_GAIN <= _GAIN}),),
    redundant={"worst-bounds": "of the worst case only that it is at least today's net payment matters"},
    individuals="scenario",
)
ROBUST_DOMINANT = Proof(
    "thm:robust-dominant",
    (NEVER_A_LOSS, WORST_CASE_OPTIMAL, STRICTLY_OPTIMAL),
    "i) by induction on T from lem:one-step a at each step, whose expectation is at least 0; the empty sum is 0. ii), "
    "iii) Under truthful bids the steps after t add up to at least 0, by the same induction, begun after step t. Given "
    "the history, the net payment of step t, expected over its draw, does not depend on theta_-i, and compares as in "
    "lem:one-step b, c, which hold for every outcome of the draw. The worst case is the infimum over the scenarios (T, "
    "theta_-i), a greatest lower bound. Truthful bids have theirs at T = t. A deviation's worst case is at "
    "most its utility at T = t.",
    uses=("lem:one-step",),
    beyond="The game: histories, strategies, the types of the others, the expectation over the draw, and that "
    "the worst case is an infimum over horizons and types. Proved is what one step gives, and the algebra "
    "of a worst case over uninterpreted scenarios.",
)
ROBUST_EQUILIBRIUM = Proof(
    "claim:robust-equilibrium",
    (WORST_CASE_OPTIMAL,),
    "thm:robust-dominant ii) for each provider, where the others follow sigma*: it holds whatever they do.",
    uses=("thm:robust-dominant",),
    beyond="The game, as for thm:robust-dominant.",
)

_PAID = _AUCTION.payment(_AUCTION.winner)
PAYMENT_IN_RANGE = Obligation(
    "payment-in-range",
    "an auction pays at least the winner's bid and 0, at most c_max, if bids lie in [0, c_max]",
    market() | _AUCTION.definitions() | assuming(bids_in_range=every(within(0, _AUCTION.bid(_J), COST_BOUND))),
    all_of(within(0, _PAID, COST_BOUND), _AUCTION.bid(_AUCTION.winner) <= _PAID),
    redundant=dict.fromkeys([*market(), "least-rival-bounds", "winner-eligible"], STATED_WHOLE),
)
_ANY_PAYMENT = constant("any_payment")
BOUND_IN_RANGE = Obligation(
    "bound-payment-in-range",
    "where c_max is paid, the payment lies in [0, c_max]",
    assuming(bound_paid=equal(_ANY_PAYMENT, COST_BOUND)) | only(market(), "cost-bound-positive"),
    within(0, _ANY_PAYMENT, COST_BOUND),
)
PAYMENT_RANGE = Proof(
    "lem:payment-range",
    (PAYMENT_IN_RANGE, BOUND_IN_RANGE),
    "Auctions by payment-in-range; every other step pays c_max, by definition.",
    uses=("prop:selection-threshold",),
    assumes=(
        "payment-in-range: cost-bound-positive radii-non-negative rival-exists rival-suffices",
        "payment-in-range: least-rival-bounds least-rival-attained winner-eligible winner-least bids-in-range",
    ),
)
