"""Episodes of all kinds, drawn by Hypothesis, and what it means that a compiled one equals a plain one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numba as nb
import numpy as np
from hypothesis import strategies as st

from bounds.setting.model import Provider, Setting
from costproof import strategies
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.market import AnsweringProvider, AnswerLaws
from mechanism.bidding import (
    BayesianBidder,
    Bidder,
    BidderFactory,
    DeviatingBidder,
    Deviation,
    FixedBidder,
    TruthfulBidder,
)
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import OutcomeLaws, simulate
from mechanism.market.market import LawOptions, MarketLaws, ProviderLaws, provider_laws
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.policies import POLICIES
from mechanism.trace import Trace

BASES = ("truthful", "bayesian", "weak prior", "no prior", "zero", "half", "bound")
PATTERNS: tuple[Deviation | None, ...] = (None, "random", "under", "over", "extremes")
SCORE_LAWS = ("bernoulli", "beta", "two-point", "point-mass")
COST_LAWS = ("auto", "lattice", "two-point", "point-mass")
#: Totals that count something; the others are sums of floats, whose order of summation may differ.
COUNTS = (
    (ProviderField.SELECTIONS, ProviderField.EXPLORATIONS, ProviderField.ORDINARY, ProviderField.LAST_SELECTION),
    (RunField.ELIGIBLE, RunField.BAND_VIOLATIONS, RunField.PAYMENT_VIOLATIONS),
)


@dataclass(frozen=True)
class Bidding:
    """A factory of bidders: base strategy and deviation by provider."""

    kinds: tuple[tuple[str, Deviation | None], ...]

    def __call__(self, setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        return [self._bidder(setting, rng, *kind) for kind in self.kinds]

    def _bidder(self, setting: Setting, rng: np.random.Generator, base: str, pattern: Deviation | None) -> Bidder:
        platform = setting.platform
        bound = platform.cost_bound
        bidders: dict[str, Bidder] = {
            "truthful": TruthfulBidder(bound),
            "bayesian": BayesianBidder(bound / 3, 5.0, bound),
            "weak prior": BayesianBidder(bound, 0.1, bound),
            "no prior": BayesianBidder(bound, 0.0, bound),
            "zero": FixedBidder(0.0),
            "half": FixedBidder(bound / 2),
            "bound": FixedBidder(bound),
        }
        if pattern is None:
            return bidders[base]
        return DeviatingBidder(bidders[base], platform.underbid, platform.overbid, rng, pattern, bound)


@dataclass(frozen=True)
class Episode:
    """All that a run depends on."""

    setting: Setting
    options: tuple[LawOptions, ...]
    bidders: BidderFactory
    policy: str
    horizon: int
    checkpoints: tuple[int, ...] = ()
    seed: int = 0
    run: int = 0
    misled: bool = False
    recorded: AnswerLaws | None = None

    @property
    def laws(self) -> OutcomeLaws:
        """Each provider's own laws, or, where the setting misleads, those of the last for the first and so on.

        A single option is everybody's. Recorded generations take the place of all laws.
        """
        if self.recorded is not None:
            return self.recorded
        bound, chosen = self.setting.platform.cost_bound, self.options
        providers = self.setting.providers[::-1] if self.misled else self.setting.providers
        each = chosen * self.setting.n_providers if len(chosen) == 1 else chosen
        built = tuple(laws_of(*pair, bound) for pair in zip(providers, each, strict=True))
        return MarketLaws(self.setting.name, built, chosen[0])

    def plain(self) -> Trace:
        return simulate(
            self.setting,
            horizon=self.horizon,
            seed=self.seed,
            run=self.run,
            policy=POLICIES[self.policy],
            bidders=self.bidders,
            laws=self.laws,
        )

    def compiled(self) -> CompiledEpisode:
        return CompiledEpisode(self.setting, POLICIES[self.policy], bidders=self.bidders, laws=self.laws)

    def compiled_trace(self) -> Trace:
        return self.compiled().trace(horizon=self.horizon, seed=self.seed, run=self.run)

    def compiled_tallies(self, runs: Sequence[int]) -> list[Tally]:
        return self.compiled().tallies(horizon=self.horizon, seed=self.seed, runs=runs, checkpoints=self.checkpoints)

    def differences(self) -> list[str]:
        """Return what tells the compiled run from the plain one, nothing if they are equal."""
        trace = self.plain()
        (tally,) = self.compiled_tallies([self.run])
        expected = tally_of(self.setting, trace, self.checkpoints, POLICIES[self.policy])
        return trace_differences(trace, self.compiled_trace()) + tally_differences(expected, tally)


def machine_code(part: Callable[..., Any]) -> Callable[..., Any]:
    """Return a part of the kernel as machine code that Python can call."""
    return nb.njit(error_model="numpy")(lambda *arguments: part(*arguments))


def trace_differences(expected: Trace, found: Trace) -> list[str]:
    """Return the columns that are not equal bit for bit, signs of zeros included."""
    columns = found.columns()
    return [name for name, column in expected.columns().items() if column.tobytes() != columns[name].tobytes()]


def tally_differences(expected: Tally, found: Tally) -> list[str]:
    """Return the totals that differ: counts at all, sums by more than rounding."""
    wrong = [] if expected.steps == found.steps else ["steps"]
    for fields, counts, mine, theirs in (
        (ProviderField, COUNTS[0], expected.by_provider, found.by_provider),
        (RunField, COUNTS[1], expected.overall, found.overall),
    ):
        for field in fields:
            one, other = mine[:, field], theirs[:, field]
            same = np.array_equal(one, other) if field in counts else np.allclose(one, other, rtol=1e-9, atol=0)
            wrong += [] if same else [field.name]
    return wrong


@lru_cache(maxsize=4096)
def laws_of(provider: Provider, options: LawOptions, bound: float) -> ProviderLaws:
    """Return `provider_laws`, from memory where it can: laws take longer to build than short runs to play."""
    return provider_laws(provider, bound, options)


EXTREME = strategies.platform_parameters(extreme=True)
MARKETS = strategies.settings(n_providers=(2, 40), platform=EXTREME) | strategies.markets(slacks=True)


@st.composite
def settings(draw: st.DrawFn) -> Setting:
    """Draw a setting of 2 to 40 providers, degenerate ones included, with prices and copies, few of them different."""
    setting = draw(MARKETS)
    bound = setting.platform.cost_bound
    prices = st.sampled_from(draw(st.lists(st.sampled_from([1 / 4096, 1 / 1024, 1 / 8, 1.0]), min_size=1)))
    copies = st.sampled_from(draw(st.lists(st.integers(1, 5), min_size=1)))
    providers = [replace(p, listed_price=bound * draw(prices), multiplicity=draw(copies)) for p in setting.providers]
    return replace(setting, providers=tuple(providers))


@st.composite
def options(draw: st.DrawFn, n: int) -> tuple[LawOptions, ...]:
    """Draw how the laws are built: each provider its own shapes, all the same pool of questions."""
    shared: dict[str, Any] = {
        "questions": draw(st.sampled_from([0, 1, 2, 7, 1000])),
        "token_cap": draw(st.sampled_from([1, 16, 512])),
        "margin": draw(st.sampled_from([0.0, 0.25])),
    }
    shapes = [
        LawOptions(
            score_law=draw(st.sampled_from(SCORE_LAWS)),
            cost_law=draw(st.sampled_from(COST_LAWS)),
            cost_variation=draw(st.sampled_from([0.35, 2.0])),
            difficulty_bits=draw(st.sampled_from([0, 2, 16])),
            score_difficulty_bits=draw(st.sampled_from([0, 1, 16])),
            **shared,
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    return tuple(draw(st.lists(st.sampled_from(shapes), min_size=n, max_size=n)))


@st.composite
def biddings(draw: st.DrawFn, n: int) -> Bidding:
    """Draw strategies: one for all, or each provider its own."""
    kind = st.tuples(st.sampled_from(BASES), st.sampled_from(PATTERNS))
    same = draw(st.booleans())
    return Bidding((draw(kind),) * n if same else tuple(draw(kind) for _ in range(n)))


@st.composite
def horizons(draw: st.DrawFn, n: int, longest: int) -> int:
    """Draw a horizon, which may end within initialization but usually does not."""
    ends = st.sampled_from([1, n - 1, n, n + 1])
    return draw(st.one_of(ends, st.integers(n + 1, 30 * n), st.integers(n + 1, longest), st.just(longest)))


@st.composite
def episodes(draw: st.DrawFn, longest: int = 1200) -> Episode:
    """Draw an episode with checkpoints on all edges."""
    setting = draw(settings())
    n = setting.n_providers
    horizon = draw(horizons(n, longest))
    edges = [step for step in (1, n - 1, n, n + 1, horizon - 1, horizon - n) if 1 <= step <= horizon]
    return Episode(
        setting=setting,
        options=draw(options(n)),
        bidders=draw(biddings(n)),
        policy=draw(st.sampled_from(["platform", "platform", *POLICIES])),
        horizon=horizon,
        checkpoints=tuple(draw(st.lists(st.one_of(st.integers(1, horizon), st.sampled_from([*edges, horizon]))))),
        seed=draw(st.integers(0, 2**32)),
        run=draw(st.integers(0, 2**32 - 1)),
        misled=draw(st.booleans()),
    )


def made_up_generations(models: int, questions: int, samples: int, seed: int, tokens: int = 20) -> CompleteAnswers:
    """Return generations of models m0, m1, ... that are right ever less often; few distinct rewards, so many tie."""
    rng = np.random.default_rng(seed)
    shape = (models, questions, samples)
    correct = rng.random(shape) < np.linspace(0.9, 0.2, models)[:, None, None]
    reward = rng.integers(-1, 2, shape) * rng.choice([0.5, 1e300], shape)
    return CompleteAnswers(
        name="made up",
        models=tuple(f"m{i}" for i in range(models)),
        questions=tuple(f"q{i}" for i in range(questions)),
        score=correct,
        tokens_out=rng.integers(0, tokens, shape, endpoint=True),
        reward=reward,
    )


@st.composite
def recorded_laws_of(draw: st.DrawFn, setting: Setting) -> AnswerLaws:
    """Draw what a setting's providers serve; costs stay within its bound."""
    models, questions, samples = (draw(st.integers(1, most)) for most in (3, 5, 8))
    generations = made_up_generations(models, questions, samples, draw(st.integers(0, 2**32)))
    prices = st.sampled_from([setting.platform.cost_bound / (20 * samples) * share for share in (0.1, 0.7, 1.0)])
    model, n = st.sampled_from(generations.models), st.integers(1, samples)
    roster = [AnsweringProvider(draw(model), draw(prices), draw(n)) for _ in setting.providers]
    return AnswerLaws(generations, tuple(roster), draw(st.sampled_from([0.0, 0.25])))


@st.composite
def recorded_episodes(draw: st.DrawFn) -> Episode:
    one = draw(episodes(longest=600))
    return replace(one, recorded=draw(recorded_laws_of(one.setting)))
