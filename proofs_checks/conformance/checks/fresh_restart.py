"""A mechanism that is made anew in a fresh process: what it kept outside its saved state is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.checks.fresh_process import in_fresh_processes, scripted_settlements
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.play.any_mechanism import Answer, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import answers_to
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure

#: Steps that are played, and before which of them the mechanism is made anew: each time in a process of its own.
_STEPS, _RESTARTS = 120, (5, 40)
_SEED, _OTHER_SEED = 20_262, 20_263
#: Auctions, explorations and providers that are not eligible.
_CONFIG = usual_config(n_providers=3, quality_threshold=0.75, confidence=0.9, exploration_scale=1.3)


def restart_in_a_fresh_process(subject: AnySubject) -> Probe:
    """Compare a mechanism that goes on with one that takes back its state in a process in which it is the first."""
    law = subject.in_flight
    if law is None:
        return Probe(0)
    config = subject.domain.config(_CONFIG)
    settlements = scripted_settlements(config, subject.domain, _STEPS)

    def compared(fresh: Sequence[HostedSubject]) -> Iterator[Failure | None]:
        answers = answers_to(subject, config, _SEED, settlements)
        for each, restart in zip(fresh, _RESTARTS, strict=True):
            yield from _compared(subject, each, restart, config, settlements, answers, law)

    return in_fresh_processes(subject, len(_RESTARTS), compared)


def _compared(
    subject: AnySubject,
    fresh: HostedSubject,
    restart: int,
    config: MechanismConfig,
    settlements: Sequence[Settlement],
    answers: Sequence[Answer],
    law: DelayLaw,
) -> Iterator[Failure | None]:
    """Yield, for each step from a restart on, what is another answer in the fresh process; at most one."""
    mechanism = subject.start(config, _SEED)
    mechanism.replay(settlements[: restart - 1])
    saved = mechanism.saved()

    def failure(step: int, found: Answer | None, told: str) -> Failure:
        return Failure(
            message=f"step {step}: {told}",
            config=config,
            seed=_SEED,
            settlements=tuple(settlements[: step - 1]),
            providers=tuple(provider for provider, _ in answers[: step - 1]),
            expected=list(answers[step - 1]),
            found=None if found is None else list(found),
            before=_BEFORE.format(restart=restart, seed=_OTHER_SEED),
            ending=_ENDING.format(restart=restart),
            in_flight=law,
        )

    step = restart
    try:
        again = fresh.resumed(config, _SEED, law, saved, _OTHER_SEED)
        for step in range(restart, _STEPS + 1):
            answer = again.assign()
            again.settle(*settlements[step - 1])
            if answer != answers[step - 1]:
                provider, payment = answers[step - 1]
                told = (
                    f"provider {provider} serves for {payment:.12g}; after a restart in a new process with the saved "
                    f"state, before step {restart}, provider {answer[0]} serves for "
                    f"{answer[1]:.12g}: does its module hold state?"
                )
                yield failure(step, answer, told)
                return
            yield None
    except MechanismError as error:
        if error.is_outside:
            return
        told = f"after a restart in a new process with the saved state, before step {restart}: {error.message}"
        yield failure(step, None, told)


#: What goes before and after the play in the script, which runs itself once more: there the mechanism is made anew.
_BEFORE = """\
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

_ENDING = """
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
