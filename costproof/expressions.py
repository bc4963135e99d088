"""The paper's bounds as SymPy expressions: of any market that a person has in hand."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from bounds.symbolic import enclosing, verbs
from costproof.arguments import setting_of

__all__ = ["derivatives", "enclose", "substitutions", "symbolic"]

P = ParamSpec("P")
R = TypeVar("R")


def _of_any_market(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that takes a name or a path for its market too."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def verb(*args: P.args, **kwargs: P.kwargs) -> R:
        given = signature.bind(*args, **kwargs)
        if given.arguments.get("market") is not None:
            given.arguments["market"] = setting_of(given.arguments["market"], "market")
        return function(*given.args, **given.kwargs)

    return verb


symbolic, derivatives = _of_any_market(verbs.symbolic), _of_any_market(verbs.derivatives)
enclose, substitutions = _of_any_market(enclosing.enclose), _of_any_market(enclosing.substitutions)
