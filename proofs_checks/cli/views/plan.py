"""What `costproof plan` prints: the parameters, what backs each goal, what gaps contribute, and the temptation."""

from __future__ import annotations

import math
import shlex

from bounds.limits import LARGEST_HORIZON
from bounds.setting.model import PlatformParameters
from bounds.worth.words import all_but, at_most
from mechanism.planner.goals import IDENTIFY, KINDS, PAYMENT
from mechanism.planner.incentives import Temptation
from mechanism.planner.plan import Answer, Plan
from proofs_checks.cli.views.console import console, number, say, show, suggest, table
from proofs_checks.plurals import counted
from proofs_checks.verdict import MEANING, WHEN_MADE, Verdict

#: What backs a bound, by the verdict on the claim that states it.
_BACKED_BY = {Verdict.PROVED: "proved", Verdict.PROVED_STEPS: "proof steps"}
#: What backs it where the setting lacks what the claim assumes.
_NOT_PROVED = "not proved"
#: What is then said of the horizons at which a goal is met.
_IF_IT_HOLDS = " if its bound, which is not proved, holds"
#: Gaps in the table at most: those that matter most.
_MOST_GAPS = 8


def show_plan(found: Plan, *, asked: str) -> None:
    """Print a plan; `asked` is how the caller named the setting, for the next command."""
    screen, request, platform = console(), found.request, found.chosen.platform
    choice = _parameters(platform)
    if found.feasible:
        own = request.setting.platform
        radius = "the paper's radius" if platform.papers_radius else f"radius = {platform.radius}"
        say(screen, f"A plan for {request.setting.name}: {choice}, with {radius}.", style="bold green")
        if platform.radius != own.radius and not request.radius:
            say(screen, f"With the setting's own radius, {own.radius}, nothing meets the goals.")
        if (own.exploration_scale, own.exploration_exponent) == (
            platform.exploration_scale,
            platform.exploration_exponent,
        ):
            say(screen, "These are the setting's own k and alpha.")
        else:
            say(screen, f"The setting has k = {own.exploration_scale:g}, alpha = {_inside(own.exploration_exponent)}.")
        if unproved := [answer.goal.text for answer in found.answers if not _is_proved(found, answer)]:
            say(screen, f"No guarantee: for this setting the bound of {', '.join(unproved)} is not proved.")
    else:
        bounds = f"{request.method} bounds" if platform.papers_radius else f"radius = {platform.radius}"
        say(screen, f"Impossible with {bounds}: {found.reason}.", style="bold yellow")
        nearest = "The setting's own parameters" if platform == request.setting.platform else "Nearest to the goals"
        say(screen, f"{nearest}: {choice}. The numbers below are for these.")
    if request.ranges:
        where = f"{counted(found.corners, 'corner')} of the ranges and {found.between} settings between them"
        say(
            screen,
            f"Checked at {where} (docs/plan.md says why corners decide). The bound of each goal is for the corner that "
            "is worst for it. All else is for one corner, the worst for the goals.",
        )
    screen.print()
    _goals(found)
    for answer in found.answers:
        if (told := _horizon(answer, _is_proved(found, answer))) is not None:
            say(screen, told)
    screen.print()
    _guarantees(found)
    screen.print()
    _gaps(found)
    if found.temptation is not None:
        screen.print()
        _incentive(found.temptation)
    if not found.feasible:
        return
    told = "every guarantee" if platform.papers_radius else "what is proved for this radius"
    again = f"costproof bounds {shlex.quote(asked)} --horizon {found.horizon} --method {request.method}"
    if platform == request.setting.platform:
        suggest(screen, again, f"{told} at these parameters")
        return
    lines = [f"{name} = {getattr(platform, name)!r}" for name in ("exploration_scale", "exploration_exponent")]
    lines.append(f"confidence = {platform.confidence!r}")
    lines += [] if platform.papers_radius else [f'radius = "{platform.radius}"']
    say(screen, "Next, write this under [platform] of the setting:")
    for line in lines:
        say(screen, f"  {line}")
    suggest(screen, again, f"{told} at these parameters", opening="Then")


def _parameters(platform: PlatformParameters) -> str:
    alpha, delta = _inside(platform.exploration_exponent), _inside(platform.confidence)
    return f"k = {platform.exploration_scale:g}, alpha = {alpha}, delta = {delta}"


def _inside(value: float) -> str:
    """Return a number of (0, 1) in six digits, in all of them where it would read 1."""
    return repr(value) if f"{value:g}" == "1" else f"{value:g}"


