"""What the paper says too strongly: false statements, numbers that refute them, and a replay of those numbers.

Each has a label of its own, ``<label of the claim>:<wording>``: it is another wording than the one that is proved.

A false statement is an obligation whose negation has a model. Where radii matter to whether numbers are possible, they
are those of the paper, enclosed by rational numbers; elsewhere they are as in the lemmas, at equal counts of 28.
The numbers are those of a state that a run can reach: a radius is never 0. Every hypothesis of the lemma in question is
kept. A solver finds the numbers, and is not believed: `prove_lemma`
evaluates the formulas at them, and a replay lets `mechanism.rules` decide the auction anew in exact fractions. Where a
number is a confidence radius, the replay takes both rational ends that enclose it, so that what it says holds of the
irrational radius.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.formulas.radius import RADIUS as RADIUS_FORMULA, SELECTION_BOUND
from bounds.language.arithmetic import Enclosure, rigorous
from bounds.language.evaluation import Evaluation
from mechanism import rules
from proofs_checks.proofs.kept import kept_finding
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import INT, all_of, any_of, constant, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    RADIUS,
    Auction,
    assuming,
    concluded,
    defining,
    every,
    market,
    only,
    provider,
    within,
)
from proofs_checks.proofs.lemma import Counterexample, Lemma, Refuted, prove_lemma
from proofs_checks.proofs.results import ProveReport
from proofs_checks.proofs.solvers.solvers import SOLVERS, installed
from proofs_checks.proofs.statements.incentives import DEVIATION, ESTIMATE, STRICTLY_WORSE
from proofs_checks.proofs.statements.payments import AFTER_THRESHOLD, PAID, TARGET_RADIUS, WINNER
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    MEAN_COST,
    OPTIMAL,
    QUALIFIED,
    QUALITY,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    SECOND_COST,
    bids,
    eligibility,
    good_event,
    is_competitor,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    rounded_up,
    second_cost,
)
from proofs_checks.verdict import Verdict

_I, _J, _FIRST, _SECOND = provider("i"), provider("j"), provider("first_qualified"), provider("second_qualified")
_AUCTION_OF_THE_LEMMAS = (
    market()
    | AUCTION.definitions()
    | optimal_provider()
    | second_cost()
    | mean_costs_in_range()
    | qualified_are_eligible()
    | AFTER_THRESHOLD
    | assuming(
        bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))),
        estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)),
    )
)
#: delta, and the denominator of the rational numbers that enclose radii.
CONFIDENCE, _SCALE = Fraction(1, 20), 10**6


@functools.cache
def enclosed_radius(count: Fraction | int, providers: int, confidence: Fraction = CONFIDENCE) -> Enclosure:
    """Return rational numbers with small denominators around beta(count).

    Parameters
    ----------
    count : Fraction or int
        At least 1.
    providers : int
        N; 1 as well, for which the formula has a value though the paper excludes it.
    confidence : Fraction, optional
        delta in (0, 1).

    Examples
    --------
    >>> enclosed_radius(1, 4).lower
    Fraction(1770031, 1000000)
    """
    values = {"count": count, "n_providers": providers, "confidence": confidence}
    with rigorous(128) as arithmetic:
        found = arithmetic.enclosure(Evaluation(values, arithmetic).formula(RADIUS_FORMULA).ravel()[0])
    lower = Fraction(found.lower * _SCALE // 1, _SCALE)
    return Enclosure(lower, Fraction(-(-found.upper * _SCALE // 1), _SCALE))


@dataclass(frozen=True)
class _Replayed:
    """An auction that the rules decided: who may win, who does in the model, and what it is paid."""

    winners: tuple[int, ...]
    winner: int
    critical: rules.Number
    paid: rules.Number


def _column(model: Model, name: str) -> list[Fraction]:
    return [model.values[name, k] for k in range(model.providers)]


def _auction(model: Model, tag: str = "", radii: Sequence[Fraction] | None = None) -> _Replayed:
    """Let the rules decide the auction of a model; its radii may be replaced."""
    radii = _column(model, "cost_radius") if radii is None else radii
    able = [k for k in range(model.providers) if model.values["eligible", k]]
    adjusted = rules.adjusted_bids(_column(model, f"bid{tag}"), radii)
    winner = model.values[(f"winner{tag}",)]
    critical = rules.critical_payment(winner, able, adjusted, radii[winner])
    paid = rules.auction_payment(critical, model.values[("cost_bound",)])
    return _Replayed(rules.lowest(able, adjusted), winner, critical, paid)


def _ends_with_two(count: int) -> tuple[Fraction, Fraction]:
    """Return rational ends that enclose the radius among two providers."""
    found = enclosed_radius(count, 2)
    return found.lower, found.upper


_TARGET, _EXPLORATIONS, _CEILING = constant("target_at_end"), constant("explorations", INT), constant("ceiling", INT)
EXPLORATION_CAP = Obligation(
    "exploration-cap-for-any-target",
    "(false) a provider is explored at most ceil(g(T)) - 1 times, whatever g(T)",
    defining(rounded_up=rounded_up(_CEILING, _TARGET), counted=_EXPLORATIONS >= 0)
    # Exploration selects at 1 <= m < g(t) <= g(T).
    | concluded("explored-below-target", explored=implies(_EXPLORATIONS >= 1, _TARGET > 1)),
    _EXPLORATIONS <= _CEILING - 1,
)


def _explores_nobody(model: Model) -> bool:
    """Whether a constant g of the model's value explores nobody, which is more than ceil(g) - 1 times."""
    target = model.values[("target_at_end",)]
    able, adjusted, counts, explorations = (0, 1), [Fraction(0)] * 2, [1, 1], 0
    for _ in range(10):
        allocation = rules.allocate(able, counts, target, adjusted)
        explorations += allocation.kind == "exploration"
        counts[allocation.candidates[0]] += 1
    return bool(explorations == model.values[("explorations",)]) and explorations > math.ceil(target) - 1


