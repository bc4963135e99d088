"""What is assumed of the published settings' markets beyond what the paper prints: cost spreads and pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bounds.published import published_with
from bounds.setting.model import Setting

#: Coefficient of variation of the cost of one generation. The paper prints none; this and the exceptions below
#: are round numbers with which its tables come out (costproof docs market says which numbers speak for them).
USUAL_VARIATION = 0.35
#: The exceptions, by benchmark and base model: on GPQA, Qwen2 answers at very uneven length.
COST_VARIATIONS: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("GSM8K", "Qwen2-0.5B"): 0.6,
        ("GSM8K", "Qwen2-1.5B"): 0.6,
        ("GPQA", "Qwen2-0.5B"): 1.0,
        ("GPQA", "Qwen2-1.5B"): 1.0,
        ("GPQA", "Qwen2-7B"): 0.75,
    }
)
#: How strongly a question fixes whether it is answered correctly: 2^b bands of difficulty, so with b = 0 not at all.
#: Printed half-widths of accuracies would suit b = 1 or 2 better, the long runs suit b = 0 (costproof docs market).
SCORE_DIFFICULTY_BITS = 0


@dataclass(frozen=True)
class PublishedMarket:
    """Assumptions about one published setting's market.

    Parameters
    ----------
    cost_variation : tuple of float
        Coefficient of variation of a candidate's cost, by provider.
    questions : int
        K, the benchmark's size.
    score_difficulty_bits : int
        See `mechanism.market.provider.ProviderMarket`.
    """

    cost_variation: tuple[float, ...]
    questions: int
    score_difficulty_bits: int = SCORE_DIFFICULTY_BITS


def published_market(setting: Setting) -> PublishedMarket | None:
    """Return the assumptions for a published setting's providers, under any name; None for any others.

    Examples
    --------
    >>> from bounds.published import published
    >>> published_market(published("gpqa-strong").setting)
    PublishedMarket(cost_variation=(1.0, 0.35, 0.35, 0.35), questions=546, score_difficulty_bits=0)
    """
    known = published_with(setting.providers)
    if known is None:
        return None
    spreads = (COST_VARIATIONS.get((known.benchmark, model), USUAL_VARIATION) for model in known.base_models)
    return PublishedMarket(tuple(spreads), known.questions)
