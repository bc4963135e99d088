"""The market of a setting: which laws its providers get, and the potential outcomes of a run.

An outcome is the same for every policy: a pure function of (seed, run, step, provider).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, TypedDict, get_args

from bounds.documents import OPTIONAL, Count, Document, FromOne, NonNegative, Probability, limits, named, one_of
from bounds.errors import InputError
from bounds.setting.model import MOST_TOKENS, Pricing, Provider, Setting
from mechanism.arguments import not_negative, whole_number
from mechanism.market.keyed_run import KeyedRun
from mechanism.market.law_tables import LawTables, law_tables
from mechanism.market.laws import Amount, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.provider import DIFFICULTY_RANGES, ProviderMarket
from mechanism.market.published import published_market
from mechanism.market.questions import QuestionPool
from mechanism.randomness import PROVIDER_BITS, counter

ScoreShape = Literal["bernoulli", "beta", "two-point", "point-mass"]
CostShape = Literal["auto", "tokens", "lattice", "two-point", "point-mass"]

#: Cells of the lattice of costs; of more than so many providers, whose laws would take gigabytes, there are fewer.
COST_CELLS, FEW_CELLS, MANY_PROVIDERS = 1024, 32, 8192
#: Coefficient of variation of a candidate's cost where nothing better is known.
COST_VARIATION = 0.35


@dataclass(frozen=True)
class Market(KeyedRun):
    """The potential outcomes of one run.

    Parameters
    ----------
    providers : tuple of ProviderMarket
        In the order in which indices count them.
    seed, run : int
        In [0, 2^128) and [0, 2^32).
    margin : float, optional
        mu >= 0: a query is sold at (1 + mu) times its cost where a listed price is billed.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Examples
    --------
    >>> from mechanism.market.laws import bernoulli, point_mass
    >>> provider = ProviderMarket(bernoulli(1.0), point_mass(3.0))
    >>> Market((provider, provider), seed=0, run=0).outcome(step=7, provider=1)
    (1.0, 3.0)
    """

    providers: tuple[ProviderMarket, ...]
    seed: int
    run: int
    margin: float = 0.25

    def __post_init__(self) -> None:
        object.__setattr__(self, "providers", tuple(self.providers))
        if not 1 <= len(self.providers) <= 1 << PROVIDER_BITS:
            rule = f"must be 1..{1 << PROVIDER_BITS} providers"
            raise InputError("providers", len(self.providers), rule, "random bits are numbered for so many")
        not_negative("margin", self.margin, "0.25 sells at 1.25 times cost")
        if len({provider.questions for provider in self.providers}) > 1:
            sizes = tuple(provider.questions for provider in self.providers)
            raise InputError("questions", sizes, "must be the same of all providers", "they are asked the same queries")
        super().__post_init__()

    @cached_property
    def pool(self) -> QuestionPool | None:
        """The questions that all providers are asked, or None if queries are independent."""
        size = self.providers[0].questions
        return QuestionPool(size) if size else None

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the score and the cost if the provider served the query of the step.

        Parameters
        ----------
        step : int
            In [0, 2^34).
        provider : int
            Index in [0, N).

        Returns
        -------
        tuple of float
            Score in [0, 1] and cost, money. A pure function of (seed, run, step, provider).

        Raises
        ------
        InputError
            If an argument is out of its range.
        """
        base = counter(step, provider, 0)
        if provider >= len(self.providers):
            raise InputError("provider", provider, f"must be below {len(self.providers)}", "indices start at 0")
        served = self.providers[provider]
        key, pool = self.key, self.pool
        if pool is None:
            return served.score(key, base), served.cost(key, base)
        question = pool.question(key, step)
        difficulty = served.difficulty(key, base, question)  # it decides both
        return served.score(key, base, question, difficulty), served.cost(key, base, question, difficulty)

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for at the listed price: (1 + margin) cost."""
        return cost * (1 + self.margin)


@dataclass(frozen=True, kw_only=True)
class LawOptions:
    """How the laws of a market are built; `costproof docs market` explains them.

    Parameters
    ----------
    score_law : {"bernoulli", "beta", "two-point", "point-mass"}, optional
        Shape of the scores; their mean is the quality (see `mechanism.market.laws.bernoulli` for qualities below
        2^-10).
    cost_law : {"auto", "tokens", "lattice", "two-point", "point-mass"}, optional
        Shape of a candidate's cost: "tokens" is a count in 1..token_cap times listed_price/(1 + margin),
        "lattice" a fine lattice of [0, cost_bound/multiplicity]. "auto" is "tokens" where a price is listed
        and such counts can have the mean within the cost bound, else "lattice".
    cost_variation : float or sequence of float, optional
        Coefficient of variation of a candidate's cost, not negative, clipped to what the range allows; a
        sequence gives one per provider.
    score_variation : float, optional
        Coefficient of variation of a "beta" score.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost: a listed price is 1 + mu times the cost.
    difficulty_bits : int, optional
        Bits of a query's difficulty that its candidates' costs share; see `ProviderMarket`.
    token_cap : int, optional
        Largest token count of a candidate, in 1..65536.
    questions : int, optional
        Size of the pool of questions that is asked in passes, each a fresh permutation; 0 for independent queries.
    score_difficulty_bits : int, optional
        Bits of a query's difficulty that decide its score; see `ProviderMarket`.
    cost_cells : int, optional
        Cells of the lattice of a "lattice" cost, in 1..65536; left out where there are 1,024 of them.

    Raises
    ------
    InputError
        An unknown shape or a value out of range.
    """

    score_law: ScoreShape = "bernoulli"
    cost_law: CostShape = "auto"
    cost_variation: NonNegative | tuple[NonNegative, ...] = COST_VARIATION
    score_variation: NonNegative = 0.35
    margin: NonNegative = Pricing.margin
    difficulty_bits: Count = 2
    token_cap: FromOne = Pricing.token_cap
    questions: Count = 0
    score_difficulty_bits: Count = 2
    cost_cells: FromOne = field(default=COST_CELLS, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        for name, shapes in (("score_law", ScoreShape), ("cost_law", CostShape)):
            if getattr(self, name) not in get_args(shapes):
                remedy = f"choose one of {', '.join(get_args(shapes))}"
                raise InputError(name, getattr(self, name), "is unknown", remedy)
        remedy = "leave it out for the default"
        for name in ("score_variation", "margin"):
            object.__setattr__(self, name, not_negative(name, getattr(self, name), remedy))
        spread = self.cost_variation
        many = tuple(spread) if isinstance(spread, Sequence) else (spread,)
        checked = tuple(not_negative("cost_variation", value, remedy) for value in many)
        object.__setattr__(self, "cost_variation", checked if isinstance(spread, Sequence) else checked[0])
        for name, least, most, meaning in (
            *DIFFICULTY_RANGES,
            ("token_cap", 1, MOST_TOKENS, "it is the most tokens"),
            ("cost_cells", 1, 65_536, "it is the number of cells of the lattice"),
        ):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), meaning, least=least, most=most))

    def variation(self, provider: int) -> float:
        """Return the coefficient of variation of a provider's candidates, given its index."""
        return self.cost_variation[provider] if isinstance(self.cost_variation, tuple) else self.cost_variation


