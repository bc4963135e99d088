"""What `costproof bounds` prints: what the guarantees are worth, and what would make them better."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Literal

from bounds.errors import printable
from bounds.glossary import bound_on, explained, name_of, unit_of
from bounds.guarantees import GUARANTEES
from bounds.language.formula import Formula
from bounds.published.defaults import MONEY_IN_WORDS
from bounds.radii.names import PAPERS
from bounds.ranges import InputsReport
from bounds.report import HEADINGS, Bound, BoundsReport, ProviderBound
from bounds.setting.estimates import SampleMean
from bounds.setting.model import Setting
from bounds.words import (
    all_but,
    at_most,
    both_at_most,
    brief,
    capital,
    is_or_are,
    listed,
    rounded_up,
    share,
    short_exponent,
    spelled,
    until_distinct,
)
from bounds.worth.advice import MOST_ADVISED, Help, Sooner, lead_from
from bounds.worth.guarantee import HARDLY_BETTER
from proofs_checks.cli.prose import shortened
from proofs_checks.cli.views.console import Screen, console, largest, number
from proofs_checks.verdict import MEANING, WHEN_MADE, WORDS, Verdict

#: What is printed: the screen, with the suggested changes of each guarantee, or everything.
Layer = Literal["screen", "advice", "everything"]


def show_bounds(
    report: BoundsReport, setting: Setting, formulas: Mapping[str, Formula], given: str, layer: Layer, default: bool
) -> None:
    """Print a bounds report, and formulas by name as LaTeX; `given` is how the setting was named.

    `default` says whether the horizon is the default.
    """
    screen, papers, everything = console(), report.radius == PAPERS, layer == "everything"
    screen.say(" ".join(headline(report, default)))
    if papers and (everything or _has_values(report)):
        _show_guarantees(screen, report, everything)
        waiting = any(bound.value is not None and not bound.applies for bound in report.bounds.values())
        start = "" if report.burn_in is None else f" = {at_most(report.burn_in)}"
        short = [
            "Informative from T: the bound is below its trivial value; T_id: the optimum is selected most. "
            f"Money: the setting's unit.{f' -: T is below T_0{start}.' * waiting}"
        ]
        for line in _meanings(report) if everything else short * (report.inputs is None):
            screen.say(line, style="dim")
    if report.inputs is not None:
        _say_inputs(screen, report, setting, report.inputs, everything)
    screen.print()
    # What the inputs leave open is the one thing to know: the rest is about the point estimates.
    uncertain = layer == "screen" and report.inputs is not None
    for line in _not_proved(report, everything) + ([] if uncertain else _largest(report)):
        screen.say(line)
    if layer == "screen":
        for line in [] if uncertain else _best_changes(report, setting):
            screen.say(line)
    else:
        _suggest_changes(screen, report, layer == "everything")
    if everything or not papers:
        shown = report.providers if everything else _largest_caps(report)
        _show_providers(screen, report, shown, everything)
        screen.left_out(report.providers, shown)
    if everything:
        _show_counts(screen, report, setting)
        if papers:
            _show_parts(screen, report)
    for command, why in _next(report, setting, given, advice=layer == "advice")[: None if everything else 1]:
        screen.suggest(command, why)
    if not everything:
        advice = "--advice has changes for what is not informative; " * (
            layer == "screen" and any(bound.worth.helps for bound in report.guarantees.values())
        )
        screen.say(f"{advice}--all prints everything.")
    for name, formula in formulas.items():
        screen.print(f"{name}  [{formula.source}; {formula.valid}]", style="bold", soft_wrap=True)
        screen.print(f"  {formula.latex()}", soft_wrap=True)


def headline(report: BoundsReport, default: bool = False) -> list[str]:
    """Return the answer in sentences: how many guarantees are informative, and T_id."""
    if report.radius != PAPERS:
        return _with_other_radius(report)
    silent = _silent(report)
    total, informative = len(report.guarantees), len(report.guarantees) - len(silent)
    count = f"{spelled(informative)} of {spelled(total)}" if silent else f"all {spelled(total)}"
    at = f"T = {report.horizon:,}{' (the default; --horizon T)' * default}"
    at += " and at the point estimates," * (report.inputs is not None)
    over = "" if report.inputs is None else f"; over the region {_over_region(report, report.inputs)}"
    lines = [f"{report.setting}: at {at} {count} guarantees {is_or_are(informative)} informative{over}."]
    shares = {
        name: bound.worth.share_of_trivial for name, bound in report.guarantees.items() if bound.worth.informative
    }
    # So near to the trivial values that nobody should rely on the difference.
    if hardly := {name: part for name, part in shares.items() if part is not None and part > HARDLY_BETTER}:
        parts = [f"{name_of(name)} ({share(part)})" for name, part in hardly.items()]
        lines.append(f"Of these, {listed(parts)} {is_or_are(len(hardly))} hardly better than the trivial value.")
    undefined = [bound for bound in silent.values() if bound.value is None and not bound.applies]
    if undefined:
        why = f"{undefined[0].reason}".partition(";")[0]
        count = "all" if len(undefined) == total else spelled(len(undefined))
        lines.append(f"{capital(count)} {is_or_are(len(undefined))} undefined: {why}.")
    return [*lines, *_leads(report)]


def _over_region(report: BoundsReport, inputs: InputsReport) -> str:
    """Say which guarantees are informative over the whole region of the inputs, and whether there is a T_id."""
    others = [name for name, bound in report.guarantees.items() if not _informative_over_region(bound)]
    number = len(report.guarantees) - len(others)
    count = f"{spelled(number)} {is_or_are(number)}" if number else "none is"
    if len(others) in (1, 2):
        count = f"{listed([f'the {name_of(name)}' for name in others])} {is_or_are(len(others))} not"
    elif not others:
        count = "so are all"
    if any(each.optimal == "unsettled" for each in inputs.providers):
        return f"{count}, and the optimum is unsettled"
    return count if report.identification_horizon_range else f"{count}, and there is no T_id"


def _informative_over_region(bound: Bound) -> bool | None:
    """Return whether a bound is below its trivial value at the point over the region; None if one is unknown."""
    if not bound.applies or bound.range is None or bound.worth.trivial is None:
        return None
    return bound.range[1] < bound.worth.trivial


def _has_values(report: BoundsReport) -> bool:
    """Return whether a guarantee is defined."""
    return any(bound.value is not None for bound in report.guarantees.values())


def _not_proved(report: BoundsReport, everything: bool) -> list[str]:
    """Return which numbers are not proved for the setting, and with --all why."""
    if everything:
        return [f"Not proved for this setting: {each}" for each in report.not_proved]
    bounds = report.guarantees.items()
    names = [name_of(name) for name, bound in bounds if bound.applies and bound.backing.not_proved_because]
    return [f"Not proved for this setting: {', '.join(names)} (--all prints why)."] if names else []


def _silent(report: BoundsReport) -> dict[str, Bound]:
    """Return the guarantees that are not informative, by name."""
    return {name: bound for name, bound in report.guarantees.items() if not bound.worth.informative}


def _leads(report: BoundsReport) -> list[str]:
    """Say from when on the optimum has the most selections, if it is guaranteed to."""
    if (start := report.identification_horizon) is None:
        return []
    name, ends = report.optimal_provider, report.identification_horizon_range
    optimum = "The optimum" if name is None else f"{name}, the optimum,"
    by = f"{report.method} bounds" if report.radius == PAPERS else "bounds for this radius"
    if report.inputs is not None:
        over = f", over the region from {_range(ends[1:] * 2)} on" if ends else ""
        return [
            f"At the point, {name or 'the optimum'} is guaranteed the most selections from T_id = {start:,} on{over}."
        ]
    return [f"{optimum} is guaranteed the most selections from T_id = {start:,} on (by the {by})."]


def _with_other_radius(report: BoundsReport) -> list[str]:
    """Return the answer where the platform has another radius than the paper's."""
    lines = [
        f"{report.setting}: this platform has the confidence radius {report.radius}. The paper's theorems do not "
        "apply: they are stated for the paper's radius.",
        "The bounds below are derived for this radius (costproof docs radii); they are "
        f"{WORDS[Verdict.PROVED_STEPS]} (costproof prove thm:sample-complexity:any-radius).",
    ]
    if report.method != "paper":
        lines.append(f"The {report.method} bounds do not apply either.")
    if (bound := report.identification_bound) is not None:
        most, trivial = both_at_most(bound, report.horizon - len(report.providers))
        lines.append(
            f"With probability at least {all_but(report.confidence)}, at most {most} queries after initialization miss "
            f"the optimum by T = {report.horizon:,} (trivial value: {trivial})."
        )
    lines += _leads(report)
    lines.append("Regrets and payments have no bound for this radius.")
    missing = {reason: name_of(name) for name, reason in reversed(report.reasons.items())}
    return [*lines, *(f"No {name}: {reason}." for reason, name in reversed(missing.items()))]


