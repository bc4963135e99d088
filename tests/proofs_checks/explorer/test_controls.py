"""The state of the page: what goes out comes back, and whatever else comes in is one error in the words of the page."""

import json
import re
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import PlatformParameters, Pricing, Provider, Setting
from costproof import strategies
from proofs_checks.explorer.controls import STEPS_AT_ONCE, STEPS_WHILE_DRAGGING, PageState, SimulatedMarket
from proofs_checks.explorer.knobs import platform_knobs, provider_knobs
from proofs_checks.explorer.notices import NO_NUMBER, notice
from tests.proofs_checks.explorer.states import small_state
from tests.refusals import refusal
from tests.tabled import rows_of

FIRST = published("gpqa-strong").setting
shares = st.floats(0, 1)
names = st.text(min_size=1, max_size=12).filter(str.strip)


@st.composite
def settings_of_any_kind(draw: st.DrawFn) -> Setting:
    drawn = draw(strategies.settings(n_providers=(2, 5)))
    called = draw(st.lists(names, min_size=5, max_size=5, unique=True))
    prices, copies = st.none() | st.floats(1e-3, 10), st.integers(1, 9)
    named = zip(called, drawn.providers, strict=False)
    providers = [replace(p, name=name, listed_price=draw(prices), multiplicity=draw(copies)) for name, p in named]
    return replace(drawn, name=draw(names), providers=tuple(providers))


class TestWhatGoesOutComesBack:
    @given(settings_of_any_kind())
    def test_as_data_through_json(self, setting: Setting) -> None:
        state = PageState.of(setting)
        assert PageState.from_data(json.loads(json.dumps(state.to_data()))) == state

    @given(settings_of_any_kind(), st.integers(1, 20), st.integers(0, 2**64 - 1))
    def test_as_a_link(self, setting: Setting, runs: int, seed: int) -> None:
        begun = PageState.of(setting)
        market = replace(begun.market, runs=runs, seed=seed, horizon=500)
        focus = replace(begun.focus, view="claims", step=17, run=runs - 1, bid=0.0)
        state = PageState(market=market, focus=focus)
        assert PageState.from_query(state.to_query(), FIRST) == state

    @pytest.mark.parametrize(
        "turned",
        [
            {"bidders": "bayesian:0.2:12.0"},
            {"bidders": "bayesian", "keep_gamma": True},
            {"bidders": "biased:-0.1"},
            {"setting": replace(FIRST, pricing=Pricing(token_cap=4096, margin=0.5))},
        ],
    )
    def test_bidders_with_numbers_switches_and_a_pricing(self, turned: dict[str, Any]) -> None:
        begun = small_state()
        state = replace(begun, market=replace(begun.market, **turned))
        for again in (PageState.from_query(state.to_query(), FIRST), PageState.from_data(state.to_data())):
            assert again == state
            assert again.market.keep_gamma == state.market.keep_gamma
            assert again.market.setting.pricing == state.market.setting.pricing


class TestWhatIsRefused:
    @pytest.mark.parametrize(("query", "named"), [*rows_of(__file__, "refused_links.csv"), ("a=1&" * 100, "link")])
    def test_a_link(self, query: str, named: str) -> None:
        assert named in refusal(PageState.from_query, query, FIRST).argument

    @given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4))
    def test_any_link_is_understood_or_refused(self, pairs: dict[str, str]) -> None:
        said = ""
        try:
            PageState.from_query(urlencode(pairs, errors="surrogatepass"), FIRST)
        except InputError as refused:
            said = str(refused)
        assert "\n" not in said

    @given(
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=5),
            lambda each: (
                st.lists(each, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["setting", "market", "focus", "name", "platform", "provider", "runs"]),
                    each,
                    max_size=3,
                )
            ),
        )
    )
    def test_any_data_are_understood_or_refused(self, data: Any) -> None:
        refusal(PageState.from_data, data)


@given(st.integers(10, 1_000_000), st.integers(1, 60), st.booleans())
def test_stages_add_runs_until_all_are_there(horizon: int, runs: int, both: bool) -> None:
    policies = ("platform", "lowest-price") if both and horizon <= 500_000 else ("platform",)
    market = SimulatedMarket(setting=FIRST, horizon=horizon, runs=runs, policies=policies)
    stages, steps = market.stages(), horizon * len(policies)
    assert [replace(stage, runs=runs) for stage in stages] == [market] * len(stages)
    assert stages[-1] == market
    assert stages[0].runs == 1 or stages[0].runs * steps <= STEPS_WHILE_DRAGGING
    for one, other in pairwise(stages):
        assert other.runs > one.runs
        assert other.runs == one.runs + 1 or (other.runs - one.runs) * steps <= STEPS_AT_ONCE


#: A largest mean cost below the least c_max of a setting.
SUBNORMAL_COSTS = Setting(
    "subnormal costs",
    PlatformParameters(0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0),
    [Provider("free", 0.0, 0.0), Provider("nearly free", 0.0, sys.float_info.min)],
)


