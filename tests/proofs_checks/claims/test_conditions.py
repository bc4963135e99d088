"""Masks against loops over steps and providers."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import IDENTIFICATION_BOUND
from bounds.formulas.sharp import SHARP_LEAD_BOUND
from bounds.language.formula import Formula
from bounds.setting.model import PlatformParameters
from mechanism.bidding import TruthfulBidder
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.model import conditions as masks
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.lead import leads
from tests.lemmas.quantities import burn_in


def passes_burn_in(case: Case) -> bool:
    return (
        not case.setting.unmet_assumptions and bool(case.setting.unqualified) and bool(masks.late_auctions(case).any())
    )


LATE = next(case for instance in range(0, 200, 4) if passes_burn_in(case := random_case(0, instance)))
CASES = [LATE, random_case(0, 3), random_case(0, 8), random_case(0, 15)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.setting.name)
class TestSteps:
    def test_by_the_clock(self, case: Case) -> None:
        n, length = case.setting.n_providers, len(case.trace)
        expected = {
            masks.every_step: [True] * length,
            masks.after_initialization: [t > n for t in range(1, length + 1)],
            masks.horizons: [t >= n for t in range(1, length + 1)],
            masks.horizons_after_initialization: [t > n for t in range(1, length + 1)],
            masks.last_step: [t == length for t in range(1, length + 1)],
            masks.logged_auctions: [
                t > n and price < case.setting.platform.cost_bound for t, price in enumerate(case.trace.payment, 1)
            ],
        }
        for mask, flags in expected.items():
            assert mask(case).tolist() == flags, mask.__name__

    def test_every_step_is_of_one_kind(self, case: Case) -> None:
        kinds = [masks.auctions(case), masks.explorations(case), case.replay.initialization, case.replay.empty]
        assert (np.sum(kinds, axis=0) == 1).all()

    def test_late_steps(self, case: Case) -> None:
        start, steps = burn_in(case.setting), range(1, len(case.trace) + 1)
        assert masks.late_horizons(case).tolist() == [t >= start for t in steps]
        auctions = masks.auctions(case)
        assert masks.late_auctions(case).tolist() == [t > start and bool(auctions[t - 1]) for t in steps]

    @pytest.mark.for_each("group", ["all", "qualified", "unqualified", "competitors"])
    def test_by_provider(self, case: Case, group: masks.Group) -> None:
        served, able, members = case.trace.provider.tolist(), case.replay.eligible, case.members(group)
        auctions = masks.auctions(case)
        expected = {
            masks.each_provider(masks.auctions, group): lambda t, i: auctions[t],
            masks.served_at(masks.auctions, group): lambda t, i: auctions[t] and served[t] == i,
            masks.eligible_at(masks.auctions, group): lambda t, i: auctions[t] and able[t, i],
        }
        for mask, holds in expected.items():
            flags = mask(case)
            assert flags.shape == (len(served), len(members))
            assert all(flags[t, g] == holds(t, i) for t in range(len(served)) for g, i in enumerate(members))

    def test_losers(self, case: Case) -> None:
        served, able = case.trace.provider.tolist(), case.replay.eligible
        flags, auctions = masks.losers_at(masks.auctions)(case), masks.auctions(case)
        for t, i in np.ndindex(*flags.shape):
            assert flags[t, i] == (auctions[t] and able[t, i] and served[t] != i)


def test_a_horizon_equal_to_the_burn_in_is_late_and_an_auction_there_is_not() -> None:
    # All are qualified and k = 1/2: T_0 = N (1/k)^(1/alpha) = 8 exactly, and g(t) <= 1 until then.
    market = SmallMarket((0.1, 0.2), (1.0, 1.0), 9, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5))
    case = Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]), {})
    assert burn_in(case.setting) == 8
    assert masks.auctions(case)[2:].all()
    assert masks.late_horizons(case).tolist() == [False] * 7 + [True] * 2
    assert masks.late_auctions(case).tolist() == [False] * 8 + [True]


@pytest.mark.for_each(("bound", "twice"), [(IDENTIFICATION_BOUND, True), (SHARP_LEAD_BOUND, False)])
def test_the_lead_is_compared_from_the_identification_horizon_on(bound: Formula, twice: bool) -> None:
    reached = 0
    for instance in range(0, 60, 3):
        case = random_case(0, instance)
        if case.setting.unmet_assumptions:
            continue
        horizon = identification_horizon(case.truthful_constants, bound, twice)
        expected = [horizon is not None and t >= horizon for t in range(1, len(case.trace) + 1)]
        leading = leads(bound, "the lead", "T_id", twice=twice, truthful=True)
        assert leading.on(case).tolist() == expected
        reached += any(expected)
    assert reached >= 2
