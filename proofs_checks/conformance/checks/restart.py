"""A mechanism that is made anew from its saved state, in the same process and in a fresh one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.deviations import evenly_spaced
from proofs_checks.conformance.checks.fresh_process import compared_again, in_fresh_processes, scripted
from proofs_checks.conformance.checks.search import Probe, first_failure, followed_by, searching
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.play.any_mechanism import AnyMechanism, Offer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import Interaction
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
_NOT_OFFERED: Mapping[Offer, str] = MappingProxyType(
    {
        "restart": "the mechanism offers no state() and restore(state)",
        "threads": "no attribute of the mechanism is a lock: one thread calls it",
    }
)


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
        how = f"after a restart from the saved state before step {restart}", "a restart changes answers"
        return compared_again(subject, interaction.played, answers, restart, again, *how, ending=ending)

    steps = evenly_spaced(range(2, len(answers) + 1), _RESTARTS)
    return first_failure((found for step in steps for found in compared(step)), subject)


def restart_in_a_fresh_process(subject: AnySubject) -> Probe:
    """Compare a mechanism that goes on with one that takes back its state in a process in which it is the first.

    What it kept outside its saved state is not there.
    """

    def compared(fresh: Sequence[HostedSubject]) -> Iterator[Failure | None]:
        played, answers = scripted(subject, _CONFIG, _SEED, _STEPS)
        for each, restart in zip(fresh, _RESTARTS_FRESH, strict=True):

            def again(mechanism: AnyMechanism, each: HostedSubject = each) -> AnyMechanism:
                same = each.played(in_flight=subject.in_flight)
                return same.resumed(played.config, _SEED, mechanism.saved(), _OTHER_SEED)

            how = f"after a restart in a new process with the saved state, before step {restart}"
            before, ending = _BEFORE_FRESH.format(restart=restart, seed=_OTHER_SEED), _IN_FRESH.format(restart=restart)
            why = "does its module hold state?"
            yield from compared_again(subject, played, answers, restart, again, how, why, before=before, ending=ending)

    return in_fresh_processes(subject, [{}] * len(_RESTARTS_FRESH), compared)


_OFFERED = """
if not callable(getattr(getattr(mechanism, "made", mechanism), "state", None)):
    print("it has no state() and restore(state): nothing is compared")
    sys.exit(2)
"""

_ENDING = f"""
# Once more, started again from its saved state before step {{restart}}:
import json
import sys

mechanism = factory(config, np.random.default_rng(seed))
{_OFFERED}
for step, (score, bid) in enumerate([*history, (0, 0)], 1):
    if step == {{restart}}:
        saved = json.dumps(mechanism.state())
        mechanism = factory(config, np.random.default_rng({{seed}}))
        mechanism.restore(json.loads(saved))
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
    again.restore(json.load(sys.stdin))
    for score, bid in history[{restart} - 1 :]:
        again.assign()
        again.settle(score, bid)
    provider, payment = again.assign()
    print(json.dumps([int(provider), float(payment)]))
    sys.exit()
"""

_IN_FRESH = f"""
# Once more: its state before step {{restart}} goes to a fresh process.
again = factory(config, np.random.default_rng(seed))
{_OFFERED.replace("mechanism", "again")}
for score, bid in history[: {{restart}} - 1]:
    again.assign()
    again.settle(score, bid)
done = subprocess.run(
    [sys.executable, __file__, "made anew"],
    input=json.dumps(again.state()),
    capture_output=True,
    text=True,
)
assert done.returncode == 0, done.stderr
answer = json.loads(done.stdout.splitlines()[-1])
print("made anew:", answer)
assert [provider, payment] == answer
"""


def where_offered(what: Offer, search: Run) -> Run:
    """Return a search that says so where a mechanism does not offer what it is about."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        try:
            offered = subject.start(subject.domain.config(usual_config(n_providers=2)), seed).offers(what)
        except MechanismError as error:
            if not error.is_outside:
                return CheckOutcome(broken_off=1)
            offered = True
        return search(subject, seed, effort) if offered else CheckOutcome(not_offered=_NOT_OFFERED[what])

    return run


_SEARCH = searching(_restarts, ["exploring", "noisy", "empty"], share=0.5)
RESTART_CHECK = check_of("restart", where_offered("restart", followed_by(_SEARCH, restart_in_a_fresh_process)))