class DescribedLaws(TypedDict):
    """The laws of a provider.

    Parameters
    ----------
    name : str
        Name of the provider.
    multiplicity : int
        Candidates generated for a query (best-of-n).
    score_law : str
        Shape of a score.
    mean_score : float
        Mean score, the quality.
    score_standard_deviation : float
        Standard deviation of a score.
    cost_law : str
        Shape of a candidate's cost.
    price_unused : str or None
        Why the listed price does not decide the costs; None if it does or none is listed.
    mean_cost : float
        Mean cost of a query, money.
    cost_standard_deviation : float
        Standard deviation of a query's cost, money.
    candidate_cost_correlation : float or None
        Correlation of the costs of two candidates of a query; None for one candidate or no spread.
    maximum_cost : float
        Largest cost of a query, money.
    cost_unit : float
        Every cost is a whole multiple of this, money.
    """

    name: str
    multiplicity: FromOne
    score_law: ScoreShape
    mean_score: Probability
    score_standard_deviation: NonNegative
    cost_law: Annotated[str, one_of(get_args(CostShape)[1:])]
    price_unused: str | None
    mean_cost: NonNegative
    cost_standard_deviation: NonNegative
    candidate_cost_correlation: Annotated[float, limits(minimum=-1, maximum=1)] | None
    maximum_cost: NonNegative
    cost_unit: NonNegative


