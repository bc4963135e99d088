"""Random accidents: logs of right platforms on random markets, to each of which one to five things happen.

An accident counts if it breaks a rule of a right log by itself. ``python -m
tests.proofs_checks.diagnosis.accidents_corpus 200`` prints what is named first of 200 logs; with ``mechanisms`` behind
it, the same of wrong mechanisms.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import run_concurrent_episode, run_episode, simulate
from mechanism.market.market import market_laws
from mechanism.platform import concurrent_mechanism
from mechanism.trace import Trace
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.plain import Factory, Plain
from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import Diagnosis, diagnose
from proofs_checks.diagnosis.log import RecordedLog
from tests.mechanism.trace_samples import standing_bids
from tests.proofs_checks.audit.audited import with_columns
from tests.proofs_checks.conformance.slips import GALLERY

#: The most accidents of a log.
MOST = 5
#: The share of the wrong rows that what is named first must explain.
EXPLAINED = 0.9
#: Attempts to find a place where an accident breaks a rule.
_ATTEMPTS = 12

#: Mutants that came after these seeds were chosen; one differs after a restart only.
_LATER = {"RestoresOtherDraws", "FiveLowestBids"}
SHOWN_IN_LOGS = [name for name in MUTANTS if name not in _LATER]

Rng = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of accident, and the names that are right for it.

    It happens to the platform that plays (`play`), to rows of the log (`at`), which may happen again elsewhere, or to
    the log as a whole (`whole`).
    """

    named: str
    play: Callable[[Setting, Rng, int], Trace] | None = None
    at: Callable[[Trace, int, Rng], Trace] | None = None
    whole: Callable[[RecordedLog, Rng], RecordedLog] | None = None

    @property
    def names(self) -> set[str]:
        return set(self.named.split("; "))


# Markets.


def market(rng: Rng) -> Setting:
    """A random setting with three to eight providers, of which two or more are qualified."""
    n, bound = int(rng.integers(3, 9)), float(rng.choice([1.0, 0.04, 75.0]))
    q_min = round(rng.uniform(0.3, 0.6), 2)
    quality = np.round(np.append(rng.uniform(q_min + 0.05, 0.95, 2), rng.uniform(0.05, 0.95, n - 2)), 3)
    costs = np.round(rng.uniform(0.1, 0.7, n) * bound, 6)
    platform = PlatformParameters(
        quality_threshold=q_min,
        confidence=float(rng.choice([0.05, 0.1])),
        cost_bound=bound,
        exploration_scale=float(rng.choice([0.5, 1.0, 2.0])),
        exploration_exponent=float(rng.choice([0.6, 2 / 3, 0.75])),
        belief_slack=float(rng.choice([0.0, 0.1])),
    )
    named = zip("abcdefgh", quality.tolist(), costs.tolist(), strict=False)
    return Setting("random", platform, tuple(Provider(f"model-{name}", each, cost) for name, each, cost in named))


def played(kind: Factory, setting: Setting, seed: int, horizon: int) -> Trace:
    mechanism = kind(MechanismConfig.of(setting), np.random.default_rng(seed))
    bidders = truthful_bidders(setting, np.random.default_rng(seed))
    return run_episode(mechanism, bidders, market_laws(setting).market(seed, 0), horizon)


def _seed(rng: Rng) -> int:
    return int(rng.integers(2**31))


# What happens to the platform.


def _changing(**change: Callable[[float, Rng], float]) -> Callable[[Setting, Rng, int], Trace]:
    """Return a platform of which a parameter changes in the middle."""

    def play(setting: Setting, rng: Rng, horizon: int) -> Trace:
        at = int(rng.uniform(0.3, 0.7) * horizon)
        values: dict[str, Any] = {
            name: round(new(getattr(setting.platform, name), rng), 6) for name, new in change.items()
        }

        class Changes(Plain):
            def assign(self) -> tuple[int, float]:
                if self.step == at:
                    self.config = replace(self.config, **values)
                    self.bound = self.config.cost_bound
                return super().assign()

        return played(Changes, setting, _seed(rng), horizon)

    return play


