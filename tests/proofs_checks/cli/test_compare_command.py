"""`costproof compare`: who is lower comes first, numbers are rounded outward, and what to do next can be run."""

import re
import shlex

import pytest

from mechanism.policies import ALL_POLICIES, POLICIES
from mechanism.policy_names import PAPER_POLICY_NAMES, POLICY_NAMES
from tests.proofs_checks.outcomes import Run

NAME = "gpqa-strong"
SHORT = (NAME, "--horizon", "2000", "--runs", "100")


def test_says_first_who_is_lower(passed: Run) -> None:
    found = passed("compare", "uniform-eligible", "lowest-price", *SHORT, "--json").data
    assert (found["first"], found["second"]) == ("uniform-eligible", "lowest-price")
    out = passed("compare", "uniform-eligible", "lowest-price", *SHORT).out
    regret = found["metrics"][0]
    assert regret["lower"] == "uniform-eligible"
    pairs = f"After {found['runs']} pairs of runs, by the anytime interval: "
    words = " ".join(out.split())
    assert words.startswith(f"{pairs}uniform-eligible has the lower quality regret; lowest-price has the lower")
    row = " ".join(line for line in out.splitlines() if line.startswith("quality regret"))
    ends = [float(end) for ends in re.findall(r"(\S+) to (\S+)", row) for end in ends]
    low, high = ends[2:]
    assert low <= regret["low"] <= regret["high"] <= high  # rounded outward
    assert high - low <= 1.01 * (regret["high"] - regret["low"])
    assert low < ends[0] < regret["mean_difference"] < ends[1] < high
    assert "fixed beforehand (it was not" in words
    assert f"{regret['decided_after']}\n" in passed("compare", "uniform-eligible", "lowest-price", *SHORT, "--all").out


def test_the_setting_may_come_first(passed: Run, run: Run) -> None:
    policies, short = ("platform", "lowest-price"), ("--horizon", "300", "--runs", "2")
    assert passed("compare", NAME, *policies, *short).out == passed("compare", *policies, NAME, *short).out
    example = f"for example: costproof compare {' '.join(policies)} {NAME}"
    assert example in run("compare", NAME, "cheapest", "platform").err


def test_says_what_is_open_and_how_to_go_on(passed: Run) -> None:
    short = (NAME, "--horizon", "1000", "--runs", "5")
    out = passed("compare", "platform", "no-quality-filter", *short, "--metric", "accuracy", "--seed", "7").out
    assert out.startswith("After 5 pairs of runs, by the anytime interval: which one is lower is open for\naccuracy.\n")
    assert "it was not" not in out
    words = shlex.split(out.partition("if they are the true ones:\n")[2].replace("\\\n", " "))
    assert words[:3] == ["costproof", "compare", "platform"]
    runs = int(words[words.index("--runs") + 1])
    assert words[words.index("--seed") + 1] == "7"
    assert [words[i + 1] for i, word in enumerate(words) if word == "--metric"] == ["accuracy"]
    assert words[words.index("--error") + 1] == "0.05"
    assert "with probability 1 - 1e-09 at least" in passed(*words[1:], "--error", "1e-9").told
    assert 0.7 < runs / passed(*words[1:], "--runs", "1000", "--json").data["runs"] <= 1.1


def test_the_next_command_keeps_the_metrics_that_share_the_error(passed: Run) -> None:
    """Going on with the open ones alone would give them more of the error, after looking."""
    short = (NAME, "--horizon", "1000", "--runs", "20", "--bidders", "bayesian", "--keep-gamma")
    out = passed("compare", "lowest-price", "oracle-optimal", *short).out
    assert out.startswith("After 20 pairs of runs, by the anytime interval: oracle-optimal has the lower")
    assert "; which one is lower is open for" in " ".join(out.split())
    words = shlex.split(out.partition("four times as many runs:\n")[2].replace("\\\n", " "))
    named = [words[i + 1] for i, word in enumerate(words) if word == "--metric"]
    assert named == ["quality_regret", "generation_regret", "amount_paid"]
    assert words[words.index("--runs") + 1] == "80"
    assert words[words.index("--bidders") + 1 :][:2] == ["bayesian", "--keep-gamma"]
    assert "Under lowest-price and oracle-optimal users pay 1.25 times the cost (1 + margin)." in " ".join(out.split())


def test_more_pairs_than_anybody_plays_are_not_suggested(passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_checks.cli.views.compare._MOST_RUNS", 100)
    short = (NAME, "--horizon", "1000", "--runs", "5", "--seed", "7")
    said = passed("compare", "platform", "no-quality-filter", *short, "--metric", "accuracy").told
    needed = re.search(r"The smallest open difference needs (\d+) pairs or more to be decided. Next, every", said)
    assert needed is not None
    assert int(needed[1]) > 100


def test_a_policy_in_plain_python_is_noted(passed: Run) -> None:
    for policy, slow in (("greedy-cheapest", True), ("lowest-price", False)):
        found = passed("compare", policy, "uniform-eligible", NAME, "--horizon", "100", "--runs", "1")
        assert (f"{policy}: in plain Python" in found.err) == slow


def test_lists_are_those_of_the_program() -> None:
    """They are written down twice: names load nothing, policies do."""
    assert tuple(ALL_POLICIES) == POLICY_NAMES
    assert tuple(POLICIES) == PAPER_POLICY_NAMES
