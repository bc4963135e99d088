"""From a setting to the market of recorded generations, from recorded generations to a setting, and what differs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import MOST_TOKENS, PlatformParameters, Pricing, Provider, Setting
from bounds.words import first_of
from mechanism.arguments import whole_number
from mechanism.recorded.files import load_generations
from mechanism.recorded.generations import Generations
from mechanism.recorded.market import RecordedLaws, RecordedProvider

__all__ = [
    "base_models_of",
    "differences",
    "load_recorded_laws",
    "midpoint_threshold",
    "recorded_laws",
    "recorded_setting",
    "recording_notes",
]

#: Largest difference to a setting's quality, and to its mean cost in relation to it, that is not worth a note.
QUALITY_TOLERANCE, COST_TOLERANCE = 1e-3, 1e-2
_SHOWN = 3


def recorded_laws(
    generations: Generations, setting: Setting, *, margin: float | None = None, base_models: Sequence[str] | None = None
) -> RecordedLaws:
    """Return the market in which a setting's providers serve recorded generations.

    Parameters
    ----------
    generations : Generations
    setting : Setting
        Every provider needs a listed price. Its qualities and mean costs are not used: the market has those of
        the data, which `RecordedLaws.describe` states.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost; by default that of the setting's `Pricing`.
    base_models : sequence of str, optional
        Model of every provider; by default see `base_models_of`.

    Raises
    ------
    InputError
        A provider without listed price, a cost that can exceed the setting's cost bound, a published setting
        with another benchmark's generations, and what `RecordedLaws` refuses.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.5, 0.05, 8.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("m", 1, 4, 0.5), Provider("m@2", 1, 8, 0.5, 2)])
    >>> arrays = {"correct": [[[1, 1]]], "tokens": [[[10, 10]]], "reward": [[[0.1, 0.2]]]}
    >>> generations = Generations(benchmark="toy", models=("m",), questions=("q",), **arrays)
    >>> recorded_laws(generations, setting).market(seed=0, run=0).outcome(step=1, provider=1)
    (1.0, 8.0)
    """
    models = base_models_of(setting) if base_models is None else tuple(base_models)
    if len(models) != setting.n_providers:
        raise InputError("base_models", len(models), f"must be {setting.n_providers} names", "give one per provider")
    _check_benchmark(generations, setting)
    providers = []
    for position, (model, provider) in enumerate(zip(models, setting.providers, strict=True), 1):
        if provider.listed_price is None:
            remedy = "a recorded query costs tokens times a listed price"
            raise InputError(f"provider[{position}].listed_price", None, "must be given", remedy)
        providers.append(RecordedProvider(model, provider.listed_price, provider.multiplicity))
    laws = RecordedLaws(generations, tuple(providers), setting.pricing.margin if margin is None else margin)
    for i, name in enumerate(provider.name for provider in setting.providers):
        largest = laws.cost(i, laws.most_tokens[i])
        if largest > setting.platform.cost_bound:
            remedy = f"{name} can cost so much: raise platform.cost_bound, or leave the longest generations out"
            raise InputError("cost", largest, f"exceeds cost_bound={setting.platform.cost_bound!r}", remedy)
    return laws


def base_models_of(setting: Setting) -> tuple[str, ...]:
    """Return the model of every provider: as published, else what stands before ``@`` in its name.

    Examples
    --------
    >>> base_models_of(published("gsm8k-ladder").setting)[2:4]
    ('Llama-3-8B', 'Qwen2-1.5B')
    """
    known = {}
    if setting.name in PUBLISHED_NAMES:
        paper = published(setting.name)
        known = {each.name: model for each, model in zip(paper.setting.providers, paper.base_models, strict=True)}
    return tuple(known.get(each.name, each.name.split("@")[0]) for each in setting.providers)


def _check_benchmark(generations: Generations, setting: Setting) -> None:
    """Refuse the generations of one of the paper's benchmarks in a setting of the other."""
    benchmarks = {published(name).benchmark for name in PUBLISHED_NAMES}
    if setting.name not in PUBLISHED_NAMES or generations.benchmark not in benchmarks:
        return
    expected = published(setting.name).benchmark
    if generations.benchmark != expected:
        remedy = f"load the generations of {expected}, or rename the setting"
        raise InputError("generations", generations.benchmark, f"are not those of {setting.name}", remedy)


