"""Calls that are refused with one printable line."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from bounds.errors import InputError


def refusal(call: Callable[..., object], /, *given: Any, **named: Any) -> InputError:
    """Return the error with which a call is refused."""
    with pytest.raises(InputError) as caught:
        call(*given, **named)
    assert str(caught.value).isprintable()
    return caught.value


def assert_refused(said: str, call: Callable[..., object], /, *given: Any, **named: Any) -> None:
    """Hold the error of a call to a regular expression."""
    error = str(refusal(call, *given, **named))
    assert re.search(said, error), error
