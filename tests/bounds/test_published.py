"""The published settings against the paper's tables and against each other."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files

import pytest

from bounds import InputError
from bounds.published import PUBLISHED_NAMES, printed_numbers, published

NAMES = ("gsm8k-full", "gsm8k-ladder", "gpqa-full", "gpqa-ladder", "gpqa-strong")
IN_THE_PAPER = {  # name -> N, |Q|, i*, K
    "gsm8k-full": (9, 3, "Qwen2.5-3B", 1319),
    "gsm8k-ladder": (12, 3, "Qwen2.5-7B", 1319),
    "gpqa-full": (9, 8, "Qwen2-1.5B", 546),
    "gpqa-ladder": (12, 4, "Llama-3-8B", 545),
    "gpqa-strong": (4, 2, "Llama-3.1-8B", 546),
}


@pytest.mark.for_each("name", NAMES)
def test_providers_as_printed(name):
    paper = published(name)
    setting = paper.setting
    n_providers, n_qualified, optimal, questions = IN_THE_PAPER[name]
    assert (setting.name, setting.n_providers, len(setting.qualified)) == (name, n_providers, n_qualified)
    assert setting.providers[setting.optimal].name == paper.optimal_provider == optimal
    assert paper.questions == questions
    assert setting.qualified == tuple(i for i, flag in enumerate(paper.printed_qualified) if flag)
    assert setting.unmet_assumptions == ()
    platform = setting.platform
    assert (platform.confidence, platform.exploration_scale, platform.exploration_exponent) == (0.05, 2.0, 0.75)
    assert (platform.belief_slack, platform.underbid, platform.overbid) == (0, 0, 0)
    assert (paper.horizon, paper.runs, paper.generations_per_question) == (70000, 30, 128)


@pytest.mark.for_each("name", NAMES)
def test_costs_follow_from_tokens_and_prices(name):
    """To the seven decimals of the data, which are read as decimals."""
    text = files("bounds.published").joinpath("settings.json").read_text()
    facts = json.loads(text, parse_float=Decimal)["settings"][name]
    for row in facts["providers"]:
        cost = row["multiplicity"] * row["mean_tokens"] * row["listed_price"] / Decimal("1.25")
        assert round(cost, 7) == row["mean_cost"]
    assert facts["cost_bound"] == 512 * max(row["multiplicity"] * row["listed_price"] for row in facts["providers"])


def test_qualities_agree_with_the_exact_counts_of_correct_generations():
    """To four decimals everywhere."""
    counts = json.loads(files("bounds.published").joinpath("settings.json").read_text())["exact_counts"]
    seen = set()
    for paper in map(published, PUBLISHED_NAMES):
        for provider in paper.setting.providers:
            key = f"{paper.questions}q:{provider.name}"
            if key in counts:
                seen.add(key)
                assert counts[key]["of"] == paper.questions * paper.generations_per_question
                exact = Fraction(counts[key]["correct"], counts[key]["of"])
                assert round(exact, 4) == round(Fraction(str(provider.quality)), 4)
    assert seen == set(counts)


def test_every_printed_number():
    numbers = printed_numbers()
    assert len(numbers) == 1019
    assert len({(n.setting, n.table, n.row, n.column, n.stat) for n in numbers}) == 1019
    assert {n.setting for n in numbers} == set(NAMES)
    assert Counter(n.stat for n in numbers).keys() == {"mean", "min", "max", "sum"}
    assert all(math.isfinite(n.printed) and n.half_ulp >= 0 for n in numbers)
    assert all(n.printed_halfwidth is None or n.printed_halfwidth >= 0 for n in numbers)


@pytest.mark.for_each(
    ("name", "row", "column", "printed", "halfwidth"),
    [
        ("gsm8k-full", "Platform", "Unqualified share", 0.692, 0.003),
        ("gsm8k-full", "Uniform among eligible", "R_gen/T", 7.05, 0.12),
        ("gsm8k-ladder", "Platform", "Amount paid", 118.1, 1.5),
        ("gsm8k-ladder", "No quality filter (ablation)", "Accuracy", 0.600, 0.003),
    ],
)
def test_numbers_read_off_the_one_pass_table(name, row, column, printed, halfwidth):
    (number,) = (
        n for n in printed_numbers() if (n.setting, n.table, n.row, n.column) == (name, "one-pass", row, column)
    )
    assert (number.printed, number.printed_halfwidth, number.stat) == (printed, halfwidth, "mean")


def test_published_settings_travel_between_processes():
    paper = published("gpqa-strong")
    assert pickle.loads(pickle.dumps((paper, paper.setting))) == (paper, paper.setting)


@pytest.mark.for_each("name", ["gsm8k", "GSM8K-Full", "", "x" * 10_000, 3, None, ["gsm8k-full"]])
def test_unknown_names_list_the_known_ones(name):
    with pytest.raises(InputError, match="is not a published setting: .*" + ", ".join(NAMES)) as caught:
        published(name)
    assert ("did you mean gsm8k-full?" in str(caught.value)) == (name in ("gsm8k", "GSM8K-Full"))
