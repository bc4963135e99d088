"""No text from outside steers a terminal: what every command writes to stdout and stderr holds no hidden character."""

import json
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from bounds.characters import escaped, is_hidden
from bounds.published import published
from bounds.setting.file import format_setting, parse_setting
from bounds.setting.model import Setting
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.cli.text_console import TextConsole
from tests.parametrized import long_but
from tests.proofs_checks.cli.test_width import in_a_terminal
from tests.proofs_checks.outcomes import Run
from tests.tabled import rows_of

#: Clears a screen, turns the direction of writing, hides, rings, goes back to the start of a line, and ends a string.
ATTACKS = "\x1b[2J\x1b]0;t\x07\u202e\u2066\u200b\xad\r\x7f\x9b\u2028\ufeff\U000e0041\u3164"
NAMES = (f"a{ATTACKS}", f"b\x00{ATTACKS}", "c" * 20_000, "d \u202e" * 3_000)
MECHANISM = """
class Prices:
    def __init__(self, config, rng):
        self.config, self.step = config, 0

    def assign(self):
        self.step += 1
        if self.step > 6:
            raise ValueError("\\x1b[2J\\u202e\\x07" + "x" * 50_000)
        return self.step % self.config.n_providers, self.config.cost_bound

    def settle(self, score, bid):
        pass
"""


def faults(text: str) -> set[str]:
    """Return the characters of a text that a terminal must not get; categories are those of Unicode."""
    return {
        c for c in text if (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\n") or c == "\u3164"
    }


def hostile_setting() -> Setting:
    """A setting whose providers have hostile names."""
    setting = published("gpqa-strong").setting
    providers = tuple(replace(each, name=name) for each, name in zip(setting.providers, NAMES, strict=True))
    return replace(setting, providers=providers)


COMMANDS = {
    name: tuple(word.replace("{}", ATTACKS) for word in command.split())
    for name, command in rows_of(__file__, "hostile_text.csv")
}


#: Commands that take longer, of which the first tier runs another form.
SLOW = {"audit", "audit, names unknown", "check", "verify"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a setting, a log of edited bids, a mechanism and a report, all with hostile names."""
    setting = hostile_setting()
    (tmp_path / "m.toml").write_text(format_setting(setting), encoding="utf-8")
    (tmp_path / f"wrong{ATTACKS}.toml").write_text(f'[platform]\n"x{ATTACKS[8:12]}" = 1\n', encoding="utf-8")
    (tmp_path / f"mech{ATTACKS}.py").write_text(MECHANISM, encoding="utf-8")
    case = play(setting, "truthful", horizon=300, seed=0, run=0)
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    columns["bid"][200] *= 1.5
    write_trace(Trace(**columns), tmp_path / f"log{ATTACKS}.csv", setting)
    answers = [
        {"global index": f"{q}{ATTACKS}", "prediction": model, "accuracy": (q + m) % 3 == 0, "cost": q + m + 0.5}
        for m, model in enumerate("ab")
        for q in range(4)
    ]
    answers[0]["accuracy"] = None
    (tmp_path / f"answers{ATTACKS}.json").write_text(json.dumps(answers), encoding="utf-8")
    witness = {"kind": f"x{ATTACKS}"}
    row = {
        "label": f"lem:x{ATTACKS}",
        "setting": f"s{ATTACKS}",
        "evidence": [{"verdict": "REFUTED", "witness": witness}],
    }
    (tmp_path / "report.json").write_text(json.dumps({"claims": [row]}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    return tmp_path


def on_a_terminal(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command writes to a terminal, stdout and stderr, without rich's own movements."""
    text = in_a_terminal(arguments, monkeypatch, "stdout", "stderr")
    # A bar hides the cursor, goes back to the start of its line or up, erases the line, and shows the cursor again.
    for movement in ("\x1b[?25l", "\x1b[?25h", "\x1b[2K", "\x1b[1A", "\r"):
        text = text.replace(movement, "")
    return text


@pytest.mark.parametrize("name", long_but(COMMANDS.keys() - SLOW, COMMANDS, reason="runs a command twice"))
def test_nothing_hidden_reaches_a_pipe_or_a_terminal(
    name: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = tuple(word.replace("\x00", "") for word in COMMANDS[name])
    code, out, err = run(*arguments)
    assert code in (0, 1, 2)
    assert out + err
    assert not faults(out + err)
    assert not faults(on_a_terminal(arguments, monkeypatch))
    if code == 2:
        assert err.count("\n") == 1
    if "--json" not in arguments and arguments[0] not in ("settings",):
        assert max(map(len, (out + err).split("\n"))) < 20_000


def test_a_setting_whose_names_are_hostile_is_printed_so_that_it_reads_back(folder: Path, passed: Run) -> None:
    text = passed("settings", "m.toml").out
    assert not faults(text)
    assert parse_setting(text, "m") == replace(hostile_setting(), name="m")


def test_what_is_hidden_is_what_unicode_says() -> None:
    """All control, format and separating characters but the space, all surrogates and what has no character."""
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category[0] == "C" or category in ("Zl", "Zp"):
            assert is_hidden(chr(code)), hex(code)
        elif category[0] in "LNPS" and not is_hidden(chr(code)):
            assert escaped(chr(code)) == chr(code)
    assert not any(map(is_hidden, "aé δ−≤∞日本語…’"))


def test_a_console_escapes_texts_and_cells_too(capsys) -> None:
    screen = TextConsole(60)
    table = Table("x\x1b")
    table.add_row(Text("a\u202eb", "red"))
    table.add_row("c\x1b[0m")
    for each in (table, Text("\x1b[2J"), "\u202e\x07", "[bold]"):
        screen.print(each)
    screen.out("z\x1b")
    told = capsys.readouterr().out
    assert not faults(told)
    assert r"\x07" in told
    assert "[bold]" in told
