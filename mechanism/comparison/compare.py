"""Two policies on common outcomes: runs are added until every metric is decided, and stopping early changes no odds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from time import perf_counter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from bounds.documents import INLINE, Count, Document, NonNegative, OpenProbability, Positive, key, limits, one_of
from bounds.errors import InputError
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.campaign.spec import Campaign, CampaignPart
from mechanism.comparison.confidence_sequence import decided_after, mean_interval
from mechanism.comparison.names import COMPARED, FIRST_COMPARED
from mechanism.comparison.ranges import largest_value
from mechanism.metrics.measures import Metrics, metrics_of_runs
from mechanism.policies import PolicyName

#: Runs of compiled policies that are played before it is looked again whether they decide; no result depends on it.
_AT_ONCE = 20


@dataclass(frozen=True)
class ComparedMetric:
    """A metric of two policies on the same runs.

    Parameters
    ----------
    metric : str
        The metric, as `simulate --json` calls it.
    first_mean : float
        Mean over runs under the first policy.
    second_mean : float
        Mean over runs under the second policy.
    mean_difference : float
        Mean over runs of first minus second.
    low : float
        The expected difference is at least this.
    high : float
        The expected difference is at most this.
    largest_difference : float
        No run can differ by more, known beforehand.
    paired_low, paired_high : float or None
        Student's interval of the differences of these pairs; None for one pair. It is valid for a number of pairs that
        was fixed beforehand and a mean difference that is about normal.
    decided_after : int or None
        Pairs of runs after which the sign of the expected difference was known; None while it is not.
    lower : str or None
        The policy with the lower expectation; None while it is not known.
    """

    metric: Annotated[str, one_of(COMPARED)]
    _: KW_ONLY
    first_mean: float
    second_mean: float
    mean_difference: float
    low: float
    high: float
    largest_difference: Positive
    decided_after: Annotated[int, limits(minimum=1)] | None
    lower: str | None
    paired_low: float | None
    paired_high: float | None


@dataclass(frozen=True, kw_only=True)
class Comparison(Document, HasSheet):
    """Two policies on common outcomes, with intervals that are right after every pair of runs at once.

    Parameters
    ----------
    part : CampaignPart
        The setting, T, the seed, the bidders and the two policies.
    runs : int
        Pairs of runs that the numbers are of.
    most_runs : int
        Pairs of runs that were allowed.
    error : float
        Probability, at most, that any interval or decision is wrong, whenever one stops.
    metrics : tuple of ComparedMetric
        What was found of every metric.
    seconds : float
        Seconds of simulation, compilation excluded.
    warnings : tuple of str
        What was simulated otherwise than the setting says, and which metrics are not compared, in sentences.
    """

    part: CampaignPart = field(metadata=INLINE)
    runs: Annotated[int, limits(minimum=1)]
    most_runs: Annotated[int, limits(minimum=1)]
    error: OpenProbability
    metrics: Annotated[tuple[ComparedMetric, ...], limits(minItems=1)]
    seconds: NonNegative
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        decided = f"{self.decided} of {len(self.metrics)} decided after {self.runs} runs"
        return f"Comparison({self.first} and {self.second}, {decided})"

    @key
    def first(self) -> PolicyName:
        """The first policy."""
        return self.part.policies[0]

    @key
    def second(self) -> PolicyName:
        """The second policy."""
        return self.part.policies[1]

    @key
    def decided(self) -> Count:
        """Metrics of which it is known which policy is lower."""
        return sum(found.decided_after is not None for found in self.metrics)

    @key
    def error_each(self) -> OpenProbability:
        """The share of `error` that each metric has, all the same (Bonferroni)."""
        return self.error / len(self.metrics)

    def sheet(self) -> Sheet:
        """Return a row for every metric."""
        pairs = f"{counted(self.runs, 'pair')} of runs"
        title = f"{self.first} and {self.second} on {self.part.setting.name}: {pairs} (seed {self.part.seed})"
        columns = [each.name for each in fields(ComparedMetric)]
        return Sheet.of(title, columns, map(vars, self.metrics))


def compare_policies(
    campaign: Campaign,
    *,
    metrics: Sequence[str] = (),
    error: float = 0.05,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Comparison:
    """Play pairs of runs under two policies until every metric is decided, or the campaign's runs are played.

    Each pair meets the same outcomes, so a difference is one of the policies. Differences of different pairs are
    independent and lie in a range that is known beforehand; nothing else is assumed of them.

    Parameters
    ----------
    campaign : Campaign
        Of one setting and two policies; `runs` is the most that are played.
    metrics : sequence of str, optional
        Of `mechanism.comparison.ranges.COMPARED`; default regret of quality, regret of cost and the amount paid, as far
        as they can differ in the setting.
    error : float, optional
        In (0, 1): how probable a wrong decision among all metrics is at most, whenever one stops.
    progress : callable, optional
        Called with the pairs done and the most.

    Raises
    ------
    InputError
        There are not two policies, a metric is unknown or cannot differ here, or a run left its range.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting, policies = published("gpqa-strong").setting, ("uniform-eligible", "lowest-price")
    >>> campaign = Campaign(setting, horizon=2_000, runs=200, seed=0, window=500, policies=policies)
    >>> [found] = compare_policies(campaign, metrics=["quality_regret"]).metrics
    >>> found.lower, found.low < found.mean_difference < found.high < 0
    ('uniform-eligible', True)
    """
    part = _pair(campaign)
    largest, lacking = _largest(part, metrics)
    runs = _Runs(part)
    differences: dict[str, list[float]] = {metric: [] for metric in largest}
    found: dict[str, int] = {}
    progress(0, campaign.runs)
    while len(runs) < campaign.runs and len(found) < len(largest):
        runs.play(min(len(runs) + runs.at_once, campaign.runs))
        for metric, most in largest.items():
            differences[metric] = runs.differences(metric, most)
            if after := int(decided_after(differences[metric], largest=most, error=error / len(largest))):
                found[metric] = after
        progress(len(runs), campaign.runs)
    played = max(found.values()) if len(found) == len(largest) else len(runs)
    return Comparison(
        part=part,
        runs=played,
        most_runs=campaign.runs,
        error=error,
        metrics=tuple(
            _compared(runs, metric, most, played, error / len(largest), found.get(metric))
            for metric, most in largest.items()
        ),
        seconds=runs.seconds,
        warnings=(*campaign.warnings(part.setting.name), *lacking),
    )


def _pair(campaign: Campaign) -> CampaignPart:
    if len(campaign.parts) != 1 or len(campaign.parts[0].policies) != 2:
        rule = "must be two different policies on one setting"
        raise InputError("policies", campaign.policies, rule, "a policy never differs from itself on common outcomes")
    return campaign.parts[0]


def _largest(part: CampaignPart, metrics: Sequence[str]) -> tuple[dict[str, float], list[str]]:
    """Return how much each metric can differ, and why not those that cannot, which nobody asked for."""
    margin = part.outcome_laws().tables().margin
    # A baseline pays the query price; what a policy of one's own pays is held to the same range.
    payment = (1 + margin) * part.setting.platform.cost_bound
    largest: dict[str, float] = {}
    lacking = []
    for metric in dict.fromkeys(metrics or FIRST_COMPARED):
        most = largest_value(metric, part.setting, horizon=part.horizon, largest_payment=payment)
        if most:
            largest[metric] = most
            continue
        rule = f"{'is not defined' if most is None else 'is always 0'} in {part.setting.name}"
        if metrics:
            raise InputError("metrics", metric, rule, "leave it out")
        lacking.append(f"{metric.replace('_', ' ')} is not compared: it {rule}")
    return largest, lacking


class _Runs:
    """The runs of both policies so far."""

    def __init__(self, part: CampaignPart) -> None:
        self._part, self.policies = part, part.policies
        self._episodes = [part.episode(policy) for policy in part.policies]
        self._metrics: list[list[Metrics]] = [[], []]
        self.at_once = _AT_ONCE if all(part.policy(policy).compiled for policy in part.policies) else 1
        self.seconds = 0.0

    def __len__(self) -> int:
        return len(self._metrics[0])

    def play(self, until: int) -> None:
        """Play pairs of runs until there are so many."""
        part, runs = self._part, range(len(self), until)
        began = perf_counter()
        for episode, found in zip(self._episodes, self._metrics, strict=True):
            played = episode.totals(horizon=part.horizon, seed=part.seed, runs=runs, checkpoints=part.steps)
            found += metrics_of_runs(episode.setting, played, window=part.window)
        self.seconds += max(0.0, perf_counter() - began)

    def values(self, metric: str, policy: int) -> list[float]:
        """Return a metric of every run under one of the two policies."""
        return [getattr(found, metric) for found in self._metrics[policy]]

    def differences(self, metric: str, most: float) -> list[float]:
        """Return first minus second for every pair, checked against the range that was stated beforehand."""
        for place, policy in enumerate(self._part.policies):
            for run, value in enumerate(self.values(metric, place)):
                if not -1e-9 * most <= value <= most * (1 + 1e-9):
                    rule = f"of {policy}, run {run}, lies outside [0, {most:.6g}], for which intervals are valid"
                    remedy = "a payment must lie between 0 and 1 + margin times the cost bound"
                    raise InputError(metric, value, rule, remedy)
        return [a - b for a, b in zip(self.values(metric, 0), self.values(metric, 1), strict=True)]


def _compared(runs: _Runs, metric: str, most: float, played: int, error: float, decided: int | None) -> ComparedMetric:
    differences = np.array(runs.differences(metric, most)[:played])
    low, high = mean_interval(differences, largest=most, error=error)
    paired = _paired(differences, most, error)
    means = [float(np.mean(runs.values(metric, place)[:played])) for place in (0, 1)]
    lower = None if decided is None else runs.policies[0 if high <= 0 else 1]
    return ComparedMetric(
        metric,
        first_mean=means[0],
        second_mean=means[1],
        mean_difference=float(differences.mean()),
        low=low,
        high=high,
        largest_difference=most,
        decided_after=decided,
        lower=lower,
        paired_low=paired[0],
        paired_high=paired[1],
    )


def _paired(differences: NDArray[np.float64], most: float, error: float) -> tuple[float, float] | tuple[None, None]:
    """Return Student's interval for the mean of differences, cut to the range of the metric; none of one."""
    from scipy.special import stdtrit  # 0.1 s, which the names of metrics need not pay

    count = len(differences)
    if count < 2:
        return None, None
    reach = -float(stdtrit(count - 1, error / 2) * differences.std(ddof=1) / np.sqrt(count))
    mean = float(differences.mean())
    return max(-most, mean - reach), min(most, mean + reach)
