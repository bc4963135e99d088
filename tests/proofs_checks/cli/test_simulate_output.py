"""What `costproof simulate` says besides the numbers: on stderr what it left out, in text what was served."""

import re
import shlex
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from numba.core.event import trigger_event

import costproof
from bounds.glossary import name_of
from bounds.published import published
from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.words import at_most as rounded_text
from mechanism.compiled.episode import CompiledEpisode
from proofs_checks.cli import compilation
from proofs_checks.cli.compilation import compiled_simulator
from tests.proofs_checks.outcomes import Run, assert_bad_input

NAME = "gpqa-strong"
SETTING = published(NAME).setting
SMALL = ("simulate", NAME, "--horizon", "200", "--runs", "2", "--policy", "platform")


def test_bidders_that_widen_the_platform_are_told(passed: Run) -> None:
    """In words and in the document; bidders that need no wider radius leave both out."""
    out = passed(*SMALL, "--bidders", "bayesian").out
    said = "γ = 0 does not cover the prior of bayesian bidders; the platform is widened by γ = 0.2631."
    assert said in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    data = passed(*SMALL, "--bidders", "bayesian", "--json").data
    assert data["warnings"] == [said]
    assert f"{data['belief_slack']:.4g}" == "0.2631"
    assert passed(*SMALL, "--json").data["warnings"] == []
    assert "widened" not in passed(*SMALL).out


