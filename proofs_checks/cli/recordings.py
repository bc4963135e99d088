"""The options that serve recorded data instead of laws, and the setting and the market that they make."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias, get_args

from bounds.errors import MISSING, InputError
from mechanism.answers.choices import FORMAT_NAMES, SUSPICIONS, Repeats
from proofs_checks.cli.arguments import SETTING_NAMES, Options, real_number, whole_number
from proofs_checks.cli.notes import note

if TYPE_CHECKING:
    from bounds.setting.model import Setting
    from mechanism.episode import OutcomeLaws

    #: A setting, and the recorded data that its providers serve; None where laws do.
    Recorded: TypeAlias = tuple[Setting, OutcomeLaws | None]

#: Options that make a setting of recorded data, where no SETTING is given.
_MAKING = ("models", "quality_threshold", "qualified", "cost_bound")


def add_recordings(add: Options, purpose: str, metavar: str = "SETTING") -> None:
    """Add SETTING (or what stands for it), which may be left out, and the options that make a setting of recorded data.

    `purpose` is what the data are for, to be read before "from the files at this path".
    """
    meaning = f"{SETTING_NAMES}; left out with --generations to take the setting of the data"
    add(f"setting {metavar}", meaning, nargs="?")
    add(
        "--generations PATH",
        f"{purpose} from the files at this path: recorded generations (costproof docs recorded-generations), "
        "or a public evaluation of many models (costproof docs public-evaluations)",
    )
    add("--benchmark NAME", "with --generations: the subfolder with the benchmark")
    add(
        "--format NAME",
        f"with --generations: {', '.join(FORMAT_NAMES)} (default: recognised from the columns)",
        choices=FORMAT_NAMES,
    )
    add(
        "--prices FILE",
        "with --generations: prices of tokens, where no costs are recorded (costproof docs public-evaluations)",
    )
    add(
        "--accept SUSPICION",
        f"with --generations: take what looks made up ({', '.join(SUSPICIONS)}); repeat for several",
        action="append",
        default=[],
        choices=tuple(SUSPICIONS),
    )
    add(
        "--repeats WHICH",
        "with --generations: which answers of a model to one question count: the first, the last, or each as one to a "
        "question of its own (default: refused where their scores differ)",
        choices=get_args(Repeats),
    )
    alone = f"with --generations and no {metavar}:"
    add(
        "--model NAME",
        f"{alone} a model that becomes a provider; repeat for others (default: costproof docs public-evaluations)",
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
        return _served(arguments, None, draws)
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
    for name in ("benchmark", "format", "prices", "accept", "repeats", *_MAKING, "draws"):
        if value := getattr(arguments, name, None):
            raise InputError(name, value, "needs --generations", "name the file or the folder of the recorded data")


def _served(arguments: argparse.Namespace, setting: Setting | None, draws: str | None) -> Recorded:
    """Return a setting with the recorded data of its providers, or the one that the data make; note what is odd."""
    from mechanism.answers.files import load_answers
    from mechanism.answers.setting import answer_laws, answer_notes, base_models_of, setting_of_answers

    answers = load_answers(
        arguments.generations,
        arguments.benchmark,
        format=arguments.format,
        models=arguments.models if setting is None else tuple(dict.fromkeys(base_models_of(setting))),
        prices=arguments.prices,
        accept=arguments.accept,
        repeats=arguments.repeats,
        require_rewards=setting is not None and any(provider.multiplicity > 1 for provider in setting.providers),
    )
    if answers.at_listed_prices and draws is not None:
        remedy = "give --generations the files of a public evaluation (costproof docs public-evaluations)"
        raise InputError("draws", draws, "changes nothing", remedy)
    if answers.at_listed_prices and setting is not None and arguments.prices is not None:
        raise InputError("prices", arguments.prices, "changes nothing", "SETTING lists the prices of its providers")
    chosen = setting or setting_of_answers(
        answers,
        quality_threshold=arguments.quality_threshold,
        qualified=arguments.qualified,
        cost_bound=arguments.cost_bound,
    )
    laws = answer_laws(answers, chosen, draws=draws or "passes")  # type: ignore[arg-type]
    for told in answer_notes(laws, chosen):
        note(told)
    if setting is None:
        _note_setting(chosen)
    return chosen, laws


def _note_setting(setting: Setting) -> None:
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
