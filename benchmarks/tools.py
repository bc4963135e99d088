"""What the auditor, the conformance suite and the proofs cost, in CPU seconds of one process."""

from __future__ import annotations

import time
from functools import lru_cache

from bounds.published import published
from bounds.setting.model import Setting
from mechanism.episode import simulate
from mechanism.platform import reference_mechanism
from mechanism.trace import Trace
from proofs_checks.audit.run import audit, chunk_rows
from proofs_checks.conformance import DEFAULT, QUICK
from proofs_checks.conformance.suite import check_mechanism

#: Rows of the audited log: several parts, so that what only the first costs weighs little.
AUDITED_ROWS = 300_000


@lru_cache(maxsize=1)
def _log() -> tuple[Setting, Trace, float]:
    """Return a market of 9, a log of it, and the CPU seconds that the plain episode took for it."""
    setting = published("gsm8k-full").setting
    start = time.process_time()
    trace = simulate(setting, horizon=AUDITED_ROWS, seed=0)
    return setting, trace, time.process_time() - start


def plain_steps() -> float:
    """Return steps per second of the plain episode that made the audited log."""
    return AUDITED_ROWS / _log()[2]


def audited_rows() -> float:
    """Return rows per second of CPU time that are audited with every rule and every claim."""
    setting, trace, _ = _log()
    size = chunk_rows(setting)
    parts = [trace.rows(slice(first, first + size)) for first in range(0, AUDITED_ROWS, size)]
    start = time.process_time()
    audit(parts, setting)
    return AUDITED_ROWS / (time.process_time() - start)


def suite_seconds(*, quick: bool) -> float:
    """Return the CPU seconds of the conformance suite on the reference mechanism."""
    start = time.process_time()
    check_mechanism(reference_mechanism, seed=0, effort=QUICK if quick else DEFAULT)
    return time.process_time() - start


def proving_seconds() -> float:
    """Return the wall seconds of proving every claim with both solvers, which run beside each other."""
    from proofs_checks.proofs.prove import prove

    start = time.perf_counter()
    prove(fresh=True)
    return time.perf_counter() - start
