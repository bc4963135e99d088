"""The providers that no other beats; matplotlib is not needed."""

from __future__ import annotations

from bounds.setting.model import Setting


def pareto_frontier(setting: Setting) -> tuple[int, ...]:
    """Return the providers that no other beats: none is as good and cheaper, or better and as cheap; by cost.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> [setting.providers[index].name for index in pareto_frontier(setting)]
    ['Qwen2-0.5B', 'Llama-3.2-1B', 'Llama-3.1-8B', 'Qwen2.5-7B']
    """
    providers, best, found = setting.providers, -1.0, list[int]()
    costs = sorted({provider.mean_cost for provider in providers})
    for cost in costs:
        alike = [i for i, provider in enumerate(providers) if provider.mean_cost == cost]
        top = max(providers[i].quality for i in alike)
        if top > best:
            found += [i for i in alike if providers[i].quality == top]
            best = top
    return tuple(found)
