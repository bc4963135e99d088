"""The metrics that can be compared; nothing else is loaded to say their names."""

COMPARED = (
    "quality_regret",
    "generation_regret",
    "amount_paid",
    "generation_cost",
    "accuracy",
    "share_of_optimal",
    "unqualified_share",
    "excess_payment",
)
#: Those that are compared where nobody says which: regret of quality, regret of cost, and what users pay.
FIRST_COMPARED = COMPARED[:3]
