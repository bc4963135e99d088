"""Options that commands share, and how their values are read; importing this loads nothing heavy."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from bounds.errors import MISSING, InputError, did_you_mean
from bounds.limits import LARGEST_HORIZON, NOT_LARGER, WHY_NOT_LARGER
from mechanism.policy_names import POLICY_NAMES

Value = TypeVar("Value", int, float)

#: How settings are named wherever a command takes them.
SETTING_NAMES = "a built-in name, a TOML file, or - for TOML on standard input"
#: How claims are named wherever a command takes them.
CLAIM_NAMES = "claims by label, by number ('Theorem 4') or by words ('payment range')"


def whole_number(least: int = 0, most: int | None = None) -> Callable[[str], int]:
    """Return an argparse type for whole numbers of at least `least`, and at most `most`.

    Examples
    --------
    >>> whole_number(1)("12"), whole_number(1)("70k"), whole_number(1)("1.5M")
    (12, 70000, 1500000)
    """
    rule = f"must be a whole number of at least {least}" + (f" and at most {most}" if most is not None else "")
    return _checked(_integer, lambda value: least <= value and (most is None or value <= most), rule)


def real_number(accepts: Callable[[float], bool], rule: str) -> Callable[[str], float]:
    """Return an argparse type for numbers that a condition accepts; `rule` says which, to be read after the text.

    Examples
    --------
    >>> real_number(lambda value: value > 0, "must be positive")("0.5")
    0.5
    """
    return _checked(float, accepts, rule)


def _checked(read: Callable[[str], Value], accepts: Callable[[Value], bool], rule: str) -> Callable[[str], Value]:
    def parse(text: str) -> Value:
        try:
            value = read(text)
        except ValueError:
            value = None
        if value is None or not accepts(value):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} {rule}")
        return value

    return parse


def _with_suffix(text: str) -> float:
    factor = _SUFFIXES.get(text[-1:].lower())
    if factor is None:
        return float(text)
    try:
        return float(Decimal(text[:-1]) * factor)
    except ArithmeticError:
        raise ValueError(text) from None


#: Thousands and millions, as people write horizons.
_SUFFIXES = {"k": 10**3, "m": 10**6}


#: Commas stand between groups of three digits: "1000,5000" is a list, and "250.000" may mean either of two numbers.
_GROUPED = r"\d{1,3}(,\d{3})+(?![\d,_])"


def _integer(text: str) -> int:
    """Read 70000, 70,000, 70_000, 7e4, 70k or 0.07M."""
    if "," in text and not re.match(_GROUPED, text):
        told = f"{text[:40]!r} is not one number: write 250000, 250,000 or 250k; for several values, one run each"
        raise argparse.ArgumentTypeError(told)
    if re.fullmatch(r"\d{1,3}\.\d{3}", text):
        told = f"{text!r} may mean two numbers: write {text.partition('.')[0]} or {text.replace('.', '')}"
        raise argparse.ArgumentTypeError(told)
    if re.fullmatch(r"[\d.,_]+ ?[a-zA-Z]+", text) and text[-2:-1].isalpha() | (text[-1].lower() not in _SUFFIXES):
        told = f"{text[:40]!r} must be a whole number; the suffixes that are read are k (thousand) and M (million)"
        raise argparse.ArgumentTypeError(told)
    plain = text.replace(",", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        value = _with_suffix(plain)
    if not value.is_integer():
        raise ValueError(text)
    if abs(value) > LARGEST_HORIZON:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is a whole number that {NOT_LARGER}: {WHY_NOT_LARGER}")
    return int(value)


class _Removed(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _: object, values: object, option: object = None) -> None:
        value = MISSING if values == self.const else values
        parser.error(str(InputError(str(option), value, "was removed", str(self.const))))


#: The formats of a table: the flag, the method of `bounds.sheet.Sheet` that writes it, and what it is called.
_TABLES = (("--csv", "csv", "CSV"), ("--markdown", "markdown", "Markdown"), ("--latex-table", "latex", "LaTeX"))
TABLE_FLAGS = tuple(flag for flag, *_ in _TABLES)


#: The methods of bounds, without loading them.
METHOD_NAMES = ("paper", "sharp", "sharpest")

#: How bidders are named wherever a command takes them.
BIDDER_KINDS = (
    "truthful (default), bayesian (widens the platform's radius as needed) or bayesian:SHARE:STRENGTH (a prior mean "
    "of SHARE c_max, worth STRENGTH observations), deviating (by the setting's underbid and overbid), fixed:X "
    "(everybody always bids X), biased:X (off by the share X of c_max) or independent (of costs)"
)
KEEP_GAMMA = "of bayesian bidders: play with the setting's gamma, though they need more; its bounds are not promised"


#: The arguments of `Options.ci_files`.
CI_FILES = ("json_file", "junit", "sarif")


class _PolicyChoices(tuple[str, ...]):
    """Names of policies that a shell completes; what may stand for one, `_policy_name` says."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True


