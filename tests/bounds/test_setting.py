"""Settings: what is rejected, and the sets that the theory derives from what is accepted."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from bounds import InputError, PlatformParameters, Provider, Setting
from bounds.characters import is_hidden
from bounds.errors import printable

PLATFORM = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
PROVIDER = Provider("a", 0.9, 0.2)
NOT_NUMBERS = [True, "0.5", None, [0.5], 1j, Fraction(1, 2)]
NOT_FINITE = [math.nan, math.inf, -math.inf, 10**400]


def market(*rows: tuple[float, float], threshold: float = 0.5) -> Setting:
    """Return a setting of providers (quality, mean cost) called a, b, c, ..."""
    providers = [Provider(chr(97 + i), quality, cost) for i, (quality, cost) in enumerate(rows)]
    return Setting("toy", replace(PLATFORM, quality_threshold=threshold), providers)


@pytest.mark.for_each("key", [field.name for field in fields(PlatformParameters) if field.name != "radius"])
def test_every_platform_parameter_is_a_finite_number(key):
    for value in NOT_NUMBERS + NOT_FINITE:
        with pytest.raises(InputError, match=f"^{key}=.* must be (a number|finite): ") as caught:
            replace(PLATFORM, **{key: value})
        assert (caught.value.argument, repr(caught.value.value)) == (key, repr(value))


@pytest.mark.for_each(
    ("key", "inside", "outside"),
    [
        ("quality_threshold", [0, 1], [-1e-9, math.nextafter(1, 2)]),
        ("confidence", [1e-300, math.nextafter(1, 0)], [0, 1, -0.1, 1.5, 5e-324, 1e-320]),
        ("cost_bound", [1e-300, 1e15], [0, -1, 5e-324, 1.1e15, 1e300]),
        ("exploration_scale", [1e-300, 1e15], [0, -1, 5e-324, 1e300]),
        ("exploration_exponent", [1e-300, math.nextafter(1, 0)], [0, 1, 1.2, 5e-324]),
        ("belief_slack", [0, 1e15], [-1e-9, 1e300]),
        ("underbid", [0, 5], [-1e-9, 1e300]),
        ("overbid", [0, 5], [-1e-9, 1e300]),
    ],
)
def test_platform_ranges(key, inside, outside):
    for value in inside:
        accepted = getattr(replace(PLATFORM, **{key: value}), key)
        assert accepted == value
        assert type(accepted) is float
    for value in outside:
        rules = "lie in|be positive|not be negative|not exceed|be at least"
        with pytest.raises(InputError, match=rf"^{key}=\S+ must ({rules})"):
            replace(PLATFORM, **{key: value})


@pytest.mark.for_each(
    ("key", "inside", "outside"),
    [
        ("name", ["x", " y ", "名"], ["", "  \t", 3, None, b"x"]),
        ("quality", [0, 1, 0.5], [-0.1, 1.1, math.nan, "1", True, None]),
        ("mean_cost", [0, 3], [-1e-9, math.inf, "1", False, None]),
        ("listed_price", [None, 1e-9, 4], [0, -1, math.nan, "1", True]),
        ("multiplicity", [1, 1000], [0, 1001, -1, 2.0, "2", True, None, 10**5000]),
    ],
)
def test_provider_ranges(key, inside, outside):
    for value in inside:
        assert getattr(replace(PROVIDER, **{key: value}), key) == value
    for value in outside:
        with pytest.raises(InputError, match=f"^{key}=") as caught:
            replace(PROVIDER, **{key: value})
        assert caught.value.argument == key
        assert str(caught.value).isprintable()


@pytest.mark.for_each("providers", [[], [PROVIDER]])
def test_a_market_needs_two_providers(providers):
    with pytest.raises(InputError, match=f"^provider={len(providers)} .*too few"):
        Setting("toy", PLATFORM, providers)


GRID = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(st.lists(st.tuples(GRID, GRID), min_size=2, max_size=6), GRID)
@example([(0.5, 0.5), (0.5, 0.5)], 0.5)
@example([(0.0, 0.0), (0.0, 1.0)], 0.0)
def test_derived_sets_are_the_papers(rows, threshold):
    """Against the definitions, by brute force over all pairs and on a grid where ties abound."""
    setting = market(*rows, threshold=threshold)
    exact = [(Fraction(quality), Fraction(cost)) for quality, cost in rows]
    qualified = {i for i, (quality, _) in enumerate(exact) if quality >= Fraction(threshold)}
    strictly_cheapest = [i for i in qualified if all(exact[i][1] < exact[j][1] for j in qualified if j != i)]
    competitors = qualified - set(strictly_cheapest) if strictly_cheapest else set()

    assert setting.n_providers == len(rows)
    assert set(setting.qualified) == qualified
    assert sorted(setting.qualified + setting.unqualified) == list(range(len(rows)))
    assert ([] if setting.optimal is None else [setting.optimal]) == strictly_cheapest
    assert set(setting.competitors) == competitors
    assert setting.second_lowest_cost == (float(min(exact[i][1] for i in competitors)) if competitors else None)
    assert bool(setting.unmet_assumptions) == (len(qualified) < 2 or not strictly_cheapest)


@pytest.mark.for_each(
    ("rows", "reason"),
    [
        ([(0.4, 0.1), (0.6, 0.9), (0.3, 0.2)], "1 provider reaches"),
        ([(0.4, 0.1), (0.1, 0.9)], "no provider reaches"),
        ([(0.9, 0.2), (0.6, 0.2), (0.9, 0.3), (0.1, 0.2)], "tie of mean costs"),
    ],
)
def test_an_unmet_assumption_is_told(rows, reason):
    [told] = market(*rows).unmet_assumptions
    assert reason in told


@pytest.mark.for_each(
    "value",
    [1 << 20000, "x" * 1000, "a\nb\u2028c", "\ud800", [[["é"]]]],
    ids=["huge", "long", "lines", "surrogate", "nested"],
)
def test_errors_are_one_printable_line_for_any_value(value):
    error = InputError("quality", value, "must lie in [0, 1]", "it is q_i")
    assert str(error).isprintable()
    assert str(error).startswith("quality=")
    assert str(error).endswith(" must lie in [0, 1]: it is q_i")
    assert len(str(error)) < 130


@given(st.text(st.characters()), st.none() | st.integers(3, 20))
def test_printable_is_one_printable_line(text, longest):
    line = printable(text, longest)
    assert line.isprintable()
    assert longest is None or len(line) <= longest
    assert line == text or any(map(is_hidden, text)) or longest is not None


@pytest.mark.for_each(
    ("costs", "underbid", "overbid", "close"),
    [
        ([0.1, 0.3, 0.5], 0.0, 0.0, ()),
        ([0.0, 0.4, 0.5], 0.1, 0.3, ()),  # 0.4 is the larger double, 0.1 + 0.3 rounds to it
        ([0.25, 0.5, 0.75], 0.125, 0.125, (1,)),
        ([0.75, 0.25, 0.5, 0.625], 0.25, 0.125, (2, 3)),
        ([0.25, 0.25, 0.5], 0.25, 0.25, ()),
    ],
)
def test_cost_gaps_within_the_deviations_are_found_exactly(costs, underbid, overbid, close):
    setting = market(*((0.9, cost) for cost in costs))
    setting = replace(setting, platform=replace(setting.platform, underbid=underbid, overbid=overbid))
    assert setting.unseparated == close
