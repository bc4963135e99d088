"""A setting: the platform's parameters and the providers it buys from, validated and frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, NotRequired, TypedDict

from bounds.documents import (
    INTERNAL,
    OPTIONAL,
    Document,
    NonNegative,
    OpenProbability,
    Positive,
    Probability,
    Text,
    limits,
    named,
    to_data,
)
from bounds.errors import InputError, is_whole
from bounds.language.quantities import MONEY, PURE, QUANTITIES, Quantity
from bounds.radii.names import PAPERS, OtherRadius, radius_name
from bounds.setting.estimates import Estimate, Proportion, SampleMean, StatedInterval, estimate_of, finite_number

#: So many providers are named in a sentence at most.
_NAMED = 24
#: The largest number where a range has no upper end, and the smallest one where it excludes 0.
LARGEST_NUMBER, SMALLEST_POSITIVE = 1e15, 1e-300


@dataclass(frozen=True)
class PlatformParameters:
    """What the platform fixes before the first query.

    Parameters
    ----------
    quality_threshold : float
        q_min, in [0, 1]: the mean score that makes a provider qualified.
    confidence : float
        delta, in (0, 1): the probability with which the guarantees may fail.
    cost_bound : float
        c_max > 0, money per query: no cost, bid or payment exceeds it.
    exploration_scale : float
        k > 0 of the target selection count k (t/N)^alpha.
    exploration_exponent : float
        alpha, in (0, 1), of k (t/N)^alpha.
    belief_slack : float, optional
        gamma >= 0: how far beliefs may stray from the empirical mean (optional).
    underbid : float, optional
        d_- >= 0, money per query: how far bids may lie below it (optional).
    overbid : float, optional
        d_+ >= 0, money per query: how far bids may lie above it (optional).
    radius : str, optional
        paper, beta-binomial or normal-mixture (optional).

    Raises
    ------
    InputError
        If a value is not a finite number in its range, or no radius has this name.

    Notes
    -----
    `belief_slack` is the gamma of asmp:beliefs, and widens the cost radius to (1 + gamma) c_max beta; `underbid` and
    `overbid` are those of asmp:bounded-deviations. Radii are described in `bounds.radii`; documents leave the paper's
    out. Numbers that may exceed 1 are at most 1e15, and those that must be positive are at least 1e-300: beyond,
    products overflow or vanish.

    Examples
    --------
    >>> PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75).belief_slack
    0.0
    """

    quality_threshold: Probability
    confidence: OpenProbability
    cost_bound: Positive
    exploration_scale: Positive
    exploration_exponent: OpenProbability
    belief_slack: NonNegative = 0.0
    underbid: NonNegative = 0.0
    overbid: NonNegative = 0.0
    radius: OtherRadius = field(default=PAPERS, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        for name, remedy in _REMEDIES.items():
            _set_number(self, QUANTITIES[name], remedy)
        radius_name(self.radius)

    @property
    def papers_radius(self) -> bool:
        """Whether the radius is the paper's, for which its theorems are stated."""
        return self.radius == PAPERS


_REMEDIES = {
    "quality_threshold": "it is q_min, a mean score",
    "confidence": "it is the failure probability delta",
    "cost_bound": "it is c_max, the largest cost of one query",
    "exploration_scale": "it is k in g(t) = k (t/N)^alpha",
    "exploration_exponent": "it is alpha in g(t) = k (t/N)^alpha; the paper uses 0.75, and 2/3 has the best rate",
    "belief_slack": "it is gamma; leave it out for 0",
    "underbid": "it is d_-; leave it out for 0",
    "overbid": "it is d_+; leave it out for 0",
}
#: What a provider is described by; the platform's parameters are among `QUANTITIES`.
QUALITY = Quantity("quality", "q_i", "mean score", PURE, 0, 1)
MEAN_COST = Quantity("mean_cost", r"\bar c_i", "mean cost", MONEY, 0)
LISTED_PRICE = Quantity("listed_price", "", "listed price of one token", MONEY, 0, lower_open=True)
COST_VARIATION = Quantity("cost_variation", "", "standard deviation over mean of an answer's cost", PURE, 0)
PRICE_MARGIN = Quantity("margin", r"\mu", "listed price over cost, minus 1", PURE, 0)
#: The largest cap on the tokens of an answer.
MOST_TOKENS = 65_536


