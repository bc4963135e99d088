"""Hostile mechanisms: what each does to its process stands in its first line. `check` loads them from this file.

They behave like the reference mechanism up to the third step, unless they say otherwise; what they write, they write
into the folder in which they run.
"""

from __future__ import annotations

import _thread
import atexit
import builtins
import contextlib
import ctypes
import decimal
import faulthandler
import fractions
import gc
import math
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from typing import ClassVar

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


class ExitsAtOnce(Hostile):
    """os._exit(0) in assign."""

    def strike(self, provider, payment):
        os._exit(0)


class ExitsInSettle(Hostile):
    """os._exit(0) in settle."""

    def settle(self, score, bid) -> None:
        if self.step >= 3:
            os._exit(0)
        super().settle(score, bid)


class ExitsInFactory(Hostile):
    """os._exit(0) in the factory."""

    def __init__(self, config, rng) -> None:
        os._exit(0)


class ExitsLate(Hostile):
    """os._exit(0) in the thousandth step: most checks never come so far."""

    first = 1000

    def strike(self, provider, payment):
        os._exit(0)


class ExitsWithOne(Hostile):
    """os._exit(1), as a failed check would."""

    def strike(self, provider, payment):
        os._exit(1)


class ExitsWhenDropped(Hostile):
    """os._exit(0) when an instance is deleted."""

    def __del__(self) -> None:
        os._exit(0)


class SystemExitInIndex(Hostile):
    """sys.exit(0) in __index__ of the provider."""

    def strike(self, provider, payment):
        class Index:
            def __index__(self):
                sys.exit(0)

        return Index(), payment


class SystemExit0(Hostile):
    """sys.exit(0) in assign."""

    def strike(self, provider, payment):
        sys.exit(0)


class Segfaults(Hostile):
    """A null pointer is read."""

    def strike(self, provider, payment):
        ctypes.string_at(0)


class Aborts(Hostile):
    """os.abort()."""

    def strike(self, provider, payment):
        os.abort()


class KillsItself(Hostile):
    """SIGKILL to itself."""

    def strike(self, provider, payment):
        os.kill(os.getpid(), signal.SIGKILL)


class TerminatesItself(Hostile):
    """SIGTERM to itself."""

    def strike(self, provider, payment):
        os.kill(os.getpid(), signal.SIGTERM)


class KillsItsGroup(Hostile):
    """SIGKILL to its process group."""

    def strike(self, provider, payment):
        os.killpg(os.getpgid(0), signal.SIGKILL)


class KillsItsParent(Hostile):
    """SIGKILL to its parent process."""

    def strike(self, provider, payment):
        os.kill(os.getppid(), signal.SIGKILL)


class HangsUp(Hostile):
    """SIGHUP to itself."""

    def strike(self, provider, payment):
        os.kill(os.getpid(), signal.SIGHUP)


class ExecutesAnother(Hostile):
    """Its process becomes another program: os.execv."""

    def strike(self, provider, payment):
        os.execv("/bin/true", ["true"])


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


class AlarmKills(Hostile):
    """SIGALRM back to its default, and an alarm that ends the process."""

    def strike(self, provider, payment):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.1)


class CpuLimit(Hostile):
    """A limit of processor time that it sets itself and runs into."""

    def strike(self, provider, payment):
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        while True:
            pass


class RunsExitHandlers(Hostile):
    """Handlers of the interpreter's end are run early, one of which ends it."""

    def strike(self, provider, payment):
        atexit.register(os._exit, 0)
        atexit._run_exitfuncs()


class FatalFault(Hostile):
    """A fatal error of the interpreter."""

    def strike(self, provider, payment):
        faulthandler._fatal_error_c_thread()


# It hangs.


class LoopsForEver(Hostile):
    """An endless loop."""

    def strike(self, provider, payment):
        while True:
            pass


class LoopsAndCatchesAll(Hostile):
    """An endless loop that catches every interruption."""

    def strike(self, provider, payment):
        while True:
            with contextlib.suppress(BaseException):
                while True:
                    pass


class LoopsInC(Hostile):
    """An endless loop inside compiled code: no signal handler of Python runs."""

    def strike(self, provider, payment):
        sum(x for x in ()) or pow(3, 10 ** (10**2) % 10**9 + 10**9 * 10)


class LoopsWithoutAlarm(Hostile):
    """SIGALRM is ignored, then an endless loop."""

    def strike(self, provider, payment):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            pass


class SleepsWithoutAlarm(Hostile):
    """SIGALRM is blocked, then it sleeps."""

    def strike(self, provider, payment):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(LONG)


class Sleeps(Hostile):
    """It sleeps for days."""

    def strike(self, provider, payment):
        time.sleep(LONG)


class SleepsInFactory(Hostile):
    """The factory sleeps for days."""

    def __init__(self, config, rng) -> None:
        time.sleep(LONG)


