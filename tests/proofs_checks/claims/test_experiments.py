"""The experiments' definitions and printed numbers as claims: exact on the published settings, else refuted."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from bounds.published import PUBLISHED_NAMES, PublishedSetting, published
from proofs_checks.claims.registry import claim
from proofs_checks.claims.statements.experiments import discounted_prices, numbers_as_printed
from proofs_checks.verdict import Verdict

LABELS = ("claim:table-numbers", "eq:experimental-generation-cost", "eq:experimental-cmax")
PAPER = published("gpqa-strong")


def with_cost_of_the_last(change: float) -> PublishedSetting:
    *others, last = PAPER.setting.providers
    providers = (*others, replace(last, mean_cost=last.mean_cost + change))
    return replace(PAPER, setting=replace(PAPER.setting, providers=providers))


@pytest.mark.for_each(("name", "label"), [*itertools.product(PUBLISHED_NAMES, LABELS)])
def test_exact_on_the_published_settings(name: str, label: str) -> None:
    found = claim(label).on_setting(published(name).setting)
    assert (found.verdict, found.violations, found.witness) == (Verdict.EXACT, 0, None)


@pytest.mark.for_each("label", LABELS)
def test_any_other_setting_is_skipped(label: str) -> None:
    renamed = replace(PAPER.setting, name="mine")
    changed = replace(PAPER.setting, providers=PAPER.setting.providers[::-1])
    for setting in (renamed, changed):
        assert claim(label).on_setting(setting).verdict is Verdict.SKIPPED


def test_a_wrong_fourth_decimal_refutes() -> None:
    found = numbers_as_printed(with_cost_of_the_last(1e-4))
    assert found.verdict is Verdict.REFUTED
    assert found.tightest_margin < 0
    assert "excess_payment_bound" in {row["quantity"] for row in found.witness["rows"]}
    assert found.violations == len(found.witness["rows"])


@pytest.mark.for_each("change", [-1e-7, 1e-7])
def test_a_cost_that_is_no_price_of_its_tokens_refutes(change: float) -> None:
    assert discounted_prices(PAPER).verdict is Verdict.EXACT
    found = discounted_prices(with_cost_of_the_last(change))
    assert found.verdict is Verdict.REFUTED
    assert found.parameters["differ"] == ["Qwen2.5-7B"]
