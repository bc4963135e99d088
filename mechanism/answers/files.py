"""Recorded answers from files: read, checked, and reduced to those that make a market."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, did_you_mean, printable
from bounds.words import first_of
from mechanism.answers.choices import GENERATIONS, Failed, PriceUnit, Repeats
from mechanism.answers.complete import CompleteAnswers, exact_sum
from mechanism.answers.formats import FORMATS
from mechanism.answers.omissions import Omission, answers_left_out
from mechanism.answers.prices import TABLE, TokenPrice, read_prices, unmatched, with_hosts
from mechanism.answers.reading import Reader, bare_name
from mechanism.answers.repeats import settle_repeats
from mechanism.answers.selection import Selection, align, select
from mechanism.answers.suspicion import check_answers, free_input, price_range, recorded_units, small_prices
from mechanism.answers.table import Answers
from mechanism.tabular.files import natural_order

#: Why an answer does not count, by number; 0 counts.
_REASONS = (
    *("", "without a score", "without a cost", "without tokens, which a price needs"),
    *("repeating a question of the same model", "repeating a question of the same model that a later one replaces"),
    "that failed",
)
_SCORE, _COST, _TOKENS, _REPEATED, _REPLACED, _FAILED = range(1, 7)


def load_answers(
    path: str | os.PathLike[str],
    benchmark: str | None = None,
    *,
    format: str | None = None,
    models: Sequence[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
    price_unit: PriceUnit = "1M",
    discounts: Mapping[str, float] = MappingProxyType({}),
    accept: Collection[str] = (),
    repeats: Repeats | None = None,
    failed: Failed | None = None,
    scores: Collection[str] = (),
    require_rewards: bool = False,
    invalid_rows: Literal["raise", "drop"] = "raise",
) -> CompleteAnswers:
    """Load recorded generations, or a public evaluation, of several models.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder of files of one format; the formats are in the documentation (pages public-evaluations and
        recorded-generations). Of
        a folder without such files the subfolders of a public evaluation are read. Of the layout that the paper's
        authors prepare, it holds the folders ``datasets`` and ``rewards``.
    benchmark : str, optional
        Subfolder that is read instead of the folder itself.
    format : str, optional
        Of `mechanism.answers.formats.FORMATS`; by default it is recognised from the columns.
    models : sequence of str, optional
        Exactly these, in this order; by default all recorded generations, in natural order, and of a public evaluation
        see `mechanism.answers.selection.select`.
    prices : str or path-like, optional
        A file of prices of tokens (`mechanism.answers.prices.read_prices`). A model of a public evaluation that it
        names costs these prices, in place of what is recorded; those of recorded generations are listed prices.
    price_unit : {"1M", "1k", "1"}, optional
        How many tokens a price in a table is for.
    discounts : mapping of str to float, optional
        By model, the share in [0, 1) by which its prices are below those of the file; "" stands for other models.
    accept : collection of str, optional
        What may look made up in a public evaluation: see `mechanism.answers.choices.SUSPICIONS`.
    repeats : {"first", "last", "each", "mean"}, optional
        Which answers of a model to one question of a public evaluation count; `each` makes each a question of its own,
        and `mean` one answer of all. By default the first, and answers whose scores differ are refused.
    failed : {"drop", "zero"}, optional
        Whether answers that failed, and those that have no score although they cost something, are left out or count
        as 0 where no score is recorded. By default those that failed count, and the others are left out.
    scores : collection of str, optional
        The names of the scores that count, where a public evaluation has several of each answer.
    require_rewards : bool, optional
        Leave recorded generations of questions that lack a reward out, as best-of-n needs; by default they stay, and no
        rewards are kept if any lacks.
    invalid_rows : {"raise", "drop"}, optional
        What to do about a row that breaks a rule. One that is dropped is reported.

    Returns
    -------
    CompleteAnswers
        Of the questions that every chosen model answered; `left_out` says what is not there, and why.

    Raises
    ------
    InputError
        One line that names file, row and column of what is wrong; a pickle, which is never read; what looks made up;
        answers to one question with other scores, if `repeats` does not say which count; several scores of an answer,
        if `scores` does not.

    Notes
    -----
    One record is held in memory at a time, and about 120 bytes per answer.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> text = "sample_id,large,small,large|total_cost,small|total_cost\\nq1,1,0,0.002,0.001\\nq2,1,1,0.004,0.001\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text(text)
    ...     found = load_answers(path)
    >>> found.format, found.models, str(found.quality("small")), float(found.mean_price("large"))
    ('routerbench', ('large', 'small'), '1/2', 3000.0)
    """
    for argument, value, choices in (
        ("invalid_rows", invalid_rows, ("raise", "drop")),
        ("repeats", repeats, (None, *get_args(Repeats))),
        ("failed", failed, (None, *get_args(Failed))),
        ("format", format, (None, *FORMATS)),
        ("price_unit", price_unit, get_args(PriceUnit)),
    ):
        if value not in choices:
            known = [each for each in choices if each]
            raise InputError(
                argument, value, f"is not a known {argument}", did_you_mean(value, known, f"use {', '.join(known)}")
            )
    wanted = None if models is None else _model_names(models)
    priced = {} if prices is None else read_prices(prices, price_unit)
    reader = Reader(path, benchmark, wanted, FORMATS.get(format or ""), scores=scores, drop=invalid_rows == "drop")
    answers, generations = reader.answers(), reader.format.name == GENERATIONS
    for argument, given in (("accept", next(iter(accept), None)), ("repeats", repeats), ("failed", failed)):
        if generations and given is not None:
            raise InputError(argument, given, "changes nothing", "recorded generations are taken as they are")
    for score in scores:
        if score not in reader.scores:
            known = natural_order(reader.scores)
            shown = f"the scores are {', '.join(known)}" if known else "answers have one score here, without a name"
            raise InputError("score", score, "is not recorded here", did_you_mean(score, known, shown, quote=True))
    priced, hosts = with_hosts(priced, [*answers.models, *reader.rows.others])
    if failed == "zero":
        answers = _with_zeros(answers)
    reason = np.zeros(len(answers), int) if generations else _reasons(answers, priced, drop=failed == "drop")
    names = (*hosts, *_price_names(reader, answers, reason, priced)) if priced else ()
    counted = answers.take(reason == 0)
    _refuse_too_few(
        reader, answers, counted, wanted, (*names, *map(str, (*reader.left_out(), *_left_out(answers, reason))))
    )
    kept, counts, changes = settle_repeats(counted, "first" if generations else repeats)
    reason[np.flatnonzero(reason == 0)[~counts]] = _REPLACED if repeats == "last" else _REPEATED
    if generations:
        chosen = align(kept, wanted or tuple(natural_order(kept.models)), require_rewards=require_rewards)
    else:
        chosen = select(kept, wanted)
    used = {model: priced[model] for i in chosen.models if (model := kept.models[i]) in priced}
    small = (f"{model} {looks}" for model, looks in small_prices(used).items() if generations)
    return _complete(
        kept,
        chosen,
        name=printable(bare_name(reader.place), 80),
        format=reader.format.name,
        prices=_discounted([kept.models[i] for i in chosen.models], used, discounts),
        left_out=(*reader.left_out(), *_left_out(answers, reason), *chosen.left_out),
        accepted=() if generations else check_answers(kept, chosen.models, priced, tuple(accept)),
        noticed=(
            *_changed(
                kept,
                chosen,
                counted if repeats == "mean" else kept,
                answers.take((reason == _COST) | (reason == _TOKENS)),
                answers.take((reason == _SCORE) | (reason == _FAILED)),
            ),
            *_beside_recorded({model: each for model, each in reader.means.items() if model in kept.models}),
            *(*changes, *reader.noticed, *names, *small, *price_range(used)),
            *free_input({} if generations else used),
            *recorded_units(kept, [i for i in chosen.models if kept.models[i] not in used]),
        ),
        misaligned=chosen.misaligned,
        unrewarded=chosen.unrewarded,
        invalid_rows=tuple(reader.invalid),
    )


def _discounted(
    models: Sequence[str], prices: Mapping[str, TokenPrice], discounts: Mapping[str, float]
) -> tuple[TokenPrice | None, ...]:
    """Return the price of each model less its discount, None where it has no price."""
    for name in discounts:
        if name not in prices and (name or not prices):
            remedy = f"they are {first_of(list(prices))}" if prices else "give a file of prices"
            remedy = did_you_mean(name, prices, remedy, quote=True)
            raise InputError("discount", name or discounts[name], "is of no model with a price", remedy)
    of = {model: discounts.get(model, discounts.get("", 0.0)) for model in prices}
    return tuple(prices[model].discounted(of[model]) if model in prices else None for model in models)


def _model_names(models: Sequence[str]) -> tuple[str, ...]:
    names = (models,) if isinstance(models, str) else tuple(models)
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InputError("models", list(names), "must be one or more names, each once", "leave it out for all models")
    return names


def _with_zeros(answers: Answers) -> Answers:
    """Return the answers, with those that have no score although they cost something as failed ones that count as 0."""
    costs = np.isfinite(answers.cost) | (answers.tokens_out >= 0)
    failed = answers.failed | (np.isnan(answers.score) & costs)
    return replace(answers, failed=failed, score=np.where(failed & np.isnan(answers.score), 0.0, answers.score))


def _reasons(answers: Answers, prices: Mapping[str, TokenPrice], *, drop: bool) -> NDArray[np.int64]:
    """Return why each answer does not count, as an index of `_REASONS`."""
    found = [prices.get(model) for model in answers.models]
    no_tokens = np.zeros(len(answers), bool)
    for tokens, paid in (
        (answers.tokens_in, [price is not None and price.input > 0 for price in found]),
        (answers.tokens_out, [price is not None and (price.output > 0 or not price.request) for price in found]),
    ):
        no_tokens |= np.array(paid, bool)[answers.model] & (tokens < 0)
    no_cost = np.array([price is None for price in found], bool)[answers.model] & np.isnan(answers.cost)
    lacking = (drop & answers.failed, np.isnan(answers.score), no_cost, no_tokens)
    return np.select(lacking, (_FAILED, _SCORE, _COST, _TOKENS))


def _beside_recorded(means: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return a sentence with the mean scores beside those that the files record, the largest difference first."""
    order = sorted(means.items(), key=lambda each: -abs(each[1][1] - each[1][2]) / each[1][0])
    shown = [
        f"{printable(model)} {total / count:.6g} ({recorded / count:.6g})" for model, (count, total, recorded) in order
    ]
    return (f"mean scores, and in parentheses those that the files record: {first_of(shown)}",) if shown else ()


