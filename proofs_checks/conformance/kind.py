"""What kind of mechanism somebody's seems to be, from how it answers where bids or scores are others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bounds.documents import Document, key
from mechanism.config import MechanismConfig
from proofs_checks.conformance.descriptions import Profile
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.oracle.rule_oracle import money_rounding

#: Steps of each interaction after initialization, and the seed of the mechanism's generator.
_STEPS, _SEED = 90, 20_264
#: What three providers bid (in c_max) and score in every query; further ones do alike.
_BIDS, _SCORES = (0.3, 0.5, 0.7), (1.0, 1.0, 1.0)
#: In their place: the same order, and each provider in turn with a bid that changes it, or with scores of 0.
_OTHER_BIDS = ((0.03, 0.05, 0.07), (0.9, 0.5, 0.7), (0.3, 0.1, 0.7), (0.3, 0.5, 0.1))
_OTHER_SCORES = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
#: Compares two lists of answers, with what equal payments may differ by.
_Differ = Callable[[Sequence[Answer], Sequence[Answer], float], bool]
#: Some exploration, and auctions in which scores of 0 are below the threshold after a few queries.
_CONFIG = usual_config(n_providers=3, quality_threshold=0.5, confidence=0.9, exploration_scale=0.5)


@dataclass(frozen=True, kw_only=True)
class Observations(Document):
    """What a mechanism was seen to do after initialization, in a few interactions with other bids and other scores.

    Parameters
    ----------
    repeatable : bool
        Whether the same seed and history gave the same answers; if not, nothing is known of what changes them.
    bids_move_payments : bool or None
        Whether another bid changed what the same provider is paid.
    bids_move_winners : bool or None
        Whether another bid changed who serves.
    pays_own_bid : bool
        Whether each payment was the winner's own bid, or c_max.
    fixed_prices : bool
        Whether each provider was paid the same for every query, under all bids that were tried.
    scores_move_answers : bool or None
        Whether other scores changed who serves or what is paid.
    payments : tuple of float
        The different payments, as shares of c_max, in increasing order.
    """

    repeatable: bool
    bids_move_payments: bool | None
    bids_move_winners: bool | None
    pays_own_bid: bool
    fixed_prices: bool
    scores_move_answers: bool | None
    payments: tuple[float, ...]

    @property
    def kind(self) -> Profile | None:
        """The profile that fits such a mechanism; None if nothing is known of its payments."""
        if self.bids_move_payments:
            return "auction"
        if self.payments in ((0.0,), (1.0,)):
            return "router"
        return "posted-price" if self.fixed_prices else None

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles that fit: posted prices that learn are a router, too. Empty if nothing is known of payments."""
        if self.kind is None:
            return ()
        return (self.kind, "router") if self.kind == "posted-price" and self.scores_move_answers else (self.kind,)

    @key
    def sentence(self) -> str:
        """What it seems to be, in two sentences.

        Examples
        --------
        >>> from mechanism.platform import reference_mechanism
        >>> from proofs_checks.conformance.play.subject import Subject
        >>> observed(Subject(reference_mechanism, "reference")).sentence
        'This seems to be an auction: bids change who serves and what is paid. It learns from scores.'
        """
        seems = f"This seems to be {self._seems}." if self.kind else "It is not clear what kind of mechanism this is."
        if not self.repeatable:
            return f"{seems} It answers the same seed and history in different ways."
        learns = "It learns from scores" if self.scores_move_answers else "No score changed an answer"
        return f"{seems} {learns}."

    @property
    def _seems(self) -> str:
        serves = {True: ", and bids change who serves", False: ", and no bid changes who serves", None: ""}
        match self.kind:
            case "auction" if self.pays_own_bid:
                return "a first-price auction: whoever serves is paid its own bid"
            case "auction":
                return f"an auction: bids change {'who serves and ' if self.bids_move_winners else ''}what is paid"
            case "router":
                pays = "nothing" if self.payments == (0.0,) else "c_max for every query"
                return f"a router without payments: it pays {pays}{serves[self.bids_move_winners]}"
            case _:
                paid = "no bid changes what a provider is paid"
                return f"a posted-price mechanism: {paid}{serves[self.bids_move_winners]}"


def observed(subject: AnySubject) -> Observations | None:
    """Return what a mechanism does where bids or scores are others; None if it fails to answer within its domain.

    Payments are compared as long as the same providers serve.
    """
    config = subject.domain.config(replace(_CONFIG, n_providers=max(3, subject.domain.least_eligible + 1)))
    try:
        base, again = (_answers(subject, config, _BIDS, _SCORES) for _ in range(2))
        by_bids = [_answers(subject, config, bids, _SCORES) for bids in _OTHER_BIDS]
        by_scores = [_answers(subject, config, _BIDS, scores) for scores in _OTHER_SCORES]
    except MechanismError:
        return None  # the checks tell of it
    n, bound, rounding, repeatable = config.n_providers, config.cost_bound, money_rounding(config), base == again
    prices = {(i, round(paid / bound, 9)) for answers in (base, *by_bids) for i, paid in answers[n:]}
    below = [(i, paid) for i, paid in base[n:] if paid < bound - rounding]

    def moved(others: list[list[Answer]], *differ: _Differ) -> bool | None:
        return any(each(base, other, rounding) for each in differ for other in others) if repeatable else None

    return Observations(
        repeatable=repeatable,
        bids_move_payments=moved(by_bids, _payments_differ),
        bids_move_winners=moved(by_bids, _winners_differ),
        pays_own_bid=bool(below) and all(abs(paid - _BIDS[i % 3] * bound) <= rounding for i, paid in below),
        fixed_prices=len(prices) == len({i for i, _ in prices}),
        scores_move_answers=moved(by_scores, _winners_differ, _payments_differ),
        payments=tuple(sorted({share for _, share in prices})),
    )


def _answers(
    subject: AnySubject, config: MechanismConfig, bids: Sequence[float], scores: Sequence[float]
) -> list[Answer]:
    """Return the answers to providers that always bid and score the same."""
    mechanism, domain = subject.start(config, _SEED), subject.domain
    alike = [(domain.score(score), bid * config.cost_bound) for score, bid in zip(scores, bids, strict=True)]
    steps = config.n_providers + _STEPS
    answers = mechanism.serve([[alike[i % 3]] * steps for i in range(config.n_providers)], steps)
    mechanism.finish()
    return answers


def _winners_differ(base: Sequence[Answer], other: Sequence[Answer], rounding: float) -> bool:
    return any(winner != another for (winner, _), (another, _) in zip(base, other, strict=False))


def _payments_differ(base: Sequence[Answer], other: Sequence[Answer], rounding: float) -> bool:
    """Return whether payments differ before others serve."""
    alike = itertools.takewhile(lambda pair: pair[0][0] == pair[1][0], zip(base, other, strict=False))
    return any(abs(paid - paid_then) > rounding for (_, paid), (_, paid_then) in alike)
