"""What `costproof plan` prints: the parameters, what is proved of each goal, and what the plan costs."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence

from bounds.limits import LARGEST_HORIZON
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters
from bounds.words import all_but, at_most, counted, share, to_digits
from mechanism.planner.goals import IDENTIFY, PAYMENT
from mechanism.planner.plan import GoalAnswer, Plan
from mechanism.planner.runs import Simulated
from proofs_checks.cli.prose import shortened
from proofs_checks.cli.views.bounds import changes
from proofs_checks.cli.views.console import Screen, console
from proofs_checks.verdict import MEANING, WHEN_MADE, WORDS, Verdict

#: What backs a bound where the setting lacks what the claim assumes.
_NOT_PROVED = "not proved"
#: Goals, and characters of the price and of a reason, on the screen at most.
_MOST_GOALS, _ROOM, _REASON = 4, 230, 400


def show_plan(found: Plan, *, asked: str, kept: Sequence[str] = (), everything: bool = False) -> None:
    """Print a plan; `asked` is how the caller named the setting, and `kept` options, for the next command."""
    screen = console()
    _say_answer(screen, found, everything)
    screen.print()
    answers = found.answers if everything else found.answers[:_MOST_GOALS]
    _goals(screen, found, answers, everything)
    for answer in answers:
        if (line := _horizon(found, answer)) is not None:
            screen.say(line)
    if everything:
        _guarantees(screen, found)
    elif found.feasible and (price := _price(found)):
        screen.say(f"Price at {_at_horizon(found)}: {shortened(price, _ROOM, '--all')}.")
    _say_next(screen, found, asked, "".join(f" {shlex.quote(each)}" for each in kept))
    if not everything:
        screen.say("--all prints every guarantee, as given and as planned.")


def _say_answer(screen: Screen, found: Plan, everything: bool) -> None:
    request, platform, own = found.request, found.chosen.platform, found.request.setting.platform
    choice, given = _parameters(platform), _parameters(own)
    if found.feasible:
        radius = "the paper's radius" if platform.papers_radius else f"radius = {platform.radius}"
        now = "the setting's own" if given == choice else f"nearest to the setting's {given}"
        screen.say(f"A plan for {request.setting.name}: {choice} ({now}), with {radius}.", style="bold green")
        if platform.radius != own.radius and not request.radius:
            screen.say(f"With the setting's own radius, {own.radius}, nothing meets the goals.")
        if unproved := [answer.goal.text for answer in found.answers if not _is_proved(found, answer)]:
            screen.say(f"No guarantee: for this setting the bound of {', '.join(unproved)} is not proved.")
    else:
        bounds = f"{request.method} bounds" if platform.papers_radius else f"radius = {platform.radius}"
        reason = f"{found.reason}" if everything else shortened(f"{found.reason}", _REASON, "--all")
        screen.say(f"Impossible with {bounds}: {reason}.", style="bold yellow")
        nearest = "the setting's own" if given == choice else f"nearest to the goals; now {given}"
        screen.say(f"The numbers below are for {choice} ({nearest}).")
    if request.region is not None:
        at = "; all else is for its worst corner" * (found.corners > 1)
        screen.say(f"Bounds of goals are for the region of the uncertain inputs (costproof docs plan){at}.")
    elif request.ranges:
        where = f"{counted(found.corners, 'corner')} of the ranges and {found.between} settings between them"
        screen.say(
            f"Checked at {where} (costproof docs plan). The bound of each goal is for the corner that is worst for it; "
            "all else is for the corner that is worst for the goals."
        )


def _say_next(screen: Screen, found: Plan, asked: str, kept: str) -> None:
    platform = found.chosen.platform
    again = f"costproof bounds {shlex.quote(asked)} --horizon {found.horizon} --method {found.request.method}"
    if not found.feasible:
        openings = ("Next", "Or")[: 1 + (len(found.answers) < _MOST_GOALS)]
        for opening, (command, why) in zip(openings, _further(found, asked, again, kept), strict=False):
            screen.suggest(command, why, opening=opening)
        return
    every = "every guarantee" if platform.papers_radius else "what is proved for this radius"
    if platform == found.request.setting.platform:
        screen.suggest(again, f"{every} at these parameters")
        return
    lines = [f"{name} = {getattr(platform, name)!r}" for name in ("exploration_scale", "exploration_exponent")]
    lines.append(f"confidence = {platform.confidence!r}")
    lines += [] if platform.papers_radius else [f'radius = "{platform.radius}"']
    screen.say("Next, write this under [platform] of the setting:")
    for line in lines:
        screen.say(f"  {line}")
    screen.suggest(again, f"{every} at these parameters", opening="Then")


def _further(found: Plan, asked: str, bounds: str, kept: str) -> Iterator[tuple[str, str]]:
    """Yield the commands to run after an impossible plan, each with what it is good for."""
    plan, goals = f"costproof plan {shlex.quote(asked)}", [answer.goal.text for answer in found.answers]
    if found.request.unsettled:
        why = "a plan for the point estimates, as if they were exact"
        yield f"{plan} {_options(goals)} --at-point{kept}", why
    else:
        report = evaluate_bounds(found.request.setting, found.horizon, found.request.method, advice=True)
        helps = any(changes(bound.worth.helps) for bound in report.guarantees.values())
        why = "changes that make more guarantees informative" if helps else "every guarantee as given"
        yield f"{bounds}{' --advice' * helps}", why
    alone = [answer.goal.text for answer in found.answers if _possible(answer)]
    if 0 < len(alone) < len(goals):
        yield f"{plan} {_options(alone)}{kept}", f"a plan for {'this goal' if len(alone) == 1 else 'these goals'} alone"
    elif nearest := _nearest_goals(found):
        can = f"what can be guaranteed{', of each goal alone' if len(goals) > 1 else ''}"
        yield f"{plan} {_options(nearest)}{kept}", can


def _options(goals: Iterable[str]) -> str:
    return " ".join(f"--goal {shlex.quote(goal)}" for goal in goals)


def _possible(answer: GoalAnswer) -> bool:
    """Return whether some k and alpha guarantee a goal alone."""
    return answer.best_value is not None and answer.best_value <= answer.goal.limit


def _nearest_goals(found: Plan) -> list[str]:
    """Return the same goals with limits that each can be met alone; none where one cannot, or all can."""
    if all(map(_possible, found.answers)):
        return []
    nearest = []
    for answer in found.answers:
        if answer.best_value is None or answer.goal.kind == PAYMENT:
            return []
        goal = answer.goal
        limit = max(goal.limit, math.ceil(answer.best_value))
        at = "" if goal.kind == IDENTIFY else f"@{goal.horizon}"
        nearest.append(f"{goal.kind}={limit:.0f}{at}")
    return nearest


def _parameters(platform: PlatformParameters) -> str:
    alpha, delta = _inside(platform.exploration_exponent), _inside(platform.confidence)
    return f"k = {platform.exploration_scale:g}, alpha = {alpha}, delta = {delta}"


def _inside(value: float) -> str:
    """Return a number of (0, 1) in six digits, in all of them where it would read 1."""
    return repr(value) if f"{value:g}" == "1" else f"{value:g}"


def _goals(screen: Screen, found: Plan, answers: Sequence[GoalAnswer], everything: bool) -> None:
    """Print a row for each goal, and with --all what backs the numbers."""
    runs = any(answer.simulated for answer in answers)
    level = all_but(found.request.failure_probability)
    columns = {"goal": "", "at most": "right", "limit": "right", "backed by": "whole", "met by\nbound": "whole"}
    columns |= {"met in\nsimulated runs": ""} if runs else {}
    rows = []
    for answer in answers:
        met = ("yes" if _is_proved(found, answer) else "if it holds") if answer.met else "no"
        cells = answer.goal.text, _number(answer.value), _number(answer.goal.limit), _backing(found, answer), met
        rows.append((*cells, *[_played(answer.simulated, everything)] * runs))
    screen.table(f"Goals; bounds hold together with probability at least {level}", columns, rows)
    screen.left_out(found.answers, answers)
    if everything:
        cap = f"{found.exploration_cap:,} explorations of one provider by T = {found.horizon:,}"
        for line in [*_meanings(found), f"At most {cap}: exact."]:
            screen.say(line)


def _played(runs: Simulated | None, everything: bool) -> str:
    """Return in how many runs a goal was met, with --all also the mean and an interval."""
    if runs is None:
        return "-"
    mean = share(runs.met / runs.runs) if runs.mean is None else f"mean {_number(runs.mean)}"
    more = f": {mean}, met with probability {runs.low:.3f} to {runs.high:.3f} (95% interval)"
    return f"{runs.met} of {runs.runs}{more if everything else ''}"


def _price(found: Plan) -> str:
    """Return which bounds the plan makes larger, or no longer informative."""
    worse = []
    for each in found.guarantees:
        given, planned = each.as_given, each.as_planned
        if given is None or not each.given_informative:
            continue
        if planned is None or not each.planned_informative:
            worse.append(f"{each.quantity} not informative (now {at_most(given)})")
        elif planned > given:
            worse.append(f"{each.quantity} {at_most(planned)} (now {at_most(given)})")
    return "; ".join(worse)


def _at_horizon(found: Plan) -> str:
    """Return at which horizon the other guarantees are, and by which bounds."""
    method = f" ({found.request.method} bounds)" if found.chosen.platform.papers_radius else ""
    return f"T = {found.horizon:,}{method}"


def _is_proved(found: Plan, answer: GoalAnswer) -> bool:
    """Return whether the bound of a goal is proved for the plan's setting, be it by steps."""
    return found.backing_of(answer).proved_as is not None


