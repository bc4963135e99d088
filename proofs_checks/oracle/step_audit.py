"""Every step of a log against the rules of Algorithm 1, vectorised, with what was expected where one is broken.

A comparison that rounding could turn either way is read either way: the log is given the reading that breaks least.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bounds.documents import FromOne, one_of
from bounds.setting.model import Setting
from bounds.words import first_of
from mechanism.arguments import not_negative
from mechanism.replay import Readings, Replay
from mechanism.running import across
from proofs_checks.oracle.rule_oracle import ROUNDING, exact_in_floats, money_rounding
from proofs_checks.oracle.step_rules import STEP_RULES, StepFacts, of_payment

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

#: Names that an expectation spells out; the others are counted.
_SHOWN_NAMES = 4
#: Providers at the edge of eligibility at one step for which every reading is tried; of more, all in or all out.
_MOST_EDGES = 5
#: Entries of a table by row and provider in which rows are read in every way at a time.
_READ_ENTRIES = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Slack:
    """How far two equal amounts of a log may be apart.

    Parameters
    ----------
    rounding : float
        Of floats, on the scale of a cost radius.
    tolerance : float
        Of a logged amount. A payment that is compared with c_max is off by it once; one that is compared with a bid,
        and two bids that are compared, twice.
    """

    rounding: float
    tolerance: float

    @property
    def once(self) -> float:
        """Between one logged amount and one that is known."""
        return self.tolerance + self.rounding

    @property
    def twice(self) -> float:
        """Between two logged amounts."""
        return 2 * self.tolerance + self.rounding


@np.errstate(over="ignore", invalid="ignore")  # a logged payment may be anything
def step_facts(replay: Replay, slack: Slack) -> StepFacts:
    """Return what the rules ask of every row of a replay."""
    able, under = replay.eligible, replay.under_sampled
    # A byte holds a number of few; of many NumPy adds longer ones.
    number, explores = across(np.add, able.view(np.int8)), across(np.logical_or, under)
    auction = (number > 0) & ~explores
    least, price = least_and_price(replay)
    inside, logged = replay.of_served(able | under), replay.rules.logged
    return StepFacts(
        initialization=replay.initialization,
        exploration=explores,
        contest=auction & (number > 1),
        lone=auction & (number == 1),
        empty=(number == 0) & ~replay.initialization,
        fresh=replay.of_served(replay.assigned) == 0,
        eligible=inside,
        ineligible=~inside,
        under_sampled=replay.of_served(under),
        least=~(replay.of_served(replay.ranked) > least + slack.twice),
        paid_bound=~(np.abs(replay.payment - logged(replay.flat)) > slack.once),
        paid_price=~(np.abs(replay.payment - logged(price)) > slack.twice),
    )


def covered_rows(replay: Replay, slack: Slack) -> dict[str, Flags]:
    """Return by rule at which rows the slack lets every answer pass: all payments in [0, c_max], all eligible."""
    able, bound = replay.eligible, replay.config.cost_bound
    _, price = least_and_price(replay)
    at_bound = np.ones(len(replay.payment), dtype=bool) & (slack.once >= bound)
    at_price = slack.twice >= np.maximum(np.abs(price), np.abs(bound - price))
    bids = np.where(able, replay.adjusted_bids, np.nan)
    spread = across(np.fmax, bids) - across(np.fmin, bids)
    found = {rule: at_bound for rule in STEP_RULES if of_payment(rule)}
    found |= {"lone-payment": np.where(replay.of_served(able), at_bound, at_price), "critical-payment": at_price}
    return found | {"index-minimizer": spread <= slack.twice}


def least_and_price(replay: Replay) -> tuple[Floats, Floats]:
    """Return what the winner of an auction may have at most, infinite if nobody is eligible, and what it is paid.

    The served one's own bid is left out of its price, also where it should not have served.
    """
    least = across(np.minimum, np.where(replay.eligible, replay.ranked, np.inf))
    return least, np.minimum(replay.price, replay.cap)


def _broken(facts: StepFacts) -> dict[str, Flags]:
    return {name: np.asarray(rule.applies(facts) & ~rule.kept(facts)) for name, rule in STEP_RULES.items()}


def _any(broken: Mapping[str, Flags]) -> Flags:
    return np.asarray(np.logical_or.reduce(list(broken.values())))


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A step that breaks a rule.

    Parameters
    ----------
    step : int
        Step of the log, from 1.
    rule : str
        Name of the rule.
    expected : str or float
        Who should have served, in words, or what should have been paid, money.
    found : str or float
        Name of who served, or what was paid, money.
    """

    step: FromOne
    rule: Annotated[str, one_of(STEP_RULES)]
    expected: str | float
    found: str | float


