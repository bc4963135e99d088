"""Textbook mechanisms that depart from the paper's rules on purpose, in the style of a platform engineer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism


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


def without_slack(config: MechanismConfig, rng: np.random.Generator) -> object:
    """The paper's section 2: it knows of no gamma."""
    return reference_mechanism(replace(config, belief_slack=0.0), rng)
