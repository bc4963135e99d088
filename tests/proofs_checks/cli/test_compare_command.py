"""`costproof compare`: who is lower comes first, numbers are rounded outward, and what to do next can be run."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from mechanism.policies import ALL_POLICIES, POLICIES
from mechanism.policy_names import PAPER_POLICY_NAMES, POLICY_NAMES
from proofs_checks.cli.main import main

NAME = "gpqa-strong"
SHORT = (NAME, "--horizon", "2000", "--runs", "100")


def test_says_first_who_is_lower(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "uniform-eligible", "lowest-price", *SHORT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["first"], found["second"]) == ("uniform-eligible", "lowest-price")
    assert main(["compare", "uniform-eligible", "lowest-price", *SHORT]) == 0
    out = capsys.readouterr().out
    regret = found["metrics"][0]
    assert regret["lower"] == "uniform-eligible"
    first = " ".join(out.split()).partition(").")[0]
    assert first.startswith("uniform-eligible has the lower quality regret: ")
    assert first.endswith(f"below lowest-price (known after {regret['decided_after']} pairs of runs")
    least, most = map(float, re.findall(r": ([\d.]+) to ([\d.]+) below", first)[0])
    assert least <= -regret["high"] <= -regret["low"] <= most  # rounded outward
    assert most - least <= 1.01 * (regret["high"] - regret["low"])


def test_says_what_is_open_and_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    short = (NAME, "--horizon", "1000", "--runs", "5")
    assert main(["compare", "platform", "no-quality-filter", *short, "--metric", "accuracy", "--seed", "7"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Which has the lower accuracy is open after 5 pairs of runs: ")
    command = out.partition("with more runs:\n")[2].replace("\\\n", " ")
    words = shlex.split(command)
    assert words[:3] == ["costproof", "compare", "platform"]
    assert (words[words.index("--runs") + 1], words[words.index("--seed") + 1]) == ("20", "7")
    assert [words[i + 1] for i, word in enumerate(words) if word == "--metric"] == ["accuracy"]
    assert words[words.index("--error") + 1] == "0.05"
    assert main([*words[1:], "--error", "1e-9"]) == 0
    assert "with probability 1 - 1e-09 at least" in " ".join(capsys.readouterr().out.split())


def test_the_next_command_keeps_the_metrics_that_share_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Going on with the open ones alone would give them more of the error, after looking."""
    short = (NAME, "--horizon", "1000", "--runs", "20", "--bidders", "bayesian", "--keep-gamma")
    assert main(["compare", "lowest-price", "oracle-optimal", *short]) == 0
    out = capsys.readouterr().out
    assert "is open after 20 pairs" in out
    assert "(known after" in out
    words = shlex.split(out.partition("with more runs:\n")[2].replace("\\\n", " "))
    named = [words[i + 1] for i, word in enumerate(words) if word == "--metric"]
    assert named == ["quality_regret", "generation_regret", "amount_paid"]
    assert words[words.index("--bidders") + 1 :][:2] == ["bayesian", "--keep-gamma"]


def test_lists_are_those_of_the_program() -> None:
    """They are written down twice: names load nothing, policies do."""
    assert tuple(ALL_POLICIES) == POLICY_NAMES
    assert tuple(POLICIES) == PAPER_POLICY_NAMES
