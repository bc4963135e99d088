"""A mechanism under test, in this process: every answer is timed and checked before anything else looks at it."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import math
import numbers
import operator
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import CoroutineType
from typing import Any, TypeVar

import numpy as np
from numpy.random import default_rng

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.delays import Waiting, arrivals
from proofs_checks.conformance.play.any_mechanism import Aftermath, Answer, Arrival, Offer, OneByOne, Saved, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.calls import NO_TICKETS, Call, CallFields, Kind
from proofs_checks.conformance.play.errors import OUTSIDE, MechanismError, Misbehaviour, Outside
from proofs_checks.conformance.play.json_state import what_json_refuses
from proofs_checks.conformance.play.raised_at import raised_at
from proofs_checks.conformance.play.time_limit import OverTime, Stopwatch
from proofs_checks.conformance.play.two_threads import TwoThreads

Factory = Callable[[Any, np.random.Generator], Any]
Returned = TypeVar("Returned")

#: Arguments of `settle` with queries in flight.
_TICKET = 3

#: Seconds that one call may take.
TIME_LIMIT = 5.0
#: Characters of a strange value that a message shows, and of the text of an error.
_SHOWN, _TOLD = 60, 200
#: A whole number from here on is told by its length.
_MANY_DIGITS = 10**30


def name_of(factory: Factory) -> str:
    """Return ``MODULE:OBJECT`` of a factory, for want of a name."""
    if not hasattr(factory, "__qualname__"):
        # An instance that can be called, or a partial function: no name leads to it, and scripts leave a line to fill.
        return f"<{type(factory).__name__}>"
    return f"{factory.__module__}:{factory.__qualname__}"


@contextlib.contextmanager
def seeded_global_randomness(seed: int | None = None) -> Iterator[None]:
    """Seed the global generators of this process, at random by default, and put them back: who reads them shows it."""
    legacy, standard = np.random.get_state(), random.getstate()  # noqa: NPY002 - to find mechanisms that use it
    chosen = random.getrandbits(32) if seed is None else seed
    np.random.seed(chosen)  # noqa: NPY002
    random.seed(chosen)
    try:
        yield
    finally:
        np.random.set_state(legacy)  # noqa: NPY002
        random.setstate(standard)


@dataclass(frozen=True, eq=False)
class Subject(AnySubject):
    """A factory under test: from (configuration, numpy.random.Generator) to an object with `assign` and `settle`.

    Parameters
    ----------
    factory : callable
    name : str
        As reports call it; ``MODULE:OBJECT`` can be imported by a script.
    stopwatch : Stopwatch, optional
        Limits each call while it is `watching`.
    alone : bool, optional
        Whether nobody but the mechanism can interrupt this process: a `KeyboardInterrupt` is then its own.
    answered : callable, optional
        Called with every answer: provider and payment.
    prefix : str, optional
        What the messages of its errors begin with, where several mechanisms play.
    """

    factory: Factory
    name: str
    stopwatch: Stopwatch = field(default_factory=lambda: Stopwatch(TIME_LIMIT))
    alone: bool = False
    answered: Callable[[int, float], None] = lambda provider, payment: None
    prefix: str = ""

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

    def _started(self, config: MechanismConfig, seed: int) -> GuardedMechanism:
        return self.made(config, seed, settled=None if self.in_flight is None else arrivals(self.in_flight, seed))

    def made(
        self,
        config: MechanismConfig,
        seed: int | np.random.Generator,
        *,
        settled: Callable[[int], int] | None = None,
        market: Setting | None = None,
    ) -> GuardedMechanism:
        """Return a fresh mechanism, with a generator of its own or the one given; errors as of `start`.

        With `settled`, from a step to the last one assigned before its score and bid arrive, it is of the ticket form.
        On a market it may leave a payment open, by None: the user pays what the provider invoices after serving. It
        must give each provider one of the first N queries there: the bids of others would be unknown.
        """
        guard = _Guard(self.stopwatch, self.alone, self.prefix)

        def anew(seed: int | np.random.Generator) -> tuple[Any, MechanismConfig]:
            given = copy.copy(config)  # its own, so that a change is noticed and does no harm
            rng = default_rng(seed)
            return guard.called((Kind.FACTORY,), _made, self.factory, given, rng), given

        return GuardedMechanism(anew, seed, config, guard, answered=self.answered, settled=settled, market=market)

    def other_global_randomness(self) -> contextlib.AbstractContextManager[None]:
        """Put the global generators elsewhere within, and back afterwards."""
        return seeded_global_randomness()

    def aftermath(self) -> Aftermath:
        """Return nothing: in this process warnings are heard by the suite, and names are everybody's."""
        return Aftermath()


