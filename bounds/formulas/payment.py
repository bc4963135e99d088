"""Payments: bands for one auction, excess payment, and the average deviation from the second-lowest cost."""

from sympy import log, sqrt

from bounds.formulas.radius import LOG_CONSTANT, RADIUS
from bounds.formulas.regret import RADIUS_SUM_BOUND
from bounds.formulas.selection import BURN_IN, EXPLORATION_STEPS_BOUND, EXPLORATION_TARGET
from bounds.language.formula import Formula
from bounds.language.quantities import (
    ALPHA,
    C_2,
    C_MAX,
    D_MINUS,
    D_PLUS,
    GAMMA,
    HORIZON,
    MONEY,
    K,
    N,
    declare,
    money,
    pure,
)
from bounds.language.reductions import Max, Min

C_SERVED = declare("served_cost", r"\bar c_{I_t}", "mean cost of the provider that serves", MONEY, 0)

RADIUS_AT_TARGET = Formula(
    pure("radius_at_target", r"\beta(g(t))", "confidence radius at the target selection count"),
    RADIUS.at(count=EXPLORATION_TARGET.expression),
    "lem:radius-monotone",
    valid="g(t) >= 1",
)

#: (1 + gamma) c_max beta(m), the cost radius (c_max beta(m) without a prior).
COST_RADIUS = (1 + GAMMA) * C_MAX * RADIUS
#: The same at the target selection count g(t), which every eligible provider has reached at an auction.
COST_RADIUS_AT_TARGET = (1 + GAMMA) * C_MAX * RADIUS_AT_TARGET

AUCTION_PAYMENT_UPPER = Formula(
    money("auction_payment_upper", r"\overline{\pi}_t", "most an auction pays, by the winner's selection count"),
    Min(C_MAX, C_2 + COST_RADIUS + D_PLUS),
    "lem:ordinary-payment; prop:bayesian-substitution; lem:deviation-payment",
    valid="on the good event",
)

AUCTION_PAYMENT_LOWER_SERVED = Formula(
    money(
        "auction_payment_lower_served",
        r"\underline{\pi}^{I}_t",
        "least an auction pays, by the winner's mean cost and count",
    ),
    Max(0, C_SERVED - COST_RADIUS - D_MINUS),
    "appendix D (claim:payment-lower-appD)",
    valid="on the good event; bids in [0, c_max]",
)

LATE_PAYMENT_UPPER = Formula(
    money("late_payment_upper", r"\overline{\pi}^{g}_t", "most an auction pays after T_0"),
    C_2 + COST_RADIUS_AT_TARGET + D_PLUS,
    "lem:two-sided-payment; thm:payment-convergence; lem:deviation-payment",
    valid="on the good event; t > T_0",
)

LATE_PAYMENT_LOWER = Formula(
    money("late_payment_lower", r"\underline{\pi}^{g}_t", "least an auction pays after T_0"),
    C_2 - 3 * COST_RADIUS_AT_TARGET - D_MINUS,
    "lem:two-sided-payment; thm:payment-convergence; lem:deviation-payment",
    valid="on the good event; t > T_0",
)

EXCESS_PAYMENT_WITHOUT_EXPLORATION = Formula(
    money(
        "excess_payment_without_exploration",
        r"\overline{E}^{\mathrm{pay,0}}_T",
        "cumulative payment above the second-lowest cost, initialization and auctions only",
    ),
    N * (C_MAX - C_2) + (1 + GAMMA) * C_MAX * RADIUS_SUM_BOUND + D_PLUS * (HORIZON - N),
    "thm:excess-payment-general, without its exploration term",
    valid="on the good event",
)

EXCESS_PAYMENT = Formula(
    money("excess_payment", r"\overline{E}^{\mathrm{pay}}_T", "cumulative payment above the second-lowest cost"),
    EXPLORATION_STEPS_BOUND * (C_MAX - C_2) + EXCESS_PAYMENT_WITHOUT_EXPLORATION,
    "thm:excess-payment-general; thm:deviation-payment-convergence",
    valid="on the good event",
)

AVERAGE_EXCESS_PAYMENT = Formula(
    money("average_excess_payment", r"\overline{e}^{\mathrm{pay}}_T", "average payment above the second-lowest cost"),
    (N / HORIZON + K * (N / HORIZON) ** (1 - ALPHA)) * (C_MAX - C_2)
    + (1 + GAMMA) * C_MAX * sqrt(2 * N / HORIZON * log(LOG_CONSTANT * HORIZON**2))
    + D_PLUS,
    "cor:excess-payment-polynomial; thm:deviation-payment-convergence",
    valid="on the good event",
)

#: The three terms of eq:average-absolute-payment: start, exploration, radius.
DEVIATION_START = BURN_IN / HORIZON * C_MAX
DEVIATION_EXPLORATION = K * (N / HORIZON) ** (1 - ALPHA) * (C_MAX - C_2)
DEVIATION_RADIUS = (
    6
    * (1 + GAMMA)
    * C_MAX
    / (2 - ALPHA)
    * sqrt((N / HORIZON) ** ALPHA / (2 * K) * log(LOG_CONSTANT * K**2 * (HORIZON / N) ** (2 * ALPHA)))
)

AVERAGE_PAYMENT_DEVIATION = Formula(
    money(
        "average_payment_deviation", r"\overline{D}_T", "average distance of the payment from the second-lowest cost"
    ),
    DEVIATION_START + DEVIATION_EXPLORATION + DEVIATION_RADIUS + Max(D_MINUS, D_PLUS),
    "thm:regret; thm:payment-convergence; prop:bayesian-substitution; thm:deviation-payment-convergence",
    valid="on the good event; T >= T_0",
)

TRIVIAL_PAYMENT_DEVIATION = Formula(
    money("trivial_payment_deviation", r"\max\{\bar c_{(2)}, c_{\max} - \bar c_{(2)}\}", "largest possible deviation"),
    Max(C_2, C_MAX - C_2),
    "lem:payment-range",
)

TRIVIAL_EXCESS_PAYMENT = Formula(
    money("trivial_excess_payment", r"T (c_{\max} - \bar c_{(2)})", "largest possible excess payment"),
    HORIZON * (C_MAX - C_2),
    "lem:payment-range",
)
