"""A mechanism in a fresh process, where nothing that other instances left behind can reach it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from proofs_checks.conformance.checks.search import Probe, first_failure
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.within import can_host
from proofs_checks.conformance.play.any_mechanism import Answer
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


def scripted_settlements(config: MechanismConfig, domain: Domain, steps: int = _STEPS - 1) -> list[tuple[float, float]]:
    """Return how a mechanism is answered, whoever serves."""
    bound = config.cost_bound
    return [(domain.score(7 * step % 10 / 10), 3 * step % 8 / 8 * bound) for step in range(1, steps + 1)]


def compare_with_a_fresh_process(subject: AnySubject) -> Probe:
    """Compare a mechanism that is played after others with the same one in a process in which it is the first."""
    return in_fresh_processes(subject, 1, lambda alone: _compared(subject, *alone))


def in_fresh_processes(
    subject: AnySubject, count: int, compared: Callable[[list[HostedSubject]], Iterable[Failure | None]]
) -> Probe:
    """Compare a mechanism with itself in so many processes, in each of which it is the first.

    Nothing is compared where the factory cannot be imported by its name, or the mechanism gives no answer: other checks
    say so.
    """
    name = subject.importable_name
    if name is None or not can_host():
        return Probe(0)
    with contextlib.ExitStack() as processes:
        # All begin to import the mechanism now.
        fresh = [processes.enter_context(HostedSubject(name, quiet=True)) for _ in range(count)]
        try:
            return first_failure(compared(fresh), subject)
        except (MechanismError, InputError):
            return Probe(0)


def _compared(subject: AnySubject, alone: HostedSubject) -> Iterator[Failure | None]:
    *_, here = (_answers(subject, config, subject.domain) for config in (*_OTHERS, _COMPARED))
    fresh = alone.played(domain=subject.domain, in_flight=subject.in_flight)
    for step, (answer, other) in enumerate(zip(here, _answers(fresh, _COMPARED, subject.domain), strict=True), 1):
        yield None if answer == other else _failure(step, here, other, subject)


def _answers(subject: AnySubject, config: MechanismConfig, domain: Domain) -> list[Answer]:
    config = domain.config(config)
    return answers_to(subject, config, _SEED, scripted_settlements(config, domain))


def _failure(step: int, here: Sequence[Answer], alone: Answer, subject: AnySubject) -> Failure:
    (provider, payment), domain = here[step - 1], subject.domain
    message = (
        f"step {step}: provider {provider} is paid {payment:.12g}, but in a process of its own, with no instances "
        f"before it, the same seed and history answer provider {alone[0]} for {alone[1]:.12g}: "
        "is there state outside the instance?"
    )
    played = [domain.config(config) for config in _OTHERS]
    others = ", ".join(f"({vars(config)!r}, {scripted_settlements(config, domain, _PERIOD)!r})" for config in played)
    compared = domain.config(_COMPARED)
    return Failure(
        message=message,
        config=compared,
        seed=_SEED,
        settlements=tuple(scripted_settlements(compared, domain, step - 1)),
        providers=tuple(answer[0] for answer in here[: step - 1]),
        expected=list(alone),
        found=[provider, payment],
        before=_BEFORE.format(others=others, seed=_SEED, steps=_STEPS - 1),
        ending=_ENDING,
        in_flight=subject.in_flight,
    )


#: What goes before and after the play in the script: it is played once after others, and once alone.
_BEFORE = """\
import json
import subprocess
import sys

# Other instances first, unless this is the process in which there are none.
for other, settlements in [] if sys.argv[1:] == ["alone"] else [{others}]:
    instance = factory(SimpleNamespace(**other), np.random.default_rng({seed}))
    for k in range({steps}):
        instance.assign()
        instance.settle(*settlements[k % len(settlements)])
"""

_ENDING = """\
if sys.argv[1:] == ["alone"]:
    print(json.dumps([int(provider), float(payment)]))
    sys.exit()
done = subprocess.run([sys.executable, __file__, "alone"], capture_output=True, text=True, check=True)
alone = json.loads(done.stdout.splitlines()[-1])
assert [provider, payment] == alone, f"in a process of its own it answers {alone}"
"""
