"""Findings about the paper's wording: statements that are too strong as written, each with a witness."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from bounds.formulas.payment import RADIUS_AT_TARGET
from bounds.formulas.radius import SELECTION_BOUND
from bounds.formulas.selection import COST_GAP
from bounds.language.quantities import C_2, C_MAX, D_MINUS, D_PLUS
from bounds.setting.model import PlatformParameters
from mechanism.bidding import Bidder, DeviatingBidder, FixedBidder, TruthfulBidder
from proofs_checks.claims.cases.constructed import EdgeBidder, SmallMarket, WalkedMarket, constructed_case, trace_on
from proofs_checks.claims.model.case import Case, Numbers, Running
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import (
    Flags,
    after_initialization,
    auctions,
    every_step,
    late_auctions,
    served_at,
)
from proofs_checks.claims.model.evidence import Evidence, evidence_of, merge, trace_witness
from proofs_checks.claims.model.precondition import BOUNDED_DEVIATIONS, GOOD_EVENT, MARKET, required
from proofs_checks.claims.model.regime import DEVIATING, TRUTHFUL_ANY_HISTORY, Regime
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import MEAN_COST, PAYMENT
from proofs_checks.claims.statements.payments import AT_MOST_THE_BOUND, NEVER_NEGATIVE
from proofs_checks.verdict import Verdict

_DEVIATING = Regime("bounded deviations, any bids", (BOUNDED_DEVIATIONS,), {"belief_slack": 0.0})
_BUILT = required(
    "a market built for this claim", lambda case: "built" in case.origin, "compared only on its own instances"
)


def _some_gap_is_small(case: Case) -> bool:
    platform = case.setting.platform
    gaps = case.constants["competitor_cost"] - case.constants.get("optimal_cost", np.nan)
    deviation = platform.underbid + platform.overbid
    return deviation > 0 and bool((gaps <= deviation).any())


UNSEPARATED = required(
    "some cost gap at most d_- + d_+", _some_gap_is_small, "every cost gap exceeds underbid + overbid"
)


def shown_by(stated: Callable[[], Claim], tried: str, *builds: Callable[[], Case]) -> Callable[[], Evidence]:
    """Return evidence that checks a claim on built cases and keeps the first that refutes it as witness."""

    def evidence() -> Evidence:
        checked = [(case, stated().check(case)) for case in (build() for build in builds)]
        refuting = (case for case, found in checked if found.verdict is Verdict.REFUTED)
        witness = next((trace_witness(stated().label, case) for case in refuting), None)
        return replace(merge([found for _, found in checked]), parts=(), kind="property", tried=tried, witness=witness)

    return evidence


def _underbidding_case() -> Case:
    """Both providers cost nothing and underbid by 0.3 without clipping: auctions charge negative amounts."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 1.0, 0.5, underbid=0.3)
    market = SmallMarket((0.0, 0.0), (1.0, 1.0), 60, platform)
    rng = np.random.default_rng(0)
    bidders = [DeviatingBidder(TruthfulBidder(), 0.3, 0.0, rng, "under", None) for _ in range(2)]
    return Case(market.setting, market.run(bidders, check_bids=False), {"built": "unclipped underbids"})


