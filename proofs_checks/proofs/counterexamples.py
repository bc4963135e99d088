"""Counterexamples to false statements: found by a solver, replayed with `mechanism.rules` in exact fractions.

What a solver finds is not believed: `prove_lemma` evaluates the formulas at its numbers, and a replay lets the rules of
the mechanism decide the auction anew. Where a number is a confidence radius, the replay takes both rational ends that
enclose it, so that what it says holds of the irrational radius.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechanism import rules
from proofs_checks.proofs import false_statements as false
from proofs_checks.proofs.language.lemma import Lemma, prove_lemma
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.verdict import Verdict


@dataclass(frozen=True)
class Counterexample:
    """A false statement, and how numbers that refute it are replayed.

    Parameters
    ----------
    label : str
        Of the claim that says too much, or would if its constant were better or a condition were dropped.
    says : str
        What the numbers show.
    obligation : Obligation
        The false statement: its hypotheses and the negation of its goal have a model.
    replay : callable
        From a model to whether the mechanism refutes the statement at its numbers.
    replayed_with : str
        What decides in the replay.
    """

    label: str
    says: str
    obligation: Obligation
    replay: Callable[[Model], bool]
    replayed_with: str


@dataclass(frozen=True)
class Refuted:
    """What became of a counterexample.

    Parameters
    ----------
    counterexample : Counterexample
    lemma : Lemma
        `REFUTED` with a model, if the solvers found one.
    replayed : bool
        Whether the mechanism refutes the statement at the model's numbers.
    """

    counterexample: Counterexample
    lemma: Lemma
    replayed: bool

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data; fractions as text."""
        found = self.lemma.to_data()
        return {
            "label": self.counterexample.label,
            "obligation": found["name"],
            "false_statement": found["says"],
            "says": self.counterexample.says,
            "verdict": found["verdict"],
            "found": found["reason"],
            "replayed": self.replayed,
            "replayed_with": self.counterexample.replayed_with,
            "numbers": found["counterexample"],
        }


def find_counterexamples(labels: Collection[str] | None = None) -> tuple[Refuted, ...]:
    """Let the solvers find numbers that refute each false statement, and replay them.

    Parameters
    ----------
    labels : collection of str, optional
        Only what concerns these claims; all by default.

    Raises
    ------
    InputError
        A solver is not installed.
    """
    return tuple(_found(wanted) for wanted in COUNTEREXAMPLES if labels is None or wanted.label in labels)


def _found(wanted: Counterexample) -> Refuted:
    lemma = prove_lemma(wanted.obligation)
    model = lemma.counterexample
    refuted = lemma.verdict is Verdict.REFUTED and model is not None
    return Refuted(wanted, lemma, refuted and model is not None and wanted.replay(model))


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


def _ends(count: int) -> tuple[Fraction, Fraction]:
    found = false.enclosed_radius(count, 2)
    return found.lower, found.upper


def _underpays(model: Model) -> bool:
    """Whether i* wins, alone, at less than c_(2) - 199/100 R, at every corner of the radii's enclosures.

    Adjusted bids and critical payment are linear in the radii, so what holds at the corners holds between them.
    """
    optimal, second = model.values[("optimal",)], model.values[("second_cost",)]
    corners = itertools.product(_ends(false.COUNT_OF_OPTIMAL), _ends(false.COUNT_AT_TARGET))
    return model.providers == 2 and all(
        (ran := _auction(model, radii=[own if k == optimal else rival for k in range(2)])).winners == (optimal,)
        and ran.critical < second - false.LESS_THAN_TWO * rival
        for own, rival in corners
    )


def _pays_less_than_nothing(model: Model) -> bool:
    """Whether the winner of the rules' auction is paid less than 0, with bids within d_- of estimates in range."""
    pairs = zip(_column(model, "bid"), _column(model, "cost_estimate"), strict=True)
    underbid, overbid = model.values[("underbid",)], model.values[("overbid",)]
    allowed = all(-underbid <= bid - estimate <= overbid and estimate >= 0 for bid, estimate in pairs)
    ran = _auction(model)
    return allowed and ran.winner in ran.winners and bool(ran.paid < 0)


def _explores_nobody(model: Model) -> bool:
    """Whether a constant g of the model's value explores nobody, which is more than ceil(g) - 1 times."""
    target = model.values[("target_at_end",)]
    able, adjusted, counts, explorations = (0, 1), [Fraction(0)] * 2, [1, 1], 0
    for _ in range(10):
        allocation = rules.allocate(able, counts, target, adjusted)
        explorations += allocation.kind == "exploration"
        counts[allocation.candidates[0]] += 1
    return bool(explorations == model.values[("explorations",)]) and explorations > math.ceil(target) - 1


