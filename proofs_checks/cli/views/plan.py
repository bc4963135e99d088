"""What `costproof plan` prints: the parameters, what backs each goal, and every guarantee as given and as planned."""

from __future__ import annotations

import shlex

from bounds.limits import LARGEST_HORIZON
from bounds.setting.model import PlatformParameters
from bounds.words import all_but, at_most, counted, share, to_digits
from mechanism.planner.goals import IDENTIFY, KINDS, PAYMENT
from mechanism.planner.plan import GoalAnswer, Plan
from proofs_checks.cli.views.console import console, say, show, suggest, table
from proofs_checks.verdict import MEANING, WHEN_MADE, Verdict

#: What backs a bound, by the verdict on the claim that states it.
_BACKED_BY = {Verdict.PROVED: "proved", Verdict.PROVED_STEPS: "proof steps"}
#: What backs it where the setting lacks what the claim assumes.
_NOT_PROVED = "not proved"
#: What is then said of the horizons at which a goal is met.
_IF_IT_HOLDS = " if its bound, which is not proved, holds"


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
            f"Checked at {where} (why corners: costproof docs plan). The bound of each goal is for the corner that "
            "is worst for it. All else is for one corner, the worst for the goals.",
        )
    screen.print()
    _goals(found)
    for answer in found.answers:
        if (told := _horizon(answer, _is_proved(found, answer))) is not None:
            say(screen, told)
    screen.print()
    _guarantees(found)
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
        met = ("met" if _is_proved(found, answer) else "met if it holds") if answer.met else "not guaranteed"
        backing = "-" if answer.value is None else _backing(found, answer)
        rows.add_row(
            answer.goal.text, _number(answer.value), _number(answer.goal.limit), backing, f"{met}: {kind.quantity}"
        )
        if answer.simulated is not None:
            runs = answer.simulated
            mean = share(runs.met / runs.runs) if runs.mean is None else _number(runs.mean)
            told = f"met in {runs.met} of {counted(runs.runs, 'run')} (probability {runs.low:.3f} to {runs.high:.3f})"
            rows.add_row("", mean, "", "simulated", told)
    cap = f"explorations of one provider by T = {found.horizon:,}"
    rows.add_row("", _number(found.exploration_cap), "", "exact", cap)
    show(console(), rows)
    for line in _meanings(found):
        say(console(), line)


def _is_proved(found: Plan, answer: GoalAnswer) -> bool:
    """Return whether the bound of a goal is proved for the plan's setting, be it by steps."""
    return found.backing_of(answer).proved_as is not None


def _backing(found: Plan, answer: GoalAnswer) -> str:
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
    columns = {"": "", "as given": "right"} | ({} if same else {planned: "right"})
    rows = table(f"What every guarantee is {at}{f', as given and {planned}' * (not same)}{method}", columns)
    cells = [
        (
            at_most(each.as_given if each.given_informative else None),
            at_most(each.as_planned if each.planned_informative else None),
        )
        for each in found.guarantees
    ]
    for each, pair in zip(found.guarantees, cells, strict=True):
        rows.add_row(each.quantity, *pair[: len(columns) - 1])
    show(screen, rows)
    radius = own.radius != chosen.radius
    before, after = (f"{_parameters(of)}{f', radius = {of.radius}' * radius}" for of in (own, chosen))
    told = f"The same as given: {before}." if same else f"As given: {before}. {planned.capitalize()}: {after}."
    bound = "Each number is an upper bound"
    bound += " at one corner of the ranges, and may be larger elsewhere" if found.request.ranges else ""
    nothing = " -: nothing below what holds without any theory." if any("-" in pair for pair in cells) else ""
    say(screen, f"{told} {bound}; money is in the unit of the setting.{nothing}")
    if unproved := [
        each.quantity for each in found.guarantees if each.not_proved_because and each.as_planned is not None
    ]:
        say(screen, f"Not proved for this setting, so no guarantee: {', '.join(unproved)}.")


def _horizon(answer: GoalAnswer, proved: bool) -> str | None:
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


def _number(value: float | None) -> str:
    return to_digits(value, 4, keep_whole=True)
