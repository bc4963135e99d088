"""What tests of several commands share."""

from pathlib import Path

import pytest

from tests.mechanism.made_evaluations import PRICE_FILE
from tests.proofs_checks.outcomes import Outcome, Run, outcome_of


@pytest.fixture
def checked(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `check` here, its mechanism in a process of its own, whose output comes by the descriptor."""
    return lambda *arguments: outcome_of(capfd, "check", *arguments)


@pytest.fixture
def call(own_folder: Path, run: Run) -> Run:
    """Run a command in a folder with prices of the models; what it says on stderr comes in one line."""
    (own_folder / "prices.csv").write_text(PRICE_FILE)

    def call(*words: object) -> Outcome:
        outcome = run(*words)
        return outcome._replace(err=" ".join(outcome.err.split()))

    return call


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
