"""Hostile mechanisms, which `check` loads from this file: classes, and tables of those that do one thing.

They behave like the reference mechanism up to the third step, unless they say otherwise; what they write, they write
into the folder in which they run.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import decimal
import itertools
import math
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from mechanism.platform import reference_mechanism

#: How long something that should be long is.
LONG = 10**6


class Hostile:
    """The reference mechanism; `strike` is what it does besides, from the third step on."""

    first = 3

    def __init__(self, config, rng) -> None:
        self._honest, self.config, self.step = reference_mechanism(config, rng), config, 1

    def assign(self):
        provider, payment = self._honest.assign()
        if self.step >= self.first:
            found = self.strike(provider, payment)
            if found is not None:
                return found
        return provider, payment

    def settle(self, score, bid) -> None:
        self.step += 1
        self._honest.settle(score, bid)

    def strike(self, provider, payment):
        """Do nothing; what is returned is the answer, if it is not None."""


# It ends its process.


class ExitsInSettle(Hostile):
    """os._exit(0) in settle."""

    def settle(self, score, bid) -> None:
        if self.step >= 3:
            os._exit(0)
        super().settle(score, bid)


class OverflowsTheStack(Hostile):
    """Recursion without a limit, down to the end of the C stack."""

    def strike(self, provider, payment):
        sys.setrecursionlimit(10**9)

        def deeper(x):
            return [deeper(y) for y in [x]]

        deeper(0)


class ThreadKills(Hostile):
    """A thread ends the process a little later."""

    def strike(self, provider, payment):
        threading.Timer(0.01, os._exit, (0,)).start()
        time.sleep(0.05)


class CpuLimit(Hostile):
    """A limit of processor time that it sets itself and runs into."""

    def strike(self, provider, payment):
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        while True:
            pass


# It hangs.


class LoopsAndCatchesAll(Hostile):
    """An endless loop that catches every interruption."""

    def strike(self, provider, payment):
        while True:
            with contextlib.suppress(BaseException):
                while True:
                    pass


class LoopsWithoutAlarm(Hostile):
    """SIGALRM is ignored, then an endless loop."""

    def strike(self, provider, payment):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            pass


# It takes too much.


class GrowsInOneCall(Hostile):
    """A list that grows without end, in one call."""

    def strike(self, provider, payment):
        kept = []
        while True:
            kept.append(bytearray(2**24))
            kept[-1][::4096] = b"x" * (2**24 // 4096)


class ChildTakesGigabytes(Hostile):
    """A child process that fills the memory, while the mechanism waits for it."""

    def strike(self, provider, payment):
        code = "kept = []\nwhile True: kept.append(b'x' * 2**26)"
        subprocess.run([sys.executable, "-c", code], check=False)
        time.sleep(LONG)


class ThreadsWithoutEnd(Hostile):
    """Threads that never end, one hundred per call, no daemons."""

    def strike(self, provider, payment):
        for _ in range(100):
            threading.Thread(target=time.sleep, args=(LONG,)).start()
        time.sleep(0.05)


class OneThread(Hostile):
    """A thread that never ends, and then an answer that is none: the run must end all the same."""

    def strike(self, provider, payment):
        threading.Thread(target=time.sleep, args=(LONG,)).start()
        return None, None


class ForkBomb(Hostile):
    """Processes that fork without end."""

    def strike(self, provider, payment):
        while True:
            with contextlib.suppress(OSError):
                os.fork()
            time.sleep(0.02)


class ForksAndChildRaises(Hostile):
    """A fork; the parent dies, and the child goes on in its place."""

    def strike(self, provider, payment):
        if os.fork():
            os._exit(0)


# It meddles with its process.


class RedirectsDescriptors(Hostile):
    """All descriptors become copies of one that leads nowhere."""

    def strike(self, provider, payment):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3, 64):
            if descriptor != nowhere:
                with contextlib.suppress(OSError):
                    os.dup2(nowhere, descriptor)


class WritesIntoDescriptors(Hostile):
    """Text is written into every descriptor."""

    def strike(self, provider, payment):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b'{"conforms": true}\n' * 10)


class PrintsAndAnswersNothing(Hostile):
    """A JSON document is printed on stdout, and then the process ends as if all were well."""

    def strike(self, provider, payment):
        sys.stdout.write('{"conforms": true, "failed": 0}\n')
        os.write(1, b'{"conforms": true, "failed": 0}\n')
        os._exit(0)


class ShallowRecursion(Hostile):
    """The recursion limit becomes so small that nothing can be called."""

    def strike(self, provider, payment):
        frame, depth = sys._getframe(), 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        sys.setrecursionlimit(depth + 4)


class TracesEverything(Hostile):
    """A trace function that raises in whatever runs."""

    def strike(self, provider, payment):
        def trace(frame, event, argument):
            raise RuntimeError("traced")

        sys.settrace(trace)


# What it raises and answers.


class IncomparableConfig(Hostile):
    """It leaves in the configuration what cannot be compared."""

    def __init__(self, config, rng) -> None:
        super().__init__(config, rng)

        class Incomparable:
            def __eq__(self, other):
                raise Mine("no comparison")

            __hash__ = None

        object.__setattr__(config, "cost_bound", Incomparable())

    def strike(self, provider, payment):
        return None


def raises(*_: object) -> None:
    """Raise an error of its own, which is no Exception."""
    raise Mine("mine")


class Mine(BaseException):
    """What code that catches every Exception lets pass."""


def odd(method: str, does: object = raises, base: type = object) -> object:
    """Return an object with a method that does what nobody expects."""
    return type("Odd", (base,), {method: does})()


class SilentError(Exception):
    """An error whose text cannot be read."""

    __str__ = raises


def throws(error: BaseException) -> None:
    """Raise an error."""
    raise error


def replaces(module: object, **names: object) -> None:
    """Put something else in the place of what all code of the process uses."""
    for name, value in names.items():
        setattr(module, name, value)


def daemons(number: int, command: str) -> None:
    """Start daemons of sessions of their own, forked twice."""
    for _ in range(number):
        subprocess.run(["sh", "-c", f"{command} >/dev/null 2>&1 &"], check=False)


#: In the environment of daemons that clear it, so that a test finds them.
MARK = os.environ.get("HARDENING_RUN")
#: What a mechanism does besides, from the third step on.
STRIKES = {
    "ExitsAtOnce": lambda: os._exit(0),
    "Segfaults": lambda: ctypes.string_at(0),
    "KillsItself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "KillsItsGroup": lambda: os.killpg(os.getpgid(0), signal.SIGKILL),
    "KillsItsParent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "ExecutesAnother": lambda: os.execv("/bin/true", ["true"]),
    "Sleeps": lambda: time.sleep(LONG),
    "SleepsWithoutAlarm": lambda: (signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]), time.sleep(LONG)),
    "StopsItself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "ReadsStandardInput": lambda: input("provider? "),
    "AsksForAnExabyte": lambda: np.ones(2**57),
    "Daemons": lambda: daemons(10, f"setsid sleep {LONG}"),
    "DaemonThenExit": lambda: (daemons(1, f"env -i setsid sh -c 'sleep {LONG}; : {MARK}'"), os._exit(0)),
    "ForksAndBothGoOn": os.fork,
    "ClosesStandardDescriptors": lambda: os.closerange(0, 4096),
    "PatchesMath": lambda: replaces(math, sqrt=lambda *_: 0.0, log=lambda *_: 0.0),
    "PatchesBuiltins": lambda: replaces(builtins, isinstance=lambda *_: True, len=lambda *_: 0),
    "PatchesTime": lambda: replaces(time, monotonic=lambda: 0.0),
    "PatchesOs": lambda: replaces(os, write=lambda *_: 0, _exit=lambda *_: None),
    "RaisesKeyboardInterrupt": lambda: throws(KeyboardInterrupt()),
    "RaisesABaseException": raises,
    "RaisesAnErrorWithoutText": lambda: throws(SilentError()),
}
#: What it answers instead of the right provider and payment, from the third step on.
ANSWERS = {
    "EndlessAnswer": lambda provider, payment: itertools.repeat(0),
    "HugePayment": lambda provider, payment: (provider, 10**5000),
    "HugeProvider": lambda provider, payment: (10**4999, payment),
    "DecimalPayment": lambda provider, payment: (provider, decimal.Decimal(10) ** 999_999),
    "LongText": lambda provider, payment: (provider, "\x1b[31m\u202e" * 10**7),
    "SystemExitInIndex": lambda provider, payment: (odd("__index__", lambda _: sys.exit(0)), payment),
    "BaseExceptionInFloat": lambda provider, payment: (provider, odd("__float__", base=float)),
    "BaseExceptionInRepr": lambda provider, payment: (provider, odd("__repr__")),
    "BaseExceptionInIter": lambda provider, payment: odd("__iter__"),
    "LyingClass": lambda provider, payment: (provider, odd("__class__", property(lambda _: float))),
    "RaisingClass": lambda provider, payment: (provider, odd("__class__", property(raises))),
}


def kind(name: str, strike: object, **more: object) -> type[Hostile]:
    """Return a hostile mechanism."""
    return type(name, (Hostile,), {"strike": strike, **more})


def beside(act):
    """Return a strike that acts, and leaves the right answer."""

    def strike(self, provider, payment) -> None:
        act()

    return strike


#: Every kind by name; `check` loads them from this module.
KINDS = {
    **{made.__name__: made for made in Hostile.__subclasses__()},
    **{name: kind(name, beside(act)) for name, act in STRIKES.items()},
    **{name: kind(name, lambda _, *right, answer=answer: answer(*right)) for name, answer in ANSWERS.items()},
    "ExitsLate": kind("ExitsLate", beside(STRIKES["ExitsAtOnce"]), first=1000),
}
globals().update(KINDS)