#: How the terms of a bound are called in a sentence.
_TERMS = {
    "burn-in": "start-up term T_0",
    "radii": "sum of the confidence radii",
    "deviating bids": "deviation of the bids",
}


def _largest(report: BoundsReport) -> list[str]:
    """Return the largest contributor to the first bound that is not informative; if all are, to the first."""
    known = {name: bound for name, bound in report.guarantees.items() if bound.worth.contributor is not None}
    name = next((name for name in known if name in _silent(report)), next(iter(known), None))
    part = None if name is None else known[name].worth.contributor
    if name is None or part is None:
        return []
    who = "" if part.provider is None else f"{part.provider} ({_gap(part.gap, part.gap_kind)})"
    what = who if part.kind == "provider" else f"the {_TERMS.get(part.name, part.name)}"
    value, total = until_distinct(lambda digits: (brief(part.value, digits), at_most(part.total, digits)), 5)
    slow = f" {who} takes longest to be eliminated." if who and part.kind != "provider" else ""
    before = "" if known[name].applies else ", above the trivial value until T_0"
    return [f"Largest contributor: {what}, with {value} of the {bound_on(name)} of {total}{before}.{slow}"]


def _best_changes(report: BoundsReport, setting: Setting) -> list[str]:
    """Return the best change that costs nothing, and the best that has a price."""
    if (note := _not_searched(report)) is not None:
        return [note]
    helps = [(name, help) for name, bound in _silent(report).items() for help in bound.worth.helps]
    better = [(name, help) for name, help in helps if _method(help) is not None]
    lines = []
    if better:
        method = f"{_method(better[0][1])}"
        effects = [f"{name_of(name)} {_gain(help)}" for name, help in better if _method(help) == method]
        start = lead_from(setting, method)
        effects = effects if start is None else [f"T_id = {start:,}", *effects]
        lines.append(f"No cost: --method {method}: {'; '.join(effects)}.")
    priced = (
        (name, help, of)
        for name, help in helps
        if _method(help) is None and help.parameter != "horizon"
        for of in ([help] if help.found and help.keeps_market else [help.sooner] if help.sooner else [])
    )
    if (best := next(priced, None)) is not None:
        name, help, of = best
        effect = shortened(_effect(of), _EFFECT_ROOM, "--advice")
        lines.append(f"At a price: {_change(help, of)} for the {bound_on(name)}: {effect}.")
    return lines


