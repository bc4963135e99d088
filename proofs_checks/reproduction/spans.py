"""One run of a published setting, cut into the spans of steps that the paper's tables speak of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bounds.published import PublishedSetting
from mechanism.metrics.measures import Span, identified
from mechanism.metrics.tally import ProviderField as By
from mechanism.metrics.tally import RunField as Overall
from mechanism.metrics.tally import Tally


def checkpoints(paper: PublishedSetting) -> tuple[int, ...]:
    """Return the steps after which the tables need totals, increasing: N, K, 5000, 10000, T_id, T - K and T.

    Examples
    --------
    >>> from bounds.published import published
    >>> checkpoints(published("gpqa-strong"))
    (4, 546, 5000, 10000, 69454, 70000)
    """
    first, one_pass, last = paper.setting.n_providers, paper.questions, paper.horizon
    wanted = {first, one_pass, 5000, 10000, paper.printed["T_id"], last - one_pass, last}
    return tuple(sorted(step for step in wanted if step <= last))


@dataclass(frozen=True)
class PaperSpan(Span):
    """The totals of a run over the steps first + 1, ..., last, and what the tables make of them.

    Parameters
    ----------
    setting, tally, first, last
        As for `mechanism.metrics.measures.Span`.
    paper : PublishedSetting
    """

    paper: PublishedSetting

    def per_ordinary_step(self, amount: float) -> float:
        """Return an amount divided by the number of non-exploration steps after initialization."""
        return ratio(amount, self.total(By.ORDINARY))

    def of_others(self, field: By) -> float:
        """Return the total of all providers but i*."""
        return self.total(field) - self.of_optimal(field)

    @property
    def query_price(self) -> float:
        """Total price of the queries at the listed rates."""
        return (1 + self.paper.margin) * self.total(By.COST)

    @property
    def exploration_payment(self) -> float:
        """Total paid for exploration steps, c_max each."""
        return self.setting.platform.cost_bound * self.total(By.EXPLORATIONS)

    @property
    def margin(self) -> float:
        """Mean of pi_t over the winner's mean cost, minus 1, over non-exploration steps."""
        costs = np.array([provider.mean_cost for provider in self.setting.providers])
        return self.per_ordinary_step(float((self.each(By.ORDINARY_PAYMENT) / costs).sum())) - 1.0


@dataclass(frozen=True)
class Outcome:
    """One run of one policy, cut into the spans that the tables speak of.

    Parameters
    ----------
    paper : PublishedSetting
    tally : Tally
        With the steps of `checkpoints`.
    """

    paper: PublishedSetting
    tally: Tally

    def _span(self, first: int, last: int) -> PaperSpan:
        return PaperSpan(self.paper.setting, self.tally, first, last, self.paper)

    @property
    def one_pass(self) -> PaperSpan:
        """The first K steps: a longer horizon leaves them unchanged."""
        return self._span(0, self.paper.questions)

    @property
    def rest_of_pass(self) -> PaperSpan:
        """The first K steps without the N of initialization."""
        return self._span(self.paper.setting.n_providers, self.paper.questions)

    @property
    def long(self) -> PaperSpan:
        """All T steps."""
        return self._span(0, self.paper.horizon)

    @property
    def rest_of_long(self) -> PaperSpan:
        """The T - N steps after initialization."""
        return self._span(self.paper.setting.n_providers, self.paper.horizon)

    @property
    def window(self) -> PaperSpan:
        """The last K steps: the tables' moving averages at T."""
        return self._span(self.paper.horizon - self.paper.questions, self.paper.horizon)

    def identified(self, step: int) -> float:
        """Return 1.0 if i* has strictly more selections than every other provider after a step, else 0.0."""
        return identified(self.paper.setting, self.tally.provider(By.SELECTIONS, step))

    def good_event(self, step: int) -> float:
        """Return 1.0 if no estimate has left its confidence band up to a step, else 0.0."""
        return float(self.tally.run(Overall.BAND_VIOLATIONS, step) == 0)


def ratio(part: float, whole: float) -> float:
    """Return part / whole, 0 if there is nothing to divide.

    Examples
    --------
    >>> ratio(1.0, 4.0), ratio(0.0, 0.0)
    (0.25, 0.0)
    """
    return part / whole if whole else 0.0