def _policy_name(text: str) -> str:
    """Read the name of a policy, or MODULE:OBJECT."""
    if text in POLICY_NAMES or ":" in text:
        return text
    if text.endswith(".py"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a policy: add the name of what is in the file, {text}:NAME")
    remedy = did_you_mean(text, POLICY_NAMES, f"choose from {', '.join(POLICY_NAMES)}")
    raise argparse.ArgumentTypeError(f"{text!r} is an unknown policy: {remedy}; one of your own is MODULE:OBJECT")


#: What argparse takes of an argument that is a policy.
A_POLICY: Mapping[str, Any] = {"type": _policy_name, "choices": _PolicyChoices(POLICY_NAMES)}


def given_again(options: Mapping[str, object]) -> list[str]:
    """Return the options that were given, as words of the next command; a flag has no value.

    Examples
    --------
    >>> given_again({"--at-point": True, "--tolerance": 0.5, "--state": None})
    ['--at-point', '--tolerance', '0.5']
    """
    words = ((name,) if value is True else (name, f"{value}") for name, value in options.items() if value)
    return [word for each in words for word in each]


class Options:
    """The options of a command, added to its parser: one by one, or by the name of one that commands share.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add = Options(parser)
    >>> add("--runs R", "independent runs", type=whole_number(1))
    >>> add.seed()
    >>> parser.parse_args(["--runs", "3"])
    Namespace(runs=3, seed=0)
    """

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser

    def __call__(self, written: str, help: str, **more: Any) -> None:
        """Add an argument: "--flag METAVAR" or "name METAVAR", what it means, and what else argparse takes."""
        name, _, metavar = written.partition(" ")
        if metavar:
            more["metavar"] = metavar
        self._parser.add_argument(name, help=help, **more)

    def several(self, written: str, help: str, dest: str, **more: Any) -> None:
        """Add an option that may be given several times, as a list."""
        self(written, help, action="append", dest=dest, **{"default": [], **more})

    def removed(self, flag: str, remedy: str) -> None:
        """Add an option that is refused, with what to do instead."""
        self(flag, argparse.SUPPRESS, action=_Removed, nargs="?", const=remedy)

    def all(self, shown: str) -> None:
        """Add `--all`: print everything; `shown` says what that is beyond the default screen."""
        self("--all", f"print everything: {shown}", action="store_true", dest="everything")

    def seed(self) -> None:
        """Add `--seed`."""
        self("--seed", "seed of all randomness (default 0)", type=whole_number(0, 2**64 - 1), default=0)

    def setting(self) -> None:
        """Add SETTING."""
        self("setting SETTING", SETTING_NAMES)

    def horizon(self, meaning: str = "number of queries (default 70,000, the paper's)") -> None:
        """Add `--horizon`; the setting decides whether it is long enough, and the formulas whether it is exact."""
        self("--horizon T", f"{meaning}; 70000, 70k or 0.07M", type=whole_number(0))

    def jobs(self, meaning: str = "processes (default: all cores)", default: int | None = None) -> None:
        """Add `--jobs`, by default as many as this process may use cores."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self("--jobs J", meaning, type=whole_number(1, 1024), default=default or cores)

    def tables(self, rows: str) -> None:
        """Add `--csv`, `--markdown` and `--latex-table`, at most one of which may be given, as `args.table`."""
        group = self._parser.add_mutually_exclusive_group()
        for flag, name, called in _TABLES:
            meaning = f"print the table as CSV instead: {rows}" if name == "csv" else f"the same as {called}"
            group.add_argument(flag, action="store_const", const=name, dest="table", help=meaning)

    def ci_files(self, case: str) -> None:
        """Add the files that programs of continuous integration read; `case` says what is a test case."""
        self("--json-file FILE", "write the document of --json as well, beside what is printed")
        self("--junit FILE", f"write JUnit XML: a test case for {case}")
        self("--sarif FILE", "write what failed as SARIF 2.1.0, with files and lines")

    def claims(self, dest: str = "labels") -> None:
        """Add `--claim`, the `labels` of Python unless `dest` says otherwise."""
        meaning = "only this claim, by label, number ('Theorem 4') or words; repeat for several"
        self.several("--claim LABEL", meaning, dest)