def recorded_setting(
    generations: Generations,
    providers: Sequence[RecordedProvider],
    *,
    quality_threshold: float | None = None,
    qualified: int | None = None,
    token_cap: int = 512,
    margin: float = 0.25,
    confidence: float = 0.05,
    exploration_scale: float = 2.0,
    exploration_exponent: float = 0.75,
    name: str | None = None,
) -> Setting:
    """Return the setting that recorded generations define (app:experimental-details).

    Parameters
    ----------
    generations : Generations
    providers : sequence of RecordedProvider
        Two or more, of different names.
    quality_threshold : float, optional
        q_min in [0, 1].
    qualified : int, optional
        Instead of it: how many providers qualify. The threshold is then the midpoint of the adjacent qualities.
    token_cap : int, optional
        L_max: no generation has more output tokens. The cost bound is L_max times the largest n_i lambda_m
        (eq:experimental-cmax), in the money of the listed prices.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost.
    confidence, exploration_scale, exploration_exponent : float, optional
        delta, k and alpha; by default those of the paper's experiments.
    name : str, optional
        By default the benchmark.

    Returns
    -------
    Setting
        Qualities and mean costs are the exact ones, correctly rounded.

    Raises
    ------
    InputError
        Neither or both of threshold and number of qualified providers, qualities that tie where the threshold
        should part them, a generation longer than the cap, and what `RecordedLaws` and `Setting` refuse.

    Examples
    --------
    >>> arrays = {"correct": [[[1, 1]], [[1, 0]]], "tokens": [[[10, 30]], [[10, 10]]]}
    >>> generations = Generations(benchmark="toy", models=("large", "small"), questions=("q",), **arrays)
    >>> roster = [RecordedProvider("large", 0.5), RecordedProvider("small", 0.25)]
    >>> setting = recorded_setting(generations, roster, qualified=1)
    >>> setting.platform.quality_threshold, setting.platform.cost_bound, setting.providers[0].mean_cost
    (0.75, 256.0, 8.0)
    """
    laws = RecordedLaws(generations, tuple(providers), margin)
    _check_cap(laws, token_cap)
    qualities = [laws.quality(i) for i in range(len(laws.providers))]
    if (quality_threshold is None) == (qualified is None):
        given = (quality_threshold, qualified)
        raise InputError("quality_threshold, qualified", given, "must not both be given or left out", "give one")
    if qualified is not None:
        quality_threshold = float(midpoint_threshold(qualities, qualified))
    rates = [each.multiplicity * Fraction(each.listed_price) for each in laws.providers]
    platform = PlatformParameters(
        quality_threshold,  # type: ignore[arg-type]
        confidence,
        float(token_cap * max(rates)),
        exploration_scale,
        exploration_exponent,
    )
    roster = tuple(
        Provider(each.name, float(quality), float(laws.mean_cost(i)), float(each.listed_price), each.multiplicity)
        for i, (each, quality) in enumerate(zip(laws.providers, qualities, strict=True))
    )
    return Setting(name or generations.benchmark, platform, roster, Pricing(min(token_cap, MOST_TOKENS), margin))


def midpoint_threshold(qualities: Sequence[Fraction], qualified: int) -> Fraction:
    """Return the midpoint of the two adjacent qualities that leaves so many providers qualified.

    Parameters
    ----------
    qualities : sequence of fractions.Fraction
        Of N providers, in any order.
    qualified : int
        In 1..N. If all are to qualify, the other of the two qualities is 0.

    Raises
    ------
    InputError
        The number is out of range, or the two qualities are equal.

    Examples
    --------
    >>> midpoint_threshold([Fraction(1, 4), Fraction(1), Fraction(1, 2)], 2)
    Fraction(3, 8)
    """
    whole_number("qualified", qualified, "it is a number of providers", least=1, most=len(qualities))
    ranked = [*sorted(qualities, reverse=True), Fraction(0)]
    lowest, next_one = ranked[qualified - 1], ranked[qualified]
    # Two qualities that round to one float would put both on one side.
    if float(lowest) == float(next_one):
        tied = f"provider {qualified} and the next have" if qualified < len(qualities) else "the last provider has"
        remedy = f"{tied} quality {float(lowest)!r}; choose another number"
        raise InputError("qualified", qualified, "is undecided by a tie", remedy)
    return (lowest + next_one) / 2


def _check_cap(laws: RecordedLaws, token_cap: int) -> None:
    whole_number("token_cap", token_cap, "it is L_max, in output tokens", least=1)
    recorded = laws.generations
    for model in laws.models:
        tokens = recorded.tokens[model]
        if tokens.max() > token_cap:
            question = recorded.questions[int(tokens.max(axis=1).argmax())]
            rule = f"is below the {tokens.max()} tokens of a generation of {recorded.models[model]}"
            raise InputError("token_cap", token_cap, rule, f"question {question!r} has it; raise the cap")


