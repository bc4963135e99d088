"""Hostile mechanisms, which `check` loads from this file: classes, and tables of those that do one thing.

They behave like the reference mechanism up to the third step, unless they say otherwise; what they write, they write
into the folder in which they run.
"""

import builtins
import contextlib
import ctypes
import decimal
import itertools
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from mechanism.platform import reference_mechanism

#: A file that is there if anybody has unpickled what a mechanism wrote.
UNPICKLED = "unpickled"
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


class ExitsInSettle(Hostile):
    def settle(self, score, bid) -> None:
        if self.step >= 3:
            os._exit(0)
        super().settle(score, bid)


class IncomparableConfig(Hostile):
    """It leaves in the configuration what cannot be compared."""

    def __init__(self, config, rng) -> None:
        super().__init__(config, rng)
        object.__setattr__(config, "cost_bound", odd("__eq__"))


# It ends its process.


def overflows_the_stack() -> None:
    sys.setrecursionlimit(10**9)

    def deeper(x):
        return [deeper(y) for y in [x]]

    deeper(0)


def thread_kills() -> None:
    threading.Timer(0.01, os._exit, (0,)).start()
    time.sleep(0.05)


def cpu_limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass


# It hangs.


def loops_and_catches_all() -> None:
    while True:
        with contextlib.suppress(BaseException):
            while True:
                pass


def loops_without_alarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        pass


# It takes too much.


def grows_in_one_call() -> None:
    kept = []
    while True:
        kept.append(bytearray(2**24))
        kept[-1][::4096] = b"x" * (2**24 // 4096)


def child_takes_gigabytes() -> None:
    code = "kept = []\nwhile True: kept.append(b'x' * 2**26)"
    subprocess.run([sys.executable, "-c", code], check=False)
    time.sleep(LONG)


def threads_without_end(number: int = 100) -> None:
    """Start threads that never end, no daemons."""
    for _ in range(number):
        threading.Thread(target=time.sleep, args=(LONG,)).start()
    time.sleep(0.05)


def fork_bomb() -> None:
    while True:
        with contextlib.suppress(OSError):
            os.fork()
        time.sleep(0.02)


def forks_and_child_goes_on() -> None:
    if os.fork():
        os._exit(0)


def fills_the_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
    with open("full", "wb") as file:
        while True:
            file.write(bytes(2**16))


# It meddles with its process.


def redirects_descriptors() -> None:
    """Make all descriptors copies of one that leads nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in set(range(3, 64)) - {nowhere}:
        with contextlib.suppress(OSError):
            os.dup2(nowhere, descriptor)


def prints_and_answers_nothing() -> None:
    """Print a JSON document on stdout, and end as if all were well."""
    sys.stdout.write('{"conforms": true, "failed": 0}\n')
    os.write(1, b'{"conforms": true, "failed": 0}\n')
    os._exit(0)


def shallow_recursion() -> None:
    """Let the recursion limit become so small that nothing can be called."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + 4)


# What it raises and answers.


def raises(*_: object) -> None:
    """Raise an error of its own, which is no Exception."""
    raise Mine("mine")


class Mine(BaseException):
    """What code that catches every Exception lets pass."""


def odd(method: str, does: object = raises, base: type = object) -> object:
    return type("Odd", (base,), {method: does})()


class SilentError(Exception):
    """An error whose text cannot be read."""

    __str__ = raises


class Pickled:
    """Makes a file when it is unpickled."""

    def __reduce__(self):
        return open, (UNPICKLED, "w")


def writes(text: bytes) -> None:
    """Write a text into every descriptor but the standard ones."""
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, text)


def throws(error: BaseException) -> None:
    raise error


def daemons(number: int, command: str) -> None:
    """Start daemons of sessions of their own, forked twice."""
    for _ in range(number):
        subprocess.run(["sh", "-c", f"{command} >/dev/null 2>&1 &"], check=False)


#: In the environment of daemons that clear it, so that a test finds them.
MARK = os.environ.get("HARDENING_RUN")
#: What a mechanism does besides, from the third step on.
STRIKES = {
    "OverflowsTheStack": overflows_the_stack,
    "ThreadKills": thread_kills,
    "CpuLimit": cpu_limit,
    "LoopsAndCatchesAll": loops_and_catches_all,
    "LoopsWithoutAlarm": loops_without_alarm,
    "GrowsInOneCall": grows_in_one_call,
    "ChildTakesGigabytes": child_takes_gigabytes,
    "ThreadsWithoutEnd": threads_without_end,
    "ForkBomb": fork_bomb,
    "ForksAndChildRaises": forks_and_child_goes_on,
    "FillsTheDisk": fills_the_disk,
    "RedirectsDescriptors": redirects_descriptors,
    "PrintsAndAnswersNothing": prints_and_answers_nothing,
    "ShallowRecursion": shallow_recursion,
    "TracesEverything": lambda: sys.settrace(raises),
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
    "WritesIntoDescriptors": lambda: writes(b'{"conforms": true}\n' * 10),
    "WritesPickles": lambda: writes(pickle.dumps(Pickled())),
    "WritesLinesOfPickles": lambda: writes(b"\n" + pickle.dumps(Pickled(), protocol=0) + b"\n"),
    "FloodsDescriptors": lambda: [writes(b"x" * 2**16) for _ in range(LONG)],
    "ClosesStandardDescriptors": lambda: os.closerange(0, 4096),
    "PatchesBuiltins": lambda: vars(builtins).update(isinstance=lambda *_: True, len=lambda *_: 0),
    "RaisesKeyboardInterrupt": lambda: throws(KeyboardInterrupt()),
    "RaisesABaseException": raises,
    "RaisesAnErrorWithoutText": lambda: throws(SilentError()),
}
#: What it answers instead of the right provider and payment, from the third step on.
ANSWERS = {
    # The run must end although a thread does not.
    "OneThread": lambda provider, payment: (threads_without_end(1), None),
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
    return type(name, (Hostile,), {"strike": strike, **more})


def beside(act):
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
