"""Payments: their range, their bands, their excess, and their convergence."""

from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AUCTION_PAYMENT_UPPER,
    AVERAGE_EXCESS_PAYMENT,
    AVERAGE_PAYMENT_DEVIATION,
    EXCESS_PAYMENT,
    LATE_PAYMENT_LOWER,
    LATE_PAYMENT_UPPER,
)
from bounds.language.quantities import C_2, C_MAX, HORIZON
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import auctions, every_step, horizons, late_auctions, late_horizons
from proofs_checks.claims.model.in_flight import IN_FLIGHT_NOTE, in_flight
from proofs_checks.claims.model.regime import BIDS_INSIDE, TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import ALL_IN_FLIGHT, DEVIATION_SO_FAR, EXCESS_SO_FAR, PAYMENT

AT_MOST_THE_BOUND = Relation(PAYMENT, C_MAX, every_step, "a payment is at most c_max")
NEVER_NEGATIVE = Relation(0 * C_MAX, PAYMENT, every_step, "a payment is not negative")
AUCTION_UPPER = Relation(
    PAYMENT, AUCTION_PAYMENT_UPPER, auctions, "an auction pays at most the second cost plus a radius"
)
AUCTION_LOWER_SERVED = Relation(
    AUCTION_PAYMENT_LOWER_SERVED, PAYMENT, auctions, "an auction pays at least the winner's cost minus a radius"
)
LATE_UPPER = Relation(PAYMENT, LATE_PAYMENT_UPPER, late_auctions, "after T_0: at most a radius above the second cost")
LATE_LOWER = Relation(
    LATE_PAYMENT_LOWER, PAYMENT, late_auctions, "after T_0: at most three radii below the second cost"
)
EXCESS = Relation(EXCESS_SO_FAR, EXCESS_PAYMENT, horizons, "cumulative payment above the second cost")
AVERAGE_EXCESS = Relation(
    EXCESS_SO_FAR / HORIZON, AVERAGE_EXCESS_PAYMENT, horizons, "average payment above the second cost"
)
AVERAGE_DEVIATION = Relation(
    DEVIATION_SO_FAR / HORIZON,
    AVERAGE_PAYMENT_DEVIATION,
    late_horizons,
    "average distance of the payment from the second cost",
)

LATE = "Compared only on traces longer than T_0, and in no published setting is the paper's horizon that long."
#: Most that the queries in flight add to what is paid above the second cost.
PAID_IN_FLIGHT = (C_MAX - C_2) * ALL_IN_FLIGHT

ORDINARY_PAYMENT = Claim(
    label="lem:ordinary-payment",
    any_delay=True,
    name="Auction payment, upper bound",
    statement="an auction won at count m pays at most min{c_max, c_(2) + c_max beta(m)}",
    checks=(AUCTION_UPPER,),
    regime=TRUTHFUL,
)
PAYMENT_LOWER = Claim(
    label="claim:payment-lower-appD",
    any_delay=True,
    name="Auction payment, lower bound (appendix D)",
    statement="an auction pays at least max{0, cbar_{I_t} - c_max beta(m)}",
    checks=(AUCTION_LOWER_SERVED,),
    regime=TRUTHFUL,
)
EXCESS_PAYMENT_CLAIM = Claim(
    label="thm:excess-payment-general",
    name="Excess payment",
    statement="for g(T) > 0: what each query is paid above c_(2) adds up to at most the bound, at every horizon",
    checks=(EXCESS,),
    regime=TRUTHFUL,
    implies=("cor:excess-payment-polynomial",),
)
EXCESS_PAYMENT_IN_FLIGHT = in_flight(
    EXCESS_PAYMENT_CLAIM,
    "what each query is paid above c_(2) adds up to at most the bound plus c_max - c_(2) times the sum of the d_i",
    (PAID_IN_FLIGHT,),
)
EXCESS_POLYNOMIAL = Claim(
    label="cor:excess-payment-polynomial",
    name="Average excess payment",
    statement="their average is at most the polynomial bound, at every horizon",
    checks=(AVERAGE_EXCESS,),
    regime=TRUTHFUL,
)
PAYMENT_RANGE = Claim(
    label="lem:payment-range",
    any_radius=True,
    any_delay=True,
    name="Payment range",
    statement="0 <= payment <= c_max for bids in [0, c_max]",
    checks=(NEVER_NEGATIVE, AT_MOST_THE_BOUND),
    regime=BIDS_INSIDE,
    implies=("lem:payment-range:under-deviations",),
)
TWO_SIDED = Claim(
    label="lem:two-sided-payment",
    any_delay=True,
    name="Two-sided payment bound",
    statement="an auction after T_0 pays from c_(2) - 3 r to c_(2) + r, with the radius r = c_max beta(g(t))",
    checks=(LATE_LOWER, LATE_UPPER),
    regime=TRUTHFUL,
    note=LATE,
)
CONVERGENCE = Claim(
    label="thm:payment-convergence",
    name="Payment convergence",
    statement="the two-sided bound for every auction after T_0, so that their payments tend to c_(2), and the average "
    "bound for every T > T_0; simulations cannot test the limit",
    checks=(LATE_LOWER, LATE_UPPER, AVERAGE_DEVIATION),
    headline=(AVERAGE_DEVIATION,),
    regime=TRUTHFUL,
    implies=("lem:two-sided-payment", "thm:regret"),
    note=LATE,
)
AVERAGE = Claim(
    label="thm:regret",
    name="Average absolute payment deviation",
    statement="the average of |payment - c_(2)| is at most the three-term bound for every T >= T_0, so that the "
    "average payment tends to c_(2); simulations cannot test the limit",
    checks=(AVERAGE_DEVIATION,),
    regime=TRUTHFUL,
    note=LATE,
)
AVERAGE_IN_FLIGHT = in_flight(
    AVERAGE,
    "the average of |payment - c_(2)| is at most the three-term bound plus c_max - c_(2) times the sum of the d_i "
    "over T, for every T >= T_0",
    (PAID_IN_FLIGHT / HORIZON,),
    note=f"{LATE} {IN_FLIGHT_NOTE}",
)
