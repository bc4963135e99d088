"""claim:own-unwidened-wins-stop: without widening too, competitors stop winning auctions at a time that is free of T.

The estimates of Bayesian bidders lie within (1 + gamma) c_max beta(m) of the mean costs; the platform keeps the radius
c_max beta(m). If competitor i wins an auction, its adjusted bid is at most that of i*:

    cbar_i - (2 + gamma) c_max beta(m_i) <= cbar_i* + gamma c_max beta(m_i*).

Both counts are at least g(t), or one of the two would be explored. So Delta_i <= 2 (1 + gamma) c_max beta(m) for the
smaller count m, hence g(t) <= m <= m*(Delta_i/((1 + gamma) c_max)). Since g grows, these auctions stop at a time that
does not depend on T, and fewer than that many of them are won. Only the count L_i needs the widened radius: without it
a competitor may win more than L_i auctions, while i* is explored so slowly that its radius stays large.
"""

from __future__ import annotations

import functools

import numpy as np

from bounds.formulas.belief import LAST_UNWIDENED_WIN, UNWIDENED_TARGET_AT_WIN
from bounds.formulas.selection import ORDINARY_BOUND
from bounds.language.quantities import STEP
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters
from mechanism.tables import radius_table
from proofs_checks.claims.cases.constructed import EdgeBidder, SmallMarket, WalkedMarket, trace_on
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import auctions, served_at
from proofs_checks.claims.model.evidence import Evidence, evidence_of
from proofs_checks.claims.model.precondition import GOOD_EVENT, MARKET, PLAIN_MECHANISM, Precondition, bids_within
from proofs_checks.claims.model.regime import Regime
from proofs_checks.claims.model.relation import RELATIVE_TOLERANCE, Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import TARGET
from proofs_checks.claims.statements.findings import shown_by

#: The gamma of the bidders on an unwidened platform: the setting itself carries no slack.
SLACK = 0.5
_NEAR = Precondition(
    "bids within 0.5 radii of the running mean of the costs",
    lambda case: bids_within(case, SLACK, 0.0, 0.0),
    needs_costs=True,
)
_UNWIDENED = Regime(
    "estimates within 0.5 radii, mechanism not widened",
    (MARKET, PLAIN_MECHANISM, _NEAR, GOOD_EVENT),
    {"belief_slack": SLACK, "underbid": 0.0, "overbid": 0.0},
)


@trace_check()
def gaps_of_winners(case: Case) -> Tightness:
    """Compare Delta_i with (2 + gamma) c_max beta(m_i) + gamma c_max beta(m_i*) where a competitor wins an auction."""
    setting, replay = case.setting, case.replay
    won = replay.auction & np.isin(case.trace.provider, setting.competitors)
    # A log may break the initialization: a provider that has not served has no radius.
    rows = np.flatnonzero(won & (replay.counts[:, setting.optimal] > 0) & (replay.of_served(replay.counts) > 0))
    if not rows.size:
        return NOTHING_COMPARED
    platform, winners = setting.platform, case.trace.provider[rows]
    radii = radius_table(setting.n_providers, platform.confidence).upto(int(replay.counts[rows].max()))
    of_winner, of_optimal = radii[replay.counts[rows, winners]], radii[replay.counts[rows, setting.optimal]]
    allowed = platform.cost_bound * ((2 + SLACK) * of_winner + SLACK * of_optimal)
    costs = np.array([provider.mean_cost for provider in setting.providers])
    gaps = costs[winners] - costs[setting.optimal]
    worst = int((allowed - gaps).argmin())
    where = {
        "relation": "unwidened, the cost gap of a competitor that wins",
        "step": case.first_step + int(rows[worst]),
    }
    violations = int((gaps > allowed * (1 + RELATIVE_TOLERANCE)).sum())
    return Tightness(len(rows), violations, float((allowed - gaps)[worst]), float((gaps / allowed).max()), where)


_WON_BY_COMPETITORS = functools.partial(Relation, on=served_at(auctions, "competitors"), among="competitors")
TARGETS_AT_WINS = _WON_BY_COMPETITORS(
    TARGET, UNWIDENED_TARGET_AT_WIN, name="unwidened, g(t) is small where a competitor wins an auction", exact=True
)
TIMES_OF_WINS = _WON_BY_COMPETITORS(
    STEP, LAST_UNWIDENED_WIN, name="unwidened, a competitor wins auctions up to a time that is free of T"
)