def _made(factory: Factory, config: MechanismConfig, rng: np.random.Generator) -> Any:
    made = factory(config, rng)
    _refuse_coroutine(made)
    for method in ("assign", "settle"):
        if not callable(getattr(made, method, None)):
            raise _WrongError("wrong type", f"returned {_shown(made)} without {method}()")
    return made


class GuardedMechanism(OneByOne):
    """A mechanism whose calls are timed and whose answers are checked.

    `anew` makes one from a generator or its seed, with the copy of `config` that it gets. With `settled` it hears of a
    step when feedback arrives.
    """

    def __init__(
        self,
        anew: Callable[[int | np.random.Generator], tuple[Any, MechanismConfig]],
        seed: int | np.random.Generator,
        config: MechanismConfig,
        guard: _Guard,
        *,
        answered: Callable[[int, float], None],
        settled: Callable[[int], int] | None = None,
        market: Setting | None = None,
    ) -> None:
        self._answered = answered
        self._waiting = None if settled is None else Waiting[Settlement](settled)
        self._anew, self._guard, self._config, self._market = anew, guard, config, market
        self._n_providers = config.n_providers
        #: Who is due one of the first N queries.
        self._due = set(range(self._n_providers)) if market else set[int]()
        self._mechanism, self._given = anew(seed)
        self.step, self._assigned = 1, 0
        self._handing: Arrival | None = None
        self._at_once = TwoThreads(seed if isinstance(seed, int) else 0)

    def assign(self) -> Answer:
        """Hand over what has arrived; return who serves the next query and what the user pays, checked.

        Raises
        ------
        MechanismError
            It raised, took too long, or answered with anything but an index and a finite number.
        """
        if self._waiting is not None:
            self._hand_over([(score, bid, query) for query, (score, bid) in self._waiting.arrived(self.step - 1)])
        self._assigned = max(self._assigned + 1, self.step)
        provider, payment = answer = self._guard.called((Kind.ASSIGN, self._assigned), self._answer)
        if self._due:
            self._initialize(provider)
        self._answered(provider, payment)
        return answer

    def handing_over(self, how: Arrival) -> GuardedMechanism:
        """Return the mechanism: what arrives together is handed over in reverse, or two at a time by two threads."""
        self._handing = how
        return self

    def _hand_over(self, arrived: list[tuple[float, float, int]]) -> None:
        if self._handing == "reversed":
            arrived.reverse()
        while self._handing == "at once" and len(arrived) > 1:
            (score, bid, query), second, *rest = arrived
            both = partial(self._settle, score, bid, query), partial(self._settle, *second)
            self._guard.called((Kind.SETTLE, query, score, bid, query), self._at_once, *both)
            arrived = rest
        for score, bid, query in arrived:
            self.settle(score, bid, query)

    def _initialize(self, provider: int) -> None:
        if provider not in self._due and self._market is not None:
            twice = f"its first {self._n_providers} queries serve {self._market.providers[provider].name} twice"
            raise MechanismError("no such provider", f"{self._guard.prefix}{twice}: each provider is due one")
        self._due.remove(provider)

    def _answer(self) -> Answer:
        provider, payment = _pair(self._mechanism.assign())
        is_open = payment is None and self._market is not None
        return _provider(provider, self._n_providers), math.nan if is_open else _payment(payment)

    def invoice(self, amount: float, query: int | None = None) -> None:
        """Tell a mechanism that left a payment open what was paid, before the query is settled; one may not ask.

        Raises
        ------
        MechanismError
            It raised or took too long.
        """
        if not callable(getattr(self._mechanism, "invoice", None)):
            return
        call = (Kind.INVOICE, self.step if query is None else query, amount)
        arguments = (amount,) if query is None else (amount, query)
        self._guard.called(call, lambda: _refuse_coroutine(self._mechanism.invoice(*arguments)))

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Hand over the score and the standing bid; with the number of its query where several are in flight.

        Raises
        ------
        MechanismError
            It raised or took too long.
        """
        if query is not None:
            self._guard.called((Kind.SETTLE, query, score, bid, query), self._settle, score, bid, query)
            return
        if self._waiting is not None:
            self._waiting.add(self.step, (score, bid))
        else:
            self._guard.called((Kind.SETTLE, self.step, score, bid), self._settle, score, bid)
        self.step += 1

    def _settle(self, *arguments: float) -> None:
        method = self._mechanism.settle
        try:
            returned = method(*arguments)
        except TypeError:
            if len(arguments) == _TICKET and _takes(method, arguments[:2]) and not _takes(method, arguments):
                raise _WrongError("raised", f"was refused: {NO_TICKETS}") from None
            raise
        if returned is not None:
            _refuse_coroutine(returned)

    def finish(self) -> None:
        """Return: what has not been handed over after the last step never arrives."""

    def offers(self, what: Offer) -> bool:
        """Return whether it has `state` and `restore`, or holds a lock, as one does that several threads call."""
        if what == "threads":
            return self._guard.called((Kind.UPKEEP,), _holds_a_lock, self._mechanism)
        found = (getattr(self._mechanism, name, None) for name in ("state", "restore"))
        return self._guard.called((Kind.UPKEEP,), lambda: all(callable(method) for method in found))

    def restart(self, seed: int) -> None:
        """Save its state as JSON, make the mechanism anew with another generator, and restore the state there.

        Raises
        ------
        MechanismError
            It raised or took too long, or its state is nothing that JSON holds.
        """
        state = self._saved_state()
        self._mechanism, self._given = self._anew(seed)
        self._restore(state)

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""
        left = () if self._waiting is None else self._waiting.left()
        return Saved(self._saved_state(), self.step, tuple((query, score, bid) for query, (score, bid) in left))

    def resume(self, since: Saved) -> None:
        """Take back a state of a mechanism of the ticket form, and what was in flight; errors as of `restart`."""
        self.step, self._assigned = since.step, since.step - 1
        for query, score, bid in since.waiting:
            self._waiting.add(query, (score, bid))  # type: ignore[union-attr]
        self._restore(since.state)

    def _saved_state(self) -> str:
        return self._guard.called((Kind.STATE, self._assigned + 1), lambda: _saved(self._mechanism.state()))

    def _restore(self, state: str) -> None:
        call = (Kind.RESTORE, self._assigned + 1)
        self._guard.called(call, lambda: _refuse_coroutine(self._mechanism.restore(json.loads(state))))

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None.

        Raises
        ------
        MechanismError
            It left a value there that cannot be compared.
        """
        return self._guard.called((Kind.UPKEEP,), self._change)

    def _change(self) -> str | None:
        before, after = vars(self._config), vars(self._given)
        changed = [name for name in sorted(before.keys() | after.keys()) if _differ(before.get(name), after.get(name))]
        told = (f"{name} from {_brief(before.get(name))} to {_brief(after.get(name))}" for name in changed)
        return ", ".join(told) or None


