"""What is wrong with the controls, in one line that calls them as the page does."""

from __future__ import annotations

import re
from typing import Any

from bounds.errors import MISSING, InputError
from bounds.language.quantities import QUANTITIES, Quantity
from bounds.setting.model import COST_VARIATION, LISTED_PRICE, MEAN_COST, QUALITY
from bounds.words import capital
from proofs_checks.explorer.knobs import BIDDER_NUMBERS, LABELS, PROVIDER_LABELS, SYMBOLS

#: What the page sends for a box that holds neither a number nor nothing, as a minus sign alone.
NO_NUMBER = "no number"
_OF_PROVIDER = {each.name: each for each in (QUALITY, MEAN_COST, LISTED_PRICE, COST_VARIATION)}
_KEYS = re.compile(rf"(?:platform\.)?\b({'|'.join(SYMBOLS)})\b(=)?")


def notice(error: InputError) -> str:
    """Return what an error says, with the page's labels in place of the names of programs and setting files.

    Examples
    --------
    >>> notice(InputError("platform.confidence", 1.5, "must lie in (0, 1)", "it is the failure probability delta"))
    'Failure probability of the guarantees δ = 1.5 must lie in (0, 1): it is the failure probability delta'
    >>> notice(InputError("seed", None, "must be a whole number", "it is the seed of all randomness"))
    'Seed is empty; it must be a whole number: it is the seed of all randomness'
    >>> notice(InputError("platform.quality_threshold", None, "must be a number", "write it without quotes"))
    'Quality threshold q_min is empty; it must lie in [0, 1]'
    """
    if error.argument == "policies" and not error.value:
        return "No policy is chosen: choose at least one, for example platform"
    if error.argument == "bidders" and error.value == "deviating":
        low, high = (f"{label_of(f'platform.{key}')}" for key in ("underbid", "overbid"))
        return f"Deviating bidders need {low} or {high} above 0: move one of these two sliders"
    if error.argument == "bidders" and (told := _of_bidders(error.value)):
        return told
    label, rule, remedy = label_of(error.argument), _with_symbols(error.rule), _with_symbols(error.remedy)
    if error.value is MISSING or error.value is None or error.value == NO_NUMBER:
        what, quantity = "no number" if error.value == NO_NUMBER else "empty", _quantity(error.argument)
        if quantity is not None:
            return f"{label} is {what}; it {quantity.rule}"
        if rule == "must be given":
            return f"{label} is {what}: {remedy}"
        return f"{label} {f'is {what}; it {rule}' if rule.startswith('must') else rule}: {remedy}"
    given = str(InputError("", error.value, rule, remedy)).removeprefix("=")
    return f"{label} = {given}"


def _of_bidders(bidders: Any) -> str:
    """Return the rules of the numbers of a kind of bidders; empty where it has none."""
    numbers = BIDDER_NUMBERS.get(str(bidders).partition(":")[0], ())
    told = "; ".join(f"{each.label} {each.symbol} {each.rule}" for each in numbers)
    return capital(told)


def _quantity(argument: str) -> Quantity | None:
    """Return the quantity that an argument is, which knows its range; None where it is none."""
    place, _, key = argument.partition(".")
    return QUANTITIES.get(key) if place == "platform" else _OF_PROVIDER.get(key)


def label_of(argument: str) -> str:
    """Return how the page calls an argument; what it does not know stays as it is."""
    if argument in LABELS:
        return LABELS[argument]
    place, _, key = argument.partition(".")
    if place == "platform" and key in SYMBOLS:
        return f"{capital(QUANTITIES[key].meaning)} {SYMBOLS[key]}"
    found = re.fullmatch(r"provider\[(\d+)\]", place)
    # Without what the page says in brackets of an empty box.
    return (
        f"{PROVIDER_LABELS[key].partition(' (')[0]} of provider {found[1]}"
        if found and key in PROVIDER_LABELS
        else argument
    )


def _with_symbols(text: str) -> str:
    """Return a rule or a remedy in the page's symbols; the marks of code of the terminal mean nothing there."""
    return _KEYS.sub(lambda found: SYMBOLS[found[1]] + (" = " if found[2] else ""), text).replace("`", "")
