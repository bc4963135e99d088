"""A mechanism under test: every answer is timed and checked before anything else looks at it."""

from __future__ import annotations

import copy
import math
import numbers
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CoroutineType
from typing import Any, Literal

import numpy as np

from mechanism.config import MechanismConfig
from proofs_checks.conformance.play.raised_at import raised_at
from proofs_checks.conformance.play.time_limit import OverTime, Stopwatch

Factory = Callable[[Any, np.random.Generator], Any]
Misbehaviour = Literal["raised", "wrong type", "not finite", "no such provider", "too slow"]

#: Seconds that one call may take.
TIME_LIMIT = 5.0


class MechanismError(Exception):
    """A mechanism did not answer as the contract says; `message` says what was called and what came of it."""

    def __init__(self, kind: Misbehaviour, message: str) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message


def name_of(factory: Factory) -> str:
    """Return ``MODULE:OBJECT`` of a factory, for want of a name."""
    if not hasattr(factory, "__qualname__"):
        # An instance that can be called, or a partial function: no name leads to it, and scripts leave a line to fill.
        return f"<{type(factory).__name__}>"
    return f"{factory.__module__}:{factory.__qualname__}"


@dataclass(frozen=True)
class Subject:
    """A factory under test: from (configuration, numpy.random.Generator) to an object with `assign` and `settle`."""

    factory: Factory
    #: As reports call it; ``MODULE:OBJECT`` can be imported by a script.
    name: str
    #: Limits each call while it is `watching`.
    stopwatch: Stopwatch = field(default_factory=lambda: Stopwatch(TIME_LIMIT))

    @property
    def importable_name(self) -> str | None:
        """``MODULE:OBJECT``, or a file, where that leads to the factory in another process too; else None."""
        module, _, name = (self.name if ":" in self.name else name_of(self.factory)).rpartition(":")
        if module.endswith(".py"):
            return self.name
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        return f"{module}:{name}" if found is self.factory and module != "__main__" else None

    def start(self, config: MechanismConfig, seed: int | np.random.Generator) -> GuardedMechanism:
        """Return a fresh mechanism, with a generator of its own or the one given.

        Raises
        ------
        MechanismError
            The factory raised, took too long, or returned no mechanism.
        """
        given = copy.copy(config)  # its own, so that a change is noticed and does no harm
        rng = np.random.default_rng(seed)
        made = _called(self.stopwatch, "factory(config, rng)", lambda: self.factory(given, rng))
        for method in ("assign", "settle"):
            if not callable(getattr(made, method, None)):
                raise MechanismError("wrong type", f"factory(config, rng) returned {_shown(made)} without {method}()")
        return GuardedMechanism(made, config, given, self.stopwatch)


class GuardedMechanism:
    """A mechanism whose calls are timed and whose answers are checked; `given` is the copy of `config` that it got."""

    def __init__(self, mechanism: Any, config: MechanismConfig, given: MechanismConfig, stopwatch: Stopwatch) -> None:
        self._mechanism, self._stopwatch = mechanism, stopwatch
        self._config, self._given = config, given
        self._step = 1

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays, checked.

        Raises
        ------
        MechanismError
            It raised, took too long, or answered with anything but an index and a finite number.
        """
        call = f"assign() at step {self._step}"
        provider, payment = _pair(call, _called(self._stopwatch, call, self._mechanism.assign))
        return _provider(call, provider, self._config.n_providers), _payment(call, payment)

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid.

        Raises
        ------
        MechanismError
            It raised or took too long.
        """
        call = f"settle({score!r}, {bid!r}) at step {self._step}"
        _called(self._stopwatch, call, lambda: self._mechanism.settle(score, bid))
        self._step += 1

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        before, after = vars(self._config), vars(self._given)
        changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
        return ", ".join(f"{name} from {before.get(name)!r} to {after.get(name)!r}" for name in changed) or None


def _called(stopwatch: Stopwatch, call: str, function: Callable[[], Any]) -> Any:
    try:
        with stopwatch.timing(call):
            answer = function()
    except OverTime:
        raise _too_slow(stopwatch, call) from None
    except (Exception, SystemExit, GeneratorExit) as error:
        if stopwatch.exceeded:
            raise _too_slow(stopwatch, call) from error
        raise MechanismError("raised", f"{call} raised {_told(error)}") from error
    if stopwatch.exceeded:  # not interrupted, or it caught the interruption
        raise _too_slow(stopwatch, call)
    if isinstance(answer, CoroutineType):
        answer.close()  # or Python warns that it was never awaited
        message = f"{call} returned a coroutine, which nothing awaits: write def, not async def"
        raise MechanismError("wrong type", message)
    return answer


def _told(error: BaseException) -> str:
    """Return kind, text and place of an error of somebody's code."""
    text, place = " ".join(str(error).split())[:200], raised_at(error, __file__)
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return said if place is None else f"{said} ({place})"


def _too_slow(stopwatch: Stopwatch, call: str) -> MechanismError:
    return MechanismError("too slow", f"{call} took more than {stopwatch.limit:g} s")


def _pair(call: str, answer: Any) -> tuple[Any, Any]:
    try:
        provider, payment = answer
    except (TypeError, ValueError):
        raise MechanismError("wrong type", f"{call} returned {_shown(answer)}, not (provider, payment)") from None
    return provider, payment


def _provider(call: str, provider: Any, n_providers: int) -> int:
    try:
        index = None if isinstance(provider, (bool, np.bool_)) else operator.index(provider)
    except TypeError:
        index = None
    if index is None:
        raise MechanismError("wrong type", f"{call} names the provider {_shown(provider)}, not a whole number")
    if not 0 <= index < n_providers:
        raise MechanismError("no such provider", f"{call} names the provider {index}, outside 0..{n_providers - 1}")
    return index


def _payment(call: str, payment: Any) -> float:
    if isinstance(payment, (bool, np.bool_)) or not isinstance(payment, numbers.Real):
        raise MechanismError("wrong type", f"{call} pays {_shown(payment)}, not a real number")
    amount = float(payment)
    if not math.isfinite(amount):
        raise MechanismError("not finite", f"{call} pays {amount}")
    return amount


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - anybody's __repr__
        text = "..."
    return f"{text[:60]} ({type(value).__name__})"