def _goals(found: Plan) -> None:
    columns = {"goal": "", "at most": "right", "limit": "right", "backed by": "whole", "": ""}
    rows = table("Goals, and what backs each number", columns)
    for answer in found.answers:
        kind = KINDS[answer.goal.kind]
        value = "-" if answer.value is None else _number(answer.value)
        met = ("met" if _is_proved(found, answer) else "met if it holds") if answer.met else "not guaranteed"
        backing = "-" if answer.value is None else _backing(found, answer)
        rows.add_row(answer.goal.text, value, _number(answer.goal.limit), backing, f"{met}: {kind.quantity}")
        if answer.simulated is not None:
            runs = answer.simulated
            mean = f"{100 * runs.met / runs.runs:.4g}%" if runs.mean is None else _number(runs.mean)
            told = f"met in {runs.met} of {counted(runs.runs, 'run')} (probability {runs.low:.3f} to {runs.high:.3f})"
            rows.add_row("", mean, "", "simulated", told)
    cap = f"explorations of one provider by T = {found.horizon:,}"
    rows.add_row("", _number(found.exploration_cap), "", "exact", cap)
    show(console(), rows)
    for line in _meanings(found):
        say(console(), line)


def _is_proved(found: Plan, answer: Answer) -> bool:
    """Return whether the bound of a goal is proved for the plan's setting, be it by steps."""
    return found.backing_of(answer).proved_as is not None


def _backing(found: Plan, answer: Answer) -> str:
    """Return how strongly the bound of a goal is proved, in the words of verdicts."""
    proved_as = found.backing_of(answer).proved_as
    return _NOT_PROVED if proved_as is None else _BACKED_BY[Verdict(proved_as)]


def _meanings(found: Plan) -> list[str]:
    """Return what the words behind the numbers mean."""
    surely = f"together, with probability at least {all_but(found.chosen.platform.confidence)}"
    by_words = {words: verdict for verdict, words in _BACKED_BY.items()}
    used = dict.fromkeys(_backing(found, answer) for answer in found.answers if answer.value is not None)
    proofs = {words: by_words[words] for words in used if words in by_words}
    lines = [f"{words} ({verdict}, {WHEN_MADE}): {surely}; {MEANING[verdict]}." for words, verdict in proofs.items()]
    backings = [found.backing_of(answer) for answer in found.answers if answer.value is not None]
    lines += dict.fromkeys(f"{_NOT_PROVED}: {each.not_proved_because}." for each in backings if each.not_proved_because)
    runs = any(answer.simulated is not None for answer in found.answers)
    return [*lines, *(["simulated: means of runs, and 95% intervals."] if runs else [])]


def _guarantees(found: Plan) -> None:
    """Print what every guarantee is as given and as planned: what the goals cost the others."""
    screen, own, chosen = console(), found.request.setting.platform, found.chosen.platform
    at = f"at T = {found.horizon:,}"
    same = own == chosen
    planned = "as planned" if found.feasible else "nearest"
    method = f" ({found.request.method} bounds)" if chosen.papers_radius else ""
    columns = {"": "", "as given": "right"} | ({} if same else {planned: "right", "change": "right"})
    rows = table(f"What every guarantee is {at}{f', as given and {planned}' * (not same)}{method}", columns)
    for each in found.guarantees:
        change = "-" if each.change is None else _percent(each.change)
        then = [] if same else [_at_most(each.as_planned, each.planned_informative), change]
        rows.add_row(each.quantity, _at_most(each.as_given, each.given_informative), *then)
    show(screen, rows)
    radius = own.radius != chosen.radius
    before, after = (f"{_parameters(of)}{f', radius = {of.radius}' * radius}" for of in (own, chosen))
    told = f"The same as given: {before}." if same else f"As given: {before}. {planned.capitalize()}: {after}."
    bound = "Each number is an upper bound"
    bound += " at one corner of the ranges, and may be larger elsewhere" if found.request.ranges else ""
    say(screen, " ".join([told, f"{bound}; money is in the unit of the setting.", *_marks(found)]))
    if unproved := [
        each.quantity for each in found.guarantees if each.not_proved_because and each.as_planned is not None
    ]:
        say(screen, f"Not proved for this setting, so no guarantee: {', '.join(unproved)}.")


def _at_most(value: float | None, informative: bool) -> str:
    return "-" if value is None else f"{at_most(value)}{'' if informative else ' *'}"


def _marks(found: Plan) -> list[str]:
    """Return what the marks in the table of guarantees mean, those that stand there."""
    cells = [(each.as_given, each.given_informative) for each in found.guarantees]
    cells += [(each.as_planned, each.planned_informative) for each in found.guarantees]
    nothing = any(value is not None and not says for value, says in cells)
    return [
        *(["*: not below its trivial value, so not informative."] if nothing else []),
        *(["-: no bound."] if any(value is None for value, _ in cells) else []),
    ]