def _method(help: Help) -> str | None:
    """Return the method that a help advises; None of another change."""
    return help.method or (help.sooner.method if help.sooner else None)


def _gain(help: Help) -> str:
    """Return what a bound is with a better method, or from when on it is informative."""
    start = help.sooner.informative_from if help.sooner else None
    return f"informative from {start:,}" if start else re.split(" [(]|;", help.effect)[0]


#: Characters of the effect of a change on the screen at most.
_EFFECT_ROOM = 140


def _not_searched(report: BoundsReport) -> str | None:
    """Say that no changes were searched for, where there are too many providers."""
    most = MOST_ADVISED[report.method]
    if report.radius != PAPERS or not _silent(report) or len(report.providers) <= most:
        return None
    return f"Changes that help are searched for up to {most:,} providers."


def _show_guarantees(screen: Screen, report: BoundsReport, everything: bool) -> None:
    level = all_but(report.confidence)
    value, trivial, share_, says = (HEADINGS[name] for name in ("value", "trivial", "share_of_trivial", "informative"))
    proved = WORDS[_weakest(report)]
    which = f"; those that are {proved}" if report.not_proved else f", {proved}: all"
    which += " at the point" * (report.inputs is not None)
    title = f"The {report.method} bounds{which} hold with probability at least {level}"
    of_trivial = {trivial.replace(" ", "\n"): "right", share_: "right"}
    over = {} if report.inputs is None else {_OVER_REGION: "right"}
    value, says = (f"{head}{_AT_POINT * bool(over)}" for head in (value, says))
    columns = {"guarantee": "whole", value: "right", **over, **of_trivial, says: "whole"}
    if over and not everything:
        columns = {name: kind for name, kind in columns.items() if name not in of_trivial}
    rows = []
    for name, bound in report.guarantees.items():
        worth = bound.worth
        shown = both_at_most(bound.value, worth.trivial) if bound.applies else ("-", at_most(worth.trivial))
        # Before T_0 its first term alone is above the trivial value.
        part = share(worth.share_of_trivial) if bound.applies else "-" if bound.value is None else "> 100%"
        cells = dict(zip((value, *of_trivial), (*shown, part), strict=True)) | {
            _OVER_REGION: _range(bound.range) if bound.applies else "-"
        }
        cells |= {"guarantee": name_of(name), says: report.informative_since(name)}
        rows.append([cells[column] for column in columns])
    screen.table(title, columns, rows)