@dataclass(frozen=True, eq=False)
class StepAudit:
    """The rules at every step of a replayed part of a log.

    Parameters
    ----------
    setting : Setting
        Whose names are shown.
    replay : Replay
        Its configuration decides.
    tolerance : float, optional
        How far the logged payments and bids may be from the true ones (money rounded to cents: 0.005). An auction's
        payment inherits the error of one bid: it may be 2 X off. Two adjusted bids are compared with slack 2 X.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.config import MechanismConfig
    >>> from mechanism.trace import Trace
    >>> setting = published("gpqa-strong").setting
    >>> log = Trace([0, 1, 1], [75.008, 75.008, 70.0], [1.0, 1.0, 1.0], [9.0, 9.0, 9.0])
    >>> audit = StepAudit(setting, Replay(MechanismConfig.of(setting), log))
    >>> {rule: count for rule, count in audit.counts.items() if count}
    {'initialization-order': 1, 'initialization-payment': 1}
    >>> next(audit.violations())
    Violation(step=3, rule='initialization-order', expected='one of: Llama-3.1-8B, Qwen2.5-7B', found='Llama-3.2-1B')
    """

    setting: Setting
    replay: Replay
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        not_negative("tolerance", self.tolerance, "it is the rounding of the log's money")

    @property
    def slack(self) -> Slack:
        """How far logged amounts may be off."""
        return Slack(rounding=money_rounding(self.replay.config), tolerance=self.tolerance)

    def _edges(self, rows: Rows | None = None) -> tuple[Flags, Flags]:
        """Which comparisons rounding could turn, of all or some rows: of a quality with q_min, of a count with g(t).

        Their shapes are (R, N) and (R,).
        """
        replay, threshold = self.replay, self.replay.config.quality_threshold
        places = np.arange(len(replay.payment)) if rows is None else rows
        later, goals = ~replay.initialization[places], replay.goals[places]
        nearest = np.rint(goals)
        close = replay.by_quality_edge(lambda edges: np.abs(edges - threshold) <= ROUNDING, rows) & later[:, None]
        at = np.flatnonzero((np.abs(goals - nearest) <= ROUNDING * np.maximum(1, goals)) & later)
        at = at[[not exact_in_floats(replay.config, step) for step in replay.steps[places[at]].tolist()]]
        whole = np.zeros(len(goals), dtype=bool)
        if len(at):
            with np.errstate(invalid="ignore"):
                margin = replay.quality_estimates[places[at]] + replay.radii[places[at]] - threshold
                reached = (replay.counts[places[at]] == nearest[at, None]) & (margin >= -ROUNDING)
            whole[at] = across(np.logical_or, reached)
        return close, whole

    @property
    def undecided(self) -> int:
        """How many steps can be read in two ways."""
        close, whole = self._edges()
        return int(np.count_nonzero(across(np.logical_or, close) | whole))

    @cached_property
    def _plain(self) -> StepFacts:
        return step_facts(self.replay, self.slack)

    @cached_property
    def _broken_plainly(self) -> Mapping[str, Flags]:
        return _broken(self._plain)

    @cached_property
    def read(self) -> Replay:
        """The replay, with another reading where rounding leaves it open and that reading breaks less."""
        readings, _ = self._best_readings
        return self.replay.under(self.replay.rules, self.replay.rows, readings) if len(readings.rows) else self.replay

    @cached_property
    def _best_readings(self) -> tuple[Readings, NDArray[np.int64]]:
        """Where rounding leaves a wrong row open, the readings that break least, and how many rules they break."""
        replay, rows = self.replay, np.flatnonzero(_any(self._broken_plainly))
        if len(rows):
            close, whole = self._edges(rows)
            at = across(np.logical_or, close) | whole
            rows, close, whole = rows[at], close[at], whole[at]
        least = np.sum([flags[rows] for flags in self._broken_plainly.values()], axis=0)
        able, targets = replay.eligible[rows], replay.targets[rows]
        together = max(1, _READ_ENTRIES // (able.shape[1] * 2 ** (_MOST_EDGES + 1)))
        for start in range(0, len(rows), together):
            some = slice(start, start + together)
            read = self._readings(rows[some], close[some], whole[some])
            number = self._broken_as(rows[some], *read)
            best = np.argmin(number, axis=0), np.arange(number.shape[1])
            better = number[best] < least[some]
            able[some] = np.where(better[:, None], read[0][best], able[some])
            targets[some] = np.where(better, read[1][best], targets[some])
            least[some] = np.minimum(least[some], number[best])
        return Readings(rows=rows, eligible=able, targets=targets), least

    def _broken_as(self, rows: Rows, able: Flags, targets: Floats) -> NDArray[np.int64]:
        """Return how many rules each row breaks with these providers eligible and these targets, shape (W, R)."""
        part = self.replay.at(np.tile(rows, len(able)))
        readings = Readings(
            rows=np.arange(targets.size), eligible=able.reshape(-1, able.shape[-1]), targets=targets.ravel()
        )
        broken = _broken(step_facts(replace(part, readings=readings), self.slack))
        return np.asarray(np.sum(list(broken.values()), axis=0)).reshape(targets.shape)

    def _readings(self, rows: Rows, close: Flags, whole: Flags) -> tuple[Flags, Floats]:
        """Return who is eligible, and ceil(g(t)), at some rows in all W ways to read them: (W, R, N) and (W, R)."""
        plain, targets = self.replay.eligible[rows], self.replay.targets[rows]
        nearest = np.rint(self.replay.goals[rows])
        # Which of a row's edges a provider is, from 0.
        place = np.cumsum(close, axis=1) - 1
        most = int(close.sum(axis=1).max(initial=0))
        patterns: Any = itertools.product((True, False), repeat=most)
        if most > _MOST_EDGES:
            patterns = ((True,) * most, (False,) * most)
        ways = [*itertools.product(patterns, (0, 1) if whole.any() else (0,))]
        able = [np.where(close, np.array([*pattern, True])[place], plain) for pattern, _ in ways]
        return np.array(able), np.array([np.where(whole, nearest + more, targets) for _, more in ways])

    @cached_property
    def _facts(self) -> StepFacts:
        return self._plain if self.read is self.replay else step_facts(self.read, self.slack)

    @cached_property
    def flags(self) -> Mapping[str, Flags]:
        """Which rows break each rule, in the order of `STEP_RULES`, shape (T,)."""
        return self._broken_plainly if self.read is self.replay else _broken(self._facts)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many steps break each rule."""
        return {rule: int(np.count_nonzero(flags)) for rule, flags in self.flags.items()}

    @cached_property
    def applicable(self) -> Mapping[str, int]:
        """At how many steps each rule has something to say: not where the tolerance lets every answer pass."""
        found = self._speaking
        return {rule: found[rule] - self.covered[rule] for rule in STEP_RULES}

    @cached_property
    def covered(self) -> Mapping[str, int]:
        """At how many steps a rule would decide, did the tolerance not let every answer pass that is in [0, c_max]."""
        if not self.tolerance:
            return dict.fromkeys(STEP_RULES, 0)
        lets_pass = covered_rows(self.read, self.slack)
        return {
            name: int(np.count_nonzero(rule.applies(self._facts) & lets_pass[name] & ~self.flags[name]))
            if name in lets_pass
            else 0
            for name, rule in STEP_RULES.items()
        }

    @cached_property
    def _speaking(self) -> Mapping[str, int]:
        return {name: int(np.count_nonzero(rule.applies(self._facts))) for name, rule in STEP_RULES.items()}

    @cached_property
    def excused(self) -> int:
        """How many steps break a rule only without the tolerance."""
        if not self.tolerance:
            return 0
        return len(np.setdiff1d(StepAudit(self.setting, self.replay).violating_rows, self.violating_rows))

    @cached_property
    def violating_rows(self) -> Rows:
        """The rows, counted from 0, that break a rule."""
        readings, least = self._best_readings
        wrong = _any(self._broken_plainly)
        wrong[readings.rows] = least > 0
        return np.flatnonzero(wrong)

    def are_right(self, row: int, served: Rows, payment: Floats) -> Flags:
        """Return which answers, in place of the logged one, would break no rule at a row, shape of `served`."""
        rows = np.full(len(served), row)
        part = self.replay.at(rows)
        found = np.zeros(len(rows), dtype=bool)
        for able, targets in zip(*self._readings(rows, *self._edges(rows)), strict=True):
            readings = Readings(rows=np.arange(len(rows)), eligible=able, targets=targets)
            read = replace(part, readings=readings).with_answers(served, payment)
            found |= ~_any(_broken(step_facts(read, self.slack)))
        return found

    def is_an_auction(self, row: int) -> bool:
        """Return whether a row is what an auction among the eligible would have been: who wins it, for how much."""
        facts = step_facts(self.replay.at(np.array([row])), self.slack)
        return bool(facts.eligible[0] and facts.least[0] and facts.paid_price[0])

    @property
    def wrong_payments(self) -> Flags:
        """At which rows the payment breaks a rule, shape (T,)."""
        return np.asarray(np.logical_or.reduce([flags for rule, flags in self.flags.items() if of_payment(rule)]))

    @property
    def first_steps(self) -> dict[str, int]:
        """By rule that is broken, the first step that breaks it."""
        start = self.replay.start.steps + 1
        return {rule: start + int(np.argmax(flags)) for rule, flags in self.flags.items() if self.counts[rule]}

    def violations(self) -> Iterator[Violation]:
        """Yield every violation in the order of the steps."""
        for row in self.violating_rows.tolist():
            for rule, flags in self.flags.items():
                if flags[row]:
                    expected, found = self._told(rule, row)
                    step = self.replay.start.steps + row + 1
                    yield Violation(step=step, rule=rule, expected=expected, found=found)

    def _told(self, rule: str, row: int) -> tuple[str | float, str | float]:
        """Return what a rule expected at a row, and what the log holds."""
        if of_payment(rule):
            return float(self.prescriptions[row]), float(self.replay.trace.payment[row])
        served = int(self.replay.trace.provider[row])
        return self._names(self._permitted(rule, row)), self.setting.providers[served].name

    @cached_property
    def prescriptions(self) -> Floats:
        """The payment that the rules prescribe to the provider that served, at every row, shape (T,)."""
        _, price = least_and_price(self.read)
        return np.asarray(self.replay.rules.logged(np.where(self.read.auction, price, self.replay.flat)))

    def _permitted(self, rule: str, row: int) -> list[int]:
        """Return who may have served where a rule about that is broken."""
        if rule == "initialization-order":
            return np.flatnonzero(self.replay.assigned[row] == 0).tolist()
        if rule == "eligibility":
            return np.flatnonzero(self.read.eligible[row]).tolist()
        if rule == "exploration-set":
            return np.flatnonzero(self.read.under_sampled[row]).tolist()
        contenders = self.read.contenders[row]
        return np.flatnonzero(contenders <= contenders.min() + self.slack.twice).tolist()

    def _names(self, providers: list[int]) -> str:
        names = [self.setting.providers[i].name for i in providers]
        return f"{'one of: ' if len(names) > 1 else ''}{first_of(names, _SHOWN_NAMES)}"
