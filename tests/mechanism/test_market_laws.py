"""The laws of a setting's market: exact means, shapes, advice on prices, and what is published."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Pricing, Provider, Setting
from mechanism.market.market import LawOptions, market_laws, provider_laws
from mechanism.market.published import COST_VARIATIONS, published_market

SCORES = st.one_of(st.floats(2**-10, 1), st.sampled_from([0.0, 1.0]))
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 5e-324, 0.5, 1 - 2**-53, 1.0]))
OPTIONS = st.builds(
    LawOptions,
    score_law=st.sampled_from(["bernoulli", "beta", "two-point", "point-mass"]),
    cost_law=st.sampled_from(["auto", "lattice", "two-point", "point-mass"]),
    cost_variation=st.floats(0, 3),
    score_variation=st.floats(0, 3),
    margin=st.sampled_from([0.0, 0.25, 1.0]),
    difficulty_bits=st.integers(0, 4),
)


@given(
    SCORES,
    SHARES,
    st.sampled_from([1.0, 75.008, 102.4, 300.032]),
    st.one_of(st.none(), st.floats(1e-3, 1)),
    st.sampled_from([1, 2, 3, 4, 7]),
    OPTIONS,
)
def test_means_are_exact_and_costs_stay_within_the_bound(
    quality: float, share: float, bound: float, price: float | None, n: int, options: LawOptions
) -> None:
    provider = Provider("p", quality, min(share * bound, bound), price, n)
    laws = provider_laws(provider, bound, options)
    assert laws.market.mean_cost == Fraction(provider.mean_cost)
    assert laws.market.score_law.mean == Fraction(quality)
    assert laws.market.maximum_cost <= bound
    assert 0 <= laws.market.score_law.values.min() <= laws.market.score_law.maximum <= 1
    assert laws.cost_shape == options.cost_law or options.cost_law == "auto"
    for shape, law in ((laws.cost_shape, laws.market.candidate_law), (options.score_law, laws.market.score_law)):
        assert shape != "point-mass" or law.variance == 0


LISTED = Provider("p", 0.5, 16.0, listed_price=0.1, multiplicity=2)  # a token costs 0.08, the mean is 100 of them


def test_auto_counts_tokens_where_it_can() -> None:
    laws = provider_laws(LISTED, 102.4, LawOptions())
    assert laws.cost_shape == "tokens"
    assert laws.market.candidate_law.points[0] >= 1
    assert laws.market.candidate_law.points[-1] <= 512
    assert float(laws.market.candidate_law.unit) == pytest.approx(0.08, rel=1e-15)
    assert float(laws.market.candidate_law.mean) == 8.0


@pytest.mark.for_each(
    ("provider", "bound"),
    [
        (Provider("p", 0.5, 16.0), 102.4),  # no price
        (Provider("p", 0.5, 0.15, 0.1, 2), 102.4),  # less than a token per candidate
        (Provider("p", 0.5, 0.0, 0.1, 2), 102.4),
        (Provider("p", 0.5, 82.0, 0.1, 2), 102.4),  # more than 512 tokens per candidate
        (Provider("p", 0.5, 16.0, 0.1, 2), 81.9),  # 2 * 512 tokens would cost 81.92
    ],
)
def test_auto_takes_the_lattice_where_tokens_do_not_fit(provider: Provider, bound: float) -> None:
    laws = provider_laws(provider, bound, LawOptions())
    assert laws.cost_shape == "lattice"
    assert laws.market.mean_cost == Fraction(provider.mean_cost)
    with pytest.raises(InputError, match=r"^cost_law='tokens' does not fit provider 'p'"):
        provider_laws(provider, bound, LawOptions(cost_law="tokens"))


def test_tokens_fit_up_to_the_very_ends() -> None:
    for mean in (0.5, 256.0):  # 1 and 512 tokens for each of two candidates, at 0.25
        laws = provider_laws(Provider("p", 0.5, mean, 0.25, 2), 256.0, LawOptions(margin=0.0))
        assert laws.cost_shape == "tokens"
        assert laws.market.maximum_cost == mean


def test_describe_is_plain_data_that_states_the_laws() -> None:
    table = provider_laws(LISTED, 102.4, LawOptions()).document()
    assert json.loads(json.dumps(table)) == table
    assert table["cost_law"] == "tokens"
    assert table["score_law"] == "bernoulli"
    assert (table["mean_score"], table["mean_cost"], table["multiplicity"]) == (0.5, 16.0, 2)
    rho = table["candidate_cost_correlation"]
    assert 0 < rho < 1
    # Two candidates with standard deviation 0.35 times 8 and this correlation.
    assert table["cost_standard_deviation"] == pytest.approx(2.8 * (2 + 2 * rho) ** 0.5, rel=1e-3)
    assert table["maximum_cost"] <= 81.92


@pytest.mark.for_each(
    ("changes", "argument"),
    [
        ({"score_law": "normal"}, "score_law"),
        ({"cost_law": "beta"}, "cost_law"),
        ({"cost_law": ["auto"]}, "cost_law"),
        ({"cost_variation": -1.0}, "cost_variation"),
        ({"score_variation": float("nan")}, "score_variation"),
        ({"margin": float("inf")}, "margin"),
        ({"margin": "0.25"}, "margin"),
        ({"difficulty_bits": 17}, "difficulty_bits"),
        ({"token_cap": 0}, "token_cap"),
        ({"token_cap": True}, "token_cap"),
    ],
)
def test_options_out_of_range_are_refused(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        LawOptions(**changes)


def _shape(provider: Provider, bound: float, **options: Any) -> str:
    return provider_laws(provider, bound, LawOptions(**options)).cost_shape


@pytest.mark.for_each("price", [0.1, 0.2, 0.36, 20.0, 1000.0])
@pytest.mark.parametrize(("mean", "bound", "multiplicity"), [(150.0, 4096.0, 1), (170.0, 4096.0, 3), (4.0, 4096.0, 1)])
def test_the_advice_on_prices_is_right(price: float, mean: float, bound: float, multiplicity: int) -> None:
    """Each end of each advised range leads to token counts, and a hair beyond it does not."""
    provider = Provider("p", 0.5, mean, price, multiplicity)
    laws = provider_laws(provider, bound, LawOptions())
    assert (laws.price_advice is None) == (laws.cost_shape == "tokens")
    if laws.price_advice is None:
        return

    def ends(pattern: str) -> list[float]:
        found = re.search(pattern, laws.price_advice or "")
        return [] if found is None else [float(each.replace(",", "")) for each in found.groups()]

    least, most = ends(r"listed_price from (\S+) to (\S+)")
    for value, fits in ((0.999 * least, False), (least, True), (most, True), (1.001 * most, False)):
        assert (_shape(replace(provider, listed_price=value), bound) == "tokens") == fits
    if caps := ends(r"token_cap from (\S+) to ([\d,]+)"):
        fewest, largest = map(int, caps)
        for cap, fits in ((fewest - 1, False), (fewest, True), (largest, True), (largest + 1, False)):
            if 1 <= cap <= 65_536:
                assert (_shape(provider, bound, token_cap=cap) == "tokens") == fits
    if enough := ends(r"cost_bound of at least (\S+)"):
        assert _shape(provider, enough[0]) == "tokens"
        assert _shape(provider, 0.999 * enough[0]) == "lattice"


def test_prices_at_the_edge_get_advice_that_works() -> None:
    options = LawOptions(token_cap=100, margin=0.0)

    def shape_and_advice(price: float, mean: float, bound: float) -> tuple[str, str | None]:
        laws = provider_laws(Provider("p", 0.8, mean, price), bound, options)
        return laws.cost_shape, laws.price_advice

    # The float 0.2 lies above 1/5: at a margin of 0, 100 tokens of that price cost more than 20.
    ranges = "a listed_price from 0.17 to 0.1999 (now 0.2) or a token_cap from 85 to 99 or a cost_bound of at least"
    assert shape_and_advice(0.2, 17.0, 20.0) == ("lattice", f"token counts need {ranges} 20.01")
    assert shape_and_advice(0.1999, 17.0, 20.0) == shape_and_advice(0.2, 17.0, 20.01) == ("tokens", None)
    # A mean cost of c_max leaves no room for shorter answers, unless c_max is larger.
    assert "need a cost_bound of at least 30.00" in f"{shape_and_advice(0.3, 29.123456, 29.123456)}"
    assert shape_and_advice(0.3, 29.123456, 30.0) == ("tokens", None)
    assert "no listed_price, token_cap or cost_bound gives" in f"{shape_and_advice(0.3, 0.0, 25.0)}"


def test_pricing_of_a_setting_is_that_of_its_market() -> None:
    platform = PlatformParameters(0.5, 0.05, 220.0, 2.0, 0.75)
    roster = [Provider("a", 0.9, 150.0, listed_price=0.1), Provider("b", 0.8, 160.0, listed_price=0.1)]
    papers = market_laws(Setting("m", platform, roster))
    assert (papers.options.token_cap, papers.options.margin) == (512, 0.25)
    assert [each.cost_shape for each in papers.providers] == ["lattice", "lattice"]
    longer = market_laws(Setting("m", platform, roster, Pricing(token_cap=2000, margin=0.0)))
    assert [each.cost_shape for each in longer.providers] == ["tokens", "tokens"]
    assert float(longer.providers[0].market.candidate_law.unit) == pytest.approx(0.1, rel=1e-15)
    assert longer.tables().margin == 0
    assert market_laws(Setting("m", platform, roster, Pricing(token_cap=2000)), margin=0.5).options.margin == 0.5


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_published_settings_have_their_own_spreads_and_pools(name: str) -> None:
    paper = published(name)
    assumed, laws = published_market(paper.setting), market_laws(paper.setting)
    assert laws.options.questions == assumed.questions == paper.questions
    assert laws.options.score_difficulty_bits == assumed.score_difficulty_bits
    by_model = dict(zip(paper.base_models, assumed.cost_variation, strict=True))
    assert tuple(by_model[model] for model in paper.base_models) == assumed.cost_variation
    for provider, variation in zip(laws.providers, assumed.cost_variation, strict=True):
        law = provider.market.candidate_law
        assert provider.cost_shape == "tokens"
        assert float(law.variance) ** 0.5 / float(law.mean) == pytest.approx(variation, abs=2e-3)
    given = market_laws(paper.setting, cost_variation=0.2, questions=0).options
    assert (given.cost_variation, given.questions) == (0.2, 0)


def test_every_exception_is_about_a_published_provider() -> None:
    papers = [published(name) for name in PUBLISHED_NAMES]
    assert COST_VARIATIONS.keys() <= {(paper.benchmark, model) for paper in papers for model in paper.base_models}


def test_the_market_is_that_of_the_providers() -> None:
    """Another name or platform keeps it, other providers lose it."""
    setting = published("gpqa-strong").setting
    other = replace(setting, name="mine", platform=replace(setting.platform, exploration_scale=3.0))
    assert published_market(other) == published_market(setting)
    dearer = replace(setting, providers=(replace(setting.providers[0], mean_cost=15.0), *setting.providers[1:]))
    assert published_market(dearer) is None
    assert market_laws(dearer).options.questions == 0
