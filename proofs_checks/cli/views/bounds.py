"""What `costproof bounds` prints: what the guarantees are worth, first in words, then as tables."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from rich.table import Table

from bounds.errors import printable
from bounds.glossary import bound_on, explained, name_of, unit_of
from bounds.guarantees import GUARANTEES
from bounds.language.formula import Formula
from bounds.published.defaults import MONEY_IN_WORDS
from bounds.radii.names import PAPERS
from bounds.report import HEADINGS, Bound, BoundsReport, ProviderBound
from bounds.words import all_but, at_most, both_at_most, brief, is_or_are, listed, share, spelled, until_distinct
from bounds.worth.advice import MOST_ADVISED, Help, Sooner
from bounds.worth.guarantee import HARDLY_BETTER
from bounds.worth.worth import Worth
from proofs_checks.cli.views.console import MOST_PROVIDERS, console, number, say, show, suggest, table
from proofs_checks.verdict import MEANING, WHEN_MADE, Verdict


def show_bounds(report: BoundsReport, formulas: Mapping[str, Formula], given: str, everything: bool) -> None:
    """Print a bounds report, and formulas by name as LaTeX; `given` is how the setting was named."""
    screen = console()
    for line in headline(report):
        say(screen, line)
    if report.radius == PAPERS:
        show(screen, _guarantees(report))
        say(screen, _units(report), style="dim")
        for line in _notes(report, everything):
            said = line.lstrip()
            say(screen, said, indent=len(line) - len(said))
    show(screen, _providers(report, everything))
    if (left_out := len(report.providers) - MOST_PROVIDERS) > 0:
        chosen = "The optimum and those with the largest bounds" if report.optimal_provider else "The largest bounds"
        say(screen, f"{chosen} are shown; {left_out:,} more providers are in what --json prints.")
    if everything:
        show(screen, _counts(report))
        if report.radius == PAPERS:
            show(screen, _parts(report))
    for command, why in _next(report, given, everything):
        suggest(screen, command, why)
    for name, formula in formulas.items():
        screen.print(f"{name}  [{formula.source}; {formula.valid}]", style="bold", soft_wrap=True)
        screen.print(f"  {formula.latex()}", soft_wrap=True)


def headline(report: BoundsReport) -> list[str]:
    """Return what a person would say aloud: which bounds are informative, when the others are, and who is to blame."""
    if report.radius != PAPERS:
        return _with_other_radius(report)
    silent = [name for name, bound in report.guarantees.items() if not bound.worth.informative]
    total, saying = len(report.guarantees), len(report.guarantees) - len(silent)
    said = f"{spelled(saying)} of {spelled(total)} guarantees {is_or_are(saying)} informative"
    lines = [f"{report.setting}: at T = {report.horizon:,} {said}."]
    shares = {
        name: bound.worth.share_of_trivial for name, bound in report.guarantees.items() if bound.worth.informative
    }
    # So near to the trivial values that nobody should rely on the difference.
    if hardly := {name: part for name, part in shares.items() if part is not None and part > HARDLY_BETTER}:
        parts = [f"{name_of(name)} ({share(part)})" for name, part in hardly.items()]
        lines.append(f"Of these, {listed(parts)} {is_or_are(len(hardly))} hardly better than the trivial value.")
    starts = [
        f"{name_of(name)} from T = {start:,}"
        for name in silent
        if (start := report.guarantees[name].worth.informative_from) is not None
    ]
    if starts:
        others = "The others become" if len(starts) == len(silent) else "Some become"
        others = "The other becomes" if len(silent) == 1 else others
        lines.append(f"{others} informative later: {', '.join(starts)}.")
    undefined = [name for name in silent if (bound := report.guarantees[name]).value is None and not bound.applies]
    if undefined:
        are = f"{spelled(len(undefined)).capitalize()} {'is' if len(undefined) == 1 else 'are'} undefined"
        why = f"{report.guarantees[undefined[0]].reason}".partition(";")[0]
        lines.append(f"{are}: {why}.")
    if (leads := report.identification_horizon) is not None:
        optimum = "The optimum" if report.optimal_provider is None else f"{report.optimal_provider}, the optimum,"
        probability = f"with probability at least {all_but(report.confidence)}"
        lines.append(f"{optimum} serves more queries than any other from T_id = {leads:,} on, {probability}.")
    blamed = next((name for name in silent if report.guarantees[name].worth.driver is not None), None)
    return lines if blamed is None else [*lines, _blame(blamed, report.guarantees[blamed])]


def _with_other_radius(report: BoundsReport) -> list[str]:
    """Return what is known where the platform has another radius than the paper's."""
    lines = [
        f"{report.setting}: the paper's theorems do not apply. They are stated for its own confidence radius, and this "
        f"platform's is {report.radius}.",
        "What follows is derived anew for that radius (costproof docs radii). How strongly it is proved: "
        "`costproof prove thm:sample-complexity:any-radius`.",
    ]
    if report.method != "paper":
        lines.append(f"The {report.method} bounds do not apply either: they improve those for the paper's radius.")
    bound, leads = report.identification_bound, report.identification_horizon
    if bound is not None:
        level, after = all_but(report.confidence), report.horizon - len(report.providers)
        most, follow = both_at_most(bound, after)
        lines.append(
            f"With probability at least {level}, at most {most} of {report.horizon:,} queries miss the optimum after "
            "initialization."
            if bound < after
            else f"The identification bound is not informative yet: it lets {most} queries go to others than the "
            f"optimum; only {follow} (T - N) follow initialization."
        )
    if leads is not None:
        optimum = "the optimum" if report.optimal_provider is None else f"{report.optimal_provider}, the optimum,"
        lines.append(f"From T_id = {leads:,} on {optimum} serves more queries than any other, equally surely.")
    lines.append(
        "Regrets and payments have no bound here: the paper's proofs of those use its own radius, and none was derived "
        "for another."
    )
    missing = {reason: name_of(name) for name, reason in reversed(report.reasons.items())}
    return [*lines, *(f"No {name}: {reason}." for reason, name in reversed(missing.items()))]


