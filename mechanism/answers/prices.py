"""Prices of tokens by model, and what an answer of so many tokens costs exactly."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NamedTuple

from bounds.errors import MISSING, InputError, printable
from bounds.words import counted, first_of, listed
from mechanism.answers.choices import PriceUnit
from mechanism.arguments import not_negative
from mechanism.tabular.documents import JsonDocument
from mechanism.tabular.files import JSON, TableFile, at, format_of, located
from mechanism.tabular.scalars import cell_number, is_blank, text_number
from mechanism.tabular.table import open_table

_LONGEST = 1 << 20
_DOLLARS = r"(US ?\$|\$|USD|((US|U\.S\.) )?dollars?)"
#: By unit: what it is called, how many tokens it has, and how a column writes it.
_UNITS: Mapping[PriceUnit, tuple[str, int, str]] = {
    "1M": (
        "10^6 tokens",
        10**6,
        r"((1[ _]?)?(M|million|MTok)|10(\^|\*\*)6|1e\+?0?6|1(?P<apart>[,_ ]?)000(?P=apart)000)",
    ),
    "1k": ("1,000 tokens", 1000, r"((1[ _]?)?(k|thousand|kTok)|10(\^|\*\*)3|1e\+?0?3|1[,_ ]?000)"),
    "1": ("token", 1, r"1?"),
}
#: The columns that may state the unit; an empty cell states nothing.
_STATED = ("currency", "unit")
MOST_PRICE = 1e9


class _Names(NamedTuple):
    """Where a list of prices has those of input, of output, of cached input, and of a request."""

    input: str
    output: str
    cached: str = ""
    request: str = ""


TABLE = _Names("input_price", "output_price", "cached_price", "request_price")
#: The column with the day from which a price holds.
_DATE = "effective_date"
#: RouterArena's `model_cost.json`, also in USD per 10^6 tokens.
ARENA = _Names("input_token_price_per_million", "output_token_price_per_million")
#: LiteLLM's `model_prices_and_context_window.json`, and what OpenRouter answers to `/api/v1/models`: USD per token.
CATALOGUES = (
    _Names("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost", "input_cost_per_request"),
    _Names("prompt", "completion", "input_cache_read", "request"),
)

#: Where a price stands, its model, its cells, and what these are called.
_Row = tuple[str, object, Mapping[str, Any], _Names]


@dataclass(frozen=True)
class TokenPrice:
    """What 10^6 tokens of a model cost, in USD.

    Parameters
    ----------
    output, input : float
        In USD per 10^6 tokens, at least 0.
    cached : float, optional
        Of input tokens that are read from a cache; by default as other input.
    request : float, optional
        What each answer costs beside its tokens, in USD.
    effective : str, optional
        The day from which these prices hold, if the list says it.
    discount : float, optional
        How far they are below those of the list, as a share.

    Raises
    ------
    InputError
        A price is not a finite number, 0 or more.

    Examples
    --------
    >>> TokenPrice(0.5, 0.25).of_answer(input_tokens=100, output_tokens=10)
    Fraction(30, 1)
    """

    output: float
    input: float = 0.0
    cached: float | None = None
    request: float = 0.0
    effective: str = ""
    discount: float = 0.0

    def __post_init__(self) -> None:
        for name in ("output", "input", "cached", "request"):
            if name != "cached" or self.cached is not None:
                price = not_negative(name, getattr(self, name), "it is a price in USD per 10^6 tokens")
                object.__setattr__(self, name, price)

    def of_answer(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Fraction:
        """Return what an answer costs, in 1e-6 USD: the prices are taken as the doubles that they are."""
        of_input = Fraction(self.input) * input_tokens + Fraction(self.of_cached) * cached_tokens
        return of_input + Fraction(self.output) * output_tokens + Fraction(self.request) * 10**6

    def discounted(self, share: float) -> TokenPrice:
        """Return these prices less a share in [0, 1) of each.

        Examples
        --------
        >>> TokenPrice(10.0, input=2.0).discounted(0.25).output
        7.5
        """
        if not 0 <= share < 1:
            raise InputError("discount", share, "must lie in [0, 1)", "it is a share of the listed price: 0.5 is half")
        cached = None if self.cached is None else self.cached * (1 - share)
        paid = {name: getattr(self, name) * (1 - share) for name in ("output", "input", "request")}
        return TokenPrice(**paid, cached=cached, effective=self.effective, discount=share)

    @property
    def of_cached(self) -> float:
        """What 10^6 input tokens that are read from a cache cost."""
        return self.input if self.cached is None else self.cached

    @property
    def is_zero(self) -> bool:
        """Whether answers cost nothing."""
        return self.output == self.input == self.of_cached == self.request == 0


def read_prices(path: str | os.PathLike[str], unit: PriceUnit = "1M") -> Mapping[str, TokenPrice]:
    """Return the prices of tokens that a file states, by model.

    Parameters
    ----------
    path : str or path-like
        A CSV, JSON Lines or Parquet file with the columns ``model``, ``output_price`` and, optionally, ``input_price``
        and ``cached_price``, in USD. Columns ``currency`` and ``unit``, if there are any, must say so.
        ``request_price`` is what each answer costs, in USD; it may stand alone. With ``effective_date`` a model may
        have several rows, of which the last day counts. Other columns are ignored. Or a JSON document: RouterArena's
        ``model_cost.json``, LiteLLM's ``model_prices_and_context_window.json``, or what OpenRouter answers to
        ``/api/v1/models``. What these do not price by the token is left out.
    unit : {"1M", "1k", "1"}, optional
        How many tokens a price of a table is for; documents have their own unit.

    Raises
    ------
    InputError
        The file cannot be read or breaks a rule: one line that names file, row and column.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "prices.csv")
    ...     _ = path.write_text("model,input_price,output_price\\nlarge,2.5,10\\n")
    ...     read_prices(path)
    {'large': TokenPrice(output=10.0, input=2.5, cached=None, request=0.0, effective='', discount=0.0)}
    """
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("prices", path, "must be a path", "give the path of a file of prices") from None
    found: dict[str, TokenPrice] = {}
    is_document = (format_of(location) or ("",))[0] == JSON
    if is_document and unit != "1M":
        raise InputError("price_unit", unit, "changes nothing", "this list of prices has its own unit: leave it out")
    for place, model, cells, names in (_of_document if is_document else _of_table)(location):
        with at(place):
            if not isinstance(model, str) or not model.strip():
                raise InputError("model", model, "must be a name", "it names the model")
            price = _price(cells, names, unit)
            before = found.setdefault(model, price)
            if before is not price and before.effective == price.effective:
                remedy = f"give a row for every model, or for every {_DATE} of it"
                raise InputError("model", model, "is given twice", remedy)
            if before.effective < price.effective:
                found[model] = price
    if not found:
        raise InputError("prices", location, "holds no price", "write a row for every model")
    return found


def unmatched(without: Collection[str], prices: Collection[str], models: Collection[str]) -> tuple[str, ...]:
    """Return sentences on models without a price, with the unused price that may be meant, and on unused prices.

    Parameters
    ----------
    without : collection of str
        Models that have neither a price nor a recorded cost.
    prices : collection of str
        The models that a file of prices names.
    models : collection of str
        All models that there are.

    Examples
    --------
    >>> unmatched(["gpt-4o"], ["gpt-4o-2024-08-06", "GPT-4o", "llama"], ["gpt-4o", "llama"])
    ("gpt-4o has no price: did you mean 'GPT-4o'?", '2 prices belong to no model here: gpt-4o-2024-08-06, GPT-4o')
    """
    unused = [name for name in prices if name not in models]
    found = []
    for model in without:
        meant = _meant(model, unused)
        found.append(f"{printable(model)} has no price" + (f": did you mean {meant!r}?" if meant else ""))
    if unused:
        belong = "belongs" if len(unused) == 1 else "belong"
        shown = first_of(list(map(printable, unused)))
        found.append(f"{counted(len(unused), 'price')} {belong} to no model here: {shown}")
    return tuple(found)


def with_hosts(
    prices: Mapping[str, TokenPrice], models: Collection[str]
) -> tuple[dict[str, TokenPrice], tuple[str, ...]]:
    """Match prices to models whose names differ only before the last slash, and describe the matches.

    The price without a host counts, if there is one. Otherwise a model has no price if several of its matches differ.

    Examples
    --------
    >>> prices = {"a/y": TokenPrice(3.0), "y": TokenPrice(10.0), "a/x": TokenPrice(1.0), "b/x": TokenPrice(2.0)}
    >>> found, notes = with_hosts(prices, ["b/y", "x"])
    >>> list(found), notes
    (['a/y', 'a/x', 'b/x', 'b/y'], ('b/y has the price of y',))
    """
    bare: dict[str, list[str]] = {}
    for name in prices:
        bare.setdefault(last := name.rpartition("/")[2], []).append(last if last in prices else name)
    meant = {model: bare.get(model.rpartition("/")[2], []) for model in models if model not in prices}
    same = {model: names[0] for model, names in meant.items() if len({prices[name] for name in names}) == 1}
    found = {name: price for name, price in prices.items() if name not in {*same.values()} - {*models}}
    shown = [f"{printable(model)} has the price of {printable(name)}" for model, name in same.items()]
    return {**found, **{model: prices[name] for model, name in same.items()}}, (first_of(shown),) if shown else ()


def _meant(model: str, unused: Sequence[str]) -> str | None:
    """Return the name that a price may have been meant for: in another case, with or without a date."""
    bare = {name: name.casefold().strip("/").rpartition("/")[2] or name for name in (model, *unused)}
    wanted, names = bare[model], {bare[name]: name for name in unused}
    same = [name for name in names if name.startswith(wanted) or wanted.startswith(name)]
    near = same or difflib.get_close_matches(wanted, names, 1)
    return names[min(near, key=lambda name: abs(len(name) - len(wanted)))] if near else None


def _of_table(location: str) -> Iterator[_Row]:
    source = TableFile(location=location, name=location, argument="prices", kind="table of prices")
    table = open_table(source, longest_line=_LONGEST, unique_keys=True, wanted=("model", *TABLE, _DATE, *_STATED))
    priced = "model" not in table.header or TABLE.request not in table.header
    for name in ("model", *([TABLE.output] if priced else [])):
        if name not in table.header:
            remedy = f"the columns are model, {', '.join(TABLE)}"
            raise located(InputError(name, MISSING, "must be given", remedy), table.header_place)
    for line, record in table.records():
        with at(source.place(line)):
            cells = table.cells(record)
        yield source.place(line), cells.get("model"), cells, TABLE


def _of_document(location: str) -> Iterator[_Row]:
    source = TableFile(location=location, name=location, argument="prices", kind="table of prices")
    with source.opened() as file:
        document = JsonDocument(file, source, _LONGEST, keys=("data",))
        given = [(source.place(number), each.get("id"), each.get("pricing")) for number, each in document.records()]
    # Of LiteLLM the first entry explains the others.
    fields = [(name, of) for name, of in document.fields.items() if name != "sample_spec"]
    given = given or [(f"{source.place()}:{printable(name, 40)}", name, of) for name, of in fields]
    of_catalogue = (each for each in CATALOGUES if any(isinstance(of, dict) and each.output in of for *_, of in given))
    names = next(of_catalogue, None)
    for place, model, of in given:
        if not isinstance(of, dict):
            raise located(InputError("", of, "must be an object", f"it holds {listed(ARENA[:2])}"), place)
        if names is None:
            yield place, model, of, ARENA
        elif {TABLE.input, TABLE.output} <= (prices := _per_million(of, names)).keys():
            yield place, model, prices, TABLE


def _per_million(cells: Mapping[str, Any], names: _Names) -> dict[str, Decimal]:
    """Return the prices of a catalogue, which are in USD per token, under the names and in the unit of a table."""
    found = {}
    for column, name in zip(TABLE, names, strict=True):
        with suppress(InvalidOperation):
            price = Decimal(str(cells.get(name)))
            if price >= 0:
                found[column] = price if column == TABLE.request else price * 10**6
    return found


def _price(cells: Mapping[str, Any], names: _Names, unit: PriceUnit) -> TokenPrice:
    per, tokens, as_written = _UNITS[unit]
    units = (_DOLLARS, rf"({_DOLLARS}[ _]?)?(/|per)?[ _]?{as_written}([ _]?tokens?)?")
    for name, usual, written in zip(_STATED, units, ("USD", f"{unit} tokens"), strict=True):
        cell = cells.get(name)
        if isinstance(cell, str) and cell.strip() and not re.fullmatch(usual, cell.strip(), re.IGNORECASE):
            other = ", name another unit (--price-unit)" if name == "unit" else ""
            remedy = f"convert the prices{other}, or write {written} here if this is their unit"
            raise InputError(name, cell, f"is a unit other than USD per {per}", remedy)
    found: dict[str, float] = {}
    for field, name in names._asdict().items():
        cell, meaning = cells.get(name), "it is a price in USD per 10^6 tokens"
        meaning = "it is what an answer costs, in USD" if name == names.request else meaning
        # A price of output may be missing beside one of requests.
        if is_blank(cell) and (field != "output" or not is_blank(cells.get(names.request))):
            continue
        value = cell_number(cell)
        if value is None:
            bare = cell.strip(" $USD") if isinstance(cell, str) else ""
            written = "" if text_number(bare) is None else f"write {bare}: "
            raise InputError(name, cell, "must be a number", f"{written}{meaning}")
        if not 0 <= value <= MOST_PRICE:
            raise InputError(name, cell, f"must lie in 0..{MOST_PRICE:g}", meaning)
        # In decimals: 0.0006 per 1,000 tokens is 0.6 per 10^6.
        found[field] = float(Decimal(repr(value)) * (1 if field == "request" else 10**6 // tokens))
    return TokenPrice(**{"output": 0.0, **found}, effective=_day(cells.get(_DATE)))


def _day(cell: object) -> str:
    """Return a date as ISO 8601 writes it; an empty text if there is none."""
    if is_blank(cell):
        return ""
    try:
        return date.fromisoformat(str(cell).strip()[:10]).isoformat()
    except ValueError:
        raise InputError(_DATE, cell, "must be a date", "write it as 2026-01-31") from None
