"""The look: colours that can be told apart, files that are the same every time, and what finds faults finds them."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib
import pytest

from proofs_checks.figures.catalogue import KINDS
from proofs_checks.figures.look import look, measuring, new_panels, save, svg_of
from proofs_checks.figures.palette import DARK, LIGHT, Palette
from tests.proofs_checks.figures.looking import contrast, faults

SERIES = ("blue", "orange", "green", "purple", "grey")


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out(palette: Palette) -> None:
    colours = [getattr(palette, name) for name in SERIES]
    assert min(contrast(colour, palette.background) for colour in colours) >= 3
    assert contrast(palette.ink, palette.background) >= 7


def test_faults_of_a_wrong_figure_are_found() -> None:
    with look():
        figure, (axes,) = new_panels()
        axes.text(0.5, 0.5, "one over", transform=axes.transAxes)
        axes.text(0.51, 0.5, "the other", transform=axes.transAxes)
        axes.text(1.0, 0.9, "out to the right of the figure", transform=axes.transAxes, in_layout=False)
        axes.text(0.1, 0.1, "fine print", transform=axes.transAxes, fontsize=5)
    assert {fault.partition(":")[0] for fault in faults(figure)} == {"over each other", "outside", "small"}


@pytest.mark.for_each("resolution", [72, 150, 300])
def test_a_label_that_fits_as_it_is_laid_out_fits_in_a_file_of_any_resolution(resolution: int) -> None:
    """A figure is laid out once, at 100 dots per inch."""
    with look():
        figure, (axes,) = new_panels()
        axes.set_yticks([0, 1], labels=["queries that miss the optimum", "regret"])
        axes.set_ylim(-0.5, 1.5)
        measuring(figure)
        figure.set_dpi(resolution)
    assert faults(figure) == []


def test_settings_of_the_process_are_left_as_they_were() -> None:
    before = {name: value for name, value in matplotlib.rcParams.items() if name != "backend"}
    with look(dark=True):
        assert matplotlib.rcParams["axes.facecolor"] == DARK.background
    assert {name: value for name, value in matplotlib.rcParams.items() if name != "backend"} == before


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    def written(name: str) -> bytes:
        with look():
            figure, (axes,) = new_panels()
            axes.plot([1, 2], [1, 2], marker="o", clip_on=True)
        save(figure, str(tmp_path / name), form, title="Line", alt="It rises.")  # type: ignore[arg-type]
        return (tmp_path / name).read_bytes()

    first = written("one")
    assert first == written("other")
    assert len(first) > 1000


def test_svg_is_a_titled_element_with_text_and_no_name_twice() -> None:
    with look():
        figure, (axes,) = new_panels()
        axes.set_xlabel("Queries & <more>")
    svg = svg_of(figure, title="A <title>", alt='It says "a" < b & c.')
    root = ET.fromstring(svg)
    space = {"svg": "http://www.w3.org/2000/svg"}
    assert root.get("role") == "img"
    assert root.findtext("svg:title", namespaces=space) == "A <title>"
    assert root.findtext("svg:desc", namespaces=space) == 'It says "a" < b & c.'
    assert "Queries & <more>" in "".join(root.itertext())
    named = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(named)) == len(named)
    assert not any(str(name).startswith(("axes_", "figure_", "patch_")) for name in named)


@pytest.mark.long("draws eight figures")
def test_figures_are_drawn_by_several_threads() -> None:
    def drawn(dark: bool) -> str:
        with look(dark):
            figure, (axes,) = new_panels()
            axes.plot([1, 2], [2, 1])
        return svg_of(figure, title="t", alt="a")

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(drawn, [False, True] * 4))
    assert len(set(found[::2])) == 1
    assert len(set(found[1::2])) == 1
    assert found[0] != found[1]
    assert DARK.background in found[1]
    assert DARK.background not in found[0]


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