def _left_out(answers: Answers, reason: NDArray[np.int64]) -> Iterator[Omission]:
    """Yield which answers do not count, in the order in which their reasons come."""
    found, first = np.unique(reason, return_index=True)
    for why in found[np.argsort(first)].tolist():
        if why:
            yield from answers_left_out(answers, reason == why, _REASONS[why])


def _price_names(
    reader: Reader, answers: Answers, reason: NDArray[np.int64], prices: Mapping[str, TokenPrice]
) -> tuple[str, ...]:
    """Return sentences on models without a price and on prices that no model has; refuse those that cannot be used."""
    if reader.format.name == GENERATIONS:
        unpriced = [model for model in natural_order(answers.models) if model not in prices]
    else:
        unpriced = list(answers.take(reason == _COST).models)
        if _TOKENS in reason and not (answers.tokens_out[~answers.failed] >= 0).any():
            recorded = np.isfinite(answers.cost[~answers.failed]).any()
            remedy = "costs are recorded: leave --prices out"
            remedy = remedy if recorded else f"give the column {TABLE.request}, what an answer costs in USD"
            rule = f"cannot be used: no tokens are recorded here ({reader.format.name})"
            raise InputError("prices", MISSING, rule, remedy)
    names = unmatched(unpriced, prices, {*answers.models, *reader.rows.others})
    if unpriced and reader.format.name == GENERATIONS:
        raise InputError("prices", MISSING, "lacks a price", f"{'; '.join(names)}; add a row, or use --model")
    return names


