"""Uniform draws: exploration on the under-sampled set, and among all providers when nobody is eligible.

The sets are known from the log; a mechanism that misjudges them is another check's business. What is random is the
mechanism's generator alone: its seeds are drawn from the seed of the run, and generators of different seeds are taken
to be independent, as numpy's are by design. A mechanism with a false alarm at one seed has it at that seed for ever.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.rules import Kind
from proofs_checks.conformance.check import Check, Effort, Outcome
from proofs_checks.conformance.checks.suspicions import SUSPICIONS, Past
from proofs_checks.conformance.checks.uniformity import UniformityTest
from proofs_checks.conformance.play.subject import MechanismError, Subject
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.strategies.scenarios import NO_EXPLORATION
from proofs_checks.oracle.rule_oracle import RuleOracle

#: Bound on the probability that a right mechanism fails a run of one of the checks.
FALSE_ALARM = 2e-7
#: Steps that a stream may take for each draw it is to yield: a mechanism that never draws must come to an end.
_STEPS_PER_DRAW = 6
#: After so many queries a provider's scores and bids come again: many enough to show no pattern.
_PERIOD = 61

#: g(t) beyond any selection count: every step explores among all who are eligible.
_ALWAYS = 1e6
#: 1 < g(t) <= 2 in the second N steps, so that those who have not served twice are drawn one after another.
_TWICE = (1.4, 0.05)
#: g(t) near the mean selection count: sets of every size, of whoever has served less than the others.
_NEAR_THE_MEAN = (1.5, 0.9)

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


@dataclass(frozen=True)
class Stream:
    """Where draws come from: a mechanism left running, or many fresh ones.

    Parameters
    ----------
    name : str
        As failures call it.
    config : MechanismConfig
    kind : {"exploration", "empty"}
    share : float
        Of the draws of the check.
    scores : tuple of tuples of float
        What each provider's queries score at random.
    horizon : int or None
        Steps of each fresh mechanism; None for one that is left running.
    """

    name: str
    config: MechanismConfig
    kind: Kind
    share: float
    scores: tuple[tuple[float, ...], ...]
    horizon: int | None = None


_FRESH = ", one fresh mechanism after another"


def _all(n: int, share: float) -> Stream:
    config = MechanismConfig(n, 0.0, 0.05, 1.0, _ALWAYS, 0.5)
    return Stream(f"{n} providers, all under-sampled", config, "exploration", share, (_SCORES,) * n)


def _none(n: int, share: float, horizon: int | None = None) -> Stream:
    # A mean score of 0.25 and less is below the threshold 1 once beta(m) < 0.75.
    config = MechanismConfig(n, 1.0, 0.99, 1.0, NO_EXPLORATION, 0.5)
    fresh = "" if horizon is None else _FRESH
    scores = (_POOR,) * n if horizon is None else ((0.0,),) * n
    return Stream(f"{n} providers, none eligible{fresh}", config, "empty", share, scores, horizon)


def _shrinking(n: int, share: float) -> Stream:
    config = MechanismConfig(n, 0.0, 0.05, 1.0, *_TWICE)
    name = f"{n} providers, those under-sampled who have served once{_FRESH}"
    return Stream(name, config, "exploration", share, (_SCORES,) * n, 2 * n)


#: Draws of exploration steps: sets of every size, strict subsets of the eligible providers and of all.
EXPLORATION_STREAMS = (
    _shrinking(3, 0.1),
    _shrinking(5, 0.15),
    _all(2, 0.08),
    _all(3, 0.12),
    _all(4, 0.14),
    _all(5, 0.21),
    Stream(
        "5 providers, 3 of them under-sampled and 2 not eligible",
        MechanismConfig(5, 1.0, 0.99, 1.0, _ALWAYS, 0.5),
        "exploration",
        0.1,
        ((0.0,), (1.0,), (1.0,), (0.0,), (1.0,)),
    ),
    Stream(
        f"4 providers, those under-sampled who have served less than the others{_FRESH}",
        MechanismConfig(4, 0.0, 0.05, 1.0, *_NEAR_THE_MEAN),
        "exploration",
        0.1,
        (_SCORES,) * 4,
        horizon=200,
    ),
)

#: Draws among all providers with nobody eligible.
EMPTY_STREAMS = (
    _none(2, 0.12, horizon=8),
    _none(3, 0.18, horizon=15),
    _none(2, 0.12),
    _none(3, 0.16),
    _none(4, 0.2),
    _none(5, 0.22),
)


@dataclass
class _Run:
    """One run of a check: the test, and the interaction that is being played."""

    subject: Subject
    random: np.random.Generator
    test: UniformityTest
    interactions: int = 0
    seed: int = 0
    settlements: list[tuple[float, float]] = field(default_factory=list)
    providers: list[int] = field(default_factory=list)

    def play(self, stream: Stream, draws: int) -> bool:
        """Play a stream until it has yielded its draws; return whether the test rejects before."""
        steps, goal = _STEPS_PER_DRAW * draws + 100, self.test.draws + draws
        before: Mapping[int, int] = {}
        while steps > 0 and self.test.draws < goal:
            past = Past(stream.config, before)
            for _ in self._steps(stream, past):
                steps -= 1
                if self.test.due() and self.test.rejected():
                    return True
                if steps == 0 or self.test.draws == goal:
                    break
            before = past.drawn_at
        return self.test.rejected()

    def _steps(self, stream: Stream, past: Past) -> Iterator[None]:
        """Play one interaction, step by step; every step that draws is handed to the test."""
        self.interactions, self.settlements, self.providers = self.interactions + 1, [], []
        self.seed = int(self.random.integers(2**32))
        shadow, answers = RuleOracle(stream.config), self._answers(stream)
        mechanism = self.subject.start(stream.config, self.seed)
        while stream.horizon is None or shadow.step <= stream.horizon:
            provider, _ = mechanism.assign()
            self._look(stream, shadow, past, provider)
            yield
            score, bid = next(answers[provider])
            self.settlements.append((score, bid))
            self.providers.append(provider)
            mechanism.settle(score, bid)
            shadow.settle(provider, score, bid)
            past.settle(provider, score, bid)

    def _look(self, stream: Stream, shadow: RuleOracle, past: Past, provider: int) -> None:
        decisions = shadow.decisions()
        if len(decisions) != 1 or decisions[0].kind != stream.kind:
            return
        members = decisions[0].providers
        if provider not in members or len(members) < 2:
            return
        named = {name: members_of(past, members) for name, members_of in SUSPICIONS.items()}
        betting = {name: len(chosen) for name, chosen in named.items() if 0 < len(chosen) < len(members)}
        hits = {name for name in betting if provider in named[name]}
        self.test.observe(stream.name, size=len(members), named=betting, hits=hits)
        past.draw(shadow.step, provider)

    def _answers(self, stream: Stream) -> list[Iterator[tuple[float, float]]]:
        """Return what each provider's queries score and leave as bids: fixed before a draw, repeated when used up."""

        length, bound = min(stream.horizon or _PERIOD, _PERIOD), stream.config.cost_bound

        def drawn(possible: tuple[float, ...]) -> list[tuple[float, float]]:
            scores = [possible[i] for i in self.random.integers(len(possible), size=length).tolist()]
            return list(zip(scores, (self.random.random(length) * bound).tolist(), strict=True))

        return [cycle(drawn(possible)) for possible in stream.scores]

    def failure(self, stream: Stream, message: str) -> Failure:
        """Return a failure at the step that was played last."""
        return Failure(message, stream.config, self.seed, tuple(self.settlements), tuple(self.providers))

    def rejection(self, stream: Stream) -> Failure:
        """Return what the test says of the mechanism."""
        seen = self.test.suspicion()
        message = (
            f"in {seen.draws:,} draws ({seen.where or 'all settings together'}), {seen.name} was drawn "
            f"{seen.hits:,} times; fair draws do so about {seen.expected:,.1f} times, and are so uneven with "
            f"probability below {seen.probability:.1g}"
        )
        return replace(
            self.failure(stream, message),
            expected={"draws": seen.draws, "times": round(seen.expected, 3)},
            found={"who": seen.name, "draws": seen.draws, "times": seen.hits, "interactions": self.interactions},
            ending=_COUNT_STEPS if stream.horizon is None else _COUNT_SEEDS,
        )


