"""Every printed number that a setting determines, against the paper's formulas in decimals of sixty digits."""

import itertools
from collections import Counter
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from bounds.language.arithmetic import Enclosure
from bounds.published import PUBLISHED_NAMES, PublishedSetting, published
from bounds.published.determined import DeterminedNumber, determined_numbers
from bounds.published.rounding import decimals, exactly, rounded
from bounds.published.unfiltered_rule import ABLATION, UNFILTERED, unfiltered_numbers

COUNTS = {"gsm8k-full": 140, "gsm8k-ladder": 145, "gpqa-full": 123, "gpqa-ladder": 146, "gpqa-strong": 89}
CUMULATIVE = (
    "quality_regret_bound",
    "generation_regret_bound",
    "excess_payment_bound_without_exploration",
    "excess_payment_bound",
)


@cache
def numbers(name: str) -> tuple[DeterminedNumber, ...]:
    return determined_numbers(published(name))


def different(paper: PublishedSetting) -> list[DeterminedNumber]:
    return [number for number in determined_numbers(paper) if not number.agrees]


def unfiltered_by_hand(paper: PublishedSetting, horizon: int, window: int) -> dict[str, float]:
    """Route every query, one after the other, by the lowest price; ties go to the first provider."""
    setting = paper.setting
    prices = [provider.multiplicity * provider.listed_price for provider in setting.providers]
    served = [*range(setting.n_providers), *[prices.index(min(prices))] * (horizon - setting.n_providers)]
    least, threshold = setting.providers[setting.optimal].mean_cost, setting.platform.quality_threshold
    counts = Counter(served)
    return {
        "Share of i*": served.count(setting.optimal) / horizon,
        "Moving avg": served[-window:].count(setting.optimal) / window,
        "Unqualified share": sum(counts[i] for i in setting.unqualified) / horizon,
        "R_qual": sum(max(threshold - setting.providers[i].quality, 0) * c for i, c in counts.items()) / horizon,
        "R_gen": sum(max(setting.providers[i].mean_cost - least, 0) * c for i, c in counts.items()) / horizon,
        "i* most selected": float(all(counts[setting.optimal] > c for i, c in counts.items() if i != setting.optimal)),
        "|Qhat|": setting.n_providers,
    }


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_every_determined_number_rounds_to_what_is_printed(name: str) -> None:
    assert [number.to_data() for number in numbers(name) if not number.agrees] == []
    assert len(numbers(name)) == COUNTS[name]
    assert {type(number.ours) for number in numbers(name)} == {Enclosure}


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_the_rule_that_learns_nothing_query_by_query(name: str) -> None:
    paper = published(name)
    seen = [number for number in numbers(name) if number.source in ("one-pass", "long")]
    typed = {
        "one-pass": unfiltered_by_hand(paper, paper.questions, paper.questions),
        "long": unfiltered_by_hand(paper, paper.horizon, paper.questions),
    }
    for number in seen:
        expected = typed[number.source][number.quantity.removesuffix("/T").removesuffix("/t")]
        assert float(number.ours.lower) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert f"{expected:.{decimals(number.printed)}f}" == number.printed
    assert {number.row for number in seen} == {UNFILTERED, ABLATION}
    # With one lowest price all eleven and |Qhat| of the ablation; where providers tie, their quality is open.
    assert len(seen) == (12 if name.endswith("full") else 10)


def test_what_a_tie_leaves_open_is_left_out() -> None:
    paper = published("gsm8k-ladder")
    assert "quality_regret" not in unfiltered_numbers(paper.setting, 100, 10)
    providers = list(paper.setting.providers)
    dearer = replace(providers[1], listed_price=0.2)
    untied = replace(paper.setting, providers=(providers[0], dearer, *providers[2:]))
    assert "quality_regret" in unfiltered_numbers(untied, 100, 10)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_the_numbers_of_the_two_files_are_the_same(name: str) -> None:
    """`settings.json` holds whole numbers that `determined.csv` holds as well."""
    paper = published(name)
    keys = {
        "sum_quality_selection_bounds": "sum_M",
        "sum_cost_selection_bounds": "sum_L",
        "exploration_cap": "exploration_cap",
        "identification_bound": "B_id",
        "identification_horizon": "T_id",
    } | {quantity: quantity for quantity in CUMULATIVE}
    of_setting = {keys[number.quantity]: int(number.printed) for number in numbers(name) if number.quantity in keys}
    assert of_setting == paper.printed
    bounds = {number.row: int(number.printed) for number in numbers(name) if number.quantity == "selection_bound"}
    names = [provider.name for provider in paper.setting.providers]
    assert bounds == {
        who: bound for who, bound in zip(names, paper.printed_selection_bounds, strict=True) if bound is not None
    }


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_one_more_or_less_in_the_last_digit_is_noticed_everywhere(name: str) -> None:
    for number, change in itertools.product(numbers(name), (-1, 1)):
        digits = decimals(number.printed)
        misprint = f"{Decimal(number.printed) + Decimal(change).scaleb(-digits):.{digits}f}"
        wrong = replace(number, printed=misprint)
        assert not wrong.agrees
        assert wrong.room < 0


