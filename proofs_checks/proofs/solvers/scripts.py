"""The questions about an obligation, as SMT-LIB scripts: itself, its hypotheses alone, its mutants."""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.proofs.language.obligation import Obligation, with_providers
from proofs_checks.proofs.solvers.smtlib import script


@dataclass(frozen=True)
class Script:
    """One question to the solvers.

    Parameters
    ----------
    name : str
        Of its file, without ending.
    text : str
    satisfiable : bool
        The answer that is expected.
    """

    name: str
    text: str
    satisfiable: bool

    @property
    def expected(self) -> str:
        """The answer that is expected."""
        return "sat" if self.satisfiable else "unsat"


def main_script(obligation: Obligation) -> Script:
    """Return the question whether an obligation follows, for any number of providers."""
    text = script(obligation.refutation, title=f"{obligation.name}: {obligation.says}", satisfiable=False)
    return Script(obligation.name, text, False)


def scripts_of(obligation: Obligation) -> tuple[Script, ...]:
    """Return the questions about an obligation: itself, its hypotheses alone, its mutants."""
    size = obligation.providers
    alone = script(
        with_providers(obligation.formulas, size),
        satisfiable=True,
        model=True,
        title=f"{obligation.name}: its hypotheses can be true together",
    )
    mutants = [
        Script(
            f"{obligation.name}.mutant-{number}",
            script(
                with_providers(obligation.mutated(mutant), mutant.providers or size),
                satisfiable=True,
                model=True,
                title=f"{obligation.name}, mutant {mutant.name!r}: no longer true",
            ),
            True,
        )
        for number, mutant in enumerate(obligation.mutants, 1)
    ]
    return (main_script(obligation), Script(f"{obligation.name}.hypotheses", alone, True), *mutants)
