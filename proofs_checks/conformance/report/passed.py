"""A scenario in which a check found no failure, and what it compared there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from proofs_checks.conformance.play.any_subject import Played


class Comparison(Protocol):
    """Histories of one interaction that were compared, and kept a law."""

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data: what a test needs to compare them again."""


@dataclass(frozen=True, kw_only=True)
class PassedScenario:
    """An interaction in which a check found no failure, and what it compared beside its answers."""

    played: Played
    comparisons: tuple[Comparison, ...] = ()
