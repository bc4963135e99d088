"""What `costproof simulate` prints: a headline, metrics and selections by policy, and the market that was served."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from textwrap import fill
from typing import Annotated, Any

from bounds.documents import INLINE, Document, one_of
from bounds.glossary import explained, name_of
from bounds.guarantees import GUARANTEES
from bounds.methods import METHODS
from bounds.proved_as import backing_of
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sheet import Sheet
from bounds.words import (
    all_but,
    at_most,
    brief,
    counted,
    first_of,
    in_percent,
    listed,
    rounded_to_read,
    rounded_up,
    share,
    to_digits,
    until_distinct,
    with_sd,
)
from bounds.worth.guarantee import guarantees_of
from mechanism.campaign.records import CampaignResult, SimulationReport
from mechanism.campaign.spec import CampaignPart
from mechanism.episode import OutcomeLaws
from mechanism.market.market import MarketLaws
from mechanism.metrics.measures import Summary
from mechanism.metrics.rows import FIRST_METRICS, SINGLE_METRICS, single_metrics
from mechanism.policy_names import PAPER_POLICY_NAMES, PLATFORM
from proofs_checks.claims.model.precondition import IMMEDIATE_FEEDBACK
from proofs_checks.cli.views.console import MOST_PROVIDERS, Screen, console, largest, number


def show_simulation(
    result: CampaignResult,
    *,
    metrics: Sequence[str] = FIRST_METRICS,
    everything: bool = False,
    asked: str = "",
    policies_asked: Sequence[str] = (),
    kept: str = "",
    method: str = "paper",
) -> None:
    """Print what became of the queries, `metrics` of every policy, and the guarantees, for a campaign of one setting.

    With `everything`, also every metric, who was selected and what was served. `asked` is how the caller named the
    setting, `policies_asked` the policies, and `kept` other options, for the next command. `method` is that of the
    bounds.
    """
    screen = console()
    (part,) = result.campaign.parts
    policies = result.summaries(part)
    name, found = next(iter(policies.items()))
    sd = found["accuracy"].sd
    margin = 2 * sd / math.sqrt(result.campaign.runs) if isinstance(sd, float) else 0.0
    means = {metric: summary.mean for metric, summary in found.items()}
    lines = headline(part.setting, means, margin, explores=name == PLATFORM)
    parts = _payment_parts(part.setting, part.horizon, found) if everything and name == PLATFORM else []
    screen.say(f"{name}: {' '.join(lines + parts)}")
    screen.say(_title(result, part), style="bold")
    for warning in result.campaign.warnings(part.setting.name):
        screen.say(warning, style="yellow")
    screen.say_estimates(part.setting, " (--draw-inputs draws them)")
    shown = dict(islice(policies.items(), None if everything else _MOST_POLICIES))
    _show_by_policy(screen, metrics, shown, 4)
    screen.left_out(list(policies), list(shown))
    beside, said = guarantees_beside(result, method), invoices(part, tuple(policies), *[len(policies)] * everything)
    screen.say(said, style="dim")
    if beside and not said:
        screen.print()
    _show_guarantees(screen, part.setting, beside, method, everything)
    show_unused_prices(screen, part.outcome_laws(), everything)
    again = f"costproof simulate {asked or part.setting.name} {flags_of(part)} --runs {result.campaign.runs}"
    again += "".join(f" --policy {shlex.quote(name)}" for name in policies_asked)
    if everything:
        _show_rest(screen, result, part, policies)
        screen.suggest(f"{again}{kept} --latex-table", "the table for a paper")
        return
    screen.suggest(f"{again}{kept} --all", "every metric, selections by provider and the market")


#: Policies on the default screen at most: as many as are simulated by default.
_MOST_POLICIES = len(PAPER_POLICY_NAMES)
#: Digits of means where everything is printed.
_ALL_DIGITS = 6
#: Characters from which the head of a column is broken between words.
_HEAD = 15


def _title(result: CampaignResult, part: CampaignPart) -> str:
    campaign = result.campaign
    title = (
        f"{part.setting.name}: {counted(campaign.runs, 'run')} of {part.horizon:,} queries"
        f"{f' ({part.delay} in flight)' * (part.delay is not None)}, seed {campaign.seed}, {campaign.bidders} bidders"
    )
    if not part.setting.platform.papers_radius:
        title += f", radius {part.setting.platform.radius}"
    return title


def _show_by_policy(
    screen: Screen, metrics: Sequence[str], policies: Mapping[str, Mapping[str, Summary]], digits: int
) -> None:
    """Print a row for every policy: means to so many digits, with standard deviations."""
    runs = "one run" if next(iter(policies.values()))["accuracy"].sd is None else "mean ± sd"
    columns = {f"policy ({runs})": "whole"} | {fill(name_of(metric), _HEAD): "right" for metric in metrics}
    rows = []
    for policy, summaries in policies.items():
        cells = single_metrics(summaries)
        rows.append((policy, *(with_sd(*cells[metric], digits) for metric in metrics)))
    screen.table("", columns, rows)


def _show_rest(
    screen: Screen, result: CampaignResult, part: CampaignPart, policies: Mapping[str, Mapping[str, Summary]]
) -> None:
    """Print every metric, who was selected, what was served, and how fast it was simulated."""
    screen.print()
    _show_by_policy(screen, SINGLE_METRICS, policies, _ALL_DIGITS)
    names = [provider.name for provider in part.setting.providers]
    screen.print()
    _show_selections(screen, names, policies, part.setting.optimal)
    if (left_out := len(names) - MOST_PROVIDERS) > 0:
        chosen = "the optimum and those" if part.setting.optimal is not None else "those"
        screen.say(f"Of the providers {chosen} selected most are shown; {left_out:,} more are in what --json prints.")
    screen.say(_market_line(part.outcome_laws()))
    if priced := [name for name in _invoiced(part, tuple(policies)) if part.policy(name).needs_prices]:
        screen.say(f"Under {listed(priced)} a listed price decides who serves, not what is paid.")
    work = result.work[part.setting.name]
    speed = work.steps_per_second
    done = f"{number(round(speed))} steps/s of one worker" if speed else "nothing left to simulate"
    resumed = f"; {counted(work.resumed, 'run')} resumed from disk" if work.resumed else ""
    screen.say(f"window {counted(part.window, 'step')}; {done}{resumed}", style="dim")
    screen.say("What each metric means: costproof docs metrics.", style="dim")


def flags_of(part: CampaignPart) -> str:
    """Return the flags that ask for the horizon, the delay, the bidders and the seed of a part."""
    bidders = f" --bidders {shlex.quote(part.bidders)}{' --keep-gamma' * part.keep_gamma}"
    flags = f"--horizon {part.horizon}" + (f" --delay {part.delay}" if part.delay is not None else "")
    return flags + bidders * (part.bidders != "truthful") + (f" --seed {part.seed}" if part.seed else "")


#: Providers that are advised about their prices at most.
_MOST_ADVISED = 3


def show_unused_prices(screen: Screen, laws: OutcomeLaws, everything: bool) -> None:
    """Say whose costs are not token counts times the listed price; of `everything` also why, and how to change that."""
    unused = [law for law in laws.providers if law.price_unused] if isinstance(laws, MarketLaws) else []
    if not isinstance(laws, MarketLaws) or not unused:
        return
    if not everything:
        whose = f"Costs of {counted(len(unused), 'provider')}"
        screen.say(f"{whose} are not token counts times the listed price (--all).", style="yellow")
        return
    for reason in dict.fromkeys(law.price_unused for law in unused):
        names = [law.name for law in unused if law.price_unused == reason]
        said = f"{first_of(names, MOST_PROVIDERS)}: costs are not token counts times the listed price: {reason}"
        screen.say(f"{said}. They are drawn on a grid with the same mean.", style="yellow")
    for law in unused[:_MOST_ADVISED]:
        screen.say(f"{law.name}: {law.price_advice}.", style="yellow")
    options = laws.options
    rule = (
        f"A token costs listed_price / {1 + options.margin:g}, and an answer has at most {options.token_cap:,} tokens"
    )
    remedy = "margin and token_cap under [pricing] change that (costproof docs setting-file)"
    screen.say(f"{rule}: {remedy}.", style="yellow")


def headline(setting: Setting, means: Mapping[str, Any], margin: float = 0.0, *, explores: bool = False) -> list[str]:
    """Return who served, how far the unqualified fall short, and what the user got and paid; `means` by metric.

    A mean score that differs from the threshold by less than `margin` is not called lower. `explores` says whether
    exploration steps pay c_max.
    """
    if setting.optimal is None:
        why = "several qualified providers are cheapest" if setting.qualified else "no provider is qualified"
        lines = [f"{why}, so none is optimal."]
    else:
        optimal = setting.providers[setting.optimal].name
        led = means["identified"]  # of one run a truth, of several a share
        often = f"; it had the most selections in {share(led)} of the runs" if isinstance(led, float) else ""
        lines = [f"{share(means['share_of_optimal'])} of queries went to the optimal provider, {optimal}{often}."]
    served = means["selections"]
    if short := sorted(setting.unqualified, key=lambda i: -served[i]):
        provider = setting.providers[short[0]]
        below = setting.platform.quality_threshold - provider.quality
        gap = f"{provider.name} (quality {below:.3g} below the threshold)"
        whom = f"an unqualified provider, {gap}"
        if len(short) > 1:
            parts = [f"{share(served[i] / sum(served))} to {setting.providers[i].name}" for i in short if served[i]]
            mostly = 3 * served[short[0]] > 2 * sum(served[i] for i in short)
            named = f", most of them to {gap}" if mostly else f": {first_of(parts, 3, least=3)}" if parts else ""
            whom = f"unqualified providers{named}"
        lines.append(f"{share(means['unqualified_share'])} went to {whom}.")
    explored = means["exploration_steps"] / sum(served) if explores else 0.0
    return [*lines, _user_line(setting, means["accuracy"], means["amount_paid"], explored, margin)]


def _payment_parts(setting: Setting, horizon: int, found: Mapping[str, Summary]) -> list[str]:
    """Say what the mean payment mixes: auctions, and the steps of initialization and exploration, which pay c_max."""
    paid, late, explored = (
        found[metric].mean for metric in ("amount_paid", "auction_payment_moving", "exploration_steps")
    )
    if not isinstance(paid, float) or not isinstance(explored, float):
        return []
    bound, first = setting.platform.cost_bound, setting.n_providers
    explorations = to_digits(explored)
    steps = f"{explorations} exploration step{'s' * (explorations != '1')} and {first:,}"
    fixed = f"{steps if explored else f'{first:,} steps'} of initialization paid {number(bound)} each"
    auctions = horizon - first - explored
    if auctions <= 0:
        return [f"{fixed}."]
    each = (paid * horizon - (explored + first) * bound) / auctions
    # With nobody qualified nobody stays eligible, and a step at which nobody is pays c_max without an auction.
    others = "auctions" if setting.qualified else "other steps, auctions or none,"
    parts = f"{to_digits(auctions)} {others} paid {to_digits(each, 4)} on average; {fixed}"
    lines = [f"The mean payment mixes two parts: {parts}."]
    if not isinstance(late, float):
        return lines
    return [*lines, f"{'Auctions' if setting.qualified else 'They'} paid {to_digits(late, 4)} in the last window."]


def _user_line(setting: Setting, score: Any, paid: Any, explored: float, margin: float) -> str:
    """Say what the user gets and pays, next to what the theory compares it with: q_min and c_(2)."""
    threshold, second = setting.platform.quality_threshold, setting.second_lowest_cost
    near = "within two standard errors of " if abs(score - threshold) < margin else "below " * (score < threshold)
    line = f"Mean score {to_digits(score, 4)}, {near}q_min = {number(threshold)}"
    if second is None:
        return f"{line}."
    off = f"{share(abs(1 - paid / second))} {'less' if paid < second else 'more'} than"
    line += f"; mean payment {to_digits(paid, 4)}, {off} c_(2) = {number(second)}, the second-lowest qualified cost"
    without = paid - explored * (setting.platform.cost_bound - second)
    return f"{line}{', because explorations pay c_max' * (without <= second < paid)}."


@dataclass(frozen=True, kw_only=True)
class GuaranteeBeside:
    """A bound of the theory beside what happened.

    Parameters
    ----------
    guarantee : str
        Which guarantee of `bounds` it is.
    happened : float
        Mean over runs of what the bound is about.
    at_most : float or None
        The bound, which a run keeps with probability 1 - delta, all that are proved here together; None where none
        applies yet.
    share : float or None
        What happened over the bound; None where none applies yet, and for a bound of 0.
    informative : bool
        Whether the bound is below its trivial value.
    unmet : str or None
        What the bound asks of every run and these runs do not meet: it is not promised; else None.
    not_proved_because : str or None
        What the claim that states the bound assumes and this setting lacks, in a sentence; None if nothing.
    """

    guarantee: Annotated[str, one_of(GUARANTEES)]
    happened: float
    at_most: float | None
    share: float | None
    informative: bool
    unmet: str | None
    not_proved_because: str | None


@dataclass(frozen=True, kw_only=True)
class SimulationDocument(Document):
    """The market of a setting under one or more policies, on matched outcomes.

    Parameters
    ----------
    report : SimulationReport
        What was simulated.
    guarantees : tuple of GuaranteeBeside
        Bounds of the theory beside what happened under the platform with truthful bidders; else empty.
    method : {"paper", "sharp", "sharpest"}
        The method of these bounds.
    """

    report: SimulationReport = field(metadata=INLINE)
    guarantees: tuple[GuaranteeBeside, ...]
    method: Annotated[str, one_of(METHODS)] = "paper"


def guarantees_beside(result: CampaignResult, method: str = "paper") -> tuple[GuaranteeBeside, ...]:
    """Return what the theory guarantees beside the mean of what happened under the platform with truthful bidders."""
    (part,) = result.campaign.parts
    policies = result.summaries(part)
    if PLATFORM not in policies or result.campaign.bidders != "truthful":
        return ()
    # With a delay of 0 queries and nothing lost, feedback is immediate.
    late = part.delay is not None and (part.delay.most > 0 or part.delay.lost > 0)
    found = []
    for name, guarantee in guarantees_of(part.setting, method).items():
        happened, bound = _happened(name, part.setting, part.horizon, policies[PLATFORM]), guarantee.value(part.horizon)
        if happened is not None and guarantee.branches and math.isfinite(bound):
            applies = guarantee.applies(part.horizon)
            beside = GuaranteeBeside(
                guarantee=name,
                happened=happened,
                at_most=bound if applies else None,
                share=happened / bound if applies and bound > 0 else None,
                informative=guarantee.says_something(part.horizon),
                unmet=IMMEDIATE_FEEDBACK.name if late else None,
                not_proved_because=backing_of(part.setting, GUARANTEES[name].label, method).not_proved_because,
            )
            found.append(beside)
    return tuple(found)


def guarantees_sheet(result: CampaignResult, method: str = "paper") -> Sheet:
    """Return the guarantees beside what happened as a table, a row each; see `guarantees_beside`."""
    (part,), rows = result.campaign.parts, guarantees_beside(result, method)
    unproved = _not_proved(rows)
    level = all_but(part.setting.platform.confidence)
    surely = f"with probability at least {level} a run stays within all {method} bounds"
    surely = f"not proved here: {'; '.join(unproved)}" if unproved else surely
    title = (
        f"{part.setting.name}: {counted(result.campaign.runs, 'run')} of {part.horizon:,} queries under the platform, "
        f"means; {surely}; -: none applies at this T"
    )
    read = Sheet(
        title=title,
        rounded=True,
        columns=("guarantee", "happened", "at most", "used in %"),
        rows=tuple(
            (
                name_of(row.guarantee),
                *_to_read(row.happened, row.at_most),
                None if row.share is None else in_percent(row.share),
            )
            for row in rows
        ),
    )
    columns = ("guarantee", "happened", "at_most", "share", "informative", "not_proved_because")
    return replace(Sheet.of(title, columns, map(vars, rows), "guarantee"), for_readers=read)


def _not_proved(rows: Sequence[GuaranteeBeside]) -> list[str]:
    """Return why no proof covers some of the bounds here, each reason once."""
    return list(dict.fromkeys(row.not_proved_because for row in rows if row.not_proved_because))


def _to_read(happened: float, most: float | None) -> tuple[float, float | None]:
    """Return what happened and its bound as a table for papers has them: never alike if they differ."""
    if most is None:
        return rounded_to_read(happened, 4), None
    return until_distinct(lambda digits: (rounded_to_read(happened, digits), rounded_up(most, digits)), 4)


def _beside(happened: float, most: float | None) -> tuple[str, str]:
    """Return what happened and its bound as the screen has them: never alike if they differ."""
    return until_distinct(lambda digits: (brief(happened, digits), at_most(most, digits)), 5)


def _show_guarantees(
    screen: Screen, setting: Setting, rows: Sequence[GuaranteeBeside], method: str, everything: bool
) -> None:
    """Print what the theory guarantees beside what happened under the platform; nothing where it guarantees nothing."""
    if not rows:
        return
    columns = dict.fromkeys(("happened", "at most", "used"), "right")
    cells = (
        (name_of(row.guarantee), *_beside(row.happened, row.at_most), share(row.share), _status(row)) for row in rows
    )
    screen.table("", {"guarantee (platform)": "whole", **columns, "status": "whole"}, cells)
    unmet = sorted({row.unmet for row in rows if row.unmet})
    doubts = [f"Not proved here: {why}." for why in _not_proved(rows)]
    if unmet:
        doubts = [f"Bounds assume that {listed(unmet)}."]
    bounds = f"{method} bounds{' at the point' * setting.is_uncertain}"
    notes = doubts or [f"All {bounds} hold with probability at least {all_but(setting.platform.confidence)}."]
    if any(row.at_most is None for row in rows):
        notes = [f"T_0 = {at_most(METHODS[method].burn_in.value(formula_inputs(setting)))}.", *notes]
    screen.say(" ".join(notes), style="yellow" if doubts else "dim")
    if not everything:
        return
    for name in ("identification", "excess_payment"):
        if any(row.guarantee == name for row in rows):
            screen.say(explained(name), style="dim")
    if unmet:
        screen.say("What is promised of counts with queries in flight: costproof claims --all in-flight.")


def _status(row: GuaranteeBeside) -> str:
    """Return what a bound is worth at this horizon."""
    if row.unmet:
        return "not promised"
    if row.at_most is None:
        return "trivial until T_0"
    return "informative" if row.informative else "not informative"


def _happened(name: str, setting: Setting, horizon: int, means: Mapping[str, Summary]) -> float | None:
    """Return the mean over runs of what a guarantee bounds, where there is a metric of it."""
    if name == "identification" and setting.optimal is not None:
        served = means["selections"].mean
        others = setting.n_providers - 1
        return horizon - served[setting.optimal] - others if isinstance(served, tuple) else None
    value = means[name].mean if name in means else None
    return value if isinstance(value, float) else None


def _invoiced(part: CampaignPart, policies: Sequence[str]) -> list[str]:
    """Return the policies without auctions, but for those of one's own."""
    own = dict(part.own_policies)
    return [name for name in policies if name not in own and not part.policy(name).auctions]


