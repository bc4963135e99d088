"""The rules beside a mechanism with queries in flight: a decision rests on the scores and bids that have arrived."""

from __future__ import annotations

from collections.abc import Callable

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, Waiting, arrivals
from proofs_checks.oracle.rule_oracle import FLOATS, OracleNumbers, RuleOracle


class LateOracle(RuleOracle):
    """What Algorithm 1 would decide, fed with the log of a mechanism whose feedback arrives late.

    `settle` takes a step of the log as soon as it is assigned; what came of it counts once it has arrived. A provider
    of which nothing has arrived after initialization is explored, as every provider with m < g(t).

    Parameters
    ----------
    config : MechanismConfig
    settled : callable
        From a step to the last one assigned before its score and bid arrive; see `mechanism.trace.Trace.settled`.
    numbers : OracleNumbers, optional
        As for `RuleOracle`.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> oracle = LateOracle(config, settled=lambda step: step + 1)
    >>> oracle.settle(0, score=1.0, bid=0.25), oracle.counts
    (None, [0, 0])
    >>> oracle.settle(1, score=1.0, bid=0.5), oracle.counts
    (None, [1, 0])
    >>> oracle.decisions()[0].kind
    'exploration'
    """

    def __init__(self, config: MechanismConfig, settled: Callable[[int], int], numbers: OracleNumbers = FLOATS) -> None:
        super().__init__(config, numbers)
        self._waiting = Waiting[tuple[int, float, float]](settled)

    def settle(self, provider: int, score: float, bid: float) -> None:
        """Take what the log says of a step, and learn what has arrived before the next one."""
        self._assigned[provider] = True
        self._waiting.add(self.step, (provider, score, bid))
        self.step += 1
        for _, outcome in self._waiting.arrived(self.step - 1):
            self._learn(*outcome)


def oracle_beside(
    config: MechanismConfig, seed: int, in_flight: DelayLaw | None, numbers: OracleNumbers = FLOATS
) -> RuleOracle:
    """Return the rules beside a mechanism that was started with a configuration, a seed and a law of delay.

    Examples
    --------
    >>> oracle = oracle_beside(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), 0, DelayLaw(most=1))
    >>> oracle.settle(0, score=1.0, bid=0.5)
    >>> oracle.counts
    [0, 0]
    """
    if in_flight is None:
        return RuleOracle(config, numbers)
    return LateOracle(config, arrivals(in_flight, seed), numbers)