#: An unqualified provider among three with q_min - q = _GAP at the count M_i (the least at which it could pass M_i).
_GAP, _PROVIDERS = Fraction(1, 2), 3


@functools.cache
def threshold_count() -> int:
    """Return M_i for `_GAP`, three providers and `CONFIDENCE`.

    Examples
    --------
    >>> threshold_count()
    175
    """
    values = {"gap": _GAP, "n_providers": _PROVIDERS, "confidence": CONFIDENCE}
    return int(SELECTION_BOUND.enclose(values).lower)


STILL_ELIGIBLE = Obligation(
    "unqualified-eligible-at-threshold",
    "(false) on E the unqualified one of three providers is still eligible at m = M_i, and so may pass M_i: here with "
    "the highest estimate that E allows, for epsilon_i = 1/2, all three at m = M_i",
    eligibility()
    | only(good_event(), "qualities-concentrated")
    | assuming(
        two_qualified=all_of(QUALIFIED(_FIRST), QUALIFIED(_SECOND), ~equal(_FIRST, _SECOND)),
        gap=equal(QUALITY(_I), QUALITY_THRESHOLD - _GAP),
        in_range=all_of(every(within(0, QUALITY(_J), 1)), QUALITY_THRESHOLD <= 1),
        estimates_in_range=every(within(0, QUALITY_ESTIMATE(_J), 1)),
        equal_counts=every(equal(QUALITY_RADIUS(_J), enclosed_radius(threshold_count(), _PROVIDERS).upper)),
        highest_estimate=equal(QUALITY_ESTIMATE(_I), QUALITY(_I) + QUALITY_RADIUS(_I)),
    ),
    ELIGIBLE(_I),
)


def _is_excluded(model: Model) -> bool:
    """Whether the rules exclude the provider at m = M_i and M_i + 1, for every estimate that E allows.

    The highest, with the upper end of the radius, decides: a lower estimate or radius makes eligibility harder.
    """
    unqualified, threshold = model.values[("i",)], model.values[("quality_threshold",)]
    counts = (threshold_count(), threshold_count() + 1)
    radii = [enclosed_radius(count, _PROVIDERS).upper for count in counts]
    highest = [model.values["quality", unqualified] + radius for radius in radii]
    return not rules.eligible(highest, radii, threshold)


