"""The simulator is compiled before it is used, once on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
from mechanism.policies import POLICIES
from proofs_checks.cli.output import remark

#: Seconds of compiling before it is mentioned.
_SILENT_SECONDS = 2.0


@contextmanager
def compiled_simulator() -> Iterator[None]:
    """Compile the simulator, or load it where it was compiled before; say so on stderr if that takes a while.

    Processes that are started within then load it, rather than compile it all at the same time.
    """
    notice = Timer(_SILENT_SECONDS, remark, ("compiling the simulator; this happens once",))
    notice.daemon = True
    notice.start()
    try:
        setting = published("gpqa-strong").setting
        CompiledEpisode(setting, POLICIES["platform"]).tallies(horizon=setting.n_providers, seed=0, runs=[0])
    finally:
        notice.cancel()
    yield