def test_gamma_is_kept_where_that_is_asked_for(
    passed: Run, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The run is another one, no bound is next to it, and the command to run next asks for the same."""
    monkeypatch.chdir(tmp_path)
    kept = [*SMALL, "--bidders", "bayesian:0.1:20", "--keep-gamma"]
    found = [passed(*words, "--json").data for words in (kept, kept[:-1])]
    assert found[0]["belief_slack"] == 0
    assert found[1]["belief_slack"] > 0.8
    assert found[0]["policies"] != found[1]["policies"]
    assert found[0]["warnings"][0].endswith("keeps γ = 0, and of the guarantees only that on quality is promised.")
    out = passed(*kept).out
    assert "at most" not in out
    again = shlex.split(out.partition("costproof simulate")[2].replace("\\\n", " "))
    assert again[again.index("--bidders") :][:3] == kept[-3:]
    assert "--keep-gamma changes nothing" in passed(*SMALL, "--keep-gamma").err
    assert_bad_input(run(*kept, "--plot", "figures"), "cannot be drawn with --keep-gamma")


def test_guarantees_stand_beside_what_happened(passed: Run) -> None:
    means = passed("simulate", NAME, "--horizon", "2000", "--runs", "3", "--json").data["policies"]["platform"]
    text = passed("simulate", NAME, "--horizon", "2000", "--runs", "3").out
    told = dict(re.findall(r"(?m)^(\w[a-z, ]+?) {2,}(\S+ +\S+) ", text))
    bound = costproof.bounds(NAME, 2_000)
    missed = 2_000 - means["selections"]["mean"][SETTING.optimal] - (SETTING.n_providers - 1)
    happened, at_most = told["identification bound"].split()
    assert float(happened.replace(",", "")) == pytest.approx(missed, rel=1e-4)
    assert float(at_most.replace(",", "")) == bound.identification_bound
    for name in ("quality regret", "generation regret", "excess payment", "average payment deviation"):
        row = told[name].split()
        assert float(row[0].replace(",", "")) == pytest.approx(means[name.replace(" ", "_")]["mean"], rel=1e-3)
    assert re.search(r"identification bound .* not informative", text)
    # T_0 is far away: what happened has no bound yet.
    assert told["average payment deviation"].split()[1] == "-"
    start = rounded_text(bound.burn_in)
    words = " ".join(text.split())
    assert f"trivial until T_0 T_0 = {start}." in words
    assert "All paper bounds hold with probability at least 0.95." in words


def test_the_metrics_of_the_table_are_chosen_by_any_of_their_names(passed: Run) -> None:
    found = passed(*SMALL, "--json").data["policies"]["platform"]
    single = [metric for metric, each in found.items() if not isinstance(each["mean"], list)]
    chosen = {"amount paid,Quality-Regret,accuracy": ["amount_paid", "quality_regret", "accuracy"], "all": single}
    for names, metrics in chosen.items():
        head, row = (line.split(",") for line in passed(*SMALL, "--metrics", names, "--csv").out.splitlines())
        assert head == ["setting", "policy", *(f"{metric}{end}" for metric in metrics for end in ("", "_sd"))]
        assert list(map(float, row[2:])) == [found[metric][part] for metric in metrics for part in ("mean", "sd")]
        words = passed(*SMALL, "--metrics", names).out.split()
        assert all(set(name_of(metric).split()) <= set(words) for metric in metrics)


#: Cheap and dear providers whose T_0 comes early; the answers of the dear ones may cost more than the bound.
EARLY = Setting(
    "early",
    PlatformParameters(
        quality_threshold=0.7, confidence=0.05, cost_bound=20.0, exploration_scale=2.0, exploration_exponent=0.75
    ),
    [Provider("a", 0.9, 4.0, 0.02), Provider("b", 0.8, 7.0, 0.9), Provider("c", 0.05, 2.0, 0.5)],
)


@pytest.fixture
def early(tmp_path: Path) -> str:
    file = tmp_path / "early.toml"
    file.write_text(format_setting(EARLY))
    return str(file)


@pytest.mark.long("plays until T_0")
def test_the_average_deviation_stands_beside_its_bound_from_t_0_on(early: str, passed: Run, run: Run) -> None:
    start = costproof.bounds(EARLY, 100).burn_in
    assert start is not None
    horizon = int(start) + 1
    command = ["simulate", early, "--horizon", str(horizon), "--runs", "2", "--policy", "platform"]
    data = passed(*command, "--json").data
    row = data["guarantees"][-1]
    bound = costproof.bounds(EARLY, horizon).bounds["average_payment_deviation"]
    traces = [costproof.simulate(EARLY, horizon, run=run) for run in (0, 1)]
    happened = [abs(trace.payment - EARLY.second_lowest_cost).mean() for trace in traces]
    assert row["guarantee"] == "average_payment_deviation"
    assert row["happened"] == pytest.approx(sum(happened) / 2)
    assert row["at_most"] == bound.value
    first = passed(*command, "--method", "sharpest", "--json").data["guarantees"][0]
    assert first["at_most"] == costproof.bounds(EARLY, horizon, method="sharpest").identification_bound
    assert row["share"] == pytest.approx(row["happened"] / row["at_most"])
    last = passed(*command, "--csv", "--guarantees").out.splitlines()[-1].split(",")
    assert [float(cell) for cell in last[1:4]] == [row["happened"], row["at_most"], row["share"]]
    latex = passed(*command, "--latex-table", "--guarantees").out
    assert "with probability at least 0.95 a run stays within all paper bounds" in latex
    assert r"guarantee & happened & at most & used in \% \\" in latex
    assert_bad_input(run(*command, "--guarantees"), "--csv, --markdown or --latex-table")


def test_what_the_mean_payment_mixes_is_told(early: str, passed: Run) -> None:
    text = passed("simulate", early, "--horizon", "3000", "--runs", "1", "--policy", "platform", "--all").told
    payment = costproof.simulate(EARLY, 3000).payment
    given = re.search(
        r"The mean payment mixes two parts: ([\d,]+) auctions paid ([\d.]+) on average; ([\d,]+) exploration steps "
        r"and 3 of initialization paid 20 each\.",
        text,
    )
    assert given is not None
    auctions, each, explored = (float(part.replace(",", "")) for part in given.groups())
    assert auctions + explored + 3 == 3000
    assert (auctions * each + (explored + 3) * 20) / 3000 == pytest.approx(payment.mean(), rel=1e-3)


def test_a_mean_payment_above_c_2_is_explained(early: str, passed: Run) -> None:
    why = ", because explorations pay c_max"
    for horizon, compared in (
        ("300", "24.1% more than c_(2) = 7, {}" + why),
        ("1000", "5.85% less than c_(2) = 7, {}"),
    ):
        found = passed("simulate", early, "--horizon", horizon, "--runs", "1", "--policy", "platform")
        assert f"{compared.format('the second-lowest qualified cost')}." in found.told


def test_a_price_that_is_not_used_says_what_is_drawn_instead(early: str, passed: Run) -> None:
    command = ["simulate", early, "--horizon", "200", "--runs", "1", "--policy", "platform"]
    assert "Costs of 2 providers are not token counts times the listed price (--all)." in passed(*command).out
    text = passed(*command, "--all").told
    reason = "512 tokens per candidate may cost more than cost_bound. They are drawn on a grid with the same mean."
    assert f"b, c: costs are not token counts times the listed price: {reason}" in text
    assert "A token costs listed_price / 1.25, and an answer has at most 512 tokens" in text
    assert "token_cap under [pricing]" in text
    least, most = (
        float(each) for each in re.findall(r"b: token counts need a listed_price from (\S+) to (\S+) ", text)[0]
    )
    for price, fits in ((0.999 * least, False), (least, True), (most, True), (1.001 * most, False)):
        cheap, dear, short = EARLY.providers
        Path(early).write_text(
            format_setting(replace(EARLY, providers=(cheap, replace(dear, listed_price=price), short)))
        )
        text = passed(*command, "--all").told
        assert ("b: token counts need" not in text) == fits


class TestLateFeedback:
    """`--delay`: which bounds are not promised is said beside them."""

    LATE = ("simulate", NAME, "--horizon", "400", "--runs", "2", "--delay", "0-3,lost=0.05")

    def test_no_bound_is_promised(self, passed: Run) -> None:
        told = passed(*self.LATE)
        assert "400 queries (0-3,lost=0.05 in flight)" in told.told
        said = "Bounds assume that score and bid arrive before the next query."
        assert said in told.told
        assert len(re.findall(r"(?m)^[a-z ,]+ {2,}\S.* not promised$", told.out)) == 5
        assert "with probability at least" not in told.out
        assert "--delay 0-3,lost=0.05 " in told.out.partition("costproof simulate")[2]
        assert "runs are simulated in plain Python: roughly 1 s of work" in " ".join(told.err.split())
        unmet = "score and bid arrive before the next query"
        for command, delay, why in ((self.LATE, "0-3,lost=0.05", unmet), (SMALL, None, None)):
            data = passed(*command, "--json").data
            assert (data["delay"], {row["unmet"] for row in data["guarantees"]}) == (delay, {why})

    def test_figures_are_refused_and_laws_are_read(self, run: Run, tmp_path: Path) -> None:
        assert_bad_input(run(*SMALL, "--delay", "2", "--plot", str(tmp_path)), "--plot")
        assert_bad_input(run(*SMALL, "--delay", "soon"), "--delay")


@pytest.mark.parametrize(("compiles", "seconds", "told"), [(True, 0.0, 0), (True, 0.2, 1), (False, 0.2, 0)])
def test_compiling_is_told_once_if_it_takes_long_and_loading_is_not(
    compiles: bool, seconds: float, told: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def simulate(*_: object, **__: object) -> None:
        with trigger_event("numba:compile") if compiles else nullcontext():
            time.sleep(seconds)

    monkeypatch.setattr(compilation, "_SILENT_SECONDS", 0.05)
    monkeypatch.setattr(CompiledEpisode, "tallies", simulate)
    with compiled_simulator():
        time.sleep(0.2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "costproof: compiling the simulator; this happens once\n" * told


def test_the_next_command_reads_the_runs_that_are_kept(passed: Run, tmp_path: Path) -> None:
    asked = ["simulate", "gpqa-strong", "--horizon", "500", "--runs", "2", "--seed", "3", "--out", f"{tmp_path}/a b"]
    for flags in ([], ["--no-traces"]):
        text = " ".join(passed(*asked, *flags).out.replace("\\\n", " ").split())
        [again] = re.findall(r"costproof (simulate .* --all)", text)
        assert ("--no-traces" in again) == bool(flags)
        assert "nothing left to simulate" in passed(*shlex.split(again)).out