#: One provider, delta = 99/100: beta at 1 and at a slightly larger x.
_LARGE_CONFIDENCE, _SLIGHTLY_LARGER = Fraction(99, 100), Fraction(103, 100)
_RADIUS_AT_ONE, _RADIUS_AT_LARGER = constant("radius_at_one"), constant("radius_at_larger")
_AT_ONE, _AT_LARGER = (enclosed_radius(count, 1, _LARGE_CONFIDENCE) for count in (1, _SLIGHTLY_LARGER))
MONOTONE_FOR_ONE = Obligation(
    "radius-monotone-for-one-provider",
    "(false) beta decreases on [1, infinity) for N = 1 as well: here at 1 and 103/100, for delta = 99/100",
    assuming(
        at_one=within(_AT_ONE.lower, _RADIUS_AT_ONE, _AT_ONE.upper),
        at_larger=within(_AT_LARGER.lower, _RADIUS_AT_LARGER, _AT_LARGER.upper),
    ),
    _RADIUS_AT_LARGER <= _RADIUS_AT_ONE,
)


def _radius_grows(model: Model) -> bool:
    """Whether, for one provider, the enclosure of beta at 103/100 lies above that at 1, and both hold the model's."""
    inside = model.values[("radius_at_one",)] in _AT_ONE and model.values[("radius_at_larger",)] in _AT_LARGER
    return inside and _AT_ONE.upper < _AT_LARGER.lower


#: Two providers, each served 28 times, for c_max = 1: a state that runs reach.
_COUNT_AT_TARGET = 28
_EQUAL_COUNTS = every(equal(RADIUS(_J), _ends_with_two(_COUNT_AT_TARGET)[0]))
_AT_EQUAL_COUNTS = assuming(cost_bound=equal(COST_BOUND, 1), equal_counts=_EQUAL_COUNTS)


def _at_both_ends(model: Model, tag: str = "") -> tuple[_Replayed, ...]:
    """Return the auction of a model as the rules decide it at both ends of the radius for 28 selections."""
    return tuple(_auction(model, tag, [end] * model.providers) for end in _ends_with_two(_COUNT_AT_TARGET))


NEVER_NEGATIVE = Obligation(
    "payment-range-for-deviating-bids",
    "(false) an auction pays at least 0 under asmp:bounded-deviations alone, which does not repeat that bids lie in "
    "[0, c_max]; here after 28 selections of each of two providers, for c_max = 1",
    market()
    | AUCTION.definitions()
    | bids()
    | _AT_EQUAL_COUNTS
    | assuming(
        estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)), everybody_eligible=every(ELIGIBLE(_J))
    ),
    PAID >= 0,
)


def _pays_less_than_nothing(model: Model) -> bool:
    """Whether the winner of the rules' auction is paid less than 0, with bids within d_- of estimates in range."""
    pairs = zip(_column(model, "bid"), _column(model, "cost_estimate"), strict=True)
    underbid, overbid = model.values[("underbid",)], model.values[("overbid",)]
    allowed = all(-underbid <= bid - estimate <= overbid and estimate >= 0 for bid, estimate in pairs)
    ends = _at_both_ends(model)
    return allowed and model.providers == 2 and all(ran.winner in ran.winners and ran.paid < 0 for ran in ends)


def _what_is_paid(model: Model) -> dict[str, str]:
    """Return what the rules' auction pays, and what its radii follow from."""
    ran = _auction(model)
    fixed = {"confidence (delta)": CONFIDENCE, "selections of each provider": _COUNT_AT_TARGET}
    found = {"payment": ran.paid, "critical payment": ran.critical, **fixed}
    return {name: str(value) for name, value in found.items()}


#: Count of i* at an auction; its competitors are at the target g(t).
_COUNT_OF_OPTIMAL = 10**6
_LESS_THAN_TWO = Fraction(199, 100)
BAND_BELOW_TWO = Obligation(
    "payment-band-of-less-than-two-radii",
    "(false) c_(2) - 199/100 R <= pi_t in every auction after T_0, with truthful bids on E, for c_max = 1, N = 2",
    _AUCTION_OF_THE_LEMMAS
    | only(good_event(), "costs-concentrated")
    | assuming(
        cost_bound=equal(COST_BOUND, 1),
        everybody_qualified=every(ELIGIBLE(_J)),
        radius_of_optimal=equal(RADIUS(OPTIMAL), _ends_with_two(_COUNT_OF_OPTIMAL)[0]),
        radii_of_competitors=every(implies(is_competitor(_J), equal(RADIUS(_J), _ends_with_two(_COUNT_AT_TARGET)[0]))),
        target=equal(TARGET_RADIUS, _ends_with_two(_COUNT_AT_TARGET)[0]),
        # Costs of a mean at an end of [0, c_max] do not vary: their estimates could not be elsewhere.
        costs_can_vary=every(within(Fraction(1, 100), MEAN_COST(_J), Fraction(99, 100))),
        no_tie=every(implies(is_competitor(_J), AUCTION.adjusted(OPTIMAL) + Fraction(1, 100) <= AUCTION.adjusted(_J))),
    ),
    SECOND_COST - _LESS_THAN_TWO * TARGET_RADIUS <= PAID,
)


