"""Every figure: its name, what it shows, which figures of the paper it stands for, what it is drawn from."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypedDict

from bounds.documents import INTERNAL, named
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


def _kind(name: str, needs: str, title: str, shows: str, *labels: str) -> FigureKind:
    found = {setting: (label,) for setting, label in zip(PUBLISHED_NAMES, labels, strict=True) if label}
    return FigureKind(name=name, needs=needs, title=title, shows=shows, labels=found)


_ROWS = csv.reader(Path(__file__).with_name("catalogue.csv").read_text(encoding="utf-8").splitlines()[1:])
#: A row for each figure, in the order of the paper, then those that it has not; a column for each setting of the paper.
KINDS: tuple[FigureKind, ...] = tuple(_kind(*row) for row in _ROWS)
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
