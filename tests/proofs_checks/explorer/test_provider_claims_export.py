"""Alternatives beside plain runs, the claims beside their own checks, and the command that repeats a view."""

from __future__ import annotations

import csv
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bounds.published import published
from bounds.setting.model import Setting
from mechanism.bidding import Bidder, prepare_bidders
from mechanism.episode import simulate
from mechanism.metrics.curves import CURVE_NAMES
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.explorer.claims_view import claim_rows, in_passes
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.market_view import bands, promises
from proofs_checks.explorer.provider_view import alternatives, earnings
from proofs_checks.explorer.runs import run_trace
from proofs_checks.explorer.simulation import simulated
from proofs_checks.verdict import Verdict
from tests.proofs_checks.explorer.states import hostile_setting, small_state


def replayed(bidders: str, provider: int, added: float | None, horizon: int, run: int) -> float:
    """Return what a provider earns in a plain run: the definition, without the compiled episode."""
    market = small_state(bidders=bidders, horizon=horizon).market
    setting, base = prepare_bidders(market.setting, bidders)

    def make(given: Setting, rng: np.random.Generator) -> list[Bidder]:
        players = base(given, rng)
        if added is not None:
            players[provider] = _Plain(added, given.platform.cost_bound)
        return players

    trace = simulate(setting, horizon=horizon, seed=market.seed, run=run, bidders=make, laws=market.part.market())
    mine = trace.provider == provider
    assert trace.cost is not None
    return float(sum((trace.payment[mine] - trace.cost[mine]).tolist()))


class _Plain:
    """A bidder written out: the mean of its costs plus an amount, within [0, c_max]."""

    def __init__(self, added: float, bound: float) -> None:
        self._added, self._bound, self._costs = added, bound, [0.0][:0]

    def observe(self, cost: float, score: float) -> float:
        self._costs.append(cost)
        total = 0.0
        for each in self._costs:
            total += each
        return min(max(total / len(self._costs) + self._added, 0.0), self._bound)


@pytest.mark.parametrize("bidders", ["truthful", "deviating", "bayesian"])
@pytest.mark.for_each("added", [None, 0.0, 7.0, -9.0])
def test_earnings_are_those_of_the_run_replayed_with_that_bid(bidders: str, added: float | None) -> None:
    market = small_state(bidders=bidders, horizon=250).market
    for provider in (0, 2):
        found = earnings(market, provider, added, runs=2)
        for run in range(2):
            expected = replayed(bidders, provider, added, 250, run)
            assert found.earned[run] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_amounts_are_tried_on_both_sides_of_the_mean_cost() -> None:
    for setting in (small_state().market.setting, hostile_setting()):
        tried = alternatives(setting)
        dearest = max(each.mean_cost for each in setting.providers)
        np.testing.assert_allclose(tried, np.linspace(-dearest / 2, dearest / 2, 21), atol=1e-12)
        assert tried[10] == 0


def test_claims_are_compared_as_each_compares_itself() -> None:
    market = small_state(horizon=400).market
    case = Case(market.prepared, run_trace(market, 1), {"kind": "log", "variant": "truthful"})
    rows = claim_rows(market, 1)
    assert {row.claim.label for row in rows} == {label for label, claim in all_claims().items() if claim.checks}
    for row in rows:
        found = all_claims()[row.claim.label].check(case)
        assert (row.found.verdict, row.found.tightness.checked) == (found.verdict, found.tightness.checked), (
            row.claim.label
        )
        assert row.found.verdict not in (Verdict.PROVED, Verdict.PROVED_STEPS, Verdict.EXACT)
    assert {row.claim.label: row.found.verdict for row in rows}["eq:truthful-strategy"] is Verdict.NOT_REFUTED


