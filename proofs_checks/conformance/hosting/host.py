"""The half of a child in which somebody's mechanism runs.

It answers requests, which are lines of JSON, with what the in-process `Subject` says. What it uses itself is bound
here, before the mechanism is imported and can replace it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import astuple
from functools import lru_cache
from os import _exit, environ, getpid, register_at_fork, write
from typing import IO, Any, NamedTuple, NoReturn

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, arrivals
from proofs_checks.conformance.hosting.endings import BROKEN, CUT_OFF
from proofs_checks.conformance.hosting.leaping_clock import LEAP, leaping_clock
from proofs_checks.conformance.hosting.shared_page import SharedPage
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.any_mechanism import Answer, Saved, Settlement
from proofs_checks.conformance.play.calls import Call, Kind
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.heard_warnings import hear_warnings
from proofs_checks.conformance.play.scenario import Providers, Query, Scenario
from proofs_checks.conformance.play.subject import GuardedMechanism, Subject, seeded_global_randomness
from proofs_checks.conformance.play.time_limit import Stopwatch

_Market = tuple[MechanismConfig, DelayLaw | None]


@lru_cache(maxsize=64)
def _market(text: str) -> _Market:
    """Return a configuration and a law of delay; many instances are started with the same."""
    config, law = json.loads(text)
    return MechanismConfig(**config), None if law is None else DelayLaw(**law)


class _Instance(NamedTuple):
    """A mechanism, and what it was started with."""

    made: GuardedMechanism
    config: MechanismConfig
    law: DelayLaw | None
    seed: int


class Host:
    """One mechanism's factory, and its instances by number."""

    _subject: Subject

    def __init__(self, requests: IO[bytes], replies: int, page: SharedPage) -> None:
        self._requests, self._replies, self._page = requests, replies, page
        self._process, self._stopwatch = getpid(), Stopwatch(1.0)
        register_at_fork(after_in_child=self._note_fork)
        self._instances: dict[int, _Instance] = {}
        self._warned = dict[str, None]()
        self._watching, self._stirred = contextlib.ExitStack(), contextlib.ExitStack()

    def serve(self) -> NoReturn:
        """Answer requests until there is nobody who asks."""
        try:
            for number, line in enumerate(self._requests, 1):
                self._page.expect(number)
                self._say(*self._reply(json.loads(line)))
                self._page.rest()
        except OSError:
            _exit(CUT_OFF)
        except BaseException:  # noqa: BLE001 - what the host rests on was changed
            _exit(BROKEN)
        _exit(CUT_OFF)

    def _reply(self, asked: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        """Return the answer to the last of several calls, or the first error."""
        value = None
        try:
            for instance, method, *arguments in asked:
                value = getattr(self._instances[instance].made if instance else self, method)(*arguments)
        except MechanismError as error:
            return "failed", error.kind, error.message, *self._page.answers()
        except InputError as error:
            return "refused", error.argument, f"{error.value}", error.rule, error.remedy
        return "answered", astuple(value) if isinstance(value, Saved) else value

    def load(self, target: str, time_limit: float) -> None:
        """Import the factory."""
        self._page.enter((Kind.IMPORT,))
        leap = int(environ.get(LEAP, "0"))
        called = leaping_clock(leap) if leap else None  # before the mechanism takes a clock by its name
        loaded = load_factory(target)
        factory = loaded if called is None else lambda config, rng: called(loaded(config, rng))
        self._stopwatch = Stopwatch(time_limit, lambda seconds: self._say("pace", seconds))
        self._stopwatch.noting = self._page.enter
        self._subject = Subject(factory, target, self._stopwatch, alone=True, answered=self._page.answered)
        hear_warnings(self._warned)
        self._watching.enter_context(self._stopwatch.watching())

    def start(
        self, instance: int, market: str, seed: int, generator: int | None = None, since: Sequence[Any] = ()
    ) -> None:
        """Make an instance; with another generator, one that goes on from a saved one."""
        config, law = _market(market)
        settled = None if law is None else arrivals(law, seed)
        made = self._subject.made(config, seed if generator is None else generator, settled=settled)
        if since:
            made.resume(Saved(*since))
        self._instances[instance] = _Instance(made, config, law, seed)

    def scenario(self, instance: int, queries: Sequence[Sequence[Sequence[Any]]], steps: int) -> list[Answer]:
        """Play a scenario whose queries yield what is said, and return the answers."""
        each, answers, oracle = self._instances[instance], list[Answer](), None
        played = Scenario(each.config, each.seed, tuple(tuple(Query(*one) for one in own) for own in queries), steps)
        providers = Providers(played)
        if played.follows_rules:
            from proofs_checks.oracle.rule_oracle import oracle_beside  # loads SymPy, which few mechanisms do

            oracle = oracle_beside(each.config, each.seed, each.law)

        def settling(answer: Answer) -> Settlement:
            answers.append(answer)
            score, _, bid = providers.serve(answer[0], oracle)
            if oracle is not None:
                oracle.settle(answer[0], score, bid)
            return score, bid

        each.made.play(played, steps, settling)
        return answers

    def answers_after(self, market: str, seed: int, plays: Sequence[Any], steps: int) -> list[Any]:
        """Return the answers of a fresh mechanism in each play, or its error: kind and message."""
        config, law = _market(market)
        found = self._subject.played(in_flight=law).answers_after(config, seed, plays, steps)
        return [(each.kind, each.message) if isinstance(each, MechanismError) else each for each in found]

    def drop(self, instance: int) -> None:
        """Forget an instance."""
        self._page.enter((Kind.UPKEEP,))
        self._instances.pop(instance, None)

    def stir(self) -> None:
        """Put the global generators elsewhere."""
        self._stirred.enter_context(seeded_global_randomness())

    def restore(self) -> None:
        """Put them back."""
        self._stirred.close()

    def aftermath(self) -> list[str]:
        """Return what Python has warned of since this was last asked."""
        told = list(self._warned)
        self._warned.clear()
        return told

    def _note_fork(self) -> None:
        """Let the call that follows be none, where both processes return from the one that has forked."""
        self._stopwatch.noting = lambda call: self._leave()

    def _leave(self) -> NoReturn:
        """Leave a copy of the process, after saying so."""
        self._process = getpid()
        told = "returned twice: the mechanism forked, and both processes went on"
        self._say("ended", "returned twice", f"{Call(*self._stopwatch.call)}", told, *self._page.answers())
        _exit(0)

    def _say(self, *said: Any) -> None:
        if getpid() != self._process:  # C code can fork without Python's notice
            self._leave()
        line = json.dumps(said).encode() + b"\n"
        while line:
            line = line[write(self._replies, line) :]
