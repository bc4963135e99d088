"""What is assumed of the published settings' markets beyond what the paper prints: cost spreads and pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting import Setting

#: Coefficients of variation of the cost of one generation, by base model. The paper prints none; these are
#: round numbers with which its tables come out (docs/market.md).
COST_VARIATIONS: Mapping[str, float] = MappingProxyType({"Qwen2-0.5B": 0.9, "Qwen2-1.5B": 0.9})
USUAL_VARIATION = 0.35


@dataclass(frozen=True)
class PublishedMarket:
    """Assumptions about one published setting's market.

    Parameters
    ----------
    cost_variation : tuple of float
        Coefficient of variation of a candidate's cost, by provider.
    questions : int
        K, the benchmark's size.
    """

    cost_variation: tuple[float, ...]
    questions: int


def published_market(setting: Setting) -> PublishedMarket | None:
    """Return the assumptions for a published setting's providers, None for any other setting.

    Examples
    --------
    >>> published_market(published("gpqa-strong").setting).questions
    546
    """
    if setting.name not in PUBLISHED_NAMES:
        return None
    known = published(setting.name)
    if known.setting.providers != setting.providers:  # somebody's own, under a published name
        return None
    spreads = tuple(COST_VARIATIONS.get(model, USUAL_VARIATION) for model in known.base_models)
    return PublishedMarket(spreads, known.questions)
