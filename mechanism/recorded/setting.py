"""From a setting to the market of recorded generations, and from recorded generations to a setting."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.recorded.generations import Generations
from mechanism.recorded.market import RecordedLaws, RecordedProvider

__all__ = ["base_models_of", "midpoint_threshold", "recorded_laws", "recorded_setting"]


def recorded_laws(
    generations: Generations, setting: Setting, *, margin: float = 0.25, base_models: Sequence[str] | None = None
) -> RecordedLaws:
    """Return the market in which a setting's providers serve recorded generations.

    Parameters
    ----------
    generations : Generations
    setting : Setting
        Every provider needs a listed price. Its qualities and mean costs are not used: the market has those of
        the data, which `RecordedLaws.describe` states.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost.
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
    >>> generations = Generations("toy", ("m",), ("q",), [[[1, 1]]], [[[10, 10]]], [[[0.1, 0.2]]])
    >>> recorded_laws(generations, setting).market(seed=0, run=0).outcome(step=1, provider=1)
    (1.0, 8.0)
    """
    models = base_models_of(setting) if base_models is None else tuple(base_models)
    if len(models) != setting.n_providers:
        raise InputError("base_models", len(models), f"must be {setting.n_providers} names", "give one a provider")
    _check_benchmark(generations, setting)
    providers = []
    for position, (model, provider) in enumerate(zip(models, setting.providers, strict=True), 1):
        if provider.listed_price is None:
            remedy = "a recorded query costs tokens times a listed price"
            raise InputError(f"provider[{position}].listed_price", None, "must be given", remedy)
        providers.append(RecordedProvider(model, provider.listed_price, provider.multiplicity))
    laws = RecordedLaws(generations, tuple(providers), margin)
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
    >>> correct, tokens = [[[1, 1]], [[1, 0]]], [[[10, 30]], [[10, 10]]]
    >>> generations = Generations("toy", ("large", "small"), ("q",), correct, tokens)
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
    return Setting(
        name or generations.benchmark,
        PlatformParameters(
            quality_threshold=quality_threshold,  # type: ignore[arg-type]
            confidence=confidence,
            cost_bound=float(token_cap * max(rates)),
            exploration_scale=exploration_scale,
            exploration_exponent=exploration_exponent,
        ),
        tuple(
            Provider(each.name, float(quality), float(laws.mean_cost(i)), float(each.listed_price), each.multiplicity)
            for i, (each, quality) in enumerate(zip(laws.providers, qualities, strict=True))
        ),
    )


def midpoint_threshold(qualities: Sequence[Fraction], qualified: int) -> Fraction:
    """Return the midpoint of the two adjacent qualities that leaves so many providers qualified.

    Parameters
    ----------
    qualities : sequence of fractions.Fraction
        Of N providers, in any order.
    qualified : int
        In 1..N-1.

    Raises
    ------
    InputError
        The number is out of range, or the two qualities are equal.

    Examples
    --------
    >>> midpoint_threshold([Fraction(1, 4), Fraction(1), Fraction(1, 2)], 2)
    Fraction(3, 8)
    """
    last = len(qualities) - 1
    if isinstance(qualified, bool) or not isinstance(qualified, int) or not 1 <= qualified <= last:
        remedy = "some provider must miss the threshold; give quality_threshold if none should"
        raise InputError("qualified", qualified, f"must be a whole number in 1..{last}", remedy)
    ranked = sorted(qualities, reverse=True)
    lowest, next_one = ranked[qualified - 1], ranked[qualified]
    # Two qualities that round to one float would put both on one side.
    if float(lowest) == float(next_one):
        remedy = f"provider {qualified} and the next have quality {float(lowest)!r}; choose another number"
        raise InputError("qualified", qualified, "is undecided by a tie", remedy)
    return (lowest + next_one) / 2


def _check_cap(laws: RecordedLaws, token_cap: int) -> None:
    if isinstance(token_cap, bool) or not isinstance(token_cap, int) or token_cap < 1:
        raise InputError("token_cap", token_cap, "must be a whole number from 1", "it is L_max, in output tokens")
    recorded = laws.generations
    for model in laws.models:
        tokens = recorded.tokens[model]
        if tokens.max() > token_cap:
            question = recorded.questions[int(tokens.max(axis=1).argmax())]
            rule = f"is below the {tokens.max()} tokens of a generation of {recorded.models[model]}"
            raise InputError("token_cap", token_cap, rule, f"question {question!r} has it; raise the cap")
