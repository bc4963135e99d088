"""Alternatives beside plain runs, the claims beside their own checks, and the command that repeats a view."""

from __future__ import annotations

import csv
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bounds.setting.model import Setting
from mechanism.bidding import Bidder, prepare_bidders
from mechanism.episode import simulate
from mechanism.metrics.curves import CURVE_NAMES
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.explorer import claims_view
from proofs_checks.explorer.claims_view import GoodEvents, claim_rows, good_events, in_passes
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.market_view import bands
from proofs_checks.explorer.provider_view import Alternative, earnings
from proofs_checks.explorer.runs import run_trace
from proofs_checks.explorer.simulation import simulated
from proofs_checks.explorer.words import good_event_count
from proofs_checks.verdict import Verdict
from tests.proofs_checks.explorer.states import hostile_setting, small_state


def replayed(bidders: str, provider: int, alternative: Alternative | None, horizon: int, run: int) -> float:
    """Return what a provider earns in a plain run: the definition, without the compiled episode."""
    market = small_state(bidders=bidders, horizon=horizon).market
    setting, base = prepare_bidders(market.setting, bidders)

    def make(given: Setting, rng: np.random.Generator) -> list[Bidder]:
        players = base(given, rng)
        if alternative is not None:
            players[provider] = _Plain(alternative, given.platform.cost_bound)
        return players

    trace = simulate(setting, horizon=horizon, seed=market.seed, run=run, bidders=make, laws=market.part.market())
    mine = trace.provider == provider
    assert trace.cost is not None
    return float(sum((trace.payment[mine] - trace.cost[mine]).tolist()))


class _Plain:
    """A bidder written out: a constant, or the mean of its costs plus an amount, within [0, c_max]."""

    def __init__(self, alternative: Alternative, bound: float) -> None:
        self._alternative, self._bound, self._costs = alternative, bound, [0.0][:0]

    def observe(self, cost: float, score: float) -> float:
        self._costs.append(cost)
        if self._alternative.kind == "fixed":
            return self._alternative.amount
        total = 0.0
        for each in self._costs:
            total += each
        return min(max(total / len(self._costs) + self._alternative.amount, 0.0), self._bound)


@pytest.mark.parametrize("bidders", ["truthful", "deviating", "bayesian"])
@pytest.mark.for_each(
    "alternative",
    [
        None,
        Alternative(kind="fixed", amount=0.0),
        Alternative(kind="fixed", amount=12.5),
        Alternative(kind="shifted", amount=0.0),
        Alternative(kind="shifted", amount=7.0),
        Alternative(kind="shifted", amount=-9.0),
    ],
)
def test_earnings_are_those_of_the_run_replayed_with_that_bid(bidders: str, alternative: Alternative | None) -> None:
    market = small_state(bidders=bidders, horizon=250).market
    for provider in (0, 2):
        found = earnings(market, provider, alternative, runs=2)
        for run in range(2):
            expected = replayed(bidders, provider, alternative, 250, run)
            assert found.earned[run] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_claims_are_compared_as_each_compares_itself() -> None:
    market = small_state(horizon=400).market
    case = Case(market.prepared, run_trace(market, 1), {"kind": "log", "variant": "truthful"})
    rows = claim_rows(market, 1)
    assert {row.label for row in rows} == {label for label, claim in all_claims().items() if claim.checks}
    for row in rows:
        found = all_claims()[row.label].check(case)
        assert (row.verdict, row.checked) == (found.verdict, found.tightness.checked), row.label
        assert row.verdict not in (Verdict.PROVED, Verdict.PROVED_STEPS, Verdict.EXACT)
    assert {row.label: row.verdict for row in rows}["eq:truthful-strategy"] is Verdict.NOT_REFUTED


def test_a_claim_that_is_known_to_be_false_says_so_where_the_run_does_not_refute_it() -> None:
    rows = {row.label: row for row in claim_rows(small_state(horizon=400).market, 0)}
    for label in ("thm:robust-dominant:no-loss-in-mean", "lem:payment-range:under-deviations"):
        assert (rows[label].own, rows[label].verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
        assert rows[label].finding
        assert rows[label].repaired_by in all_claims()
    assert (rows["lem:payment-range"].own, rows["lem:payment-range"].finding) == (Verdict.PROVED, "")


def test_draws_without_replacement_are_no_evidence_for_the_good_event() -> None:
    """Only a published benchmark's questions are drawn in passes: a setting of one's own has independent queries."""
    market = small_state(horizon=400).market
    providers = tuple(replace(each, mean_cost=each.mean_cost + 0.5) for each in market.setting.providers)
    own = replace(market, setting=replace(market.setting, providers=providers))
    for each, passes in ((market, True), (own, False)):
        assert in_passes(each) is passes
        noted = [row.label for row in claim_rows(each, 0) if row.note]
        assert noted == ["lem:good-event"] * passes


def test_the_good_event_is_counted_over_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be noticed where it fails: beside other qualities than the runs have."""
    market = small_state(horizon=400, runs=5).market
    assert good_events(market) == GoodEvents(held=5, looked_at=5, runs=5, confidence=0.05)
    providers = tuple(replace(each, quality=1 - each.quality) for each in market.setting.providers)
    wrong = replace(market.setting, providers=providers)
    monkeypatch.setattr(claims_view, "Case", lambda _, trace, origin: Case(wrong, trace, origin))
    assert good_events(replace(market, seed=6)).held == 0
    monkeypatch.setattr(claims_view, "GOOD_EVENT_STEPS", 800)
    few = good_events(replace(market, seed=7))
    assert (few.looked_at, few.runs) == (2, 5)
    assert good_event_count(few, passes=True).startswith("The good event held in 0 of the first 2 runs.")


def test_deviating_bidders_break_the_assumption_of_truth() -> None:
    rows = {row.label: row.verdict for row in claim_rows(small_state(bidders="deviating", horizon=400).market, 0)}
    assert rows["eq:truthful-strategy"] is Verdict.ASSUMPTION_VIOLATED
    assert not any(v is Verdict.REFUTED and not all_claims()[label].finding for label, v in rows.items())


def test_what_a_gamma_too_small_leaves_without_its_assumption_is_not_refuted() -> None:
    """Else the page would say that the paper is wrong where a reader has turned off what it assumes."""
    market = small_state(bidders="bayesian:0.9:40", horizon=1500).market
    rows = {row.label: row.verdict for row in claim_rows(replace(market, keep_gamma=True), 0)}
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
