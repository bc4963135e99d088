"""Look-ups in the kernel's tables against bisection in the laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from mechanism.compiled import kernel
from mechanism.compiled.layout import CHUNK, OutcomeSource
from mechanism.market.law_tables import LAW_FIELDS, Ints, LawField, LawTables, law_tables
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.market import market_laws
from mechanism.market.provider import ProviderMarket


def weights_law(weights: list[int]) -> DiscreteLaw:
    return DiscreteLaw(tuple(range(len(weights))), tuple(weights), Fraction(1, 3))


#: Laws with one point, two and many; with cells of the guide that hold many bounds, and points that hold many cells.
LAWS = {
    "certain": point_mass(0.3),
    "zero": point_mass(0.0),
    "coin": bernoulli(0.5),
    "rare": bernoulli(2**-62),
    "nearly certain": weights_law([1, TOTAL_WEIGHT - 1]),
    "three": weights_law([1, 1, TOTAL_WEIGHT - 2]),
    "three at the end": weights_law([TOTAL_WEIGHT - 2, 1, 1]),
    "many in one cell": weights_law([1] * 500 + [TOTAL_WEIGHT - 500]),
    "many in the last cell": weights_law([TOTAL_WEIGHT - 500] + [1] * 500),
    "many in the middle": weights_law([TOTAL_WEIGHT // 2 - 250] + [1] * 500 + [TOTAL_WEIGHT // 2 - 250]),
    "even": weights_law([TOTAL_WEIGHT // 16] * 16),
    "even of five": weights_law([TOTAL_WEIGHT // 5] * 4 + [TOTAL_WEIGHT - 4 * (TOTAL_WEIGHT // 5)]),
    "beta": beta_shaped(0.3, 1.0, 0.35),
    "wide beta": beta_shaped(0.01, 1.0, 3.0, steps=5000),
    "tokens": token_law(16.1, 0.052),
}


def rows(tables: LawTables) -> Ints:
    """Return `LawField` by provider, shape (N, fields)."""
    return tables.rows.reshape(-1, LAW_FIELDS)[tables.kinds]


def edges(law: DiscreteLaw) -> list[int]:
    """Return all bits at which another point may be drawn, and those next to them."""
    around = {bound + step for bound in (0, *law.cumulative) for step in (-1, 0, 1)}
    return sorted(bits for bits in around if 0 <= bits < TOTAL_WEIGHT)


def tables_of(name: str) -> tuple[LawTables, int]:
    """Return the tables of all laws, and the number of one of them."""
    providers = [ProviderMarket(bernoulli(0.25), law) for law in LAWS.values()]
    tables = law_tables(providers, 0.25)
    return tables, int(rows(tables)[list(LAWS).index(name), LawField.COST_LAW])


def check(name: str, many: list[int]) -> None:
    law = LAWS[name]
    tables, number = tables_of(name)
    first = int(tables.first[number])
    expected = [law.index(bits) for bits in many]
    assert [int(kernel.law_place(tables, number, np.uint64(bits))) - first for bits in many] == expected
    drawn = np.array([*many, *[0] * (-len(many) % CHUNK)], dtype=np.uint64)  # whole chunks
    found = np.empty(len(drawn))
    for at in range(0, len(drawn), CHUNK):
        kernel.look_up(tables, number, (drawn, np.uint64(at)), found, np.uint64(at))
    assert found[: len(many)].tolist() == [law.sample(bits) for bits in many]
    assert tables.values[first : first + len(law.points)].tolist() == law.values.tolist()
    assert tables.points[first : first + len(law.points)].tolist() == list(law.points)


@pytest.mark.for_each("name", LAWS)
def test_look_ups_agree_at_every_bound(name: str) -> None:
    many = edges(LAWS[name])
    check(name, many if len(many) < 2000 else [*many[:500], *many[500:-500:7], *many[-500:]])


@pytest.mark.for_each("name", LAWS)
def test_look_ups_agree_on_random_bits(name: str) -> None:
    rng = np.random.default_rng(7)
    check(name, [int(bits) for bits in rng.integers(0, TOTAL_WEIGHT, 300)])


@given(st.lists(st.integers(1, 2**40), min_size=1, max_size=40), st.data())
def test_look_ups_agree_in_any_law(parts: list[int], data: st.DataObject) -> None:
    scale = TOTAL_WEIGHT // sum(parts)
    weights = [part * scale for part in parts]
    weights[data.draw(st.integers(0, len(parts) - 1))] += TOTAL_WEIGHT - sum(weights)
    law = weights_law(weights)
    tables = law_tables([ProviderMarket(bernoulli(0.5), law)], 0.0)
    number = int(rows(tables)[0, LawField.COST_LAW])
    many = [*edges(law), *data.draw(st.lists(st.integers(0, TOTAL_WEIGHT - 1), max_size=20))]
    first = int(tables.first[number])
    found = [int(kernel.law_place(tables, number, np.uint64(bits))) - first for bits in many]
    assert found == [law.index(bits) for bits in many]


def test_equal_laws_share_their_tables() -> None:
    one, same, other = (
        ProviderMarket(bernoulli(q), beta_shaped(0.3, 1.0, 0.35), multiplicity=2) for q in (0.5, 0.5, 0.25)
    )
    tables = law_tables([one, same, other], 0.25)
    assert len(tables.first) == 3  # two of scores, one of costs
    assert rows(tables)[0].tolist() == rows(tables)[1].tolist()
    alone = law_tables([one], 0.25)
    assert len(tables.totals) == len(alone.totals)


@pytest.mark.for_each("n", [1, 2, 4, 1000])
def test_totals_are_the_values_of_sums_of_candidates(n: int) -> None:
    """Compared where the plain market takes them: the value of a number of lattice steps, rounded once."""
    several = [
        ProviderMarket(bernoulli(0.5), law, multiplicity=n) for law in (LAWS["beta"], LAWS["three"], LAWS["tokens"])
    ]
    tables = law_tables(several, 0.25)
    for provider, row in zip(several, rows(tables).tolist(), strict=True):
        law, start = provider.candidate_law, row[LawField.FIRST_TOTAL]
        least, most = n * law.points[0], n * law.points[-1]
        for total in {least, least + 1, (least + most) // 2, most - 1, most}:
            assert tables.totals[start + total] == law.value(total)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_outcomes_of_published_markets_are_the_plain_ones(name: str) -> None:
    one = market_laws(published(name).setting).market(11, 3)
    tables = law_tables(one.providers, one.margin)
    order = np.zeros(tables.questions, dtype=np.int64)
    source = OutcomeSource(tables, order, np.uint64(one.key))
    for start in (1, 3 * tables.questions + 1):
        kernel.shuffle(order, np.uint64(one.key), (start - 1) // tables.questions)
        for step in range(start, start + 40):
            for provider in range(len(one.providers)):
                found = kernel.outcome(source, step, provider, tables.kinds[provider])
                assert found == one.outcome(step, provider)


def test_too_many_different_costs_are_refused() -> None:
    law = DiscreteLaw((0, 2**20), (TOTAL_WEIGHT // 2,) * 2, Fraction(1))
    with pytest.raises(InputError, match=r"^cost_law=.* must not exceed 16777216 different costs"):
        law_tables([ProviderMarket(bernoulli(0.5), law, multiplicity=17)], 0.25)
    assert two_point(0.25, 1.0).points[0] == 0