def _restarting(setting: Setting, rng: Rng, horizon: int) -> Trace:
    """A platform that forgets everything in the middle and starts anew."""
    at = int(rng.uniform(0.3, 0.7) * horizon)

    class Restarts(Plain):
        def _prepare(self) -> None:
            self.assigned = 0

        def assign(self) -> tuple[int, float]:
            self.assigned += 1
            if self.assigned == at:
                self._know_nothing()
            return super().assign()

    return played(Restarts, setting, _seed(rng), horizon)


def _leaving(setting: Setting, rng: Rng, horizon: int) -> Trace:
    """A platform that a qualified provider leaves in the middle."""
    at, who = int(rng.uniform(0.3, 0.7) * horizon), int(rng.integers(2))

    class Leaves(Plain):
        def _is_eligible(self, provider: int) -> bool:
            return super()._is_eligible(provider) and (provider != who or self.step < at)

    return played(Leaves, setting, _seed(rng), horizon)


def _joining(setting: Setting, rng: Rng, horizon: int) -> Trace:
    """A platform whose last provider serves first, at c_max, after some steps."""
    last, at = len(setting.providers) - 1, int(rng.integers(20, 100))

    class Joins(Plain):
        def _initialize(self) -> tuple[int, float]:
            return super()._initialize() if self.step <= last else self._decide()

        def _decide(self) -> tuple[int, float]:
            return (last, self.bound) if self.step == at else super()._decide()

        def _is_eligible(self, provider: int) -> bool:
            return (provider != last or self.counts[last] > 0) and super()._is_eligible(provider)

    return played(Joins, setting, _seed(rng), horizon)


def _delayed(law: Callable[[Rng], DelayLaw]) -> Callable[[Setting, Rng, int], Trace]:
    """Return a platform with queries in flight, of whose feedback the log does not say when it came."""

    def play(setting: Setting, rng: Rng, horizon: int) -> Trace:
        return replace(simulate(setting, horizon=horizon, seed=_seed(rng), delay=law(rng)), settled=None)

    return play