def _uniform(name: str, streams: tuple[Stream, ...]) -> Callable[[Subject, int, Effort], Outcome]:
    def run(subject: Subject, seed: int, effort: Effort) -> Outcome:
        test = UniformityTest(list(SUSPICIONS), [stream.name for stream in streams], FALSE_ALARM)
        state = _Run(subject, np.random.default_rng([zlib.crc32(name.encode()), seed]), test)
        failure = None
        for stream in streams:
            try:
                if state.play(stream, round(stream.share * effort.draws)):
                    failure = state.rejection(stream)
            except MechanismError as error:
                failure = replace(state.failure(stream, error.message), misbehaviour=error.kind)
            if failure is not None:
                break
        return Outcome(state.interactions, max(test.draws, failure is not None), failure)

    return run


_POWER = (
    "with probability 0.99 and more it finds one of 2, 3, 4 or 5 drawn with 1.25, 1.3, 1.35 or 1.4 times its share "
    "(1.5, 1.6, 1.7 or 1.8 times with --quick), in the long run of that set alone"
)

DRAW_CHECKS = (
    Check(
        "exploration-draw",
        "eq:allocation",
        "rules",
        "a step that explores draws uniformly from the under-sampled eligible providers, whatever came before",
        _uniform("exploration-draw", EXPLORATION_STREAMS),
        FALSE_ALARM,
        _POWER,
    ),
    Check(
        "empty-draw",
        "alg:platform",
        "rules",
        "with nobody eligible the draw is uniform among all providers, whatever came before",
        _uniform("empty-draw", EMPTY_STREAMS),
        FALSE_ALARM,
        _POWER,
    ),
)
