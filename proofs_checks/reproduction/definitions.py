"""What every number of the paper's tables means: from one run's totals to the value that the table aggregates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from bounds.published import PublishedSetting
from mechanism.metrics.tally import ProviderField as By
from mechanism.metrics.tally import RunField as Overall
from proofs_checks.reproduction.spans import Outcome, ratio

#: The routing policies as the tables name them.
POLICY_ROWS: Mapping[str, str] = MappingProxyType(
    {
        "Platform": "platform",
        "Uniform among eligible": "uniform-eligible",
        "Lowest listed price among eligible": "lowest-price-eligible",
        "Lowest listed price, no quality filter": "lowest-price",
        "No quality filter (ablation)": "no-quality-filter",
    }
)
OTHERS = "All providers other than i^*"


Definition = Callable[[Outcome], float]
ProviderDefinition = Callable[[Outcome, int], float]

_ONE_PASS: Mapping[str, Definition] = {
    "Unqualified share": lambda o: o.one_pass.per_step(o.one_pass.of_unqualified(By.SELECTIONS)),
    "R_qual/T": lambda o: o.one_pass.per_step(o.one_pass.quality_regret),
    "R_gen/T": lambda o: o.one_pass.per_step(o.one_pass.generation_regret),
    "Accuracy": lambda o: o.one_pass.per_step(o.one_pass.total(By.SCORE)),
    "Share of i*": lambda o: o.one_pass.per_step(o.one_pass.of_optimal(By.SELECTIONS)),
    "Generation cost": lambda o: o.one_pass.per_step(o.one_pass.total(By.COST)),
    "Amount paid": lambda o: o.one_pass.per_step(o.one_pass.total(By.PAYMENT)),
}

_LONG: Mapping[str, Definition] = {
    "Share of i*": lambda o: o.long.per_step(o.long.of_optimal(By.SELECTIONS)),
    "Moving avg": lambda o: o.window.per_step(o.window.of_optimal(By.SELECTIONS)),
    "Unqualified share": lambda o: o.long.per_step(o.long.of_unqualified(By.SELECTIONS)),
    "R_qual/t": lambda o: o.long.per_step(o.long.quality_regret),
    "R_gen/t": lambda o: o.long.per_step(o.long.generation_regret),
    "Generation cost": lambda o: o.long.per_step(o.long.total(By.COST)),
    "Amount paid": lambda o: o.long.per_step(o.long.total(By.PAYMENT)),
    "i* most selected": lambda o: o.identified(o.paper.horizon),
    "|Qhat|": lambda o: o.tally.run(Overall.ELIGIBLE, o.paper.horizon),
}

_ONE, _ALL = "one pass", "long run"
_EXPLORATION: Mapping[tuple[str, str], Definition] = {
    ("Exploration steps (mean)", _ONE): lambda o: o.one_pass.total(By.EXPLORATIONS),
    ("Exploration steps (mean)", _ALL): lambda o: o.long.total(By.EXPLORATIONS),
    ("Share of exploration steps after initialization", _ONE): lambda o: o.rest_of_pass.per_step(
        o.rest_of_pass.total(By.EXPLORATIONS)
    ),
    ("Share of exploration steps after initialization", _ALL): lambda o: o.rest_of_long.per_step(
        o.rest_of_long.total(By.EXPLORATIONS)
    ),
    ("Share of exploration steps at T (moving avg.)", _ALL): lambda o: o.window.per_step(
        o.window.total(By.EXPLORATIONS)
    ),
    ("Exploration-step payment per step", _ONE): lambda o: o.one_pass.per_step(o.one_pass.exploration_payment),
    ("Exploration-step payment per step", _ALL): lambda o: o.window.per_step(o.window.exploration_payment),
    ("Exploration-step generation cost per step", _ONE): lambda o: o.one_pass.per_step(
        o.one_pass.run(Overall.EXPLORATION_COST)
    ),
    ("Exploration-step generation cost per step", _ALL): lambda o: o.window.per_step(
        o.window.run(Overall.EXPLORATION_COST)
    ),
    # A mean of the runs' ratios, not the ratio of means; cumulative also in the long run.
    ("Share of exploration steps given to i^*", _ONE): lambda o: ratio(
        o.one_pass.of_optimal(By.EXPLORATIONS), o.one_pass.total(By.EXPLORATIONS)
    ),
    ("Share of exploration steps given to i^*", _ALL): lambda o: ratio(
        o.long.of_optimal(By.EXPLORATIONS), o.long.total(By.EXPLORATIONS)
    ),
    ("Share of exploration steps given to unqualified providers", _ONE): lambda o: ratio(
        o.one_pass.of_unqualified(By.EXPLORATIONS), o.one_pass.total(By.EXPLORATIONS)
    ),
    ("Share of exploration steps given to unqualified providers", _ALL): lambda o: ratio(
        o.long.of_unqualified(By.EXPLORATIONS), o.long.total(By.EXPLORATIONS)
    ),
    (r"Payment \pi_t at T, non-exploration steps (moving avg.)", _ALL): lambda o: o.window.per_ordinary_step(
        o.window.total(By.ORDINARY_PAYMENT)
    ),
    (r"Payment \pi_t at T, all steps (moving avg.)", _ALL): lambda o: o.window.per_step(o.window.total(By.PAYMENT)),
}

_GOOD_EVENT_OF_ABLATION = "Good event held, long run, no quality filter"
_DIAGNOSTICS: Mapping[str, Definition] = {
    "Selections of providers other than i^* after initialization (mean)": lambda o: o.rest_of_long.of_others(
        By.SELECTIONS
    ),
    r"Runs in which i^* is the most selected provider at t = 5{,}000": lambda o: o.identified(5000),
    r"\quad at t = 10{,}000": lambda o: o.identified(10000),
    r"\quad at t = T_{\mathrm{id}}": lambda o: o.identified(o.paper.printed["T_id"]),
    r"\quad at t = T": lambda o: o.identified(o.paper.horizon),
    r"R_T^{\mathrm{qual}}, realized (mean)": lambda o: o.long.quality_regret,
    r"R_T^{\mathrm{gen}}, realized (mean)": lambda o: o.long.generation_regret,
    # "Without exploration" leaves the N payments of initialization in.
    r"E_T^{\mathrm{pay}} without the exploration steps, realized (mean)": lambda o: (
        o.long.run(Overall.INITIALIZATION_EXCESS) + o.long.run(Overall.ORDINARY_EXCESS)
    ),
    r"E_T^{\mathrm{pay}} incl. exploration steps, realized (mean)": lambda o: o.long.excess,
    "Good event held, one pass (runs)": lambda o: o.good_event(o.paper.questions),
    "Good event held, long run, platform": lambda o: o.good_event(o.paper.horizon),
    _GOOD_EVENT_OF_ABLATION: lambda o: o.good_event(o.paper.horizon),
    "Payment-bound violations, one pass (steps)": lambda o: o.one_pass.run(Overall.PAYMENT_VIOLATIONS),
}

_PAYMENTS: Mapping[str, Definition] = {
    "Generation cost per query, whole pass": lambda o: o.one_pass.per_step(o.one_pass.total(By.COST)),
    "Query price per query, whole pass": lambda o: o.one_pass.per_step(o.one_pass.query_price),
    r"Payment \pi_t per query, whole pass": lambda o: o.one_pass.per_step(o.one_pass.total(By.PAYMENT)),
    "Generation cost per query, after initialization": lambda o: o.rest_of_pass.per_step(o.rest_of_pass.total(By.COST)),
    "Query price per query, after initialization": lambda o: o.rest_of_pass.per_step(o.rest_of_pass.query_price),
    r"Payment \pi_t per query, after initialization": lambda o: o.rest_of_pass.per_step(
        o.rest_of_pass.total(By.PAYMENT)
    ),
    "Winning bid, non-exploration steps": lambda o: o.one_pass.per_ordinary_step(o.one_pass.run(Overall.WINNING_BIDS)),
    r"Payment \pi_t per query, non-exploration steps": lambda o: o.one_pass.per_ordinary_step(
        o.one_pass.total(By.ORDINARY_PAYMENT)
    ),
    # Despite its name divided by K, not K - N.
    "Exploration-step payment per query, after initialization": lambda o: o.one_pass.per_step(
        o.one_pass.exploration_payment
    ),
    "Share of exploration steps after initialization": lambda o: o.rest_of_pass.per_step(
        o.rest_of_pass.total(By.EXPLORATIONS)
    ),
    r"Excess payment per step E_T^{\mathrm{pay}}/T, whole pass": lambda o: o.one_pass.per_step(o.one_pass.excess),
    "Excess payment per query, non-exploration steps": lambda o: o.one_pass.per_ordinary_step(
        o.one_pass.run(Overall.ORDINARY_EXCESS)
    ),
    "Mean provider payoff over the pass": lambda o: float(o.one_pass.payoffs.mean()),
    "Lowest provider payoff over providers and runs": lambda o: float(o.one_pass.payoffs.min()),
}

_MAIN: Mapping[str, Definition] = {
    "pay all": lambda o: o.window.per_step(o.window.total(By.PAYMENT)),
    "pay non-expl": lambda o: o.window.per_ordinary_step(o.window.total(By.ORDINARY_PAYMENT)),
    "margin %": lambda o: 100 * o.window.margin,
    "share": lambda o: o.window.per_step(o.window.of_optimal(By.SELECTIONS)),
}

# In `printed.csv` a provider's selections count its initialization, as the tables of the paper do not.
_SELECTIONS: Mapping[str, ProviderDefinition] = {
    "mean": lambda o, i: float(o.long.each(By.SELECTIONS)[i]),
    "max": lambda o, i: float(o.long.each(By.SELECTIONS)[i]),
    "exploration": lambda o, i: float(o.long.each(By.EXPLORATIONS)[i]),
    "last selection": lambda o, i: float(o.long.each(By.LAST_SELECTION)[i]),
}
_SELECTIONS_OF_OTHERS: Mapping[str, Definition] = {
    "mean": lambda o: o.rest_of_long.of_others(By.SELECTIONS),
    "exploration": lambda o: o.long.of_others(By.EXPLORATIONS),
}

_PAYOFFS: Mapping[str, ProviderDefinition] = {
    "selections": lambda o, i: float(o.one_pass.each(By.SELECTIONS)[i]),
    "payoff mean": lambda o, i: float(o.one_pass.payoffs[i]),
    "payoff min": lambda o, i: float(o.one_pass.payoffs[i]),
    "payoff max": lambda o, i: float(o.one_pass.payoffs[i]),
    "negative runs": lambda o, i: float(o.one_pass.payoffs[i] < 0),
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
        for table, columns in (("one-pass", _ONE_PASS), ("long", _LONG)):
            found.update({(table, row, column): (policy, definition) for column, definition in columns.items()})
    for (row, column), definition in _EXPLORATION.items():
        found["exploration", row, column] = "platform", definition
    for table, rows in (("diagnostics", _DIAGNOSTICS), ("payments", _PAYMENTS), ("main", _MAIN)):
        found.update({(table, row, ""): ("platform", definition) for row, definition in rows.items()})
    found["diagnostics", _GOOD_EVENT_OF_ABLATION, ""] = "no-quality-filter", _DIAGNOSTICS[_GOOD_EVENT_OF_ABLATION]
    for column, definition in _SELECTIONS_OF_OTHERS.items():
        found["selections", OTHERS, column] = "platform", definition
    for index, provider in enumerate(paper.setting.providers):
        # Only the table of payoffs has a row for i*, and marks it.
        marked = f"{provider.name} (i^*)" if index == paper.setting.optimal else provider.name
        for table, row, by_provider in (("selections", provider.name, _SELECTIONS), ("payoffs", marked, _PAYOFFS)):
            for column, meaning in by_provider.items():
                found[table, row, column] = "platform", _bound(meaning, index)
    return found


def _bound(meaning: ProviderDefinition, index: int) -> Definition:
    return lambda outcome: meaning(outcome, index)
