"""Queries in flight: feedback that overtakes, feedback that never arrives, and a mechanism that is started again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mechanism.delays import DelayLaw
from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.deviations import evenly_spaced
from proofs_checks.conformance.checks.fresh_restart import restart_in_a_fresh_process
from proofs_checks.conformance.checks.rules import EVERY_RULE, comparing
from proofs_checks.conformance.checks.search import Probe, first_failure, followed_by, searching
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.late_feedback import losing, overtaking
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.report.report import CheckOutcome

#: Restarts of one interaction, each in a play of its own.
_RESTARTS = 4
#: What a check says of a mechanism that does not offer what it is about.
_NOT_OFFERED = "the mechanism offers no state() and restore(state)"


def _under(changed: Callable[[DelayLaw], DelayLaw], search: Run) -> Run:
    """Return a search that plays a mechanism under another law than the one that was named."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        law = changed(DelayLaw(most=0) if subject.in_flight is None else subject.in_flight)
        return search(subject.played(in_flight=law), seed, effort)

    return run


def _restarts(subject: AnySubject, interaction: Interaction) -> Probe:
    """Start the mechanism again before some steps, and compare every later answer."""
    steps = evenly_spaced(range(2, len(interaction.events) + 1), _RESTARTS)
    return first_failure(found for step in steps for found in _restarted(subject, interaction, step))


def _restarted(subject: AnySubject, interaction: Interaction, restart: int) -> Iterator[Failure | None]:
    scenario = interaction.scenario
    mechanism = subject.start(scenario.config, scenario.seed)
    answers = list(mechanism.replay(interaction.settlements[: restart - 1]))
    try:
        # With another generator, as after a real restart: what random state matters must be in the state.
        mechanism.restart(_other_seed(scenario.seed))
        for step in range(restart, len(interaction.events) + 1):
            answers.append(mechanism.assign())
            mechanism.settle(*interaction.settlements[step - 1])
            if answers[-1] != _answer(interaction, step):
                yield _changed(interaction, restart, step, answers[-1])
                return
            yield None
    except MechanismError as error:
        if error.is_outside:
            raise
        step = len(answers) + 1
        told = f"after a restart before step {restart}: {error.message}"
        yield replace(failure_at(interaction, step, told, misbehaviour=None), ending=_ending(interaction, restart))


def _other_seed(seed: int) -> int:
    return seed + 1


def _answer(interaction: Interaction, step: int) -> Answer:
    event = interaction.events[step - 1]
    return event.provider, event.payment


def _changed(interaction: Interaction, restart: int, step: int, found: Answer) -> Failure:
    provider, payment = _answer(interaction, step)
    message = (
        f"provider {provider} serves for {payment:.12g}; after a restart from the saved state "
        f"before step {restart}, provider {found[0]} serves for {found[1]:.12g}: a restart changes answers"
    )
    ending = _ending(interaction, restart)
    return failure_at(interaction, step, message, expected=[provider, payment], found=list(found), ending=ending)


def _ending(interaction: Interaction, restart: int) -> str:
    return _RESTARTED.format(restart=restart, seed=_other_seed(interaction.scenario.seed))


_RESTARTED = """
# Once more, started again from its saved state before step {restart}:
mechanism = factory(config, np.random.default_rng(seed))
for step, (score, bid) in enumerate([*history, (0, 0)], 1):
    if step == {restart}:
        mechanism.restart(np.random.default_rng({seed}))
    again = mechanism.assign()
    mechanism.settle(score, bid)
print("started again:", again)
assert again == (provider, payment)
"""


def _where_offered(search: Run) -> Run:
    """Return a search that says so where a mechanism does not offer to be started again."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        try:
            offered = subject.start(subject.domain.config(usual_config(n_providers=2)), seed).restartable()
        except MechanismError as error:
            if not error.is_outside:
                return CheckOutcome(broken_off=1)
            offered = True
        return search(subject, seed, effort) if offered else CheckOutcome(not_offered=_NOT_OFFERED)

    return run


_EVERY_STEP = searching(
    comparing(frozenset(EVERY_RULE)), ["auctions", "noisy", "exploring", "screening", "band edge"], share=0.5
)
_RESTARTS_FOUND = followed_by(
    searching(_restarts, ["exploring", "noisy", "empty"], share=0.5), restart_in_a_fresh_process
)

RESTART_CHECK = check_of("restart", _where_offered(_RESTARTS_FOUND))
LATE_CHECKS = (
    check_of("overtaking-feedback", _under(overtaking, _EVERY_STEP), rules=EVERY_RULE),
    check_of("lost-feedback", _under(losing, _EVERY_STEP), rules=EVERY_RULE),
)