def _refuse_too_few(
    reader: Reader, answers: Answers, counted: Answers, wanted: tuple[str, ...] | None, why: tuple[str, ...]
) -> None:
    """Refuse answers of too few models, and without a model that was asked for."""
    has_tokens = (answers.tokens_out >= 0).any()
    shown, known = "; ".join(why), natural_order(reader.rows.others | set(counted.models))
    for model in wanted or ():
        if model not in counted.models:
            remedy = did_you_mean(model, known, f"there are {', '.join(known[:12])}", quote=True)
            about = "; ".join(each for each in why if model in each)
            raise InputError("models", model, "has no answers that count", about or remedy)
    if not counted.models:
        ask = ""
        if _REASONS[_COST] in shown and "price" not in shown:
            tokens = "and no tokens are recorded: give what an answer costs (--prices FILE with model, request_price)"
            ask = f"; {'give the prices of tokens (--prices FILE)' if has_tokens else tokens}"
        rule = f"holds no answer that counts ({reader.format.name})"
        raise InputError("answers", str(reader.place), rule, f"{shown or 'is it the right file?'}{ask}")
    if len(counted.models) < 2 and reader.format.name != GENERATIONS:
        remedy = f"a market needs two models or more that answered the same questions{shown and f'; {shown}'}"
        raise InputError("answers", counted.models[0], "is the only model whose answers count", remedy)