#: From here on ranges are shown to four digits.
_WIDE = 1e6
#: The column of the ranges of bounds, and the end of the heads of those at the point estimates.
_OVER_REGION, _AT_POINT = "over the region", "\nat the point"


def _range(ends: Sequence[float] | None) -> str:
    """Return a range rounded outward: from a million on to four digits, so that a table stays narrow."""
    if not ends:
        return "-"
    if ends[0] == ends[1]:
        return at_most(ends[1])
    wide = ends[1] >= _WIDE
    down_and_up = zip((-1, 1), ends, strict=True)
    rounded = [sign * rounded_up(sign * end, 5 - wide, keep_whole=not wide) + 0.0 for sign, end in down_and_up]
    return " to ".join(short_exponent(f"{end:.4g}") if wide else brief(end) for end in rounded)


def _say_inputs(screen: Screen, report: BoundsReport, setting: Setting, inputs: InputsReport, everything: bool) -> None:
    """Say what the ranges are, and what the inputs leave unsettled."""
    leads, told = report.identification_horizon_range, []
    if leads or report.identification_horizon is None:
        told.append(f"T_id over the region: {_range(leads)}" if leads else "No T_id is guaranteed over the region")
    if report.radius != PAPERS:
        told.append(f"identification bound over the region: {_range(report.identification_bound_range)}")
    stated = (each for p in setting.providers for each in (p.quality_estimate, p.mean_cost_estimate))
    normal = " Standard errors are taken as normal." * any(isinstance(each, SampleMean) for each in stated)
    screen.say(
        f"The region contains the true inputs with probability {inputs.confidence:g}. The upper ends over it hold "
        f"with probability at least {all_but(inputs.failure_probability)}; -: none holds in all of it."
        f"{''.join(f' {capital(each)}.' for each in told)}{normal}",
        style="dim",
    )
    if empty := [
        f"{name_of(name)} ({at_most(bound.worth.trivial)})"
        for name, bound in report.guarantees.items()
        if _informative_over_region(bound) is False
    ]:
        screen.say(f"Over the region not informative (trivial value at the point): {', '.join(empty)}.", style="yellow")
    fitting = [total <= _ROOM_OF_WARNINGS for total in accumulate(map(len, inputs.warnings))]
    shown = inputs.warnings if everything else inputs.warnings[: max(1, sum(fitting))]
    for warning in shown:
        screen.say(f"Warning: {warning}.", style="bold yellow")
    screen.left_out(inputs.warnings, shown)


