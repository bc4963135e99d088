"""What a person has in hand (a name, a path, an object), turned into what the packages work with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bounds.errors import InputError
from bounds.loading import AnySetting
from bounds.published import PublishedSetting
from bounds.setting.model import Setting
from mechanism.settings import load_setting
from mechanism.tabular.traces import read_trace_chunks
from mechanism.trace import Trace
from proofs_checks.claims.registry import claim

#: A trace, the path of a recorded log, or the consecutive parts of one.
AnyTrace = Trace | str | os.PathLike[str] | Iterable[Trace]


@contextmanager
def called(argument: str, *inner: str) -> Iterator[None]:
    """Let errors about an argument that has another name (`inner`) further in name it as the caller wrote it.

    Examples
    --------
    >>> with called("trace", "path"):
    ...     raise InputError("path", "log.txt", "has no known ending", "the ending says what is in the file")
    Traceback (most recent call last):
    bounds.errors.InputError: trace='log.txt' has no known ending: the ending says what is in the file
    """
    try:
        yield
    except InputError as error:
        if error.argument not in inner:
            raise
        raise error.about(argument) from None


def settings_of(settings: AnySetting | Iterable[AnySetting]) -> tuple[Setting, ...]:
    """Return the settings that somebody means by one or by several.

    Examples
    --------
    >>> [setting.name for setting in settings_of("gpqa-strong")]
    ['gpqa-strong']
    """
    if isinstance(settings, Setting | PublishedSetting | str | os.PathLike) or not isinstance(settings, Iterable):
        return (load_setting(settings, argument="settings"),)
    return tuple(load_setting(setting, argument=f"settings[{position}]") for position, setting in enumerate(settings))


def trace_of(trace: AnyTrace, setting: Setting) -> Trace:
    """Return the trace that somebody means, whole; the setting's providers served.

    Raises
    ------
    InputError
        It is none of these, has no row, or the file is not a valid log.
    """
    return trace if isinstance(trace, Trace) else Trace.joined(parts_of(trace, setting))


def parts_of(trace: AnyTrace, setting: Setting, rows: int = 65_536) -> Iterator[Trace]:
    """Yield the parts of the trace that somebody means: one, those of a file (of so many rows), or those given."""
    if isinstance(trace, Trace):
        yield trace
    elif isinstance(trace, (str, os.PathLike)):
        with called("trace", "path"):
            yield from read_trace_chunks(trace, setting, rows=rows)
    else:
        yield from _given_parts(trace)


def _given_parts(trace: Iterable[Trace]) -> Iterator[Trace]:
    rule, remedy = "must be a Trace, the path of a log, or Traces that follow each other", "read_trace reads a log"
    if not isinstance(trace, Iterable):
        raise InputError("trace", trace, rule, remedy)
    position = -1
    for position, part in enumerate(trace):
        if not isinstance(part, Trace):
            raise InputError(f"trace[{position}]", part, "must be a Trace", f"trace {rule}")
        yield part
    if position < 0:
        raise InputError("trace", trace, "has no part", remedy)


def labels_of(labels: str | Iterable[str]) -> tuple[str, ...]:
    """Return the labels of the claims that somebody means by one name or by several.

    Examples
    --------
    >>> labels_of("lem:one-step"), labels_of(["Theorem 4", "payment range"]), labels_of(())
    (('lem:one-step',), ('thm:regret', 'lem:payment-range'), ())
    """
    found = (labels,) if isinstance(labels, str) or not isinstance(labels, Iterable) else tuple(labels)
    for label in found:
        if not isinstance(label, str):
            raise InputError("labels", label, "must be a label of the paper or several", 'write "lem:one-step"')
    with called("labels", "label"):
        return tuple(dict.fromkeys(claim(label).label for label in found))
