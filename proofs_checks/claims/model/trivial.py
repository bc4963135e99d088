"""Trivial values: what a quantity of a trace cannot exceed in any run, so that no larger bound can fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from bounds.formulas.payment import TRIVIAL_EXCESS_PAYMENT, TRIVIAL_PAYMENT_DEVIATION
from bounds.formulas.regret import TRIVIAL_GENERATION_REGRET, TRIVIAL_QUALITY_REGRET
from bounds.formulas.selection import TRIVIAL_IDENTIFICATION_BOUND
from bounds.language.quantities import HORIZON, N
from proofs_checks.claims.model import trace_quantities

#: What a quantity of a trace cannot exceed, whoever serves; of c_max at most is paid.
_TRIVIAL: tuple[tuple[Any, Any], ...] = (
    (trace_quantities.SELECTIONS, TRIVIAL_IDENTIFICATION_BOUND),
    (trace_quantities.NON_OPTIMAL, N - 1 + TRIVIAL_IDENTIFICATION_BOUND),
    (trace_quantities.UNQUALIFIED, N + TRIVIAL_IDENTIFICATION_BOUND),
    (trace_quantities.QUALITY_REGRET_SO_FAR, TRIVIAL_QUALITY_REGRET),
    (trace_quantities.GENERATION_REGRET_SO_FAR, TRIVIAL_GENERATION_REGRET),
    (trace_quantities.EXCESS_SO_FAR, TRIVIAL_EXCESS_PAYMENT),
    # Initialization alone may go to i*, and all else to one rival.
    (trace_quantities.RIVAL_LEAD + HORIZON, trace_quantities.OPTIMAL_COUNT + 2 * HORIZON - N),
)


#: Left sides of relations, each with its trivial value.
TRIVIAL: Mapping[Any, Any] = {
    sympy.sympify(left): right
    for left, right in (*_TRIVIAL, *((left / HORIZON, right / HORIZON) for left, right in _TRIVIAL))
}
#: The same, but only if no payment is negative, as underbidding may make it.
TRIVIAL_WITHOUT_UNDERBIDS: Mapping[Any, Any] = {trace_quantities.DEVIATION_SO_FAR / HORIZON: TRIVIAL_PAYMENT_DEVIATION}
