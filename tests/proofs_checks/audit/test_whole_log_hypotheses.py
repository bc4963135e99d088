"""What concerns a whole log: its setting, its providers, its rounding, gaps of several rows, faults that show late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from numpy.typing import NDArray

from bounds.published import published
from bounds.setting.model import Provider, Setting
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode, simulate
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.logs import LogReading
from mechanism.trace import Trace
from proofs_checks.audit.run import AuditReport, audit
from proofs_checks.claims.cases.variants import play
from proofs_checks.conformance.mutants.plain import Plain
from tests.proofs_checks.audit.audited import kinds, rows_of, with_columns

late = partial(pytest.param, marks=pytest.mark.long("another whole log"))
STRONG, LADDER, FULL = (published(name).setting for name in ("gpqa-strong", "gpqa-ladder", "gsm8k-full"))


@cache
def right(setting: Setting, horizon: int = 4000) -> Trace:
    return play(setting, "truthful", horizon=horizon, seed=1, run=0).trace


@cache
def long_run(seed: int) -> Trace:
    return simulate(FULL, horizon=20_000, seed=seed).head(13_000)


def with_platform(setting: Setting, **values: float) -> Setting:
    return replace(setting, platform=replace(setting.platform, **values))


def audited(setting: Setting, trace: Trace, tolerance: float = 0.0) -> AuditReport:
    return audit([trace], setting, labels=["lem:payment-range"], tolerance=tolerance)


def in_single_precision(amounts: NDArray[np.float64], *, as_text: bool = False) -> NDArray[np.float64]:
    """What a file of such amounts holds, in binary or written as short as they can be told apart."""
    single = amounts.astype(np.float32)
    return np.array([float(str(number)) for number in single]) if as_text else single.astype(np.float64)


def value_of(report: AuditReport, name: str) -> float:
    """The value of a parameter that the first hypothesis names."""
    first = report.diagnosis[0]
    assert first.hypothesis == "wrong setting", kinds(report)
    return float(first.text.split(f"{name} = ")[1].split()[0])


class TestSettings:
    """A parameter of the platform is found from its payments, counts or choices."""

    @pytest.mark.parametrize(
        ("setting", "name", "value", "within"),
        [
            (STRONG, "belief_slack", 0.15, 1e-5),
            *(late(STRONG, "belief_slack", value, 1e-5) for value in (1 / 3, 1.7)),
            *(late(LADDER, "belief_slack", value, 1e-5) for value in (0.15, 1 / 3, 1.7)),
            (LADDER, "exploration_scale", 1.4, 0.02),
            *(late(LADDER, "exploration_scale", value, 0.02) for value in (0.6, 3.1)),
            (LADDER, "quality_threshold", 0.3096, 0.03),
            late(LADDER, "quality_threshold", 0.27, 0.03),
        ],
    )
    def test_one_is_found(self, setting: Setting, name: str, value: float, within: float) -> None:
        changed = with_platform(setting, **{name: value})
        trace = played(changed) if name == "belief_slack" else right(changed)
        assert value_of(audited(setting, trace), name) == pytest.approx(value, rel=within)

    @pytest.mark.parametrize("factor", [late(0.8), 1.3])
    def test_c_max_is_read_and_the_beginning_is_there(self, factor: float) -> None:
        bound = LADDER.platform.cost_bound * factor
        setting = with_platform(replace(LADDER, providers=cheap(LADDER)), cost_bound=bound)
        report = audited(with_platform(setting, cost_bound=LADDER.platform.cost_bound), right(setting))
        assert value_of(report, "cost_bound") == pytest.approx(bound, rel=1e-5)
        assert "beginning missing" not in kinds(report)

    @pytest.mark.long("two parameters of a whole log")
    def test_c_max_and_gamma_at_once(self) -> None:
        bound = 1.3 * LADDER.platform.cost_bound
        report = audited(LADDER, played(with_platform(LADDER, cost_bound=bound, belief_slack=0.3)))
        assert value_of(report, "cost_bound") == pytest.approx(bound, rel=1e-5)
        assert value_of(report, "belief_slack") == pytest.approx(0.3)


def cheap(setting: Setting) -> tuple[Provider, ...]:
    return tuple(replace(provider, mean_cost=provider.mean_cost / 4) for provider in setting.providers)


def played(setting: Setting, mechanism: type[Plain] = Plain, horizon: int = 4000) -> Trace:
    """A log of bidders who report their mean cost, whatever the setting allows."""
    plain = mechanism(MechanismConfig.of(setting), np.random.default_rng(0))
    bidders = [TruthfulBidder(setting.platform.cost_bound) for _ in setting.providers]
    return run_episode(plain, bidders, Noisy(setting), horizon)


class Noisy:
    def __init__(self, setting: Setting) -> None:
        self.setting, self.rng = setting, np.random.default_rng(5)

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        chosen = self.setting.providers[provider]
        score = float(self.rng.random() < chosen.quality)
        return score, chosen.mean_cost * float(self.rng.uniform(0.5, 1.5))

    def query_price(self, cost: float) -> float:
        return cost


@pytest.mark.parametrize("more", [["echo"], late(["echo", "foxtrot"])])
def test_a_provider_that_never_serves(more: list[str]) -> None:
    strangers = tuple(Provider(name, 0.5, 2.0) for name in more)
    at = 2  # in the midst of the others: their indices move
    setting = replace(STRONG, providers=(*STRONG.providers[:at], *strangers, *STRONG.providers[at:]))
    trace = right(STRONG)
    shifted = with_columns(trace, provider=np.where(trace.provider >= at, trace.provider + len(more), trace.provider))
    report = audited(setting, shifted)
    assert report.diagnosis[0].hypothesis == "provider absent"
    assert report.diagnosis[0].share == 1
    assert f"{', '.join(more)} never serve" in report.diagnosis[0].text
    assert "provider absent" not in kinds(audited(setting, rows_of(shifted, np.arange(3))))


class TestRoundedMoney:
    @pytest.mark.parametrize(("decimals", "tolerance"), [(2, 0.005), (3, 0.0005)])
    def test_rounded(self, decimals: int, tolerance: float) -> None:
        trace = right(LADDER)
        money = {name: np.round(trace.columns()[name], decimals) for name in ("payment", "bid")}
        report = audited(LADDER, with_columns(trace, **money))
        assert kinds(report) == ["rounded money"]
        assert f"--tolerance {tolerance:g}." in report.diagnosis[0].text
        assert not sum(audited(LADDER, with_columns(trace, **money), tolerance).violation_counts.values())

    def test_cut_off(self) -> None:
        """c_max is off by more than half a unit, so that half a unit does not do."""
        setting = with_platform(LADDER, cost_bound=300.038)
        trace = right(setting)
        money = {name: np.floor(100 * trace.columns()[name]) / 100 for name in ("payment", "bid")}
        assert "--tolerance 0.01." in audited(setting, with_columns(trace, **money)).diagnosis[0].text

    @pytest.mark.for_each("columns", [("payment", "bid"), ("payment",), ("bid",)])
    @pytest.mark.parametrize("as_text", [False, True])
    def test_single_precision(self, columns: tuple[str, ...], as_text: bool) -> None:
        trace = right(LADDER)
        money = {name: in_single_precision(trace.columns()[name], as_text=as_text) for name in columns}
        report = audited(LADDER, with_columns(trace, **money))
        assert kinds(report) == ["single precision"]
        tolerance = float(report.diagnosis[0].text.split("--tolerance ")[1].split(",")[0])
        assert tolerance < 1e-6 * LADDER.platform.cost_bound
        assert not audited(LADDER, with_columns(trace, **money), tolerance).violating_steps

    def test_single_precision_in_another_unit(self) -> None:
        trace = right(LADDER)
        money = {name: in_single_precision(trace.columns()[name] / 1e6) * 1e6 for name in ("payment", "bid")}
        reading = LogReading(layout=LogLayout(unit=1e6))
        found = audit([with_columns(trace, **money)], LADDER, labels=["lem:payment-range"], reading=reading)
        assert kinds(found) == ["single precision"]

    @pytest.mark.parametrize(
        "change",
        [
            lambda paid: np.round(0.97 * paid, 2),
            lambda paid: in_single_precision(0.999 * paid),
            lambda paid: paid + 1e-6,
        ],
    )
    def test_a_wrong_payment_is_not_excused(self, change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
        trace = right(LADDER)
        report = audited(LADDER, with_columns(trace, payment=change(trace.payment)))
        assert not {"rounded money", "single precision"} & {*kinds(report)}

    @pytest.mark.long("audits 4 logs")
    def test_another_unit_is_told_beside_another_setting(self) -> None:
        """The log of a market whose money is in dollars, read as if it were in millionths of them."""
        trace = right(LADDER)
        money = {name: trace.columns()[name] / 1e6 for name in ("payment", "bid", "cost")}
        dollars = with_columns(trace, **money)
        [told] = [one for one in audited(LADDER, dollars).diagnosis if one.hypothesis == "wrong setting"]
        assert told.text.endswith("Or the log's money is in another unit: try --unit 1e+06.")
        thousands = LogReading(layout=LogLayout(unit=1e3))
        by_thousand = with_columns(trace, **{name: column * 1e3 for name, column in money.items()})
        found = audit([by_thousand], LADDER, labels=["lem:payment-range"], reading=thousands)
        assert any("try --unit 1e+06." in one.text for one in found.diagnosis)
        halved = with_columns(trace, **{name: column / 2 for name, column in trace.columns().items() if name in money})
        assert not any("--unit" in one.text for one in audited(LADDER, halved).diagnosis)


class TestGaps:
    @pytest.mark.parametrize(
        ("setting", "at", "rows"), [(STRONG, 2000, 10), late(LADDER, 2500, 5), late(LADDER, 3000, 3)]
    )
    def test_several_missing_rows_are_counted(self, setting: Setting, at: int, rows: int) -> None:
        trace = right(setting)
        gone = np.arange(at, at + rows)
        report = audited(setting, rows_of(trace, np.delete(np.arange(len(trace)), gone)))
        first = report.diagnosis[0]
        assert (first.hypothesis, first.where) == ("rows missing", {"step": at + 1, "rows": rows})
        for provider, count in enumerate(np.bincount(trace.provider[gone])):
            if count:
                assert f"{count} of {setting.providers[provider].name}" in first.text
        assert "wrong mechanism" not in kinds(report)

    @pytest.mark.parametrize(
        ("seed", "at", "rows"),
        [(1, 7072, 10), *(late(*case) for case in ((1, 1586, 10), (3, 5000, 5), (4, 3570, 9), (21, 2735, 9)))],
    )
    def test_missing_rows_of_who_is_only_explored(self, seed: int, at: int, rows: int) -> None:
        """No payment tells them, and their scores may decide who is eligible; of seed 3 at 5,000 they do."""
        trace, gone = long_run(seed), np.arange(at, at + rows)
        report = audited(FULL, rows_of(trace, np.delete(np.arange(len(trace)), gone)))
        first = report.diagnosis[0]
        assert (first.hypothesis, first.where) == ("rows missing", {"step": at + 1, "rows": rows}), kinds(report)
        counts = np.bincount(trace.provider[gone], minlength=FULL.n_providers)
        told = [f"{n} of {provider.name}" for n, provider in zip(counts, FULL.providers, strict=True) if n]
        assert f": {', '.join(told)}." in first.text
        assert not {"gap or edit", "wrong mechanism"} & set(kinds(report))

    @pytest.mark.parametrize("setting", [STRONG, late(LADDER)])
    def test_distant_rows_exchanged(self, setting: Setting) -> None:
        """No explanation that was tried fits, but a mechanism that is wrong from the start does not either."""
        trace, order = right(setting), np.arange(4000)
        other = 2500 + int(np.argmax(trace.provider[2500:] != trace.provider[1500]))
        order[[1500, other]] = order[[other, 1500]]
        report = audited(setting, rows_of(trace, order))
        first = report.diagnosis[0]
        assert first.hypothesis == "gap or edit"
        assert "first 1,500 steps break nothing" in first.text
        assert first.where == {"step": 1501}
        assert "shows only late" in next(h for h in report.diagnosis if h.hypothesis == "wrong mechanism").text
