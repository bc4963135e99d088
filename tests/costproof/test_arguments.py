"""What a person has in hand: names, paths and objects are one thing, and anything else is told so in one line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import costproof
from bounds.errors import InputError
from bounds.setting.file import format_setting
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace

NAME = "gpqa-strong"
PAPER = costproof.published(NAME)
LABEL = "lem:payment-range"


@functools.cache
def right() -> Trace:
    return simulate(PAPER.setting, horizon=300, seed=1)


@pytest.fixture(scope="module")
def setting_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("settings") / f"{NAME}.toml"
    path.write_text(format_setting(PAPER.setting), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    write_trace(right(), path, PAPER.setting)
    return path


class TestSettings:
    def test_name_object_and_file_are_one(self, setting_file: Path) -> None:
        reports = [costproof.bounds(it) for it in (NAME, PAPER, PAPER.setting, setting_file, str(setting_file))]
        assert all(report == reports[0] for report in reports)

    @pytest.mark.for_each("wrong", lambda: [3, None, b"gpqa-strong", ["gpqa-strong"], right()])
    def test_anything_else(self, wrong: object) -> None:
        with pytest.raises(InputError, match="must be a Setting, a built-in name or the path of a TOML file"):
            costproof.bounds(wrong)  # type: ignore[arg-type]

    def test_unknown_names_have_a_nearest(self) -> None:
        with pytest.raises(InputError, match=r"^setting='gpqa-strnog' is neither.*did you mean gpqa-strong"):
            costproof.bounds("gpqa-strnog")

    def test_several_are_counted(self) -> None:
        with pytest.raises(InputError, match=r"^settings\[1\]='nowhere.toml' is not an existing file"):
            costproof.verify([NAME, "nowhere.toml"])
        with pytest.raises(InputError, match=r"^settings=3 must be a Setting"):
            costproof.verify(3)  # type: ignore[arg-type]


class TestTraces:
    def test_object_path_and_parts_are_one(self, log: Path) -> None:
        parts = [right().head(200), right().rows(slice(200, None))]
        for given in (right(), log, str(log), parts, iter(parts)):
            assert costproof.measure(NAME, given).selections == costproof.measure(NAME, right()).selections
        audits = [costproof.audit(given, NAME, name="it") for given in (right(), log, parts)]
        assert [report.to_data() for report in audits] == [audits[0].to_data()] * 3
        assert costproof.read_trace(log, NAME) == right()

    def test_a_log_is_called_by_its_path(self, log: Path) -> None:
        assert costproof.audit(log, NAME, labels=LABEL).to_data()["trace"] == str(log)
        assert costproof.audit(right(), NAME, labels=LABEL).to_data()["trace"] == "trace"

    @pytest.mark.parametrize("verb", [costproof.audit, lambda trace, setting: costproof.measure(setting, trace)])
    @pytest.mark.for_each(
        ("wrong", "told"),
        lambda: [
            (7, r"^trace=7 must be a Trace, the path of a log, or Traces that follow each other"),
            (PAPER.setting, r"^trace=.* must be a Trace, the path of a log"),
            ([1, 2], r"^trace\[0\]=1 must be a Trace"),
            (np.zeros(3), r"^trace\[0\]=.* must be a Trace"),
            ([right(), None], r"^trace\[1\]=None must be a Trace"),
            ([], r"^trace=\[\] has no part"),
            ("log.txt", r"^trace='log.txt' must end in .csv"),
            ("nowhere.csv", r"^trace='nowhere.csv' cannot be read"),
        ],
    )
    def test_anything_else(self, verb: Callable[..., object], wrong: object, told: str) -> None:
        with pytest.raises(InputError, match=told) as error:
            verb(wrong, NAME)
        assert "\n" not in str(error.value)


class TestLabels:
    @pytest.mark.parametrize("verb", [lambda labels: costproof.audit(right(), NAME, labels=labels), costproof.prove])
    def test_one_or_several(self, verb: Callable[[Any], object]) -> None:
        def names(report: Any) -> list[str]:
            return [stated.label for stated in report.claims]

        assert names(verb(LABEL)) == names(verb([LABEL])) == names(verb(iter([LABEL]))) == [LABEL]

    @pytest.mark.parametrize(
        "verb",
        [
            lambda labels: costproof.audit(right(), NAME, labels=labels),
            lambda labels: costproof.verify(NAME, labels=labels),
            costproof.prove,
        ],
    )
    def test_unknown_ones(self, verb: Callable[[object], object]) -> None:
        with pytest.raises(InputError, match=r"^labels='lem:payment-rage' .*did you mean lem:payment-range"):
            verb("lem:payment-rage")
        with pytest.raises(InputError, match=r"^labels=3 must be a label of the paper or several"):
            verb([3])