def _differ(before: Any, after: Any) -> bool:
    return before is not after and (type(before) is not type(after) or bool(before != after))


class _WrongError(Exception):
    """An answer is none; the message follows the name of the call."""

    def __init__(self, kind: Misbehaviour, message: str) -> None:
        super().__init__(message)
        self.kind: Misbehaviour = kind


class _Guard:
    """Calls somebody's code: timed, and all that it raises becomes a `MechanismError`.

    Looking at an answer is somebody's code as well (`__iter__`, `__index__`, `__float__`, `__repr__`): it belongs into
    the call.
    """

    def __init__(self, stopwatch: Stopwatch, alone: bool, prefix: str) -> None:
        self._stopwatch, self._alone, self.prefix = stopwatch, alone, prefix

    def called(self, call: CallFields, function: Callable[..., Returned], *arguments: Any) -> Returned:
        """Return what a function returns; `call` says what its error is an error of."""
        stopwatch = self._stopwatch
        wrong: MechanismError | None = None
        try:
            stopwatch.begin(call)
            try:
                answer = function(*arguments)
            except OverTime:
                raise
            except BaseException as error:
                if type(error) is KeyboardInterrupt and not self._alone:
                    raise  # somebody pressed Ctrl-C
                wrong = self._misbehaved(call, error)
                wrong.__cause__ = error
            finally:
                stopwatch.end()
        except OverTime:
            raise self._error("too slow", call, stopwatch.told) from None
        if stopwatch.exceeded:  # not interrupted, or it caught the interruption
            raise self._error("too slow", call, stopwatch.told)
        if wrong is not None:
            raise wrong
        return answer

    def _misbehaved(self, call: CallFields, error: BaseException) -> MechanismError:
        if type(error) is _WrongError:
            return self._error(error.kind, call, f"{error}")
        kind: Misbehaviour | Outside = OUTSIDE if isinstance(error, NotImplementedError) else "raised"
        return self._error(kind, call, f"raised {_told(error)}")

    def _error(self, kind: Misbehaviour | Outside, call: CallFields, told: str) -> MechanismError:
        return MechanismError(kind, f"{self.prefix}{Call(*call)} {told}")