class LoopsInRepr(Hostile):
    """The payment is no number, and showing it never ends."""

    def strike(self, provider, payment):
        class Endless:
            def __repr__(self):
                while True:
                    pass

        return provider, Endless()


class Deadlocks(Hostile):
    """It waits for a lock that it holds."""

    def strike(self, provider, payment):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class StopsItself(Hostile):
    """SIGSTOP to itself."""

    def strike(self, provider, payment):
        os.kill(os.getpid(), signal.SIGSTOP)


class WaitsForInput(Hostile):
    """It reads a pipe into which nobody writes."""

    def strike(self, provider, payment):
        reading, self.writing = os.pipe()
        os.read(reading, 1)


class ReadsStandardInput(Hostile):
    """It reads standard input, which is empty, and raises."""

    def strike(self, provider, payment):
        input("provider? ")


# It takes too much.


class TakesGigabytes(Hostile):
    """A gigabyte per call, kept."""

    kept: ClassVar[list] = []

    def strike(self, provider, payment):
        self.kept.append(np.ones(2**27))


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


class AsksForAnExabyte(Hostile):
    """An array of an exabyte."""

    def strike(self, provider, payment):
        np.ones(2**57)


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


class ChildrenWithoutEnd(Hostile):
    """Child processes that sleep, ten per call."""

    def strike(self, provider, payment):
        for _ in range(10):
            subprocess.Popen(["sleep", f"{LONG}"])


class Daemons(Hostile):
    """Daemons of sessions of their own, forked twice, ten per call."""

    def strike(self, provider, payment):
        for _ in range(10):
            subprocess.run(["sh", "-c", f"setsid sleep {LONG} >/dev/null 2>&1 &"], check=False)


class DaemonThenExit(Hostile):
    """A daemon without the environment of its parents, then os._exit(0)."""

    def strike(self, provider, payment):
        mark = os.environ.get("HARDENING_RUN")  # so that a test finds it
        subprocess.run(["sh", "-c", f"env -i setsid sh -c 'sleep {LONG}; : {mark}' >/dev/null 2>&1 &"], check=False)
        os._exit(0)


class ForkBomb(Hostile):
    """Processes that fork without end."""

    def strike(self, provider, payment):
        while True:
            with contextlib.suppress(OSError):
                os.fork()
            time.sleep(0.02)


class ForksAndBothGoOn(Hostile):
    """A fork, and both processes return."""

    def strike(self, provider, payment):
        os.fork()


class ForksInSettle(Hostile):
    """A fork in settle, and both processes return."""

    def settle(self, score, bid) -> None:
        super().settle(score, bid)
        if self.step >= 3:
            os.fork()


class ForksAndChildRaises(Hostile):
    """A fork; the parent dies, and the child goes on in its place."""

    def strike(self, provider, payment):
        if os.fork():
            os._exit(0)


class ProcessPools(Hostile):
    """A pool of eight worker processes per instance that is never closed, and waited for."""

    pools: ClassVar[list] = []

    def strike(self, provider, payment):
        self.pools.append(multiprocessing.get_context("fork").Pool(8))


# It meddles with its process.


class ClosesDescriptors(Hostile):
    """All descriptors from 3 on are closed."""

    def strike(self, provider, payment):
        os.closerange(3, 4096)


class ClosesStandardDescriptors(Hostile):
    """All descriptors are closed, the standard ones too."""

    def strike(self, provider, payment):
        os.closerange(0, 4096)


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


class ReadsDescriptors(Hostile):
    """Every descriptor is read, and what was there is gone."""

    def strike(self, provider, payment):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.set_blocking(descriptor, False)
                os.read(descriptor, 2**16)
        time.sleep(0.3)
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.read(descriptor, 2**16)


class PrintsAndAnswersNothing(Hostile):
    """A JSON document is printed on stdout, and then the process ends as if all were well."""

    def strike(self, provider, payment):
        sys.stdout.write('{"conforms": true, "failed": 0}\n')
        os.write(1, b'{"conforms": true, "failed": 0}\n')
        os._exit(0)


class PatchesMath(Hostile):
    """math.sqrt and math.log become something else."""

    def strike(self, provider, payment):
        math.sqrt = math.log = lambda *_: 0.0


class PatchesNumpyRandom(Hostile):
    """numpy.random.default_rng becomes something else."""

    def strike(self, provider, payment):
        np.random.default_rng = lambda seed=None: None


class PatchesRandom(Hostile):
    """random.random becomes a constant."""

    def strike(self, provider, payment):
        random.random = lambda: 0.5


class PatchesBuiltins(Hostile):
    """builtins.isinstance and len become something else."""

    def strike(self, provider, payment):
        builtins.isinstance = lambda *_: True
        builtins.len = lambda *_: 0


class PatchesTime(Hostile):
    """time.monotonic stands still."""

    def strike(self, provider, payment):
        time.monotonic = lambda: 0.0