def _backing(found: Plan, answer: GoalAnswer) -> str:
    """Return how strongly the bound of a goal is proved, in the words of verdicts."""
    proved_as = found.backing_of(answer).proved_as
    if answer.value is None:
        return "-"
    return _NOT_PROVED if proved_as is None else WORDS[Verdict(proved_as)]


def _meanings(found: Plan) -> list[str]:
    """Return what the words behind the numbers mean."""
    backings = [found.backing_of(answer) for answer in found.answers if answer.value is not None]
    verdicts = [Verdict(verdict) for verdict in dict.fromkeys(each.proved_as for each in backings) if verdict]
    lines = [f"{WORDS[each]}, {WHEN_MADE}: {MEANING[each]}." for each in verdicts]
    why = dict.fromkeys(each.not_proved_because for each in backings if each.not_proved_because)
    return lines + [f"{_NOT_PROVED}: {each}." for each in why]


def _guarantees(screen: Screen, found: Plan) -> None:
    """Print what every guarantee is as given and as planned: what the goals cost the others."""
    own, chosen = found.request.setting.platform, found.chosen.platform
    planned = {} if own == chosen else {"as planned" if found.feasible else "nearest": "right"}
    rows = []
    for each in found.guarantees:
        given = at_most(each.as_given if each.given_informative else None)
        then = at_most(each.as_planned if each.planned_informative else None)
        rows.append((each.quantity, given, *[then] * bool(planned)))
    screen.table(f"What every guarantee is at {_at_horizon(found)}", {"": "", "as given": "right"} | planned, rows)
    corner = " at one corner of the ranges, and may be larger elsewhere" * (found.corners > 1)
    screen.say(f"Each number is an upper bound{corner}; money is in the unit of the setting. -: not informative.")
    if unproved := [
        each.quantity for each in found.guarantees if each.not_proved_because and each.as_planned is not None
    ]:
        screen.say(f"Not proved for this setting, so no guarantee: {', '.join(unproved)}.")