def _underpays(model: Model) -> bool:
    """Whether i* wins, alone, at less than c_(2) - 199/100 R, at every corner of the radii's enclosures.

    Adjusted bids and critical payment are linear in the radii, so what holds at the corners holds between them.
    """
    optimal, second = model.values[("optimal",)], model.values[("second_cost",)]
    corners = itertools.product(_ends_with_two(_COUNT_OF_OPTIMAL), _ends_with_two(_COUNT_AT_TARGET))
    return model.providers == 2 and all(
        (ran := _auction(model, radii=[own if k == optimal else rival for k in range(2)])).winners == (optimal,)
        and ran.critical < second - _LESS_THAN_TWO * rival
        for own, rival in corners
    )


#: The rival is known better: so P can lie above c_max.
_COUNT_OF_RIVAL = 112
STRICT_FOR_ANY_BID = Obligation(
    "one-step-strictly-worse-for-any-bid",
    "(false) lem:one-step c without the range of bids: a bid across P, above c_max, gives strictly less; here after 28 "
    "selections of i and 112 of its only rival, for c_max = 1",
    {name: h for name, h in STRICTLY_WORSE.hypotheses.items() if name != "deviation-in-range"}
    | assuming(
        cost_bound=equal(COST_BOUND, 1),
        own_radius=equal(RADIUS(_I), _ends_with_two(_COUNT_AT_TARGET)[0]),
        radius_of_rival=every(any_of(equal(_J, _I), equal(RADIUS(_J), _ends_with_two(_COUNT_OF_RIVAL)[0]))),
    )
    | assuming(others_in_range=every(any_of(equal(_J, _I), within(0, Auction("_truthful").bid(_J), COST_BOUND)))),
    STRICTLY_WORSE.goal,
)


def _loses_nothing(model: Model) -> bool:
    """Whether a bid above c_max and across P nets exactly what the estimate nets."""
    above = model.values[("deviation",)] > model.values[("cost_bound",)]
    corners = itertools.product(_ends_with_two(_COUNT_AT_TARGET), _ends_with_two(_COUNT_OF_RIVAL))
    return above and _nets_the_same(model, corners)


def _nets_the_same(model: Model, corners: Iterable[tuple[Fraction, Fraction]]) -> bool:
    """Whether estimate and deviation net the same, with winners that the rules allow, for radii of i and its rival."""
    one, estimate = model.values[("i",)], model.values[("estimate",)]
    if model.providers != 2:
        return False
    for own, rival in corners:
        radii = [own if k == one else rival for k in range(2)]
        runs = [_auction(model, tag, radii) for tag in ("_truthful", "_deviating")]
        gains = [ran.paid - estimate if ran.winner == one else Fraction(0) for ran in runs]
        if gains[0] != gains[1] or any(ran.winner not in ran.winners for ran in runs):
            return False
    return True