def with_provider(paper: PublishedSetting, name: str, **changes: float) -> PublishedSetting:
    """The paper's data with another mean cost or quality of one provider; its tokens go along with the cost."""
    providers = list(paper.setting.providers)
    index = [provider.name for provider in providers].index(name)
    changed = replace(providers[index], **changes)
    tokens = list(paper.mean_tokens)
    tokens[index] *= changed.mean_cost / providers[index].mean_cost
    providers[index] = changed
    return replace(paper, setting=replace(paper.setting, providers=tuple(providers)), mean_tokens=tuple(tokens))


#: Provider by provider, the largest change down and up that no printed number notices, and the least that one does.
PINNED = [
    ("gsm8k-full", "Qwen2.5-3B", "mean_cost", (5.4e-5, 1.4e-5), (5.5e-5, 1.5e-5)),
    ("gsm8k-ladder", "Qwen2.5-7B", "mean_cost", (3.2e-5, 1.2e-5), (3.3e-5, 1.3e-5)),
    ("gpqa-full", "Qwen2-0.5B", "mean_cost", (3.8e-6, 4.4e-6), (3.9e-6, 4.5e-6)),
    ("gpqa-ladder", "Qwen2-1.5B@4", "quality", (1.0e-8, 6.0e-9), (1.5e-8, 8.0e-9)),
]


@pytest.mark.for_each(("name", "provider", "mean", "unnoticed", "noticed"), PINNED)
def test_how_closely_the_numbers_pin_a_mean(
    name: str, provider: str, mean: str, unnoticed: tuple[float, float], noticed: tuple[float, float]
) -> None:
    paper = published(name)
    (ours,) = (getattr(each, mean) for each in paper.setting.providers if each.name == provider)
    for sign, small, large in zip((-1, 1), unnoticed, noticed, strict=True):
        assert not different(with_provider(paper, provider, **{mean: ours + sign * small}))
        assert different(with_provider(paper, provider, **{mean: ours + sign * large}))


@pytest.mark.for_each(
    ("value", "digits", "expected"),
    [
        ("0.125", 2, "0.12"),
        ("0.135", 2, "0.14"),
        ("2.5", 0, "2"),
        ("0.12499999999999999999999", 2, "0.12"),
        ("0.12500000000000000000001", 2, "0.13"),
        ("7", 3, "7"),
        ("1234.5678", 0, "1235"),
    ],
)
def test_exact_values_round_as_decimals_do(value: str, digits: int, expected: str) -> None:
    assert rounded(exactly(Fraction(value)), digits) == Fraction(expected)
    step = Decimal(1).scaleb(-digits)
    assert Decimal(value).quantize(step, rounding=ROUND_HALF_EVEN) == Decimal(expected)


def test_an_enclosure_with_a_boundary_inside_agrees_with_neither_number() -> None:
    box = Enclosure(Fraction("3.4999999"), Fraction("3.5000001"))
    assert rounded(box, 0) is None
    facts: dict[str, Any] = {"setting": "", "source": "", "row": "", "quantity": "", "ours": box}
    assert not any(DeterminedNumber(**facts, printed=printed).agrees for printed in ("3", "4"))


def test_the_nearest_boundary_is_far_compared_with_the_enclosures() -> None:
    every = [number for name in PUBLISHED_NAMES for number in numbers(name)]
    assert min(number.room for number in every) > 0.004
    size = max(number.ours.width * 10 ** decimals(number.printed) for number in every)
    assert size < Fraction(1, 10**20)
