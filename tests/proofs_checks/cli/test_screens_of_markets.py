"""A screen of a command keeps its limits in markets of any size, and with long names."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.proofs_checks.cli.test_bounds_output import market
from tests.proofs_checks.cli.test_screens import COLUMNS, LIMITS, LINES
from tests.proofs_checks.outcomes import Outcome

LONG = "a-model-of-thirty-characters-"
SEVERAL = ((0.41, 0.0002), (0.58, 0.0005), (0.69, 0.0009), (0.74, 0.0014), (0.79, 0.0022), (0.86, 0.0041))
MARKETS = {
    "long names": market(0.7, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))),
    "forty": market(0.7, 0.01, *((f"{LONG[:-1]}{i:02}", 0.3 + i / 64, 0.001 + i / 9000) for i in range(40))),
    "two": market(0.7, 10, ("a", 0.5, 1.0), ("b", 0.9, 3.0)),
    "none qualified": market(0.95, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))),
    "equal costs": market(0.5, 10, *((f"{LONG}{i}", 0.8, 2.0) for i in range(3))),
    "next to the threshold": market(0.7, 10, (f"{LONG}1", 0.6999999, 1.0), (f"{LONG}2", 0.7000001, 3.0)),
    "another radius": market(
        0.7, 0.01, *((f"{LONG}{i:02}", 0.3 + i / 64, 0.001 + i / 9000) for i in range(40))
    ).replace("[platform]\n", '[platform]\nradius = "beta-binomial"\n'),
    "deviating": market(0.7, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))).replace(
        "[platform]\n", "[platform]\nunderbid = 0.0004\noverbid = 0.0004\n"
    ),
}
_CLOSE = market(0.7, 10, *((f"{LONG}{i}", 0.7 + i / 99, 1.0 + i / 9) for i in range(-3, 5)))
#: Estimates of 200 questions each: who is qualified, and the optimum, are unsettled.
MARKETS["uncertain"] = re.sub(
    r"quality = (0\.\d+)\nmean_cost = (\S+)",
    lambda found: (
        f"quality = {{correct = {round(200 * float(found[1]))}, of = 200}}\n"
        f"mean_cost = {{mean = {found[2]}, standard_error = 0.1}}"
    ),
    _CLOSE,
)
AXES = ("k=0.3,0.4", "alpha=0.3,0.4", "delta=0.3,0.4", "horizon=9000,70000", "gamma=0.3,0.4")
GOALS = ("identify-by=70k", "payment-within=0.001@70k", "unqualified-at-most=20000@70k", "exploration-budget=9@70k")
BAYESIAN = ("--bidders", "bayesian", "--policy", "platform")
COMMANDS: dict[str, tuple[str, ...]] = {
    "bounds": ("bounds", "m.toml"),
    "bounds early": ("bounds", "m.toml", "--horizon", "1000"),
    "bounds late": ("bounds", "m.toml", "--horizon", "20M"),
    "bounds sharpest": ("bounds", "m.toml", "--method", "sharpest"),
    "simulate": ("simulate", "m.toml", "--horizon", "500", "--runs", "2", "--jobs", "1"),
    "simulate late feedback": ("simulate", "m.toml", "--horizon", "300", "--runs", "2", "--jobs", "1", "--delay", "2"),
    "simulate bayesian": ("simulate", "m.toml", "--horizon", "500", "--runs", "2", "--jobs", "1", *BAYESIAN),
    "compare": ("compare", "platform", "uniform-eligible", "m.toml", "--horizon", "300", "--runs", "2"),
    "coverage": ("coverage", "m.toml", "--horizon", "20"),
    "plan": ("plan", "m.toml", *(word for goal in GOALS for word in ("--goal", goal)), "--runs", "2"),
    "sweep": ("sweep", "m.toml", "--over", "k=0.5:4:40", "--runs", "2", "--horizon", "500", "--jobs", "1"),
    "sweep of many": ("sweep", "m.toml", *(word for axis in AXES for word in ("--over", axis))),
}


#: Coverage follows the paper's radius alone.
WITHOUT = {("another radius", "coverage")}


@pytest.mark.long("runs commands in many markets")
@pytest.mark.parametrize(("kind", "name"), [pair for pair in product(MARKETS, COMMANDS) if pair not in WITHOUT])
def test_a_screen_of_any_market(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Outcome], kind: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(MARKETS[kind])
    outcome = run(*COMMANDS[name])
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert max(map(len, lines)) <= COLUMNS
    assert 0 < len(lines) <= LIMITS.get(COMMANDS[name][0], LINES), "\n".join(lines)
