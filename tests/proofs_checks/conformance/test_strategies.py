"""The strategies draw what they promise, and the corners often."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from costproof.strategies import FAMILIES, bid_profiles, bids, sequences
from mechanism.platform import reference_mechanism
from mechanism.tables import radius_table
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.subject import Subject

SUBJECT = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


def kinds_met(family: str) -> Counter[str]:
    """How often each kind of step is met over a hundred interactions of a family."""
    met: Counter[str] = Counter()

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(FAMILIES[family]())
    def look(scenario):
        for decisions in play_scenario(SUBJECT, scenario).decisions:
            for decision in decisions:
                strict = decision.kind == "exploration" and len(decision.providers) < len(decision.eligible)
                met["lone" if decision.lone else decision.kind] += 1
                met["strict subset"] += strict
                met["tie"] += decision.kind == "auction" and len(decision.providers) > 1
                met["excluded"] += decision.kind == "auction" and len(decision.eligible) < scenario.config.n_providers

    look()
    return met


@pytest.mark.long("plays a hundred interactions of every family")
@pytest.mark.parametrize(
    ("family", "kinds"),
    [
        ("auctions", ["auction", "tie"]),
        ("widened", ["auction", "tie"]),
        ("noisy", ["auction", "exploration"]),
        ("exploring", ["exploration", "auction"]),
        ("whole goals", ["exploration", "auction"]),
        ("lone", ["lone"]),
        ("empty", ["empty"]),
        ("screening", ["strict subset", "excluded"]),
        ("quality drop", ["auction", "excluded"]),
        ("near threshold", ["auction"]),
        ("widened screening", ["strict subset", "excluded"]),
        ("widened noisy", ["auction", "exploration"]),
        ("steered", ["auction", "exploration", "excluded"]),
        ("long run", ["auction", "exploration", "excluded"]),
    ],
)
def test_every_family_reaches_the_steps_it_is_made_for(family, kinds):
    met = kinds_met(family)
    assert all(met[kind] >= 100 for kind in kinds), met


@given(bids(2.0))
def test_bids_lie_in_range_or_have_a_meaning(bid):
    assert bid in ("truthful", "critical", "critical + ulp", "critical - ulp") or 0 <= bid <= 2.0


def test_profiles_tie_in_a_good_part_of_the_draws():
    tied = 0

    @settings(max_examples=200, derandomize=True)
    @given(bid_profiles(3, 1.0))
    def count(profile):
        nonlocal tied
        assert len(profile) == 3
        assert all(0 <= bid <= 1.0 for bid in profile)
        tied += len(set(profile)) < 3

    count()
    assert tied > 100


@pytest.mark.parametrize("kind", ["random", "adversarial", "steered"])
@pytest.mark.for_each(("mean", "upper"), [(0.0, 1.0), (0.3, 1.0), (1.0, 1.0), (50.0, 102.4)])
def test_sequences_lie_in_range_and_steered_ones_in_their_band(kind, mean, upper):
    radii = radius_table(3, 0.05).upto(60)

    @settings(max_examples=20, deadline=None)
    @given(sequences(mean, upper, 60, n_providers=3, confidence=0.05, kinds=(kind,)))
    def check(values):
        assert len(values) == 60
        assert all(0 <= value <= upper for value in values)
        if kind == "steered":
            means = np.cumsum(values) / np.arange(1, 61)
            assert (abs(means - mean) <= upper * radii[1:] * (1 + 1e-12)).all()

    check()