def _equal_gap_case() -> Case:
    """The gap equals d_- + d_+, in dyadic numbers, so that both adjusted bids tie exactly at equal counts."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 1.0, 0.5, underbid=0.125, overbid=0.125)
    market = SmallMarket((0.25, 0.5), (1.0, 1.0), 400, platform)
    trace = market.run(_bidders_that_close_the_gap(np.random.default_rng(0)))
    return Case(market.setting, trace, {"built": "gap equal to the deviations"})


def _bidders_that_close_the_gap(rng: np.random.Generator) -> list[DeviatingBidder]:
    """Return i*, which overbids by 1/8, and its competitor, which underbids by 1/8."""
    over = DeviatingBidder(TruthfulBidder(1.0), 0.125, 0.125, rng, "over", 1.0)
    return [over, DeviatingBidder(TruthfulBidder(1.0), 0.125, 0.125, rng, "under", 1.0)]


@trace_check()
def competitor_wins_every_auction(case: Case) -> Tightness:
    """Count the auctions that a competitor within d_- + d_+ does not win, once it has been explored."""
    relevant = case.replay.auction
    missed = relevant & (case.trace.provider == case.setting.optimal)
    where = {"relation": "i wins", "step": case.first_step + int(np.argmax(missed))}
    return Tightness(int(relevant.sum()), int(missed.sum()), -float(missed.any()), None, where)


def _edge_costs_case() -> Case:
    """The gap equals d_- + d_+; costs lie at the edges of their bands, those of i* high, the competitor's low."""
    rng = np.random.default_rng(0)
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.5, underbid=0.125, overbid=0.125)
    setting = SmallMarket((0.25, 0.5), (1.0, 1.0), 1000, platform).setting
    market = WalkedMarket.constructed(setting, [("up", "up"), ("up", "down")], 1000, rng)
    trace = trace_on(market, setting, _bidders_that_close_the_gap(rng), 1000, rng)
    return Case(setting, trace, {"built": "gap equal to the deviations, costs at the band edges"})


_SERVED_COMPETITORS = served_at(after_initialization, "competitors")


def _served_past_its_threshold(case: Case) -> Flags:
    """Where a competitor with Delta_i > d_- + d_+ serves at m > L_i^(d), at which it wins no auction any more."""
    platform = case.setting.platform
    separation = (case.constants["competitor_cost"] - case.constants["optimal_cost"]) / platform.cost_bound
    separation = separation - (platform.underbid + platform.overbid) / platform.cost_bound
    thresholds = np.full(separation.shape, np.inf)
    further = separation > 0
    thresholds[further] = SELECTION_BOUND(case.constants, gap=separation[further])
    return np.asarray(case.where(_SERVED_COMPETITORS) & (case.of_group(case.replay.counts, "competitors") > thresholds))


def explored_for_ever(horizon: int) -> Case:
    """One competitor lies within d_- + d_+ of i*, another 7/8 above; all bid the truth, all costs are fixed."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 8.0, 0.5, overbid=0.125)
    market = SmallMarket((0.125, 0.25, 1.0), (1.0, 1.0, 1.0), horizon, platform)
    trace = market.run([TruthfulBidder(1.0) for _ in market.costs])
    return Case(market.setting, trace, {"built": "a dear provider that is explored for ever"})


def _loss_in_mean_case() -> Case:
    """Provider 0 costs 0 or 1 with equal chance and has drawn 0 so far; provider 1 costs 0.4."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 0.25, 0.5)
    market = SmallMarket((0.5, 0.4), (1.0, 1.0), 4, platform)
    trace = market.run([TruthfulBidder(), TruthfulBidder()], costs=(0.0, 0.4))
    return Case(market.setting, trace, {"built": "first draws of a fair {0, 1} cost are 0"})


@functools.cache
def profits_of_provider(horizon: int) -> tuple[float, float]:
    """Return the profit of the cheaper of two providers (costs 0.2, 0.3) if truthful, and if it always bids c_max.

    Examples
    --------
    >>> truthful, overbidding = profits_of_provider(2000)
    >>> truthful < overbidding
    True
    """
    market = SmallMarket((0.2, 0.3), (1.0, 1.0), horizon, PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75))
    profits = []
    for first in (TruthfulBidder(), FixedBidder(1.0)):
        trace = market.run([first, TruthfulBidder()])
        mine = trace.provider == 0
        profits.append(float((trace.payment[mine] - 0.2).sum()))
    return profits[0], profits[1]


def truthful_against_overbidding() -> Evidence:
    """Compare profits at a known horizon with deterministic costs: exploration pays c_max, auctions pay less."""
    horizon = 20_000
    truthful, overbidding = profits_of_provider(horizon)
    witness = {"kind": "strategies", "horizon": horizon, "truthful_profit": truthful, "overbidding_profit": overbidding}
    refuted = overbidding > truthful
    found = Tightness(1, int(refuted), truthful - overbidding, overbidding / truthful)
    tried = f"profit of i* at T = {horizon:,}, costs 0.2 and 0.3: truthful against always bidding c_max"
    return evidence_of(tried, found, witness=witness)


