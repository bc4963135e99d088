"""Budget and exact failure of every band of a setting, and how many selections exclude each unqualified provider."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

from bounds.coverage.elimination import EliminationLaw, elimination_law
from bounds.coverage.enclosure import Bracket, above
from bounds.coverage.lattice import BUDGET, LATTICE_COUNTS, LatticeExit, lattice_exit
from bounds.coverage.tail import tail_bound, union_bound
from bounds.coverage.walk import FOLLOWED_COUNTS, band_exit
from bounds.coverage.worst import WorstQuality, worst_quality
from bounds.documents import (
    BY_NAME,
    INTERNAL,
    Count,
    Document,
    FromOne,
    NonNegative,
    OpenProbability,
    Probability,
    key,
    limits,
    named,
    to_data,
)
from bounds.errors import InputError
from bounds.setting.model import Provider, Setting
from bounds.sheet import HasSheet, Sheet
from mechanism.arguments import whole_number
from mechanism.market.market import MarketLaws, market_laws
from proofs_checks.coverage.costs import query_cost_law

#: Counts that can be followed: the time grows with the power 1.5.
LARGEST_COUNTS = 10**6
#: Probabilities at which the law of elimination is told: that of more selections.
QUANTILES = (0.5, 0.05, 0.001, 1e-6)
_LAST_QUANTILE = 1e-9
#: Costs of more providers are followed less far each, so that all of them take no longer.
_MANY = 50
#: A cost bound of more lattice steps makes band limits that exceed 64 bits.
_WIDEST = 2**50
CostMethod = Literal["lattice", "hoeffding"]
_COLUMNS = (
    *("name", "quality", "qualified", "budget", "exact_score_failure", "score_failure_at_least", "tail_bound"),
    *("share_of_budget", "downward_failure", "cost_failure", "mean_selections"),
    *(f"selections_at_{share:g}" for share in QUANTILES),
)


class Quantile(NamedTuple):
    """A number of selections that is exceeded with no more than a probability.

    Parameters
    ----------
    probability : float
        Probability, at most, of more.
    selections : int
        The least such number.
    """

    probability: OpenProbability
    selections: Count


@dataclass(frozen=True, kw_only=True)
class Elimination:
    """Selections after initialization of a provider that is always selected while it is eligible.

    Parameters
    ----------
    mean : Bracket
        Their mean lies between these.
    quantiles : tuple of Quantile
        Numbers of selections that are exceeded with no more than a probability.
    law : EliminationLaw
    """

    mean: Bracket
    quantiles: Annotated[tuple[Quantile, ...], limits(minItems=1)]
    law: EliminationLaw = field(metadata=INTERNAL)


@dataclass(frozen=True, kw_only=True)
class ProviderCoverage:
    """The bands of one provider.

    Parameters
    ----------
    provider : Provider
    qualified : bool
        Whether it reaches the quality threshold.
    budget : float
        What delta sets aside for the scores of a provider, and again for its costs: delta/(2N).
    scores : Bracket
        Probability that the mean of scores of 0 and 1 leaves its band up to the counts that are followed.
    tail_bound : float
        Probability, at most, that it leaves it at a later count.
    downward : float or None
        Probability, at most, that a qualified provider is ever excluded; None if it is not qualified.
    costs : Bracket
        Probability that the mean of the market's costs leaves its band, at any count.
    cost_counts : int
        Counts up to which costs are followed exactly; beyond, the probability is bounded.
    cost_method : {"lattice", "hoeffding"}
        Whether the law of the costs was used, or only that they lie in 0..c_max.
    elimination : Elimination or None
        When an unqualified provider is eliminated; None if it is qualified or was not followed so far.
    no_elimination : str or None
        Why an unqualified provider was not followed to its elimination; None if it was, or is qualified.
    """

    provider: Provider = field(metadata=INTERNAL)
    qualified: bool
    budget: OpenProbability
    scores: Bracket = field(metadata=INTERNAL)
    tail_bound: Probability
    downward: Probability | None = field(metadata=named("downward_failure"))
    costs: Bracket = field(metadata=INTERNAL)
    cost_counts: Count
    cost_method: CostMethod
    elimination: Elimination | None
    no_elimination: str | None

    @key
    def name(self) -> str:
        """Name of the provider."""
        return self.provider.name

    @key
    def quality(self) -> Probability:
        """Its mean score."""
        return self.provider.quality

    @key
    def exact_score_failure(self) -> Probability:
        """Probability that its mean score leaves its band within `counts`: the upper end of an enclosure."""
        return self.scores.upper

    @key
    def score_failure_at_least(self) -> Probability:
        """The lower end of that enclosure."""
        return self.scores.lower

    @key
    def cost_failure(self) -> Probability:
        """Probability, at most, that its mean cost ever leaves its band."""
        return self.costs.upper

    @key
    def cost_failure_at_least(self) -> Probability:
        """Probability, at least, that its mean cost ever leaves its band."""
        return self.costs.lower

    @key
    def share_of_budget(self) -> NonNegative:
        """`exact_score_failure` and `tail_bound` together, over `budget`."""
        return self.score_failure / self.budget if self.score_failure != above(self.budget) else 1.0

    @property
    def score_failure(self) -> float:
        """Probability, at most, that the mean score ever leaves its band."""
        found = Bracket(lower=self.scores.lower, upper=min(1.0, above(self.scores.upper + self.tail_bound)))
        return found.at_most(above(self.budget)).upper


@dataclass(frozen=True, kw_only=True)
class CoverageReport(Document, HasSheet):
    """How probable it is that the confidence bands of a setting fail, against what delta allows.

    Scores are 0 or 1 and independent; costs are those of the setting's market.

    Parameters
    ----------
    setting : Setting
        Name of the setting.
    counts : int
        Selection counts up to which scores are followed exactly.
    providers : tuple of ProviderCoverage
        The bands of each provider, in the order of the setting.
    worst : WorstQuality
        The quality at which binary scores leave their band most probably; 1 minus it is as bad.
    """

    setting: Setting = field(metadata=BY_NAME)
    counts: FromOne
    providers: Annotated[tuple[ProviderCoverage, ...], limits(minItems=2)]
    worst: WorstQuality = field(metadata=named("worst_quality"))

    def __repr__(self) -> str:
        return f"CoverageReport({self.setting.name!r}, fails with {self.total:.3g} at most, delta {self.confidence:g})"

    @key
    def confidence(self) -> OpenProbability:
        """Probability delta with which the guarantees may fail."""
        return self.setting.platform.confidence

    @property
    def rounding_hides(self) -> bool:
        """Whether following a law leaves more than the union bound somewhere: that bound is then the probability."""
        return any(max(each.score_failure, each.costs.upper) >= each.budget for each in self.providers)

    @key
    def score_failure(self) -> NonNegative:
        """Probability, at most, that any mean score ever leaves its band."""
        return math.fsum(each.score_failure for each in self.providers)

    @key
    def cost_failure(self) -> NonNegative:
        """Probability, at most, that any mean cost ever leaves its band."""
        return math.fsum(each.costs.upper for each in self.providers)

    @key
    def false_exclusion(self) -> NonNegative:
        """Probability, at most, that any qualified provider is ever excluded."""
        return math.fsum(each.downward for each in self.providers if each.downward is not None)

    @key
    def total(self) -> Probability:
        """Probability, at most, that the good event fails."""
        most = min(1.0, (self.score_failure + self.cost_failure) * (1 + 1e-12))
        return Bracket(lower=self.total_at_least, upper=most).at_most(self.confidence).upper

    @key
    def total_at_least(self) -> Probability:
        """Probability, at least, that the good event fails: that of the band that fails most probably."""
        return max(max(each.scores.lower, each.costs.lower) for each in self.providers)

    @key
    def share_of_delta(self) -> NonNegative:
        """`total` over delta."""
        return self.total / self.confidence

    @key
    def runs_to_see_a_failure(self) -> NonNegative | None:
        """Runs that show a failure with probability 0.95, at least; None if it never fails, or always may."""
        return math.log(20) / -math.log1p(-self.total) if 0 < self.total < 1 else None

    def sheet(self) -> Sheet:
        """Return a row for every provider; of selections that eliminate it, the mean and those exceeded so rarely."""
        rows = []
        for each in self.providers:
            told = each.elimination
            found = {} if told is None else dict(told.quantiles)
            selections = {f"selections_at_{share:g}": found.get(share) for share in QUANTILES}
            mean = {"mean_selections": None if told is None else told.mean.middle}
            rows.append(to_data(each) | mean | selections)
        return Sheet.of(f"Coverage of the bands of {self.setting.name}", _COLUMNS, rows, key="name")


def coverage(
    setting: Setting,
    *,
    counts: int = FOLLOWED_COUNTS,
    laws: MarketLaws | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CoverageReport:
    """Compute how probable it is that the confidence bands of a setting fail.

    Scores are taken to be 0 or 1 and independent, with the qualities of the setting, and are followed exactly.

    Parameters
    ----------
    setting : Setting
    counts : int, optional
        Largest count that is followed exactly, from 1 to 1,000,000; beyond, a bound for all laws.
    laws : MarketLaws, optional
        Where the laws of the costs come from; default the setting's market.
    progress : callable, optional
        Called with the providers done and all of them.

    Raises
    ------
    InputError
        The number of counts is out of range, or the setting has another confidence radius than the paper's.

    Examples
    --------
    >>> from bounds.published import published
    >>> report = coverage(published("gpqa-strong").setting, counts=2000)
    >>> report.total < 1e-5, report.providers[0].elimination.quantiles[0].selections
    (True, 1132)
    """
    counts = whole_number("horizon", counts, "counts are followed up to it", least=1, most=LARGEST_COUNTS)
    if not setting.platform.papers_radius:
        remedy = "`costproof verify --claim lem:good-event:any-radius` compares other bands, up to m = 1,000"
        raise InputError("radius", setting.platform.radius, "is not the paper's, whose bands are followed here", remedy)
    market = market_laws(setting) if laws is None else laws
    worst = worst_quality(n_providers=setting.n_providers, confidence=setting.platform.confidence)
    found: list[ProviderCoverage] = []
    # Machine code runs without the interpreter's lock, so threads use all cores.
    with ThreadPoolExecutor(min(setting.n_providers, os.cpu_count() or 1)) as threads:
        for each in threads.map(lambda index: _of_provider(setting, index, counts, market), range(setting.n_providers)):
            found.append(each)
            progress(len(found), setting.n_providers)
    return CoverageReport(setting=setting, counts=counts, providers=tuple(found), worst=worst)


def _of_provider(setting: Setting, index: int, counts: int, market: MarketLaws) -> ProviderCoverage:
    provider, n, delta = setting.providers[index], setting.n_providers, setting.platform.confidence
    scores = band_exit(provider.quality, n_providers=n, confidence=delta, counts=counts)
    costs, method = _costs(setting, index, market)
    qualified = index in setting.qualified
    downward = _downward(provider, n, delta, counts) if qualified else None
    elimination, why_not = (None, None) if qualified else _elimination(setting, provider)
    return ProviderCoverage(
        provider=provider,
        qualified=qualified,
        budget=delta / (2 * n),
        scores=scores,
        tail_bound=tail_bound(counts, n_providers=n, confidence=delta),
        downward=downward,
        costs=costs.failure.at_most(union_bound(n, delta)),
        cost_counts=costs.counts,
        cost_method=method,
        elimination=elimination,
        no_elimination=why_not,
    )


def _downward(provider: Provider, n_providers: int, confidence: float, counts: int) -> float:
    found = band_exit(provider.quality, n_providers=n_providers, confidence=confidence, counts=counts, side="below")
    rest = tail_bound(counts, n_providers=n_providers, confidence=confidence, sides=1)
    ever = Bracket(lower=found.lower, upper=min(1.0, above(found.upper + rest)))
    return ever.at_most(union_bound(n_providers, confidence, sides=1)).upper


def _costs(setting: Setting, index: int, market: MarketLaws) -> tuple[LatticeExit, CostMethod]:
    n, delta = setting.n_providers, setting.platform.confidence
    law = query_cost_law(market.providers[index].market, setting.platform.cost_bound)
    if law is not None and law.bound <= _WIDEST:
        products = BUDGET * min(1.0, _MANY / n)
        return lattice_exit(law, n_providers=n, confidence=delta, counts=LATTICE_COUNTS, budget=products), "lattice"
    # A mean of one draw never leaves its band for N >= 2: beta(1) is 1 or more.
    rest = tail_bound(1, n_providers=n, confidence=delta)
    return LatticeExit(followed=Bracket(lower=0.0, upper=0.0), counts=1, beyond=rest), "hoeffding"


def _elimination(setting: Setting, provider: Provider) -> tuple[Elimination | None, str | None]:
    platform = setting.platform
    try:
        law = elimination_law(
            provider.quality,
            quality_threshold=platform.quality_threshold,
            n_providers=setting.n_providers,
            confidence=platform.confidence,
            failure=_LAST_QUANTILE,
        )
    except InputError as error:
        return None, f"{error.argument} {error.rule}"
    quantiles = tuple(Quantile(share, found) for share in QUANTILES if (found := law.quantile(share)) is not None)
    return Elimination(mean=law.mean, quantiles=quantiles, law=law), None
