"""The page of the documentation that shows what the gallery catches, from the table of kills."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proofs_checks.conformance.mutants.gallery import CORRECT, KEPT_FOR, MUTANTS
from proofs_checks.conformance.mutants.kills import Kill, caught_first
from proofs_checks.conformance.suite import ALL_CHECKS

_HEAD = """\
# Mutants

Mechanisms that are broken on purpose, and what the conformance suite says of them. Written by
`python -m proofs_checks.conformance.mutants`, from one run with quick effort and seed {seed}: do not edit.

Every check in bold must catch the mutant, whatever the seed; the others happened to.
What cannot answer (`answers`), or hangs, is not checked further.
"""

_CHECKS = """\
## What each check is for

Mutants that no other check catches, or that no check of its group before it does. The rule checks come after the
economic ones, which most mutants break as well: `costproof check --only rules` runs them alone.
"""


def page(kills: Sequence[Kill], seed: int) -> str:
    """Return docs/mutants.md.

    Parameters
    ----------
    kills : sequence of Kill
        One for every mutant of the gallery.
    seed : int
        With which they were found.

    Examples
    --------
    >>> page([], 0).splitlines()[0]
    '# Mutants'
    """
    parts = [_HEAD.format(seed=seed)]
    for theme in dict.fromkeys(mutant.theme for mutant in MUTANTS.values()):
        of_theme = [kill for kill in kills if MUTANTS[kill.mutant].theme == theme]
        title = theme.replace("_", " ").capitalize()
        parts += [f"## {title}\n", _table(["mutant", "breaks", "caught by"], map(_mutant_row, of_theme))]
    header = ["check", "only it", "it first in its group", "all that it catches"]
    parts += [_CHECKS, _table(header, _check_rows(kills))]
    if KEPT_FOR:
        parts += ["Kept without one:\n", "\n".join(f"- `{name}`: {why}" for name, why in KEPT_FOR.items()) + "\n"]
    parts += ["## Correct mechanisms\n", "Every check must pass all of these, whatever the seed.\n", _correct()]
    return "\n".join(parts)


def _mutant_row(kill: Kill) -> list[str]:
    mutant = MUTANTS[kill.mutant]
    found = dict.fromkeys([*mutant.caught_by, *kill.caught_by])
    ordered = [name for name in ALL_CHECKS if name in found]
    caught = [f"**{name}**" if name in mutant.caught_by else name for name in ordered]
    return [f"`{mutant.name}`", mutant.breaks, ", ".join(caught)]


def _check_rows(kills: Sequence[Kill]) -> Iterable[list[str]]:
    first = caught_first(kills, in_group=True)
    for name in ALL_CHECKS:
        only = [kill.mutant for kill in kills if kill.caught_by == (name,)]
        earlier = [mutant for mutant in first[name] if mutant not in only]
        total = sum(name in kill.caught_by for kill in kills)
        yield [f"`{name}`", _some(only), _some(earlier), f"{total}"]


def _some(mutants: Sequence[str], shown: int = 4) -> str:
    more = f" and {len(mutants) - shown} more" if len(mutants) > shown else ""
    return ", ".join(f"`{mutant}`" for mutant in mutants[:shown]) + more or "-"


def _correct() -> str:
    rows = ([f"`{name}`", (made.__doc__ or "").partition("\n")[0]] for name, made in CORRECT.items())
    return _table(["mechanism", "what is different"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in (header, *rows)]
    body.insert(1, "|" + "---|" * len(header))
    return "\n".join(body) + "\n"