#: How the terms of a bound are called in a sentence.
_TERMS = {
    "burn-in": "start-up term T_0",
    "radii": "sum of the confidence radii",
    "deviating bids": "deviation of the bids",
}


def _blame(name: str, bound: Bound) -> str:
    driver = bound.worth.driver
    if driver is None:
        raise ValueError(f"{name} has no summand to blame")
    who = "" if driver.provider is None else f"{driver.provider} (gap {number(driver.gap)})"
    what = who if driver.kind == "provider" else f"the {_TERMS.get(driver.name, driver.name)}"
    part, total = until_distinct(lambda digits: (brief(driver.value, digits), at_most(driver.total, digits)), 5)
    slow = f"; {who} takes longest to be ruled out" if who and driver.kind != "provider" else ""
    if bound.applies:
        return f"The cause is {what}: it accounts for {part} of the {bound_on(name)} of {total}{slow}."
    formula = f"{part} of the {total} that the formula gives for the {name_of(name)}"
    return f"The cause is {what}: it accounts for {formula}; the theorem does not apply before T_0{slow}."


def _guarantees(report: BoundsReport) -> Table:
    level = all_but(report.confidence)
    value, trivial, share_, says = (HEADINGS[name] for name in ("value", "trivial", "share_of_trivial", "informative"))
    together = f"hold together with probability at least 1 - delta = {level}"
    found = table(
        f"Bounds; those that are proved here {together}" if report.not_proved else f"Guarantees that {together}",
        {"guarantee": "whole", value: "right", trivial.replace(" ", "\n"): "right", share_: "right", says: "whole"},
    )
    for name, bound in report.guarantees.items():
        worth = bound.worth
        value, trivial = both_at_most(bound.value, worth.trivial) if bound.applies else ("-", at_most(worth.trivial))
        part = share(worth.share_of_trivial) if bound.applies else "-"
        found.add_row(name_of(name), value, trivial, part, report.informative_since(name))
    return found


