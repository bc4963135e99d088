"""Mechanisms that are right by other rules than the paper's conform to what any mechanism should satisfy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.play.subject import Factory


class SecondPrice:
    """Learns nothing: the least standing bid wins and is paid the second least."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self._n, self._bound = config.n_providers, config.cost_bound
        self._bids: dict[int, float] = {}
        self._served = -1

    def assign(self) -> tuple[int, float]:
        if len(self._bids) < self._n:
            self._served = len(self._bids)
            return self._served, self._bound
        self._served, second = sorted(self._bids, key=lambda i: (self._bids[i], i))[:2]
        return self._served, self._bids[second]

    def settle(self, score: float, bid: float) -> None:
        self._bids[self._served] = bid


def twice_the_radius(config: MechanismConfig, rng: np.random.Generator) -> object:
    """The paper's mechanism, but 2 (1 + gamma) c_max beta in index and critical payment: (1 + gamma') with gamma'."""
    return reference_mechanism(replace(config, belief_slack=1.0 + 2.0 * config.belief_slack), rng)


@pytest.mark.long("a suite for each")
@pytest.mark.for_each("factory", [SecondPrice, twice_the_radius])
def test_rules_of_their_own_pass_contract_and_economic_checks(factory: Factory) -> None:
    report = check_mechanism(factory, only=["contract", "economic"], effort=QUICK)
    assert [(check.name, check.message) for check in report.checks if check.status != "passed"] == []
    assert report.conforms


@pytest.mark.parametrize(
    ("factory", "check"),
    [
        (twice_the_radius, "widened-radius"),
        pytest.param(SecondPrice, "index-minimizer", marks=pytest.mark.long("a check for each")),
    ],
)
def test_they_break_the_papers_rules(factory: Factory, check: str) -> None:
    assert check_mechanism(factory, only=[check], effort=QUICK).failed == 1