def load_recorded_laws(
    folder: str | os.PathLike[str], setting: Setting, *, benchmark: str | None = None
) -> RecordedLaws:
    """Load the recorded generations that a setting's providers serve.

    Parameters
    ----------
    folder : str or path-like
    setting : Setting
        Only its models are loaded; rewards are required if a provider is best-of-n.
    benchmark : str, optional
        See `mechanism.recorded.files.load_generations`.

    Raises
    ------
    InputError
        What `load_generations` and `recorded_laws` refuse.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.4, 0.05, 8.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("a", 0.5, 4.0, 0.5), Provider("b", 0.25, 4.0, 0.5)])
    >>> rows = "a,q,0,1,10\\na,q,1,0,10\\nb,q,0,0,5\\nb,q,1,0,15\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.csv").write_text("model,question,generation,correct,tokens\\n" + rows)
    ...     laws = load_recorded_laws(folder, setting)
    >>> laws.market(seed=0, run=0).outcome(step=1, provider=0)[1]
    4.0
    >>> recording_notes(laws, setting)
    ("recorded qualities differ from the setting's, which regrets use: most for b, 0 against 0.25",)
    """
    models = tuple(dict.fromkeys(base_models_of(setting)))
    best_of_n = any(provider.multiplicity > 1 for provider in setting.providers)
    generations = load_generations(folder, benchmark, models=models, require_rewards=best_of_n)
    return recorded_laws(generations, setting)


def recording_notes(laws: RecordedLaws, setting: Setting) -> tuple[str, ...]:
    """Return what somebody who runs a setting on recorded generations should know, a line each.

    Parameters
    ----------
    laws : RecordedLaws
        Of the setting's providers.
    setting : Setting

    Returns
    -------
    tuple of str
        Questions that were left out, repeated rows, and the largest difference to the setting's qualities and mean
        costs if it exceeds 1e-3 and 1 percent.
    """
    report = laws.generations.alignment
    notes = []
    if report.misalignments:
        lacking = Counter(each.model for each in report.misalignments)
        by_model = ", ".join(f"{model} lacks {count:,}" for model, count in lacking.most_common(_SHOWN))
        left_out = f"{len(report.dropped)} question(s) are left out ({by_model})"
        notes.append(f"{left_out}: {_listed([str(each) for each in report.misalignments])}")
    if report.repeated_rows:
        notes.append(f"repeated rows are ignored: {_listed(report.repeated_rows)}")
    notes += report.changed_means
    if report.unused_rewards:
        notes.append(f"rewards are ignored: {_listed(report.unused_rewards)}")
    return (*notes, *differences(laws, setting))


class ExactMeans(Protocol):
    """A market whose qualities and mean costs are known exactly."""

    def quality(self, provider: int) -> Fraction:
        """Return q_i."""

    def mean_cost(self, provider: int) -> Fraction:
        """Return cbar_i, money."""


def differences(laws: ExactMeans, setting: Setting) -> tuple[str, ...]:
    """Return a line on the qualities of a market that differ from the setting's, and one on the mean costs.

    Parameters
    ----------
    laws : ExactMeans
        Of the setting's providers.
    setting : Setting

    Returns
    -------
    tuple of str
        Empty where qualities differ by 1e-3 and mean costs by 1 percent at most.
    """
    providers = range(setting.n_providers)
    qualities = [(float(laws.quality(i)), float(setting.providers[i].quality)) for i in providers]
    costs = [(float(laws.mean_cost(i)), float(setting.providers[i].mean_cost)) for i in providers]
    found = _difference("qualities", setting, qualities, [QUALITY_TOLERANCE] * len(qualities))
    found += _difference("mean costs", setting, costs, [COST_TOLERANCE * stated for _, stated in costs])
    return tuple(found)


def _listed(found: Sequence[str]) -> str:
    return first_of(found, _SHOWN, separator="; ")


def _difference(what: str, setting: Setting, pairs: list[tuple[float, float]], tolerances: list[float]) -> list[str]:
    """Return a line on the provider whose recorded value exceeds its tolerance most, or nothing if none does."""
    excess = [abs(found - stated) - tolerance for (found, stated), tolerance in zip(pairs, tolerances, strict=True)]
    worst = max(range(len(excess)), key=excess.__getitem__)
    if excess[worst] <= 0:
        return []
    found, stated = pairs[worst]
    name = setting.providers[worst].name
    most = f"most for {name}, {found:.6g} against {stated:.6g}"
    return [f"recorded {what} differ from the setting's, which regrets use: {most}"]