def _horizon(found: Plan, answer: GoalAnswer) -> str | None:
    """Return from which or up to which horizon a goal is met, and whether that is proved."""
    goal = answer.goal
    proved = _is_proved(found, answer)
    met, holds = ("guaranteed", "") if proved else ("met", " if its bound, which is not proved, holds")
    if goal.kind in (IDENTIFY, PAYMENT):
        says = f"{goal.text}{' (the optimum has the most selections)' * (goal.kind == IDENTIFY)}"
        if answer.horizon is None:
            where = " over the whole region" * (found.request.region is not None)
            return f"{says}: not guaranteed at any horizon up to 2^52 with these parameters{where}."
        other = answer.best_horizon
        about = "" if other is None or other >= answer.horizon else to_digits(float(other), 3)
        least = f"; with other k and alpha from about {about} on" * bool(about)
        if not (answer.met or least) and answer.horizon == answer.value:
            return None  # the table has this number
        later = "" if answer.met else f"not at T = {goal.horizon:,}, but "
        # Payments were evaluated on a grid of horizons, and their bounds have small jumps.
        on = "from T = {:,} on" if goal.kind == IDENTIFY else "at T = {:,} and at all longer horizons tried"
        return f"{says}: {later}{met} {on.format(answer.horizon)}{holds}{least}."
    if answer.horizon is None:
        return None
    if answer.horizon >= LARGEST_HORIZON:
        return f"{goal.text}: {met} at every T (looked for up to 2^52){holds}."
    return f"{goal.text}: {met} up to T = {answer.horizon:,}{holds}."


def _number(value: float | None) -> str:
    return to_digits(value, 4, keep_whole=True)