def _in_batches(setting: Setting, rng: Rng, horizon: int) -> Trace:
    """A platform that hears of all queries of a batch at its end."""
    size, seed = int(rng.choice([2, 4, 5, 8, 10, 16])), _seed(rng)
    settled = -(-np.arange(1, horizon + 1) // size) * size
    mechanism = concurrent_mechanism(MechanismConfig.of(setting), np.random.default_rng(seed))
    bidders = truthful_bidders(setting, np.random.default_rng(seed))
    trace = run_concurrent_episode(mechanism, bidders, market_laws(setting).market(seed, 0), settled)
    return replace(trace, settled=None)


# What happens to rows.


def _cell(column: str, change: Callable[[float, Rng], float]) -> Callable[[Trace, int, Rng], Trace]:
    def edit(trace: Trace, row: int, rng: Rng) -> Trace:
        values = trace.columns()[column].copy()
        values[row] = change(values[row], rng)
        return with_columns(trace, **{column: values})

    return edit


def _ordered(order: Callable[[int, int, Rng], Any]) -> Callable[[Trace, int, Rng], Trace]:
    return lambda trace, row, rng: trace.rows(np.asarray(order(len(trace), row, rng), dtype=np.int64))


def _swapped(number: int, row: int, apart: int, length: int = 1) -> Any:
    rows = np.arange(number)
    one, other = np.arange(row, row + length), np.arange(row + apart, row + apart + length)
    rows[one], rows[other] = other, one
    return rows


def _served_by_another(trace: Trace, row: int, rng: Rng) -> Trace:
    provider = trace.provider.copy()
    provider[row] = rng.choice(np.setdiff1d(trace.provider, provider[row]))
    return with_columns(trace, provider=provider)


def _with_a_foreign_row(trace: Trace, row: int, rng: Rng) -> Trace:
    rows = trace.rows(np.insert(np.arange(len(trace)), row, row))
    columns = {name: column.copy() for name, column in rows.columns().items()}
    columns["provider"][row] = rng.choice(trace.provider)
    columns["payment"][row], columns["bid"][row] = rng.uniform(0.1, 0.9, 2) * trace.payment.max()
    return Trace(**columns)


# What happens to a log.


def _edited(change: Callable[[Trace, Setting, Rng], Trace]) -> Callable[[RecordedLog, Rng], RecordedLog]:
    def edit(log: RecordedLog, rng: Rng) -> RecordedLog:
        return RecordedLog.of(change(log.trace, log.setting, rng), log.setting)

    return edit


def _later(trace: Trace, rng: Rng) -> int:
    return int(rng.uniform(0.2, 0.8) * len(trace))


def _money(factor: Callable[[Rng], float], *, of_one: bool = False) -> Callable[[RecordedLog, Rng], RecordedLog]:
    """Return that money is another from a row on, perhaps of one provider."""

    def change(trace: Trace, setting: Setting, rng: Rng) -> Trace:
        rows = np.arange(len(trace)) >= _later(trace, rng)
        rows &= trace.provider == rng.choice(trace.provider) if of_one else True
        by = np.where(rows, factor(rng), 1.0)
        return with_columns(trace, payment=trace.payment * by, bid=trace.bid * by)

    return _edited(change)


def _paid(change: Callable[[Any, float, Rng], Any], *, later: bool = True) -> Callable[[RecordedLog, Rng], RecordedLog]:
    def of(trace: Trace, setting: Setting, rng: Rng) -> Trace:
        payment, first = trace.payment.copy(), _later(trace, rng) if later else 0
        payment[first:] = change(payment[first:], setting.platform.cost_bound, rng)
        return with_columns(trace, payment=payment)

    return _edited(of)


def _scored(low: float, high: float) -> Callable[[RecordedLog, Rng], RecordedLog]:
    """Return that scores 0 and 1 are logged on another scale from a row on."""

    def change(trace: Trace, setting: Setting, rng: Rng) -> Trace:
        score, first = trace.score.copy(), _later(trace, rng)
        score[first:] = low + (high - low) * score[first:]
        return with_columns(trace, score=score)

    return _edited(change)


def _names(trace: Trace, setting: Setting, rng: Rng) -> Trace:
    names = np.arange(setting.n_providers)
    one, other = rng.choice(names[:4], 2, replace=False) if len(names) > 3 else names[:2]
    names[[one, other]] = other, one
    first = _later(trace, rng)
    return with_columns(trace, provider=np.append(trace.provider[:first], names[trace.provider[first:]]))


def _that_stood(trace: Trace, setting: Setting, rng: Rng) -> Trace:
    standing = np.array(standing_bids(trace))
    return with_columns(trace, bid=np.where(np.isnan(standing), trace.bid, standing))


def _rounded(trace: Trace, setting: Setting, rng: Rng) -> Trace:
    digits = 3 - round(float(np.log10(setting.platform.cost_bound)))
    return with_columns(trace, payment=np.round(trace.payment, digits), bid=np.round(trace.bid, digits))


def _in_single_precision(trace: Trace, setting: Setting, rng: Rng) -> Trace:
    money = {name: trace.columns()[name].astype(np.float32).astype(float) for name in ("payment", "bid")}
    return with_columns(trace, **money)


def _with_hits(trace: Trace, setting: Setting, rng: Rng) -> Trace:
    """Answers that are given again, and paid nothing."""
    for row in sorted(rng.integers(60, len(trace), 12).tolist(), reverse=True):
        trace = trace.rows(np.insert(np.arange(len(trace)), row, row - 50))
        trace = _cell("payment", lambda paid, rng: 0.0)(trace, row, rng)
    return trace


def _out_of_order(log: RecordedLog, rng: Rng) -> RecordedLog:
    n = log.setting.n_providers
    order = np.append(np.arange(n), n + rng.permutation(len(log) - n))
    return RecordedLog.of(log.trace.rows(order), log.setting, columns={"number": order.astype(float)})


KINDS: Mapping[str, Kind] = {
    "c_max changes": Kind(
        named="wrong setting", play=_changing(cost_bound=lambda now, rng: now * rng.uniform(1.1, 1.5))
    ),
    "gamma changes": Kind(named="wrong setting", play=_changing(belief_slack=lambda now, rng: now + 0.1)),
    "delta changes": Kind(named="wrong setting", play=_changing(confidence=lambda now, rng: now / 5)),
    "k changes": Kind(named="wrong setting", play=_changing(exploration_scale=lambda now, rng: 2 * now)),
    "q_min changes": Kind(named="wrong setting", play=_changing(quality_threshold=lambda now, rng: now + 0.2)),
    "state lost at a restart": Kind(named="platform restarted", play=_restarting),
    "a provider leaves": Kind(named="provider leaves", play=_leaving),
    "a provider joins": Kind(named="provider joins", play=_joining),
    "a constant number in flight": Kind(
        named="queries in flight", play=_delayed(lambda rng: DelayLaw(most=int(rng.integers(1, 9))))
    ),
    "some in flight": Kind(
        named="queries in flight", play=_delayed(lambda rng: DelayLaw(least=0, most=int(rng.integers(1, 5))))
    ),
    "batches": Kind(named="queries in flight", play=_in_batches),
    "feedback lost": Kind(
        named="feedback lost", play=_delayed(lambda rng: DelayLaw(most=0, lost=float(rng.uniform(0.002, 0.01))))
    ),
    "feedback lost in flight": Kind(
        named="queries in flight; feedback lost",
        play=_delayed(lambda rng: DelayLaw(most=int(rng.integers(1, 5)), lost=float(rng.uniform(0.002, 0.01)))),
    ),
    "a row lost": Kind(named="row missing", at=_ordered(lambda n, row, rng: np.delete(np.arange(n), row))),
    "rows lost": Kind(
        named="row missing; rows missing",
        at=_ordered(lambda n, row, rng: np.delete(np.arange(n), slice(row, row + int(rng.integers(2, 20))))),
    ),
    "a row twice": Kind(named="row duplicated", at=_ordered(lambda n, row, rng: np.insert(np.arange(n), row, row))),
    "rows twice": Kind(
        named="row duplicated",
        at=_ordered(lambda n, row, rng: np.insert(np.arange(n), row + 8, np.arange(row, row + 8))),
    ),
    "neighbours swapped": Kind(named="rows exchanged", at=_ordered(lambda n, row, rng: _swapped(n, row, 1))),
    "rows swapped": Kind(
        named="rows exchanged", at=_ordered(lambda n, row, rng: _swapped(n, row, int(rng.integers(2, 60))))
    ),
    "blocks swapped": Kind(named="rows exchanged", at=_ordered(lambda n, row, rng: _swapped(n, row, 4, 4))),
    "a row late": Kind(
        named="row out of place; rows exchanged",
        at=_ordered(lambda n, row, rng: np.insert(np.delete(np.arange(n), row), row + int(rng.integers(2, 20)), row)),
    ),
    "a foreign row": Kind(named="row too many", at=_with_a_foreign_row),
    "a payment mistyped": Kind(
        named="payment edited", at=_cell("payment", lambda paid, rng: paid * rng.choice([0.1, 0.9, 0.99, 1.01, 10.0]))
    ),
    "a bid mistyped": Kind(
        named="bid edited", at=_cell("bid", lambda bid, rng: bid * rng.choice([0.1, 0.5, 0.9, 1.1, 1.3]))
    ),
    "a score turned over": Kind(named="score edited", at=_cell("score", lambda score, rng: 1 - score)),
    "a row under another name": Kind(named="provider edited", at=_served_by_another),
    "cents from a row on": Kind(named="another unit", whole=_money(lambda rng: float(rng.choice([0.01, 100.0])))),
    "another currency from a row on": Kind(
        named="another currency", whole=_money(lambda rng: round(rng.uniform(0.7, 0.95), 4))
    ),
    "one provider in another currency": Kind(
        named="one provider's money", whole=_money(lambda rng: round(rng.uniform(0.7, 0.95), 4), of_one=True)
    ),
    "payments times a factor": Kind(
        named="payments scaled",
        whole=_paid(lambda paid, bound, rng: paid * float(rng.choice([0.5, 0.9, 1.05, 1.19, 7.0]))),
    ),
    "payments with a fee": Kind(
        named="payments scaled", whole=_paid(lambda paid, bound, rng: paid + bound * float(rng.uniform(0.01, 0.1)))
    ),
    "payments cut off at an amount": Kind(
        named="payments truncated",
        whole=_paid(
            lambda paid, bound, rng: np.minimum(paid, np.quantile(paid[paid < bound], rng.uniform(0.3, 0.8)).round(4))
        ),
    ),
    "payments rounded down": Kind(
        named="payments rounded",
        whole=_paid(lambda paid, bound, rng: np.floor(paid / bound * 100) / 100 * bound, later=False),
    ),
    "money rounded": Kind(named="rounded money; payments rounded", whole=_edited(_rounded)),
    "single precision": Kind(named="single precision", whole=_edited(_in_single_precision)),
    "scores in percent of percent": Kind(named="scores scaled", whole=_scored(0.0, 0.01)),
    "scores clamped": Kind(named="scores scaled", whole=_scored(0.1, 0.9)),
    "names exchanged": Kind(named="names exchanged", whole=_edited(_names)),
    "payment and bid exchanged": Kind(
        named="columns exchanged",
        whole=_edited(lambda trace, setting, rng: with_columns(trace, payment=trace.bid, bid=trace.payment)),
    ),
    "a column shifted": Kind(
        named="column shifted",
        whole=_edited(lambda trace, setting, rng: with_columns(trace, payment=np.roll(trace.payment, 1))),
    ),
    "error rates": Kind(
        named="scores inverted", whole=_edited(lambda trace, setting, rng: with_columns(trace, score=1 - trace.score))
    ),
    "bids that stood": Kind(named="bids before", whole=_edited(_that_stood)),
    "cache hits": Kind(named="rows paid alike", whole=_edited(_with_hits)),
    "out of order": Kind(named="another order", whole=_out_of_order),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A log, and the kinds of accidents that happened to it."""

    log: RecordedLog
    kinds: tuple[str, ...]

    def right(self, found: tuple[Diagnosis, ...]) -> bool:
        """Return whether what is named first happened, and explains nearly all wrong rows."""
        happened = set().union(*(KINDS[kind].names for kind in self.kinds))
        return any(set(named.split(" and ")) <= happened for named in (found[0].cause, *found[0].alike)) and (
            found[0].explains >= EXPLAINED
        )


def _wrong(log: RecordedLog) -> int:
    with np.errstate(all="ignore"):
        return Trial(log).left


def case(seed: int) -> Case:
    """The log of a seed: any accident, and others at places besides; each breaks rules that nothing before it broke."""
    rng = np.random.default_rng(seed)
    number = int(rng.choice(MOST, p=[0.4, 0.25, 0.15, 0.1, 0.1])) + 1
    placed = [name for name, kind in KINDS.items() if kind.at]
    first = rng.choice([*KINDS]).item()
    further = [rng.choice(placed).item() for _ in range(number - 1)]
    while True:
        setting, horizon = market(rng), int(rng.integers(600, 1500))
        found = _happened(setting, horizon, [first, *further], rng)
        if found is not None:
            return Case(log=found, kinds=(first, *further))


def _happened(setting: Setting, horizon: int, kinds: list[str], rng: Rng) -> RecordedLog | None:
    """Return the log to which these accidents happen; None if one of them breaks no rule there."""
    log = RecordedLog.of(simulate(setting, horizon=horizon, seed=_seed(rng)), setting)
    for kind in sorted((KINDS[name] for name in kinds), key=lambda kind: (kind.play is None, kind.at is None)):
        before = _wrong(log)
        for _ in range(_ATTEMPTS):
            after = _edited_by(kind, log, rng)
            if _wrong(after) > before:
                log = after
                break
        else:
            return None
    return log


def _edited_by(kind: Kind, log: RecordedLog, rng: Rng) -> RecordedLog:
    if kind.whole is not None:
        return kind.whole(log, rng)
    if kind.play is not None:
        return RecordedLog.of(kind.play(log.setting, rng, len(log)), log.setting)
    assert kind.at is not None
    return RecordedLog.of(kind.at(log.trace, int(rng.uniform(0.15, 0.9) * len(log)), rng), log.setting)


def wrong_mechanism(seed: int) -> tuple[str, RecordedLog]:
    """The log of a mutant on a random market that breaks a rule, and the mutant's name."""
    rng = np.random.default_rng(seed)
    while True:
        name = rng.choice(SHOWN_IN_LOGS).item()
        # What is no answer is in no log; one of these mutants never answers.
        for _ in range(0 if "answers" in MUTANTS[name].caught_by else _ATTEMPTS):
            setting = market(rng)
            log = RecordedLog.of(played(MUTANTS[name].factory, setting, _seed(rng), 1000), setting)
            if _wrong(log):
                return name, log


#: Of mutants that are another parameter, or begin late: what else is said of them, and as right.
SAID_AS_WELL: Mapping[str, str] = {
    **dict.fromkeys(("GoalWithoutN", "GoalWithoutScale", "GoalInPercent", "NeverExplores"), "exploration_scale = "),
    **dict.fromkeys(("HalvesItsConfidence", "OneSided", "OneProviderMore", "WithoutN"), "confidence = "),
    "BidsReset": "puts c_max for all bids that were left before step",
    "BudgetRunsOut": "0.5 times",
    "CountsWrap": "keeps counts modulo 256",
    "ExcludedForEver": "never lets a provider back that was excluded",
    "ExponentOfTheComplement": "exploration_exponent = ",
    "GoalOfTheLastStep": "t // N for t/N",
    "GoalRoundedDown": "up to g(t - ",
    "InitializationSkips": "the platform decided otherwise once",
    "LateClawback": "0.9 times",
    "LowBidsPaidLess": "pays 0.99 times the right payment",
    "NoCap": "pays P even above c_max",
    "NobodyIsExcluded": "quality_threshold = ",
    "SettlementsDropped": "never came",
    "SlackIgnored": "belief_slack = 0.",
}


def is_named(mutant: str, found: Sequence[Diagnosis]) -> bool:
    """Return whether what a mutant does is said first, or by what explains as much."""
    words = {GALLERY.get(mutant, "").partition(" from step ")[0], SAID_AS_WELL.get(mutant, "")} - {""}
    best = [each.sentence for each in found if each.explains >= max(found[0].explains, EXPLAINED)]
    return any(word in sentence for word in words for sentence in best)


def main(logs: str, kind: str = "accidents") -> None:
    """Print what is named first of each log."""
    for seed in range(int(logs)):
        if kind == "mechanisms":
            happened, log = wrong_mechanism(seed)
            found = diagnose(log)
            fine = is_named(happened, found)
        else:
            made = case(seed)
            happened, found = ", ".join(made.kinds), diagnose(made.log)
            fine = made.right(found)
        named = f"{found[0].kind}: {found[0].named} ({found[0].explains:.3f}): {found[0].sentence}"
        sys.stdout.write(f"{'right' if fine else 'WRONG'} {seed}: {happened} | {named}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
