"""Files that are replaced at once, or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from bounds.errors import InputError


@contextlib.contextmanager
def replacing(file: str | os.PathLike[str], argument: str, remedy: str) -> Iterator[Path]:
    """Give a new path beside a file; what is written there takes the file's place when the block ends.

    Whoever reads the file sees the old content or all of the new one. If the block fails, the old one stays.

    Parameters
    ----------
    file : str or path-like
    argument, remedy : str
        For the error: who named the file, and what to do.

    Raises
    ------
    InputError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt", "out", "name a file you may write to") as new:
    ...         _ = new.write_text("whole")
    ...     os.listdir(folder), Path(folder, "a.txt").read_text()
    (['a.txt'], 'whole')
    """
    new = Path(file).absolute().parent / f".costproof-{secrets.token_hex(8)}.tmp"
    try:
        yield new
        os.replace(new, file)
    except OSError as error:
        raise InputError(argument, os.fspath(file), f"cannot be written ({error.strerror})", remedy) from None
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