def _units(report: BoundsReport) -> str:
    """Say in which unit each guarantee is."""
    units: dict[str, list[str]] = {}
    for name in GUARANTEES:
        units.setdefault(unit_of(name), []).append(name_of(name))
    after = {unit_of("identification"): " after initialization"}
    said = "; ".join(f"{unit}{after.get(unit, '')} for {listed(names)}" for unit, names in units.items())
    leads = "An informative identification bound does not make the optimum lead: that is guaranteed from T_id on."
    weakest = _weakest(report)
    proved = f" {_proved_as('They', weakest)}" if weakest is Verdict.PROVED_STEPS else ""
    return (
        f"{_theorems(report)}, in this order.{proved} Bounds are rounded up. Informative: below the trivial value, "
        f"which holds without any theory; 'from' means: at every T from there on. {leads} Units: {said}. "
        f"{MONEY_IN_WORDS} {explained('excess_payment')}"
    )


def _weakest(report: BoundsReport) -> Verdict:
    """Return how strongly the guarantees are proved: the weakest of their verdicts."""
    told = {bound.backing.proved_as for bound in report.guarantees.values()}
    return Verdict.PROVED_STEPS if Verdict.PROVED_STEPS.value in told else Verdict.PROVED


def _proved_as(what: str, verdict: Verdict) -> str:
    """Say how strongly numbers are proved. Coq is not asked for that.

    Examples
    --------
    >>> _proved_as("They", Verdict.PROVED)[:72]
    'They are PROVED, as checked when this package was made: for all paramete'
    """
    return f"{what} are {verdict}, {WHEN_MADE}: {MEANING[verdict]}."


def _theorems(report: BoundsReport) -> str:
    """Return where the numbers come from; alone, the numbers of theorems."""
    of_paper = [name for name in report.guarantees if GUARANTEES[name].theorem]
    numbers = [report.credited(name).removesuffix(", appendix D") for name in of_paper]
    short = [each.removeprefix("Theorem ") for each in numbers]
    theorems = f"Theorems {listed(short)}" if all(each.isdigit() for each in short) else listed(numbers)
    return f"{theorems} of the paper{_IMPROVED[report.method]}"


#: How the bounds of a method differ from the printed ones, behind the theorems that they improve.
_IMPROVED = {
    "paper": "",
    "sharp": ", improved (costproof docs sharper-bounds)",
    "sharpest": ", improved (costproof docs sharper-bounds)",
}