def _complete(answers: Answers, selection: Selection, **stated: Any) -> CompleteAnswers:
    """Return the answers that were chosen; a quantity that none of them states is None."""
    names = ("score", "cost", "tokens_in", "tokens_cached", "tokens_out", "reward")
    given: dict[str, Any] = {name: getattr(answers, name)[selection.rows] for name in names}
    for name in names[1:]:
        lacks = given[name] < 0 if name.startswith("tokens") else ~np.isfinite(given[name])
        if lacks.all() or (name == "reward" and (selection.unrewarded or lacks.any())):
            given[name] = None
    return CompleteAnswers(
        models=tuple(answers.models[i] for i in selection.models),
        questions=tuple(answers.questions[i] for i in selection.questions),
        **given,
        **stated,
    )


def _changed(
    answers: Answers, selection: Selection, counted: Answers, unpriced: Answers, unscored: Answers
) -> tuple[str, ...]:
    """Return which mean scores failures change, and which differ because answers or questions are left out.

    `answers` are those of which the selection is; `counted` are as many, or those of which they are means.
    """
    found, count = [], len(selection.questions)
    for i, rows in zip(selection.models, selection.rows, strict=True):
        model, mean = answers.models[i], float(exact_sum(answers.score[rows]) / rows.size)
        every = rows if counted is answers else counted.model == counted.models.index(model)
        failed, scores = counted.failed[every], counted.score[every]
        if failed.any():
            without = "" if failed.all() else f", and {scores[~failed].mean():.6g} without them"
            found.append(
                f"{model} failed {int(failed.sum()):,} of {failed.size:,} answers; they count as recorded, and as 0 "
                f"where no score is: its mean score is {float(exact_sum(scores) / scores.size):.6g}{without}"
            )
        total, scored, asked = _scores_of(model, answers, unpriced)
        of_all = f"{float(total / scored):.6g}"
        if f"{mean:.6g}" != of_all:
            found.append(
                f"{model} has a mean score of {mean:.6g} on the {count:,} questions that count, and of {of_all} on all "
                f"{asked:,} that it answers"
            )
    # A model that is left out may be so because its failures have no score.
    for m, model in enumerate(unscored.models):
        if model in counted.models:
            own = unscored.model == m
            lost, broken = int(own.sum()), int(unscored.failed[own].sum())
            total, scored, _ = _scores_of(model, counted, unpriced)
            recorded = exact_sum(unscored.score[own & ~np.isnan(unscored.score)])
            rest, as_zero = float(total / scored), float((total + recorded) / (scored + lost))
            has = "failed" if broken == lost else "failed or has no score for" if broken else "has no score for"
            found.append(
                f"{model} {has} {lost:,} of {scored + lost:,} answers: its mean score is {rest:.6g} without them, "
                f"and {as_zero:.6g} if they count as 0"
            )
    return tuple(found)


def _scores_of(model: str, answers: Answers, unpriced: Answers) -> tuple[Fraction, int, int]:
    """Return the sum and the number of a model's scores, those of answers without a cost included, and of questions."""
    total, scored, asked = Fraction(0), 0, 0
    for each in (answers, unpriced):
        if model in each.models:
            rows = (each.model == each.models.index(model)) & ~np.isnan(each.score)
            total += exact_sum(each.score[rows])
            scored += int(rows.sum())
            asked += len(np.unique(each.question[rows]))
    return total, scored, asked
