"""Every command on every degenerate market: it ends, within 10 s of CPU, with sentences that are true of that market.

Of commands that take longer, of one kind, each market meets every third. `verify` may take 60 s. The commands run in
this process; what starting one costs is tested elsewhere.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.coverage.enclosure import Bracket
from bounds.coverage.tail import tail_bound, union_bound
from bounds.formulas.radius import RADIUS
from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.tables import radius_table, target_table
from proofs_checks.claims.band_exit import good_event_probability
from proofs_checks.explorer import simulation
from proofs_checks.explorer.controls import VIEWS, Focus, PageState, SimulatedMarket
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.verdict import Verdict
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.tabled import rows_of

pytestmark = pytest.mark.usefixtures("own_folder")

Said = Callable[..., str]

PLATFORM = PlatformParameters(
    quality_threshold=0.6, confidence=0.05, cost_bound=10.0, exploration_scale=2.0, exploration_exponent=0.75
)
NAMES = ("[bold]x[/]", "<script>alert(1)</script>", "a_b$c|d", "say \"x\" 'y'", "two\nlines")


def market(*rows: tuple[float, float], names: tuple[str, ...] = (), **platform: float) -> Setting:
    """A market of providers with these qualities and mean costs."""
    called = names or tuple(f"p{i}" for i in range(len(rows)))
    providers = tuple(Provider(name, *row) for name, row in zip(called, rows, strict=True))
    return Setting("market", replace(PLATFORM, **platform), providers)


USUAL = ((0.9, 2.0), (0.8, 5.0), (0.3, 1.0))
MARKETS = {
    "all qualified": market((0.9, 1.0), (0.8, 3.0), (0.95, 4.0)),
    "none qualified": market((0.5, 1.0), (0.4, 3.0), (0.3, 4.0)),
    "one qualified": market((0.9, 1.0), (0.4, 3.0), (0.3, 4.0)),
    "two providers": market((0.9, 1.0), (0.8, 3.0)),
    "two, none qualified": market((0.5, 1.0), (0.4, 3.0)),
    "two, one qualified": market((0.9, 1.0), (0.4, 3.0)),
    "a tie": market((0.9, 2.0), (0.8, 2.0), (0.3, 1.0)),
    "a tie of all": market((0.9, 2.0), (0.8, 2.0)),
    "at the threshold": market((0.6, 2.0), (0.8, 5.0), (0.3, 1.0)),
    "qualities 0 and 1": market((1.0, 2.0), (0.8, 5.0), (0.0, 1.0)),
    "threshold 0": market((1.0, 2.0), (0.0, 5.0), (0.0, 1.0), quality_threshold=0.0),
    "threshold 1": market((1.0, 2.0), (1.0, 5.0), (0.5, 1.0), quality_threshold=1.0),
    "costs 0 and c_max": market((0.9, 0.0), (0.8, 10.0), (0.3, 0.0)),
    "all costs 0": market((0.9, 0.0), (0.8, 0.0), (0.3, 0.0)),
    "delta 1e-300": market(*USUAL, confidence=1e-300),
    "delta 0.999": market(*USUAL, confidence=0.999),
    "gaps of 1e-9": market((0.6 + 1e-9, 2.0), (0.8, 2.0 + 1e-9), (0.6 - 1e-9, 1.0)),
    "gaps of 1e-9 next to c_max": market((0.9, 10 - 1e-9), (0.8, 10.0), (0.6 - 1e-9, 0.0), confidence=0.999),
    "nothing in common": market((1.0, 10.0), (0.0, 0.0), confidence=0.999),
    "200 providers": market(*(((0.9 if i % 2 else 0.3) + i / 10000, 1 + i / 100) for i in range(200))),
    "names with markup": market(*USUAL, (0.4, 1.5), (0.2, 3.0), names=NAMES),
    "alpha 1e-300": market(*USUAL, exploration_exponent=1e-300),
    "alpha next to 1": market(*USUAL, exploration_exponent=1 - 2**-53),
    "k 1e-300": market(*USUAL, exploration_scale=1e-300),
    "hardly any exploration": market(
        *((0.7500001, 2.9), (0.99, 0.001), (0.7499, 0.0), (0.2, 3.0)),
        quality_threshold=0.75,
        confidence=0.2,
        cost_bound=3.0,
        exploration_scale=0.5,
        exploration_exponent=0.3,
    ),
    "two ties at c_max": market(
        *((1.0, 0.5), (1.0, 0.5), (0.0, 0.25), (0.0, 0.25)),
        quality_threshold=0.5,
        confidence=0.9,
        cost_bound=0.5,
        exploration_scale=50.0,
    ),
    "k 1e6": market((0.9, 1.0), (0.8, 2.0), (0.7, 3.0), exploration_scale=1e6, exploration_exponent=0.999),
    "costs of 1e14": market((0.8, 1e14), (0.81, 2e14), (0.59, 1.0), cost_bound=5e14),
    "quality next to 0": market((0.18, 4.3), (0.2, 5.07), (0.108, 2.94), (5e-324, 1.47), quality_threshold=0.145),
    "costs next to 0": market((0.9, 0.0), (0.8, 1e-60), (0.6 - 2**-53, 1e-30), (0.3, 1.0)),
}
#: N and N1 stand for the number of providers and one more.
COMMANDS = [command for (command,) in rows_of(__file__, "on_degenerate_markets.csv")]
#: By how many places a market comes after the command that it has in the first tier.
_FIRST = (8, 3, 26)
#: Commands that take longer, and markets on which each of them takes seconds, in the same way.
_LONGER, _LONG_WAY = ("bounds M --h", "bounds M --m", "coverage", "plan"), ("costs next to 0", "200 providers", "k 1e6")
#: What no sentence may say: no number, none of none, a negative zero, a plural of one, and certainty.
FAULTS = re.compile(
    r"Traceback|\bnan\b|\binf\b|\bNone\b|\b0 of 0\b|best of none|(?<![\w.])-0(?![\w.,])|"
    r"(?<![\d.,-])0 exploration steps and|nothing else changes|to be followed to its elimination|"
    r"(?<![\d.,-])1 (?:queries|(?:exploration )?steps|runs|selections)\b|"
    r"probability 1 (?:at least|only|by|and)|alpha = 1,"
)


def written(market: str | Setting) -> Setting:
    """A market, or that of a name, as a file `m.toml` of the working folder."""
    setting = replace(MARKETS[market] if isinstance(market, str) else market, name="m")
    Path("m.toml").write_text(format_setting(setting), encoding="utf-8")
    return setting


@pytest.fixture
def said(passed: Run) -> Said:
    """What a command prints; it ends well, in time, without a fault."""

    def said(command: str, n: int, *, most: float = 10) -> str:
        put = {"M": "m.toml", "N": str(n), "N1": str(n + 1), "horizon=N,N1,500": f"horizon={n},{n + 1},500"}
        words = [put.get(word, word) for word in command.split()]
        for _ in range(2):  # the first run may compile
            start = time.process_time()
            outcome = passed(*words)
            used = time.process_time() - start
            if used <= most:
                break
        assert used <= most, f"{command}: {used:.1f} s of CPU"
        if "--json" in words:
            json.loads(outcome.out, parse_constant=lambda constant: pytest.fail(f"{command}: {constant}"))
        else:
            # Names are not the product's words.
            told = " ".join(f"{outcome.out}{outcome.err}".split())
            assert outcome.out.strip()
            assert not (found := FAULTS.findall(told)), f"{command}: {found} in {told}"
        return outcome.out

    return said


def cells() -> Iterator[Any]:
    """Yield commands with markets: in the first tier each command has some markets, and each market some commands."""
    for (row, command), (column, name) in product(enumerate(COMMANDS), enumerate(MARKETS)):
        after, taken = (column - row) % len(MARKETS), name not in _LONG_WAY and (row + column) % 3 == 0
        if after == _FIRST[0] or taken or not command.startswith(_LONGER):
            # Markets without an informative guarantee have bounds search long for changes that help.
            quick = after in _FIRST and not command.startswith("bounds M --horizon")
            marks = () if quick else pytest.mark.long("every command on every market")
            yield pytest.param(command, name, id=f"{command}-{name}", marks=marks)


@pytest.mark.parametrize(("commands", "name"), list(cells()))
def test_every_command_ends_well(commands: str, name: str, said: Said) -> None:
    n = written(name).n_providers
    for command in commands.split("; "):
        said(command, n)


@pytest.mark.long("draws all figures")
@pytest.mark.parametrize("name", ["none qualified", "a tie", "names with markup"])
def test_all_figures_are_drawn(name: str, said: Said) -> None:
    written(name)
    said("figures --setting M --out drawn --format svg --runs 1 --horizon 500 --jobs 1", 0)
    assert list(Path("drawn").glob("*.svg"))


def test_what_is_said_is_true_of_the_market(said: Said) -> None:
    def told(market: str, command: str) -> str:
        n = written(market).n_providers
        return " ".join(said(command, n).split())

    simulate = "simulate M --runs 1 --horizon 2000 --policy platform"
    none = told("none qualified", simulate)
    assert none.startswith("platform: no provider is qualified, so none is optimal.")
    # Most of its steps have nobody eligible: they are no auctions.
    assert "uctions paid" not in none
    tie = told("a tie", simulate)
    assert tie.startswith("platform: several qualified providers are cheapest, so none is optimal.")
    # After initialization alone, each unqualified provider served once: none of them has most.
    for command in (simulate.replace("2000", "N"), "play mechanism.platform:reference_mechanism M --horizon N"):
        assert "most of them" not in told("none qualified", command)
    for name in ("none qualified", "a tie"):
        plan = told(name, "plan M --goal identify-by=70000 --runs 2")
        assert "for k = 2, alpha = 0.75, delta = 0.05 (the setting's own)." in plan
        assert "not guaranteed at any horizon up to 2^52 with these" in plan
        assert "in runs" not in plan


@pytest.mark.parametrize(
    ("threshold", "horizon"), [pytest.param(0.64, 2_000_000, marks=pytest.mark.long("many queries")), (0.7, 70_000)]
)
def test_a_threshold_that_is_advised_excludes_nobody_whose_quality_it_is(
    threshold: float, horizon: int, said: Said
) -> None:
    thirds = market((2 / 3, 2.0), (2.6 / 3, 5.0), (1.9 / 3, 1.0), quality_threshold=threshold)
    written(thirds)
    told = said(f"bounds M --horizon {horizon} --advice", 3)
    assert "0.6666666667" not in told
    assert "0.6666666666666666" in told


def test_a_name_with_an_equals_sign_is_swept(said: Said) -> None:
    named = market(*USUAL, names=("a.b=1", "\U0001f3b2", "-dash"))
    written(named)
    assert "0.7" in said("sweep M --over provider.a.b=1.quality=0.7,0.8 --horizon 500", 3)


@pytest.mark.parametrize("form", ["", " --markdown", " --latex-table"])
def test_values_of_an_axis_are_until_distinct(form: str, said: Said) -> None:
    written(market((0.95, 1.0), (0.9, 9.0)))
    told = said(f"sweep M --over provider.p1.mean_cost=1,1.0000001,9{form}", 2)
    assert "1.0000001" in told


def test_a_bound_of_zero_has_no_share(said: Said) -> None:
    n = written("all qualified").n_providers
    found = json.loads(said("simulate M --runs 2 --horizon 500 --json", n))["guarantees"]
    (row,) = (row for row in found if row["guarantee"] == "quality_regret")
    assert (row["happened"], row["at_most"], row["share"], row["informative"]) == (0, 0, None, False)
    text = said("simulate M --runs 2 --horizon 500", n)
    assert re.search(r"quality regret +0 +0 +- +not informative", text)


@pytest.mark.parametrize(
    "delta", [1e-300, *(pytest.param(delta, marks=pytest.mark.long("walks")) for delta in (1e-60, 1e-150))]
)
def test_coverage_is_never_above_what_is_proved_for_all_laws(delta: float, said: Said) -> None:
    """What rounding hides is bounded by delta itself, which Hoeffding's bounds add up to."""
    written(market(*USUAL, confidence=delta))
    found = json.loads(said("coverage M --horizon 3000 --json", 3))
    budget, slack = Fraction(delta) / 6, 1 + Fraction(1, 10**9)
    tiny = Fraction(2.0**-1073)
    assert Fraction(found["total"]) <= Fraction(delta)
    assert Fraction(found["worst_quality"]["failure_at_most"]) <= budget * slack + tiny
    for each in found["providers"]:
        for key in ("exact_score_failure", "cost_failure", "downward_failure"):
            if each[key] is not None:
                assert 0 < Fraction(each[key]) <= budget * slack + tiny
        assert 0 < each["share_of_budget"] <= 1


