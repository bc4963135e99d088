"""Every figure: its name, what it shows, which figures of the paper it stands for, what it is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypedDict

from bounds.documents import INTERNAL, named
from bounds.glossary import name_of, title_of
from bounds.published import PUBLISHED_NAMES, published_with
from bounds.setting.model import Setting


@dataclass(frozen=True, kw_only=True)
class FigureKind:
    """A figure that can be drawn.

    Parameters
    ----------
    name : str
        Name of the figure.
    title : str
        Title of the figure.
    shows : str
        What it shows, in one sentence.
    labels : mapping of str to tuple of str
        Labels of the paper's figures it stands for, by setting.
    needs : str
        What it is drawn from: ``"setting"``, ``"policies"``, ``"platform"`` or ``"log"``.
    """

    name: str = field(metadata=named("figure"))
    title: str
    shows: str
    labels: Mapping[str, tuple[str, ...]]
    needs: str = field(default="platform", metadata=INTERNAL)

    @property
    def all_labels(self) -> tuple[str, ...]:
        """The labels over all settings, each once."""
        return tuple(dict.fromkeys(label for labels in self.labels.values() for label in labels))

    def labels_for(self, setting: Setting) -> tuple[str, ...]:
        """Return the labels for a setting; none for one that is not the paper's."""
        known = published_with(setting.providers)
        return self.labels.get(known.setting.name, ()) if known and known.setting == setting else ()


class FigureList(TypedDict):
    """The figures that there are.

    Parameters
    ----------
    figures : tuple of FigureKind
        One entry for each figure.
    """

    figures: tuple[FigureKind, ...]


def _counterparts(suffix: str, strong: str | None = None) -> Mapping[str, tuple[str, ...]]:
    """Return the labels of an appendix figure, of which each benchmark has one, and the strong roster its own."""
    own = suffix if strong is None else strong
    found = {name: (f"fig:{name.partition('-')[0]}-{suffix}",) for name in PUBLISHED_NAMES}
    return found | {"gpqa-strong": (f"fig:strong-{own}",)}


_NONE: Mapping[str, tuple[str, ...]] = {}
_MAIN = {"gsm8k-full": ("fig:main-payments",), "gpqa-strong": ("fig:main-payments",)}

#: In the order of the paper, then those that it has not.
KINDS: tuple[FigureKind, ...] = (
    FigureKind(
        name="payments",
        title="Bids, payments and costs over time",
        shows="winning bids, payments of auctions and generation costs as moving averages over one pass: median and "
        "10 to 90% over runs, with marks at one pass and at T_id",
        labels=_MAIN,
    ),
    FigureKind(
        name="landscape",
        title="Providers by quality and price",
        shows="every provider at its quality and mean query price, with the quality threshold, the Pareto frontier and "
        "a ring around the lowest listed price",
        labels=_counterparts("landscape"),
        needs="setting",
    ),
    FigureKind(
        name="one-pass",
        title=f"{title_of('quality_regret')} against {name_of('generation_cost')}",
        shows="quality regret per step against generation cost per query of every policy after one pass, or after T "
        "queries where the setting has no benchmark: means with 95% intervals over runs",
        labels=_counterparts("one-pass"),
        needs="policies",
    ),
    FigureKind(
        name="selection-shares",
        title="Selection shares of the platform",
        shows="the share of all T queries, and of one pass where the setting has a benchmark, that the platform gave "
        "to each provider: means with 95% intervals over runs",
        labels=_counterparts("selection-shares", "one-pass"),
    ),
    FigureKind(
        name="identification",
        title="Identification of i*",
        shows="the share of i* and of unqualified selections as moving averages, and the fraction of runs in which i* "
        "is the unique most selected provider, for every policy",
        labels=_counterparts("identification"),
        needs="policies",
    ),
    FigureKind(
        name="eligible",
        title=title_of("eligible"),
        shows="the number of providers that the quality filter has not ruled out, for every policy",
        labels=_counterparts("eligible", "identification"),
        needs="policies",
    ),
    FigureKind(
        name="routing",
        title="Cost and amount paid per query",
        shows="generation cost and amount paid per query as moving averages, for every policy",
        labels=_counterparts("routing"),
        needs="policies",
    ),
    FigureKind(
        name="regret",
        title="Average regrets",
        shows="average quality regret and average generation regret of every policy, on logarithmic axes",
        labels=_counterparts("regret"),
        needs="policies",
    ),
    FigureKind(
        name="bounds",
        title=f"Regrets and {name_of('excess_payment')} against their bounds",
        shows="the platform's cumulative regrets and excess payment against each branch of their bounds at every step",
        labels=_counterparts("bounds"),
    ),
    FigureKind(
        name="economic",
        title="Cost, bid, payment and price of a query",
        shows="the platform's generation cost, winning bid, payment (all steps, and auctions alone) and query price as "
        "moving averages",
        labels=_counterparts("economic"),
    ),
    FigureKind(
        name="payment-bounds",
        title="Payments of one run inside their bounds",
        shows="the payments of the first run's auctions at log-spaced steps, between the bounds for the provider that "
        "served",
        labels=_counterparts("payment-bounds", "economic"),
        needs="log",
    ),
    FigureKind(
        name="guarantees",
        title="What is guaranteed, and what happened",
        shows="the bound of every method over the mean of the platform's runs, with the largest run, for every "
        "guaranteed quantity",
        labels=_NONE,
    ),
)
#: What says the same as a figure that there was once.
REMOVED: Mapping[str, str] = MappingProxyType(
    {
        "coverage": "`costproof coverage SETTING` prints its numbers",
        "identification-horizons": "figure guarantees has T_id by each method and in runs",
        "informative": "`costproof bounds SETTING` says from which horizon on each bound is informative",
        "plan": "`costproof bounds SETTING` names the largest contributor to each bound",
        "radii": "`costproof docs radii` has the effect of each; `costproof simulate` takes a setting with any of them",
        "tightness-map": "`costproof verify --report FILE.html` draws it of all that it compares",
        "sweep": "`costproof sweep SETTING --over confidence=...` has T_id, with --csv for a picture of your own",
    }
)
BY_NAME: Mapping[str, FigureKind] = MappingProxyType({kind.name: kind for kind in KINDS})
