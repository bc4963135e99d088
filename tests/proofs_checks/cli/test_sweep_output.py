"""What `costproof sweep` says of settings for which the theory promises less."""

from __future__ import annotations

import json

import pytest

import costproof
from proofs_checks.cli.main import main


def test_json_says_why_no_lead_is_promised(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1", "--json"]) == 0
    [point] = json.loads(capsys.readouterr().out)["settings"]
    assert point["identification_horizon"] is None
    assert "does not exceed underbid + overbid = 0.4" in point["reason"]


def test_what_is_not_proved_is_not_left_unsaid(close_costs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", close_costs, "--over", "delta=0.1,0.2"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "Not proved there, since the claim assumes more: generation regret (2 settings), excess payment (2 settings)."
        in told
    )
    assert main(["sweep", "gpqa-strong", "--over", "delta=0.1,0.2"]) == 0
    assert "Not proved" not in capsys.readouterr().out


def test_bounds_are_rounded_up_and_marked_where_they_are_not_informative(
    uneven_prices: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A star means the same as in `simulate` and `plan`, and no bound is printed below its value."""
    assert main(["sweep", uneven_prices, "--over", "horizon=2000,30000"]) == 0
    first, second = (line for line in capsys.readouterr().out.splitlines() if line.split()[:1] in (["2000"], ["30000"]))
    assert first.split() == ["2000", "89,784", "43,565", "*", "1,575", "*", "1,036,520", "*", "1,271,524", "-"]
    assert second.split() == ["30000", "89,784", "44,083", "*", "1,957", "1,274,800", "6,817,399", "-"]
    report = costproof.bounds(uneven_prices, 30_000)
    assert report.guarantees["excess_payment"].value == pytest.approx(6_817_398.33, abs=0.01)
