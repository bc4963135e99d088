"""Prices of tokens by model, and what an answer of so many tokens costs exactly."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import MISSING, InputError, printable
from bounds.words import counted, first_of, listed
from mechanism.tabular.documents import DocumentFile, JsonDocument, is_document
from mechanism.tabular.files import TableFile, located
from mechanism.tabular.pieces import Number, json_number, text_number
from mechanism.tabular.table import open_table

_LONGEST = 1 << 20
_DOLLARS = r"(US ?\$|\$|USD|((US|U\.S\.) )?dollars?)"
_MILLION = r"((1[ _]?)?(M|million|MTok)|10(\^|\*\*)6|1e\+?0?6|1(?P<apart>[,_ ]?)000(?P=apart)000)"
#: What a column holds that states this unit, and how to write it there; an empty cell states nothing.
_STATED = {
    "currency": (_DOLLARS, "USD"),
    "unit": (rf"({_DOLLARS}[ _]?)?(/|per)?[ _]?{_MILLION}([ _]?tokens?)?", "1M tokens"),
}
MOST_MODELS = 100_000
#: The columns of a table, and the keys of RouterArena's `model_cost.json`, for the price of input and of output.
COLUMNS = ("input_price", "output_price")
ARENA_KEYS = ("input_token_price_per_million", "output_token_price_per_million")
MOST_PRICE = 1e9

#: Where a price stands, its model, its cells, the names of those for input and output, and what reads numbers.
_Row = tuple[str, object, Mapping[str, Any], tuple[str, str], Number]


@dataclass(frozen=True)
class TokenPrice:
    """What 10^6 tokens of a model cost, in USD.

    Parameters
    ----------
    output : float
        In [0, 10^9].
    input : float, optional
        In [0, 10^9].

    Raises
    ------
    InputError
        A price is not a number in its range.

    Examples
    --------
    >>> TokenPrice(0.5, 0.25).of_answer(input_tokens=100, output_tokens=10)
    Fraction(30, 1)
    """

    output: float
    input: float = 0.0

    def __post_init__(self) -> None:
        for name in ("output", "input"):
            value = getattr(self, name)
            number = json_number(value)
            if number is None or not 0 <= number <= MOST_PRICE:
                raise InputError(name, value, f"must lie in 0..{MOST_PRICE:g}", "it is a price in USD per 10^6 tokens")
            object.__setattr__(self, name, number)

    def of_answer(self, input_tokens: int, output_tokens: int) -> Fraction:
        """Return what an answer costs, in 1e-6 USD: the prices are taken as the doubles that they are."""
        return Fraction(self.input) * input_tokens + Fraction(self.output) * output_tokens

    @property
    def is_zero(self) -> bool:
        """Whether tokens cost nothing."""
        return self.output == self.input == 0


def read_prices(path: str | os.PathLike[str]) -> Mapping[str, TokenPrice]:
    """Return the prices of tokens that a file states, by model.

    Parameters
    ----------
    path : str or path-like
        A CSV, JSON Lines or Parquet file with the columns ``model``, ``output_price`` and, optionally,
        ``input_price``, in USD per 10^6 tokens. Columns ``currency`` and ``unit``, if there are any, must say so;
        others are ignored. Or a JSON document as RouterArena's ``model_cost.json``: an object that gives each model an
        object with the keys ``output_token_price_per_million`` and ``input_token_price_per_million``.

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
    {'large': TokenPrice(output=10.0, input=2.5)}
    """
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("prices", path, "must be a path", "give the path of a file of prices") from None
    found: dict[str, TokenPrice] = {}
    for place, model, cells, names, number in (_of_document if is_document(location) else _of_table)(location):
        try:
            if not isinstance(model, str) or not model.strip():
                raise InputError("model", model, "must be a name", "it names the model")
            if model in found or len(found) >= MOST_MODELS:
                rule = "is given twice" if model in found else f"is one of more than {MOST_MODELS:,}"
                raise InputError("model", model, rule, "give a row for every model")
            found[model] = _price(cells, names, number)
        except InputError as error:
            raise located(error, place) from None
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
    >>> unmatched(["gpt-4o-2024-08-06"], ["gpt-4o", "llama"], ["gpt-4o-2024-08-06", "llama"])
    ("gpt-4o-2024-08-06 has no price: did you mean 'gpt-4o'?", '1 price belongs to no model here: gpt-4o')
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


def _meant(model: str, unused: Sequence[str]) -> str | None:
    """Return the name that a price may have been meant for: in another case, with or without a date."""
    bare = {name: name.casefold().strip("/").rpartition("/")[2] or name for name in (model, *unused)}
    wanted, names = bare[model], {bare[name]: name for name in unused}
    same = [name for name in names if name.startswith(wanted) or wanted.startswith(name)]
    near = same or difflib.get_close_matches(wanted, names, 1)
    return names[max(near, key=len)] if near else None


def _of_table(location: str) -> Iterator[_Row]:
    source = TableFile(location=location, name=location, argument="prices", kind="table of prices")
    with open_table(source, longest_line=_LONGEST, unique_keys=True, wanted=("model", *COLUMNS, *_STATED)) as table:
        for name in ("model", "output_price"):
            if name not in table.header:
                error = InputError(name, MISSING, "must be given", f"the columns are model, {', '.join(COLUMNS)}")
                raise located(error, table.header_place)
        for line, record in table.records():
            try:
                cells = table.cells(record)
            except InputError as error:
                raise located(error, source.place(line)) from None
            yield source.place(line), cells.get("model"), cells, COLUMNS, table.number


def _of_document(location: str) -> Iterator[_Row]:
    source = DocumentFile(location=location, name=location, argument="prices", kind="table of prices")
    with source.opened() as file:
        document = JsonDocument(file, source, _LONGEST, key="")
        for _ in document.records():
            remedy = f'write {{"model": {{"{ARENA_KEYS[1]}": 10.0}}}}, or a table with the columns model, ...'
            raise located(InputError("", MISSING, "must be an object", remedy), source.place())
    for model, given in document.fields.items():
        if not isinstance(given, dict):
            error = InputError(model, given, "must be an object", f"it holds {listed(ARENA_KEYS)}")
            raise located(error, source.place())
        yield f"{source.place()}:{printable(model, 40)}", model, given, ARENA_KEYS, json_number


def _price(cells: Mapping[str, Any], names: tuple[str, str], number: Number) -> TokenPrice:
    for name, (usual, written) in _STATED.items():
        cell = cells.get(name)
        if isinstance(cell, str) and cell.strip() and not re.fullmatch(usual, cell.strip(), re.IGNORECASE):
            remedy = f"convert the prices, or write {written} here if this is their unit"
            raise InputError(name, cell, "is a unit other than USD per 10^6 tokens", remedy)
    prices = []
    for name in names:
        cell, meaning = cells.get(name), "it is a price in USD per 10^6 tokens"
        if name == names[0] and (cell is None or (isinstance(cell, str) and not cell.strip())):
            prices.append(0.0)
            continue
        value = number(cell)
        if value is None:
            bare = cell.strip(" $USD") if isinstance(cell, str) else ""
            raise InputError(
                name, cell, "must be a number", meaning if text_number(bare) is None else f"write {bare}: {meaning}"
            )
        if not 0 <= value <= MOST_PRICE:
            raise InputError(name, cell, f"must lie in 0..{MOST_PRICE:g}", meaning)
        prices.append(float(value))
    return TokenPrice(input=prices[0], output=prices[1])
