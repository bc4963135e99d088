"""Uniform draws: exploration on the under-sampled set, and among all providers when nobody is eligible.

The sets are known from the log; a mechanism that misjudges them is another check's business. What is random is the
mechanism's generator alone: its seeds are drawn from the seed of the run, and generators of different seeds are taken
to be independent, as numpy's are by design. A mechanism with a false alarm at one seed has it at that seed for ever.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from types import MappingProxyType
from typing import Any

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.delays import Waiting, arrivals, at_once
from mechanism.rules import Kind
from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.search import LEAST_LEFT, Findings
from proofs_checks.conformance.checks.uniformity import Bet, UniformityTest
from proofs_checks.conformance.descriptions import FALSE_ALARM, SuiteEffort
from proofs_checks.conformance.play.any_mechanism import Answer, AnyMechanism, PlayedInteraction, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.oracle.rule_oracle import RuleOracle, oracle_beside

#: Steps that a source may take for each draw it is to yield: a mechanism that never draws must come to an end.
_STEPS_PER_DRAW = 6
#: After so many queries a provider's scores and bids come again: many enough to show no pattern.
_PERIOD = 61

#: Steps that are played in one request.
_AT_A_TIME = 40

#: g(t) beyond any selection count: every step explores among all who are eligible.
_ALWAYS = 1e6
_SCORES = (0.0, 1.0, 0.5, 1.0, 0.25)
_POOR = (0.0, 0.25, 0.1)


#: Ends of scripts: who served, over the steps of one interaction or over the seeds of many.
_COUNT_STEPS = """
mechanism = factory(config, np.random.default_rng(seed))
served = []
for score, bid in history:
    served.append(mechanism.assign()[0])
    mechanism.settle(score, bid)
print("served so far:", {i: served.count(i) for i in range(config.n_providers)})
pairs = list(zip(served, served[1:]))
print("one after the other:", {pair: pairs.count(pair) for pair in sorted(set(pairs))})
"""
_COUNT_SEEDS = """
served = []
for other in range(1000):
    mechanism = factory(config, np.random.default_rng(other))
    for score, bid in history:
        mechanism.assign()
        mechanism.settle(score, bid)
    served.append(mechanism.assign()[0])
