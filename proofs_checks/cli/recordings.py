"""The options that serve recorded data instead of laws, and the setting and the market that they make."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import MISSING, InputError
from proofs_checks.cli.arguments import SETTING_NAMES, option_adder, real_number, whole_number
from proofs_checks.cli.notes import note

if TYPE_CHECKING:
    from bounds.setting.model import Setting
    from mechanism.episode import OutcomeLaws
    from mechanism.evaluations.evaluation import Evaluation

    #: A setting, and the recorded data that its providers serve; None where laws do.
    Recorded: TypeAlias = tuple[Setting, OutcomeLaws | None]

#: Recorded generations, several of each question, and the public evaluations of `mechanism.evaluations.formats`.
FORMAT_NAMES = ("generations", "routerbench", "llmrouterbench", "routerarena", "sprout")
SUSPICION_NAMES = ("constant-tokens", "constant-costs", "zero-prices", "price-units")
REPEAT_NAMES = ("first", "last", "each")
DRAW_NAMES = ("passes", "independent")
#: Options that make a setting of recorded data, where no SETTING is given.
_MAKING = ("models", "quality_threshold", "qualified", "cost_bound")
#: Of the paper's experiments: no generation has more tokens.
_TOKEN_CAP = 512


def add_recordings(parser: argparse.ArgumentParser, purpose: str, metavar: str = "SETTING") -> None:
    """Add SETTING (or what stands for it), which may be left out, and the options that make a setting of recorded data.

    `purpose` is what the data are for, to be read before "from the files at this path".
    """
    add = option_adder(parser)
    meaning = f"{SETTING_NAMES}; left out with --generations to take the setting of the data"
    parser.add_argument("setting", metavar=metavar, nargs="?", help=meaning)
    add(
        "--generations PATH",
        f"{purpose} from the files at this path: recorded generations (docs/generations.md), or a public evaluation "
        "of many models (docs/evaluations.md)",
    )
    add("--benchmark NAME", "with --generations: the subfolder with the benchmark")
    add(
        "--format NAME",
        f"with --generations: {', '.join(FORMAT_NAMES)} (default: recognised from the columns)",
        choices=FORMAT_NAMES,
    )
    add("--prices FILE", "with --generations: prices of tokens, where no costs are recorded (docs/evaluations.md)")
    add(
        "--accept SUSPICION",
        f"with --generations: take what looks made up ({', '.join(SUSPICION_NAMES)}); repeat for several",
        action="append",
        default=[],
        choices=SUSPICION_NAMES,
    )
    add(
        "--repeats WHICH",
        "with --generations: which answers of a model to one question count: the first, the last, or each as one to a "
        "question of its own (default: refused where their scores differ)",
        choices=REPEAT_NAMES,
    )
    alone = f"with --generations and no {metavar}:"
    add(
        "--model NAME",
        f"{alone} a model that becomes a provider; repeat for others (default: docs/evaluations.md)",
        action="append",
        dest="models",
    )
    share = real_number(lambda value: 0 <= value <= 1, "must lie in 0..1")
    add("--quality-threshold Q", f"{alone} q_min (default: the better half of the models qualifies)", type=share)
    add("--qualified K", f"{alone} how many models qualify, instead of q_min", type=whole_number(1))
    positive = real_number(lambda value: 0 < value < float("inf"), "must be positive")
    add("--cost-bound C", f"{alone} c_max in 1e-6 USD (default: the dearest answer)", type=positive)


def setting_or_recorded(arguments: argparse.Namespace, draws: str | None = None) -> Recorded:
    """Return the setting that is named, or that recorded data make, and the data; note what is odd about them."""
    from proofs_checks.cli.input import setting_named

    if arguments.generations is None:
        _refuse_lonely(arguments)
        if arguments.setting is None:
            raise InputError("setting", MISSING, "must be given", f"{SETTING_NAMES}; or --generations PATH")
        return setting_named(arguments.setting), None
    if arguments.setting is None:
        return _made(arguments, draws)
    for name in _MAKING:
        if (value := getattr(arguments, name)) is not None:
            raise InputError(name, value, "needs --generations without SETTING", "SETTING says it: leave one out")
    return _served(arguments, setting_named(arguments.setting), draws)


def words_of(arguments: argparse.Namespace) -> str:
    """Return the setting and the options of recorded data as they were given, for the next command.

    Examples
    --------
    >>> given = {"setting": None, "generations": "my data", "benchmark": None, "format": None, "prices": "p.csv"}
    >>> more = {"accept": [], "models": None, "quality_threshold": 0.5, "qualified": None, "cost_bound": None}
    >>> words_of(argparse.Namespace(**given, **more))
    "--generations 'my data' --prices p.csv --quality-threshold 0.5"
    """
    import shlex  # for what is said to a terminal alone

    words = [] if arguments.setting is None else [arguments.setting]
    for name in ("generations", "benchmark", "format", "prices", "accept", "repeats", *_MAKING, "draws"):
        given = getattr(arguments, name, None)
        flag = "--model" if name == "models" else f"--{name.replace('_', '-')}"
        for value in given if isinstance(given, list) else [given]:
            words += [] if value is None else [flag, str(value)]
    return shlex.join(words)


def _refuse_lonely(arguments: argparse.Namespace) -> None:
    """Refuse options of recorded data without such data."""
    for name in ("benchmark", "format", "prices", "accept", "repeats", *_MAKING):
        if value := getattr(arguments, name):
            raise InputError(name, value, "needs --generations", "name the file or the folder of the recorded data")


def _is_evaluation(arguments: argparse.Namespace) -> bool:
    from mechanism.evaluations.files import evaluation_format

    if arguments.format is not None:
        return bool(arguments.format != "generations")
    found = evaluation_format(arguments.generations, arguments.benchmark)
    if found is None and os.path.isfile(arguments.generations):
        remedy = f"name the folder of recorded generations, or the format (--format {', '.join(FORMAT_NAMES[1:])})"
        raise InputError("generations", arguments.generations, "is a file of no known evaluation", remedy)
    return found is not None


def _served(arguments: argparse.Namespace, setting: Setting, draws: str | None) -> Recorded:
    """Return a setting that was named with the recorded data of its providers."""
    if _is_evaluation(arguments):
        from mechanism.evaluations.setting import evaluated_laws, evaluation_notes

        evaluation = _evaluation(arguments, [provider.name for provider in setting.providers])
        answers = evaluated_laws(evaluation, setting, draws=draws or "passes")  # type: ignore[arg-type]
        for told in evaluation_notes(answers, setting):
            note(told)
        return setting, answers
    _refuse_for_generations(arguments)
    if arguments.prices is not None:
        raise InputError("prices", arguments.prices, "changes nothing", "SETTING lists the prices of its providers")
    from mechanism.recorded.setting import load_recorded_laws, recording_notes

    laws = load_recorded_laws(arguments.generations, setting, benchmark=arguments.benchmark)
    for told in recording_notes(laws, setting):
        note(told)
    return setting, laws


def _refuse_for_generations(arguments: argparse.Namespace) -> None:
    for name in ("accept", "repeats"):
        if given := getattr(arguments, name):
            value = given[0] if isinstance(given, list) else given
            raise InputError(name, value, "changes nothing", "recorded generations are taken as they are")


def _evaluation(arguments: argparse.Namespace, models: list[str] | None) -> Evaluation:
    from mechanism.evaluations.files import load_evaluation

    return load_evaluation(
        arguments.generations,
        format=arguments.format,
        benchmark=arguments.benchmark,
        models=models,
        prices=arguments.prices,
        accept=arguments.accept,
        repeats=arguments.repeats,
    )


def _made(arguments: argparse.Namespace, draws: str | None) -> Recorded:
    """Return the setting that recorded data make, and the data."""
    recorded = _made_of_evaluation if _is_evaluation(arguments) else _made_of_generations
    setting, laws = recorded(arguments, draws)
    platform = setting.platform
    qualified = len(setting.qualified)
    verb = "qualifies" if qualified == 1 else "qualify"
    note(
        f"{setting.name} has {setting.n_providers} providers, of which {qualified} {verb} at q_min = "
        f"{platform.quality_threshold:.6g}; c_max = {platform.cost_bound:.6g}, in 1e-6 USD per query"
    )
    if qualified < 2:
        note(
            f"guarantees that compare two qualified providers do not apply where {qualified} {verb}: "
            f"--quality-threshold {setting.second_best_quality!r} or less lets two qualify, and so may a further model"
        )
    return setting, laws


def _made_of_evaluation(arguments: argparse.Namespace, draws: str | None) -> Recorded:
    from mechanism.evaluations.setting import evaluated_laws, evaluated_setting, evaluation_notes

    evaluation = _evaluation(arguments, arguments.models)
    setting = evaluated_setting(
        evaluation,
        quality_threshold=arguments.quality_threshold,
        qualified=arguments.qualified,
        cost_bound=arguments.cost_bound,
    )
    laws = evaluated_laws(evaluation, setting, draws=draws or "passes")  # type: ignore[arg-type]
    for told in evaluation_notes(laws, setting):
        note(told)
    return setting, laws


def _made_of_generations(arguments: argparse.Namespace, draws: str | None) -> Recorded:
    from mechanism.evaluations.prices import read_prices, unmatched
    from mechanism.evaluations.setting import upper_half
    from mechanism.evaluations.suspicion import price_range, small_prices
    from mechanism.recorded.files import load_generations
    from mechanism.recorded.market import RecordedProvider
    from mechanism.recorded.setting import recorded_laws, recorded_setting, recording_notes

    _refuse_for_generations(arguments)
    if arguments.cost_bound is not None:
        remedy = "for recorded generations it is the largest price of as many tokens as one has, 512 at least"
        raise InputError("cost_bound", arguments.cost_bound, "cannot be given", remedy)
    if arguments.prices is None:
        remedy = "recorded generations have tokens, no costs: give the prices of tokens, or SETTING with listed prices"
        raise InputError("prices", MISSING, "must be given", remedy)
    prices = read_prices(arguments.prices)
    generations = load_generations(arguments.generations, arguments.benchmark, models=arguments.models)
    unpriced = [model for model in generations.models if model not in prices]
    names = unmatched(unpriced, prices, generations.models)
    if unpriced:
        remedy = f"{'; '.join(names)}; add a row, or use --model"
        raise InputError("prices", arguments.prices, "lacks a price", remedy)
    roster = [RecordedProvider(model, prices[model].output) for model in generations.models]
    threshold, qualified = arguments.quality_threshold, arguments.qualified
    if threshold is None and qualified is None:
        qualified = upper_half([generations.best_of_n_quality(model) for model in generations.models])
    longest = max(generations.most_tokens(model) for model in generations.models)
    setting = recorded_setting(
        generations,
        roster,
        quality_threshold=threshold,
        qualified=qualified,
        token_cap=max(longest, _TOKEN_CAP),
        name=generations.benchmark or os.path.basename(arguments.generations),
    )
    laws = recorded_laws(generations, setting, base_models=generations.models)
    used = {model: prices[model] for model in generations.models}
    small = [f"{model} {looks}" for model, looks in small_prices(used).items()]
    for told in (*recording_notes(laws, setting), *names, *small, *price_range(used)):
        note(told)
    return setting, laws
