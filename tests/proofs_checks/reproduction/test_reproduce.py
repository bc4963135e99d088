"""The paper's tables beside ours: rows against plain traces, z by hand, `costproof reproduce` and what it calls."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.published import PUBLISHED_NAMES, PrintedNumber, PublishedSetting, printed_numbers, published
from bounds.published.determined import determined_numbers
from bounds.published.unfiltered_rule import UNFILTERED
from bounds.setting.model import Setting
from mechanism.campaign.store import CampaignStore
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import POLICIES
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.cli.commands import reproduce as command
from proofs_checks.cli.views.reproduce import show_reproduction
from proofs_checks.reproduction.definitions import POLICY_ROWS, PaperSpan, SettingRun, checkpoints, definitions
from proofs_checks.reproduction.run import ReproducedNumber, compare_all, numbers_of, reproduce, values_of
from proofs_checks.reproduction.statistics import NumberAgainstPrinted, Values, compare
from proofs_checks.reproduction.tables import REASONS, PaperTable, paper_table, reason_for
from tests.parametrized import long_but
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.refusals import assert_refused

NAME = "gpqa-strong"
PAPER = published(NAME)
#: How the captions of the paper's tables begin, as printed; the two rosters of a benchmark share them.
CAPTIONS = {
    ("gsm8k-ladder", "one-pass"): ("tab:gsm8k-one-pass", "GSM8K one-pass outcomes"),
    ("gpqa-full", "payments"): ("tab:gpqa-payments", "GPQA one pass: the platform's economic quantities"),
    ("gpqa-strong", "long"): ("tab:strong-long", "GPQA strong-competition long horizon: outcomes at T = 70,000"),
    ("gpqa-strong", "main"): ("tab:main-environments", "Our procurement platform on queries from GSM8K and GPQA"),
}
KEYS = {"label", "setting", "table", "row", "column", "stat", "printed", "ours", "standard_error", "z"}


def changed(**parameters: float) -> Setting:
    return replace(PAPER.setting, platform=replace(PAPER.setting.platform, **parameters))


def agreement(setting: Setting | None) -> float:
    lines = compare_all(PAPER, values_of_runs(PAPER, seed=0, runs=range(40), setting=setting))
    compared = [line for line in lines if line.comparison]
    return sum(line.agrees is True for line in compared) / len(compared)


class TestReproduce:
    def test_the_published_market_agrees(self) -> None:
        assert agreement(None) >= 0.97

    @pytest.mark.parametrize(
        "wrong", [changed(exploration_scale=1e-9), changed(cost_bound=150.0), changed(quality_threshold=0.19)]
    )
    def test_a_wrong_platform_is_noticed(self, wrong: Setting) -> None:
        assert agreement(wrong) < 0.8

    def test_lines_keep_the_order_of_the_tables(self) -> None:
        found = reproduce([NAME, "gsm8k-full"], runs=2)
        assert [line.number for line in found.lines] == [*numbers_of(PAPER), *numbers_of(published("gsm8k-full"))]

    @pytest.mark.long("plays and resumes")
    def test_more_runs_go_on_and_another_seed_is_refused(self, tmp_path: Path, run: Run) -> None:
        """`test_campaign_interruption` has what becomes of runs that are killed, and `test_campaign_damage` of rows."""
        reproduce([NAME], runs=2, out=str(tmp_path))
        assert reproduce([NAME], runs=3, out=str(tmp_path)).to_data() == reproduce([NAME], runs=3).to_data()
        with CampaignStore.existing(str(tmp_path / NAME)) as store:
            assert len(list(store.runs())) == 15
        refused = run("reproduce", NAME, "--runs", 2, "--seed", 1, "--out", tmp_path)
        assert_bad_input(refused, "--out", "seed")

    def test_extremes_need_many_runs(self) -> None:
        values = values_of_runs(PAPER, seed=0, runs=range(4))
        few, many = compare_all(PAPER, np.tile(values, (74, 1))), compare_all(PAPER, np.tile(values, (75, 1)))
        assert {line.number.stat for line in few if line.comparison is None} == {"min", "max"}
        assert all("at least 300" in line.reason for line in few if line.comparison is None)
        assert all(line.comparison for line in many)


@pytest.mark.parametrize(("key", "name"), CAPTIONS.items())
def test_tables_have_the_names_of_the_paper(key: tuple[str, str], name: tuple[str, str]) -> None:
    assert paper_table(*key) == PaperTable(*name)


def test_every_printed_table_has_a_name() -> None:
    # Seven tables each of GSM8K, GPQA and strong competition, and the one of the main text.
    assert len({paper_table(number.setting, number.table) for number in printed_numbers()}) == 3 * 7 + 1


def test_a_reason_explains_no_disagreement_of_another_size() -> None:
    for key, (lowest, highest, text) in REASONS.items():
        for z in (lowest, highest):
            assert reason_for(key, z) == text
        for z in (lowest - 0.1, highest + 0.1, -50.0, 50.0, None):
            assert reason_for(key, z) is None
    assert reason_for(("gsm8k-full", "long", "Platform", "Accuracy"), 3.5) is None


def test_a_regression_is_unexplained_though_its_number_has_a_reason() -> None:
    paper = published("gsm8k-full")
    index, number = next(
        (i, n) for i, n in enumerate(numbers_of(paper)) if (paper.setting.name, n.table, n.row, n.column) in REASONS
    )
    values = np.zeros((300, len(numbers_of(paper))))
    wrong = compare_all(paper, values)[index]
    assert wrong.reason is None
    assert wrong.unexplained
    right = compare_all(paper, np.full_like(values, number.printed))[index]
    assert right.agrees
    assert not right.unexplained


class TestCommand:
    def test_json(self, passed: Run) -> None:
        found = passed("reproduce", NAME, "--runs", 40, "--jobs", 1, "--json")
        data = found.data
        assert found.err == ""
        assert data["total"] == len(data["numbers"]) == 159
        assert all(row.keys() >= KEYS for row in data["numbers"])
        assert data["agree_within_3"] == sum(row["z"] is not None and abs(row["z"]) < 3 for row in data["numbers"])
        assert data["not_compared"] == sum(row["z"] is None for row in data["numbers"]) == 12
        assert data["market"][NAME]["options"]["questions"] == 546
        assert sum(table["numbers"] for table in data["tables"]) == 159
        assert data["judged"] is True
        assert 0 < data["varying"] < 147
        assert data["expected_by_chance"] == pytest.approx(0.0027 * data["varying"], rel=1e-3)
        assert data["numbers"][0]["label"] in {table["label"] for table in data["tables"]}

    def test_terminal_shows_every_number(self, passed: Run) -> None:
        shown = passed("reproduce", NAME, "--runs", 2, "--jobs", 1, "--all")
        out = shown.out
        assert out.count("too few runs") == 12
        assert "(tab:strong-one-pass)" in shown.told
        assert "|Qhat|" in out
        assert "Llama-3.1-8B (i^*)" in out
        assert "too few for verdicts" in shown.told
        assert "chance" not in out
        assert "\\" not in out

    def test_few_runs_give_numbers_and_no_verdict(self, passed: Run) -> None:
        data = passed("reproduce", NAME, "--runs", 2, "--jobs", 1, "--json").data
        assert (data["judged"], data["unexplained"], data["expected_by_chance"]) == (False, None, None)
        assert {row["agrees"] for row in data["numbers"]} == {None}
        assert max(abs(row["z"] or 0) for row in data["numbers"]) > 3

    def test_disagreements_are_named_with_what_is_known(self, capsys: pytest.CaptureFixture[str]) -> None:
        number = PrintedNumber(NAME, "payoffs", "big", "payoff max", "max", 9.0, 0.5, None)
        ours = NumberAgainstPrinted(
            ours=5.0,
            standard_error_printed=1.0,
            standard_error_ours=0.0,
            standard_error=1.0,
            z=4.0,
            tail_probability=None,
            tail_resolved=None,
            halfwidth_ratio=None,
        )
        found = reproduce([NAME], runs=30)
        for change, reason, said in (
            ({"tail_probability": 0.06}, None, "tail probability 0.06: unexplained, but not rare by its tail"),
            ({}, "looked into", "z 4.00: looked into"),
            ({"z": None}, None, "z none: unexplained"),
        ):
            line = ReproducedNumber(number=number, comparison=replace(ours, **change), reason=reason)
            show_reproduction(replace(found, lines=(line,)))
            text = " ".join(capsys.readouterr().out.split())
            assert "gpqa-strong, payoffs, big, payoff max: printed 9, ours 5, " in text
            assert said in text

    @pytest.mark.long("plays 59 runs")
    def test_too_much_disagreement_exits_1(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(command, "ENOUGH", 1.01)
        assert run("reproduce", NAME, "--runs", 30, "--jobs", 1).code == 1
        assert run("reproduce", NAME, "--runs", 29, "--jobs", 1).code == 0


def test_all_settings_are_the_default_and_an_interruption_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    stop = mock.Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("proofs_checks.reproduction.run.reproduce", stop)
    outcome = run("reproduce", "--json")
    assert (outcome.code, outcome.out) == (130, "")
    assert [call.args for call in stop.call_args_list] == [(PUBLISHED_NAMES,)]


def printed(value: float, stat: str = "mean", half_ulp: float = 0.0, halfwidth: float | None = None) -> PrintedNumber:
    return PrintedNumber("toy", "table", "row", "", stat, value, half_ulp, halfwidth)


class TestMeans:
    VALUES = np.array([1.0, 2.0, 3.0, 6.0])  # mean 3, variance 14/3

    def test_by_hand(self) -> None:
        found = compare(printed(5.0, half_ulp=0.5, halfwidth=1.96), self.VALUES, 2)
        assert found.ours == 3.0
        assert found.standard_error_printed**2 == pytest.approx(14 / 6 + 1 / 12)
        assert found.standard_error_ours**2 == pytest.approx(14 / 12)
        assert found.z == pytest.approx(2 / math.sqrt(14 / 6 + 14 / 12 + 1 / 12))
        assert found.halfwidth_ratio == pytest.approx(1 / math.sqrt(14 / 6))
        assert found.tail_probability is None

    def test_three_standard_errors_do_not_agree(self) -> None:
        error = compare(printed(3.0), self.VALUES, 2).standard_error
        assert not compare(printed(3.0 + 3.001 * error), self.VALUES, 2).agrees
        assert compare(printed(3.0 + 2.999 * error), self.VALUES, 2).agrees


class TestNothingVaries:
    SAME = np.full(50, 1656.0)

    @pytest.mark.parametrize("difference", [-0.5, -0.2, 0.0, 0.3, 0.5])
    def test_within_the_rounding_is_within_its_standard_error(self, difference: float) -> None:
        found = compare(printed(1656 + difference, half_ulp=0.5), self.SAME, 30)
        assert found.z == pytest.approx(difference * math.sqrt(12))
        assert found.agrees

    def test_without_rounding_there_is_no_z(self) -> None:
        found = compare(printed(1657.0), self.SAME, 30)
        assert found.z is None
        assert not found.agrees

    @pytest.mark.parametrize("stat", ["mean", "min", "max", "sum"])
    def test_every_statistic(self, stat: str) -> None:
        wanted = 1656.0 * (30 if stat == "sum" else 1)
        assert compare(printed(wanted, stat), self.SAME, 30).z == 0.0
        assert not compare(printed(wanted + 5, stat, 0.5), self.SAME, 30).agrees


class TestFrequencies:
    def test_two_proportions_are_pooled(self) -> None:
        found = compare(printed(0.9), np.ones(90), 30)
        pooled = 117 / 120
        assert found.z == pytest.approx(-0.1 / math.sqrt(pooled * (1 - pooled) * (1 / 30 + 1 / 90)))

    def test_a_count_that_never_happens(self) -> None:
        assert compare(printed(0.0, "sum", 0.5), np.zeros(100), 30).z == 0.0
        assert compare(printed(2.0, "sum", 0.5), np.zeros(1000), 30).z > 3

    def test_a_sum_by_hand(self) -> None:
        values = np.array([0.0, 2.0, 4.0, 2.0])  # mean 2, variance 8/3
        found = compare(printed(70.0, "sum"), values, 30)
        assert found.ours == 60.0
        assert found.z == pytest.approx(10 / math.sqrt(30 * 8 / 3 + 900 * 2 / 3))


class TestExtremes:
    @given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.sampled_from(["min", "max"]))
    def test_expectation_and_spread_by_enumeration(self, values: list[int], stat: str) -> None:
        pick = min if stat == "min" else max
        extremes = np.array([pick(draw) for draw in product(values, repeat=3)], dtype=float)
        found = compare(printed(3.0, stat), np.array(values, dtype=float), 3)
        assert found.ours == pytest.approx(extremes.mean())
        assert found.standard_error_printed == pytest.approx(extremes.std(), abs=1e-6)

    def test_a_minimum_mirrors_a_maximum(self) -> None:
        values = np.random.default_rng(0).exponential(size=400)
        largest, smallest = compare(printed(7.0, "max"), values, 30), compare(printed(-7.0, "min"), -values, 30)
        assert smallest.ours == -largest.ours
        assert smallest.z == pytest.approx(-largest.z)
        assert smallest.tail_probability == largest.tail_probability

    def test_our_error_is_that_of_repeated_samples(self) -> None:
        rng = np.random.default_rng(1)
        found = [compare(printed(0.0, "max"), rng.normal(size=600), 30) for _ in range(400)]
        spread = np.std([one.ours for one in found])
        assert np.mean([one.standard_error_ours for one in found]) == pytest.approx(spread, rel=0.15)

    def test_tails_are_calibrated(self) -> None:
        rng = np.random.default_rng(2)
        values = rng.normal(size=4000)
        tails = np.array(
            [compare(printed(rng.normal(size=30).max(), "max"), values, 30).tail_probability for _ in range(300)]
        )
        assert np.mean(tails < 0.2) == pytest.approx(0.2, abs=0.06)

    def test_what_no_run_shows_may_still_happen(self) -> None:
        found = compare(printed(1e9, "max"), np.arange(99.0), 30)
        assert found.tail_probability == pytest.approx(2 * (1 - 0.99**30))
        assert found.tail_resolved is False

    @pytest.mark.parametrize(
        ("stat", "value", "resolved"),
        [("max", 98.0, True), ("max", 98.6, False), ("max", -5.0, True), ("min", 0.0, True), ("min", -0.6, False)],
    )
    def test_a_tail_is_resolved_if_a_run_reaches_it(self, stat: str, value: float, resolved: bool) -> None:
        assert compare(printed(value, stat, 0.5), np.arange(99.0), 30).tail_resolved is resolved


@pytest.mark.parametrize(
    ("said", "stat", "values"),
    [
        ("two or more finite", "mean", [1.0]),
        ("two or more finite", "mean", [1.0, math.nan]),
        ("stat", "median", [0, 1]),
    ],
)
def test_what_cannot_be_compared_is_refused(said: str, stat: str, values: list[float]) -> None:
    assert_refused(said, compare, printed(1.0, stat), np.array(values), 30)


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


def tally(**run_totals: float) -> Tally:
    steps = checkpoints(PAPER)
    overall = np.zeros((len(steps), len(RunField)))
    for name, value in run_totals.items():
        overall[1:, RunField[name]] = value
    return Tally(steps, np.zeros((len(steps), len(ProviderField), PAPER.setting.n_providers)), overall)


def test_a_violated_band_ends_the_good_event() -> None:
    assert SettingRun(PAPER, tally()).good_event(PAPER.horizon) == 1.0
    assert SettingRun(PAPER, tally(BAND_VIOLATIONS=1.0)).good_event(PAPER.horizon) == 0.0


def test_a_tie_identifies_nobody() -> None:
    even = tally()
    even.by_provider[:, ProviderField.SELECTIONS] = 7
    assert SettingRun(PAPER, even).identified(PAPER.horizon) == 0.0
    even.by_provider[:, ProviderField.SELECTIONS, PAPER.setting.optimal] = 8
    assert SettingRun(PAPER, even).identified(PAPER.horizon) == 1.0


def test_a_span_without_auctions_has_none_to_average() -> None:
    span = PaperSpan(PAPER.setting, tally(), first=0, last=PAPER.questions, paper=PAPER)
    assert span.per_ordinary_step(5.0) == 0.0


def values_of_runs(
    paper: PublishedSetting, *, seed: int, runs: Sequence[int], setting: Setting | None = None
) -> Values:
    """Return the values of some runs of a seed; of another setting, to see whether a wrong one is noticed."""
    steps = checkpoints(paper)
    tallies = {}
    for policy in POLICY_ROWS.values():
        episode = CompiledEpisode(setting or paper.setting, POLICIES[policy])
        tallies[policy] = list(episode.tallies(horizon=paper.horizon, seed=seed, runs=runs, checkpoints=steps))
    return values_of(paper, tallies)
