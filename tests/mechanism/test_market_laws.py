"""The laws of a setting's market and their draws: exact means, shapes, known answers, and what is published."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Pricing, Provider, Setting
from mechanism import randomness
from mechanism.compiled import keys
from mechanism.compiled.layout import RunKeys
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.market import LawOptions, market_laws, provider_laws
from mechanism.market.published import COST_VARIATIONS, published_market
from mechanism.policies import POLICIES
from mechanism.randomness import (
    RandomStream,
    counter,
    draw_key,
    squares64,
    squares_key,
    stream_generator,
    stream_generators,
    stream_key,
    stream_keys,
)
from tests.refusals import assert_refused

SCORES = st.one_of(st.floats(2**-10, 1), st.sampled_from([0.0, 1.0]))
TINY = 5e-324
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, TINY, 1e-30, 1e-12, 2**-53, 0.5, 1 - 2**-53, 1.0]))
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
    ("argument", "value"),
    [
        *(("score_law", "normal"), ("cost_law", "beta"), ("cost_law", ["auto"]), ("cost_variation", -1.0)),
        *(("score_variation", float("nan")), ("margin", float("inf")), ("margin", "0.25")),
        *(("difficulty_bits", 17), ("token_cap", 0), ("token_cap", True)),
    ],
)
def test_options_out_of_range_are_refused(argument: str, value: Any) -> None:
    assert_refused(f"^{argument}=", LawOptions, **{argument: value})


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


UPPERS = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([1.0, 102.4, 300.032, 1e-300, 1e300]))
VARIATIONS = st.one_of(st.floats(0, 3), st.sampled_from([0.0, 1e-9, 0.35, 1e6, 1e300]))
STEPS = st.sampled_from([1, 2, 3, 64, 1000, 1024])


def check(law: DiscreteLaw, mean: float | Fraction, upper: float | Fraction) -> None:
    """Check what every constructor promises."""
    assert law.mean == Fraction(mean)
    assert sum(law.weights) == 2**62
    assert law.points[0] >= 0
    assert law.points[-1] * law.unit <= Fraction(upper)
    assert law.maximum <= float(upper)


@given(SHARES, UPPERS, VARIATIONS, STEPS)
def test_beta_shaped_has_the_mean_and_stays_in_range(share: float, upper: float, variation: float, steps: int) -> None:
    mean = min(share * upper, upper)
    law = beta_shaped(mean, upper, variation, steps)
    check(law, mean, upper)
    assert law.points[-1] <= steps
    step = Fraction(upper) / steps
    if mean >= step / 2**32:
        assert step * (1 - Fraction(1, 10**9)) < law.unit <= step


@given(SHARES, UPPERS)
def test_two_point_has_the_mean_and_the_ends(share: float, upper: float) -> None:
    mean = min(share * upper, upper)
    law = two_point(mean, upper)
    check(law, mean, upper)
    if mean in (0, upper):
        assert law.values.tolist() == [mean]
    else:
        assert law.points == (0, 1)
        assert mean < upper / 2**32 or law.maximum >= upper * (1 - 1e-9)


@given(st.fractions(1, 512), UPPERS, VARIATIONS, st.sampled_from([512, 513, 2000]))
def test_token_law_counts_tokens_at_the_price(mean_tokens: Fraction, price: float, variation: float, cap: int) -> None:
    assume(price < 1e290)
    mean = mean_tokens * Fraction(price)
    law = token_law(mean, price, cap, variation)
    check(law, mean, Fraction(price) * cap)
    assert 1 <= law.points[0] <= law.points[-1] <= cap
    assert 0 <= 1 - law.unit / Fraction(price) < Fraction(1, 2**62)


@given(st.one_of(st.floats(2**-10, 1), st.sampled_from([0.0, 2**-10, 1 - 2**-53, 1.0])))
def test_bernoulli_has_the_quality_exactly(quality: float) -> None:
    law = bernoulli(quality)
    check(law, quality, 1.0)
    assert set(law.values) <= {0.0, 1.0}
    assert law.unit == 1


@given(st.floats(0, 2**-10))
def test_bernoulli_of_a_tiny_quality_is_the_nearest_possible(quality: float) -> None:
    law = bernoulli(quality)
    assert abs(law.mean - Fraction(quality)) <= Fraction(1, 2**63)
    assert set(law.values) <= {0.0, 1.0}


@given(st.one_of(st.floats(0, 1e300), st.fractions(0, 10**6)))
def test_point_mass_is_its_mean(mean: float | Fraction) -> None:
    law = point_mass(mean)
    check(law, mean, mean)
    assert law.values.tolist() == [float(mean)]
    assert law.variance == 0


def standard_deviation(law: DiscreteLaw) -> float:
    return math.sqrt(law.variance / law.unit**2) * float(law.unit)


@example(0.5, 0.025, 256)
@given(st.floats(0.01, 0.99), st.floats(0.01, 5), st.sampled_from([256, 1024, 4096]))
def test_the_spread_is_the_requested_one_where_it_is_possible(mean: float, variation: float, steps: int) -> None:
    wanted, largest = variation * mean, math.sqrt(mean * (1 - mean))
    assume(wanted * steps > 3)
    law = beta_shaped(mean, 1.0, variation, steps)
    assert standard_deviation(law) == pytest.approx(min(wanted, largest), rel=0.004)


@pytest.mark.for_each(
    ("mean", "variation"), [(0.2, 0.35), (0.2, 1.0), (0.2, 1.9), (0.9, 0.05), (0.9, 0.3), (0.01, 3.0)]
)
def test_the_shape_is_that_of_the_beta_law(mean: float, variation: float) -> None:
    """Against mpmath: the distribution function at a point lies within that of the two next to it."""
    steps = 256
    law = beta_shaped(mean, 1.0, variation, steps)
    concentration = (1 - mean) / mean / variation**2 - 1
    a, b = mean * concentration, (1 - mean) * concentration
    dense = np.zeros(steps + 1)
    dense[list(law.points)] = np.array(law.weights) / 2.0**62
    below = np.cumsum(dense)
    for point in range(1, steps, 15):
        low, high = (float(mpmath.betainc(a, b, 0, x / steps, regularized=True)) for x in (point, point + 1))
        assert low - 2e-4 <= below[point] <= high + 2e-4


def test_no_spread_is_the_two_points_next_to_the_mean() -> None:
    assert beta_shaped(0.3, 1.0, 0.0, steps=10).points == (2, 3)  # 0.3 the float is a little below 3/10
    assert beta_shaped(Fraction(3, 10), 1, 0.0, steps=10).points == (3,)


def test_a_cap_of_one_token_is_a_constant() -> None:
    assert token_law(0.1, 0.1, tokens=1).values.tolist() == [0.1]


@pytest.mark.for_each(
    ("call", "argument"),
    [
        (lambda: point_mass(-1.0), "mean"),
        (lambda: point_mass(math.nan), "mean"),
        (lambda: point_mass(math.inf), "mean"),
        (lambda: point_mass(True), "mean"),
        (lambda: bernoulli(1.5), "quality"),
        (lambda: bernoulli(-0.1), "quality"),
        (lambda: two_point(2.0, 1.0), "mean"),
        (lambda: two_point(0.0, 0.0), "upper"),
        (lambda: beta_shaped(2.0, 1.0, 0.35), "mean"),
        (lambda: beta_shaped(0.5, 1.0, -0.1), "coefficient_of_variation"),
        (lambda: beta_shaped(0.5, 1.0, math.nan), "coefficient_of_variation"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=0), "steps"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=65537), "steps"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=2.0), "steps"),
        (lambda: token_law(1.0, 0.0), "price_per_token"),
        (lambda: token_law(1.0, 2.0), "mean"),
        (lambda: token_law(513.0, 1.0), "mean"),
        (lambda: token_law(1.0, 1.0, tokens=0), "tokens"),
    ],
)
def test_arguments_out_of_range_are_refused(call: Any, argument: str) -> None:
    assert_refused(f"^{argument}=", call)


@st.composite
def laws(draw: st.DrawFn) -> DiscreteLaw:
    points = sorted(draw(st.sets(st.integers(0, 5000), min_size=1, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(1, TOTAL_WEIGHT - 1), min_size=len(points) - 1, max_size=len(points) - 1)))
    ends = [0, *cuts, TOTAL_WEIGHT]
    weights = [b - a for a, b in pairwise(ends)]
    return DiscreteLaw(tuple(points), tuple(weights), draw(st.fractions(Fraction(1, 10**6), 1000)))


@given(laws())
def test_thresholds_are_the_cumulative_weights_exactly(law: DiscreteLaw) -> None:
    start = 0
    for point, weight in zip(law.points, law.weights, strict=True):
        assert law.point(start) == law.point(start + weight - 1) == point
        start += weight
    assert start == TOTAL_WEIGHT


@given(laws())
def test_moments_are_exact(law: DiscreteLaw) -> None:
    table = [(Fraction(w, TOTAL_WEIGHT), p * law.unit) for p, w in zip(law.points, law.weights, strict=True)]
    assert law.mean == sum(w * x for w, x in table)
    assert law.variance == sum(w * (x - law.mean) ** 2 for w, x in table)
    assert law.maximum == float(law.points[-1] * law.unit) == law.values.max()
    assert law.values.tolist() == [float(x) for _, x in table]


@given(st.integers(0, 10**9), st.fractions(Fraction(1, 10**30), 10**30))
def test_values_are_correctly_rounded(total: int, unit: Fraction) -> None:
    law = DiscreteLaw((1,), (TOTAL_WEIGHT,), unit)
    assert law.value(total) == float(total * unit)


HALVES = (TOTAL_WEIGHT // 2,) * 2


@pytest.mark.for_each(
    ("points", "weights", "unit", "argument"),
    [
        ((), (), Fraction(1), "points"),
        ((-1, 1), HALVES, Fraction(1), "points"),
        ((1, 1), HALVES, Fraction(1), "points"),
        ((2, 1), HALVES, Fraction(1), "points"),
        ((1,), HALVES, Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT, 0), Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT + 1, -1), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT - 1,), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT,), Fraction(0), "unit"),
        ((1,), (TOTAL_WEIGHT,), 1.0, "unit"),
    ],
)
def test_what_is_no_law_is_refused(points: Any, weights: Any, unit: Any, argument: str) -> None:
    assert_refused(f"^{argument}=", DiscreteLaw, points, weights, unit)


@pytest.mark.parametrize("bits", [-1, TOTAL_WEIGHT, 2**64 - 1])
def test_bits_out_of_range_are_refused(bits: int) -> None:
    law = bernoulli(0.5)
    for draw in (law.sample, law.point, law.index):
        assert_refused(r"^bits=", draw, bits)


# From the test set of randomgen (a C implementation), then from the C text of the method's paper, compiled.
KNOWN_KEY = 0x3BC8BCA4D301945B
KNOWN = {
    0: 0x5167EA8B7923D95B,
    1: 0xE03102BE2DB8C20,
    2: 0xE59F61D7BEB27F5D,
    3: 0x943AC4D08E1A4431,
    499: 0x9A73C8CE36D6615D,
    0x75BCD15007002: 0x5AC29660046F6A3A,
    0x8000000000000000: 0xA1FFCEF56AEAAC07,
    0xFFFFFFFFFFFFFFFF: 0xBCF68F9BC82E357F,
}


@pytest.mark.for_each("count", KNOWN)
def test_known_answers(count: int) -> None:
    assert squares64(KNOWN_KEY, count) == KNOWN[count]


def test_the_streams_of_a_run_never_change() -> None:
    keys = [stream_key(0, 0, stream) for stream in RandomStream]
    assert [f"{key:x}" for key in keys] == [
        "a97c79c81325fca9",
        "674ea9e3d7569fe3",
        "ac649fbe15fbc7d3",
        "313bd9e5c64b51d3",
    ]
    assert squares64(keys[0], counter(1, 0, 0)) == 0x1DD08D67CE86771F
    assert stream_generator(0, 0, RandomStream.PLATFORM).integers(2**63) == 3364714723560915154
    assert stream_generator(0, 0, RandomStream.BIDDERS).integers(2**63) == 1156363723064881819


@given(st.integers(0, 2**34 - 1), st.integers(0, 2**20 - 1), st.integers(0, 1023))
def test_a_counter_gives_its_arguments_back(step: int, provider: int, draw: int) -> None:
    count = counter(step, provider, draw)
    assert (count // 2**30, count // 2**10 % 2**20, count % 2**10) == (step, provider, draw)
    assert 0 <= count < 2**64
    assert count == counter(np.int64(step), np.uint32(provider), np.int8(0)) + draw


@pytest.mark.for_each(
    ("arguments", "name"),
    [
        *(((step, 0, 0), "step") for step in (-1, 2**34, 1.0)),
        *(((0, -1, 0), "provider"), ((0, 2**20, 0), "provider"), ((0, 0, 1024), "draw"), ((0, 0, None), "draw")),
    ],
)
def test_counters_out_of_range_are_refused(arguments: tuple[int, int, int], name: str) -> None:
    with pytest.raises(InputError, match=f"^{name}=") as error:
        counter(*arguments)
    assert error.value.argument == name


@given(st.integers(0, 2**256 - 1))
def test_keys_follow_the_rules_of_the_method(entropy: int) -> None:
    text = f"{squares_key(entropy):x}"
    assert len(text) == 16
    assert "0" not in text
    assert len(set(text[8:])) == 8
    assert int(text[-1], 16) % 2 == 1
    assert all(a != b for a, b in pairwise(text[:9]))


def test_seeds_runs_and_streams_have_their_own_keys() -> None:
    keys = {
        stream_key(seed, run, stream)
        for seed in (0, 1, 2, 2**64, 2**128 - 1)
        for run in (*range(50), 2**32 - 1)
        for stream in RandomStream
    }
    assert len(keys) == 5 * 51 * 4


@pytest.mark.for_each(
    ("seed", "run", "name"),
    [(-1, 0, "seed"), (2**128, 0, "seed"), (0.5, 0, "seed"), (0, -1, "run"), (0, 2**32, "run"), (0, None, "run")],
)
def test_bad_seeds_and_runs_are_refused(seed: int, run: int, name: str) -> None:
    for stream in (RandomStream.PLATFORM, RandomStream.BIDDERS):
        assert_refused(f"^{name}=", stream_generator, seed, run, stream)


#: How often each is asked for: a few keys are made one by one, many in arrays.
TIMES = st.sampled_from([1, 60])


SEEDS = st.one_of(st.integers(0, 2**128 - 1), st.sampled_from([0, 2**32 - 1, 2**32, 2**96, 2**128 - 1]))
RUNS = st.lists(st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2**32 - 1])), max_size=9)


@given(SEEDS, RUNS, TIMES, st.sampled_from(RandomStream))
def test_runs_that_are_seeded_together(seed: int, runs: list[int], times: int, stream: RandomStream) -> None:
    """They have the keys and generators that each has alone."""
    runs = runs * times
    assert stream_keys(seed, runs, stream).tolist() == [stream_key(seed, run, stream) for run in runs]
    together, alone = stream_generators(seed, runs, stream), (stream_generator(seed, run, stream) for run in runs)
    for mine, theirs in zip(together, alone, strict=True):
        assert (mine.permutation(5).tolist(), draw_key(mine)) == (theirs.permutation(5).tolist(), draw_key(theirs))


@pytest.mark.for_each(
    ("runs", "wrong"),
    [
        *(([*range(few), wrong], wrong) for few in (1, 60) for wrong in (-1, 1.5)),
        *((range(2**32 - few, 2**32 + 1), 2**32) for few in (1, 60)),
    ],
)
def test_runs_that_have_no_number(runs: Sequence[int], wrong: object) -> None:
    assert_refused(f"run={wrong}", stream_keys, 0, runs, RandomStream.OUTCOMES)


SETTING, POLICY = published("gsm8k-full").setting, POLICIES["platform"]
MANY = range(2**32 - 1_500, 2**32)


def one_by_one(seed: int, runs: range) -> RunKeys:
    drawn = []
    for run in runs:
        rng = stream_generator(seed, run, RandomStream.PLATFORM)
        drawn.append((rng.permutation(SETTING.n_providers), draw_key(rng)))
    return RunKeys(
        np.array([stream_key(seed, run, RandomStream.OUTCOMES) for run in runs], dtype=np.uint64),
        np.array([key for _, key in drawn], dtype=np.uint64),
        np.array([order for order, _ in drawn]),
    )


def equal(one: RunKeys, other: RunKeys) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """As in a new process: nothing compared."""
    keys._draws_as_numpy.cache_clear()
    yield
    keys._draws_as_numpy.cache_clear()


def test_keys_of_few_runs_and_of_many() -> None:
    expected = one_by_one(5, MANY)
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY[:3]), RunKeys(*(column[:3] for column in expected)))
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY), expected)
    assert keys.run_keys(SETTING, POLICY, 5, []).orders.shape == (0, SETTING.n_providers)


@given(st.integers(0, 2**64), st.one_of(st.integers(1, 40), st.sampled_from([1, 2, 3, 4, 5, 8, 9, 16, 17, 257, 3_000])))
def test_orders_of_any_length(seed: int, n: int) -> None:
    """A place that is drawn from just more than a power of two is drawn again most often."""
    found = keys.drawn_together(n, seed, range(5))
    for run in range(5):
        rng = stream_generator(seed, run, RandomStream.PLATFORM)
        assert found.orders[run].tolist() == rng.permutation(n).tolist()
        assert found.draws[run] == draw_key(rng)
        assert found.outcomes[run] == stream_key(seed, run, RandomStream.OUTCOMES)


def test_a_numpy_that_draws_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine code draws is left out then, however many runs there are."""
    expected = one_by_one(5, MANY)

    def otherwise(words: np.ndarray, orders: np.ndarray, entropy: np.ndarray) -> None:
        orders[:], entropy[:] = np.arange(orders.shape[1]), 0

    monkeypatch.setattr(keys, "draw_orders", otherwise)
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY), expected)


def test_a_numpy_that_seeds_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the constants here were no longer NumPy's: it seeds each run then, in small chunks as in large ones."""
    expected = one_by_one(5, MANY)
    monkeypatch.setattr(randomness, "_MIX_LEFT", np.uint32(0xCA01F9DF))
    found = [keys.run_keys(SETTING, POLICY, 5, chunk) for chunk in (MANY[:7], MANY[7:71], MANY[71:])]
    assert equal(RunKeys(*map(np.concatenate, zip(*found, strict=True))), expected)


@pytest.mark.for_each("seed", [[1], 1.0, -1, 2**128, "1"])
def test_no_seed(seed: Any) -> None:
    for runs in ([0], range(1_000)):
        assert_refused("seed", keys.run_keys, SETTING, POLICY, seed, runs)
