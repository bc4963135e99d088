"""Exploration: how often it can happen."""

from bounds.formulas.selection import EXPLORATION_CAP, EXPLORATION_STEPS_BOUND
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import each_provider, horizons_after_initialization
from proofs_checks.claims.model.in_flight import in_flight
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import ALL_EXPLORATIONS, ALL_IN_FLIGHT, EXPLORATIONS, MOST_IN_FLIGHT
from proofs_checks.claims.statements.definitions import EXPLORED_ARE_UNDER_SAMPLED

_EACH = each_provider(horizons_after_initialization)
EXPLORATIONS_OF_ONE = Relation(
    EXPLORATIONS, EXPLORATION_CAP, _EACH, "a provider is explored at most ceil(g(T)) - 1 times", exact=True
)
EXPLORATIONS_OF_ALL = Relation(
    ALL_EXPLORATIONS,
    EXPLORATION_STEPS_BOUND,
    horizons_after_initialization,
    "at most N (ceil(g(T)) - 1) exploration steps",
    exact=True,
)

FORCED_EXPLORATION = Claim(
    label="lem:forced-exploration-bound",
    any_radius=True,
    name="Exploration count",
    statement="for g(T) > 0: an explored provider has m < g(t); it is explored at most ceil(g(T)) - 1 times, all at "
    "most N times that",
    checks=(EXPLORED_ARE_UNDER_SAMPLED, EXPLORATIONS_OF_ONE, EXPLORATIONS_OF_ALL),
    headline=(EXPLORATIONS_OF_ONE, EXPLORATIONS_OF_ALL),
    note="Needs g(T) > 0, which k (t/N)^alpha satisfies: for g(T) <= 0 the cap would be negative.",
)
FORCED_EXPLORATION_IN_FLIGHT = in_flight(
    FORCED_EXPLORATION,
    "a provider is explored at most ceil(g(T)) - 1 + d_i times, all at most N (ceil(g(T)) - 1) + the sum of the d_i "
    "times",
    (None, MOST_IN_FLIGHT, ALL_IN_FLIGHT),
)
