"""The simulator is compiled before it is used, once on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from numba.core.event import Event, Listener, install_listener

from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
from mechanism.policies import POLICIES
from proofs_checks.cli.output import remark

#: Seconds of compiling before it is mentioned.
_SILENT_SECONDS = 2.0


class _Notice(Listener):
    """Says that the simulator is compiled once Numba has done so for a while; loading what it compiled is not that."""

    def __init__(self, text: str) -> None:
        self._timer: Timer | None = None
        self._text = text

    def on_start(self, event: Event) -> None:
        """Begin to wait when the first function is compiled."""
        if self._timer is None:
            self._timer = Timer(_SILENT_SECONDS, remark, (self._text,))
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Event) -> None:
        """Wait on: functions are compiled within one another."""

    def cancel(self) -> None:
        """Print no note any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # a process with one thread can be copied


@contextmanager
def compiled_simulator(*, needed: bool = True) -> Iterator[None]:
    """Compile the simulator, or load it where it was compiled before; say so on stderr if compiling takes a while.

    Processes that are started within then load it, rather than compile it all at the same time. If it is not needed,
    nothing happens.
    """
    if needed:
        setting = published("gpqa-strong").setting
        with noticed("compiling the simulator; this happens once"):
            episode = CompiledEpisode(setting, POLICIES["platform"])
            episode.tallies(horizon=setting.n_providers, seed=0, runs=[0])
    yield


@contextmanager
def noticed(text: str) -> Iterator[None]:
    """Say a line on stderr if something is compiled within and that takes a while."""
    notice = _Notice(text)
    try:
        with install_listener("numba:compile", notice):
            yield
    finally:
        notice.cancel()
