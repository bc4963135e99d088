"""Families of scenarios that lie inside a domain: by construction where it says how, else by the nearest scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from bounds.radii.names import PAPERS
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.strategies.scenarios import near_threshold

Family = Callable[[], SearchStrategy[Scenario]]


def within(domain: Domain, family: Family) -> SearchStrategy[Scenario]:
    """Return a strategy for the scenarios of a family inside a domain.

    Who is eligible depends on the mechanism as well: those steps are left out when a scenario is played.

    Examples
    --------
    >>> from hypothesis import find
    >>> from proofs_checks.conformance.strategies.scenarios import noisy
    >>> binary = within(Domain(binary_scores=True, providers=(3, 3)), noisy)
    >>> found = find(binary, lambda scenario: True)
    >>> found.config.n_providers, {query.score for own in found.queries for query in own} <= {0.0, 1.0}
    (3, True)
    """
    if domain.is_everything:
        return family()
    if family is near_threshold:
        # A threshold near a mean of other scores, or under other radii, is near nothing.
        near = near_threshold(binary=domain.binary_scores, n=int(domain.providers[0]))
        if domain.radius == PAPERS:
            return near.filter(lambda scenario: domain.config(scenario.config) == scenario.config)
        return near.map(lambda scenario: nearest(domain, scenario))
    return family().map(lambda scenario: nearest(domain, scenario))


def nearest(domain: Domain, scenario: Scenario) -> Scenario:
    """Return the scenario of a domain that is nearest to one; providers beyond its own are copies of them.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import Query, usual_config
    >>> queries = ((Query(0.7, 0.25),), (Query(0.2, 0.5),))
    >>> scenario = Scenario(usual_config(n_providers=2), 0, queries, horizon=9)
    >>> [own[0].score for own in nearest(Domain(binary_scores=True, providers=(3, 3)), scenario).queries]
    [1.0, 0.0, 1.0]
    """
    config = domain.config(scenario.config)
    queries = tuple(
        tuple(replace(query, score=domain.score(query.score)) for query in scenario.queries[i % len(scenario.queries)])
        for i in range(config.n_providers)
    )
    return replace(scenario, config=config, queries=queries)
