"""Files that are replaced at once, or not at all, and what the operating system complains of."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from bounds.errors import InputError, printable

#: Bytes of a document that is read at once, such as a report or a certificate: those that commands write are smaller.
LARGEST_DOCUMENT = 1 << 26


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
    new = Path(file).absolute().parent / f".costproof-{os.urandom(8).hex()}.tmp"
    try:
        yield new
        os.replace(new, file)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        raise InputError(argument, os.fspath(file), f"cannot be written ({reason(error)})", remedy) from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            new.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """Return what the operating system or a parser complains of, on one line.

    Examples
    --------
    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    text = printable(str(getattr(error, "strerror", None) or error), 160)
    return text[:1].lower() + text[1:]


def read_whole(path: str | os.PathLike[str], most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what is in a file that is read at once, or raise an `OSError` if it is larger than so many bytes.

    Examples
    --------
    >>> read_whole("/dev/zero", most=1 << 20)
    Traceback (most recent call last):
        ...
    OSError: [Errno 27] larger than 1 MiB, the most that is read at once
    """
    with open(path, "rb") as file:
        return within(file.read(most + 1), most)  # no more: it may be a device that never ends


def within(content: bytes, most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what was read if it is no longer than so many bytes, else raise an `OSError`."""
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB, the most that is read at once")
    return content
