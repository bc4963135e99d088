"""`simulate --policy MODULE:OBJECT`: mechanisms of one's own beside the paper's policies, on the same outcomes."""

import json
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.published import published
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.episode import simulate
from proofs_checks.conformance.own_policies import own_policies
from tests.proofs_checks.cli.test_play_command import ROUTER
from tests.proofs_checks.outcomes import Run, assert_bad_input

NAME = "gpqa-strong"
REFERENCE = "mechanism.platform:reference_mechanism"
SHORT = ("--horizon", "300", "--runs", "2", "--jobs", "1")
#: Equal to `lowest-price` of gpqa-strong, whose first provider has the lowest price, but for the order at the start.
MORE = """
class First(Cheapest):
    def assign(self):
        print("noise")
        self.step += 1
        self.served = self.step - 1 if self.step <= self.config.n_providers else 0
        return self.served, self.config.cost_bound
class PerToken(Cheapest):
    told = []
    def assign(self):
        return super().assign()[0], None
    def invoice(self, amount):
        self.told.append(amount)
class Silent(PerToken):
    invoice = None
class Refuses(PerToken):
    def invoice(self, amount):
        raise ValueError("too dear")
class Twice(Cheapest):
    def assign(self):
        self.served = 0
        return 0, 1.0
"""


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "router.py"
    path.write_text(ROUTER + MORE)
    return str(path)


def test_plays_beside_ours_on_the_same_outcomes(router: str, passed: Run) -> None:
    own = f"{router}:First"
    _, out, err = passed("simulate", NAME, *SHORT, "--policy", own, "--policy", "platform", "--json")
    found = json.loads(out)["policies"]
    assert list(found) == [own, "platform"]
    assert found[own]["selections"]["mean"] == [297, 1, 1, 1]
    assert found[own]["amount_paid"]["mean"] == pytest.approx(published(NAME).setting.platform.cost_bound)
    assert found[own]["exploration_steps"] == {"mean": 0, "sd": 0}  # costproof knows of none
    alone = passed("simulate", NAME, *SHORT, "--policy", "platform", "--json").data
    assert alone["policies"]["platform"] == found["platform"]
    assert "noise" in err
    assert "in plain Python" in err


def test_the_reference_as_ones_own_serves_as_the_plain_episode_says() -> None:
    """The platform has a random order at the start and the reference none: only the order of queries 1..N differs."""
    setting = published(NAME).setting
    with own_policies([REFERENCE, "platform"]) as policies:
        assert list(policies) == [REFERENCE]
        campaign = Campaign(
            setting, horizon=2_000, runs=2, seed=3, window=100, policies=(REFERENCE, "platform"), own_policies=policies
        )
        result = run_campaign(campaign, jobs=2, curves=True)
    own, ours = result.metrics[NAME, REFERENCE], result.metrics[NAME, "platform"]
    assert [abs(a.amount_paid - b.amount_paid) < 1 for a, b in zip(own, ours, strict=True)] == [True, True]
    assert result.curves[NAME, REFERENCE].runs == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [("Raises", "RuntimeError: no route"), ("Twice", "serve Qwen2-0.5B twice"), ("Refuses", "ValueError: too dear")],
)
def test_misbehaviour_is_one_line(router: str, name: str, told: str, run: Run) -> None:
    code, out, err = run("simulate", NAME, *SHORT, "--policy", f"{router}:{name}")
    assert (code, out) == (1, "")
    assert f"{router}:{name}: " in err
    assert told in err


def test_no_folder_keeps_them(router: str, tmp_path: Path, run: Run) -> None:
    arguments = ["simulate", NAME, *SHORT, "--policy", f"{router}:First", "--out", str(tmp_path / "out")]
    refused = run(*arguments)
    assert refused.code == 2
    assert "whose code may change" in refused.err
    assert not (tmp_path / "out").exists()


def test_what_is_no_policy_is_refused(router: str, run: Run) -> None:
    for policy, told in (
        ("xyz", "'xyz' is an unknown policy: choose from platform, uniform-eligible,"),
        ("lowest-prize", "did you mean lowest-price?; one of your own is MODULE:OBJECT"),
        (router, f"add the name of what is in the file, {router}:NAME"),
        (f"{router}:Nothing", "has no 'Nothing'"),
    ):
        assert_bad_input(run("simulate", NAME, *SHORT, "--policy", policy), told, "--policy")


@pytest.mark.parametrize("name", ["PerToken", "Silent"])
def test_a_payment_that_is_known_only_after_serving(router: str, name: str, passed: Run) -> None:
    own = f"{router}:{name}"
    found = passed("simulate", NAME, *SHORT, "--policy", own, "--json").data["policies"][own]
    assert found["amount_paid"]["mean"] == pytest.approx(1.25 * found["generation_cost"]["mean"])


def test_what_is_invoiced_is_told_and_logged(router: str) -> None:
    setting, name = published(NAME).setting, f"{router}:PerToken"
    with own_policies([name]) as policies:
        trace = simulate(setting, horizon=50, seed=1, policy=policies[name])
        told = policies[name].make(setting, np.random.default_rng(0))._mechanism.told
    assert told == trace.payment.tolist()
    assert told == pytest.approx((1.25 * trace.cost).tolist())
    played = costproof.play(name, setting, 50)
    assert played.trace.payment.tolist() == pytest.approx((1.25 * played.trace.cost).tolist())
