"""A page for each check of a mechanism: what it says, what it tests, and the broken mechanisms that it must catch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.checks.descriptions import GROUPS
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS
from proofs_checks.handbook.markdown import ORPHAN, block, bullets, code, link, page, table, text
from proofs_checks.handbook.names import check_link, claim_link
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.properties.lattice import PROPERTIES
from proofs_checks.properties.tested_by import OF_CHECK

#: What each group of checks asks.
GROUP_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "contract": "what `assign` and `settle` ask of any mechanism",
        "economic": "what any learning procurement mechanism should satisfy",
        "rules": "the exact rules of the paper",
    }
)


def check_pages() -> Mapping[str, str]:
    """Return the page of every check and their index, by file.

    Examples
    --------
    >>> "FirstPrice" in check_pages()["own-bid-independence.md"]
    True
    """
    checks = {**ALL_CHECKS, **IN_FLIGHT_CHECKS}
    return {f"{name}.md": check_page(check) for name, check in checks.items()} | {"index.md": _index(checks)}


def _index(checks: Mapping[str, Check]) -> str:
    rows = (
        [check_link(name), text(check.says), code(check.group), claim_link(check.claim, "../claims/")]
        for name, check in checks.items()
    )
    return page(
        "# Checks",
        f"`costproof check` runs {len(ALL_CHECKS)} of these checks on a mechanism, in this order. With `--in-flight` "
        f"it runs {len(IN_FLIGHT_CHECKS)}, {_also()} among them. A check that passes has found no failure. That proves "
        "nothing ([Your mechanism, property-tested](../../check.md)).",
        bullets(f"{code(group)}: {GROUP_MEANINGS[group]}" for group in GROUPS),
        table(["check", "says", "group", "claim"], rows),
    )


def _also() -> str:
    """Return the checks that run with queries in flight alone, in words."""
    *first, last = [check_link(name) for name in IN_FLIGHT_CHECKS if name not in ALL_CHECKS]
    return f"{', '.join(first)} and {last}"


def check_page(check: Check) -> str:
    """Return the page of a check."""
    own = ALL_CHECKS.get(check.name)
    only = "" if own is not None else " --in-flight 3"
    return ORPHAN + page(
        f"# {code(check.name)}",
        f"{link('Checks', 'index.md')} · group {code(check.group)}: {GROUP_MEANINGS[check.group]} · claim "
        f"{claim_link(check.claim, '../claims/')}",
        text(check.says[:1].upper() + check.says[1:] + "."),
        "It runs only with queries in flight (`--in-flight`)." if own is None else "",
        *_rules(check),
        *_properties(check),
        *_chance(check),
        *_mutants(check),
        "## Run it alone",
        block("sh", f"costproof check my_module:make_router --only {check.name}{only}"),
    )


def _rules(check: Check) -> Iterator[str]:
    if check.rules:
        yield "## Rules that it compares every answer with"
        compared = [name for name in STEP_RULES if name in check.rules]
        yield bullets(f"{check_link(name)}, of {claim_link(STEP_RULES[name].label, '../claims/')}" for name in compared)


def _properties(check: Check) -> Iterator[str]:
    tested = OF_CHECK[check.name]
    if not (tested.passed or tested.failed):
        return
    yield "## Property"
    if tested.passed:
        yield f"It tests the property {code(tested.passed)}: {text(PROPERTIES[tested.passed].says)}."
    if tested.failed and tested.failed != tested.passed:
        yield f"A failure is sure to refute {code(tested.failed)}: {text(PROPERTIES[tested.failed].says)}."
    yield "What rests on what: [Properties, from weak to strong](../../properties.md)."


def _chance(check: Check) -> Iterator[str]:
    if check.false_alarm:
        yield "## Chance"
        yield f"In one run a right mechanism fails it with probability {check.false_alarm:g} at most."
        if check.power:
            yield text(check.power[:1].upper() + check.power[1:]) + "."


def _mutants(check: Check) -> Iterator[str]:
    caught = [mutant for mutant in MUTANTS.values() if check.name in mutant.caught_by]
    if caught:
        yield "## Broken mechanisms that it must catch"
        yield table(["mutant", "breaks"], ([code(each.name), text(each.breaks)] for each in caught))
        yield "[Mutants](../../mutants.md) lists all of them, with every check that caught each."