@dataclass(frozen=True, kw_only=True)
class ProviderLaws:
    """A provider's laws and the names of their shapes.

    Parameters
    ----------
    name : str
        The provider's.
    score_shape, cost_shape : str
        As in `LawOptions`, with "auto" resolved.
    market : ProviderMarket
        The laws.
    price_unused : str, optional
        Why a listed price did not lead to token counts, where there is one.
    price_advice : str, optional
        Which listed prices, token caps and cost bounds would, changing one of them alone.

    Examples
    --------
    >>> provider_laws(Provider("small", 0.8, 3.0), 10.0, LawOptions()).cost_shape
    'lattice'
    """

    name: str
    score_shape: ScoreShape
    cost_shape: CostShape
    market: ProviderMarket
    price_unused: str | None = None
    price_advice: str | None = None

    def document(self) -> DescribedLaws:
        """Return shapes, exact means rounded to floats, spreads and the largest cost."""
        market = self.market
        return {
            "name": self.name,
            "multiplicity": market.multiplicity,
            "score_law": self.score_shape,
            "mean_score": float(market.score_law.mean),
            "score_standard_deviation": _root(market.score_law.variance, market.score_law.unit),
            "cost_law": self.cost_shape,
            "price_unused": self.price_unused,
            "mean_cost": float(market.mean_cost),
            "cost_standard_deviation": _root(market.cost_variance, market.candidate_law.unit),
            "candidate_cost_correlation": market.candidate_correlation,
            "maximum_cost": market.maximum_cost,
            "cost_unit": float(market.candidate_law.unit),
        }


def provider_laws(provider: Provider, cost_bound: float, options: LawOptions, index: int = 0) -> ProviderLaws:
    """Return the laws of a provider.

    Parameters
    ----------
    provider : Provider
    cost_bound : float
        c_max, money per query, not below the provider's mean cost.
    options : LawOptions
    index : int, optional
        Of the provider, where the options differ between providers.

    Returns
    -------
    ProviderLaws
        The mean cost of a query is exactly the provider's; the largest is at most cost_bound.

    Raises
    ------
    InputError
        If `cost_law` is "tokens" and no token count can have the mean within the bound.

    Examples
    --------
    >>> provider = Provider("small", 0.8, 16.1, listed_price=0.065, multiplicity=2)
    >>> laws = provider_laws(provider, 102.4, LawOptions())
    >>> laws.cost_shape, laws.market.mean_cost == Fraction(16.1)
    ('tokens', True)
    """
    shape = options.cost_law
    obstacle = _token_obstacle(provider, cost_bound, options)
    if shape == "auto":
        shape = "lattice" if obstacle else "tokens"
    elif shape == "tokens" and obstacle:
        rule = f"does not fit provider {provider.name!r}"
        raise InputError("cost_law", shape, rule, f"{obstacle}; use 'auto' or 'lattice'")
    n = provider.multiplicity
    # Fractions: the candidates' means and bounds must add up exactly to those of the query.
    mean, upper, variation = Fraction(provider.mean_cost) / n, Fraction(cost_bound) / n, options.variation(index)
    if shape == "tokens":
        candidate_law = _token_law(mean, _token_cost(provider, options), options.token_cap, variation)
    else:
        candidate_law = _law(shape, mean, upper, variation, options.cost_cells)
    market = ProviderMarket(
        _law(options.score_law, float(provider.quality), 1.0, options.score_variation),
        candidate_law,
        multiplicity=n,
        difficulty_bits=options.difficulty_bits,
        questions=options.questions,
        score_difficulty_bits=options.score_difficulty_bits,
    )
    # Who states the variation of costs does not claim that they are token counts.
    expected = options.cost_law == "auto" and provider.listed_price is not None and provider.cost_variation is None
    unused = expected and obstacle is not None
    return ProviderLaws(
        name=provider.name,
        score_shape=options.score_law,
        cost_shape=shape,
        market=market,
        price_unused=obstacle if unused else None,
        price_advice=_token_remedies(provider, cost_bound, options) if unused else None,
    )