_GAMMA = Fraction(1)
#: Counts of both at an auction without widening.
_COUNT_UNWIDENED = 10**4
WIDENING_NECESSARY = Obligation(
    "no-guarantee-without-widening",
    "(false) where optimism fails for want of widening (gamma = 1), an auction after T_0 does not both go to i* and "
    "pay within c_(2) - 3 (1 + gamma) R and c_(2) + (1 + gamma) R; for c_max = 1, N = 2",
    _AUCTION_OF_THE_LEMMAS
    | concluded(
        "bayesian-estimate-concentrated",
        concentrated=every(
            within(-(1 + _GAMMA) * RADIUS(_J), COST_ESTIMATE(_J) - MEAN_COST(_J), (1 + _GAMMA) * RADIUS(_J))
        ),
    )
    | assuming(
        optimism_fails=AUCTION.adjusted(OPTIMAL) > MEAN_COST(OPTIMAL),
        cost_bound=equal(COST_BOUND, 1),
        everybody_qualified=every(ELIGIBLE(_J)),
        radii=every(equal(RADIUS(_J), _ends_with_two(_COUNT_UNWIDENED)[0])),
        target=equal(TARGET_RADIUS, _ends_with_two(_COUNT_UNWIDENED)[0]),
    ),
    ~all_of(
        equal(WINNER, OPTIMAL),
        within(SECOND_COST - 3 * (1 + _GAMMA) * TARGET_RADIUS, PAID, SECOND_COST + (1 + _GAMMA) * TARGET_RADIUS),
    ),
)


def _converges_without_widening(model: Model) -> bool:
    """Whether i* wins in the band of payments though its adjusted bid is above its mean cost, at every corner."""
    optimal, second = model.values[("optimal",)], model.values[("second_cost",)]
    above_mean = model.values["bid", optimal] - model.values["mean_cost", optimal]
    widened = 1 + _GAMMA
    for radius in _ends_with_two(_COUNT_UNWIDENED):
        ran = _auction(model, radii=[radius] * model.providers)
        in_band = second - 3 * widened * radius <= ran.paid <= second + widened * radius
        if above_mean <= radius or ran.winner != optimal or optimal not in ran.winners or not in_band:
            return False
    return True


_MAY_WIN = Auction("_truthful").winner, Auction("_deviating").winner
STRICT_AT_TIES = Obligation(
    "one-step-strictly-worse-at-ties",
    "(false) any deviation that changes whether i is assigned the query gives strictly less, as the text after "
    "thm:robust-dominant says: also where the estimate is the critical payment; here for an estimate of 1/2 and a "
    "deviation of 3/4, after 28 selections of each of two providers, for c_max = 1",
    {name: h for name, h in STRICTLY_WORSE.hypotheses.items() if name != "straddles"}
    | _AT_EQUAL_COUNTS
    | assuming(
        assignment_changes=~equal(equal(_MAY_WIN[0], _I), equal(_MAY_WIN[1], _I)),
        numbers=all_of(equal(ESTIMATE, Fraction(1, 2)), equal(DEVIATION, Fraction(3, 4))),
    ),
    STRICTLY_WORSE.goal,
)


def _nets_the_same_at_a_tie(model: Model) -> bool:
    """Whether the deviation changes the assignment, possibly by the tie's break, and nets what the estimate nets."""
    one = model.values[("i",)]
    assigned = [model.values[(f"winner{tag}",)] == one for tag in ("_truthful", "_deviating")]
    # Equal counts have one radius.
    return assigned[0] != assigned[1] and _nets_the_same(
        model, ((end, end) for end in _ends_with_two(_COUNT_AT_TARGET))
    )


