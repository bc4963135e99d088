"""The catalogue: every figure of the paper has its counterpart, and the documentation says the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_checks.figures.catalogue import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "figures.md").read_text(encoding="utf-8")
#: Every figure of paper.tex, by section.
PAPER_LABELS = {
    "main": ("payments",),
    "gsm8k": (
        *("landscape", "one-pass", "selection-shares", "identification", "eligible"),
        *("routing", "regret", "bounds", "economic", "payment-bounds"),
    ),
    "gpqa": (
        *("landscape", "one-pass", "selection-shares", "identification", "eligible"),
        *("routing", "regret", "bounds", "economic", "payment-bounds"),
    ),
    "strong": ("landscape", "one-pass", "identification", "routing", "regret", "bounds", "economic"),
}


def test_every_figure_of_the_paper_has_its_counterpart() -> None:
    printed = {f"fig:{section}-{name}" for section, names in PAPER_LABELS.items() for name in names}
    assert len(printed) == 28
    assert {label for kind in KINDS for label in kind.all_labels} == printed


def test_the_documentation_has_the_catalogue() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    expected = [
        (kind.name, kind.shows, ", ".join(f"`{label}`" for label in kind.all_labels) or "not there") for kind in KINDS
    ]
    assert rows == expected


@pytest.mark.long("starts two processes")
def test_the_list_and_the_other_commands_load_no_pictures_and_no_explorer() -> None:
    for command in ("figures --list", "bounds gpqa-strong"):
        script = (
            "import sys; from proofs_checks.cli.main import main\n"
            f"assert main({command.split()!r}) == 0\n"
            "loaded = {name.partition('.')[0] for name in sys.modules}\n"
            "assert not loaded & {'matplotlib', 'dash', 'flask', 'plotly'}\n"
            "assert 'proofs_checks.explorer' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
