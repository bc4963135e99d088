"""What `costproof sweep` says of settings for which the theory promises less."""

import json
import re
from pathlib import Path

import pytest

from proofs_checks.cli.main import main
from tests.proofs_checks.cli.test_bounds_output import market


def test_json_says_why_no_lead_is_promised(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1", "--json"]) == 0
    [point] = json.loads(capsys.readouterr().out)["settings"]
    assert point["identification_horizon"] is None
    assert "does not exceed underbid + overbid = 0.4" in point["reason"]


def test_the_optimum_of_each_row_is_named_where_it_changes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    path.write_text(market(0.5, 100, ("small", 0.655, 16.1), ("large", 0.9, 42.0), ("poor", 0.3, 5.0)))
    for thresholds, optimum, rows in (
        ("0.5,0.7", " of each row", {"0.5": "small", "0.7": "large"}),
        ("0.5,0.6", " (small)", {}),
    ):
        assert main(["sweep", str(path), "--over", f"q_min={thresholds}"]) == 0
        out = capsys.readouterr().out
        assert f"The optimum i*{optimum} is guaranteed the most selections" in out
        assert dict(re.findall(r"(?m)^ +(0\.\d)  ([a-z]+) ", out)) == rows


def test_what_is_not_proved_is_not_left_unsaid(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1,0.2"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Not proved: generation regret (2 settings), excess payment (2 settings)" in told
    assert main(["sweep", "gpqa-strong", "--over", "delta=0.1,0.2"]) == 0
    assert "regret (2 settings)" not in capsys.readouterr().out
