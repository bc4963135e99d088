"""Mechanisms of strangers, each broken in its own way, as a module that `check` loads by path or by name."""

import sys
import time
from typing import ClassVar

from mechanism.platform import reference_mechanism


class Honest:
    """The reference mechanism; what is broken below is broken here."""

    def __init__(self, config, rng) -> None:
        self._honest, self.config, self.step = reference_mechanism(config, rng), config, 1

    def assign(self):
        return self._honest.assign()

    def settle(self, score, bid) -> None:
        self.step += 1
        self._honest.settle(score, bid)


class Answers(Honest):
    """Answers what `answer` makes of the right answer from the third step."""

    def assign(self):
        provider, payment = self._honest.assign()
        return self.answer(provider, payment) if self.step >= 3 else (provider, payment)


class Raises(Answers):
    def answer(self, provider, payment):
        raise KeyError(f"no price for [bold]{provider}[/bold]")


class Exits(Answers):
    def answer(self, provider, payment):
        sys.exit(0)


class RaisesWhenSettled(Honest):
    def settle(self, score, bid) -> None:
        if self.step >= 3:
            raise ZeroDivisionError("no grades")
        super().settle(score, bid)


def answering(name, answer):
    return type(name, (Answers,), {"answer": answer})


NaN = answering("NaN", lambda it, provider, payment: (provider, float("nan")))
Negative = answering("Negative", lambda it, provider, payment: (provider, -payment))


class Sleeps(Answers):
    def answer(self, provider, payment):
        try:
            time.sleep(10**6)
        except Exception:  # noqa: BLE001 - as careless code does
            return provider, payment
        return provider, payment


class ChangesConfig(Honest):
    def __init__(self, config, rng) -> None:
        super().__init__(config, rng)
        object.__setattr__(config, "cost_bound", 2.0 * config.cost_bound)


class SharedMemory(Honest):
    """Remembers payments by step, for all instances, from the hundredth step on."""

    paid: ClassVar[dict[int, float]] = {}

    def assign(self):
        provider, payment = super().assign()
        return provider, payment if self.step < 100 else self.paid.setdefault(self.step, payment)


class SharedState(Honest):
    """What one instance is told, the others know."""

    settled: ClassVar[list[int]] = [0]

    def assign(self):
        provider, payment = self._honest.assign()
        return provider, payment * (1 - 1e-3 * (self.settled[0] % 7))

    def settle(self, score, bid) -> None:
        self.settled[0] += 1
        super().settle(score, bid)


class Prints(Honest):
    def assign(self):
        sys.stdout.write("{ routing }\n")
        return super().assign()


class NoMethods:
    def __init__(self, config, rng) -> None:
        pass


class Nested:
    factory = Honest


def returns_nothing(config, rng) -> None:
    pass


def raises_at_once(config, rng) -> None:
    raise OSError("no licence")


not_callable = 7
