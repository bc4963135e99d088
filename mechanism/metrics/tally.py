"""Totals of a run at chosen steps: all that the paper's metrics need, without a row per step.

The compiled episode adds them up on its way; `tally_of` recomputes them from a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.policies import POLICIES, Policy
from mechanism.replay import Flags, Floats, Replay
from mechanism.tables import BAND_TOLERANCE
from mechanism.trace import Trace


class ProviderField(IntEnum):
    """What a tally holds for every provider.

    Selections and their kinds (ORDINARY: after initialization, not exploration), sums of scores, costs and payments,
    payments of ordinary steps, and the step of the last selection.
    """

    SELECTIONS = 0
    EXPLORATIONS = 1
    ORDINARY = 2
    SCORE = 3
    COST = 4
    PAYMENT = 5
    ORDINARY_PAYMENT = 6
    LAST_SELECTION = 7


class RunField(IntEnum):
    """What a tally holds for the run.

    Costs of exploration steps; excess payments over the second-lowest cost by kind of step; winning standing bids of
    ordinary steps; eligible providers before the step; estimates that left their confidence band (the good event held
    if none did); auctions whose payment left the bounds of Appendix D.
    """

    EXPLORATION_COST = 0
    INITIALIZATION_EXCESS = 1
    EXPLORATION_EXCESS = 2
    ORDINARY_EXCESS = 3
    WINNING_BIDS = 4
    ELIGIBLE = 5
    BAND_VIOLATIONS = 6
    PAYMENT_VIOLATIONS = 7


#: What is counted about the paper's radius alone: NaN where a setting has another.
OF_PAPERS_RADIUS = (RunField.BAND_VIOLATIONS, RunField.PAYMENT_VIOLATIONS)


@dataclass(frozen=True, eq=False)
class Tally:
    """Totals after each of some checkpoints: of one run, or of R runs, with an axis of runs before the others.

    Parameters
    ----------
    steps : tuple of int, length C
        The checkpoints, increasing; the last is the horizon.
    by_provider : array of float, shape (C, len(ProviderField), N) or (R, C, len(ProviderField), N)
    overall : array of float, shape (C, len(RunField)) or (R, C, len(RunField))

    Examples
    --------
    >>> tally = Tally((2,), np.ones((1, len(ProviderField), 2)), np.zeros((1, len(RunField))))
    >>> tally.provider(ProviderField.SELECTIONS).tolist(), float(tally.run(RunField.ELIGIBLE))
    ([1.0, 1.0], 0.0)
    >>> Tally.of_runs([tally] * 3).provider(ProviderField.SELECTIONS).shape
    (3, 2)
    """

    steps: tuple[int, ...]
    by_provider: NDArray[np.float64]
    overall: NDArray[np.float64]

    @classmethod
    def of_runs(cls, tallies: Sequence[Tally]) -> Tally:
        """Return the tallies of single runs, with the same checkpoints, together.

        Raises
        ------
        InputError
            There are none.
        """
        if not tallies:
            raise InputError("tallies", [], "must be one at least", "play a run")
        if len(tallies) == 1:  # as views: copies would take longer than what is asked of one run
            (one,) = tallies
            return cls(one.steps, one.by_provider[None], one.overall[None])
        by_provider, overall = (
            np.stack(totals) for totals in zip(*((one.by_provider, one.overall) for one in tallies), strict=True)
        )
        return cls(tallies[0].steps, by_provider, overall)

    def each(self) -> list[Tally]:
        """Return the tally of every run."""
        return [Tally(self.steps, *totals) for totals in zip(self.by_provider, self.overall, strict=True)]

    def provider(self, field: ProviderField, step: int | None = None) -> NDArray[np.float64]:
        """Return totals by provider after a step (default the last), shape (N,) or (R, N)."""
        return np.asarray(self.by_provider[..., row_of(self.steps, step), field, :])

    def run(self, field: RunField, step: int | None = None) -> Any:
        """Return a total of the run after a step (default the last): a float, or an array of shape (R,)."""
        return self.overall[..., row_of(self.steps, step), field][()]

    def at(self, steps: Sequence[int]) -> Tally:
        """Return the totals after some of the checkpoints only."""
        rows = [row_of(self.steps, step) for step in steps]
        return Tally(tuple(steps), self.by_provider[..., rows, :, :], self.overall[..., rows, :])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.steps == other.steps
            and np.array_equal(self.by_provider, other.by_provider)
            and np.array_equal(self.overall, other.overall)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tally({self.by_provider.shape[-1]} providers, after steps {', '.join(map(str, self.steps))})"

    def to_bytes(self) -> bytes:
        """Return the totals of one run as little-endian floats; `from_bytes` needs the checkpoints and N again."""
        return np.concatenate([self.by_provider.ravel(), self.overall.ravel()]).astype("<f8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, steps: Sequence[int], n_providers: int) -> Tally:
        """Return the tally that `to_bytes` wrote.

        Raises
        ------
        InputError
            The data have another length than such a tally.
        """
        checkpoints, width = len(steps), len(ProviderField) * n_providers
        if len(data) != 8 * checkpoints * (width + len(RunField)):
            rule = f"bytes do not fit {checkpoints} checkpoints of {n_providers} providers"
            raise InputError("data", len(data), rule, "give the checkpoints and providers that it was written with")
        values = np.frombuffer(data, dtype="<f8").astype(np.float64)
        split = checkpoints * width
        by_provider = values[:split].reshape(checkpoints, len(ProviderField), n_providers)
        return cls(tuple(steps), by_provider, values[split:].reshape(checkpoints, len(RunField)))


def row_of(steps: tuple[int, ...], step: int | None) -> int:
    """Return where a step is among the checkpoints, the last for None.

    Raises
    ------
    InputError
        It is none of them.

    Examples
    --------
    >>> row_of((10, 50), 50)
    1
    """
    if step is None:
        return -1
    if step not in steps:
        raise InputError("step", step, f"is none of the checkpoints {steps}", "ask for it when simulating")
    return steps.index(step)


def checkpoint_steps(checkpoints: Iterable[int], horizon: int) -> tuple[int, ...]:
    """Return the steps after which totals are taken, increasing; the last is the horizon.

    Raises
    ------
    InputError
        A checkpoint lies outside 1..T.

    Examples
    --------
    >>> checkpoint_steps([50, 10, 50], 100)
    (10, 50, 100)
    """
    steps = tuple(sorted({*(int(step) for step in checkpoints), horizon}))
    if steps[0] < 1 or steps[-1] > horizon:
        raise InputError("checkpoints", steps, f"must lie in 1..{horizon}", "totals are taken after a step of the run")
    return steps


def tally_of(
    setting: Setting, trace: Trace, checkpoints: Sequence[int] = (), policy: Policy = POLICIES["platform"]
) -> Tally:
    """Return the totals of a trace.

    Parameters
    ----------
    setting : Setting
    trace : Trace
        With costs.
    checkpoints : sequence of int, optional
        Steps in 1..T after which totals are taken, besides T.
    policy : Policy, optional
        Says whether there were exploration steps, auctions and a quality filter.

    Raises
    ------
    InputError
        The trace has no costs, or a checkpoint lies outside it.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> tally = tally_of(setting, simulate(setting, horizon=100, seed=0), checkpoints=[50])
    >>> tally.provider(ProviderField.SELECTIONS, step=50).sum()
    np.float64(50.0)
    """
    if trace.cost is None:
        raise InputError("cost", None, "is missing from the trace", "generation costs need the cost column")
    steps = checkpoint_steps(checkpoints, len(trace))
    replay = Replay(MechanismConfig.of(setting), trace)
    explored = replay.exploration if policy.explores else np.zeros(len(trace), dtype=bool)
    ordinary = ~explored & ~replay.initialization
    by_provider = _by_provider(replay, trace.cost, explored, ordinary)
    # With queries in flight somebody may serve again before a bid of its own has arrived.
    standing = ordinary & ~(replay.of_served(replay.counts) == 0) if replay.delayed else ordinary
    second = setting.second_lowest_cost
    excess = np.zeros(len(trace)) if second is None else np.maximum(trace.payment - second, 0.0)
    columns = {
        RunField.EXPLORATION_COST: explored * trace.cost,
        RunField.INITIALIZATION_EXCESS: replay.initialization * excess,
        RunField.EXPLORATION_EXCESS: explored * excess,
        RunField.ORDINARY_EXCESS: ordinary * excess,
        RunField.WINNING_BIDS: np.where(standing, replay.of_served(replay.standing_bids), 0.0),
        RunField.BAND_VIOLATIONS: _outside(setting, replay),
        RunField.PAYMENT_VIOLATIONS: _unbounded(setting, replay, ordinary, policy),
        **({} if setting.platform.papers_radius else dict.fromkeys(OF_PAPERS_RADIUS, np.full(len(trace), np.nan))),
    }
    overall = np.empty((len(trace), len(RunField)))
    with np.errstate(over="ignore", invalid="ignore"):  # sums of logged amounts may be beyond all doubles
        for field, column in columns.items():
            overall[:, field] = np.cumsum(column)
    # During initialization nobody is screened.
    screening = ~replay.initialization & policy.screens
    overall[:, RunField.ELIGIBLE] = np.where(screening, replay.eligible.sum(axis=1), setting.n_providers)
    rows = np.array(steps) - 1
    return Tally(steps, by_provider[rows], overall[rows])


def _by_provider(replay: Replay, costs: Floats, explored: Flags, ordinary: Flags) -> Floats:
    trace, served = replay.trace, replay.served
    columns = {
        ProviderField.SELECTIONS: served,
        ProviderField.EXPLORATIONS: served & explored[:, None],
        ProviderField.ORDINARY: served & ordinary[:, None],
        ProviderField.SCORE: served * trace.score[:, None],
        ProviderField.COST: served * costs[:, None],
        ProviderField.PAYMENT: served * trace.payment[:, None],
        ProviderField.ORDINARY_PAYMENT: served * (ordinary * trace.payment)[:, None],
    }
    totals = np.empty((len(trace), len(ProviderField), served.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for field, column in columns.items():
            totals[:, field] = np.cumsum(column, axis=0)
    totals[:, ProviderField.LAST_SELECTION] = np.maximum.accumulate(served * replay.steps[:, None], axis=0)
    return totals


def _outside(setting: Setting, replay: Replay) -> NDArray[np.int64]:
    """Return how many estimates that a step settles lie outside their confidence bands."""
    band = replay.radii_after * BAND_TOLERANCE
    qualities, costs = np.array([(provider.quality, provider.mean_cost) for provider in setting.providers], float).T
    served = replay.settlements.rows.provider
    off_quality = np.abs(replay.quality_estimates_after - qualities[served]) > band
    off_cost = np.abs(replay.cost_estimates_after - costs[served]) > replay.config.cost_bound * band
    outside = replay.settled_rows[off_quality | off_cost]
    return np.bincount(outside, minlength=len(replay.trace))


def _unbounded(setting: Setting, replay: Replay, ordinary: Flags, policy: Policy) -> Flags:
    """Return whether an auction's payment leaves c_i - c_max beta(m) below or c_(2) + c_max beta(m) above."""
    auctions = ordinary & ~(replay.empty & policy.screens) & policy.auctions
    width = replay.config.cost_bound * replay.of_served(replay.radii) * BAND_TOLERANCE
    second = np.inf if setting.second_lowest_cost is None else setting.second_lowest_cost
    cost = np.array([provider.mean_cost for provider in setting.providers])[replay.trace.provider]
    with np.errstate(invalid="ignore"):
        wrong = (replay.trace.payment > second + width) | (replay.trace.payment < cost - width)
    return np.asarray(auctions & wrong)
