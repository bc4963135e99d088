"""The start of a host: NumPy's threads for linear algebra sleep until the mechanism has work for them."""

from __future__ import annotations

import os

#: For how long threads without work wait in a loop, as a power of two of the processor's ticks; OpenBLAS reads it when
#: it is loaded. By default each keeps a core busy for some 50 ms.
_TIMEOUT, _SHORTEST = "OPENBLAS_THREAD_TIMEOUT", "4"


def main() -> None:
    """Load the host, and run it."""
    chosen = _TIMEOUT in os.environ
    os.environ.setdefault(_TIMEOUT, _SHORTEST)
    from proofs_checks.conformance.hosting import host

    if not chosen:
        del os.environ[_TIMEOUT]  # the mechanism finds the variables as they were
    host.main()