def _is_excluded(model: Model) -> bool:
    """Whether the rules exclude the provider at m = M_i and M_i + 1, for every estimate that E allows.

    The highest, with the upper end of the radius, decides: a lower estimate or radius makes eligibility harder.
    """
    provider, threshold = model.values[("i",)], model.values[("quality_threshold",)]
    counts = (false.threshold_count(), false.threshold_count() + 1)
    radii = [false.enclosed_radius(count, false.PROVIDERS).upper for count in counts]
    highest = [model.values["quality", provider] + radius for radius in radii]
    return not rules.eligible(highest, radii, threshold)


def _converges_without_widening(model: Model) -> bool:
    """Whether i* wins in the band of payments though its adjusted bid is above its mean cost, at every corner."""
    optimal, second = model.values[("optimal",)], model.values[("second_cost",)]
    above_mean = model.values["bid", optimal] - model.values["mean_cost", optimal]
    widened = 1 + false.GAMMA
    for radius in _ends(false.EQUAL_COUNTS):
        ran = _auction(model, radii=[radius] * model.providers)
        in_band = second - 3 * widened * radius <= ran.paid <= second + widened * radius
        if above_mean <= radius or ran.winner != optimal or optimal not in ran.winners or not in_band:
            return False
    return True


def _loses_nothing(model: Model) -> bool:
    """Whether a bid above c_max and across P nets exactly what the estimate nets."""
    provider, estimate, deviation = (model.values[(name,)] for name in ("i", "estimate", "deviation"))
    truthful, deviating = (_auction(model, tag) for tag in ("_truthful", "_deviating"))
    gains = [ran.paid - estimate if ran.winner == provider else Fraction(0) for ran in (truthful, deviating)]
    possible = all(ran.winner in ran.winners for ran in (truthful, deviating))
    return possible and deviation > model.values[("cost_bound",)] and gains[0] == gains[1]


def _radius_grows(model: Model) -> bool:
    """Whether, for one provider, the enclosure of beta at 103/100 lies above that at 1, and both hold the model's."""
    at_one = false.enclosed_radius(1, 1, false.LARGE_CONFIDENCE)
    at_larger = false.enclosed_radius(false.SLIGHTLY_LARGER, 1, false.LARGE_CONFIDENCE)
    inside = model.values[("radius_at_one",)] in at_one and model.values[("radius_at_larger",)] in at_larger
    return inside and at_one.upper < at_larger.lower


_RULES = "mechanism.rules on exact fractions"
_RULES_AND_RADII = f"{_RULES}, at both rational ends of each confidence radius"

#: What is false, in the order of the paper's labels in the appendices.
COUNTEREXAMPLES = (
    Counterexample(
        "lem:forced-exploration-bound",
        "with g(T) <= 0 nobody is explored, and 0 is more than ceil(g(T)) - 1",
        false.EXPLORATION_CAP,
        _explores_nobody,
        _RULES,
    ),
    Counterexample(
        "cor:eventual-ordinary-optimality",
        "at m = M_i an unqualified provider is ineligible for every estimate that E allows, so m never exceeds M_i and "
        "the corollary's condition never holds",
        false.STILL_ELIGIBLE,
        _is_excluded,
        _RULES_AND_RADII,
    ),
    Counterexample(
        "lem:radius-monotone",
        "for one provider and delta = 99/100, beta(103/100) > beta(1)",
        false.MONOTONE_FOR_ONE,
        _radius_grows,
        "rational ends of beta (no auction: Algorithm 1 has N >= 2)",
    ),
    Counterexample(
        "lem:payment-range",
        "bids below 0 that asmp:bounded-deviations allows make a payment below 0",
        false.NEVER_NEGATIVE,
        _pays_less_than_nothing,
        _RULES,
    ),
    Counterexample(
        "lem:two-sided-payment",
        "2 radii cannot be 199/100: m = 10^6 for i*, 28 = g(t) for its competitor",
        false.BAND_BELOW_TWO,
        _underpays,
        _RULES_AND_RADII,
    ),
    Counterexample(
        "lem:one-step",
        "part c needs bids of at most c_max: with an estimate of c_max a bid above nets the same, 0",
        false.STRICT_FOR_ANY_BID,
        _loses_nothing,
        _RULES,
    ),
    Counterexample(
        "claim:widening-necessary",
        "without widening, and without optimism, an auction still goes to i* and pays within the band (that every one "
        "does is claim:widening-necessary:repaired)",
        false.WIDENING_NECESSARY,
        _converges_without_widening,
        _RULES_AND_RADII,
    ),
)
