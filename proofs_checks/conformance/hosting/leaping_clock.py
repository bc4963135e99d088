"""Clocks that leap between the calls of a mechanism; the function stands by itself, for scripts contain its source."""

from __future__ import annotations

#: Names, in the environment of a process, the seconds by which its clocks leap before each call.
LEAP = "CLOCK_LEAP"


def leaping_clock(seconds: int) -> type:
    """Put all clocks of this process ahead, more so before each call; return the type that wraps a mechanism."""
    import copyreg
    import datetime
    import time

    then, ahead = datetime.datetime, 0

    def put_ahead(name: str, unit: int) -> None:
        clock = getattr(time, name)
        setattr(time, name, lambda: clock() + unit * ahead)

    for name in ("time", "monotonic", "perf_counter"):
        put_ahead(name, 1)
        put_ahead(f"{name}_ns", 10**9)

    class AnyDatetime(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, then)

    def now(cls: type, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return then.now(tz) + datetime.timedelta(seconds=ahead)

    def utcnow(cls: type) -> datetime.datetime:
        return then.utcnow() + datetime.timedelta(seconds=ahead)

    named = {"__module__": "datetime", "now": classmethod(now), "utcnow": classmethod(utcnow)}
    later = AnyDatetime("datetime", (then,), named)
    datetime.datetime = later  # type: ignore[assignment,misc]
    copyreg.pickle(then, lambda value: (later, tuple(value.__reduce__()[1])))

    class Called:
        def __init__(self, made: object) -> None:
            self.made = made

        def __getattr__(self, name: str) -> object:
            nonlocal ahead
            ahead += seconds
            return getattr(self.made, name)

    return Called