def test_a_claim_that_is_known_to_be_false_says_so_where_the_run_does_not_refute_it() -> None:
    rows = {row.claim.label: row for row in claim_rows(small_state(horizon=400).market, 0)}
    for label in ("thm:robust-dominant:no-loss-in-mean", "lem:payment-range:under-deviations"):
        assert (rows[label].own, rows[label].found.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
        assert rows[label].claim.finding
        assert rows[label].claim.repaired_by in all_claims()
    assert (rows["lem:payment-range"].own, rows["lem:payment-range"].claim.finding) == (Verdict.PROVED, "")


def test_a_claim_whose_bound_says_nothing_is_marked_as_the_market_says_it() -> None:
    """Theorem 3 at 70,000 queries: the bound is above T - N there, and below it in a long run of a small market."""
    market = Market(setting=published("gpqa-strong").setting, horizon=1_000, runs=1)
    rows = {row.claim.label: row for row in claim_rows(market, 0)}
    idle = {label for label, row in rows.items() if row.idle}
    bound = next(row.bound for row in promises(market, None).rows if row.theorem == "Theorem 3")
    assert not bound.worth.informative
    assert "claim:B_id-tightened" in idle
    assert "is above the trivial" in rows["claim:B_id-tightened"].idle
    assert all(rows[label].found.verdict.value == "NOT_REFUTED" for label in idle)
    # Payments between two costs could fail at each auction.
    assert "lem:payment-range" not in idle


def test_draws_without_replacement_are_no_evidence_for_the_good_event() -> None:
    """Only a published benchmark's questions are drawn in passes: a setting of one's own has independent queries."""
    market = small_state(horizon=400).market
    providers = tuple(replace(each, mean_cost=each.mean_cost + 0.5) for each in market.setting.providers)
    own = replace(market, setting=replace(market.setting, providers=providers))
    for each, passes in ((market, True), (own, False)):
        assert in_passes(each) is passes
        noted = [row.claim.label for row in claim_rows(each, 0) if row.note]
        assert noted == ["lem:good-event"] * passes


def test_deviating_bidders_break_the_assumption_of_truth() -> None:
    rows = {
        row.claim.label: row.found.verdict
        for row in claim_rows(small_state(bidders="deviating", horizon=400).market, 0)
    }
    assert rows["eq:truthful-strategy"] is Verdict.ASSUMPTION_VIOLATED
    assert not any(v is Verdict.REFUTED and not all_claims()[label].finding for label, v in rows.items())


def test_what_a_gamma_too_small_leaves_without_its_assumption_is_not_refuted() -> None:
    """Else the page would say that the paper is wrong where a reader has turned off what it assumes."""
    market = small_state(bidders="bayesian:0.9:40", horizon=1500).market
    rows = {row.claim.label: row.found.verdict for row in claim_rows(replace(market, keep_gamma=True), 0)}
    assert not any(v is Verdict.REFUTED and not all_claims()[label].finding for label, v in rows.items())
    assert rows["lem:bayesian-cost-concentration"] is Verdict.ASSUMPTION_VIOLATED
    assert rows["thm:quality-guarantee"] is Verdict.NOT_REFUTED


class TestExport:
    @pytest.mark.parametrize(
        ("bidders", "keep_gamma"), [("deviating", False), ("bayesian:0.1:20", False), ("bayesian:0.1:20", True)]
    )
    def test_the_command_repeats_the_numbers(
        self,
        bidders: str,
        keep_gamma: bool,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        market = small_state(bidders=bidders, policies=("platform", "uniform-eligible")).market
        market = replace(market, keep_gamma=keep_gamma)
        assert ("--keep-gamma" in command(market)) is keep_gamma
        Path(file_name(market)).write_text(setting_text(market), encoding="utf-8")
        words = shlex.split(command(market))
        assert words[0] == "costproof"
        assert main(words[1:]) == 0, capsys.readouterr().err
        with open("curves.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for policy, curves in simulated(market).items():
            for metric in CURVE_NAMES:
                mine = [row for row in rows if (row["policy"], row["metric"]) == (policy, metric)]
                assert [int(row["step"]) for row in mine] == curves.steps.tolist()
                for column, expected in zip(
                    ("q10", "median", "q90"), bands(market.prepared, curves, metric), strict=True
                ):
                    read = [float(row[column]) if row[column] else np.nan for row in mine]
                    np.testing.assert_array_equal(read, expected)

    @pytest.mark.for_each("name", ["../../etc/passwd", "<script>", "a b;rm -rf", "\u202e", "...", "-rf", "x" * 300])
    def test_a_file_name_is_harmless(self, name: str) -> None:
        setting = replace(hostile_setting(), name=name)
        found = file_name(small_state(setting=setting).market)
        assert set(found) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
        assert not found.startswith(("-", "."))
        assert found.endswith(".toml")
        assert len(found) < 70
