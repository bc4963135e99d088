"""docs/hardening.md: what is promised, what attacked it, and how often the promise held; from the figures beside this.

A part of the page is a `Part`: its figures stand in `figures/NAME.json`, written by its sweep, and its table is made of
them. Another attack is another part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bounds.errors import printable
from tests.hardening.attacks import LIMITS, PATIENCE, Outcome, as_data, sweep
from tests.hardening.inputs import sweep as changed_inputs

FIGURES = Path(__file__).parent / "figures"
PAGE = Path(__file__).parents[2] / "docs" / "hardening.md"

_HEAD = """\
# Hardening

What is promised when something goes wrong, what attacked the promise, and how often it held. Written by
`python -m tests.hardening`, from the figures of the last sweeps: do not edit.

| promised | attacked with | tried | survived |
|---|---|---|---|
"""

_ELSEWHERE = """\
Campaigns that are killed at random moments, and whose files are altered byte by byte, have their table in
[campaigns.md](campaigns.md). [security.md](security.md) says what is promised of strangers' code and files.
"""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One promise, and the sweep that attacks it."""

    promised: str
    attacked_with: str
    #: Runs the sweep: plain data, one object per attack.
    sweep: Callable[[], list[dict[str, Any]]]
    #: From those data: how many attacks there were, how many were survived, and the section of the page.
    tried: Callable[[Sequence[Mapping[str, Any]]], int] = len
    survived: Callable[[Sequence[Mapping[str, Any]]], int]
    section: Callable[[Sequence[Mapping[str, Any]]], str]


def _outcomes(data: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    return [Outcome(**each) for each in data]


_HOSTILE = """\
## Hostile mechanisms

Each was checked by `costproof check FILE:KIND --quick --json {limits}`. The attack is
survived if the command exits with 1 in less than {patience:.0f} s, stdout holds one document that keeps to its schema,
a check fails by name and says what happened, no traceback is printed, and no process is left. Seconds are those of a
busy machine with two cores; a call that sleeps gets twelve times the time limit.

| mechanism | what it does | exit | first failed check | what that says | failed | s | survived |
|---|---|---|---|---|---|---|---|
"""


def _hostile(data: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        f"| `{each.kind}` | {each.does} | {each.code} | {each.check} | {_cell(each.message)} | {each.failed} | "
        f"{each.seconds:.0f} | {'yes' if each.survived else '**no**'} |"
        for each in _outcomes(data)
    ]
    return _HOSTILE.format(limits=" ".join(LIMITS), patience=PATIENCE) + "\n".join(rows) + "\n"


_INPUTS = """\
## Changed inputs

A small valid input of each reader, with one to three changes at random (`tests/hardening/mutations.py`): bytes, lines,
values, encodings, sizes, cells; every second run asks for JSON. Checked: of the runs that ended with 0, so many inputs
were read again by other means, the standard library and rules written out by hand, which found them valid, too. For a
proof folder and a campaign that means: the files say the same; the totals are those of a campaign without the folder.
Memory is that of the whole process.

| reader | command | tried | exit 0 | 1 | 2 | checked | slowest, s | most memory, MB | faults |
|---|---|---|---|---|---|---|---|---|---|
"""


def _inputs(data: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        f"| {each['reader']} | `{each['command']}` | {each['tried']:,} | "
        f"{' | '.join(str(each['codes'].get(code, 0)) for code in ('0', '1', '2'))} | {each['checked']} | "
        f"{each['slowest_seconds']} | {each['peak_megabytes']} | {len(each['faults'])} |"
        for each in data
    ]
    return _INPUTS + "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    """Return a text for a cell of a table: places and addresses, which change, are left out by cutting."""
    return printable(text.partition(" (/")[0].partition(" (hostile.py")[0], 110).replace("|", "/")


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "hostile_mechanisms": Part(
            promised="`check` reports whatever a mechanism does to its process as a failed check, and leaves nothing",
            attacked_with="mechanisms that end, hang, fill, fork, patch or garble their process",
            sweep=lambda: as_data(sweep()),
            survived=lambda data: sum(each.survived for each in _outcomes(data)),
            section=_hostile,
        ),
        "changed_inputs": Part(
            promised="a file from outside is read, or refused with one message: exit code 0, 1 or 2, no traceback, no "
            "hidden character on the terminal, under 1 GB and 30 s; what is taken is valid",
            attacked_with="settings, logs, recorded generations, public evaluations, reports, proof folders, "
            "campaigns, changed at random",
            sweep=changed_inputs,
            tried=lambda data: sum(each["tried"] for each in data),
            survived=lambda data: sum(each["tried"] - len(each["faults"]) for each in data),
            section=_inputs,
        ),
    }
)


def read(name: str) -> list[dict[str, Any]]:
    """Return the figures of a part."""
    found: list[dict[str, Any]] = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def run(name: str) -> None:
    """Run the sweep of a part and keep its figures."""
    FIGURES.mkdir(exist_ok=True)
    text = json.dumps(PARTS[name].sweep(), indent=1) + "\n"
    (FIGURES / f"{name}.json").write_text(text, encoding="utf-8")


def page() -> str:
    """Return the page."""
    figures = {name: read(name) for name in PARTS}
    rows = [
        f"| {part.promised} | {part.attacked_with} | {part.tried(figures[name]):,} | {part.survived(figures[name]):,} |"
        for name, part in PARTS.items()
    ]
    sections = [part.section(figures[name]) for name, part in PARTS.items()]
    return "\n".join([_HEAD + "\n".join(rows) + "\n", _ELSEWHERE, *sections])