class TestKnobs:
    @given(settings_of_any_kind())
    @example(SUBNORMAL_COSTS)
    def test_every_end_of_a_platform_slider_is_allowed(self, setting: Setting) -> None:
        for knob in platform_knobs(setting):
            assert knob.low <= knob.value + knob.step or knob.value < knob.low  # a hair beside an open end
            assert knob.value <= knob.high + knob.step
            for end in (knob.low, knob.high):
                if not (knob.key in ("exploration_exponent", "confidence") and not 0 < end < 1):
                    replace(setting, platform=replace(setting.platform, **{knob.key: end}))

    @pytest.mark.parametrize(("best", "end"), [(0.0, 1), (0.04, 0.05), (0.197151, 0.2), (0.3, 0.4), (0.9, 1), (1.0, 1)])
    def test_the_slider_of_the_threshold_ends_just_above_the_best_quality(self, best: float, end: float) -> None:
        providers = [replace(FIRST.providers[0], quality=best), replace(FIRST.providers[1], quality=best / 2)]
        setting = replace(FIRST, providers=providers, platform=replace(FIRST.platform, quality_threshold=0.0))
        assert (platform_knobs(setting)[0].low, platform_knobs(setting)[0].high) == (0, end)

    def test_the_setting_file_has_no_number_without_a_slider_or_a_box(self) -> None:
        data = PageState.of(FIRST).to_data()["setting"]
        assert {knob.key for knob in platform_knobs(FIRST)} == set(data["platform"])
        assert {knob.key for knob in provider_knobs(FIRST, 0)} == {"quality", "mean_cost"}
        assert set(data["provider"][0]) == {"name", "quality", "mean_cost", "listed_price", "multiplicity"}


PRIOR = "Prior mean μ₀ must lie in [0, 1]; prior strength n₀ must be above 0"
WRONG: list[tuple[tuple[Any, ...], Any, str]] = [
    (("market", "policies"), "platform", "Policies = 'platform' must be a list of names: as platform"),
    (("focus", "step"), "1", "Step of the run t = '1' must be a whole number in 1..70,000"),
    (("setting", "provider", 1, "quality"), None, "Mean score of provider 2 is empty;"),
    (("market", "horizon"), None, "Queries T is empty; it must be a whole number of at least N = 4:"),
    (("market", "runs"), 500, "Runs = 500 must be a whole number in 1..200:"),
    (("market", "policies"), [], "No policy is chosen:"),
    (("market", "bidders"), "deviating", "Deviating bidders need Largest underbid d₋ or Largest overbid d₊ above 0:"),
    (("market", "bidders"), "bayesian::5", PRIOR),
    (("market", "bidders"), f"bayesian:0.5:{NO_NUMBER}", PRIOR),
    (("market", "bidders"), "biased:-2", "Bias b must lie in [-1, 1]"),
    (("focus", "step"), 70_001, "Step of the run t = 70001 must be a whole number in 1..70,000:"),
    (("focus", "bid"), -1, "Another bid to try = -1 must lie in [0, 75.008]:"),
    (
        ("market", "horizon"),
        2_000_000,
        "Queries T = 2000000 must not exceed 1,000,000 here: for more, use costproof simulate",
    ),
    (("setting", "provider", 0, "mean_cost"), None, "Mean cost of provider 1 is empty; it must not be negative"),
    (("setting", "provider", 0, "listed_price"), NO_NUMBER, "Listed price of one token of provider 1 is no number;"),
    (("setting", "platform", "cost_bound"), 40.0, "Mean cost of provider 3 = 43.0310744 must not exceed c_max = 40.0"),
    (("setting", "provider", 0, "name"), "Llama-3.1-8B", "Name of provider 3 = 'Llama-3.1-8B' is a duplicate:"),
    (("setting", "provider", 0, "multiplicity"), 1.5, "Best of n candidates of provider 1 = 1.5 must be"),
]


def refused(path: tuple[Any, ...], value: Any) -> InputError:
    data = table = PageState.of(FIRST).to_data()
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return refusal(PageState.from_data, data)


NO_KIND: list[tuple[str, Any]] = [("market unknown", 1), ("focus view", ["market"]), ("setting name", 3)]
NO_KIND += [("setting platform", None), ("setting provider", {}), ("market runs", 2.5), ("market keep_gamma", "yes")]


@pytest.mark.for_each(("path", "value"), NO_KIND)
def test_a_control_of_the_wrong_kind_is_refused(path: str, value: Any) -> None:
    assert "\n" not in str(refused(tuple(path.split()), value))


@pytest.mark.for_each(("path", "value", "said"), WRONG)
def test_what_is_wrong_is_called_as_on_the_page(path: tuple[Any, ...], value: Any, said: str) -> None:
    found = notice(refused(path, value))
    assert found.startswith(said)
    assert not re.search(r"None|\[\]|platform\.|cost_bound|[a-z]=", found)
    assert not re.search(r"[\n`]", found)


@pytest.mark.long("needs dash")
def test_the_labels_are_on_the_page() -> None:
    pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    from dash._utils import to_json

    from proofs_checks.explorer import page

    state = PageState.of(FIRST)
    text = to_json([*page.controls(state, "gpqa-strong"), *page.focus_controls(state)])
    for _, _, said in WRONG:
        label = re.split(r" (?:(?:[δtb]|q_min|c_max|μ₀|n₀) )?(?:=|is empty|is no number|must)| of provider|:", said)[0]
        if " need" not in label and not label.startswith("No policy"):
            assert label.split(" (")[0] in text, label