#: Characters of warnings that fit on the screen; the first is shown anyway.
_ROOM_OF_WARNINGS = 340


def _meanings(report: BoundsReport) -> list[str]:
    """Return what the table of the guarantees rests on, and what each guarantee is."""
    weakest, improved = _weakest(report), "" if report.method == "paper" else ", improved"
    return [
        f"{capital(WORDS[weakest])}, {WHEN_MADE}: {MEANING[weakest]}.",
        "Bounds are rounded up. Informative: below the trivial value, which needs no theory; 'from' means: at every T "
        "from there on. An informative identification bound does not imply that the optimum has the most selections: "
        "that is guaranteed from T_id on.",
        *(f"{explained(name)} {capital(unit_of(name))}; {report.credited(name)}{improved}." for name in GUARANTEES),
        "Assumed: bids are the mean costs so far, within underbid and overbid; scores and costs are independent draws.",
        MONEY_IN_WORDS,
    ]


def _weakest(report: BoundsReport) -> Verdict:
    """Return how strongly the guarantees are proved: the weakest of their verdicts."""
    verdicts = {bound.backing.proved_as for bound in report.guarantees.values()}
    return Verdict.PROVED_STEPS if Verdict.PROVED_STEPS.value in verdicts else Verdict.PROVED


def _suggest_changes(screen: Screen, report: BoundsReport, everything: bool) -> None:
    """Print the changes that help, for each guarantee that is not informative; those for several once."""
    if not _silent(report):
        at = more = ""
        if report.inputs is not None:
            over = all(_informative_over_region(bound) for bound in report.guarantees.values())
            at, more = " at the point", " For more over the region, narrow the inputs." * (not over)
        others = "--method sharpest or other" if report.method != "sharpest" else "Other"
        smaller = f"{others} parameters may make them smaller.{more}"
        screen.say(f"No change is needed: all guarantees are informative{at}. {smaller}")
    found: dict[tuple[str, ...], list[str]] = {}
    for name, bound in _silent(report).items():
        why = "" if bound.applies and bound.worth.why_never is None else f"{bound.reason or bound.worth.why_never}"
        lines = [*changes(bound.worth.helps), *(_tried(report.horizon, bound.worth.helps) if everything else ())]
        found.setdefault((why, *lines), []).append(name_of(name))
    for (why, *lines), names in found.items():
        reason = f" ({why})" if why else ""
        found_some = "Suggested changes" if lines else "No change found"
        screen.say(f"{found_some} for {listed(names)}{reason}{':' if lines else '.'}", style="bold")
        for line in lines:
            screen.say(line, indent=2)
    if any(help.sooner for bound in report.guarantees.values() for help in bound.worth.helps):
        screen.say(
            "A search found each T above; an earlier one may exist. Left out: changes after which another guarantee is "
            "not informative any more (radii excepted).",
            style="dim",
        )
    if (note := _not_searched(report)) is not None:
        screen.say(note)


