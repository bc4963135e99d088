"""What the printed rows mean, against the same numbers computed from plain traces."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bounds.published import PUBLISHED_NAMES, PublishedSetting, printed_numbers, published
from bounds.published.determined import determined_numbers
from bounds.published.unfiltered_rule import UNFILTERED
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import POLICIES
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.reproduction.definitions import POLICY_ROWS, PaperSpan, SettingRun, checkpoints, definitions
from proofs_checks.reproduction.run import numbers_of
from tests.parametrized import long_but
from tests.proofs_checks.reproduction.played import values_of_runs

SEED, RUN = 4, 2


def test_every_printed_number_is_defined_once() -> None:
    for paper in map(published, PUBLISHED_NAMES):
        keys = Counter((number.table, number.row, number.column) for number in numbers_of(paper))
        assert keys.keys() <= definitions(paper).keys()
        assert max(keys.values()) == 1
    assert sum(len(numbers_of(published(name))) for name in PUBLISHED_NAMES) == len(printed_numbers()) == 1019


def test_every_definition_is_printed_somewhere() -> None:
    printed = {(number.table, number.row, number.column) for number in printed_numbers()}
    spare = {key for name in PUBLISHED_NAMES for key in definitions(published(name))} - printed
    # Tables of selections have no row for i*; nothing else may be defined in vain.
    optimal = {published(name).optimal_provider for name in PUBLISHED_NAMES}
    assert {(table, row) for table, row, _ in spare} <= {("selections", provider) for provider in optimal}


@pytest.mark.parametrize("name", long_but(["gpqa-full"], PUBLISHED_NAMES, reason="plays 20 runs of each policy"))
def test_what_the_setting_determines_is_the_same_in_every_run(name: str) -> None:
    """Of routing by listed price alone: simulated, and from the setting; and nothing else of it stays the same."""
    paper = published(name)
    found = determined_numbers(paper)
    determined = {(each.source, each.row, each.quantity): float(each.ours.lower) for each in found}
    values = values_of_runs(paper, seed=SEED, runs=range(20))
    compared = 0
    for number, simulated in zip(numbers_of(paper), values.T, strict=True):
        key = (number.table, number.row, number.column)
        if key in determined:
            assert simulated == pytest.approx(determined[key], rel=1e-9, abs=1e-12)
            compared += 1
        elif number.row == UNFILTERED:
            assert np.ptp(simulated) > 1e-9, key
    assert compared == (12 if name.endswith("full") else 10)


def short(name: str) -> PublishedSetting:
    """Return a published setting whose long run is short, with T_id inside it."""
    paper = published(name)
    return replace(paper, horizon=12_000, printed={**paper.printed, "T_id": 11_000})


class ByHand:
    """The tables of one run, from the columns of its traces."""

    def __init__(self, paper: PublishedSetting) -> None:
        self.paper, setting = paper, paper.setting
        self.n, self.k, self.t = setting.n_providers, paper.questions, paper.horizon
        self.star = [provider.name for provider in setting.providers].index(paper.optimal_provider)
        self.quality = np.array([provider.quality for provider in setting.providers])
        self.cost = np.array([provider.mean_cost for provider in setting.providers])
        self.bad = self.quality < setting.platform.quality_threshold
        self.c_max = setting.platform.cost_bound
        self.second = np.sort(self.cost[~self.bad])[1]
        self.found: dict[tuple[str, str, str], float] = {}
        self.values()

    def trace(self, policy: str) -> Trace:
        return CompiledEpisode(self.paper.setting, POLICIES[policy]).trace(horizon=self.t, seed=SEED, run=RUN)

    def values(self) -> None:
        for row, policy in POLICY_ROWS.items():
            self.routing(row, policy, self.trace(policy))
        trace = self.trace("platform")
        replay = Replay(MechanismConfig.of(self.paper.setting), trace)
        explored = replay.exploration
        ordinary = ~explored
        ordinary[: self.n] = False
        bids = replay.standing_bids[np.arange(self.t), trace.provider]
        self.exploration(trace, explored, ordinary)
        self.payments(trace, explored, ordinary, bids)
        self.diagnostics(trace, explored)
        self.providers(trace, explored)

    def routing(self, row: str, policy: str, trace: Trace) -> None:
        who, threshold = trace.provider, self.paper.setting.platform.quality_threshold
        bad = np.maximum(threshold - self.quality, 0)[who]
        dear = np.maximum(self.cost - self.cost[self.star], 0)[who]
        for table, length in (("one-pass", self.k), ("long", self.t)):
            slash = "T" if table == "one-pass" else "t"
            first = slice(length)
            self.found[table, row, "Share of i*"] = np.mean(who[first] == self.star)
            self.found[table, row, "Unqualified share"] = self.bad[who[first]].mean()
            self.found[table, row, f"R_qual/{slash}"] = bad[first].mean()
            self.found[table, row, f"R_gen/{slash}"] = dear[first].mean()
            self.found[table, row, "Generation cost"] = trace.cost[first].mean()
            self.found[table, row, "Amount paid"] = trace.payment[first].mean()
        self.found["one-pass", row, "Accuracy"] = trace.score[: self.k].mean()
        self.found["long", row, "Moving avg"] = np.mean(who[-self.k :] == self.star)
        self.found["long", row, "i* most selected"] = self.leads(who)
        filtered = policy in ("platform", "uniform-eligible", "lowest-price-eligible")
        self.found["long", row, "|Qhat|"] = self.eligible(trace) if filtered else self.n

    def leads(self, who: np.ndarray) -> float:
        counts = Counter(who.tolist()).most_common(2)
        return float(counts[0][0] == self.star and (len(counts) == 1 or counts[0][1] > counts[1][1]))

    def radius(self, count: np.ndarray) -> np.ndarray:
        constant = 2 * math.pi**2 * self.n / (3 * self.paper.setting.platform.confidence)
        return np.sqrt(np.log(constant * count**2) / (2 * count))

    def eligible(self, trace: Trace) -> int:
        counts = np.bincount(trace.provider[:-1], minlength=self.n)
        means = np.bincount(trace.provider[:-1], weights=trace.score[:-1], minlength=self.n) / counts
        return int(np.sum(means + self.radius(counts) >= self.paper.setting.platform.quality_threshold))

    def exploration(self, trace: Trace, explored: np.ndarray, ordinary: np.ndarray) -> None:
        one, last = slice(self.k), slice(self.t - self.k, self.t)

        def put(row: str, one_pass: float | None, long: float) -> None:
            self.found["exploration", row, "long run"] = long
            if one_pass is not None:
                self.found["exploration", row, "one pass"] = one_pass

        put("Exploration steps (mean)", explored[one].sum(), explored.sum())
        after = slice(self.n, self.k)
        put("Share of exploration steps after initialization", explored[after].mean(), explored[self.n :].mean())
        put("Share of exploration steps at T (moving avg.)", None, explored[last].mean())
        paid, cost = explored * trace.payment, explored * trace.cost
        put("Exploration-step payment per step", paid[one].mean(), paid[last].mean())
        put("Exploration-step generation cost per step", cost[one].mean(), cost[last].mean())
        for row, flags in (
            ("Share of exploration steps given to i^*", trace.provider == self.star),
            ("Share of exploration steps given to unqualified providers", self.bad[trace.provider]),
        ):
            put(row, flags[one][explored[one]].mean(), flags[explored].mean())
        auctions = trace.payment[last][ordinary[last]]
        put(r"Payment \pi_t at T, non-exploration steps (moving avg.)", None, auctions.mean())
        put(r"Payment \pi_t at T, all steps (moving avg.)", None, trace.payment[last].mean())
        margins = trace.payment[last] / self.cost[trace.provider[last]] - 1
        self.found["main", "pay all", ""] = trace.payment[last].mean()
        self.found["main", "pay non-expl", ""] = auctions.mean()
        self.found["main", "margin %", ""] = 100 * margins[ordinary[last]].mean()
        self.found["main", "share", ""] = np.mean(trace.provider[last] == self.star)

    def payments(self, trace: Trace, explored: np.ndarray, ordinary: np.ndarray, bids: np.ndarray) -> None:
        one, after, sold = slice(self.k), slice(self.n, self.k), ordinary[: self.k]
        excess = np.maximum(trace.payment - self.second, 0)
        payoffs = [np.sum((trace.payment - trace.cost)[one][trace.provider[one] == i]) for i in range(self.n)]
        rows = {
            "Generation cost per query, whole pass": trace.cost[one].mean(),
            "Query price per query, whole pass": 1.25 * trace.cost[one].mean(),
            r"Payment \pi_t per query, whole pass": trace.payment[one].mean(),
            "Generation cost per query, after initialization": trace.cost[after].mean(),
            "Query price per query, after initialization": 1.25 * trace.cost[after].mean(),
            r"Payment \pi_t per query, after initialization": trace.payment[after].mean(),
            "Winning bid, non-exploration steps": bids[one][sold].mean(),
            r"Payment \pi_t per query, non-exploration steps": trace.payment[one][sold].mean(),
            "Exploration-step payment per query, after initialization": self.c_max * explored[one].sum() / self.k,
            "Share of exploration steps after initialization": explored[after].mean(),
            r"Excess payment per step E_T^{\mathrm{pay}}/T, whole pass": excess[one].mean(),
            "Excess payment per query, non-exploration steps": excess[one][sold].mean(),
            "Mean provider payoff over the pass": np.mean(payoffs),
            "Lowest provider payoff over providers and runs": min(payoffs),
        }
        self.found.update({("payments", row, ""): value for row, value in rows.items()})

    def diagnostics(self, trace: Trace, explored: np.ndarray) -> None:
        who, threshold = trace.provider, self.paper.setting.platform.quality_threshold
        excess = np.maximum(trace.payment - self.second, 0)
        rows = {
            "Selections of providers other than i^* after initialization (mean)": np.sum(who[self.n :] != self.star),
            r"Runs in which i^* is the most selected provider at t = 5{,}000": self.leads(who[:5000]),
            r"\quad at t = 10{,}000": self.leads(who[:10000]),
            r"\quad at t = T_{\mathrm{id}}": self.leads(who[:11000]),
            r"\quad at t = T": self.leads(who),
            r"R_T^{\mathrm{qual}}, realized (mean)": np.maximum(threshold - self.quality, 0)[who].sum(),
            r"R_T^{\mathrm{gen}}, realized (mean)": np.maximum(self.cost - self.cost[self.star], 0)[who].sum(),
            r"E_T^{\mathrm{pay}} without the exploration steps, realized (mean)": excess[~explored].sum(),
            r"E_T^{\mathrm{pay}} incl. exploration steps, realized (mean)": excess.sum(),
            "Good event held, one pass (runs)": self.in_band(trace, self.k),
            "Good event held, long run, platform": self.in_band(trace, self.t),
            "Good event held, long run, no quality filter": self.in_band(self.trace("no-quality-filter"), self.t),
            "Payment-bound violations, one pass (steps)": self.out_of_bounds(trace, explored),
        }
        self.found.update({("diagnostics", row, ""): value for row, value in rows.items()})

    def in_band(self, trace: Trace, length: int) -> float:
        for i in range(self.n):
            mine = trace.provider[:length] == i
            counts = np.arange(1, mine.sum() + 1)
            for column, mean, scale in ((trace.score, self.quality[i], 1), (trace.cost, self.cost[i], self.c_max)):
                errors = np.abs(np.cumsum(column[:length][mine]) / counts - mean)
                if (errors > scale * self.radius(counts)).any():
                    return 0.0
        return 1.0

    def out_of_bounds(self, trace: Trace, explored: np.ndarray) -> int:
        counts, wrong = np.ones(self.n), 0
        for step in range(self.n, self.k):
            i = trace.provider[step]
            slack = self.c_max * self.radius(counts[i])
            if not explored[step] and not self.cost[i] - slack <= trace.payment[step] <= self.second + slack:
                wrong += 1
            counts[i] += 1
        return wrong

    def providers(self, trace: Trace, explored: np.ndarray) -> None:
        one, payoff = slice(self.k), trace.payment - trace.cost
        others = trace.provider != self.star
        self.found["selections", "All providers other than i^*", "mean"] = others[self.n :].sum()
        self.found["selections", "All providers other than i^*", "exploration"] = (others & explored).sum()
        for i, provider in enumerate(self.paper.setting.providers):
            mine = trace.provider == i
            row = f"{provider.name} (i^*)" if i == self.star else provider.name
            gain = payoff[one][mine[one]].sum()
            self.found["payoffs", row, "selections"] = mine[one].sum()
            self.found["payoffs", row, "negative runs"] = float(gain < 0)
            for column in ("payoff mean", "payoff min", "payoff max"):
                self.found["payoffs", row, column] = gain
            for column in ("mean", "max"):
                self.found["selections", provider.name, column] = mine.sum()
            self.found["selections", provider.name, "exploration"] = (mine & explored).sum()
            self.found["selections", provider.name, "last selection"] = np.flatnonzero(mine)[-1] + 1


@pytest.mark.long("plays 12,000 queries of each policy")
@pytest.mark.parametrize("name", ["gpqa-strong", "gsm8k-full"])
def test_definitions_agree_with_plain_traces(name: str) -> None:
    paper = short(name)
    numbers = numbers_of(paper)
    (values,) = values_of_runs(paper, seed=SEED, runs=[RUN])
    expected = ByHand(paper).found
    for number, value in zip(numbers, values, strict=True):
        key = (number.table, number.row, number.column)
        assert value == pytest.approx(expected[key], rel=1e-9, abs=1e-9), key


def tally(paper: PublishedSetting, **run_totals: float) -> Tally:
    steps = checkpoints(paper)
    overall = np.zeros((len(steps), len(RunField)))
    for name, value in run_totals.items():
        overall[1:, RunField[name]] = value
    return Tally(steps, np.zeros((len(steps), len(ProviderField), paper.setting.n_providers)), overall)


def test_a_violated_band_ends_the_good_event() -> None:
    paper = published("gpqa-strong")
    assert SettingRun(paper, tally(paper)).good_event(paper.horizon) == 1.0
    assert SettingRun(paper, tally(paper, BAND_VIOLATIONS=1.0)).good_event(paper.horizon) == 0.0


def test_a_tie_identifies_nobody() -> None:
    paper = published("gpqa-strong")
    even = tally(paper)
    even.by_provider[:, ProviderField.SELECTIONS] = 7
    assert SettingRun(paper, even).identified(paper.horizon) == 0.0
    even.by_provider[:, ProviderField.SELECTIONS, paper.setting.optimal] = 8
    assert SettingRun(paper, even).identified(paper.horizon) == 1.0


def test_a_span_without_auctions_has_none_to_average() -> None:
    paper = published("gpqa-strong")
    assert (
        PaperSpan(paper.setting, tally(paper), first=0, last=paper.questions, paper=paper).per_ordinary_step(5.0) == 0.0
    )