@dataclass(frozen=True)
class MarketLaws(Document):
    """The laws from which the scores and costs of a setting are drawn, built once and used by every run.

    Parameters
    ----------
    setting_name : str
        Name of the setting.
    providers : tuple of ProviderLaws
        The laws of each provider, in the order of the setting.
    options : LawOptions
        How the laws were built.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("a", 0.9, 0.2), Provider("b", 0.8, 0.3)])
    >>> laws = market_laws(setting, cost_law="point-mass")
    >>> laws.market(seed=0, run=0).outcome(1, 1)[1], laws.market(seed=0, run=1).outcome(1, 0)[1]
    (0.3, 0.2)
    """

    setting_name: str = field(metadata=named("setting"))
    providers: Annotated[tuple[ProviderLaws, ...], limits(minItems=2)]
    options: LawOptions

    @cached_property
    def _markets(self) -> tuple[ProviderMarket, ...]:
        return tuple(provider.market for provider in self.providers)

    def market(self, seed: int, run: int) -> Market:
        """Return the potential outcomes of a run (see `Market`)."""
        return Market(self._markets, seed, run, self.options.margin)

    def tables(self) -> LawTables:
        """Return what the compiled episode reads."""
        return self._tables

    @cached_property
    def _tables(self) -> LawTables:
        return law_tables(self._markets, self.options.margin)

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the laws: the options, and one table per provider."""
        return self.to_data()


def market_laws(setting: Setting, **options: Any) -> MarketLaws:
    """Return the laws of a setting; the same arguments give the same object, at no cost.

    Every mean cost equals the provider's as an exact fraction, and no cost exceeds the cost bound.

    Parameters
    ----------
    setting : Setting
    **options
        Fields of `LawOptions`. By default (or None) ``token_cap`` and ``margin`` are those of the setting's
        `Pricing`, and ``cost_variation`` is that of providers that state it; the others are for a published setting
        what reproduces its tables (`mechanism.market.published`), for any other the defaults of `LawOptions`.

    Raises
    ------
    InputError
        An unknown shape, a value out of range, or "tokens" where no token count can have the mean.

    Examples
    --------
    >>> from bounds.published import published
    >>> market_laws(published("gpqa-strong").setting, margin=0.5).options.questions
    546
    """
    known = published_market(setting)
    given = {name: value for name, value in options.items() if value is not None}
    usual: dict[str, Any] = vars(setting.pricing) | _spreads(setting)
    usual = usual | ({"cost_cells": FEW_CELLS} if setting.n_providers > MANY_PROVIDERS else {})
    chosen = LawOptions(**(usual | (asdict(known) if known else {}) | given))
    variation = chosen.cost_variation
    if isinstance(variation, tuple) and len(variation) != setting.n_providers:
        rule = f"must be one number, or one for each of {setting.n_providers} providers"
        raise InputError("cost_variation", variation, rule, "give them in the setting's order")
    return _built(setting, chosen)


def _spreads(setting: Setting) -> dict[str, tuple[float, ...]]:
    """Return the coefficients of variation if a provider states its own."""
    stated = [provider.cost_variation for provider in setting.providers]
    if all(each is None for each in stated):
        return {}
    return {"cost_variation": tuple(COST_VARIATION if each is None else each for each in stated)}


@lru_cache(maxsize=64)
def _built(setting: Setting, options: LawOptions) -> MarketLaws:
    bound = setting.platform.cost_bound
    laws = tuple(provider_laws(provider, bound, options, i) for i, provider in enumerate(setting.providers))
    return MarketLaws(setting.name, laws, options)


def _root(variance: Fraction, unit: Fraction) -> float:
    # In lattice steps first: the square of a very large or small amount of money is not a float.
    return math.sqrt(variance / unit**2) * float(unit)


# Providers with equal numbers share one law: large markets are built, and tabulated, once per kind.
_token_law = lru_cache(maxsize=4096)(token_law)


@lru_cache(maxsize=4096)
def _law(
    shape: ScoreShape | CostShape, mean: Amount, upper: Amount, variation: float, cells: int = COST_CELLS
) -> DiscreteLaw:
    if shape == "bernoulli":
        return bernoulli(mean)
    if shape in ("beta", "lattice"):
        return beta_shaped(mean, upper, variation, cells)
    return two_point(mean, upper) if shape == "two-point" else point_mass(mean)


def _token_cost(provider: Provider, options: LawOptions) -> Fraction:
    """Return the cost of a token, 0 if no price is listed."""
    return Fraction(provider.listed_price or 0) / (1 + Fraction(options.margin))


def _token_obstacle(provider: Provider, cost_bound: float, options: LawOptions) -> str | None:
    """Return why a token count cannot be the cost, or None if it can."""
    each, mean, cap = provider.multiplicity * _token_cost(provider, options), provider.mean_cost, options.token_cap
    if not each:
        return "no price is listed"
    if each > Fraction(mean):
        return "its mean cost is less than that of one token per candidate"
    if Fraction(mean) > cap * each:
        return f"its mean cost is that of more than {cap:,} tokens per candidate"
    if cap * each > Fraction(cost_bound):
        return f"{cap:,} tokens per candidate may cost more than cost_bound"
    return None


def _up(value: Fraction) -> Decimal:
    """Return a number to four digits that is not below the value, nor is its float."""
    digits = Context(prec=4, rounding=ROUND_CEILING)
    found = digits.divide(Decimal(value.numerator), Decimal(value.denominator))
    return found if Fraction(float(found)) >= value else found.next_plus(digits)


def _down(value: Fraction) -> Decimal:
    """Return a number to four digits that is not above the value, nor is its float."""
    return -_up(-value)


def _token_remedies(provider: Provider, cost_bound: float, options: LawOptions) -> str:
    """Return what would let a token count be the cost: a listed price, a token cap or a cost bound in its range."""
    each, cap = provider.multiplicity * _token_cost(provider, options), options.token_cap
    mean, bound = Fraction(provider.mean_cost), Fraction(cost_bound)
    per_cost = (1 + Fraction(options.margin)) / provider.multiplicity
    least, most, found = _up(per_cost * mean / cap), _down(per_cost * min(mean, bound / cap)), []
    if 0 < least <= most:
        found.append(f"a listed_price from {least:f} to {most:f} (now {provider.listed_price:g})")
    if each <= mean:
        fewest, largest = max(1, math.ceil(mean / each)), min(math.floor(bound / each), MOST_TOKENS)
        found += [f"a token_cap from {fewest:,} to {largest:,}"] if fewest <= largest else []
    if each <= mean <= cap * each:
        found.append(f"a cost_bound of at least {_up(cap * each):f}")
    if not found:
        return "no listed_price, token_cap or cost_bound gives token counts if the others stay the same"
    return f"token counts need {' or '.join(found)}"