@pytest.mark.parametrize("counts", [0, 1, 70_000])
@pytest.mark.parametrize("delta", [0.05, 1e-300, 1e-320, 5e-324])
def test_the_tail_is_below_the_union_bound(counts: int, delta: float) -> None:
    rest = tail_bound(counts, n_providers=3, confidence=delta)
    assert 0 < rest <= union_bound(3, delta) * (1 + 1e-8) + 2.0**-1074
    assert Fraction(union_bound(3, delta)) >= Fraction(delta) / 6 - Fraction(2.0**-1074)


@pytest.mark.parametrize("delta", [1e-300, 1e-320, 5e-324])
def test_radii_of_a_tiny_delta_are_exact_and_quick(delta: float) -> None:
    start = time.process_time()
    table = radius_table(7, delta).upto(300_000)
    assert time.process_time() - start < 2
    for count in (1, 2, 4097, 300_000):
        ball = RADIUS.enclose(count=count, n_providers=7, confidence=delta)
        assert abs(Fraction(float(table[count])) / ball.lower - 1) < Fraction(2.0**-48)


@pytest.mark.parametrize(("k", "alpha"), [(2.0, 1e-300), (2.0, 1e-12), (3e9, 0.75), (5e10, 0.5)])
def test_targets_are_right_and_quick(k: float, alpha: float) -> None:
    """With g(t) next to a whole number at all steps, or beyond all counts."""
    start = time.process_time()
    table = target_table(3, k, alpha).upto(200_000)
    assert time.process_time() - start < 4
    if k == 2.0:
        # 2 (t/3)^alpha is below 2 before t = 3, 2 there, and above it later, by less than a millionth.
        assert table[1:4].tolist() == [2, 2, 2]
        assert (table[4:] == 3).all()
    else:
        # Whoever was selected less often than t is explored.
        assert (table[1:] >= np.arange(1, 200_001)).all()


