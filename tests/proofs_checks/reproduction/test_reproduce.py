"""The paper's tables beside ours: `costproof reproduce` and what it calls."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, PrintedNumber, printed_numbers, published
from bounds.setting.model import Setting
from proofs_checks.cli.commands import reproduce as command
from proofs_checks.cli.main import main
from proofs_checks.cli.views.reproduce import show_reproduction
from proofs_checks.reproduction.run import ReproducedNumber, compare_all, numbers_of, reproduce
from proofs_checks.reproduction.statistics import NumberAgainstPrinted
from proofs_checks.reproduction.tables import REASONS, PaperTable, paper_table, reason_for
from tests.proofs_checks.reproduction.played import values_of_runs

NAME = "gpqa-strong"
PAPER = published(NAME)
#: How the captions of the paper's tables begin, as printed; the two rosters of a benchmark share them.
CAPTIONS = {
    ("gsm8k-ladder", "one-pass"): ("tab:gsm8k-one-pass", "GSM8K one-pass outcomes"),
    ("gpqa-full", "payments"): ("tab:gpqa-payments", "GPQA one pass: the platform's economic quantities"),
    ("gpqa-strong", "long"): ("tab:strong-long", "GPQA strong-competition long horizon: outcomes at T = 70,000"),
    ("gpqa-strong", "main"): ("tab:main-environments", "Our procurement platform on queries from GSM8K and GPQA"),
}
KEYS = {"label", "setting", "table", "row", "column", "stat", "printed", "ours", "standard_error", "z"}


def changed(**parameters: float) -> Setting:
    return replace(PAPER.setting, platform=replace(PAPER.setting.platform, **parameters))


def agreement(setting: Setting | None) -> float:
    lines = compare_all(PAPER, values_of_runs(PAPER, seed=0, runs=range(40), setting=setting))
    compared = [line for line in lines if line.comparison]
    return sum(line.agrees is True for line in compared) / len(compared)


class TestReproduce:
    def test_the_published_market_agrees(self) -> None:
        assert agreement(None) >= 0.97

    @pytest.mark.parametrize(
        "wrong", [changed(exploration_scale=1e-9), changed(cost_bound=150.0), changed(quality_threshold=0.19)]
    )
    def test_a_wrong_platform_is_noticed(self, wrong: Setting) -> None:
        assert agreement(wrong) < 0.8

    def test_lines_keep_the_order_of_the_tables(self) -> None:
        found = reproduce([NAME, "gsm8k-full"], runs=2)
        assert [line.number for line in found.lines] == [*numbers_of(PAPER), *numbers_of(published("gsm8k-full"))]

    def test_extremes_need_many_runs(self) -> None:
        values = values_of_runs(PAPER, seed=0, runs=range(4))
        few, many = compare_all(PAPER, np.tile(values, (74, 1))), compare_all(PAPER, np.tile(values, (75, 1)))
        assert {line.number.stat for line in few if line.comparison is None} == {"min", "max"}
        assert all("at least 300" in line.reason for line in few if line.comparison is None)
        assert all(line.comparison for line in many)


@pytest.mark.parametrize(("key", "name"), CAPTIONS.items())
def test_tables_have_the_names_of_the_paper(key: tuple[str, str], name: tuple[str, str]) -> None:
    assert paper_table(*key) == PaperTable(*name)


def test_every_printed_table_has_a_name() -> None:
    # Seven tables each of GSM8K, GPQA and strong competition, and the one of the main text.
    assert len({paper_table(number.setting, number.table) for number in printed_numbers()}) == 3 * 7 + 1


@pytest.mark.parametrize("key", [("gpqa", "long"), ("gpqa-full", "longer")])
def test_unknown_tables(key: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="is not in the paper"):
        paper_table(*key)


def test_a_reason_explains_no_disagreement_of_another_size() -> None:
    for key, reason in REASONS.items():
        for z in (reason.lowest, reason.highest):
            assert reason_for(key, z) == reason.text
        for z in (reason.lowest - 0.1, reason.highest + 0.1, -50.0, 50.0, None):
            assert reason_for(key, z) is None
    assert reason_for(("gsm8k-full", "long", "Platform", "Accuracy"), 3.5) is None


def test_a_regression_is_unexplained_though_its_number_has_a_reason() -> None:
    paper = published("gsm8k-full")
    index, number = next(
        (i, n) for i, n in enumerate(numbers_of(paper)) if (paper.setting.name, n.table, n.row, n.column) in REASONS
    )
    values = np.zeros((300, len(numbers_of(paper))))
    wrong = compare_all(paper, values)[index]
    assert wrong.reason is None
    assert wrong.unexplained
    right = compare_all(paper, np.full_like(values, number.printed))[index]
    assert right.agrees
    assert not right.unexplained


class TestCommand:
    def call(self, capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
        code = main(["reproduce", *(str(argument) for argument in arguments)])
        return code, *capsys.readouterr()

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = self.call(capsys, NAME, "--runs", 40, "--jobs", 1, "--json")
        data = json.loads(out)
        assert (code, err) == (0, "")
        assert data["total"] == len(data["numbers"]) == 159
        assert all(row.keys() >= KEYS for row in data["numbers"])
        assert data["agree_within_3"] == sum(row["z"] is not None and abs(row["z"]) < 3 for row in data["numbers"])
        assert data["not_compared"] == sum(row["z"] is None for row in data["numbers"]) == 12
        assert data["market"][NAME]["options"]["questions"] == 546
        assert sum(table["numbers"] for table in data["tables"]) == 159
        assert data["judged"] is True
        assert 0 < data["varying"] < 147
        assert data["expected_by_chance"] == pytest.approx(0.0027 * data["varying"], rel=1e-3)
        assert data["numbers"][0]["label"] in {table["label"] for table in data["tables"]}

    def test_terminal_shows_every_number(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = self.call(capsys, NAME, "--runs", 2, "--jobs", 1, "--all")
        assert code == 0
        assert out.count("too few runs") == 12
        assert "(tab:strong-one-pass)" in " ".join(out.split())
        assert "|Qhat|" in out
        assert "Llama-3.1-8B (i^*)" in out
        assert "too few for verdicts" in " ".join(out.split())
        assert "chance" not in out
        assert "\\" not in out

    def test_the_screen_leaves_the_tables_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = self.call(capsys, NAME, "--runs", 30, "--jobs", 1)
        assert code == 0
        assert "|Qhat|" not in out
        assert "numbers agree within 3 standard errors" in out.splitlines()[0]
        assert len(out.splitlines()) <= 30

    def test_few_runs_give_numbers_and_no_verdict(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = self.call(capsys, NAME, "--runs", 2, "--jobs", 1, "--json")
        data = json.loads(out)
        assert code == 0
        assert (data["judged"], data["unexplained"], data["expected_by_chance"]) == (False, None, None)
        assert {row["agrees"] for row in data["numbers"]} == {None}
        assert max(abs(row["z"] or 0) for row in data["numbers"]) > 3

    def test_disagreements_are_named_with_what_is_known(self, capsys: pytest.CaptureFixture[str]) -> None:
        number = PrintedNumber(NAME, "payoffs", "big", "payoff max", "max", 9.0, 0.5, None)
        ours = NumberAgainstPrinted(
            ours=5.0,
            standard_error_printed=1.0,
            standard_error_ours=0.0,
            standard_error=1.0,
            z=4.0,
            tail_probability=None,
            tail_resolved=None,
            halfwidth_ratio=None,
        )
        found = reproduce([NAME], runs=30)
        for change, reason, said in (
            ({"tail_probability": 0.06}, None, "tail probability 0.06: unexplained, but not rare by its tail"),
            ({}, "looked into", "z 4.00: looked into"),
            ({"z": None}, None, "z none: unexplained"),
        ):
            line = ReproducedNumber(number=number, comparison=replace(ours, **change), reason=reason)
            show_reproduction(replace(found, lines=(line,)))
            text = " ".join(capsys.readouterr().out.split())
            assert "gpqa-strong, payoffs, big, payoff max: printed 9, ours 5, " in text
            assert said in text

    @pytest.mark.long("plays 59 runs")
    def test_too_much_disagreement_exits_1(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(command, "ENOUGH", 1.01)
        assert self.call(capsys, NAME, "--runs", 30, "--jobs", 1)[0] == 1
        assert self.call(capsys, NAME, "--runs", 29, "--jobs", 1)[0] == 0


def test_all_settings_are_the_default_and_an_interruption_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def stop(names: object, **_: object) -> None:
        asked.append(names)
        raise KeyboardInterrupt

    monkeypatch.setattr("proofs_checks.reproduction.run.reproduce", stop)
    assert main(["reproduce", "--json"]) == 130
    assert asked == [PUBLISHED_NAMES]
    assert capsys.readouterr().out == ""
