"""What every number of the paper's tables means: spans of the steps of a run, and what is measured on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from bounds.published import PublishedSetting
from mechanism.metrics.measures import Span, leads
from mechanism.metrics.tally import ProviderField as By, RunField as Overall, Tally
from mechanism.policy_names import POLICY_TITLES

#: The routing policies as the tables name them.
POLICY_ROWS: Mapping[str, str] = MappingProxyType({title: policy for policy, title in POLICY_TITLES.items()})
OTHERS = "All providers other than i^*"


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
    """The totals of a run over the steps first + 1, ..., last, and what the tables of `paper` make of them."""

    paper: PublishedSetting

    def per_ordinary_step(self, amount: float) -> float:
        """Return an amount divided by the number of non-exploration steps after initialization."""
        return ratio(amount, self.total(By.ORDINARY))

    def of_others(self, field: By) -> float:
        """Return the total of all providers but i*."""
        return float(self.total(field) - self.of_optimal(field))

    @property
    def query_price(self) -> float:
        """Total price of the queries at the listed rates."""
        return float((1 + self.paper.margin) * self.total(By.COST))

    @property
    def margin(self) -> float:
        """Mean of pi_t over the winner's mean cost, minus 1, over non-exploration steps."""
        costs = np.array([provider.mean_cost for provider in self.setting.providers])
        return self.per_ordinary_step(float((self.each(By.ORDINARY_PAYMENT) / costs).sum())) - 1.0


@dataclass(frozen=True)
class SettingRun:
    """One run of a published setting under one policy; the tally has the steps of `checkpoints`."""

    paper: PublishedSetting
    tally: Tally

    def span(self, extent: _Extent) -> PaperSpan:
        """Return the steps from after one milestone to another: after N steps, K, T - K or T."""
        setting, one_pass, end = self.paper.setting, self.paper.questions, self.paper.horizon
        steps = {"start": 0, "initialized": setting.n_providers, "pass": one_pass, "window": end - one_pass, "end": end}
        first, last = extent
        return PaperSpan(setting, self.tally, steps[first], steps[last], self.paper)

    def identified(self, step: int) -> float:
        """Return 1.0 if i* has strictly more selections than every other provider after a step, else 0.0."""
        return float(leads(self.paper.setting, self.tally.provider(By.SELECTIONS, step)))

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


#: What is measured on a span of steps, of a whole run, and of a provider in a run.
Measure = Callable[[PaperSpan], float]
Definition = Callable[[SettingRun], float]
ProviderDefinition = Callable[[SettingRun, int], float]
_Extent = tuple[str, str]

#: The first K steps, which a longer horizon leaves unchanged, and the same without the N of initialization.
_ONE_PASS, _REST_OF_PASS = ("start", "pass"), ("initialized", "pass")
#: All T steps, the T - N after initialization, and the last K: the tables' moving averages at T.
_LONG, _REST_OF_LONG, _WINDOW = ("start", "end"), ("initialized", "end"), ("window", "end")


def _on(extent: _Extent, measure: Measure) -> Definition:
    return lambda run: measure(run.span(extent))


def _of_provider(definition: ProviderDefinition, index: int) -> Definition:
    return lambda run: definition(run, index)


def _total(field: By | Overall) -> Measure:
    return lambda span: span.run(field) if isinstance(field, Overall) else span.total(field)


def _per_step(field: By | Overall) -> Measure:
    return lambda span: span.per_step(_total(field)(span))


def _per_ordinary_step(field: By | Overall) -> Measure:
    return lambda span: span.per_ordinary_step(_total(field)(span))


def _optimal_share(span: PaperSpan) -> float:
    return float(span.per_step(span.of_optimal(By.SELECTIONS)))


def _exploration_payment(span: PaperSpan) -> float:
    return float(span.per_step(span.setting.platform.cost_bound * span.total(By.EXPLORATIONS)))


def _exploration_share(served: Callable[[PaperSpan, By], float]) -> Measure:
    return lambda span: ratio(served(span, By.EXPLORATIONS), span.total(By.EXPLORATIONS))


_AUCTION_PAYMENT = _per_ordinary_step(By.ORDINARY_PAYMENT)
_OTHER_SELECTIONS = _on(_REST_OF_LONG, lambda span: span.of_others(By.SELECTIONS))