def _told(error: BaseException) -> str:
    """Return kind, text and place of an error of somebody's code."""
    try:
        text, place = " ".join(str(error).split())[:_TOLD], raised_at(error, __file__)
        said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    except OverTime:
        raise
    except BaseException:  # noqa: BLE001 - anybody's __str__
        return f"{_type_name(error)}, whose text cannot be read"
    return said if place is None else f"{said} ({place})"


def _refuse_coroutine(answer: Any) -> None:
    if isinstance(answer, CoroutineType):
        answer.close()  # or Python warns that it was never awaited
        raise _WrongError("wrong type", "returned a coroutine, which nothing awaits: write def, not async def")


def _takes(method: Callable[..., Any], arguments: tuple[float, ...]) -> bool:
    try:
        inspect.signature(method).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def _holds_a_lock(it: Any) -> bool:
    """Return whether an attribute of an object is a lock of threads."""
    attributes = getattr(it, "__dict__", {}).values()
    return any(hasattr(each, "acquire") and type(each).__module__ in ("_thread", "threading") for each in attributes)


def _saved(state: Any) -> str:
    _refuse_coroutine(state)
    try:
        return json.dumps(state)
    except (TypeError, ValueError, RecursionError):
        told = what_json_refuses(state) or f"it is {_shown(state)}, which JSON cannot hold"
        raise _WrongError("wrong type", f"returned what is not JSON: {told}") from None


def _pair(answer: Any) -> tuple[Any, Any]:
    _refuse_coroutine(answer)
    try:
        if issubclass(type(answer), (dict, set, frozenset, str, bytes)):  # two keys or characters are no answer
            raise TypeError
        provider, payment = answer
    except (TypeError, ValueError):
        raise _WrongError("wrong type", f"returned {_shown(answer)}, not (provider, payment)") from None
    return provider, payment


def _provider(provider: Any, n_providers: int) -> int:
    if isinstance(provider, (bool, np.bool_)) or not hasattr(type(provider), "__index__"):
        raise _WrongError("wrong type", f"names the provider {_shown(provider)}, not a whole number")
    try:
        index = int.__int__(operator.index(provider))  # no subclass, whose comparisons are somebody's code
    except TypeError:
        raise _WrongError("wrong type", f"names the provider {_shown(provider)}, not a whole number") from None
    if not 0 <= index < n_providers:
        raise _WrongError("no such provider", f"names the provider {_whole(index)}, outside 0..{n_providers - 1}")
    return index


def _payment(payment: Any) -> float:
    if isinstance(payment, (bool, np.bool_)) or not isinstance(payment, numbers.Real):
        raise _WrongError("wrong type", f"pays {_shown(payment)}, not a real number")
    try:
        amount = float(payment)
    except OverflowError:
        raise _WrongError("not finite", f"pays {_large(payment)}, which no float holds") from None
    if not math.isfinite(amount):
        raise _WrongError("not finite", f"pays {amount}")
    return amount


def _large(payment: Any) -> str:
    return _whole(int.__int__(payment)) if isinstance(payment, int) else _shown(payment)


def _whole(number: int) -> str:
    """Return a whole number, or how long it is: Python itself refuses to write one of 5,000 digits."""
    if abs(number) < _MANY_DIGITS:
        return f"{number}"
    return f"{'-' if number < 0 else ''}10^{math.floor(abs(number).bit_length() * math.log10(2)):,} or so"


def _shown(value: Any) -> str:
    return f"{_brief(value)} ({_type_name(value)})"


def _type_name(value: Any) -> str:
    """Return the name of a type, for any metaclass."""
    return str(type.__dict__["__name__"].__get__(type(value)))[:_SHOWN]


def _brief(value: Any) -> str:
    try:
        return " ".join(repr(value).split())[:_SHOWN]
    except OverTime:
        raise
    except BaseException:  # noqa: BLE001 - anybody's __repr__
        return "..."
