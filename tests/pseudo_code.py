"""Algorithm 1 (alg:platform) read from its pseudo-code, in 80 digits; sums of scores are rounded once.

It imports nothing of the packages: whatever decides, judges or replays a step is held to it.
"""

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from mpmath import MPContext

#: Comparisons that floats may decide otherwise.
HAIR = 1e-11
MP = MPContext()
MP.dps = 80


class Step(NamedTuple):
    """What the pseudo-code permits."""

    kind: str
    eligible: list[int]
    candidates: set[int]
    #: By provider, if it serves.
    payments: list[Any]
    #: Whether a comparison is too close for floats to be sure of it.
    near: bool = False


@functools.cache
def radius(m: int, n: int, delta: float) -> Any:
    """Return beta(m) as the paper prints it (eq:qualified-set); infinite where nothing is known."""
    return MP.sqrt(MP.log(2 * MP.pi**2 * n * m**2 / (3 * MP.mpf(delta))) / (2 * m)) if m else MP.inf


class Known:
    """The scores and bids that have been heard of each provider before a step, and what they amount to."""

    def __init__(self, config: Any, heard: Sequence[Any] | None = None, step: int = 1) -> None:
        self.config, self.step, self.everybody = config, step, list(range(config.n_providers))
        self.heard = [[] for _ in self.everybody] if heard is None else heard

    def count(self, i: int) -> int:
        return len(self.heard[i])

    def radius(self, i: int) -> Any:
        return radius(self.count(i), len(self.everybody), self.config.confidence)

    def estimate(self, i: int) -> Any:
        return MP.mpf(math.fsum(score for score, _ in self.heard[i])) / max(self.count(i), 1)

    def margin(self, i: int) -> Any:
        """By how much the quality may pass the threshold."""
        return self.estimate(i) + self.radius(i) - self.config.quality_threshold

    def able(self) -> list[int]:
        return [i for i in self.everybody if self.margin(i) >= 0]

    def goal(self) -> Any:
        power = MP.mpf(self.config.exploration_exponent)
        goal = self.config.exploration_scale * (MP.mpf(self.step) / len(self.everybody)) ** power
        return MP.nint(goal) if abs(goal - MP.nint(goal)) < MP.mpf(10) ** -60 else goal

    def poor(self, able: list[int]) -> list[int]:
        goal = self.goal()
        return [i for i in able if self.count(i) < goal]

    def bid(self, i: int) -> float:
        return float(self.heard[i][-1][1])

    def width(self, i: int) -> Any:
        return (1 + MP.mpf(self.config.belief_slack)) * self.config.cost_bound * self.radius(i)

    def index(self, i: int) -> Any:
        return self.bid(i) - self.width(i) if self.heard[i] else -MP.inf

    def price(self, i: int, able: list[int]) -> Any:
        """min{P, c_max} of a provider that serves."""
        return min([self.config.cost_bound, *(self.width(i) + self.index(j) for j in able if j != i)])


def prescribed(
    config: Any,
    step: int,
    heard: Sequence[Sequence[tuple[float, float]]],
    served: Collection[int] = (),
    *,
    screens: bool = True,
    explores: bool = True,
) -> Step:
    """Return what is permitted where these scores and bids have been heard of each provider, and these have served."""
    known = Known(config, heard, step)
    everybody, capped = set(known.everybody), [config.cost_bound] * config.n_providers
    if step <= config.n_providers:
        return Step("initialization", known.everybody, everybody - set(served), capped)
    able = known.able() if screens else known.everybody
    near = screens and any(abs(known.margin(i)) < HAIR for i in everybody)
    if not able:
        return Step("empty", able, everybody, capped, near)
    if explores and (poor := known.poor(able)):
        return Step("exploration", able, set(poor), capped, near)
    index = {i: known.index(i) for i in able}
    least = min(index.values())
    near |= any(least < each < least + HAIR for each in index.values())
    payments = [known.price(i, able) if known.count(i) else config.cost_bound for i in known.everybody]
    return Step("auction", able, {i for i in able if index[i] == least}, payments, near)


def refused(config: Any, trace: Any, **options: bool) -> Iterator[int]:
    """Yield the steps of a log that the pseudo-code does not permit, or permits only at another payment."""
    rows = list(zip(*(getattr(trace, each).tolist() for each in ("provider", "payment", "score", "bid")), strict=True))
    settled = range(1, len(rows) + 1) if trace.settled is None else trace.settled.tolist()
    heard: list[list[tuple[float, float]]] = [[] for _ in range(config.n_providers)]
    waiting: list[tuple[int, int]] = []
    for step, (provider, payment, _, _) in enumerate(rows, 1):
        waiting.sort()
        while waiting and waiting[0][0] < step:
            arrived, _, score, bid = rows[waiting.pop(0)[1]]
            heard[arrived].append((score, bid))
        found = prescribed(config, step, heard, [row[0] for row in rows[: step - 1]], **options)
        dear = abs(payment - found.payments[provider]) > 1e-9 * config.cost_bound
        if not found.near and (provider not in found.candidates or dear):
            yield step
        waiting.append((settled[step - 1], step - 1))