_RULES = "mechanism.rules on exact fractions"
_RULES_AND_RADII = f"{_RULES}, at both rational ends of each confidence radius"
#: What is false, in the order of the paper's labels in the appendices.
COUNTEREXAMPLES = (
    Counterexample(
        label="lem:forced-exploration-bound:any-g",
        says="with g(T) <= 0 nobody is explored, and 0 is more than ceil(g(T)) - 1",
        obligation=EXPLORATION_CAP,
        replay=_explores_nobody,
        replayed_with=_RULES,
    ),
    Counterexample(
        label="cor:eventual-ordinary-optimality:not-vacuous",
        says="at m = M_i an unqualified provider is ineligible for every estimate that E allows, so m never exceeds "
        "M_i, and the corollary's condition never holds while a provider is unqualified",
        obligation=STILL_ELIGIBLE,
        replay=_is_excluded,
        replayed_with=_RULES_AND_RADII,
    ),
    Counterexample(
        label="lem:radius-monotone:one-provider",
        says="for one provider and delta = 99/100, beta(103/100) > beta(1)",
        obligation=MONOTONE_FOR_ONE,
        replay=_radius_grows,
        replayed_with="rational ends of beta (no auction: Algorithm 1 has N >= 2)",
    ),
    Counterexample(
        label="lem:payment-range:under-deviations",
        says="a gap of wording: bids below 0, which Section 2 excludes and asmp:bounded-deviations alone does not, "
        "make a payment below 0; with bids in [0, c_max] the lemma holds",
        obligation=NEVER_NEGATIVE,
        replay=_pays_less_than_nothing,
        replayed_with=_RULES_AND_RADII,
        derived=_what_is_paid,
    ),
    Counterexample(
        label="lem:two-sided-payment:below-two-radii",
        says="2 radii cannot be 199/100: m = 10^6 for i*, 28 = g(t) for its competitor",
        obligation=BAND_BELOW_TWO,
        replay=_underpays,
        replayed_with=_RULES_AND_RADII,
    ),
    Counterexample(
        label="lem:one-step:any-bid",
        says="part c needs bids of at most c_max: with an estimate of c_max a bid above nets the same, 0",
        obligation=STRICT_FOR_ANY_BID,
        replay=_loses_nothing,
        replayed_with=_RULES_AND_RADII,
    ),
    Counterexample(
        label="thm:robust-dominant:strict-at-ties",
        says="where the estimate is the critical payment, 1/2, and the rival bids 1/2, a bid of 3/4 loses the query, "
        "and both net 0",
        obligation=STRICT_AT_TIES,
        replay=_nets_the_same_at_a_tie,
        replayed_with=_RULES_AND_RADII,
    ),
    Counterexample(
        label="claim:widening-necessary:for-convergence",
        says="without widening, and without optimism, an auction still goes to i* and pays within the band (that every "
        "one does is claim:widening-necessary:repaired)",
        obligation=WIDENING_NECESSARY,
        replay=_converges_without_widening,
        replayed_with=_RULES_AND_RADII,
    ),
)


def labels_with_counterexamples() -> tuple[str, ...]:
    """Return the labels of the false wordings, and of the claims that they are variants of, in alphabetical order.

    Examples
    --------
    >>> {"lem:one-step", "lem:one-step:any-bid"} <= set(labels_with_counterexamples())
    True
    """
    return tuple(sorted({name for one in COUNTEREXAMPLES for name in (one.label, one.label.rpartition(":")[0])}))


def find_counterexamples(labels: Collection[str] | None = None, *, fresh: bool = False) -> tuple[Refuted, ...]:
    """Let the solvers find numbers that refute each false statement, and replay them.

    Parameters
    ----------
    labels : collection of str, optional
        Only what concerns these claims: their own wordings, and variants of them. All by default.
    fresh : bool, optional
        Find them again, also where an earlier run of the same program did.

    Raises
    ------
    InputError
        A solver is not installed.
    """
    concerned = [wanted for wanted in COUNTEREXAMPLES if labels is None or _concerns(wanted, labels)]

    def make() -> tuple[tuple[Lemma, bool], ...]:
        return tuple(map(_found, concerned))

    names = [wanted.obligation.name for wanted in concerned]
    found, _ = kept_finding(
        "counterexamples",
        *names,
        *installed(),
        make=make,
        keep=lambda all_: all(shown for _, shown in all_),
        fresh=fresh,
    )
    return tuple(
        Refuted(counterexample=wanted, lemma=lemma, replayed=replayed)
        for wanted, (lemma, replayed) in zip(concerned, found, strict=True)
    )


def with_counterexamples(report: ProveReport, *, fresh: bool = False) -> ProveReport:
    """Return a report with what refutes false wordings of its claims; as it is where a solver is not installed.

    Parameters
    ----------
    report : ProveReport
    fresh : bool, optional
        As of `find_counterexamples`.
    """
    if set(installed()) != set(SOLVERS):
        return report
    return replace(report, refuted=find_counterexamples({claim.proof.label for claim in report.claims}, fresh=fresh))


def _concerns(wanted: Counterexample, labels: Collection[str]) -> bool:
    """Whether a false wording, or the claim that it is a variant of, is among some labels."""
    return wanted.label in labels or wanted.label.rpartition(":")[0] in labels


def _found(wanted: Counterexample) -> tuple[Lemma, bool]:
    """Return what the solvers say of a false statement, and whether the numbers that refute it are replayed."""
    lemma = prove_lemma(wanted.obligation)
    model = lemma.counterexample
    return lemma, lemma.verdict is Verdict.REFUTED and model is not None and wanted.replay(model)