print("with 1,000 seeds serve at this step:", {i: served.count(i) for i in range(config.n_providers)})
"""


@dataclass(frozen=True, kw_only=True)
class DrawSource:
    """Where draws come from: a mechanism left running, or many fresh ones; failures call it by its name."""

    name: str
    config: MechanismConfig
    kind: Kind = "exploration"
    #: Of the draws of the check.
    share: float
    #: What each provider's queries score at random.
    scores: tuple[tuple[float, ...], ...]
    #: Steps of each fresh mechanism; None for one that is left running.
    horizon: int | None = None

    def within(self, domain: Domain) -> DrawSource | None:
        """Return the source inside a domain; None where it has another number of providers."""
        config = domain.config(self.config)
        if config.n_providers != self.config.n_providers:
            return None
        scores = tuple(tuple(domain.score(score) for score in own) for own in self.scores)
        return replace(self, config=config, scores=scores)


_FRESH = ", one fresh mechanism after another"


def _all(n: int, share: float) -> DrawSource:
    config = usual_config(n_providers=n, exploration_scale=_ALWAYS)
    return DrawSource(name=f"{n} providers, all under-sampled", config=config, share=share, scores=(_SCORES,) * n)


def _none(n: int, share: float, horizon: int | None = None) -> DrawSource:
    # A mean score of 0.25 and less is below the threshold 1 once beta(m) < 0.75.
    config = usual_config(n_providers=n, quality_threshold=1.0, confidence=0.99)
    name = f"{n} providers, none eligible{'' if horizon is None else _FRESH}"
    scores = (_POOR,) * n if horizon is None else ((0.0,),) * n
    return DrawSource(name=name, config=config, kind="empty", share=share, scores=scores, horizon=horizon)


def _shrinking(n: int, share: float) -> DrawSource:
    # 1 < g(t) <= 2 in the second N steps, so that those who have not served twice are drawn one after another.
    config = usual_config(n_providers=n, exploration_scale=1.4, exploration_exponent=0.05)
    name = f"{n} providers, those under-sampled who have served once{_FRESH}"
    return DrawSource(name=name, config=config, share=share, scores=(_SCORES,) * n, horizon=2 * n)


#: Draws of exploration steps: sets of every size, strict subsets of the eligible providers and of all.
EXPLORATION_SOURCES = (
    *(_shrinking(n, share) for n, share in ((3, 0.1), (5, 0.15))),
    *(_all(n, share) for n, share in ((2, 0.08), (3, 0.12), (4, 0.14), (5, 0.21))),
    DrawSource(
        name="5 providers, 3 of them under-sampled and 2 not eligible",
        config=usual_config(n_providers=5, quality_threshold=1.0, confidence=0.99, exploration_scale=_ALWAYS),
        share=0.1,
        scores=((0.0,), (1.0,), (1.0,), (0.0,), (1.0,)),
    ),
    DrawSource(
        name=f"4 providers, those under-sampled who have served less than the others{_FRESH}",
        # g(t) near the mean selection count: sets of every size, of whoever has served less than the others.
        config=usual_config(n_providers=4, exploration_scale=1.5, exploration_exponent=0.9),
        share=0.1,
        scores=(_SCORES,) * 4,
        horizon=200,
    ),
)

#: Draws among all providers with nobody eligible.
EMPTY_SOURCES = (
    *(_none(2, 0.12, horizon=8), _none(3, 0.18, horizon=15)),
    *(_none(n, share) for n, share in ((2, 0.12), (3, 0.16), (4, 0.2), (5, 0.22))),
)


#: Providers that are suspected by name: no source of draws has more.
MOST_PROVIDERS = 5


class Past:
    """What happened in an interaction before a draw: all that a suspicion may look at.

    `before` says of each step who was drawn there by the mechanism that was played before this one.

    Examples
    --------
    >>> past = Past(MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5), {})
    >>> past.settle(1, score=1.0, bid=0.25)
    >>> past.counts, past.high, past.last
    ([0, 1], True, -1)
    """

    def __init__(self, config: MechanismConfig, before: Mapping[int, int]) -> None:
        n = config.n_providers
        self.before = before
        self.step = 1
        self.counts, self.bids, self.score_sums = [0] * n, [0.0] * n, [0.0] * n
        #: 0 for a provider of which nothing has arrived.
        self.mean_scores = [0.0] * n
        self.drawn_at: dict[int, int] = {}
        #: Who was drawn last, and before that; -1 for nobody.
        self.last = self.before_last = -1
        #: Whether the last score is at the mean of all scores or above.
        self.high = False

    def settle(self, provider: int, score: float, bid: float) -> None:
        """Take score and bid of a step, as they arrive."""
        self.counts[provider] += 1
        self.bids[provider] = bid
        self.score_sums[provider] += score
        self.mean_scores[provider] = self.score_sums[provider] / self.counts[provider]
        self.high = score * self.step >= sum(self.score_sums)
        self.step += 1

    def draw(self, step: int, provider: int) -> None:
        """Take a draw, after the suspicions were asked."""
        self.last, self.before_last = provider, self.last
        self.drawn_at[step] = provider


Members = tuple[int, ...]
#: From the past and the set, in increasing order, to the members that are named.
_Suspect = Callable[[Past, Members], Members]


def _this(provider: int, members: Members) -> Members:
    return (provider,) if provider in members else ()


def _always(provider: int) -> _Suspect:
    return lambda past, members: _this(provider, members)


def _upwards(past: Past, members: Members) -> Members:
    """Return the next member in a circle, seen from the provider drawn last."""
    return (next((i for i in members if i > past.last), members[0]),)


def _downwards(past: Past, members: Members) -> Members:
    return (next((i for i in reversed(members) if i < past.last), members[-1]),)


def _half_by_score(past: Past, members: Members) -> Members:
    half = len(members) // 2
    return members[:half] if past.high else members[half:]


def _last_after_high(past: Past, members: Members) -> Members:
    last = _this(past.last, members)
    return last if past.high or not last else tuple(i for i in members if i != past.last)


def _extreme(best: Callable[[Iterable[float]], float], known: str) -> _Suspect:
    """Return what names all members of whom the least is known, or the most."""

    def suspect(past: Past, members: Members) -> Members:
        by_provider = getattr(past, known)
        extreme = best([by_provider[i] for i in members])
        return tuple([i for i in members if by_provider[i] == extreme])

    return suspect


#: What is said of the members that a suspicion names, as the subject of "was drawn so many times".
SUSPICIONS: Mapping[str, _Suspect] = MappingProxyType(
    {
        **{f"provider {i}": _always(i) for i in range(MOST_PROVIDERS)},
        "the provider of the lowest index in the set": lambda past, members: members[:1],
        "the provider of the highest index in the set": lambda past, members: members[-1:],
        "one of the lower half of the set, by index,": lambda past, members: members[: len(members) // 2],
        "the provider drawn just before": lambda past, members: _this(past.last, members),
        "the provider drawn two draws before": lambda past, members: _this(past.before_last, members),
        "the next provider in turn, upwards by index,": _upwards,
        "the next provider in turn, downwards by index,": _downwards,
        "after a high score one of the lower half by index, else one of the upper half,": _half_by_score,
        "after a high score the provider drawn just before, else another one,": _last_after_high,
        "one of those who have served least often": _extreme(min, "counts"),
        "one of those who have served most often": _extreme(max, "counts"),
        "one of those with the lowest standing bid": _extreme(min, "bids"),
        "one of those with the highest standing bid": _extreme(max, "bids"),
        "one of those with the best mean score": _extreme(max, "mean_scores"),
        "one of those with the worst mean score": _extreme(min, "mean_scores"),
        "the provider that an instance with another seed drew at the same step": lambda past, members: _this(
            past.before.get(past.step, -1), members
        ),
    }
)


def bets(past: Past, members: Members, drawn: int) -> Iterator[Bet]:
    """Yield how the suspicions bet on a draw; one that names no member or all does not bet."""
    for name, suspect in SUSPICIONS.items():
        named = suspect(past, members)
        if 0 < len(named) < len(members):
            yield name, (len(members), len(named), drawn in named)


@dataclass(kw_only=True)
class _DrawTest:
    """One run of a check: the test, and the interaction that is being played."""

    subject: AnySubject
    random: np.random.Generator
    test: UniformityTest
    interactions: int = 0
    seed: int = 0
    settlements: list[tuple[float, float]] = field(default_factory=list)
    providers: list[int] = field(default_factory=list)

    def draw_from(self, source: DrawSource, draws: int) -> bool:
        """Play a source until it has yielded its draws; return whether the test rejects before."""
        steps, goal = _STEPS_PER_DRAW * draws + 100, self.test.draws + draws
        before: Mapping[int, int] = {}
        while steps > 0 and self.test.draws < goal and not self.subject.is_late:
            past = Past(source.config, before)
            for _ in self._steps(source, past):
                steps -= 1
                if self.test.due() and self.test.rejected():
                    return True
                if steps == 0 or self.test.draws == goal or self.subject.is_late:
                    break
            before = past.drawn_at
        return self.test.rejected()

    def _steps(self, source: DrawSource, past: Past) -> Iterator[None]:
        """Play one interaction, step by step; every step that draws is handed to the test."""
        self.interactions, self.settlements, self.providers = self.interactions + 1, [], []
        self.seed = int(self.random.integers(2**32))
        oracle = oracle_beside(source.config, self.seed, self.subject.in_flight)
        answers, law = self._answers(source), self.subject.in_flight
        # A mechanism knows of a step what has arrived: so does what is suspected of it.
        heard = Waiting[tuple[int, float, float]](at_once if law is None else arrivals(law, self.seed))
        mechanism = self.subject.start(source.config, self.seed)
        while source.horizon is None or oracle.step <= source.horizon:
            steps = _AT_A_TIME if source.horizon is None else min(source.horizon - oracle.step + 1, _AT_A_TIME)
            # What a query yields depends on its provider alone: several steps are played at a time.
            yields = [[*islice(cycle(own), steps)] for own in answers]
            for provider, _ in self._served(mechanism, source, yields, steps):
                self._look(source, oracle, past, provider)
                yield
                score, bid = answers[provider][0]
                answers[provider].rotate(-1)  # the next one
                self.settlements.append((score, bid))
                self.providers.append(provider)
                oracle.settle(provider, score, bid)
                heard.add(len(self.providers), (provider, score, bid))
                for _, outcome in heard.arrived(len(self.providers)):
                    past.settle(*outcome)

    def _served(
        self, mechanism: AnyMechanism, source: DrawSource, yields: list[list[Settlement]], steps: int
    ) -> Iterator[Answer]:
        """Yield the answers of some steps; where the mechanism fails in one, those before it, played once more."""
        try:
            yield from mechanism.serve(yields, steps)
        except MechanismError:
            again = self.subject.start(source.config, self.seed)
            again.replay(self.settlements)
            left = [iter(own) for own in yields]
            for _ in range(steps):
                yield (answer := again.assign())
                again.settle(*next(left[answer[0]]))
                again.finish()
            raise

    def _look(self, source: DrawSource, oracle: RuleOracle, past: Past, provider: int) -> None:
        decisions = oracle.decisions()
        if len(decisions) != 1 or decisions[0].kind != source.kind:
            return
        members = decisions[0].providers
        if provider not in members or len(members) < 2:
            return
        self.test.observe(source.name, bets(past, members, provider))
        past.draw(oracle.step, provider)

    def _answers(self, source: DrawSource) -> list[deque[Settlement]]:
        """Return what each provider's queries score and leave as bids: fixed before a draw, repeated when used up."""
        length, bound = min(source.horizon or _PERIOD, _PERIOD), source.config.cost_bound

        def drawn(possible: tuple[float, ...]) -> deque[Settlement]:
            scores = [possible[i] for i in self.random.integers(len(possible), size=length).tolist()]
            return deque(zip(scores, (self.random.random(length) * bound).tolist(), strict=True))

        return [drawn(possible) for possible in source.scores]

    def failure(self, source: DrawSource, message: str, **details: Any) -> Failure:
        """Return a failure at the step that was played last; details are further fields of `Failure`."""
        history = tuple(self.settlements), tuple(self.providers)
        played = PlayedInteraction(source.config, self.seed, *history, self.subject.in_flight)
        return Failure(**vars(played), message=message, **details)

    def rejection(self, source: DrawSource) -> Failure:
        """Return what the test says of the mechanism."""
        seen = self.test.suspicion()
        message = (
            f"in {seen.draws:,} draws ({seen.where or 'all settings together'}), {seen.name} was drawn "
            f"{seen.hits:,} times, where about {seen.expected:,.1f} are expected; fair draws are so uneven with "
            f"probability below {seen.probability:.1g}"
        )
        expected = {"draws": seen.draws, "times": round(seen.expected, 3)}
        found = {"who": seen.name, "draws": seen.draws, "times": seen.hits, "interactions": self.interactions}
        ending = _COUNT_STEPS if source.horizon is None else _COUNT_SEEDS
        return self.failure(source, message, expected=expected, found=found, ending=ending)


