"""`python -m proofs_checks.verify.power_page`: writes docs/power.md, how near the steered instances come to the bounds.

The page is made of what the instances use; a test holds it against them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from proofs_checks.claims.allowances import HAIR, LOOSE, RULES, TENTH, Loose, loose
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.verify.episodes import DEFAULT
from proofs_checks.verify.power import NOT_PLAYED, Power, Reached, power_of

PAGE = Path(__file__).parents[2] / "docs" / "power.md"
_INTRODUCTION = """\
# The power of the steered instances

Made by `python -m proofs_checks.verify.power_page`; do not edit.

An inequality can only be refuted by an instance that comes near its bound. This page says how near the
{instances} small instances come that `verify` plays by default (seed 0). For example, one uses {regret:.3f} of the
bound of `thm:regret`. So if that bound were by mistake a tenth smaller, `verify` would refute it.

The share used is what is realized over what the bound allows. A bound that stands on something, as
c_(2) + c_max beta(m) stands on c_(2), allows its distance from there; any other allows all of itself.
{boundary} instances are built at the boundary of a bound and are the same for every seed; the others are random. A
test makes every bound a tenth smaller and asserts that an instance refutes it, but for those under "What no instance
can use".
"""
_NOT_SHARES = f"""\
## What has no share

- Rules, {len(RULES)} of them, as "paid at most what the rules prescribe": both sides are equal somewhere. A test turns
  each by {float(HAIR):g} of c_max (of 1 where it compares counts) and asserts that an instance refutes it.
- What queries in flight add to a bound (`:in-flight`): on these instances there are none. A test takes a tenth of it
  away, of the average deviation a half, and asserts that an instance built with queries in flight refutes that.
- Checks by hand that decide something without a bound (a bid below P wins; a mean is exact).
- Documented findings, which are refuted as they stand, and {", ".join(f"`{label}`" for label in NOT_PLAYED)}, which
  are put to the test on markets built for them.
"""
_TERMS = """\
## Bounds that are sums, term by term

A bound that is a sum can be used up while one of its terms is not needed. This is the share of each term that an
instance needs if all other terms are kept. Above 0 the instances notice when the term is left out; above .5 they
notice when it is halved.

| claim | term | share needed | instance |
|---|---|---|---|"""
_TERM_NOTES = """
- The start of the two averages is needed on none of these instances: the radius term is larger. In `thm:regret` it pays
  for auctions that unqualified providers win before T_0; at such short horizons the radii cover them.
- Of 2 S_T in the two regrets no more than half can be needed. An unqualified provider that is selected n times after
  initialization has eps <= 2 beta(n), and so n eps <= (2 n ln(C_0 n^2))^(1/2); the sum of these is at most S_T, not
  2 S_T. The same holds for the auctions that a dearer provider wins. A test compares the regrets with one S_T on all
  instances.
- Of the radii in `thm:regret` no more than 2/3 can be needed (two radii of three, see above).
"""


def page(power: Power) -> str:
    """Return docs/power.md.

    Parameters
    ----------
    power : Power
        Of the instances that `verify` plays by default.
    """
    regret = next(found.share for (label, _), found in power.everywhere.items() if label == "thm:regret")
    sections = [
        _INTRODUCTION.format(instances=DEFAULT.instances, boundary=len(BOUNDARY), regret=regret),
        "\n".join(["## By claim", "", *_by_claim(power), ""]),
        "\n".join(["## Where random instances do not come near", "", *_inequalities(power), ""]),
        "\n".join(["## What no instance can use", "", *map(_reason, LOOSE), ""]),
        "\n".join([_TERMS, *_terms(power), _TERM_NOTES]),
        _NOT_SHARES,
        "\n".join(["## The instances at the boundary", "", *_instances()]),
    ]
    return "\n".join(sections)


def _by_claim(power: Power) -> Iterator[str]:
    yield "The least share over the inequalities of a claim, and which inequality has it."
    yield ""
    yield "| claim | inequalities | random alone | all instances | least used |"
    yield "|---|---|---|---|---|"
    for label in dict.fromkeys(label for label, _ in power.everywhere):
        parts = [part for part in power.everywhere if part[0] == label]
        least = min(parts, key=lambda part: power.everywhere[part].share)
        alone = min(power.random[part].share for part in parts)
        mark = " (see below)" if loose(*least) else ""
        named = least[1] if power.everywhere[least].share < 0.9995 else ""
        yield f"| `{label}` | {len(parts)} | {alone:.3f} | {power.everywhere[least].share:.3f} | {named}{mark} |"


def _inequalities(power: Power) -> Iterator[str]:
    few = [part for part, found in power.random.items() if found.share <= 1 - TENTH]
    yield f"{len(few)} of the {len(power.random)} inequalities, with the instance that comes nearest."
    yield ""
    yield "| claim | inequality | random alone | all instances | instance |"
    yield "|---|---|---|---|---|"
    for part in few:
        found = power.everywhere[part]
        label, name = part
        yield f"| `{label}` | {name} | {power.random[part].share:.3f} | {found.share:.3f} | {_named(found)} |"


def _terms(power: Power) -> Iterator[str]:
    for (claim, term), found in power.terms.items():
        label, *which = claim.split(" ")
        stated = " ".join([f"`{label}`", *which])
        yield f"| {stated} | {term} | {found.share:.3f} | {_named(found) if found.share else 'none'} |"


def _named(found: Reached) -> str:
    return list(BOUNDARY)[found.instance] if found.instance < len(BOUNDARY) else "random"


def _reason(entry: Loose) -> str:
    names = "; ".join(f"*{part}*" for part in entry.parts)
    where = f" in {', '.join(f'`{label}`' for label in entry.labels)}" if entry.labels else ""
    return f"- {names}{where}. {entry.why}"


def _instances() -> Iterator[str]:
    builders: dict[object, list[str]] = {}
    for name, build in BOUNDARY.items():
        builders.setdefault(build.func if isinstance(build, partial) else build, []).append(name)
    for builder, names in builders.items():
        text = " ".join((builder.__doc__ or "").split())
        yield f"- **{'; '.join(names)}**: {text}"


def main() -> None:
    """Play the instances and write the page."""
    PAGE.write_text(page(power_of([instance_case(0, i) for i in range(DEFAULT.instances)])) + "\n", encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
