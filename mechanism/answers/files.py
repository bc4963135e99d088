"""Recorded answers from files: read, checked, and reduced to those that make a market."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, did_you_mean, printable
from mechanism.answers.choices import GENERATIONS, Repeats
from mechanism.answers.complete import CompleteAnswers, exact_sum
from mechanism.answers.formats import FORMATS
from mechanism.answers.omissions import Omission, answers_left_out
from mechanism.answers.prices import TokenPrice, read_prices, unmatched
from mechanism.answers.reading import Reader, bare_name
from mechanism.answers.repeats import settle_repeats
from mechanism.answers.selection import Selection, align, natural_order, select
from mechanism.answers.suspicion import check_answers, free_input, price_range, recorded_units, small_prices
from mechanism.answers.table import Answers

#: Why an answer does not count, by number; 0 counts.
_REASONS = (
    *("", "without a score", "without a cost", "without tokens, which a price needs"),
    *("repeating a question of the same model", "repeating a question of the same model that a later one replaces"),
)
_SCORE, _COST, _TOKENS, _REPEATED, _REPLACED = range(1, 6)


def load_answers(
    path: str | os.PathLike[str],
    benchmark: str | None = None,
    *,
    format: str | None = None,
    models: Sequence[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
    accept: Collection[str] = (),
    repeats: Repeats | None = None,
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
    accept : collection of str, optional
        What may look made up in a public evaluation: see `mechanism.answers.choices.SUSPICIONS`.
    repeats : {"first", "last", "each"}, optional
        Which answers of a model to one question of a public evaluation count; `each` makes each a question of its own.
        By default the first, and answers whose scores differ are refused.
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
        answers to one question with other scores, if `repeats` does not say which count.

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
        ("format", format, (None, *FORMATS)),
    ):
        if value not in choices:
            known = [each for each in choices if each]
            raise InputError(
                argument, value, f"is not a known {argument}", did_you_mean(value, known, f"use {', '.join(known)}")
            )
    wanted = None if models is None else _model_names(models)
    priced = {} if prices is None else read_prices(prices)
    reader = Reader(path, benchmark, wanted, FORMATS.get(format or ""), drop=invalid_rows == "drop")
    answers, generations = reader.answers(), reader.format.name == GENERATIONS
    for argument, given in (("accept", next(iter(accept), None)), ("repeats", repeats)):
        if generations and given is not None:
            raise InputError(argument, given, "changes nothing", "recorded generations are taken as they are")
    reason = np.zeros(len(answers), int) if generations else _reasons(answers, priced)
    names = _price_names(reader, answers, reason, priced) if priced else ()
    counted = answers.take(reason == 0)
    _refuse_too_few(reader, counted, wanted, (*names, *map(str, (*reader.left_out(), *_left_out(answers, reason)))))
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
        prices=tuple(priced.get(kept.models[i]) for i in chosen.models),
        left_out=(*reader.left_out(), *_left_out(answers, reason), *chosen.left_out),
        accepted=() if generations else check_answers(kept, chosen.models, priced, tuple(accept)),
        noticed=(
            *_changed(
                kept, chosen, answers.take((reason == _COST) | (reason == _TOKENS)), answers.take(reason == _SCORE)
            ),
            *(*changes, *reader.noticed, *names, *small, *price_range(used)),
            *free_input({} if generations else used),
            *recorded_units(kept, [i for i in chosen.models if kept.models[i] not in used]),
        ),
        misaligned=chosen.misaligned,
        unrewarded=chosen.unrewarded,
        invalid_rows=tuple(reader.invalid),
    )


def _model_names(models: Sequence[str]) -> tuple[str, ...]:
    names = (models,) if isinstance(models, str) else tuple(models)
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InputError("models", list(names), "must be one or more names, each once", "leave it out for all models")
    return names


def _reasons(answers: Answers, prices: Mapping[str, TokenPrice]) -> NDArray[np.int64]:
    """Return why each answer does not count, as an index of `_REASONS`."""
    priced = np.array([model in prices for model in answers.models], bool)[answers.model]
    paid = np.array([model in prices and prices[model].input > 0 for model in answers.models], bool)[answers.model]
    no_tokens = (answers.tokens_out < 0) | (paid & (answers.tokens_in < 0))
    lacking = (np.isnan(answers.score), ~priced & np.isnan(answers.cost), priced & no_tokens)
    return np.select(lacking, (_SCORE, _COST, _TOKENS))


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
            remedy = "costs are recorded: leave --prices out" if recorded else "and no costs: is it the right file?"
            rule = f"cannot be used: no tokens are recorded here ({reader.format.name})"
            raise InputError("prices", MISSING, rule, remedy)
    names = unmatched(unpriced, prices, {*answers.models, *reader.others})
    if unpriced and reader.format.name == GENERATIONS:
        raise InputError("prices", MISSING, "lacks a price", f"{'; '.join(names)}; add a row, or use --model")
    return names


def _refuse_too_few(reader: Reader, counted: Answers, wanted: tuple[str, ...] | None, why: tuple[str, ...]) -> None:
    """Refuse answers of too few models, and without a model that was asked for."""
    shown, known = "; ".join(why), natural_order(reader.others | set(counted.models))
    for model in wanted or ():
        if model not in counted.models:
            remedy = did_you_mean(model, known, f"there are {', '.join(known[:12])}", quote=True)
            about = "; ".join(each for each in why if model in each)
            raise InputError("models", model, "has no answers that count", about or remedy)
    if not counted.models:
        ask = "; give the prices of tokens (--prices FILE)" if _REASONS[_COST] in shown and "price" not in shown else ""
        rule = f"holds no answer that counts ({reader.format.name})"
        raise InputError("generations", str(reader.place), rule, f"{shown or 'is it the right file?'}{ask}")
    if len(counted.models) < 2 and reader.format.name != GENERATIONS:
        remedy = f"a market needs two models or more that answered the same questions{shown and f'; {shown}'}"
        raise InputError("generations", counted.models[0], "is the only model whose answers count", remedy)


def _complete(answers: Answers, selection: Selection, **stated: Any) -> CompleteAnswers:
    """Return the answers that were chosen; a quantity that none of them states is None."""
    rows = selection.rows
    cost, reward = answers.cost[rows], answers.reward[rows]
    tokens_in, tokens_out = answers.tokens_in[rows], answers.tokens_out[rows]
    return CompleteAnswers(
        models=tuple(answers.models[i] for i in selection.models),
        questions=tuple(answers.questions[i] for i in selection.questions),
        score=answers.score[rows],
        cost=None if np.isnan(cost).all() else cost,
        tokens_in=None if (tokens_in < 0).all() else tokens_in,
        tokens_out=None if (tokens_out < 0).all() else tokens_out,
        reward=None if selection.unrewarded or not np.isfinite(reward).all() else reward,
        **stated,
    )


def _changed(answers: Answers, selection: Selection, unpriced: Answers, unscored: Answers) -> tuple[str, ...]:
    """Return which mean scores failures change, and which differ because answers or questions are left out."""
    found, count = [], len(selection.questions)
    for i, rows in zip(selection.models, selection.rows, strict=True):
        model, failed, scores = answers.models[i], answers.failed[rows], answers.score[rows]
        mean = float(exact_sum(scores) / scores.size)
        if failed.any():
            without = "" if failed.all() else f", and {scores[~failed].mean():.6g} without them"
            found.append(
                f"{model} failed {int(failed.sum()):,} of {count:,} answers; they count as recorded, and as 0 where no "
                f"score is: its mean score is {mean:.6g}{without}"
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
        if model in answers.models:
            lost = int((unscored.model == m).sum())
            total, scored, _ = _scores_of(model, answers, unpriced)
            without, as_zero = (f"{float(total / of):.6g}" for of in (scored, scored + lost))
            found.append(
                f"{model} has no score for {lost:,} of {scored + lost:,} answers: its mean score is {without} without "
                f"them, and {as_zero} if they count as 0"
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