def _horizon(answer: Answer, proved: bool) -> str | None:
    """Return from which or up to which horizon a goal is met, and that it is no guarantee where nothing proves it."""
    goal = answer.goal
    met, holds = ("guaranteed", "") if proved else ("met", _IF_IT_HOLDS)
    if goal.kind in (IDENTIFY, PAYMENT):
        if answer.horizon is None:
            return f"{goal.text}: not guaranteed at any horizon up to 2^52 with these."
        other = answer.best_horizon
        least = "" if other is None or other >= answer.horizon else f"; with other k and alpha from {other:,} on"
        later = "" if answer.met else f"not at T = {goal.horizon:,}, but "
        return f"{goal.text}: {later}{met} from T = {answer.horizon:,} on{holds}{least}."
    if answer.horizon is None:
        return None
    if answer.horizon >= LARGEST_HORIZON:
        return f"{goal.text}: {met} at every T (looked for up to 2^52){holds}."
    return f"{goal.text}: {met} up to T = {answer.horizon:,}{holds}."


def _gaps(found: Plan) -> None:
    """Print by which part each bound changes with each gap."""
    if not found.sensitivities:
        return
    goals = [answer.goal for answer in found.answers]
    heads = [f"goal {place}" for place in range(1, len(goals) + 1)] if len(goals) > 1 else ["the bound"]
    columns = {"provider": "", "gap": "whole", **dict.fromkeys(heads, "right")}
    rows = table("If a gap is a tenth smaller, or larger, the bound changes by", columns)

    def change(at: float | None, then: float | None) -> float:
        return math.inf if then is None else 0.0 if not at else then / at - 1

    ranked = sorted(
        found.sensitivities,
        key=lambda each: -max(abs(change(at, less)) for at, less in zip(each.at_hand, each.smaller, strict=True)),
    )
    for each in ranked[:_MOST_GAPS]:
        triples = zip(each.at_hand, each.smaller, each.larger, strict=True)
        cells = [
            "-"
            if at is None
            else f"{_percent(change(at, less))}, {_percent(change(at, more)) if each.can_grow else '-'}"
            for at, less, more in triples
        ]
        rows.add_row(each.provider, f"{each.gap:.4g} in {each.gap_kind}", *cells)
    show(console(), rows)
    if not all(each.can_grow for each in ranked[:_MOST_GAPS]):
        why = "that gap cannot be a tenth larger, since a quality is at least 0 and a mean cost at most c_max"
        say(console(), f"- behind a comma: {why}.")
    if len(goals) > 1:
        listed = ", ".join(f"{place} is {goal.text}" for place, goal in enumerate(goals, 1))
        say(console(), f"Goals: {listed}.")
    if len(ranked) > _MOST_GAPS:
        say(console(), f"The other {len(ranked) - _MOST_GAPS} gaps matter less; --json has them.")


def _percent(change: float) -> str:
    if math.isinf(change):
        return "nothing left"
    if abs(change) >= 0.995:
        return f"{100 * change:+,.0f}%"
    return "0%" if abs(change) < 5e-5 else f"{100 * change:+.2g}%"


def _incentive(found: Temptation) -> None:
    screen = console()
    low, high = found.interval
    runs = f"{counted(found.runs, 'pair')} of runs of {found.horizon:,} queries"
    say(screen, "Living on exploration (docs/plan.md)", style="bold")
    profits = f"{_number(found.truthful)} by truthful bids and {_number(found.always_bound)} by always bidding c_max"
    say(screen, f"simulated: {found.provider}, the optimum, earns {profits} ({runs}, the others truthful).")
    if found.runs == 1:
        say(screen, "One pair of runs leaves open which earns more.")
    elif high < 0:
        say(screen, "At this horizon there is no temptation.")
    elif low == high == 0:
        say(screen, "Both earn the same in each of these pairs.")
    elif low > 0:
        say(screen, f"So truth is not its best reply at this horizon: it gains {_number(low)} to {_number(high)}.")
        paid, most = found.exploration_payment, _number(found.largest_mean_cost)
        if paid is None:
            told = f"no exploration payment of {most} (the largest mean cost) or more removes it at this horizon."
        else:
            told = f"paying explorations {_number(paid)} at most, in place of c_max, removes it."
        say(screen, f"simulated: {told}")
    else:
        say(screen, f"Which earns more is open: the gain lies between {_number(low)} and {_number(high)}.")
    if found.horizon_simulated is not None and found.horizon_simulated > found.horizon:
        say(screen, f"simulated: at T = {found.horizon_simulated:,} truthful bids earn more.")
    if found.most_services is not None and found.most_profit is not None:
        served = f"at most {found.most_services:,} queries and earns at most {_number(found.most_profit)}"
        say(screen, f"argued: on the good event, a provider that always bids c_max serves {served}.")
    if found.horizon_proved is not None:
        say(screen, f"argued: from T = {found.horizon_proved:,} on truthful bids earn more, on the good event.")
    if found.most_services is not None or found.horizon_proved is not None:
        say(screen, "argued: derived in English in docs/plan.md; no machine checked it.")


def _number(value: float) -> str:
    return number(float(f"{value:.4g}") if abs(value) < 1000 else float(round(value)))
