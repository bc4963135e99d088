"""What looks made up in an evaluation: token counts or costs that never change, and answers for nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from bounds.errors import InputError
from bounds.words import first_of, listed
from mechanism.answers.choices import SUSPICIONS
from mechanism.answers.prices import TokenPrice
from mechanism.answers.table import Answers

#: So many equal numbers are no chance.
FEWEST = 10
_UNIT = "USD per 10^6 tokens"
#: In that unit: hosted models cost more than the first, and less than the second.
LOWEST_PRICE, HIGHEST_PRICE = 0.005, 1000.0
#: No list of hosted models is as cheap as this throughout.
LOWEST_LARGEST = 0.1
#: Units in which prices are also stated: so many of them are 10^6 tokens.
_UNITS = {"1,000 tokens": 1000, "token": 10**6}
#: Costs as recorded and at a price differ by no such factor if their units are the same.
OTHER_UNIT = 50
#: Output prices, and mean costs, that differ by such a factor may be in different units.
WIDE, WIDE_COSTS = 500, 10_000
#: USD: an answer seldom costs more.
HIGHEST_COST = 10.0


def check_answers(
    answers: Answers, models: tuple[int, ...], prices: Mapping[str, TokenPrice], accept: Collection[str]
) -> tuple[str, ...]:
    """Refuse what looks made up, unless it is accepted by its name.

    Parameters
    ----------
    answers : Answers
    models : tuple of int
        Those that were chosen; all of their answers are looked at.
    prices : mapping of str to TokenPrice
        With a price, a model's recorded costs do not count.
    accept : collection of str
        Of `SUSPICIONS`.

    Returns
    -------
    tuple of str
        What was accepted, a sentence each.

    Raises
    ------
    InputError
        Something is not accepted, or there is no suspicion of that name.

    Examples
    --------
    >>> from mechanism.answers.rows import AnswerRows, RawAnswer
    >>> rows = AnswerRows()
    >>> for question in range(20):
    ...     cost, tokens_in, tokens_out = ("cost", 0.1 + question), ("in", 40), ("out", question)
    ...     rows.add(RawAnswer(question, "m", ("score", 1), cost, tokens_in, tokens_out), 1)
    >>> check_answers(rows.answers(), (0,), {}, ["constant-tokens"])
    ("'m' has 40 input tokens in every one of its 20 answers",)
    """
    for name in accept:
        if name not in SUSPICIONS:
            raise InputError("accept", name, "is not a suspicion", f"they are {', '.join(SUSPICIONS)}")
    accepted = []
    for model in models:
        shown = answers.models[model]
        suspicions = _suspicions(answers, model, prices.get(shown))
        for kind, found in chain(suspicions, _other_units(answers, model, prices)):
            if kind not in accept:
                why = f"{SUSPICIONS[kind]}; {_ways_out(kind)}"
                raise InputError("answers", shown, found, why)
            accepted.append(f"{shown!r} {found}")
    return tuple(accepted)


def _ways_out(kind: str) -> str:
    paid = "give prices of tokens (--prices FILE), " if kind in ("constant-costs", "zero-prices") else ""
    paid = "correct the file of prices, name their unit (--price-unit), " if kind == "price-units" else paid
    return f"{paid}choose other models (--model NAME) or take it as it is (--accept {kind})"


def _suspicions(answers: Answers, model: int, price: TokenPrice | None) -> Iterator[tuple[str, str]]:
    own = answers.model == model
    rows = own & ~answers.failed  # a failed answer has no tokens, and would hide a constant
    count = int(rows.sum())
    every = f"in every one of its {count:,} answers{' that did not fail' if answers.failed[own].any() else ''}"
    if count >= FEWEST:
        for what, column in (("input", answers.tokens_in), ("output", answers.tokens_out)):
            tokens = column[rows]
            if tokens[0] >= 0 and (tokens == tokens[0]).all():
                yield "constant-tokens", f"has {tokens[0]} {what} tokens {every}"
    if price is not None:
        if price.is_zero:
            yield "zero-prices", "has a price of 0 for input and output tokens"
        return
    dollars = answers.cost[rows]
    if not np.any(answers.cost[own]):
        failed = ", all of which failed" if not count else ""
        yield "zero-prices", f"costs 0 in every one of its {int(own.sum()):,} answers{failed}"
    elif count >= FEWEST and (dollars == dollars[0]).all():
        yield "constant-costs", f"costs {dollars[0]:g} USD {every}"


def _other_units(answers: Answers, model: int, prices: Mapping[str, TokenPrice]) -> Iterator[tuple[str, str]]:
    """Yield that a price looks like one of other tokens than 10^6, by its size or beside recorded costs."""
    price = prices.get(answers.models[model])
    if price is None or price.is_zero:
        return
    others = {name: each for name, each in prices.items() if name in answers.models}
    if looks := small_prices(others).get(answers.models[model]):
        yield "price-units", looks
        return
    rows = (answers.model == model) & ~np.isnan(answers.cost) & (answers.tokens_out >= 0) & ~answers.failed
    recorded = float(answers.cost[rows].sum())
    columns = (answers.tokens_in, answers.tokens_out, answers.tokens_cached)
    tokens = (int(each[rows].clip(0).sum()) for each in columns)
    priced = float(price.of_answer(*tokens)) / 10**6
    if recorded > 0 and priced > 0 == price.request and not 1 / OTHER_UNIT < priced / recorded < OTHER_UNIT:
        costs = f"{priced:.6g} USD in all at its prices ({_stated(price)}), and {recorded:.6g} as recorded"
        yield "price-units", f"costs {costs}: {priced / recorded:.6g} times as much"


def _stated(price: TokenPrice) -> str:
    return f"{price.input:g} USD for input and {price.output:g} for output"


def small_prices(prices: Mapping[str, TokenPrice]) -> dict[str, str]:
    """Return, by model, what is said of prices that are too small for 10^6 tokens.

    Examples
    --------
    >>> small_prices({"a": TokenPrice(10.0), "b": TokenPrice(0.005, 0.001)})  # doctest: +ELLIPSIS
    {'b': 'has prices of 0.001 USD for input and 0.005 for output, which look like prices per 1,000 tokens (1 and 5 ...
    """
    small = {model: price for model, price in prices.items() if 0 < _lowest(price) < LOWEST_PRICE}
    lowest = min(map(_lowest, small.values()), default=0.0)
    highest = max((max(price.input, price.output) for price in small.values()), default=0.0)
    units = {name: n for name, n in _UNITS.items() if lowest * n >= LOWEST_PRICE and highest * n <= HIGHEST_PRICE}
    found = {}
    for model, price in small.items():
        stated = [
            f"per {name} ({price.input * n:.6g} and {price.output * n:.6g} per 10^6)" for name, n in units.items()
        ]
        looks = listed(stated, "or") or f"in a unit other than {_UNIT}"
        found[model] = f"has prices of {_stated(price)}, which look like prices {looks}"
    return found


def _lowest(price: TokenPrice) -> float:
    return min((each for each in (price.input, price.output) if each > 0), default=0.0)


def price_range(prices: Mapping[str, TokenPrice]) -> tuple[str, ...]:
    """Return a sentence on the lowest and the highest output price, with a question if their unit is in doubt.

    Examples
    --------
    >>> price_range({"a": TokenPrice(75.0), "b": TokenPrice(0.5)})
    ('output prices are from 0.5 (b) to 75 (a) USD per 10^6 tokens',)
    >>> price_range({"a": TokenPrice(75.0), "b": TokenPrice(0.05)})  # doctest: +ELLIPSIS
    ('output prices are from 0.05 (b) to 75 (a) USD per 10^6 tokens, 1,500 times as much: is this the unit of all ...
    """
    output = {model: price.output for model, price in prices.items()}
    if not any(output.values()):
        return ()
    between, factor, highest = _between(output)
    asked = ""
    if factor >= WIDE:
        asked = f", {factor:,.0f} times as much: is this the unit of all of them?"
    elif not LOWEST_LARGEST <= highest <= HIGHEST_PRICE:
        asked = ": is this their unit?"
    dated = [f"{model} {price.effective}" for model, price in prices.items() if price.effective]
    return (f"output prices are {between} {_UNIT}{asked}", *([f"prices are of {first_of(dated)}"] if dated else []))


def free_input(prices: Mapping[str, TokenPrice]) -> tuple[str, ...]:
    """Return a sentence on models whose input tokens cost nothing.

    Examples
    --------
    >>> free_input({"a": TokenPrice(75.0, 15.0), "b": TokenPrice(0.5)})
    ('b has no input price above 0: its input tokens cost nothing',)
    >>> free_input({"a": TokenPrice(75.0), "b": TokenPrice(0.5)})
    ('no input price is above 0: input tokens cost nothing',)
    """
    free = [model for model, price in prices.items() if price.input == 0 and (price.output > 0 or not price.request)]
    if not free or all(price.is_zero for price in prices.values()):
        return ()
    if len(free) == len(prices):
        return ("no input price is above 0: input tokens cost nothing",)
    has, its = ("has", "its") if len(free) == 1 else ("have", "their")
    return (f"{first_of(free)} {has} no input price above 0: {its} input tokens cost nothing",)


def recorded_units(answers: Answers, models: Sequence[int]) -> tuple[str, ...]:
    """Return sentences on recorded costs of these models that look like costs in another unit than USD."""
    found, means = [], {}
    for model in models:
        rows = (answers.model == model) & ~answers.failed & (answers.cost > 0)
        if not rows.any():
            continue
        name, dollars = answers.models[model], float(answers.cost[rows].sum())
        means[name] = dollars / int(rows.sum())
        tokens = int((answers.tokens_in[rows].clip(0) + answers.tokens_out[rows].clip(0)).sum())
        if tokens and not LOWEST_PRICE <= dollars * 10**6 / tokens <= HIGHEST_PRICE:
            found.append(f"{name} costs {dollars * 10**6 / tokens:.6g} {_UNIT} as recorded: are its costs in USD?")
    if means and not found:
        between, factor, highest = _between(means)
        wide = f", {factor:,.0f} times as much" if factor >= WIDE_COSTS else ""
        if wide or highest > HIGHEST_COST:
            found.append(f"mean costs are {between} USD{wide}: are all of them in USD?")
    return tuple(found)


def _between(numbers: Mapping[str, float]) -> tuple[str, float, float]:
    """Return in words between which numbers these lie, the highest over the lowest above 0, and the highest."""
    low, high = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
    least, most = numbers[low], numbers[high]
    shown = f"from {least:.6g} ({low}) to {most:.6g} ({high})" if most > least else f"{most:.6g}"
    return shown, most / min(each for each in numbers.values() if each > 0), most