def changes(helps: Sequence[Help]) -> list[str]:
    """Return the changes that help, in their order; those that make another market come last."""
    helps = [help for help in helps if help.parameter != "horizon"]
    lines = []
    for help in helps:
        if help.found and help.keeps_market:
            lines.append(f"{_change(help, help)}: {help.effect}")
        if help.sooner is not None:
            lines.append(f"{_change(help, help.sooner)}: {_effect(help.sooner)}")
    return lines + [f"{_change(help, help)}: {help.effect}" for help in helps if help.found and not help.keeps_market]


def _tried(horizon: int, helps: Sequence[Help]) -> list[str]:
    """Return what was tried and does not help."""
    useless = [f"{_called(help.parameter)}: {help.effect}" for help in helps if not help.found and help.tried is None]
    tried = "; ".join(f"{_called(help.parameter)} {help.tried}" for help in helps if help.tried is not None)
    return [*useless, f"Tried one at a time, not enough at T = {horizon:,}: {tried}"] if tried else useless


def _effect(of: Help | Sooner) -> str:
    return f"informative from T = {of.informative_from:,}; {of.effect}" if isinstance(of, Sooner) else of.effect


def _change(help: Help, of: Help | Sooner) -> str:
    """Return a change as a person would make it: a flag, what the file of a setting says, or who is left out."""
    if of.method is not None:
        return f"--method {of.method}"
    if of.radius is not None:
        return f'radius = "{of.radius}" (costproof docs radii)'
    market = "" if help.keeps_market else " (another market)"
    if of.without is not None:
        return f"without {printable(of.without)}{market}"
    # A threshold in full: a rounded one may exclude whose quality it is.
    value = repr(of.value) if help.parameter == "quality_threshold" else f"{of.value:.10g}"
    return f"{_called(help.parameter)} = {value}{'' if isinstance(of, Sooner) else market}"


def _called(parameter: str) -> str:
    """Return a parameter as the file names it, with the symbol where the name may mislead."""
    return {"confidence": "confidence (delta)", "provider": "a provider"}.get(parameter, parameter)


#: M_i, L_i and the caps leave out the one query that initialization sends to every provider.
_SELECTED = "after initialization\nselected at most"
#: Providers of the screen at most.
_MOST_SHOWN = 8


def _gap(gap: float | None, kind: str | None) -> str:
    return f"{number(gap)} " + ("below the threshold" if kind == "quality" else "above the optimum's cost")


def _show_providers(screen: Screen, report: BoundsReport, shown: Sequence[ProviderBound], everything: bool) -> None:
    kind = f"{report.method} bounds" if report.radius == PAPERS else f"radius {report.radius}"
    columns = {"provider": "", "is": "whole"} | ({"gap": "right"} if everything else {})
    columns |= {_SELECTED: "right", "": "whole"} | ({"M_i or L_i": "right"} if everything else {})
    rows = []
    for provider in shown:
        cap = provider.selection_cap
        beyond = "> T" if cap is not None and cap >= report.horizon else ""
        role = "the optimum" if provider.name == report.optimal_provider else ""
        gap = f"{number(provider.gap)} in {provider.gap_kind}" if provider.gap_kind else "-"
        row = [provider.name, role or ("qualified" if provider.qualified else "unqualified")]
        row += [*[gap] * everything, at_most(cap), beyond, *[at_most(provider.selection_bound)] * everything]
        rows.append(row)
    screen.table(f"Providers at T = {report.horizon:,} ({kind})", columns, rows)


def _largest_caps(report: BoundsReport) -> list[ProviderBound]:
    """Return the providers of the screen: the optimum and those that may be selected most."""
    caps = [math.inf if each.selection_cap is None else each.selection_cap for each in report.providers]
    first = [(each.name == report.optimal_provider, cap) for each, cap in zip(report.providers, caps, strict=True)]
    return largest(report.providers, first, _MOST_SHOWN)


