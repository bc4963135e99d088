"""Keeps Hypothesis from leaving its folder `.hypothesis` where a run was started: it stores constants even unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import configuration

_PREFIX = "costproof-"


@contextmanager
def scratch_storage() -> Iterator[None]:
    """Let Hypothesis write into a folder that is gone afterwards; a folder that was chosen before is kept.

    Within another scratch storage the folder of that one serves: to make and remove one takes milliseconds. So does the
    one that the environment names: Hypothesis finds there what it has read of the modules in an earlier process.

    Examples
    --------
    >>> with scratch_storage():
    ...     pass
    """
    if os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY"):
        yield
        return
    chosen = vars(configuration).get("__hypothesis_home_directory")
    if chosen is not None and Path(chosen).name.startswith(_PREFIX):
        yield
        return
    with TemporaryDirectory(prefix=_PREFIX) as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(chosen)
