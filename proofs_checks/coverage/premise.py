"""Whether the scores and costs of a run could have been drawn independently, as the good event assumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bounds.setting.model import Setting
from mechanism.comparison.independence import log_capital, rejected_after
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import OutcomeLaws
from mechanism.market.market import MarketLaws, market_laws
from mechanism.trace import Trace

#: A right premise is ever rejected with this probability at most, of scores and of costs each.
FALSE_ALARM = 1e-6
#: Queries of the run that is looked at.
PREMISE_QUERIES = 70_000
Case = Literal["market", "fixed answers"]
#: Bands of difficulty, as a power of two, that make a question decide whether it is answered rightly.
_FIXED = 16
#: Spread of a cost as a share of its mean, to bet by: a guess is enough.
_COST_SPREAD = 0.4


@dataclass(frozen=True, kw_only=True)
class PremiseWitness:
    """What one run says about the premise that scores and costs have their means whatever came before.

    Parameters
    ----------
    case : {"market", "fixed answers"}
        Whether the market is that of the setting, or one in which a question is always answered alike.
    queries : int
        Of the run.
    questions : int
        K, asked once each in every pass; 0 where queries are independent by construction.
    false_alarm : float
        Probability, at most, that a right premise is ever rejected, of scores and of costs each.
    scores_rejected_after, costs_rejected_after : int or None
        After how many queries the premise was rejected; None if it was not.
    """

    case: Case
    queries: int
    questions: int
    false_alarm: float
    scores_rejected_after: int | None
    costs_rejected_after: int | None

    def to_data(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


def premise_witnesses(setting: Setting, laws: MarketLaws | None = None, seed: int = 0) -> tuple[PremiseWitness, ...]:
    """Test the market of a setting and, where questions come in passes, one in which each is always answered alike."""
    market = market_laws(setting) if laws is None else laws
    found = [premise_witness(setting, laws=market, seed=seed)]
    if market.options.questions:
        fixed = market_laws(setting, **(vars(market.options) | {"score_difficulty_bits": _FIXED}))
        found.append(premise_witness(setting, laws=fixed, seed=seed, case="fixed answers"))
    return tuple(found)


def premise_witness(
    setting: Setting,
    *,
    laws: OutcomeLaws | None = None,
    queries: int = PREMISE_QUERIES,
    seed: int = 0,
    run: int = 0,
    error: float = FALSE_ALARM,
    case: Case = "market",
) -> PremiseWitness:
    """Bet against the premise on a run of the platform.

    Parameters
    ----------
    setting : Setting
    laws : OutcomeLaws, optional
        Default the setting's market.
    queries, seed, run : int, optional
        Of the run.
    error : float, optional
        Probability, at most, that a right premise is ever rejected.
    case : {"market", "fixed answers"}, optional
        What the laws are, for the reader.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> fixed = market_laws(setting, score_difficulty_bits=16)  # a question decides whether it is answered rightly
    >>> found = premise_witness(setting, laws=fixed)
    >>> found.questions, found.scores_rejected_after is not None
    (546, True)
    """
    source = market_laws(setting) if laws is None else laws
    trace = CompiledEpisode(setting, laws=source).trace(horizon=queries, seed=seed, run=run)
    questions = int(source.tables().questions)
    return witness_of(trace, setting, questions=questions, error=error, case=case)


def witness_of(
    trace: Trace, setting: Setting, *, questions: int, error: float = FALSE_ALARM, case: Case = "market"
) -> PremiseWitness:
    """Bet against the premise on a trace whose queries come in passes of so many questions.

    With no questions, passes of 1,000 queries are bet on: independent queries are no such passes.
    """
    served, size = trace.provider, questions or 1000
    quality, cost = (
        np.array([getattr(each, name) for each in setting.providers], dtype=np.float64)
        for name in ("quality", "mean_cost")
    )
    scores = log_capital(
        trace.score, quality[served], np.sqrt(quality * (1 - quality))[served], largest=1.0, questions=size
    )
    costs_rejected = None
    if trace.cost is not None:
        costs = log_capital(
            trace.cost, cost[served], (_COST_SPREAD * cost)[served], largest=setting.platform.cost_bound, questions=size
        )
        costs_rejected = rejected_after(costs, error)
    return PremiseWitness(
        case=case,
        queries=len(trace),
        questions=questions,
        false_alarm=error,
        scores_rejected_after=rejected_after(scores, error),
        costs_rejected_after=costs_rejected,
    )
