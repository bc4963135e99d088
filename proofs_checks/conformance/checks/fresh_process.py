"""A mechanism in a fresh process, where nothing that other instances left behind can reach it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from proofs_checks.conformance.checks.search import Probe, first_failure
from proofs_checks.conformance.hosting.host_process import HostLimits
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.within import can_host
from proofs_checks.conformance.play.any_mechanism import Answer, AnyMechanism, PlayedInteraction
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import answers_to
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure

#: Enough for what is kept by selection count to be reached; settlements repeat after so many.
_STEPS, _PERIOD = 400, 40
_SEED = 20_261


#: What is compared. The others, played before, differ from it in some parameters each: what is kept by the rest of them
#: collides.
_COMPARED = usual_config(n_providers=3, quality_threshold=0.25, exploration_scale=1.3)
_OTHERS = (
    replace(_COMPARED, n_providers=2),
    replace(_COMPARED, quality_threshold=0.75, confidence=0.5),
    replace(_COMPARED, cost_bound=2.0, exploration_scale=0.3, exploration_exponent=0.75, belief_slack=1.0),
)


def scripted_settlements(config: MechanismConfig, domain: Domain, steps: int) -> list[tuple[float, float]]:
    """Return how a mechanism is answered, whoever serves."""
    bound = config.cost_bound
    return [(domain.score(7 * step % 10 / 10), 3 * step % 8 / 8 * bound) for step in range(1, steps + 1)]


def scripted(
    subject: AnySubject, config: MechanismConfig, seed: int, steps: int
) -> tuple[PlayedInteraction, list[Answer]]:
    """Play a mechanism that is answered so; return the interaction and the answers, one more than its steps."""
    config = subject.domain.config(config)
    history = tuple(scripted_settlements(config, subject.domain, steps))
    answers = answers_to(subject, config, seed, history)
    return PlayedInteraction(config, seed, history, tuple(i for i, _ in answers), subject.in_flight), answers


def compare_with_a_fresh_process(subject: AnySubject) -> Probe:
    """Compare a mechanism that is played after others with the same one in a process in which it is the first."""
    return in_fresh_processes(subject, [{}], lambda alone: _compared(subject, *alone))


def in_fresh_processes(
    subject: AnySubject,
    environments: Iterable[Mapping[str, str]],
    compared: Callable[[list[HostedSubject]], Iterable[Failure | None]],
) -> Probe:
    """Compare a mechanism with itself in a process for each environment, in each of which it is the first.

    Nothing is compared where the factory cannot be imported by its name, or the mechanism gives no answer: other checks
    say so.
    """
    name = subject.importable_name
    if name is None or not can_host():
        return Probe(0)
    with contextlib.ExitStack() as processes:
        # All begin to import the mechanism now.
        made = (HostedSubject(name, quiet=True, limits=HostLimits(environment=each)) for each in environments)
        fresh = [processes.enter_context(each) for each in made]
        try:
            return first_failure(compared(fresh), subject)
        except (MechanismError, InputError):
            return Probe(0)


def _compared(subject: AnySubject, alone: HostedSubject) -> Iterator[Failure | None]:
    domain, law = subject.domain, subject.in_flight
    *others, (played, here) = (scripted(subject, config, _SEED, _STEPS) for config in (*_OTHERS, _COMPARED))
    configs = [other.config for other, _ in others]
    first = ", ".join(f"({vars(each)!r}, {scripted_settlements(each, domain, _PERIOD)!r})" for each in configs)
    before = _BEFORE.format(others=first, seed=_SEED, steps=_STEPS)
    how = "in a process of its own, with no instances before it", "is there state outside the instance?"
    fresh, ending = alone.played(domain=domain, in_flight=law), IN_BOTH.format(environments=({"OTHERS_FIRST": "1"}, {}))
    return compared_again(fresh, played, here, 1, lambda it: it, *how, before=before, ending=ending)


def compared_again(
    subject: AnySubject,
    played: PlayedInteraction,
    answers: Sequence[Answer],
    first: int,
    again: Callable[[AnyMechanism], AnyMechanism],
    how: str,
    why: str,
    **script: Any,
) -> Iterator[Failure | None]:
    """Yield, for each step from the first one at which it is played otherwise, what is another answer; at most one."""
    mechanism = subject.start(played.config, played.seed)
    mechanism.replay(played.settlements[: first - 1])
    step = first

    def failure(told: str, **found: Any) -> Failure:
        return Failure(**vars(played.until(step)), message=f"step {step}: {told}", **found, **script)

    try:
        mechanism = again(mechanism)
        for settlement, due in zip(played.settlements[first - 1 :], answers[first - 1 :], strict=False):
            found = mechanism.assign()
            if found != due:
                told = (
                    f"provider {due[0]} serves for {due[1]:.12g}; {how}, "
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
        yield failure(f"{how}: {error.message}")


#: What goes before the play in the script: it is played once after others, and once alone.
_BEFORE = """\
import json
import os
import subprocess
import sys

# Other instances first, where the environment says so.
for other, settlements in [{others}] if "OTHERS_FIRST" in os.environ else []:
    instance = factory(SimpleNamespace(**other), np.random.default_rng({seed}))
    for k in range({steps}):
        instance.assign()
        instance.settle(*settlements[k % len(settlements)])
"""

#: The script runs itself in two environments, and compares.
IN_BOTH = """\
if sys.argv[1:] == ["elsewhere"]:
    print(json.dumps([int(provider), float(payment)]))
    sys.exit()
answers = []
for environment in {environments!r}:
    command, environment = [sys.executable, __file__, "elsewhere"], {{**os.environ, **environment}}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers.append(json.loads(done.stdout.splitlines()[-1]))
print("in two processes:", answers)
assert answers[0] == answers[1]
"""