@pytest.mark.parametrize(
    ("exit_of_each", "verdict"),
    [
        (Bracket(lower=0.0149, upper=0.015), Verdict.REFUTED),
        (Bracket(lower=0.0, upper=0.015), Verdict.SKIPPED),
        (Bracket(lower=0.0, upper=0.001), Verdict.NOT_REFUTED),
    ],
)
def test_only_rounding_keeps_a_band_that_fails_too_often_from_refuting(
    exit_of_each: Bracket, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each band fails less often than delta, all three and the costs together more often."""
    monkeypatch.setattr("proofs_checks.claims.band_exit.band_exit", lambda *_, **__: exit_of_each)
    assert good_event_probability(MARKETS["all qualified"]).verdict is verdict


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("exploration_scale", "1e300", "must not exceed 1e+15: it is k"),
        ("belief_slack", "1e300", "must not exceed 1e+15: it is gamma"),
        ("cost_bound", "1e300", "must not exceed 1e+15: state money in another unit"),
        ("cost_bound", "5e-324", "must be at least 1e-300: state money in another unit"),
        ("confidence", "5e-324", "must be at least 1e-300: it is the failure probability"),
    ],
)
def test_numbers_beyond_meaning_are_refused_in_one_line(key: str, value: str, rule: str, run: Run) -> None:
    written("all qualified")
    file = Path("m.toml")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith(key)]
    lines.insert(lines.index("[platform]") + 1, f"{key} = {value}")
    file.write_text("\n".join(lines), encoding="utf-8")
    for command in (["bounds", "m.toml"], ["plan", "m.toml", "--goal", "identify-by=70000"]):
        assert_bad_input(run(*command), rule)
    written("all qualified")
    assert_bad_input(run("sweep", "m.toml", "--over", f"{key}={value}"), rule.split(":")[0])


def test_a_delta_next_to_1_is_never_printed_as_1(passed: Run) -> None:
    written(market(*USUAL, confidence=1 - 2**-53))
    told = passed("settings", "m.toml").err + passed("bounds", "m.toml").err
    assert "platform.confidence = 0.9999999999999999 of m" in told


@pytest.fixture
def solvers_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})


VERIFIED = ("all qualified", "none qualified", "one qualified", "two providers", "a tie", "at the threshold")
EXTREME = ("threshold 1", "costs 0 and c_max", "delta 1e-300", "delta 0.999", "gaps of 1e-9")


@pytest.mark.long("verifies several markets")
@pytest.mark.parametrize("names", [VERIFIED, EXTREME], ids=["markets", "extremes"])
def test_verify_refutes_nothing_new(names: tuple[str, ...], said: Said, solvers_silent: None) -> None:
    files = []
    for place, name in enumerate(names):
        files.append(f"m{place}.toml")
        Path(files[-1]).write_text(format_setting(replace(MARKETS[name], name=f"m{place}")), encoding="utf-8")
    found = said(f"verify {' '.join(files)} --quick --jobs 1 --instances 5", 0, most=60)
    assert found.startswith(("No violation", "No new violation"))


def words_of(part: Any) -> Iterator[str]:
    """All texts of a part of the page."""
    from dash.development.base_component import Component

    if isinstance(part, str):
        yield part
    elif isinstance(part, list | tuple):
        for each in part:
            yield from words_of(each)
    elif isinstance(part, Component):
        shown = part.to_plotly_json()["props"]
        yield from words_of([shown[key] for key in ("children", "title") if key in shown])


@pytest.mark.long("needs dash")
def test_what_is_at_its_bound_does_not_look_larger_in_the_explorer() -> None:
    pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    from proofs_checks.explorer import server

    setting = market((0.95, 1.0), (0.9, 9.0), (0.94, 9.5), confidence=0.999)
    state = PageState(market=SimulatedMarket(setting=setting, horizon=2000, runs=1), focus=Focus(view="guarantees"))
    simulation.simulated(state.market)
    told = " ".join(words_of(server.draw_guarantees(state.to_data())))
    assert "4,339.5 4,339.5" in told
    assert "4,340" not in told


EXPLORED = MARKETS.keys() - {"200 providers", "alpha next to 1", "k 1e-300", "two, one qualified", "two providers"}


@pytest.mark.long("draws every view of every market")
@pytest.mark.parametrize("name", sorted(EXPLORED))
def test_every_view_of_the_explorer_is_drawn(name: str) -> None:
    no_update = pytest.importorskip("dash", reason="needs dash: pip install '.[long]'").no_update
    from proofs_checks.explorer import server

    setting = MARKETS[name]
    looked = [("market", metric) for metric in METRICS] + [(view, "quality_regret") for view in VIEWS]
    for horizon in (400, setting.n_providers):
        start = time.process_time()
        for view, metric in looked:
            state = PageState(
                market=SimulatedMarket(setting=setting, horizon=horizon, runs=2),
                focus=Focus(step=horizon, view=view, metric=metric),
            )
            asked = {**state.to_data(), "serial": 1, "theme": "light"}
            every = (
                server.draw_market(asked, setting),
                server.draw_views(asked, setting),
                (server.draw_guarantees(asked),),
            )
            drawn = [part for parts in every for part in parts if part is not no_update]
            assert drawn
            told = " ".join(words_of(drawn))
            assert not (found := FAULTS.findall(told)), f"{view}: {found} in {told}"
        assert time.process_time() - start <= 10