def invoices(part: CampaignPart, policies: Sequence[str], most: int = 2) -> str:
    """Say what users pay under policies without auctions, of which at most so many are named; "" without any."""
    names = _invoiced(part, policies)
    whom = listed(names) if len(names) <= most else "policies without auctions"
    factor = number(1 + part.outcome_laws().tables().margin)
    return f"Under {whom} users pay {factor} times the cost (1 + margin)." if names else ""


def _show_selections(
    screen: Screen, providers: Sequence[str], policies: Mapping[str, Mapping[str, Summary]], optimal: int | None
) -> None:
    """Print how often each provider was selected, by policy; of many the optimum and those selected most."""
    rows = []
    each = [summaries["selections"] for summaries in policies.values()]
    first = [(i == optimal, _of(each[0].mean, i) or 0.0, -i) for i in range(len(providers))]
    for i in largest(range(len(providers)), first, MOST_PROVIDERS):
        cells = (with_sd(_of(summary.mean, i), _of(summary.sd, i), _ALL_DIGITS) for summary in each)
        rows.append((providers[i], *cells))
    screen.table("", {"selections (mean ± sd)": "whole", **dict.fromkeys(policies, "right")}, rows)


def _of(values: float | tuple[float, ...] | None, provider: int) -> float | None:
    return values[provider] if isinstance(values, tuple) else None


def _market_line(laws: OutcomeLaws) -> str:
    """State what was served: recorded generations, questions in passes, or independent queries."""
    if not isinstance(laws, MarketLaws):
        market = laws.describe()
        questions = f"{market['questions']:,} questions"
        if "benchmark" in market:
            each = f"{market['generations_per_question']:,} generations each"
            return f"market: recorded generations of {market['benchmark']}: {questions}, {each}"
        how = "in passes" if market["draws"] == "passes" else "drawn with replacement by every provider"
        return (
            f"market: answers of {market['evaluation']} ({market['format']}): {questions} with one answer each, {how}"
        )
    asked = laws.options.questions
    served = f"questions in passes of {asked:,}" if asked else "independent queries"
    given = laws.options.cost_variation
    all_of = given if isinstance(given, Sequence) else (given,)
    spread = f"{min(all_of):g}" if min(all_of) == max(all_of) else f"{min(all_of):g} to {max(all_of):g} by provider"
    return f"market: {served}; cost variation (sd/mean of one generation) {spread}, or what the range allows"
