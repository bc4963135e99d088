"""What tests of several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def close_costs(tmp_path: Path) -> str:
    """The file of a market whose bids may deviate by more than its cost gap: no lead can be guaranteed there."""
    head = "quality_threshold = 0.6\nconfidence = 0.1\ncost_bound = 40\nexploration_scale = 1.5\n"
    rest = "exploration_exponent = 0.6667\nbelief_slack = 0.2\nunderbid = 0.1\noverbid = 0.3\n"
    providers = [("dear", 0.9, 12.5), ("near", 0.62, 12.4), ("poor", 0.55, 2)]
    listed = "".join(f'[[provider]]\nname = "{n}"\nquality = {q}\nmean_cost = {c}\n' for n, q, c in providers)
    path = tmp_path / "close.toml"
    path.write_text(f"[platform]\n{head}{rest}{listed}", encoding="utf-8")
    return str(path)


@pytest.fixture
def uneven_prices(tmp_path: Path) -> str:
    """The file of a market of seven providers with listed prices, of which one is qualified by a hair."""
    numbers = "quality_threshold = 0.6\nconfidence = 0.05\ncost_bound = 900.0\nexploration_scale = 2.0\n"
    roster = (
        ("ash", 0.6000001, 40.0, 0.3),
        ("birch", 0.72, 130.0, 0.9),
        ("cedar", 0.81, 210.0, 2.5),
        ("dogwood", 0.9, 500.0, 0.7),
        ("elm", 0.55, 12.0, 0.05),
        ("fir", 0.3, 3.0, 6.0),
        ("gum", 0.1, 1.0, 0.01),
    )
    keys = "[[provider]]\nname = {!r}\nquality = {}\nmean_cost = {}\nlisted_price = {}\n"
    listed = "".join(keys.format(*each) for each in roster)
    path = tmp_path / "seven.toml"
    path.write_text(f"[platform]\n{numbers}exploration_exponent = 0.7\n{listed}", encoding="utf-8")
    return str(path)
