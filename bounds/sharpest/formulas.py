"""The sharpest bounds of the same mechanism, for any scores in [0, 1].

All hold together with probability 1 - delta. `bounds.sharpest.probability` says how delta is spent; the page
sharper-bounds has the derivations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bounds.formulas import payment, regret, selection
from bounds.formulas.radius import EXACT_SELECTION_BOUND
from bounds.formulas.selection import COST_GAP, EXPLORATION_CAP, QUALITY_GAP
from bounds.formulas.sharp import DEAR_GAP, N_QUALIFIED, SHARP_COMPETITOR_CAP
from bounds.language.arithmetic import Array
from bounds.language.computed import Computed, Stated
from bounds.language.formula import Formula
from bounds.language.quantities import (
    ALPHA,
    C_2,
    C_MAX,
    C_STAR,
    C_UNQUALIFIED,
    D_MINUS,
    D_PLUS,
    DELTA,
    GAMMA,
    HORIZON,
    Q_MIN,
    Q_UNQUALIFIED,
    QUANTITIES,
    K,
    N,
    Quantity,
    money,
    pure,
    queries,
)
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    Max,
    Min,
    OverCompetitors,
    OverUnqualified,
)
from bounds.sharpest import elimination, exploration, payments, radii
from bounds.sharpest.market import MARKET_INPUTS, MarketInstance, for_each_market

_OF_MARKET = tuple(QUANTITIES[name] for name in MARKET_INPUTS)
_EVENT = "with probability 1 - delta, all together"


#: A bound on the selections of an unqualified provider that pays for its exclusion at one count.
CHERNOFF_BOUND = Computed(
    queries(
        "chernoff_bound",
        r"M^{\mathrm{kl}}_i",
        "most post-initialization selections of an unqualified provider, by one count (Chernoff)",
        per_provider=True,
    ),
    elimination.chernoff_counts,
    (N, N_QUALIFIED, DELTA, Q_MIN, Q_UNQUALIFIED),
    r"\min\left\{m : (m+1)\,\mathrm{kl}(q_{\min} - \beta(m+1), q_i) \geq "
    r"\ln\frac{\pi^2 |\mathcal{Q}^c|}{6\delta}\right\}",
    "lem:unqualified-elimination, improved",
    valid="with probability 1 - delta; any bids",
    home=__name__,
)


def _balanced(name: str, latex: str, n_shares: str, shares: Callable[[float, float], float]) -> Computed:
    """Return the largest sum of radii of T - N selections among so many providers, in terms of N and |Q|."""

    summed = rf"\sum_{{i=1}}^{{{n_shares}}} \sum_{{m \leq D_i}} \beta(m)".replace("Q", r"\mathcal{Q}")

    def one(n: float, qualified: float, delta: float, horizon: Any) -> Array:
        return radii.balanced_radius_sums(shares(n, qualified), horizon - n, n, delta)

    def largest(values: Mapping[str, Any]) -> Array:
        platform = [values[name] for name in ("n_providers", "n_qualified", "confidence")]
        if not any(map(np.ndim, platform)):
            n, qualified, delta = map(float, platform)
            return one(n, qualified, delta, np.asarray(values["horizon"], dtype=float))
        return np.asarray(np.vectorize(one, otypes=[float])(*platform, values["horizon"]))

    return Computed(
        pure(name, latex, f"largest sum of the radii of T - N selections among {n_shares} providers"),
        largest,
        (N, N_QUALIFIED, HORIZON, DELTA),
        rf"\max\left\{{{summed} : \sum_i D_i = T - N\right\}}",
        "lem:radius-sum, improved",
        valid="always: equal shares are the worst case, for beta decreases",
    )


RADIUS_SUM = _balanced("exact_radius_sum", r"S^{\mathrm{ex}}_T", "N", lambda n, _: n)
UNQUALIFIED_RADIUS_SUM = _balanced(
    "unqualified_radius_sum", r"S^{\mathcal{Q}^c}_T", "N - |Q|", lambda n, qualified: n - qualified
)
OTHERS_RADIUS_SUM = _balanced("others_radius_sum", r"S^{\ne i^*}_T", "N - 1", lambda n, _: n - 1)


def _formulas() -> dict[str, Stated]:
    """Return the bounds by the role that they play in a report (`bounds.methods.FormulaSet`)."""
    cap = _formula(
        selection.ELIMINATION_BOUND.quantity,
        Min(CHERNOFF_BOUND, Max(EXACT_SELECTION_BOUND.at(gap=DEAR_GAP), EXPLORATION_CAP)),
        "unqualified_cap",
        "most post-initialization selections of an unqualified provider, by quality or by cost",
        source="lem:unqualified-elimination and lem:ordinary-selection-gap, improved",
    )
    identification = _formula(
        selection.IDENTIFICATION_BOUND.quantity,
        OverUnqualified(cap) + OverCompetitors(SHARP_COMPETITOR_CAP),
        source="thm:sample-complexity, improved",
    )
    lead = _formula(
        queries("lead_bound", r"B(T) + \max_i \mathrm{cap}_i(T)", "what T - N must exceed for i* to lead"),
        identification + Max(LargestOverUnqualified(cap), LargestOverCompetitors(SHARP_COMPETITOR_CAP)),
        source="claim:T_id, improved",
    )
    largest = _formula(
        selection.LARGEST_ELIMINATION_BOUND.quantity,
        Max(1, LargestOverUnqualified(CHERNOFF_BOUND)),
        source="thm:regret, improved",
    )
    burn_in = _formula(
        selection.BURN_IN.quantity, N * Max(1, (largest / K) ** (1 / ALPHA)), source="thm:regret, improved"
    )
    return {
        "unqualified_cap": cap,
        "identification": identification,
        "lead": lead,
        "burn_in": burn_in,
        **_regrets(cap),
        **_payments(),
    }


def _regrets(cap: Formula) -> dict[str, Stated]:
    spread = (D_MINUS + D_PLUS) * (HORIZON - N)
    quality = _formula(
        regret.QUALITY_REGRET_ANYTIME.quantity,
        OverUnqualified(QUALITY_GAP) + 2 * UNQUALIFIED_RADIUS_SUM,
        source="thm:quality-guarantee, improved",
    )
    by_quality = _formula(
        regret.QUALITY_REGRET_GAP_DEPENDENT.quantity,
        OverUnqualified((CHERNOFF_BOUND + 1) * QUALITY_GAP),
        "quality_regret_by_quality",
        source="thm:quality-guarantee, improved",
    )
    by_gap = _formula(
        regret.QUALITY_REGRET_GAP_DEPENDENT.quantity,
        OverUnqualified((cap + 1) * QUALITY_GAP),
        source="thm:quality-guarantee, improved",
    )
    generation = _formula(
        regret.GENERATION_REGRET_ANYTIME.quantity,
        (N - 1) * (EXPLORATION_CAP + 1) * C_MAX + 2 * (1 + GAMMA) * C_MAX * OTHERS_RADIUS_SUM + spread,
        source="thm:generation-regret, improved",
    )
    generation_by_gap = _formula(
        regret.GENERATION_REGRET_GAP_DEPENDENT.quantity,
        OverUnqualified((cap + 1) * Max(C_UNQUALIFIED - C_STAR, 0))
        + OverCompetitors((SHARP_COMPETITOR_CAP + 1) * COST_GAP),
        source="thm:generation-regret, improved",
    )
    return {
        "quality_anytime": quality,
        "quality_by_quality": by_quality,
        "quality_by_gap": by_gap,
        "generation_anytime": generation,
        "generation_by_gap": generation_by_gap,
    }


def _payments() -> dict[str, Stated]:
    first = N * (C_MAX - C_2)
    steps = _computed(
        selection.EXPLORATION_STEPS_BOUND.quantity,
        exploration.exploration_steps,
        r"\sum_j \min\{\lceil g(\min\{T, t_j\}) \rceil - 1, M_j\}",
        "lem:forced-exploration-bound, improved",
    )
    auctions = _computed(
        money(
            "auction_excess",
            r"A_T",
            "what auctions pay above the second-lowest cost, beyond explored counts; kappa scales cost radii",
        ),
        lambda market, horizon: payments.auction_excess(
            market, horizon, exploration.exploration_counts(market, horizon)
        ),
        _excess_of_auctions("X_i < m"),
        "thm:excess-payment-general, improved",
    )
    all_auctions = _computed(
        money("all_auction_excess", r"A^0_T", "what auctions pay above the second-lowest cost"),
        payments.auction_excess,
        _excess_of_auctions("m"),
        "thm:excess-payment-general, improved",
    )
    plain = _computed(
        money("plain_auction_excess", r"A^1_T", "the same, with the radii of rivals in full"),
        lambda market, horizon: payments.auction_excess(market, horizon, shortfall=False),
        _excess_of_auctions("m"),
        "thm:excess-payment-general, improved",
    )
    excess = _formula(
        payment.EXCESS_PAYMENT.quantity,
        first + steps * (C_MAX - C_2) + auctions,
        source="thm:excess-payment-general, improved",
    )
    settling = _formula(
        payment.EXCESS_PAYMENT.quantity,
        first + steps * (C_MAX - C_2) + plain,
        "settling_excess_payment",
        "cumulative payment above the second-lowest cost; over T it does not rise but for exploration caps",
        source="thm:excess-payment-general, improved",
    )
    without = _formula(
        payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION.quantity,
        first + all_auctions,
        source="thm:excess-payment-general, improved",
    )
    disturbance = _computed(
        money("disturbance", r"W \cdot (\bar c_{(2)} - \min_j \bar c_j)", "what cheap unqualified providers add"),
        payments.disturbance,
        r"\min\{W, T - N\} \min\{D, \bar c_{(2)} - \min_{j \notin \mathcal{Q}} \bar c_j\}",
        "thm:regret, improved",
    )
    at_target = _computed(
        money(
            "radii_at_target",
            r"\sum_t 2 c_{\max} \beta(g(t))",
            "two cost radii at the target and the largest deviation d of a bid, over all steps",
        ),
        payments.radii_at_target,
        r"\sum_{t=N+1}^{T} \min\{D, 2 \kappa \beta(\max\{1, g(t)\}) + d\}",
        "thm:regret, improved",
    )
    # Counted so, T times the bound is a sum of terms that do not rise with t, and of exploration.
    initial = N * Max(C_2, C_MAX - C_2)
    deviation = _formula(
        payment.AVERAGE_PAYMENT_DEVIATION.quantity,
        initial / HORIZON + steps * (C_MAX - C_2) / HORIZON + at_target / HORIZON + disturbance / HORIZON,
        source="thm:regret, improved",
        valid=f"{_EVENT}; T >= N; bids in [0, c_max]",
    )
    return {
        "exploration_steps": steps,
        "excess": excess,
        "settling_excess": settling,
        "excess_without_exploration": without,
        "average_deviation": deviation,
    }


def _excess_of_auctions(counts: str) -> str:
    """Return the excess by provider, or that of the worst split of all auctions; d is the largest overbid."""
    by_provider, split = (
        rf"\sum_i \sum_{{{added} \leq {last}}} \min\{{c_{{\max}} - \bar c_{{(2)}}, (\kappa \beta(m) {more})^+\}}"
        for added, last, more in ((counts, "a_i", "- o_i"), ("m", "D_i", "+ d"))
    )
    return rf"\min\left\{{{by_provider}, \max_{{\sum_i D_i = T - N}} {split}\right\}}"


def _formula(
    printed: Quantity, right_side: Any, name: str = "", meaning: str = "", *, source: str, valid: str = _EVENT
) -> Formula:
    return Formula(_named(printed, name, meaning), right_side, source, valid=valid)


def _computed(
    printed: Quantity, function: Callable[[MarketInstance, Array], Array], defined_as: str, source: str
) -> Computed:
    def found(values: Mapping[str, Any]) -> Array:
        return for_each_market(values, function, exploration.find_explorations)

    quantity = _named(printed, "", "")
    return Computed(quantity, found, (*_OF_MARKET, HORIZON), defined_as, source, _EVENT)


def _named(printed: Quantity, name: str, meaning: str) -> Quantity:
    latex = rf"\left[{printed.latex}\right]^{{\star}}"
    unit, told = printed.unit, meaning or printed.meaning
    return Quantity(f"sharpest_{name or printed.name}", latex, told, unit)


#: The bounds by role.
SHARPEST: Mapping[str, Stated] = _formulas()