#: Columns of one pass and of the long run; those of the long run name regrets by t.
_ROUTING: Mapping[str, Measure] = {
    "Unqualified share": lambda span: span.per_step(span.of_unqualified(By.SELECTIONS)),
    "R_qual/{T}": lambda span: span.per_step(span.quality_regret),
    "R_gen/{T}": lambda span: span.per_step(span.generation_regret),
    "Share of i*": _optimal_share,
    "Generation cost": _per_step(By.COST),
    "Amount paid": _per_step(By.PAYMENT),
}
_COLUMNS: Mapping[str, Mapping[str, Definition]] = {
    "one-pass": {
        **{column.format(T="T"): _on(_ONE_PASS, measure) for column, measure in _ROUTING.items()},
        "Accuracy": _on(_ONE_PASS, _per_step(By.SCORE)),
    },
    "long": {
        **{column.format(T="t"): _on(_LONG, measure) for column, measure in _ROUTING.items()},
        "Moving avg": _on(_WINDOW, _optimal_share),
        "i* most selected": lambda run: run.identified(run.paper.horizon),
        "|Qhat|": lambda run: run.tally.run(Overall.ELIGIBLE, run.paper.horizon),
    },
}

#: Row by row: the measure, and the steps that stand for one pass (None: not printed) and for the long run.
_EXPLORATION: Mapping[str, tuple[Measure, _Extent | None, _Extent]] = {
    "Exploration steps (mean)": (_total(By.EXPLORATIONS), _ONE_PASS, _LONG),
    "Share of exploration steps after initialization": (_per_step(By.EXPLORATIONS), _REST_OF_PASS, _REST_OF_LONG),
    "Share of exploration steps at T (moving avg.)": (_per_step(By.EXPLORATIONS), None, _WINDOW),
    "Exploration-step payment per step": (_exploration_payment, _ONE_PASS, _WINDOW),
    "Exploration-step generation cost per step": (_per_step(Overall.EXPLORATION_COST), _ONE_PASS, _WINDOW),
    # A mean of the runs' ratios, not the ratio of means; cumulative also in the long run.
    "Share of exploration steps given to i^*": (_exploration_share(PaperSpan.of_optimal), _ONE_PASS, _LONG),
    "Share of exploration steps given to unqualified providers": (
        _exploration_share(PaperSpan.of_unqualified),
        _ONE_PASS,
        _LONG,
    ),
    r"Payment \pi_t at T, non-exploration steps (moving avg.)": (_AUCTION_PAYMENT, None, _WINDOW),
    r"Payment \pi_t at T, all steps (moving avg.)": (_per_step(By.PAYMENT), None, _WINDOW),
}

_GOOD_EVENT_OF_ABLATION = "Good event held, long run, no quality filter"
_DIAGNOSTICS: Mapping[str, Definition] = {
    "Selections of providers other than i^* after initialization (mean)": _OTHER_SELECTIONS,
    r"Runs in which i^* is the most selected provider at t = 5{,}000": lambda run: run.identified(5000),
    r"\quad at t = 10{,}000": lambda run: run.identified(10000),
    r"\quad at t = T_{\mathrm{id}}": lambda run: run.identified(run.paper.printed["T_id"]),
    r"\quad at t = T": lambda run: run.identified(run.paper.horizon),
    r"R_T^{\mathrm{qual}}, realized (mean)": _on(_LONG, lambda span: span.quality_regret),
    r"R_T^{\mathrm{gen}}, realized (mean)": _on(_LONG, lambda span: span.generation_regret),
    # "Without exploration" leaves the N payments of initialization in.
    r"E_T^{\mathrm{pay}} without the exploration steps, realized (mean)": _on(
        _LONG, lambda span: span.excess_without_exploration
    ),
    r"E_T^{\mathrm{pay}} incl. exploration steps, realized (mean)": _on(_LONG, lambda span: span.excess),
    "Good event held, one pass (runs)": lambda run: run.good_event(run.paper.questions),
    "Good event held, long run, platform": lambda run: run.good_event(run.paper.horizon),
    _GOOD_EVENT_OF_ABLATION: lambda run: run.good_event(run.paper.horizon),
    "Payment-bound violations, one pass (steps)": _on(_ONE_PASS, _total(Overall.PAYMENT_VIOLATIONS)),
}