def _largest_adjusted_excess(case: Case) -> Numbers:
    """By how much an adjusted bid of an eligible provider exceeds its mean cost at most at each auction, shape (T,)."""
    costs = np.array([provider.mean_cost for provider in case.setting.providers])
    at_auctions = case.replay.eligible & case.replay.auction[:, None]
    return np.asarray(np.where(at_auctions, case.replay.adjusted_bids - costs, -np.inf).max(axis=1))


_LARGEST_EXCESS = Running(_largest_adjusted_excess, np.maximum)


@trace_check(_LARGEST_EXCESS.carry)
def optimism_fails_somewhere(case: Case) -> Tightness:
    """Look for an adjusted bid above its mean cost at an auction: one is enough."""
    if not case.ends:
        return NOTHING_COMPARED
    worst = float(_LARGEST_EXCESS.upto(case)[-1])
    return Tightness(1, int(worst <= 0), worst, None, {"relation": "an adjusted bid above its mean cost", "by": worst})


#: The gamma of the bidders on an unwidened platform: the setting itself carries no slack.
_UNWIDENED_SLACK = Fraction(1, 2)
_PLAIN_RADIUS = C_MAX * RADIUS_AT_TARGET
_LOW = C_2 - (2 + _UNWIDENED_SLACK) * _PLAIN_RADIUS
_HIGH = C_2 + (1 + _UNWIDENED_SLACK) * _PLAIN_RADIUS
_LATE = functools.partial(Relation, on=late_auctions)
UNWIDENED_BAND = (
    _LATE(_LOW, PAYMENT, name="unwidened, after T_0: at most 2 + gamma radii below"),
    _LATE(PAYMENT, _HIGH, name="unwidened, after T_0: at most 1 + gamma radii above"),
)
_UNWIDENED = Regime("estimates within 0.5 radii, mechanism not widened", (MARKET, GOOD_EVENT), {"belief_slack": 0.0})


@functools.cache
def unwidened_case(seed: int = 0) -> Case:
    """Bidders at the edge of gamma = 0.5 radii on an unwidened platform, scores and costs at the band edges."""
    rng = np.random.default_rng(seed)
    platform = PlatformParameters(0.0, 0.05, 1.0, float(rng.uniform(1, 4)), 0.5)
    costs = sorted(rng.uniform(0.05, 0.95, 3).tolist())
    market = SmallMarket(tuple(costs), (0.9, 0.8, 0.7), 800, platform)
    bidders: list[Bidder] = [EdgeBidder(market.setting, float(_UNWIDENED_SLACK), sign) for sign in (1.0, -1.0, 1.0)]
    case = constructed_case(market.setting, bidders, horizon=market.horizon, rng=rng, ties="first")
    return Case(case.setting, case.trace, {"built": "edge bidders on an unwidened platform"})


def payments_where_optimism_fails() -> dict[str, float]:
    """Return by how much optimism fails in `unwidened_case`, and how many of its payments leave the band without it.

    Examples
    --------
    >>> found = payments_where_optimism_fails()
    >>> found["outside"], found["optimism_fails_by"] > 0.1
    (0, True)
    """
    case = unwidened_case()
    bands = WIDENING_REPAIRED.check(case).tightness
    return {
        "optimism_fails_by": float(_LARGEST_EXCESS.upto(case)[-1]),
        "compared": bands.checked,
        "outside": bands.violations,
    }


def no_payment_leaves_the_band() -> Evidence:
    """Look for payments outside the band of a few radii on a market where optimism fails for want of widening."""
    found = payments_where_optimism_fails()
    refuted = found["optimism_fails_by"] > 0 and found["compared"] > 0 and not found["outside"]
    tightness = Tightness(1, int(refuted), found["outside"] - float(refuted))
    tried = "an unwidened platform, gamma = 0.5, on which optimism fails: payments after T_0 that leave the band"
    witness = {"kind": "band", **found}
    return evidence_of(tried, tightness, witness=witness)