@functools.cache
def market_of_edges(costs: tuple[float, float], scale: float, exponent: float, horizon: int) -> Case:
    """Return a run of an unwidened platform on which i* and its competitor do all they can for the competitor.

    Costs keep to the edges of their bands, high for i* (provider 0) and low for its competitor, and each bids 0.5 radii
    beyond its mean cost so far.
    """
    setting = SmallMarket(costs, (1.0, 1.0), horizon, PlatformParameters(0.5, 0.05, 1.0, scale, exponent)).setting
    rng = np.random.default_rng(0)  # it draws nothing here: edges are fixed and ties go to the first
    market = WalkedMarket.constructed(setting, [("up", "up"), ("up", "down")], horizon, rng)
    bidders = [EdgeBidder(setting, SLACK, sign) for sign in (1.0, -1.0)]
    trace = trace_on(market, setting, bidders, horizon, rng)
    return Case(setting, trace, {"built": "competitor at the lower edges, i* at the upper ones, not widened"})


#: Exploration lets both counts grow side by side until g(t) is just what a win still allows.
def tight_case() -> Case:
    """Return a run in which the competitor's last win comes when g(t) is at its bound, 104."""
    return market_of_edges((0.1, 0.9), 10.1, 0.5, 300)


def long_case(horizon: int = 5_000) -> Case:
    """Return a run in which i* is explored slowly, and the competitor wins more auctions than L_i."""
    return market_of_edges((0.2, 0.5), 0.5, 0.6, horizon)


def wins_of_competitor(horizon: int) -> dict[str, int]:
    """Return how many auctions the competitor wins in `long_case`, when last, and the bounds L_i and on the time.

    Examples
    --------
    >>> wins_of_competitor(5_000)
    {'wins': 4694, 'last_win': 4748, 'ordinary_bound': 1417, 'last_win_at_most': 598354}
    """
    case = long_case(horizon)
    won = np.flatnonzero(case.replay.auction & (case.trace.provider == 1))
    values = {**formula_inputs(case.setting), "belief_slack": SLACK}
    return {
        "wins": len(won),
        "last_win": int(won[-1]) + 1 if won.size else 0,
        "ordinary_bound": int(ORDINARY_BOUND(values)[0]),
        "last_win_at_most": int(LAST_UNWIDENED_WIN(values)[0]),
    }


def more_wins_than_the_widened_bound() -> Evidence:
    """Count the auctions that a competitor wins on an unwidened platform, against L_i."""
    horizon = 5_000
    found = wins_of_competitor(horizon)
    wins, bound = found["wins"], found["ordinary_bound"]
    return evidence_of(
        f"auctions won by a competitor on an unwidened platform, gamma = 0.5, T = {horizon:,}",
        Tightness(1, int(wins > bound), float(bound - wins), wins / bound),
        witness={"kind": "unwidened", "horizon": horizon, **found},
        parameters=found,
    )


WINS_STOP: Claim = Claim(
    label="claim:own-unwidened-wins-stop",
    name="Competitors stop winning without widening",
    statement="without widening, competitor i wins auctions only while g(t) <= m*(Delta_i/((1 + gamma) c_max)), that "
    "is up to t = N (m*(Delta_i/((1 + gamma) c_max))/k)^(1/alpha): their number is bounded free of T",
    checks=(gaps_of_winners, TARGETS_AT_WINS, TIMES_OF_WINS),
    regime=_UNWIDENED,
    everywhere=shown_by(
        lambda: WINS_STOP,
        "two unwidened platforms, gamma = 0.5, bidders and costs at the edges of their bands",
        tight_case,
        long_case,
    ),
    note="The gap of a winner is at most (2 + gamma) c_max beta(m_i) + gamma c_max beta(m_i*); exploration keeps both "
    "counts at g(t) or above.",
)
COUNT_NEEDS_WIDENING = Claim(
    label="claim:widening-necessary:count",
    name="L_i without widening",
    statement="without widening, a competitor still wins at most L_i auctions",
    everywhere=more_wins_than_the_widened_bound,
    stronger_reading=True,
    finding="A competitor can win more than L_i auctions. Without widening i* may keep a large radius meanwhile. "
    "The number of these auctions is bounded free of T all the same.",
    repaired_by="claim:own-unwidened-wins-stop",
)