_PAYMENTS: Mapping[str, tuple[_Extent, Measure]] = {
    "Generation cost per query, whole pass": (_ONE_PASS, _per_step(By.COST)),
    "Query price per query, whole pass": (_ONE_PASS, lambda span: span.per_step(span.query_price)),
    r"Payment \pi_t per query, whole pass": (_ONE_PASS, _per_step(By.PAYMENT)),
    "Generation cost per query, after initialization": (_REST_OF_PASS, _per_step(By.COST)),
    "Query price per query, after initialization": (_REST_OF_PASS, lambda span: span.per_step(span.query_price)),
    r"Payment \pi_t per query, after initialization": (_REST_OF_PASS, _per_step(By.PAYMENT)),
    "Winning bid, non-exploration steps": (_ONE_PASS, _per_ordinary_step(Overall.WINNING_BIDS)),
    r"Payment \pi_t per query, non-exploration steps": (_ONE_PASS, _AUCTION_PAYMENT),
    # Despite its name divided by K, not K - N.
    "Exploration-step payment per query, after initialization": (_ONE_PASS, _exploration_payment),
    "Share of exploration steps after initialization": (_REST_OF_PASS, _per_step(By.EXPLORATIONS)),
    r"Excess payment per step E_T^{\mathrm{pay}}/T, whole pass": (_ONE_PASS, lambda span: span.per_step(span.excess)),
    "Excess payment per query, non-exploration steps": (_ONE_PASS, _per_ordinary_step(Overall.ORDINARY_EXCESS)),
    "Mean provider payoff over the pass": (_ONE_PASS, lambda span: float(span.payoffs.mean())),
    "Lowest provider payoff over providers and runs": (_ONE_PASS, lambda span: float(span.payoffs.min())),
}

_MAIN: Mapping[str, Measure] = {
    "pay all": _per_step(By.PAYMENT),
    "pay non-expl": _AUCTION_PAYMENT,
    "margin %": lambda span: 100 * span.margin,
    "share": _optimal_share,
}

# In `printed.csv` a provider's selections count its initialization, as the tables of the paper do not.
_SELECTIONS: Mapping[str, ProviderDefinition] = {
    **dict.fromkeys(("mean", "max"), lambda run, i: float(run.span(_LONG).each(By.SELECTIONS)[i])),
    "exploration": lambda run, i: float(run.span(_LONG).each(By.EXPLORATIONS)[i]),
    "last selection": lambda run, i: float(run.span(_LONG).each(By.LAST_SELECTION)[i]),
}
_SELECTIONS_OF_OTHERS: Mapping[str, Definition] = {
    "mean": _OTHER_SELECTIONS,
    "exploration": _on(_LONG, lambda span: span.of_others(By.EXPLORATIONS)),
}

_PAYOFFS: Mapping[str, ProviderDefinition] = {
    "selections": lambda run, i: float(run.span(_ONE_PASS).each(By.SELECTIONS)[i]),
    **dict.fromkeys(("payoff mean", "payoff min", "payoff max"), lambda run, i: float(run.span(_ONE_PASS).payoffs[i])),
    "negative runs": lambda run, i: float(run.span(_ONE_PASS).payoffs[i] < 0),
}


def definitions(paper: PublishedSetting) -> dict[tuple[str, str, str], tuple[str, Definition]]:
    """Return, for every (table, row, column) of a setting, the policy and what its number aggregates over runs.

    Examples
    --------
    >>> from bounds.published import published
    >>> definitions(published("gpqa-strong"))["long", "Platform", "|Qhat|"][0]
    'platform'
    """
    found: dict[tuple[str, str, str], tuple[str, Definition]] = {}
    for row, policy in POLICY_ROWS.items():
        for table, columns in _COLUMNS.items():
            found.update({(table, row, column): (policy, definition) for column, definition in columns.items()})
    of_platform = _of_platform() | _of_providers(paper)
    found |= {key: ("platform", definition) for key, definition in of_platform.items()}
    found["diagnostics", _GOOD_EVENT_OF_ABLATION, ""] = "no-quality-filter", _DIAGNOSTICS[_GOOD_EVENT_OF_ABLATION]
    return found


def _of_platform() -> dict[tuple[str, str, str], Definition]:
    found: dict[tuple[str, str, str], Definition] = {}
    for row, (measure, one_pass, long) in _EXPLORATION.items():
        found["exploration", row, "long run"] = _on(long, measure)
        if one_pass is not None:
            found["exploration", row, "one pass"] = _on(one_pass, measure)
    found |= {("diagnostics", row, ""): definition for row, definition in _DIAGNOSTICS.items()}
    found |= {("payments", row, ""): _on(*meaning) for row, meaning in _PAYMENTS.items()}
    found |= {("main", row, ""): _on(_WINDOW, measure) for row, measure in _MAIN.items()}
    return found | {("selections", OTHERS, column): meaning for column, meaning in _SELECTIONS_OF_OTHERS.items()}


def _of_providers(paper: PublishedSetting) -> dict[tuple[str, str, str], Definition]:
    found: dict[tuple[str, str, str], Definition] = {}
    for index, provider in enumerate(paper.setting.providers):
        # Only the table of payoffs has a row for i*, and marks it.
        marked = f"{provider.name} (i^*)" if index == paper.setting.optimal else provider.name
        for table, row, columns in (("selections", provider.name, _SELECTIONS), ("payoffs", marked, _PAYOFFS)):
            found |= {(table, row, column): _of_provider(meaning, index) for column, meaning in columns.items()}
    return found
