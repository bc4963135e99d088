"""Which of several failed checks names the defect best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: That an old bid still moves answers, or that a winner's own bid moves its payment, is no consequence of another
#: defect, and the counterexample says so.
_PROOFS = ("past-bids", "own-bid-independence")
#: What compares every answer with one rule, the special before what many defects break.
_RULES = (
    "bid-independence",
    "continued-exploration",
    "best-provider",
    "feedback-recovery",
    "quality-threshold",
    "initialization-order",
    "initialization-payment",
    "exploration-payment",
    "empty-payment",
    "eligibility",
    "exploration-set",
    "index-minimizer",
    "critical-payment",
    "lone-payment",
)
#: What compares every answer with all rules, or with several: their names say where it was seen, not what is broken.
_GENERAL = ("standing-bids", "widened-radius", "state-estimates", "long-run", "whole-interactions")
#: Rules whose failure is a count of draws; another rule that is broken may be what makes them uneven.
_DRAWS = ("exploration-draw", "empty-draw")

#: The checks that show best that a part of the rules is another; parts are those of `mechanism.replay.RuleTable`.
_RADIUS = ("critical-payment", "index-minimizer", "eligibility", "widened-radius", "state-estimates")
_QUALITY = ("eligibility", "state-estimates", "exploration-set", "empty-payment", "lone-payment")
_EXPLORATION = ("exploration-set", "exploration-payment", "exploration-draw", "index-minimizer", "critical-payment")
_SHOWN_BY: Mapping[str, Sequence[str]] = {
    "late": ("long-run",),
    "drawn": _DRAWS,
    **dict.fromkeys(("price", "rivals", "cap"), ("critical-payment", "lone-payment")),
    **dict.fromkeys(("n", "radius", "width", "price_width"), _RADIUS),
    **dict.fromkeys(("estimate", "hoped", "screened"), _QUALITY),
    **dict.fromkeys(("goal", "tally", "behind"), _EXPLORATION),
    **dict.fromkeys(("ranked", "index"), ("index-minimizer", "monotone-allocation", "critical-payment")),
    "bid": ("standing-bids", "past-bids", "index-minimizer", "critical-payment"),
}


def rank(name: str, group: str, length: int, parts: Sequence[str]) -> tuple[int, ...]:
    """Return what failed checks are sorted by: the first one names the defect best.

    Contract; what shows a diagnosis; what proves a cause; the rule broken soonest; uneven draws; the economics.

    Parameters
    ----------
    name, group : str
        Of a check.
    length : int
        Steps of its counterexample before the one in question.
    parts : sequence of str
        The parts of the rules that a diagnosis says are others.
    """
    if group == "contract":
        return (0,)
    shown = [each for part in parts for each in _SHOWN_BY.get(part, ())]
    soonest = ((shown, False), (_PROOFS, False), (_RULES, True), (_GENERAL, True), (_DRAWS, False))
    for tier, (names, by_length) in enumerate(soonest, 1):
        if name in names:
            return tier, length * by_length, names.index(name)
    return (len(soonest) + 1,)