class ProviderDocument(TypedDict):
    """A provider as a setting file has it.

    Parameters
    ----------
    name : str
        Unique within the file.
    quality : float or object
        q_i, in [0, 1]: the mean score, or what estimates it.
    mean_cost : float or object
        c_i, in [0, cost_bound], money per query, or what estimates it.
    listed_price : float or None
        Money per token; in 1e-6 USD that is USD per 1e6 tokens; None if not given.
    multiplicity : int
        n, in 1..1000, of best-of-n.
    cost_variation : float
        At least 0: standard deviation over mean of the costs of simulated answers; left out if not given.
    """

    name: Text
    quality: Probability | Proportion | SampleMean | StatedInterval
    mean_cost: NonNegative | SampleMean | StatedInterval
    listed_price: Positive | None
    multiplicity: Annotated[int, limits(minimum=1, maximum=1000)]
    cost_variation: NotRequired[NonNegative]


@dataclass(frozen=True)
class Provider:
    """A provider as the theory sees it.

    Parameters
    ----------
    name : str
        unique within the file.
    quality : float, Estimate or mapping
        q_i, in [0, 1]: the mean score.
    mean_cost : float, Estimate or mapping
        c_i, in [0, cost_bound], money per query.
    listed_price : float, optional
        > 0, money per token; in 1e-6 USD that is USD per 1e6 tokens (optional).
    multiplicity : int, optional
        n, in 1..1000, of best-of-n (optional).
    cost_variation : float, optional
        >= 0: standard deviation over mean of the costs of simulated answers (optional).
    quality_estimate, mean_cost_estimate : Estimate or None
        What estimates the two numbers, which are then its points (optional); None where a number is exact. An estimate
        of another number than the one that is given is dropped.

    Raises
    ------
    InputError
        If a value has the wrong type or is out of range.

    Examples
    --------
    >>> Provider("small", quality=0.8, mean_cost=3).mean_cost
    3.0
    >>> Provider("small", quality={"correct": 131, "of": 200}, mean_cost=3).quality
    0.655
    """

    name: Text
    quality: Probability
    mean_cost: NonNegative
    listed_price: Positive | None = None
    multiplicity: Annotated[int, limits(minimum=1, maximum=1000)] = 1
    cost_variation: NonNegative | None = field(default=None, metadata=OPTIONAL)
    quality_estimate: Estimate | None = field(default=None, metadata=INTERNAL)
    mean_cost_estimate: Estimate | None = field(default=None, metadata=INTERNAL)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError("name", self.name, "must be a non-empty string", "give every provider a name")
        # Of a million providers few are uncertain: numbers pass at once.
        if self.quality_estimate is not None or not isinstance(self.quality, (float, int)):
            _take_estimate(self, QUALITY)
        if self.mean_cost_estimate is not None or not isinstance(self.mean_cost, (float, int)):
            _take_estimate(self, MEAN_COST)
        _set_number(self, QUALITY, "it is q_i, a mean score")
        _set_number(self, MEAN_COST, "it is the mean cost of one query")
        if self.listed_price is not None:
            _set_number(self, LISTED_PRICE, "leave it out if no price is listed")
        if self.cost_variation is not None:
            _set_number(self, COST_VARIATION, "leave it out for 0.35")
        whole = is_whole(self.multiplicity)
        if not whole or not 1 <= self.multiplicity <= 1000:
            rule = "must lie in 1..1000" if whole else "must be a whole number"
            raise InputError("multiplicity", self.multiplicity, rule, "it is the n of best-of-n")
        object.__setattr__(self, "multiplicity", int(self.multiplicity))

    def document(self) -> ProviderDocument:
        """Return the provider as a setting file has it."""
        found: ProviderDocument = {
            "name": self.name,
            "quality": to_data(self.quality_estimate or self.quality),
            "mean_cost": to_data(self.mean_cost_estimate or self.mean_cost),
            "listed_price": self.listed_price,
            "multiplicity": self.multiplicity,
        }
        if self.cost_variation is not None:
            found["cost_variation"] = self.cost_variation
        return found

    @property
    def is_uncertain(self) -> bool:
        """Whether an estimate leaves its quality or its mean cost uncertain."""
        return any(each is not None and not each.exact for each in (self.quality_estimate, self.mean_cost_estimate))


