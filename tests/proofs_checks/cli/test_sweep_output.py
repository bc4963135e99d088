"""What `costproof sweep` says of settings for which the theory promises less."""

import json

import pytest

from proofs_checks.cli.main import main


def test_json_says_why_no_lead_is_promised(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1", "--json"]) == 0
    [point] = json.loads(capsys.readouterr().out)["settings"]
    assert point["identification_horizon"] is None
    assert "does not exceed underbid + overbid = 0.4" in point["reason"]


def test_what_is_not_proved_is_not_left_unsaid(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1,0.2"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Not proved: generation regret (2 settings), excess payment (2 settings)" in told
    assert main(["sweep", "gpqa-strong", "--over", "delta=0.1,0.2"]) == 0
    assert "regret (2 settings)" not in capsys.readouterr().out
