"""What is loaded within has one thread of linear algebra, which the work does not need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

#: OpenBLAS reads it when it is loaded.
_THREADS = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_thread() -> Iterator[None]:
    """Let NumPy and SciPy load with one thread, unless the user said how many: others would wait in a loop.

    A process with one thread can also be copied, see `mechanism.parallel`.
    """
    if _THREADS in os.environ:
        yield
        return
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[_THREADS]
