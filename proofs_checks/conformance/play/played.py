"""A run of a mechanism on a market, with what the theory says of each of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bounds.documents import to_data
from bounds.setting.model import Setting
from mechanism.platform import Mechanism
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.scenario import Providers, Scenario
from proofs_checks.conformance.play.subject import Factory, Subject, name_of
from proofs_checks.oracle.step_audit import StepAudit, Violation


@dataclass(frozen=True, eq=False)
class Played:
    """A setting and a whole trace of it.

    Parameters
    ----------
    setting : Setting
        Its belief slack, underbid and overbid are those that the bids of the trace need.
    trace : Trace
        With costs; `provider`, `payment`, `score`, `bid` and `cost` by step.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> played = Played(setting, simulate(setting, horizon=100, seed=0))
    >>> played.replay.final_counts.sum(), played.replay.eligible.shape, bool(played.good_event.all())
    (np.int64(100), (100, 4), True)
    """

    setting: Setting
    trace: Trace

    def __repr__(self) -> str:
        platform = ", ".join(f"{name}={value!r}" for name, value in to_data(self.setting.platform).items())
        providers = "; ".join(f"{p.name}: {p.quality!r}, {p.mean_cost!r}" for p in self.setting.providers)
        return f"Played with {platform}\nquality and mean cost: {providers}\n{self.trace.sheet().csv()}"

    @cached_property
    def case(self) -> Case:
        """The same for claims: ``costproof.claim("lem:payment-range").check(played.case)``."""
        return Case(self.setting, self.trace)

    @property
    def replay(self) -> Replay:
        """What the rules see before every step.

        By step, shape (T,): `initialization`, `exploration`, `auction`, `empty`, `targets` (ceil(g(t))). By step and
        provider, shape (T, N): `counts` (m_{i,t}), `quality_estimates`, `cost_estimates`, `radii`, `cost_radii`,
        `eligible`, `under_sampled`, `standing_bids`, `adjusted_bids`, `critical_payments`. `of_served` picks those of
        who serves; `final_counts`, `final_quality_estimates` are after the last step, shape (N,).
        """
        return self.case.replay

    @property
    def horizon(self) -> int:
        """T, the number of steps."""
        return len(self.trace)

    @cached_property
    def good_event(self) -> NDArray[np.bool_]:
        """Whether every running mean has lain in its confidence band up to before each step, and after T, (T + 1,)."""
        left = self.case.band_exit
        return np.arange(self.horizon + 1) < (np.inf if left is None else left.step)


def played_by(mechanism: Mechanism, scenario: Scenario) -> Played:
    """Return what a mechanism makes of a scenario whose bids do not follow the rules."""
    providers, rows = Providers(scenario), []
    for _ in range(scenario.horizon):
        provider, payment = mechanism.assign()
        score, cost, bid = providers.serve(provider, None)
        mechanism.settle(score, bid)
        rows.append((provider, payment, score, bid, cost))
    return _played(scenario, rows)


def play(factory: Factory, scenario: Scenario) -> Played:
    """Return what a mechanism of anybody's makes of a history or scenario.

    Parameters
    ----------
    factory : callable
        From (configuration, numpy.random.Generator) to an object with `assign` and `settle`.
    scenario : Scenario
        Drawn by `costproof.strategies.histories` or `costproof.strategies.scenarios`.

    Raises
    ------
    MechanismError
        A call of the mechanism failed or did not answer; the message names the call and the step.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> from proofs_checks.conformance.play.scenario import Query, usual_config
    >>> queries = (Query(score=1.0, cost=0.25),), (Query(score=1.0, cost=0.5),)
    >>> play(reference_mechanism, Scenario(usual_config(n_providers=2), 0, queries, horizon=3)).trace.payment.tolist()
    [1.0, 1.0, 0.5]
    """
    return _played(scenario, play_scenario(Subject(factory, name_of(factory)), scenario).events)


def _played(scenario: Scenario, rows: Sequence[tuple[int, float, float, float, float]]) -> Played:
    return Played(scenario.setting, Trace(*map(np.array, zip(*rows, strict=True))))


def broken_rules(played: Played) -> list[Violation]:
    """Return the rules of Algorithm 1 (alg:platform) that a run breaks: step, rule, what it expects, what was found.

    A comparison that rounding could turn is read in favour of the run.

    Examples
    --------
    >>> from proofs_checks.conformance.mutants.pricing import FirstPrice
    >>> from proofs_checks.conformance.play.scenario import Query, usual_config
    >>> queries = (Query(score=1.0, cost=0.25),), (Query(score=1.0, cost=0.5),)
    >>> played = play(FirstPrice, Scenario(usual_config(n_providers=2), 0, queries, horizon=3))
    >>> broken_rules(played)
    [Violation(step=3, rule='critical-payment', expected=0.5, found=0.25)]
    """
    return list(StepAudit(played.setting, played.replay).violations())
