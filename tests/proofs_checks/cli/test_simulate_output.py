"""What `costproof simulate` says besides the numbers: on stderr what it left out, in text what was served."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.published import published
from bounds.setting.file import format_setting
from mechanism.compiled.episode import CompiledEpisode
from proofs_checks.cli import compilation
from proofs_checks.cli.compilation import compiled_simulator
from proofs_checks.cli.main import main

NAME = "gpqa-strong"
SETTING = published(NAME).setting
SMALL = ("simulate", NAME, "--horizon", "200", "--runs", "2", "--policy", "platform")


def test_json_names_the_providers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["providers"] == [provider.name for provider in SETTING.providers]
    assert len(data["policies"]["platform"]["selections"]["mean"]) == len(data["providers"])


def test_text_states_the_market_and_the_selections(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--json"]) == 0
    means = json.loads(capsys.readouterr().out)["policies"]["platform"]["selections"]["mean"]
    assert main(list(SMALL)) == 0
    lines = capsys.readouterr().out.splitlines()
    market = " ".join(" ".join(lines).split("market: ")[1].split())
    assert market.startswith("questions in passes of 546; cost variation (sd/mean of one generation) 0.35 to ")
    for provider, mean in zip(SETTING.providers, means, strict=True):
        (line,) = [line for line in lines if line.startswith(provider.name)]
        assert float(line.split()[-1].replace(",", "")) == mean


def test_a_setting_of_ones_own_serves_independent_queries(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    unpriced = tuple(replace(provider, listed_price=None) for provider in SETTING.providers[:1])
    own = replace(SETTING, name="own", providers=unpriced + SETTING.providers[1:])
    file.write_text(format_setting(own))
    assert main(["simulate", str(file), "--horizon", "200", "--runs", "1"]) == 0
    out, err = capsys.readouterr()
    assert "market: independent queries; cost variation (sd/mean of one generation) 0.35\n" in out
    wanted = "without lowest-price-eligible, lowest-price, which need listed prices: none for Qwen2-0.5B"
    assert err == f"costproof: note: {wanted}\n"


def test_no_traces_without_a_folder_is_noted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([*SMALL, "--no-traces", "--json"]) == 0
    assert capsys.readouterr().err == "costproof: note: --no-traces changes nothing without --out\n"
    assert main([*SMALL, "--no-traces", "--json", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("seconds", "told"), [(0.0, 0), (0.3, 1)])
def test_compiling_is_told_once_if_it_takes_long(
    seconds: float, told: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "_SILENT_SECONDS", 0.1)
    monkeypatch.setattr(CompiledEpisode, "tallies", lambda *_, **__: time.sleep(seconds))
    with compiled_simulator():
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "costproof: compiling the simulator; this happens once\n" * told


def test_the_command_line_loads_no_kernel_by_itself() -> None:
    code = "import sys, proofs_checks.cli.main; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
