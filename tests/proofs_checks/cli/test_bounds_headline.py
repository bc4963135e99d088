"""The first lines of `bounds` say of a bound that is nearly trivial that it is, and why another radius has so few."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.published import published
from bounds.report import evaluate_bounds
from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.cli.main import main
from proofs_checks.cli.views.bounds import headline

HARDLY = "hardly better than the trivial value"


@pytest.mark.parametrize(("horizon", "told"), [(32_000, True), (70_000, False)])
def test_a_bound_next_to_its_trivial_value_is_told_so(horizon: int, told: bool) -> None:
    report = evaluate_bounds(published("gsm8k-full").setting, horizon)
    worth = report.identification.worth
    assert worth.informative
    assert worth.share_of_trivial is not None
    assert (worth.share_of_trivial > 0.99) == told
    first, second, *_ = headline(report)
    assert first.endswith(" guarantees are informative.")
    assert (second == f"Of these, identification bound (99.3%) is {HARDLY}.") == told
    assert (HARDLY in " ".join(headline(report))) == told


@pytest.mark.long("searches for a plan")
def test_what_a_plan_found_is_asked_for_with_the_bounds_that_it_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plan takes the sharpest bounds, `bounds` those of the paper: without the method they disagree."""
    providers = [Provider(f"p{i}", q, c) for i, (q, c) in enumerate([(0.35, 0.8), (0.66, 2.5), (0.78, 3.2), (0.88, 6)])]
    platform = PlatformParameters(
        quality_threshold=0.6, confidence=0.05, cost_bound=10.0, exploration_scale=2.0, exploration_exponent=2 / 3
    )
    path = tmp_path / "mine.toml"
    path.write_text(format_setting(Setting("mine", platform, providers)))
    main(["plan", str(path), "--goal", "payment-within=2@200000", "--runs", "0"])
    out = capsys.readouterr().out.replace("\\\n", " ")
    [command] = [line.split() for line in out.splitlines() if line.strip().startswith("costproof bounds")]
    lines = [line.split() for line in out.splitlines() if line.startswith("  exploration_")]
    changed = {name: float(value) for name, _, value in lines}
    assert changed.keys() == {"exploration_scale", "exploration_exponent"}
    path.write_text(format_setting(Setting("mine", replace(platform, **changed), providers)))
    assert command[:2] == ["costproof", "bounds"]
    main(["bounds", str(path), *command[3:], "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["method"] == "sharpest"
    assert report["bounds"]["average_payment_deviation"]["value"] <= 2.0
