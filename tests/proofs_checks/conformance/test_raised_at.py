"""Where an error of a mechanism is said to come from: its author's statement, no library's and not the harness's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.raised_at import raised_at
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject


def said(factory: Any) -> str:
    with pytest.raises(MechanismError) as caught:
        Subject(factory, "test:it").start(usual_config(n_providers=2), 0).assign()
    return caught.value.message


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {text}"))


class Divides:
    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.paid = 0

    def assign(self) -> tuple[int, float]:
        return 0, self.share()

    def share(self) -> float:
        return 1 / self.paid  # the division

    def settle(self, score: float, bid: float) -> None: ...


class Reads(Divides):
    def share(self) -> float:
        return float(json.loads("{"))  # the reading


def make(config: Any, rng: np.random.Generator) -> Any:
    raise OSError("no licence")  # the factory


@pytest.mark.for_each(
    ("factory", "error", "comment"),
    [
        (Divides, "ZeroDivisionError: division by zero", "the division"),
        (Reads, "JSONDecodeError", "the reading"),  # not the library that raises
        (make, "OSError: no licence", "the factory"),
    ],
)
def test_the_innermost_statement_of_ones_own_is_named(factory: Any, error: str, comment: str) -> None:
    told = said(factory)
    assert error in told
    assert told.endswith(f"test_raised_at.py:{line_of(comment)})")


def test_an_error_of_compiled_code_has_no_place() -> None:
    with pytest.raises(TypeError) as caught:
        len(3)  # type: ignore[arg-type]
    assert raised_at(caught.value, __file__) is None
    raising = Subject(lambda config, rng: None, "test:it")
    with pytest.raises(MechanismError, match=r"without assign\(\)$"):
        raising.start(usual_config(n_providers=2), 0)
