"""Named quantities of a trace: symbols that claims compare with the formulas of `bounds`."""

import functools

from bounds.formulas.radius import RADIUS
from bounds.glossary import name_of
from bounds.language.formula import Formula
from bounds.language.quantities import MONEY, PURE, QUERIES, declare, pure

_queries = functools.partial(declare, unit=QUERIES, lower=0)
_money = functools.partial(declare, unit=MONEY, lower=0)

# By step.
PAYMENT = declare("payment", r"\pi_t", "payment", MONEY)
WINNER_COUNT = _queries("winner_count", "m_{I_t,t}", "selection count of the provider that serves")
WINNER_ESTIMATE = _money("winner_cost_estimate", r"\hat c_{I_t,t}", "its running mean cost")
RULE_PAYMENT = declare("rule_payment", r"\min\{P_{I_t,t}, c_{\max}\}", "payment that the rules prescribe", MONEY)
TARGET = _queries("target", r"\lceil g(t) \rceil", "target selection count, rounded up")

# By step and provider.
SELECTION_COUNT = _queries("selection_count", "m_{i,t}", "selection count", per_provider=True)
QUALITY_ESTIMATE = declare("quality_estimate", r"\hat q_{i,t}", "running mean score", PURE, 0, 1, per_provider=True)
COST_ESTIMATE = _money("cost_estimate", r"\hat c_{i,t}", "running mean cost", per_provider=True)
STANDING_BID = declare("standing_bid", "b_{i,t}", "standing bid", MONEY, per_provider=True)
CRITICAL = declare("critical_payment", "P_{i,t}", "critical payment, capped above every bid", MONEY, per_provider=True)
QUALITY = declare("quality", "q_i", "mean score", PURE, 0, 1, per_provider=True)
MEAN_COST = _money("mean_cost", r"\bar c_i", "mean cost", per_provider=True)
LEAST_ADJUSTED = declare(
    "least_adjusted_bid", r"\min_j (b_{j,t} - \rho_{j,t})", "least adjusted bid of the eligible", MONEY
)
ADJUSTED_BID = declare("adjusted_bid", r"b_{i,t} - \rho_{i,t}", "adjusted bid", MONEY, per_provider=True)

#: beta(m_{i,t}), the confidence radius of every provider.
EACH_RADIUS = Formula(
    pure("each_radius", r"\beta(m_{i,t})", "confidence radius of a provider"),
    RADIUS.at(count=SELECTION_COUNT),
    "eq:qualified-set",
)

# Cumulative, up to the horizon T' = t.
SELECTIONS = _queries("selections", "n_i(T)", "post-initialization selections", per_provider=True)
EXPLORATIONS = _queries("explorations", "x_i(T)", "exploration selections", per_provider=True)
ALL_EXPLORATIONS = _queries("all_explorations", r"\sum_i x_i(T)", "exploration steps")
NON_OPTIMAL = _queries("non_optimal_steps", r"\sum_{t \leq T} 1\{I_t \neq i^*\}", "steps not given to i*")
UNQUALIFIED = _queries("unqualified_steps", r"\sum_{t \leq T} 1\{I_t \notin \mathcal{Q}\}", "unqualified steps")
RIVAL_LEAD = _queries("largest_rival_count", r"\max_{i \neq i^*} m_i", "most selections of a rival of i*")
OPTIMAL_COUNT = _queries("optimal_count", "m_{i^*}", "selections of i*")
QUALITY_REGRET_SO_FAR = declare("realized_quality_regret", r"R^{\mathrm{qual}}_T", name_of("quality_regret"), PURE, 0)
GENERATION_REGRET_SO_FAR = _money("realized_generation_regret", r"R^{\mathrm{gen}}_T", name_of("generation_regret"))
EXCESS_SO_FAR = _money("realized_excess", r"\sum_{t \leq T} (\pi_t - \bar c_{(2)})^+", name_of("excess_payment"))
AUCTION_EXCESS_SO_FAR = _money(
    "realized_auction_excess",
    r"\sum_{t \leq T, S_t = \emptyset} (\pi_t - \bar c_{(2)})^+",
    f"{name_of('excess_payment')} without exploration",
)
DEVIATION_SO_FAR = _money("realized_deviation", r"\sum_{t \leq T} |\pi_t - \bar c_{(2)}|", "payment deviation")
RADIUS_SUM_SO_FAR = declare("realized_radius_sum", r"\sum_{t=N+1}^T \beta(m_{I_t,t})", "sum of radii", PURE, 0)
DRAW_IMBALANCE = _queries(
    "draw_imbalance", r"|\sum_t (1\{I_t = i\} - 1/|S_t|)|", "excess of draws over uniform", per_provider=True
)
DRAWS = _queries("draws", "n_i", "exploration steps in which a provider took part", per_provider=True)
# With queries in flight, up to the horizon.
MOST_IN_FLIGHT = _queries(
    "most_in_flight",
    "d_i(T)",
    "most queries of a provider in flight when it got another one after initialization",
    per_provider=True,
)
ALL_IN_FLIGHT = _queries("all_in_flight", r"\sum_i d_i(T)", "the same, summed over the providers")
OTHERS_IN_FLIGHT = _queries(
    "others_in_flight", r"\sum_{i \neq i^*} d_i(T)", "the same, summed over all providers but i*"
)
UNQUALIFIED_IN_FLIGHT = _queries(
    "unqualified_in_flight", r"\sum_{i \notin \mathcal{Q}} d_i(T)", "the same, summed over the unqualified providers"
)
QUALITY_IN_FLIGHT = declare(
    "quality_in_flight",
    r"\sum_{i \notin \mathcal{Q}} d_i(T) \varepsilon_i",
    "the same, each times the quality that the provider lacks",
    PURE,
    0,
)
COST_IN_FLIGHT = _money(
    "cost_in_flight",
    r"\sum_i d_i(T) (\bar c_i - \bar c_{i^*})^+",
    "the same, each times what the provider costs above the optimal one",
)
#: All of these are 0 where every score and bid arrives before the next query.
IN_FLIGHT = (MOST_IN_FLIGHT, ALL_IN_FLIGHT, OTHERS_IN_FLIGHT, UNQUALIFIED_IN_FLIGHT, QUALITY_IN_FLIGHT, COST_IN_FLIGHT)
