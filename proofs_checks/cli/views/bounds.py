"""What `costproof bounds` prints: what the guarantees are worth, first in words, then as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table

from bounds.language.formula import Formula
from bounds.report import Bound, BoundsReport
from bounds.worth.advice import Help, Sooner
from bounds.worth.driver import Driver
from bounds.worth.worth import Worth
from proofs_checks.cli.views.console import console, number, say, table
from proofs_checks.cli.views.sheet import Sheet

#: Where output is no terminal, a table is as wide as one usually is.
_WIDTH = 80
_NUMBERS = ("none", "one", "two", "three", "four", "five")


def show_bounds(report: BoundsReport, formulas: Mapping[str, Formula], given: str, everything: bool) -> None:
    """Print a bounds report, and formulas by name as LaTeX; `given` is how the setting was named."""
    screen = console(_WIDTH)
    for line in headline(report):
        screen.print(line)
    screen.print(_guarantees(report))
    for line in _notes(report, everything):
        said = line.lstrip()
        say(screen, said, indent=len(line) - len(said))
    screen.print(_providers(report, everything))
    if everything:
        screen.print(_counts(report))
        screen.print(_parts(report))
    for line in _next(report, given, everything):
        screen.print(line, soft_wrap=True)
    for name, formula in formulas.items():
        screen.print(f"{name}  [{formula.source}; {formula.valid}]", style="bold", soft_wrap=True)
        screen.print(f"  {formula.latex()}", soft_wrap=True)


def headline(report: BoundsReport) -> list[str]:
    """Return what a person would say aloud: which guarantees say something, when the others do, and who is to blame."""
    silent = [name for name, bound in report.guarantees.items() if not bound.worth.informative]
    total, saying = len(report.guarantees), len(report.guarantees) - len(silent)
    said = f"At T = {report.horizon:,} {_NUMBERS[saying]} of {_NUMBERS[total]} guarantees"
    lines = [f"{said} {'says' if saying == 1 else 'say'} something for {report.setting}."]
    starts = [
        f"{_words(name)} from T = {report.guarantees[name].worth.informative_from:,}"
        for name in silent
        if report.guarantees[name].worth.informative_from is not None
    ]
    if starts:
        lines.append(f"The others start to: {', '.join(starts)}.")
    blamed = next((driver for name in silent if (driver := report.guarantees[name].worth.driver) is not None), None)
    if blamed is not None:
        lines.append(_blame(blamed))
    return lines


def bounds_sheet(report: BoundsReport) -> Sheet:
    """Return the guarantees as a table of raw values."""
    rows = report.rows()
    title = f"{report.setting} at T = {report.horizon:,} ({report.method} bounds)"
    return Sheet(title=title, columns=tuple(rows[0]), rows=tuple(tuple(row.values()) for row in rows))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _blame(driver: Driver) -> str:
    part = f"{_short(driver.value)} of {_short(driver.total)}"
    who = "" if driver.provider is None else f"{driver.provider} (gap {number(driver.gap)})"
    if driver.kind == "provider":
        return f"{who} is why: alone it contributes {part}."
    return f"The {driver.name} is why: {part}" + (f"; {who} takes longest to be ruled out." if who else ".")


def _guarantees(report: BoundsReport) -> Table:
    level = 1 - float(report.confidence)
    found = table(
        f"Guarantees that hold together with probability at least 1 - delta = {level:g}",
        {"guarantee": "", "at most": "whole", "without theory": "whole", "share": "whole", "says something": "whole"},
    )
    for column in found.columns[1:4]:
        column.justify = "right"
    for name, bound in report.guarantees.items():
        worth = bound.worth
        share = "-" if worth.share_of_trivial is None else f"{100 * worth.share_of_trivial:,.3g}%"
        if worth.share_of_trivial is not None and worth.share_of_trivial >= 10:
            share = f"{worth.share_of_trivial:,.0f} x"
        found.add_row(_words(name), _short(bound.value), _short(worth.trivial), share, _since(bound, worth))
    return found


def _since(bound: Bound, worth: Worth) -> str:
    if worth.informative:
        return "yes"
    if worth.informative_from is None:
        return "no" if bound.applies else "undefined"
    return f"from T = {worth.informative_from:,}"


def _notes(report: BoundsReport, everything: bool) -> list[str]:
    """Return, for each guarantee that says nothing yet, why, and what would help."""
    lines = []
    for name, bound in report.guarantees.items():
        if bound.worth.informative:
            continue
        lines.append(f"{_words(name)}: {bound.reason or bound.worth.why_never}")
        lines += [f"  {line}" for line in _advice(report.horizon, bound.worth.helps, everything)]
    return lines


def _advice(horizon: int, helps: Sequence[Help], everything: bool) -> list[str]:
    """Return which changes help: first those that keep the market, then those that help sooner only, then the rest."""
    changes = [help for help in helps if help.parameter != "horizon"]
    lines = [_would_help(help) for help in changes if help.value is not None and help.keeps_market]
    lines += [_would_be_sooner(horizon, help, help.sooner) for help in changes if help.sooner is not None]
    lines += [_would_help(help) for help in changes if help.value is not None and not help.keeps_market]
    useless = [help for help in changes if help.value is None and help.sooner is None]
    if everything:
        return lines + [f"{help.parameter}: {help.effect}, at T = {horizon:,}" for help in useless]
    names = [help.parameter for help in useless]
    alone = " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return lines + ([f"no value tried of {alone} alone suffices at T = {horizon:,}"] if names else [])


def _would_help(help: Help) -> str:
    return f"{help.parameter} = {help.value:.10g} would help: {help.effect}"


def _would_be_sooner(horizon: int, help: Help, sooner: Sooner) -> str:
    start = f"no {help.parameter} tried suffices at T = {horizon:,}; " if help.value is None else f"{help.parameter} = "
    return f"{start}{sooner.value:.10g} brings it forward to T = {sooner.informative_from:,}: {sooner.effect}"


def _providers(report: BoundsReport, everything: bool) -> Table:
    columns = {"provider": "", "is": "whole", "gap": "whole", "selected at most": "whole"}
    found = table(
        f"Providers at T = {report.horizon:,} ({report.method} bounds)",
        columns | {"": "whole"} | ({"M_i or L_i": "whole"} if everything else {}),
    )
    for column in (found.columns[2], found.columns[3], *found.columns[5:]):
        column.justify = "right"
    for provider in report.providers:
        cap = provider.selection_cap
        beyond = "> T" if cap is not None and cap >= report.horizon else ""
        role = "the optimum" if provider.name == report.optimal_provider else ""
        found.add_row(
            provider.name,
            role or ("qualified" if provider.qualified else "unqualified"),
            number(provider.gap),
            _short(cap),
            beyond,
            *([_short(provider.selection_bound)] if everything else []),
        )
    return found


def _counts(report: BoundsReport) -> Table:
    found = table("Counts of queries", {"quantity": "", "value": "whole"})
    found.columns[1].justify = "right"
    rows = [
        ("sum of M_i: selections of unqualified providers", report.sum_quality_selection_bounds),
        ("sum of L_i: selections of qualified competitors", report.sum_cost_selection_bounds),
        ("exploration of one provider, at most", report.exploration_cap),
        ("exploration of all, at most", report.exploration_steps_bound),
        ("B_id(T): wrong selections, at most", report.identification_bound),
        ("T_id: from here on the optimum leads", report.identification_horizon),
        ("T_0: from here on auctions are among the qualified", report.burn_in),
    ]
    if report.method == "paper":
        rows.append(("B_id(T) without rounding up the exploration", report.main_text["identification_bound"]))
        rows.append(("T_id of the same", report.main_text["identification_horizon"]))
    for name, value in rows:
        found.add_row(name, _short(value))
    return found


_PARTS = {
    "anytime": "for any gaps",
    "gap_dependent": "for the gaps at hand",
    "without_exploration": "without exploration",
    "average_polynomial": "per query, in closed form",
    "leads_from": "the optimum leads from T_id",
}


def _parts(report: BoundsReport) -> Table:
    found = table("Parts and variants of the guarantees", {"guarantee": "", "part": "", "value": "whole"})
    found.columns[2].justify = "right"
    for name, bound in report.guarantees.items():
        for part, value in bound.parts.items():
            found.add_row(_words(name), _PARTS.get(part, _words(part)), _short(value))
    return found


def _next(report: BoundsReport, given: str, everything: bool) -> Sequence[str]:
    starts = [bound.worth.informative_from for bound in report.guarantees.values() if not bound.worth.informative]
    later = [start for start in starts if start is not None and start > report.horizon]
    told = [f"Next: costproof bounds {given} --horizon {min(later)}"] if later else []
    if not everything:
        told.append(
            f"{'or:  ' if told else 'Next:'} costproof bounds {given} --all   (counts, parts, what does not help)"
        )
    elif report.method == "paper":
        told.append(f"{'or:  ' if told else 'Next:'} costproof bounds {given} --method sharp   (improved bounds)")
    return told


def _short(value: float | None) -> str:
    """Return a number in at most 13 characters."""
    if value is None:
        return "-"
    if abs(value) >= 1e10:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 1e4 or float(value).is_integer() else f"{value:,.5g}"
