"""SETTING on the command line: standard input, a forgotten extension, and a delta that is probably a slip."""

import io
from pathlib import Path

import pytest

from bounds.published import published
from bounds.setting.file import format_setting
from tests.proofs_checks.outcomes import Run, assert_bad_input

NAME = "gpqa-strong"
TOML = format_setting(published(NAME).setting)
TINY = ["--horizon", "200", "--runs", "1", "--jobs", "1"]


@pytest.mark.parametrize(
    "command", [["bounds", "-"], ["settings", "-"], ["simulate", "-", *TINY]], ids=lambda words: words[0]
)
def test_a_hyphen_reads_standard_input(command: list[str], passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for given in ("-", NAME):
        monkeypatch.setattr("sys.stdin", io.StringIO(TOML))
        found[given] = passed(*(given if word == "-" else word for word in command), "--json").data
    name, providers = ("name", "provider") if command[0] == "settings" else ("setting", "providers")
    assert (found["-"][name], found[NAME][name]) == ("stdin", NAME)
    assert found["-"][providers] == found[NAME][providers]


@pytest.mark.parametrize(("text", "told"), [("", "is empty"), ("[platform]\nk = 1", "stdin: platform.k=1")])
def test_what_is_wrong_on_standard_input_is_told(
    text: str, told: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert_bad_input(run("bounds", "-"), told)


def test_a_forgotten_extension_is_suggested(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unknown = run("bounds", "seven")
    assert_bad_input(unknown)
    assert "seven.toml" not in unknown.err
    Path("seven.toml").write_text(TOML)
    assert_bad_input(run("bounds", "seven"), "did you mean the file seven.toml?")


@pytest.mark.parametrize(("delta", "told"), [(0.5, False), (0.95, True)])
def test_a_large_delta_is_remarked_once(delta: float, told: bool, passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TOML.replace("confidence = 0.05", f"confidence = {delta}")))
    err = " ".join(passed("bounds", "-", "--csv").err.split())
    assert err.count("the probability with which the guarantees may fail") == told
    assert ("platform.confidence = 0.95 of stdin is above 0.5" in err) == told