RANGE_UNDER_DEVIATIONS: Claim = Claim(
    label="lem:payment-range:under-deviations",
    any_radius=True,
    any_delay=True,
    name="Payment range under deviations that leave [0, c_max]",
    statement="0 <= payment <= c_max under asmp:bounded-deviations alone (appendix C: 'exactly as stated')",
    source_line=1512,
    checks=(NEVER_NEGATIVE, AT_MOST_THE_BOUND),
    regime=_DEVIATING,
    everywhere=shown_by(
        lambda: RANGE_UNDER_DEVIATIONS, "two free providers that underbid by 0.3 c_max", _underbidding_case
    ),
    stronger_reading=True,
    finding="Bids outside [0, c_max] can make payments negative. The assumption does not repeat that bids lie in that "
    "range, as Section 2 has every standing bid; where they do, the lemma holds.",
    repaired_by="lem:payment-range:repaired",
    implies=("lem:payment-range", "lem:payment-range:repaired"),
)
RANGE_REPAIRED: Claim = Claim(
    label="lem:payment-range:repaired",
    any_radius=True,
    any_delay=True,
    name="Payment range under deviations, for any bids",
    statement="-d_- <= payment <= c_max under asmp:bounded-deviations, also for bids outside [0, c_max]",
    source_line=1512,
    checks=(Relation(-D_MINUS, PAYMENT, every_step, "a payment is at least -d_-"), AT_MOST_THE_BOUND),
    regime=_DEVIATING,
    everywhere=shown_by(lambda: RANGE_REPAIRED, "two free providers that underbid by 0.3 c_max", _underbidding_case),
)
CANNOT_BE_DROPPED: Claim = Claim(
    label="claim:condition-cannot-be-dropped",
    name="Necessity of Delta_i > d_- + d_+",
    statement="if Delta_i <= d_- + d_+ and c_i - d_- < c_max, the competitor may win every auction, under a large "
    "enough exploration scale",
    checks=(competitor_wins_every_auction,),
    assuming=(MARKET, UNSEPARATED, _BUILT, GOOD_EVENT, BOUNDED_DEVIATIONS),
    everywhere=shown_by(
        lambda: CANNOT_BE_DROPPED, "gap equal to d_- + d_+, costs at the edges of their bands", _edge_costs_case
    ),
    implies=("claim:condition-cannot-be-dropped:fixed-costs",),
    note='A statement of possibility ("may"): one market on which it happens confirms it.',
)
CANNOT_BE_DROPPED_FIXED: Claim = Claim(
    label="claim:condition-cannot-be-dropped:fixed-costs",
    name="Necessity of Delta_i > d_- + d_+, with fixed costs",
    statement="the same at equality with fixed costs",
    checks=(competitor_wins_every_auction,),
    assuming=(MARKET, UNSEPARATED, _BUILT, GOOD_EVENT, BOUNDED_DEVIATIONS),
    everywhere=shown_by(lambda: CANNOT_BE_DROPPED_FIXED, "fixed costs 1/4 and 1/2, d_- = d_+ = 1/8", _equal_gap_case),
    stronger_reading=True,
    finding="With fixed costs the two providers share the auctions. The text only says that the competitor "
    "may win them all, which other costs show.",
    repaired_by="claim:condition-cannot-be-dropped",
    implies=("claim:condition-cannot-be-dropped",),
)
SELECTION_IN_SUMMARY: Claim = Claim(
    label="claim:summary-appC:selection",
    name="Selected within d_- + d_+ of i*, on all rounds but a bounded number",
    statement="'otherwise selects a qualified provider within d_- + d_+ of cbar_{i*}', read as on all but a bounded "
    "number of rounds: a competitor with Delta_i > d_- + d_+ serves at most L_i^(d) rounds after initialization",
    checks=(
        Relation(
            COST_GAP,
            D_MINUS + D_PLUS,
            _served_past_its_threshold,
            "a competitor that serves at m > L_i^(d) is within d_- + d_+ of i*",
            among="competitors",
        ),
    ),
    regime=DEVIATING,
    assuming=(UNSEPARATED, _BUILT),
    everywhere=shown_by(
        lambda: SELECTION_IN_SUMMARY,
        "costs 1/8, 1/4 and 1, d_+ = 1/8, truthful bids: served by the dearest at m > L_i^(d)",
        lambda: explored_for_ever(240),
    ),
    stronger_reading=True,
    finding="Exploration selects every qualified provider again and again. The sentence names no rounds. Of auctions "
    "it is right: such a competitor wins none with m > L_i^(d), by prop:deviation-selection (ii); until then part (i) "
    "allows 2 c_max beta(m) more, as the paper says. But exploration never ends: g(t) grows without bound, and every "
    "qualified provider is explored again once m < g(t), however expensive it is. So it serves infinitely many rounds, "
    "though a vanishing share of all.",
    repaired_by="prop:deviation-selection",
)
WIDENING: Claim = Claim(
    label="claim:widening-necessary",
    name="Optimism can fail without widening",
    statement="without widening, optimism b - c_max beta <= cbar can fail",
    checks=(optimism_fails_somewhere,),
    regime=_UNWIDENED,
    assuming=(_BUILT,),
    everywhere=shown_by(
        lambda: WIDENING, "an unwidened platform with bidders 0.5 radii above their means", unwidened_case
    ),
)
NECESSARY = Claim(
    label="claim:widening-necessary:for-convergence",
    name="Widening is necessary",
    statement="'the widening of the radius is necessary', for payments as well: where optimism fails for want of it, "
    "some auction after T_0 pays less than c_(2) less 2 + gamma radii, or more than c_(2) and 1 + gamma radii",
    everywhere=no_payment_leaves_the_band,
    stronger_reading=True,
    finding="Payments converge without widening. The paper does not say 'for payments'. It gives the failure of "
    "optimism as its reason, and optimism can fail (claim:widening-necessary). But the number of auctions that "
    "competitors win has a bound free of T (claim:own-unwidened-wins-stop; costproof docs findings). What fails is the "
    "count L_i (claim:widening-necessary:count).",
    repaired_by="claim:widening-necessary:repaired",
)
WIDENING_REPAIRED: Claim = Claim(
    label="claim:widening-necessary:repaired",
    name="Payment bands without widening",
    statement="estimates within gamma radii, no widening: auctions after T_0 pay c_(2) up to -(2 + gamma) and +(1 "
    "+ gamma) radii",
    checks=UNWIDENED_BAND,
    regime=_UNWIDENED,
    assuming=(_BUILT,),
    everywhere=shown_by(
        lambda: WIDENING_REPAIRED,
        "payment bands on 20 unwidened platforms, edge bidders, gamma = 0.5",
        *(functools.partial(unwidened_case, seed) for seed in range(20)),
    ),
)
BEST_REPLY = Claim(
    label="thm:robust-dominant:best-reply",
    name="Truthful bidding as a best reply in expected utility",
    statement="at a known horizon no strategy earns more than truthful bidding",
    everywhere=truthful_against_overbidding,
    stronger_reading=True,
    finding="Overbidding can earn more at a known horizon. The overbidder is selected by exploration alone, at c_max. "
    "The theorem does not exclude it: its worst case is T = t.",
    repaired_by="thm:robust-dominant",
)
NO_LOSS_IN_MEAN: Claim = Claim(
    label="thm:robust-dominant:no-loss-in-mean",
    name="No expected loss against the true mean cost",
    statement="a truthful provider is never paid less than its mean cost",
    checks=(Relation(MEAN_COST, PAYMENT, served_at(auctions), "paid the mean cost"),),
    regime=TRUTHFUL_ANY_HISTORY,
    everywhere=shown_by(lambda: NO_LOSS_IN_MEAN, "a fair {0, 1} cost whose first draws are 0", _loss_in_mean_case),
    stronger_reading=True,
    finding="The payment covers the running estimate, not the mean cost. Early estimates can be low.",
    repaired_by="thm:robust-dominant",
)