def _uniform(name: str, sources: tuple[DrawSource, ...]) -> Run:
    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        test = UniformityTest([*SUSPICIONS], [source.name for source in sources], FALSE_ALARM)
        random = np.random.default_rng([zlib.crc32(name.encode()), seed])
        state = _DrawTest(subject=subject, random=random, test=test)
        within = (source.within(subject.domain) for source in sources)
        findings, inside = Findings(subject), [source for source in within if source is not None]
        for place, source in enumerate(inside):
            state.subject = subject.with_part(len(inside) - place)
            try:
                if state.draw_from(source, round(source.share * effort.draws)):
                    findings.failure = state.rejection(source)
            except MechanismError as error:
                # The source is left: what it yielded so far counts, since the test looks whenever it likes.
                if not findings.passes_over(error):
                    findings.failure = state.failure(source, error.message, misbehaviour=error.kind)
            if findings.failure is not None:
                break
        findings.examples = state.interactions - findings.discarded
        findings.compared = max(test.draws, findings.failure is not None)
        too_little = findings.discarded > 0 and test.draws < LEAST_LEFT * effort.draws
        return replace(findings.outcome(state.interactions), too_little=too_little)

    return run


DRAW_CHECKS = (
    check_of("exploration-draw", _uniform("exploration-draw", EXPLORATION_SOURCES)),
    check_of("empty-draw", _uniform("empty-draw", EMPTY_SOURCES)),
)
