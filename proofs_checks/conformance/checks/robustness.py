"""thm:robust-dominant by search: strategies, rivals and horizons, from late steps as well as early ones.

The theorem takes infima over all horizons and rivals. A mechanism for which it holds satisfies it also on every set of
futures that has the shortest horizon, T = t: later steps cannot take from a truthful provider what it has by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proofs_checks.conformance.check import Check, Group
from proofs_checks.conformance.play.futures import DEVIATIONS, RIVALS, STEPS, Future, Position, Rivals, truthful
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.search import Find, Probe, searching
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.strategies import FAMILIES
from proofs_checks.conformance.strategies.scenarios import auctions
from proofs_checks.oracle.rule_oracle import money_rounding

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: Steps by which late scenarios are longer: their last ones lie beyond what one-step checks look at.
_LATER = 50
#: Rivals against which deviations are played as well; truthful bidding is played against all.
_FEW = RIVALS[:2]

_Compare = Callable[[Position, float], Iterator[Failure | None]]


def _positions(subject: Subject, interaction: Interaction) -> list[Position]:
    """Return the middle step and the last two: positions that each have the history before them."""
    first, last = interaction.config.n_providers + 1, len(interaction.events)
    steps = dict.fromkeys([(first + last) // 2, last - 1, last])
    return [Position(subject, interaction, step) for step in steps if step >= first]


def _comparing(compare: _Compare) -> Find:
    def find(subject: Subject, interaction: Interaction) -> Probe:
        compared, rounding = 0, STEPS * money_rounding(interaction.config)
        for position in _positions(subject, interaction):
            for failure in compare(position, rounding):
                compared += 1
                if failure is not None:
                    return Probe(compared, failure)
        return Probe(compared)

    return find


def _worst(position: Position, rivals: Sequence[Rivals]) -> Future:
    """Return the future of a truthful provider with the least utility."""
    futures = [position.future(truthful(position), each) for each in rivals]
    return min(futures, key=lambda future: future.worst)


def _no_loss(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(i): a truthful provider's utility is nowhere negative."""
    for rivals in RIVALS:
        future = position.future(truthful(position), rivals)
        if not any(future.services):
            continue
        if future.worst >= -rounding:
            yield None
            continue
        message = (
            f"provider {position.provider} bids its mean cost from step {future.changed} on and has earned "
            f"{future.worst:.12g} by step {future.horizon}: a loss"
        )
        yield _failure(position, message, [future], "worst[0] >= -rounding", "at least 0", future.worst)


def _deviations(position: Position, margin: float) -> Iterator[tuple[str, Future, Future]]:
    """Yield every deviating strategy, its worst future and that of truthful bidding, where either serves a query.

    Other rivals are not tried once its utility is truthful bidding's and the margin, or less.
    """
    honest = _worst(position, _FEW)
    for name, make in DEVIATIONS.items():
        futures: list[Future] = []
        for rivals in _FEW:
            # A bidder has a memory: every future starts with a new one.
            bidder = make(position)
            if bidder is None or any(future.worst <= honest.worst + margin for future in futures):
                break
            futures.append(position.future(bidder, rivals))
        if futures and any(any(future.services) for future in [honest, *futures]):
            yield name, min(futures, key=lambda future: future.worst), honest


def _worst_case(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(ii): no strategy has a better worst case than truthful bidding."""
    for name, deviating, honest in _deviations(position, rounding):
        if deviating.worst <= honest.worst + rounding:
            yield None
            continue
        message = (
            f"provider {position.provider} bids {name} from step {deviating.changed} on and earns at least "
            f"{deviating.worst:.12g} up to any horizon; with its mean cost only {honest.worst:.12g} up to step "
            f"{honest.horizon}"
        )
        law = "worst[1] <= worst[0] + rounding"
        yield _failure(position, message, [honest, deviating], law, f"at most {honest.worst!r}", deviating.worst)


def _strict(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(iii): a strategy whose bid lies on the other side of the critical payment has a worse worst case."""
    critical, estimate, hair = position.critical, position.estimate, position.hair
    if critical is None or abs(estimate - critical) < 2 * hair or critical > position.bound - 2 * hair:
        return
    for name, deviating, honest in _deviations(position, -rounding):
        if (deviating.bid - critical) * (estimate - critical) >= 0 or abs(deviating.bid - critical) < hair:
            continue
        if deviating.worst <= honest.worst - rounding:
            yield None
            continue
        truthful, worst = f"{honest.worst:.12g}", f"{deviating.worst:.12g}"
        message = (
            f"provider {position.provider} bids {name} from step {deviating.changed} on instead of its mean cost "
            f"{estimate:.12g}, on the other side of the critical payment {critical:.12g}; its worst case should be "
            f"strictly below the {truthful} of its mean cost, and is {'the same' if worst == truthful else worst}"
        )
        law = "worst[1] < worst[0] - rounding"
        yield _failure(position, message, [honest, deviating], law, f"less than {honest.worst!r}", deviating.worst)


def _failure(
    position: Position, message: str, futures: Sequence[Future], law: str, expected: str, found: float
) -> Failure:
    last = futures[-1]
    rounding = STEPS * money_rounding(position.interaction.config)
    ending = _ENDING.format(
        futures=[(future.settlements, future.services) for future in futures],
        changed=last.changed,
        provider=position.provider,
        rounding=rounding,
        law=law,
    )
    deviation = {
        "step": last.changed,
        "provider": position.provider,
        "bid": last.bid,
        "wins": last.services[0] is not None,
        "settlements": [list(pair) for pair in last.settlements],
        "utilities": list(last.utilities),
    }
    return failure_at(
        position.interaction, position.step, message, expected=expected, found=found, deviation=deviation, ending=ending
    )


#: Estimates belong to the provider: a script lists them beside its services.
_ENDING = """
# From step {changed} on, strategy by strategy: score and bid of each step; then payment and cost estimate of each
# step at which provider {provider} served (None where it did not).
futures = {futures!r}
worst = []
for settlements, services in futures:
    mechanism = factory(config, np.random.default_rng(seed))
    for settlement in history[: {changed} - 1]:
        mechanism.assign()
        mechanism.settle(*settlement)
    mechanism.assign()
    utility, utilities = 0.0, []
    for settlement, service in zip(settlements, services):
        mechanism.settle(*settlement)
        winner, payment = mechanism.assign()
        utility += payment - service[1] if winner == {provider} else 0.0
        utilities.append(utility)
    worst.append(min(utilities))
    print("utilities by horizon:", utilities)
rounding = {rounding!r}
assert {law}
"""


def _late() -> SearchStrategy[Scenario]:
    """Return a strategy for auctions that have gone on for long."""
    return auctions(horizon=30).map(lambda scenario: replace(scenario, horizon=scenario.horizon + _LATER))


def _check(name: str, says: str, compare: _Compare, share: float, group: Group = "economic") -> Check:
    families = {"auctions": auctions, "exploring": FAMILIES["exploring"], "late": _late}
    return Check(name, "thm:robust-dominant", group, says, searching(_comparing(compare), families, share))


ROBUST_CHECKS: tuple[Check, ...] = (
    _check(
        "robust-no-loss", "i) truthful bidding never loses, whatever the rivals, up to any horizon", _no_loss, share=1.6
    ),
    _check(
        "robust-worst-case",
        "ii) truthful bidding has the best worst case over rivals and horizons",
        _worst_case,
        share=1.0,
    ),
    _check(
        "robust-strict",
        "iii) bidding across the critical payment has a strictly worse worst case",
        _strict,
        share=0.7,
        group="rules",  # by the paper's critical payment
    ),
)
