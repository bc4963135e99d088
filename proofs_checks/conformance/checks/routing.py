"""What any router should do in the long run, with payments or without: go on looking, find the best, avoid the poor.

Nothing here knows the rules of the paper. A router serves a market of `STEPS` queries, and only who serves is judged.
Scores of 0 and 1 come as evenly as their mean allows, so that every mean stays within its confidence band: the good
event holds. What `descriptions` states of chance follows from the binomial distribution, for routers that draw at
random.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.checks.check import Check, Run, check_of
from proofs_checks.conformance.checks.search import Enough, Findings, seed_of
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_mechanism import PlayedInteraction, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.errors import COSTLY, MechanismError
from proofs_checks.conformance.play.late_feedback import losing, overtaking
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckOutcome

#: Queries of a run, and those after which a router has had the time to learn.
STEPS, LEARNED = 2_000, 1_000
#: Queries that are asked for in one request.
_AT_ONCE = 100
#: The share of the later queries that providers below the threshold may serve.
POOR_SHARE = 0.25
#: Numbers of providers, in turn; and a run for so many examples of an effort.
_SIZES, _EXAMPLES_PER_RUN = (2, 3, 4), 4
#: A threshold outside this range leaves no provider on either side of it.
_THRESHOLDS = (0.01, 0.95)


@dataclass(frozen=True)
class Yields:
    """What the queries of a provider yield: a first score, then scores of 0 and 1 with a mean; always the same bid.

    As many scores as `alike` says are equal, one after the other.

    Examples
    --------
    >>> Yields(1.0, 0.25, 0.5).first_few(6)
    [(1.0, 0.5), (0.0, 0.5), (0.0, 0.5), (1.0, 0.5), (0.0, 0.5), (0.0, 0.5)]
    """

    first: float
    mean: float
    bid: float
    alike: int = 1

    def first_few(self, count: int) -> list[Settlement]:
        """Return score and bid of the first queries."""
        groups = (k // self.alike for k in range(1, count))
        even = [float(math.floor((k + 1) * self.mean) - math.floor(k * self.mean)) for k in groups]
        return [(score, self.bid) for score in [self.first, *even]]


@dataclass(frozen=True)
class Market:
    """What a router is configured with, and the providers it chooses from; `good` ones meet the threshold."""

    config: MechanismConfig
    providers: tuple[Yields, ...]
    good: frozenset[int]


@dataclass(frozen=True)
class Wrong:
    """What a router does wrong in a run: a message, what was expected and found, and what should hold, as Python."""

    message: str
    expected: str
    found: float
    law: str


#: From a configuration and providers that are to stand out to a market.
_Make = Callable[[MechanismConfig, Sequence[int]], Market]
#: From a market and who served, step by step, to what is wrong, if anything is.
_Judge = Callable[[Market, Sequence[int]], Wrong | None]


def _market(config: MechanismConfig, good: Sequence[int], of_good: Yields, of_poor: Yields) -> Market:
    return Market(config, tuple(of_good if i in good else of_poor for i in range(config.n_providers)), frozenset(good))


def _all_poor(config: MechanismConfig, lucky: Sequence[int]) -> Market:
    """Return a market in which nobody meets the threshold, though the first scores of some are 1."""
    mean, bid = config.quality_threshold / 2, config.cost_bound / 2
    return replace(_market(config, lucky, Yields(1.0, mean, bid), Yields(0.0, mean, bid)), good=frozenset())


def _unlucky_best(config: MechanismConfig, good: Sequence[int]) -> Market:
    """Return a market in which first scores point to the wrong providers."""
    mean, bid = config.quality_threshold / 2, config.cost_bound / 2
    return _market(config, good, Yields(0.0, 1.0, bid), Yields(1.0, mean, bid))


def _failing_best(config: MechanismConfig, good: Sequence[int]) -> Market:
    """Return the same market, but that the best ones fail three times in a row now and then."""
    mean, bid = config.quality_threshold / 2, config.cost_bound / 2
    return _market(config, good, Yields(0.0, mean + 0.5, bid, alike=3), Yields(1.0, mean, bid))


def _cheap_poor(config: MechanismConfig, good: Sequence[int]) -> Market:
    """Return a market in which the providers below the threshold bid 0."""
    mean, bid = config.quality_threshold / 2, config.cost_bound / 2
    return _market(config, good, Yields(1.0, 1.0, bid), Yields(0.0, mean, 0.0))


def _explores(market: Market, served: Sequence[int]) -> Wrong | None:
    counts = Counter(served)
    for i in range(market.config.n_providers):
        if counts[i] < 2:
            serves = "serves once" if counts[i] else "never serves"
            message = f"provider {i} {serves} in {len(served):,} queries, though no other meets the threshold"
            return Wrong(message, "at least 2", counts[i], f"served.count({i}) >= 2")
    return None


def _finds_the_best(market: Market, served: Sequence[int]) -> Wrong | None:
    later, best = served[LEARNED:], sorted(market.good)
    least = len(best) * len(later) / (2 * market.config.n_providers)
    found = sum(i in market.good for i in later)
    if found >= least:
        return None
    message = (
        f"only {_named(best)} can meet the threshold, but {found:,} of the last {len(later):,} queries go there; half "
        f"the fair share is {least:,.0f}"
    )
    law = f"sum(i in {best!r} for i in served[{LEARNED}:]) >= {least!r}"
    return Wrong(message, f"at least {least:g}", found, law)


def _avoids_the_poor(market: Market, served: Sequence[int]) -> Wrong | None:
    later, poor = served[LEARNED:], [i for i in range(market.config.n_providers) if i not in market.good]
    most, found = POOR_SHARE * len(later), sum(i in poor for i in later)
    if found <= most:
        return None
    message = (
        f"{found:,} of the last {len(later):,} queries go to {_named(poor)}, with mean scores of "
        f"{market.providers[poor[0]].mean:g} below q_min = {market.config.quality_threshold:g} and bids of 0, though "
        f"{_named(sorted(market.good))} would do"
    )
    return Wrong(message, f"at most {most:g}", found, f"sum(i in {poor!r} for i in served[{LEARNED}:]) <= {most!r}")


def _named(providers: Sequence[int]) -> str:
    return f"provider{'s' * (len(providers) > 1)} {', '.join(map(str, providers))}"


def _market_of(make: _Make, domain: Domain, number: int) -> Market | None:
    """Return the market of a run within a domain; None if all providers are on one side of its threshold."""
    config = domain.config(usual_config(n_providers=_SIZES[number % len(_SIZES)], quality_threshold=0.75))
    n, good = config.n_providers, max(1, domain.least_eligible)
    if not _THRESHOLDS[0] <= config.quality_threshold <= _THRESHOLDS[1] or good >= n:
        return None
    return make(config, [(number + k) % n for k in range(good)])


def _served(subject: AnySubject, market: Market, seed: int) -> list[int]:
    """Let a router serve a market, and return who served, step by step; a run that is late ends the check."""
    mechanism, served = subject.start(market.config, seed), list[int]()
    left = [own.first_few(STEPS) for own in market.providers]
    while len(served) < STEPS:
        if subject.is_late:
            raise Enough
        answers = mechanism.serve([own[:_AT_ONCE] for own in left], _AT_ONCE)
        counts = Counter(provider for provider, _ in answers)
        left = [own[counts[i] :] for i, own in enumerate(left)]
        served += [provider for provider, _ in answers]
    mechanism.finish()
    return served


def _examine(subject: AnySubject, market: Market, seed: int, judge: _Judge, findings: Findings) -> None:
    """Let a router serve a market and judge it; an error that another check has reported ends the run."""
    try:
        served = _served(subject, market, seed)
    except MechanismError as error:
        findings.examples += not error.is_outside
        if not findings.passes_over(error):
            served = [] if error.kind in COSTLY else _answered(subject, market, seed)
            found: dict[str, Any] = {"message": error.message, "misbehaviour": error.kind}
            findings.take(Failure(**vars(_played(subject, market, seed, served)), **found))
        return
    findings.examples += 1
    findings.compared += STEPS
    if (wrong := judge(market, served)) is not None:
        findings.take(_failure(subject, market, seed, served, wrong))


def _answered(subject: AnySubject, market: Market, seed: int) -> list[int]:
    """Return who serves until a router that fails to answer does so, one step at a time."""
    served, left = list[int](), [iter(own.first_few(STEPS)) for own in market.providers]
    with contextlib.suppress(MechanismError):
        mechanism = subject.start(market.config, seed)
        while len(served) < STEPS:
            provider, _ = mechanism.assign()
            served.append(provider)
            mechanism.settle(*next(left[provider]))
    return served


def _played(subject: AnySubject, market: Market, seed: int, served: Sequence[int]) -> PlayedInteraction:
    left = [iter(own.first_few(STEPS)) for own in market.providers]
    return PlayedInteraction(
        market.config, seed, tuple(next(left[i]) for i in served), tuple(served), subject.in_flight
    )


def _failure(subject: AnySubject, market: Market, seed: int, served: Sequence[int], wrong: Wrong) -> Failure:
    played = _played(subject, market, seed, served).until(STEPS)
    late = "" if subject.in_flight is None else f", with queries in flight ({subject.in_flight})"
    providers = [(own.first, own.mean, own.bid, own.alike) for own in market.providers]
    return Failure(
        **vars(played),
        message=f"{wrong.message}{late}",
        expected=wrong.expected,
        found=float(wrong.found),
        ending=_ENDING.format(providers=providers, steps=STEPS, law=wrong.law),
    )


def _running(make: _Make, judge: _Judge, *laws: Callable[[DelayLaw], DelayLaw]) -> Run:
    """Return the run of a check that lets a router serve some markets; with laws, each under feedback so late."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        findings, runs = Findings(subject), max(len(_SIZES), effort.examples // _EXAMPLES_PER_RUN)
        base = DelayLaw(most=0) if subject.in_flight is None else subject.in_flight
        played = [subject.played(in_flight=law(base)) for law in laws] or [subject]
        with contextlib.suppress(Enough):
            for number in range(runs):
                market = _market_of(make, subject.domain, number)
                if market is not None:
                    for each in played:
                        _examine(each, market, seed_of(seed, f"{make.__name__} {number}"), judge, findings)
                if findings.failure is not None:
                    break
        return findings.outcome(planned=runs * len(played))

    return run


_ENDING = """
# A run of {steps:,} queries. Of each provider: its first score, the mean of the others, its bid, how many are alike.
yields = {providers!r}
mechanism = factory(config, np.random.default_rng(seed))
served = []
for step in range({steps}):
    provider, payment = mechanism.assign()
    (first, mean, bid, alike), count = yields[provider], served.count(provider)
    k = count // alike
    mechanism.settle(float((k + 1) * mean // 1 - k * mean // 1) if count else first, bid)
    served.append(int(provider))
print("queries served:", [served.count(i) for i in range(config.n_providers)])
assert {law}
"""

ROUTING_CHECKS: tuple[Check, ...] = (
    check_of("continued-exploration", _running(_all_poor, _explores)),
    check_of("best-provider", _running(_failing_best, _finds_the_best)),
    check_of("quality-threshold", _running(_cheap_poor, _avoids_the_poor)),
    check_of("feedback-recovery", _running(_unlucky_best, _finds_the_best, overtaking, losing)),
)
