"""A mechanism that is made anew from its saved state, in the same process and in a fresh one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.deviations import evenly_spaced
from proofs_checks.conformance.checks.fresh_process import in_fresh_processes, scripted_settlements
from proofs_checks.conformance.checks.search import Probe, first_failure, followed_by, searching
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.play.any_mechanism import Answer, AnyMechanism, PlayedInteraction
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import Interaction, answers_to
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckOutcome

#: Restarts of one interaction, each in a play of its own.
_RESTARTS = 4
#: In fresh processes: steps that are played, and before which of them the mechanism is made anew.
_STEPS, _RESTARTS_FRESH = 120, (5, 40)
_SEED, _OTHER_SEED = 20_262, 20_263
#: Auctions, explorations and providers that are not eligible.
_CONFIG = usual_config(n_providers=3, quality_threshold=0.75, confidence=0.9, exploration_scale=1.3)
#: What the check says of a mechanism that does not offer what it is about.
_NOT_OFFERED = "the mechanism offers no state() and restore(state)"


def _restarts(subject: AnySubject, interaction: Interaction) -> Probe:
    """Start the mechanism again before some steps, and compare every later answer."""
    seed = interaction.scenario.seed
    answers = [(event.provider, event.payment) for event in interaction.events]

    def again(mechanism: AnyMechanism) -> AnyMechanism:
        # With another generator, as after a real restart: what random state matters must be in the state.
        mechanism.restart(seed + 1)
        return mechanism

    def compared(restart: int) -> Iterator[Failure | None]:
        ending = _ENDING.format(restart=restart, seed=seed + 1)
        how = "from the saved state", "a restart changes answers"
        return _compared(subject, interaction.played, answers, restart, again, *how, ending=ending)

    steps = evenly_spaced(range(2, len(answers) + 1), _RESTARTS)
    return first_failure((found for step in steps for found in compared(step)), subject)


def restart_in_a_fresh_process(subject: AnySubject) -> Probe:
    """Compare a mechanism that goes on with one that takes back its state in a process in which it is the first.

    What it kept outside its saved state is not there.
    """
    law = subject.in_flight
    if law is None:
        return Probe(0)
    config = subject.domain.config(_CONFIG)
    settlements = tuple(scripted_settlements(config, subject.domain, _STEPS))

    def compared(fresh: Sequence[HostedSubject]) -> Iterator[Failure | None]:
        answers = answers_to(subject, config, _SEED, settlements)
        played = PlayedInteraction(config, _SEED, settlements, tuple(provider for provider, _ in answers), law)
        how = "in a new process with the saved state,", "does its module hold state?"
        for each, restart in zip(fresh, _RESTARTS_FRESH, strict=True):

            def again(mechanism: AnyMechanism, each: HostedSubject = each) -> AnyMechanism:
                return each.resumed(config, _SEED, law, mechanism.saved(), _OTHER_SEED)

            before, ending = _BEFORE_FRESH.format(restart=restart, seed=_OTHER_SEED), _IN_FRESH.format(restart=restart)
            yield from _compared(subject, played, answers, restart, again, *how, before=before, ending=ending)

    return in_fresh_processes(subject, len(_RESTARTS_FRESH), compared)


def _compared(
    subject: AnySubject,
    played: PlayedInteraction,
    answers: Sequence[Answer],
    restart: int,
    again: Callable[[AnyMechanism], AnyMechanism],
    how: str,
    why: str,
    **script: Any,
) -> Iterator[Failure | None]:
    """Yield, for each step from a restart on, what is another answer than without one; at most one."""
    mechanism = subject.start(played.config, played.seed)
    mechanism.replay(played.settlements[: restart - 1])
    step = restart

    def failure(told: str, **found: Any) -> Failure:
        return Failure(**vars(played.until(step)), message=f"step {step}: {told}", **found, **script)

    try:
        mechanism = again(mechanism)
        for settlement, due in zip(played.settlements[restart - 1 :], answers[restart - 1 :], strict=False):
            found = mechanism.assign()
            if found != due:
                told = (
                    f"provider {due[0]} serves for {due[1]:.12g}; after a restart {how} before step {restart}, "
                    f"provider {found[0]} serves for {found[1]:.12g}: {why}"
                )
                yield failure(told, expected=list(due), found=list(found))
                return
            yield None
            step += 1
            mechanism.settle(*settlement)
    except MechanismError as error:
        if error.is_outside:
            raise
        yield failure(f"after a restart {how} before step {restart}: {error.message}")


_ENDING = """
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

#: What goes before and after the play in the script, which runs itself once more: there the mechanism is made anew.
_BEFORE_FRESH = """\
import json
import subprocess
import sys

if sys.argv[1:] == ["made anew"]:
    again = factory(config, np.random.default_rng({seed}))
    again.made.restore(json.load(sys.stdin))
    again.feedback = list(history[: {restart} - 1])
    for score, bid in history[{restart} - 1 :]:
        again.assign()
        again.settle(score, bid)
    provider, payment = again.assign()
    print(json.dumps([int(provider), float(payment)]))
    sys.exit()
"""

_IN_FRESH = """
# Once more: its state before step {restart} goes to a fresh process.
again = factory(config, np.random.default_rng(seed))
for score, bid in history[: {restart} - 1]:
    again.assign()
    again.settle(score, bid)
done = subprocess.run(
    [sys.executable, __file__, "made anew"],
    input=json.dumps(again.made.state()),
    capture_output=True,
    text=True,
)
assert done.returncode == 0, done.stderr
answer = json.loads(done.stdout.splitlines()[-1])
print("made anew:", answer)
assert [provider, payment] == answer
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


_SEARCH = searching(_restarts, ["exploring", "noisy", "empty"], share=0.5)
RESTART_CHECK = check_of("restart", _where_offered(followed_by(_SEARCH, restart_in_a_fresh_process)))
