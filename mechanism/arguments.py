"""Checks of arguments that several rooms share."""

from __future__ import annotations

import math
import threading

from bounds.errors import InputError, is_real, is_whole

#: Most queries of a simulated run: its tables and its log take eight bytes a query each.
LARGEST_HORIZON = 10**8


def whole_number(argument: str, value: object, meaning: str, *, least: int, most: int | None = None) -> int:
    """Return a whole number within its range as an int.

    Parameters
    ----------
    argument : str
        Its name, for the error.
    value : object
    meaning : str
        The remedy: what the number stands for.
    least : int
    most : int, optional

    Raises
    ------
    InputError
        The value is not a whole number, or out of range.

    Examples
    --------
    >>> import numpy as np
    >>> whole_number("horizon", np.int64(70_000), "it is the number of queries", least=1)
    70000
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        span = f"from {least}" if most is None else f"in {least}..{most}"
        raise InputError(argument, value, f"must be a whole number {span}", meaning)
    return int(value)


def number_of_queries(horizon: object) -> int:
    """Return a horizon that a run can be simulated to.

    Raises
    ------
    InputError
        No whole number from 1, or so large that tables and logs would fill the memory.

    Examples
    --------
    >>> number_of_queries(70_000)
    70000
    """
    steps = whole_number("horizon", horizon, "it is the number of queries", least=1)
    if steps > LARGEST_HORIZON:
        remedy = "simulate several runs instead (the tables of one would take gigabytes)"
        raise InputError("horizon", steps, f"must not exceed {LARGEST_HORIZON:,} in a simulation", remedy)
    return steps


def not_negative(argument: str, value: object, meaning: str) -> float:
    """Return a finite number >= 0 as a float.

    Raises
    ------
    InputError
        The value is none.

    Examples
    --------
    >>> not_negative("margin", 1, "a listed price is 1 + margin times the cost")
    1.0
    """
    if not is_real(value) or not 0 <= value < math.inf:
        raise InputError(argument, value, "must be a finite number, 0 or more", meaning)
    return float(value)


def seconds(argument: str, value: object, meaning: str) -> float:
    """Return a time that a clock can wait for, as a float.

    Raises
    ------
    InputError
        The value is not a positive finite number.

    Examples
    --------
    >>> seconds("time_limit", 2, "it is what one call may take")
    2.0
    """
    if not is_real(value) or not 0 < value <= threading.TIMEOUT_MAX:
        raise InputError(argument, value, "must be a positive number of seconds", meaning)
    return float(value)
