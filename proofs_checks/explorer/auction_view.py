"""One step explained: who was eligible, what decided, what was paid, and what another bid would have changed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mechanism import rules
from mechanism.replay import Replay
from mechanism.rules import Kind
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.runs import replay_of_step, run_trace


@dataclass(frozen=True, kw_only=True)
class StandingRow:
    """What the platform knew of a provider before the step; None where it knew nothing yet.

    Money is per query. `critical` is P before the cap at c_max: infinite without a rival, None if not eligible.
    """

    name: str
    count: int
    quality_estimate: float | None
    radius: float | None
    eligible: bool
    under_sampled: bool
    bid: float | None
    cost_radius: float | None
    adjusted_bid: float | None
    critical: float | None
    served: bool


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """What another bid of one provider would have changed at the step, all else as it was.

    Parameters
    ----------
    provider : int
    name : str
    bid : float
        The bid tried, money per query.
    own : bool
        Whether that is its own standing bid, as none was chosen to be tried.
    critical : float
        P; infinite without a rival.
    wins : bool or None
        None for a tie, which the platform breaks at random.
    winners : tuple of str
        Who would have served.
    payment : float or None
        What would have been paid; None where several would tie with different payments.
    mean_cost : float
        Its true mean cost, which only it knows.
    cost_bound : float
        c_max.
    """

    provider: int
    name: str
    bid: float
    own: bool
    critical: float
    wins: bool | None
    winners: tuple[str, ...]
    payment: float | None
    mean_cost: float
    cost_bound: float

    @property
    def most_paid(self) -> float:
        """What it is paid if it serves."""
        return min(self.critical, self.cost_bound)


@dataclass(frozen=True, kw_only=True)
class StepView:
    """One step of a run under the platform.

    Parameters
    ----------
    step, run : int
    kind : {"initialization", "exploration", "auction", "empty"}
    served : str
    payment, score, cost : float
        What was paid and came of it; money per query.
    target : float
        ceil(g(t)): eligible providers with fewer selections are explored.
    threshold, cost_bound : float
    rows : tuple of StandingRow
    what_if : WhatIf or None
        None where bids decide nothing, or the provider is not eligible.
    """

    step: int
    run: int
    kind: Kind
    served: str
    payment: float
    score: float
    cost: float
    target: float
    threshold: float
    cost_bound: float
    rows: tuple[StandingRow, ...]
    what_if: WhatIf | None


def step_view(state: PageState) -> StepView:
    """Return the step that a state looks at.

    Examples
    --------
    >>> from bounds.published import published
    >>> view = step_view(PageState.of(published("gpqa-strong").setting))
    >>> view.kind, view.step
    ('auction', 70000)
    """
    market, focus = state.market, state.focus
    trace = run_trace(market, focus.run)
    replay = replay_of_step(market, trace, focus.step)
    row, setting = focus.step - 1, market.prepared
    served = int(trace.provider[row])
    kind = _kind(replay)
    return StepView(
        step=focus.step,
        run=focus.run,
        kind=kind,
        served=setting.providers[served].name,
        payment=float(trace.payment[row]),
        score=float(trace.score[row]),
        cost=math.nan if trace.cost is None else float(trace.cost[row]),
        target=float(replay.targets[0]),
        threshold=setting.platform.quality_threshold,
        cost_bound=setting.platform.cost_bound,
        rows=tuple(_row(state, replay, i, served) for i in range(setting.n_providers)),
        what_if=_what_if(state, replay) if kind == "auction" else None,
    )


def _kind(replay: Replay) -> Kind:
    if replay.initialization[0]:
        return "initialization"
    if replay.exploration[0]:
        return "exploration"
    return "empty" if replay.empty[0] else "auction"


def _row(state: PageState, replay: Replay, i: int, served: int) -> StandingRow:
    count, eligible = int(replay.counts[0, i]), bool(replay.eligible[0, i])
    columns = {
        "quality_estimate": replay.quality_estimates,
        "radius": replay.radii,
        "bid": replay.standing_bids,
        "cost_radius": replay.cost_radii,
        "adjusted_bid": replay.adjusted_bids,
    }
    # During initialization nobody has been screened yet, and no auction can be won.
    screened = eligible and not replay.initialization[0]
    return StandingRow(
        name=state.market.setting.providers[i].name,
        count=count,
        eligible=eligible,
        under_sampled=bool(replay.under_sampled[0, i]),
        critical=float(replay.critical_payments[0, i]) if screened else None,
        served=i == served,
        **{name: float(values[0, i]) if count else None for name, values in columns.items()},
    )


def _what_if(state: PageState, replay: Replay) -> WhatIf | None:
    provider, setting = state.focus.provider, state.market.prepared
    eligible = tuple(int(i) for i in replay.eligible[0].nonzero()[0])
    if provider not in eligible:
        return None
    bound = setting.platform.cost_bound
    adjusted, radii = replay.adjusted_bids[0].tolist(), replay.cost_radii[0].tolist()
    critical = rules.critical_payment(provider, eligible, adjusted, radii[provider])
    given = state.focus.bid
    bid = float(replay.standing_bids[0, provider]) if given is None else given
    adjusted[provider] = bid - radii[provider]
    winners = rules.lowest(eligible, adjusted)
    payments = {rules.auction_payment(rules.critical_payment(i, eligible, adjusted, radii[i]), bound) for i in winners}
    return WhatIf(
        provider=provider,
        name=setting.providers[provider].name,
        bid=bid,
        own=given is None,
        critical=math.inf if critical is None else float(critical),
        wins=None if len(winners) > 1 and provider in winners else provider in winners,
        winners=tuple(setting.providers[i].name for i in winners),
        payment=payments.pop() if len(payments) == 1 else None,
        mean_cost=setting.providers[provider].mean_cost,
        cost_bound=bound,
    )