@dataclass(frozen=True)
class StatedInputs:
    """What is stated of the uncertain qualities and mean costs.

    Parameters
    ----------
    confidence : float, optional
        in (0, 1): the level at which all stated inputs hold together (optional).

    Raises
    ------
    InputError
        If the level is not a number in its range.

    Examples
    --------
    >>> StatedInputs().confidence
    0.95
    """

    confidence: OpenProbability = 0.95

    def __post_init__(self) -> None:
        _set_number(self, QUANTITIES["confidence"], "it is the level at which all stated inputs hold together")


@dataclass(frozen=True)
class Pricing:
    """How a listed price becomes the cost of an answer: tokens times listed_price / (1 + margin).

    The theory reads neither number; simulated markets do (costproof docs setting-file).

    Parameters
    ----------
    token_cap : int, optional
        L_max, in 1..65536: the most output tokens of one answer.
    margin : float, optional
        mu >= 0: a token costs listed_price / (1 + mu).

    Raises
    ------
    InputError
        If a value has the wrong type or is out of range.

    Examples
    --------
    >>> Pricing(token_cap=4096).margin
    0.25
    """

    token_cap: Annotated[int, limits(minimum=1, maximum=65_536)] = 512
    margin: NonNegative = 0.25

    def __post_init__(self) -> None:
        whole = is_whole(self.token_cap)
        if not whole or not 1 <= self.token_cap <= MOST_TOKENS:
            rule = f"must lie in 1..{MOST_TOKENS}" if whole else "must be a whole number"
            raise InputError("token_cap", self.token_cap, rule, "it is L_max, the most output tokens of one answer")
        object.__setattr__(self, "token_cap", int(self.token_cap))
        _set_number(self, PRICE_MARGIN, "a listed price is 1 + margin times the cost; the paper uses 0.25")


