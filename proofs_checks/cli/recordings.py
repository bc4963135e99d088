"""The options that read recorded answers, and the market that serves them instead of laws."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias, get_args

from bounds.errors import InputError
from mechanism.answers.choices import FORMAT_NAMES, SUSPICIONS, Failed, PriceUnit, Repeats
from proofs_checks.cli.arguments import Options
from proofs_checks.cli.notes import note

if TYPE_CHECKING:
    from bounds.setting.model import Setting
    from mechanism.answers.complete import CompleteAnswers
    from mechanism.episode import OutcomeLaws

    #: A setting, and the recorded data that its providers serve; None where laws do.
    Recorded: TypeAlias = tuple[Setting, OutcomeLaws | None]

#: The options of `add_reading`, by their names in Python.
_READING = ("benchmark", "format", "prices", "price_unit", "discounts", "accept", "repeats", "failed", "scores")
#: The flags of options that Python calls otherwise.
_FLAGS = {"price_unit": "price-unit", "discounts": "discount", "scores": "score"}
#: What stands for a path of answers.
PATH_OF_ANSWERS = (
    "recorded generations (costproof docs recorded-generations), or a public evaluation of many models (costproof docs "
    "public-evaluations): a file or a folder"
)


def add_reading(add: Options, condition: str = "") -> None:
    """Add the options that say how answers are read; `condition` is what their help begins with."""
    add("--benchmark NAME", f"{condition}the subfolder with the benchmark")
    formats = f"{condition}{', '.join(FORMAT_NAMES)} (default: recognised from the columns)"
    add("--format NAME", formats, choices=FORMAT_NAMES)
    prices = (
        f"{condition}prices of tokens or of answers, where no costs are recorded: a table, or the list of LiteLLM or "
        "OpenRouter (costproof docs public-evaluations)"
    )
    add("--prices FILE", prices)
    unit = f"{condition}how many tokens a price of a table is for: 1M (default), 1k or 1"
    add("--price-unit TOKENS", unit, choices=get_args(PriceUnit))
    discounts = (
        f"{condition}how far prices are below those of the file: 0.5 is half; MODEL=SHARE for one model, repeat for "
        "others (default 0)"
    )
    add.several("--discount SHARE", discounts, "discounts", type=_discount)
    suspicions = f"{condition}take what looks made up ({', '.join(SUSPICIONS)}); repeat for several"
    add.several("--accept SUSPICION", suspicions, "accept", choices=tuple(SUSPICIONS))
    repeats = (
        f"{condition}which answers of a model to one question count: the first, the last, each as one to a question of "
        "its own, or one with their mean score and cost (default: refused where their scores differ)"
    )
    add("--repeats WHICH", repeats, choices=get_args(Repeats))
    failed = (
        f"{condition}whether answers that failed or have no score are left out, or count as 0 (default: those that "
        "failed count, those without a score are left out)"
    )
    add("--failed WHICH", failed, choices=get_args(Failed))
    scores = f"{condition}the score that counts, where answers have several; repeat it for files with others"
    add.several("--score NAME", scores, "scores")


def _discount(text: str) -> tuple[str, float]:
    """Read SHARE or MODEL=SHARE."""
    model, _, share = text.rpartition("=")
    try:
        return model, float(share)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} must be a share or MODEL=SHARE, as 0.5") from None


def add_recordings(add: Options) -> None:
    """Add SETTING, and the options that serve recorded answers in its market."""
    add.setting()
    add("--answers PATH", f"serve recorded answers instead of laws: {PATH_OF_ANSWERS}")
    add.removed("--generations", "it is called --answers; `costproof market` makes the setting that it serves")
    add_reading(add, "with --answers: ")


def answers_read(arguments: argparse.Namespace, models: tuple[str, ...] | None, *, rewards: bool) -> CompleteAnswers:
    """Return the answers that the options of `add_reading` name, of these models or of all."""
    from mechanism.answers.files import load_answers

    given = {name: getattr(arguments, name) for name in _READING}
    given |= {"price_unit": arguments.price_unit or "1M", "discounts": dict(arguments.discounts)}
    return load_answers(arguments.answers, models=models, require_rewards=rewards, **given)


def setting_and_answers(arguments: argparse.Namespace, draws: str | None = None) -> Recorded:
    """Return the setting that is named, and the recorded data that it serves; note what is odd about them."""
    from proofs_checks.cli.input import setting_named

    if arguments.answers is None:
        for name in (*_READING, "draws"):
            if value := getattr(arguments, name, None):
                raise InputError(name, value, "needs --answers", "name the file or the folder of the recorded data")
    setting = setting_named(arguments.setting)
    return setting, None if arguments.answers is None else _laws(arguments, setting, draws)


def words_of(arguments: argparse.Namespace) -> str:
    """Return the setting and the options of recorded data as they were given, for the next command.

    Examples
    --------
    >>> given = {"setting": "m.toml", "answers": "my data", "prices": "p.csv", "discounts": [("", 0.5), ("a", 0.1)]}
    >>> words_of(argparse.Namespace(**given))
    "m.toml --answers 'my data' --prices p.csv --discount 0.5 --discount a=0.1"
    """
    import shlex  # for what is said to a terminal alone

    words = [arguments.setting]
    for name in ("answers", *_READING, "draws"):
        given = getattr(arguments, name, None)
        flag = f"--{_FLAGS.get(name, name)}"
        for value in given if isinstance(given, list) else [given]:
            written = f"{value[0]}={value[1]}".lstrip("=") if isinstance(value, tuple) else str(value)
            words += [] if value is None else [flag, written]
    return shlex.join(words)


def _laws(arguments: argparse.Namespace, setting: Setting, draws: str | None) -> OutcomeLaws:
    """Return the market in which a setting's providers serve recorded data; note what is odd about it."""
    from mechanism.answers.setting import answer_laws, answer_notes, base_models_of

    best_of_n = any(provider.multiplicity > 1 for provider in setting.providers)
    answers = answers_read(arguments, tuple(dict.fromkeys(base_models_of(setting))), rewards=best_of_n)
    if answers.at_listed_prices and draws is not None:
        remedy = "give --answers the files of a public evaluation (costproof docs public-evaluations)"
        raise InputError("draws", draws, "changes nothing", remedy)
    if answers.at_listed_prices and arguments.prices is not None:
        raise InputError("prices", arguments.prices, "changes nothing", "SETTING lists the prices of its providers")
    laws = answer_laws(answers, setting, draws=draws or "passes")  # type: ignore[arg-type]
    for told in answer_notes(laws, setting):
        note(told)
    return laws
