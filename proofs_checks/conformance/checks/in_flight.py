"""Queries in flight: feedback that overtakes, that never arrives, and that two threads hand over at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile

from mechanism.delays import DelayLaw
from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.fresh_process import compared_again
from proofs_checks.conformance.checks.restart import where_offered
from proofs_checks.conformance.checks.rules import EVERY_RULE, comparing
from proofs_checks.conformance.checks.search import Probe, first_failure, searching
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.late_feedback import losing, overtaking
from proofs_checks.conformance.play.two_threads import TwoThreads
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.conformance.strategies.scenarios import FAMILIES
from proofs_checks.conformance.strategies.within import Family


def _under(changed: Callable[[DelayLaw], DelayLaw], search: Run) -> Run:
    """Return a search that plays a mechanism under another law than the one that was named."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        law = changed(DelayLaw(most=0) if subject.in_flight is None else subject.in_flight)
        return search(subject.played(in_flight=law), seed, effort)

    return run


def _from_two_threads(subject: AnySubject, interaction: Interaction) -> Probe:
    """Compare answers where two threads hand over feedback, as long as its order alone makes no difference."""
    config, seed = interaction.config, interaction.scenario.seed
    answers = [(event.provider, event.payment) for event in interaction.events]

    reverse = subject.start(config, seed).handing_over("reversed").replay(interaction.settlements)
    alike = [due for due, _ in takewhile(lambda pair: pair[0] == pair[1], zip(answers, reverse, strict=True))]
    how = "if two threads hand over feedback at once", "is some of it lost?"
    script = {"before": _BEFORE, "ending": _ENDING.format(threads=inspect.getsource(TwoThreads))}
    found = compared_again(subject, interaction.played, alike, 1, lambda it: it.handing_over("at once"), *how, **script)
    return first_failure(found, subject)


_BEFORE = """\
import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
"""
_ENDING = """

{threads}

class AtOnce(InFlight):
    def hand_over(self, arrived):
        while len(arrived) > 1:
            first, second, *arrived = arrived
            at_once(lambda: self.made.settle(*first), lambda: self.made.settle(*second))
        super().hand_over(arrived)


# Once more, where two threads hand over what arrives together:
at_once = TwoThreads(seed)
again = AtOnce(config, np.random.default_rng(seed))
for score, bid in history:
    again.assign()
    again.settle(score, bid)
answer = again.assign()
print("from two threads:", answer)
assert answer == (provider, payment)
"""
_EVERY_STEP = searching(comparing(EVERY_RULE), ["auctions", "noisy", "exploring", "screening", "band edge"], share=0.5)


def _steady(family: Family) -> Family:
    """Return scenarios in which all queries of a provider yield the same: their order makes no difference."""
    return lambda: family().map(lambda each: replace(each, queries=tuple(own[:1] for own in each.queries)))


_THREADS = searching(
    _from_two_threads, {name: _steady(FAMILIES[name]) for name in ("auctions", "exploring", "noisy")}, share=0.25
)
LATE_CHECKS = (
    check_of("threads", where_offered("threads", _under(overtaking, _THREADS))),
    check_of("overtaking-feedback", _under(overtaking, _EVERY_STEP)),
    check_of("lost-feedback", _under(losing, _EVERY_STEP)),
)