class PatchesOs(Hostile):
    """os.write and os._exit become something else."""

    def strike(self, provider, payment):
        os.write = lambda *_: 0
        os._exit = lambda *_: None


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


class FreesEverything(Hostile):
    """What the garbage collector knows of the frames above is cleared."""

    def strike(self, provider, payment):
        for found in gc.get_objects():
            if type(found) is dict and "_instances" in found:
                found.clear()
        for found in gc.get_objects():
            if type(found).__name__ == "_Host":
                found.__dict__.clear()


class InterruptsMain(Hostile):
    """A KeyboardInterrupt from a thread: _thread.interrupt_main()."""

    def strike(self, provider, payment):
        _thread.interrupt_main()
        time.sleep(0.01)


# What it raises and answers.


class RaisesKeyboardInterrupt(Hostile):
    """It raises KeyboardInterrupt, as Ctrl-C does."""

    def strike(self, provider, payment):
        raise KeyboardInterrupt


class OwnBaseException(Hostile):
    """It raises a BaseException of its own."""

    class Mine(BaseException):
        pass

    def strike(self, provider, payment):
        raise self.Mine("mine")


class BaseExceptionInFloat(Hostile):
    """A payment whose __float__ raises a BaseException."""

    class Payment(float):
        def __float__(self):
            raise OwnBaseException.Mine("no float")

    def strike(self, provider, payment):
        return provider, self.Payment(payment)


class BaseExceptionInIndex(Hostile):
    """A provider whose __index__ raises a BaseException."""

    def strike(self, provider, payment):
        class Index:
            def __index__(self):
                raise OwnBaseException.Mine("no index")

        return Index(), payment


class BaseExceptionInRepr(Hostile):
    """A payment that is no number, whose __repr__ raises a BaseException."""

    def strike(self, provider, payment):
        class Payment:
            def __repr__(self):
                raise OwnBaseException.Mine("no text")

        return provider, Payment()


class BaseExceptionInIter(Hostile):
    """An answer whose __iter__ raises a BaseException."""

    def strike(self, provider, payment):
        class Pair:
            def __iter__(self):
                raise OwnBaseException.Mine("no pair")

        return Pair()


class ErrorWithoutText(Hostile):
    """It raises an error whose __str__ raises a BaseException."""

    def strike(self, provider, payment):
        class SilentError(Exception):
            def __str__(self):
                raise OwnBaseException.Mine("no text")

        raise SilentError


class EndlessAnswer(Hostile):
    """An answer that yields without end."""

    def strike(self, provider, payment):
        class Endless:
            def __iter__(self):
                while True:
                    yield 0

        return Endless()


class HugePayment(Hostile):
    """A payment of 10**5000."""

    def strike(self, provider, payment):
        return provider, 10**5000


class HugeProvider(Hostile):
    """A provider of 5,000 digits."""

    def strike(self, provider, payment):
        return 10**4999, payment


class HugeFraction(Hostile):
    """A payment that is a fraction no float holds."""

    def strike(self, provider, payment):
        return provider, fractions.Fraction(10**5000, 3)


class DecimalPayment(Hostile):
    """A payment that is a decimal of a million digits."""

    def strike(self, provider, payment):
        return provider, decimal.Decimal(10) ** 999_999


class LongText(Hostile):
    """A payment that is a text of a hundred megabytes, with control characters."""

    def strike(self, provider, payment):
        return provider, "\x1b[31m\u202e" * 10**7


class LyingClass(Hostile):
    """A payment that says it is a float and is not."""

    def strike(self, provider, payment):
        class Liar:
            @property
            def __class__(self):
                return float

        return provider, Liar()


class RaisingClass(Hostile):
    """A payment whose __class__ raises a BaseException."""

    def strike(self, provider, payment):
        class Raises:
            @property
            def __class__(self):
                raise OwnBaseException.Mine("no class")

        return provider, Raises()


class NamelessType(Hostile):
    """A payment whose type has a metaclass without a name."""

    def strike(self, provider, payment):
        class Meta(type):
            @property
            def __name__(cls):
                raise OwnBaseException.Mine("no name")

        return provider, Meta("Payment", (), {})()


class IncomparableConfig(Hostile):
    """It leaves in the configuration what cannot be compared."""

    def __init__(self, config, rng) -> None:
        super().__init__(config, rng)

        class Incomparable:
            def __eq__(self, other):
                raise OwnBaseException.Mine("no comparison")

            __hash__ = None

        object.__setattr__(config, "cost_bound", Incomparable())

    def strike(self, provider, payment):
        return None


class WarnsWithoutEnd(Hostile):
    """It answers right and prints a megabyte per call; its payment is no number in the end."""

    def strike(self, provider, payment):
        sys.stderr.write("." * 10**4 + "\n")
        if self.step > 6:
            return provider, None
        return None


#: Every kind by name.
KINDS = {kind.__name__: kind for kind in Hostile.__subclasses__()}