@dataclass(frozen=True)
class Setting(Document):
    """A platform and at least two providers. Amounts are money per query, in a unit of the setting's own.

    Parameters
    ----------
    name : str
        How reports call it.
    platform : PlatformParameters
        What the platform fixes before the first query.
    providers : sequence of Provider
        In the order in which indices count them (0-based).
    pricing : Pricing, optional
        How simulated markets turn listed prices into costs; default the paper's.
    inputs : StatedInputs, optional
        The level at which the estimates of uncertain inputs hold together.

    Raises
    ------
    InputError
        Fewer than two providers, duplicate names, a mean cost above the cost bound.

    Notes
    -----
    The theory also assumes at least two qualified providers and a unique cheapest one. A setting that lacks this is
    valid: the mechanism runs on it, and `unmet_assumptions` says what the bounds cannot use.

    Examples
    --------
    >>> platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    >>> providers = [Provider("a", 0.9, 0.2), Provider("b", 0.8, 0.3), Provider("c", 0.1, 0)]
    >>> setting = Setting("toy", platform, providers)
    >>> setting.qualified, setting.unqualified, setting.optimal, setting.second_lowest_cost
    ((0, 1), (2,), 0, 0.3)
    """

    name: str
    platform: PlatformParameters
    providers: Annotated[tuple[Provider, ...], limits(minItems=2)] = field(metadata=named("provider"))
    pricing: Pricing = field(default_factory=Pricing, metadata=OPTIONAL)
    inputs: StatedInputs = field(default_factory=StatedInputs, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        object.__setattr__(self, "providers", tuple(self.providers))
        if len(self.providers) < 2:
            remedy = "a market needs at least two [[provider]] tables"
            raise InputError("provider", len(self.providers), "is too few", remedy)
        seen: set[str] = set()
        for position, provider in enumerate(self.providers, 1):
            place, cost, largest = f"provider[{position}]", provider.mean_cost, self.platform.cost_bound
            if provider.name in seen:
                raise InputError(f"{place}.name", provider.name, "is a duplicate", "give every provider its own name")
            seen.add(provider.name)
            if cost > largest:
                remedy = "raise platform.cost_bound or lower the cost"
                raise InputError(f"{place}.mean_cost", cost, f"must not exceed cost_bound={largest!r}", remedy)
            stated = provider.mean_cost_estimate
            if isinstance(stated, StatedInterval) and stated.high > largest:
                rule, remedy = f"must not exceed cost_bound={largest!r}", "no query costs more: lower the end"
                raise InputError(f"{place}.mean_cost.high", stated.high, rule, remedy)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Settings are keys of what was made for them, and hashing one reads all providers.
        return hash((self.name, self.platform, self.providers, self.pricing, self.inputs))

    def __getstate__(self) -> dict[str, Any]:
        # Another process hashes texts otherwise.
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    @property
    def is_uncertain(self) -> bool:
        """Whether an estimate leaves a quality or a mean cost uncertain."""
        return any(each.is_uncertain for each in self.providers if each.quality_estimate or each.mean_cost_estimate)

    @property
    def point(self) -> Setting:
        """The setting of the point estimates, as if they were exact."""
        if all(each.quality_estimate is each.mean_cost_estimate is None for each in self.providers):
            return self
        exact = (replace(each, quality_estimate=None, mean_cost_estimate=None) for each in self.providers)
        return replace(self, providers=tuple(exact), inputs=StatedInputs())

    @property
    def second_best_quality(self) -> float:
        """The highest threshold that two providers reach."""
        return sorted(provider.quality for provider in self.providers)[-2]

    @property
    def n_providers(self) -> int:
        """N, the number of providers."""
        return len(self.providers)

    @cached_property
    def qualified(self) -> tuple[int, ...]:
        """Indices of the qualified set Q = {i : q_i >= q_min}."""
        return tuple(i for i, p in enumerate(self.providers) if p.quality >= self.platform.quality_threshold)

    @cached_property
    def unqualified(self) -> tuple[int, ...]:
        """Indices of the providers outside Q."""
        return tuple(i for i, p in enumerate(self.providers) if p.quality < self.platform.quality_threshold)

    @cached_property
    def optimal(self) -> int | None:
        """Index of i*, the cheapest qualified provider; None if there is none or it is not unique."""
        return self._cheapest[0] if len(self._cheapest) == 1 else None

    @cached_property
    def _cheapest(self) -> tuple[int, ...]:
        """Indices of the qualified providers with the lowest mean cost."""
        lowest = min((self.providers[i].mean_cost for i in self.qualified), default=None)
        return tuple(i for i in self.qualified if self.providers[i].mean_cost == lowest)

    @cached_property
    def competitors(self) -> tuple[int, ...]:
        """Indices of Q without i*; empty if there is no unique i*."""
        return tuple(i for i in self.qualified if i != self.optimal) if self.optimal is not None else ()

    @cached_property
    def second_lowest_cost(self) -> float | None:
        """cbar_(2), the lowest mean cost among the competitors of i*; None if there is none."""
        return min((self.providers[i].mean_cost for i in self.competitors), default=None)

    @cached_property
    def unseparated(self) -> tuple[int, ...]:
        """Indices of the competitors whose cost gap does not exceed d_- + d_+: their L_i has no value."""
        if self.optimal is None:
            return ()
        from fractions import Fraction  # the settings are listed without

        # Exactly: a sum and a difference of doubles can round to opposite sides of one another.
        deviation = Fraction(self.platform.underbid) + Fraction(self.platform.overbid)
        reach = Fraction(self.providers[self.optimal].mean_cost) + deviation
        # Rounding a sum up keeps its order to doubles: only those up to there are compared exactly.
        near = math.nextafter(float(reach), math.inf)
        costs = ((i, self.providers[i].mean_cost) for i in self.competitors)
        return tuple(i for i, cost in costs if cost <= near and cost <= reach)

    @cached_property
    def unseparated_told(self) -> str:
        """Why the competitors' bounds are undefined under the stated deviations; an empty string if they are not."""
        if not self.unseparated:
            return ""
        from fractions import Fraction  # as above

        named, more = self.unseparated[:_NAMED], len(self.unseparated) - _NAMED
        close = ", ".join(self.providers[i].name for i in named) + (f" and {more:,} more" if more > 0 else "")
        deviation = float(Fraction(self.platform.underbid) + Fraction(self.platform.overbid))
        return f"the cost gap of {close} does not exceed underbid + overbid = {deviation:g} (prop:deviation-selection)"

    @cached_property
    def unmet_assumptions(self) -> tuple[str, ...]:
        """Why the paper's theory does not apply, one sentence each; empty if it does."""
        radius = (
            f"the paper's theorems are stated for its own confidence radius; this platform's is {self.platform.radius}",
        )
        return (*self.unmet_of_market, *(() if self.platform.papers_radius else radius))

    @cached_property
    def unmet_of_market(self) -> tuple[str, ...]:
        """What the providers lack that any guarantee of identification needs, one sentence each."""
        count = len(self.qualified)
        few = f"{count or 'no'} provider{'s' * (count > 1)} reach{'es' * (count < 2)} the quality threshold"
        few = f"{few}; the theory needs at least two (quality_threshold at most {self.second_best_quality!r})"
        tied = self._cheapest[:_NAMED]
        names = ", ".join(self.providers[i].name for i in tied) + ", ..." * (len(self._cheapest) > len(tied))
        tie = (
            f"the cheapest qualified provider is not unique (a tie of mean costs: {names}); the theory needs a unique "
            "i*: state these costs to more digits, or leave all of them but one out"
        )
        unmet = {few: len(self.qualified) < 2, tie: bool(self.qualified) and self.optimal is None}
        return tuple(reason for reason, found in unmet.items() if found)


def _take_estimate(provider: Provider, quantity: Quantity) -> None:
    """Put the point of an estimate in the place of the number, and keep the estimate of a number beside it."""
    name = quantity.name
    given, kept = getattr(provider, name), getattr(provider, f"{name}_estimate")
    if isinstance(given, Mapping):
        given = estimate_of(name, given)
    if isinstance(given, Estimate):
        for each, value in vars(given).items():
            if each in ("mean", "low", "high") and (rule := broken_rule(quantity, value)):
                raise InputError(f"{name}.{each}", value, rule, f"it estimates the {quantity.meaning}")
        object.__setattr__(provider, name, given.point)
        kept = given
    elif kept is not None and kept.point != given:
        kept = None
    object.__setattr__(provider, f"{name}_estimate", kept)


def _set_number(owner: Any, quantity: Quantity, remedy: str) -> None:
    """Turn a field into a finite float in the range of the quantity of its name, or say what is wrong with it."""
    name = quantity.name
    number = finite_number(name, getattr(owner, name))
    if rule := broken_rule(quantity, number):
        rescaled = quantity.unit == MONEY and quantity.contains(number)
        raise InputError(name, number, rule, "state money in another unit" if rescaled else remedy)
    object.__setattr__(owner, name, number)


def broken_rule(quantity: Quantity, value: float) -> str:
    """Return the rule that a finite number of a setting breaks; an empty string if it breaks none."""
    if not quantity.contains(value):
        return quantity.rule
    if value > LARGEST_NUMBER:
        return f"must not exceed {LARGEST_NUMBER:g}"
    if quantity.lower_open and value < SMALLEST_POSITIVE:
        return f"must be at least {SMALLEST_POSITIVE:g}"
    return ""
