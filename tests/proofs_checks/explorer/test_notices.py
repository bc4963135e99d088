"""Notices call the controls as the page does, whatever is wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.published import published
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.notices import NO_NUMBER, notice

FIRST = published("gpqa-strong").setting
PRIOR = "Prior mean μ₀ must lie in [0, 1]; prior strength n₀ must be above 0"
WRONG: list[tuple[tuple[Any, ...], Any, str]] = [
    (("market", "horizon"), None, "Queries T is empty; it must be a whole number of at least N = 4:"),
    (("market", "runs"), 500, "Runs = 500 must be a whole number in 1..200:"),
    (("market", "policies"), [], "No policy is chosen:"),
    (("market", "bidders"), "deviating", "Deviating bidders need Largest underbid d₋ or Largest overbid d₊ above 0:"),
    (("market", "bidders"), "bayesian::5", PRIOR),
    (("market", "bidders"), f"bayesian:0.5:{NO_NUMBER}", PRIOR),
    (("market", "bidders"), "biased:-2", "Bias b must lie in [-1, 1]"),
    (("focus", "step"), 70_001, "Step of the run t = 70001 must be a whole number in 1..70,000:"),
    (("focus", "bid"), -1, "Another bid to try = -1 must lie in [0, 75.008]:"),
    (
        ("market", "horizon"),
        2_000_000,
        "Queries T = 2000000 must not exceed 1,000,000 here: for more, use costproof simulate",
    ),
    (("setting", "provider", 0, "mean_cost"), None, "Mean cost of provider 1 is empty; it must not be negative"),
    (("setting", "provider", 0, "listed_price"), NO_NUMBER, "Listed price of one token of provider 1 is no number;"),
    (("setting", "platform", "cost_bound"), 40.0, "Mean cost of provider 3 = 43.0310744 must not exceed c_max = 40.0"),
    (("setting", "provider", 0, "name"), "Llama-3.1-8B", "Name of provider 3 = 'Llama-3.1-8B' is a duplicate:"),
    (("setting", "provider", 0, "multiplicity"), 1.5, "Best of n candidates of provider 1 = 1.5 must be"),
]


def refused(path: tuple[Any, ...], value: Any) -> InputError:
    data = table = PageState.of(FIRST).to_data()
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    with pytest.raises(InputError) as found:
        PageState.from_data(data)
    return found.value


@pytest.mark.for_each(("path", "value", "said"), WRONG)
def test_what_is_wrong_is_called_as_on_the_page(path: tuple[Any, ...], value: Any, said: str) -> None:
    found = notice(refused(path, value))
    assert found.startswith(said)
    assert not re.search(r"None|\[\]|platform\.|cost_bound|[a-z]=", found)
    assert not re.search(r"[\n`]", found)


@pytest.mark.long("needs dash")
def test_the_labels_are_on_the_page() -> None:
    pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    from dash._utils import to_json

    from proofs_checks.explorer import page

    state = PageState.of(FIRST)
    text = to_json([*page.controls(state, "gpqa-strong"), *page.focus_controls(state)])
    for _, _, said in WRONG:
        label = re.split(r" (?:(?:[δtb]|q_min|c_max|μ₀|n₀) )?(?:=|is empty|is no number|must)| of provider|:", said)[0]
        if " need" not in label and not label.startswith("No policy"):
            assert label.split(" (")[0] in text, label