def _show_counts(screen: Screen, report: BoundsReport, setting: Setting) -> None:
    of_paper = report.method == "paper" and report.radius == PAPERS
    tightened = " of appendix D" if of_paper else ""
    rows = [
        ("sum of M_i: selections of unqualified providers", report.sum_quality_selection_bounds),
        ("sum of L_i: selections of qualified competitors", report.sum_cost_selection_bounds),
        ("exploration of one provider, at most", report.exploration_cap),
        ("exploration of all, at most", report.exploration_steps_bound),
        (f"{name_of('identification_bound')} B_id(T){tightened}", report.identification_bound),
        (f"N - 1 + B_id(T){tightened}: the same with initialization", report.non_optimal_steps_bound),
        (
            f"{name_of('identification_horizon')}: from there on the optimum has the most selections",
            report.identification_horizon,
        ),
        ("the least T_id that a method proves", _earliest(report, setting)),
        ("T_0: from there on all bidders of an auction are qualified", report.burn_in),
    ]
    if of_paper:
        rows.append(("B_id(T) of Theorem 3, exploration not rounded", report.main_text["identification_bound"]))
        rows.append(("T_id with the B_id(T) of Theorem 3", report.main_text["identification_horizon"]))
    counts = ((name, at_most(value)) for name, value in rows)
    screen.table("Counts of queries", {"quantity": "", "value": "right"}, counts)


_PARTS = {
    "anytime": "for any gaps",
    "gap_dependent": "for the gaps of this setting",
    "without_exploration": "without exploration",
    "average_polynomial": "per query, in closed form",
    "leads_from": name_of("identification_horizon"),
}


def _show_parts(screen: Screen, report: BoundsReport) -> None:
    rows = (
        (name_of(name), _PARTS.get(part, name_of(part)), at_most(value))
        for name, bound in report.guarantees.items()
        for part, value in bound.parts.items()
    )
    screen.table("Parts and variants of the guarantees", {"guarantee": "", "part": "", "value": "right"}, rows)


def _earliest(report: BoundsReport, setting: Setting) -> int | None:
    """Return T_id by the sharpest bounds, where there are few providers, for which they are soon evaluated."""
    few = len(report.providers) <= MOST_ADVISED["sharpest"] and report.radius == PAPERS
    return lead_from(setting, "sharpest") if few else report.identification_horizon


def _next(report: BoundsReport, setting: Setting, given: str, *, advice: bool) -> list[tuple[str, str]]:
    """Return the commands to try next, each with what it is good for."""
    found, earliest = [], _earliest(report, setting)
    if advice and report.radius == PAPERS and not _silent(report) and not given.startswith("--"):
        k, alpha = setting.platform.exploration_scale, setting.platform.exploration_exponent
        step = min(0.1, alpha / 2, (1 - alpha) / 2)
        around = f"--over log:k={k / 2:g}:{2 * k:g}:3 --over alpha={alpha - step:g}:{alpha + step:g}:3"
        grid = f"costproof sweep {given} {around} --horizon {report.horizon} --method {report.method}"
        found.append((grid, "what other k and alpha guarantee" + " at the point estimates" * bool(report.inputs)))
    # Recorded answers, which are given by options alone, cannot be planned for.
    is_open = report.inputs is not None and any(each.optimal == "unsettled" for each in report.inputs.providers)
    if earliest is not None and earliest > report.horizon and not given.startswith("--") and not is_open:
        goal = f"costproof plan {given} --goal identify-by={report.horizon}"
        found.append((goal, f"parameters, if any, with T_id at most {report.horizon:,}"))
    if report.radius == PAPERS and report.method != "sharpest" and _has_values(report):
        again = f"costproof bounds {given} --horizon {report.horizon} --method sharpest"
        found.append((again, "the smallest bounds, for the same market and delta"))
    again = f"costproof simulate {given} --horizon {report.horizon}"
    again += f" --method {report.method}" * (report.method != "paper")
    return found or [(again, "what happens in simulated runs")]