def _notes(report: BoundsReport, everything: bool) -> list[str]:
    """Return why guarantees are not informative yet, each reason once, and what would help."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, bound in report.guarantees.items():
        if not bound.worth.informative:
            advice = (f"  {line}" for line in _advice(report.horizon, bound.worth, everything))
            found.setdefault((f"{bound.reason or bound.worth.why_never}", *advice), []).append(name_of(name))
    lines = [f"Not proved here: {each}" for each in report.not_proved]
    for (reason, *helps), names in found.items():
        lines += [f"{', '.join(names)}: {reason}", *helps]
    most = MOST_ADVISED[report.method]
    if found and len(report.providers) > most:
        lines.append(f"What would help was not searched for: that is done for up to {most:,} providers.")
    return lines


def _advice(horizon: int, worth: Worth, everything: bool) -> list[str]:
    """Return which changes help, in their order: what makes another market, and who qualifies, comes last.

    What makes a guarantee speak only a little sooner is left out where something else gains more, unless `everything`
    is told.
    """
    changes, lines = [help for help in worth.helps if help.parameter != "horizon"], []
    small = _gaining_little(changes, worth.informative_from)
    for help in changes:
        if help.found and help.keeps_market:
            lines.append(_would_help(help))
        if help.sooner is not None and (everything or help not in small):
            lines.append(_would_be_sooner(horizon, help, help.sooner))
    if everything and small:
        lowers = "lowers" if len(small) == 1 else "lower"
        lines.append(f"{len(small)} of the changes above {lowers} T by less than a third: left out without --all")
    lines += [_would_help(help) for help in changes if help.found and not help.keeps_market]
    never = [
        help for help in changes if not help.found and help.tried is None and help.parameter not in ("method", "radius")
    ]
    if never:
        names = listed([help.parameter for help in never], "or")
        lines.append(f"{names}: {never[0].effect}, at T = {horizon:,}")
    tried = [help for help in changes if help.tried is not None]
    useless = [help for help in tried if help.sooner is None] if everything else []
    if told := [help for help in tried if help not in useless]:
        named = "; ".join(
            "leaving out one provider" if help.parameter == "provider" else f"{_called(help.parameter)} {help.tried}"
            for help in told
        )
        lines.append(f"Tried one at a time, and not enough at T = {horizon:,}: {named}.{_earliest(changes, told)}")
    nor = ", nor sooner" if any(help.sooner is not None for help in changes) else ""
    return lines + [f"{help.parameter}: {help.effect}, at T = {horizon:,}{nor}" for help in useless]


#: A factor in T: who gains less is not worth a line beside who gains more.
_LITTLE = 1.5


def _gaining_little(changes: Sequence[Help], starts: int | None) -> list[Help]:
    """Return the changes with which a guarantee speaks a little sooner than from `starts` on, if another gains more."""
    if starts is None:
        return []
    little = [help for help in changes if help.sooner and help.sooner.informative_from * _LITTLE > starts]
    more = any(help.sooner is not None and help not in little for help in changes)
    return little if more or any(help.found and help.keeps_market for help in changes) else []


def _earliest(changes: Sequence[Help], tried: Sequence[Help]) -> str:
    """Say which of the values that were tried stand above, with a later horizon."""
    if all(help.sooner is None for help in changes):
        return ""
    found = "A search found each T above; an earlier one may exist."
    apart = " (radii excepted)" if any(help.radius or (help.sooner and help.sooner.radius) for help in changes) else ""
    rule = f" {found} A change with such a T is not listed if another guarantee is then not informative{apart}."
    none = [_changing(help.parameter) for help in tried if help.sooner is None]
    return f"{rule} Nothing sooner was found by {listed(none)}." if none else rule


def _change(help: Help, of: Help | Sooner) -> str:
    """Return a change as a person would make it: a flag, what the file of a setting says, or who is left out."""
    if of.method is not None:
        return f"--method {of.method}"
    if of.radius is not None:
        return f'radius = "{of.radius}" (costproof docs radii)'
    if of.without is not None:
        return f"{'a smaller roster' if help.keeps_market else 'another market'}: without {printable(of.without)}"
    # A threshold in full: a rounded one may exclude whose quality it is.
    value = repr(of.value) if help.parameter == "quality_threshold" else f"{of.value:.10g}"
    return f"{_called(help.parameter)} = {value}"


def _would_help(help: Help) -> str:
    change = _change(help, help)
    if help.method is not None:
        return f"{change} is enough: {help.effect}"
    if help.without is not None:
        return f"{change} {help.effect}"
    return f"{'' if help.keeps_market else 'another market: '}{change} would help: {help.effect}"


def _would_be_sooner(horizon: int, help: Help, sooner: Sooner) -> str:
    start = f"from T = {sooner.informative_from:,}; {sooner.effect}"
    return f"{_change(help, sooner)}: not enough at T = {horizon:,}, but {start}"


def _called(parameter: str) -> str:
    """Return a parameter as the file names it, with the symbol where the name may mislead."""
    return "confidence (delta)" if parameter == "confidence" else parameter


def _changing(parameter: str) -> str:
    return "leaving out one provider" if parameter == "provider" else f"changing {_called(parameter)}"


#: M_i, L_i and the caps leave out the one query that initialization sends to every provider.
_SELECTED = "after initialization\nselected at most"


#: Gaps are of two kinds.
_GAP_IN = {"quality": "in quality", "cost": "in cost"}


def _providers(report: BoundsReport, everything: bool) -> Table:
    kind = f"{report.method} bounds" if report.radius == PAPERS else f"radius {report.radius}"
    columns = {"provider": "", "is": "whole", "gap": "right", _SELECTED: "right", "": "whole"}
    found = table(
        f"Providers at T = {report.horizon:,} ({kind})", columns | ({"M_i or L_i": "right"} if everything else {})
    )
    for provider in _shown(report):
        cap = provider.selection_cap
        beyond = "> T" if cap is not None and cap >= report.horizon else ""
        role = "the optimum" if provider.name == report.optimal_provider else ""
        found.add_row(
            provider.name,
            role or ("qualified" if provider.qualified else "unqualified"),
            f"{number(provider.gap)} {_GAP_IN[provider.gap_kind]}" if provider.gap_kind in _GAP_IN else "-",
            at_most(cap),
            beyond,
            *([at_most(provider.selection_bound)] if everything else []),
        )
    return found


def _shown(report: BoundsReport) -> Sequence[ProviderBound]:
    """Return the providers that the table has: all, or of many the optimum and those that may be selected most."""
    providers = report.providers
    if len(providers) <= MOST_PROVIDERS:
        return providers

    def rank(index: int) -> tuple[bool, float]:
        cap = providers[index].selection_cap
        return providers[index].name == report.optimal_provider, math.inf if cap is None else cap

    return [providers[i] for i in sorted(heapq.nlargest(MOST_PROVIDERS, range(len(providers)), rank))]


def _counts(report: BoundsReport) -> Table:
    found = table("Counts of queries", {"quantity": "", "value": "right"})
    of_paper = report.method == "paper" and report.radius == PAPERS
    tightened = " of appendix D" if of_paper else ""
    rows = [
        ("sum of M_i: selections of unqualified providers", report.sum_quality_selection_bounds),
        ("sum of L_i: selections of qualified competitors", report.sum_cost_selection_bounds),
        ("exploration of one provider, at most", report.exploration_cap),
        ("exploration of all, at most", report.exploration_steps_bound),
        (f"{name_of('identification_bound')} B_id(T){tightened}", report.identification_bound),
        (f"N - 1 + B_id(T){tightened}: the same with initialization", report.non_optimal_steps_bound),
        (f"{name_of('identification_horizon')}: from here on the optimum leads", report.identification_horizon),
        ("T_0: from here on all bidders of an auction are qualified", report.burn_in),
    ]
    if of_paper:
        rows.append(("B_id(T) of Theorem 3, exploration not rounded", report.main_text["identification_bound"]))
        rows.append(("T_id with the B_id(T) of Theorem 3", report.main_text["identification_horizon"]))
    for name, value in rows:
        found.add_row(name, at_most(value))
    return found


_PARTS = {
    "anytime": "for any gaps",
    "gap_dependent": "for the gaps at hand",
    "without_exploration": "without exploration",
    "average_polynomial": "per query, in closed form",
    "leads_from": name_of("identification_horizon"),
}


def _parts(report: BoundsReport) -> Table:
    found = table("Parts and variants of the guarantees", {"guarantee": "", "part": "", "value": "right"})
    for name, bound in report.guarantees.items():
        for part, value in bound.parts.items():
            found.add_row(name_of(name), _PARTS.get(part, name_of(part)), at_most(value))
    return found


def _next(report: BoundsReport, given: str, everything: bool) -> list[tuple[str, str]]:
    """Return the commands to try next, each with what it is good for."""
    again, told = f"costproof bounds {given}", []
    for better in _better_methods(report, everything):
        why = "the best bounds for the same market, mechanism and delta"
        told.append((f"{again} --horizon {report.horizon} --method {better}", why))
    method = "" if report.method == "paper" else f" --method {report.method}"
    starts = [bound.worth.informative_from for bound in report.bounds.values() if not bound.worth.informative]
    # An identification bound just below T - N is of little use: the useful horizon is that of the leader.
    leads = report.identification_horizon
    later = [start for start in (leads, *starts) if start is not None and start > report.horizon]
    if later:
        lead, one_more = "where the optimum is guaranteed to lead", "where one more guarantee is informative"
        why = lead if min(later) == leads else one_more
        told.append((f"{again} --horizon {min(later)}{method}", why))
    if not everything:
        more = "counts, parts, and what does not help" if report.radius == PAPERS else "counts"
        told.append((f"{again} --horizon {report.horizon}{method} --all", more))
    return told


def _better_methods(report: BoundsReport, everything: bool) -> list[str]:
    """Return the methods that the advice recommends; where it names none, the best one with --all."""
    helps = [help for bound in report.guarantees.values() for help in bound.worth.helps]
    advised = list(dict.fromkeys(help.method for help in helps if help.method is not None))
    return advised or ["sharpest"] * (everything and report.method == "paper" and report.radius == PAPERS)
