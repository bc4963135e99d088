"""What `costproof sweep` says of settings for which the theory promises less."""

from tests.proofs_checks.outcomes import Run


def test_json_says_why_no_lead_is_promised(close_costs: str, passed: Run) -> None:
    [point] = passed("sweep", close_costs, "--over", "delta=0.1", "--json").data["settings"]
    assert point["identification_horizon"] is None
    assert "does not exceed underbid + overbid = 0.4" in point["reason"]


def test_what_is_not_proved_is_not_left_unsaid(close_costs: str, passed: Run) -> None:
    told = passed("sweep", close_costs, "--over", "delta=0.1,0.2").told
    assert "Not proved: generation regret (2 settings), excess payment (2 settings)" in told
    assert "regret (2 settings)" not in passed("sweep", "gpqa-strong", "--over", "delta=0.1,0.2").out
