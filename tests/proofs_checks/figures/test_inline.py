"""Figures as parts of a page: well-formed, true to the original to a hundredth of a point, and each colour turned."""

import re
from dataclasses import fields
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from bounds.published import published
from proofs_checks.figures.drawing import chosen_kinds, draw
from proofs_checks.figures.files import simulated
from proofs_checks.figures.inline import inline_svg
from proofs_checks.figures.look import look, new_panels, svg_of
from proofs_checks.figures.palette import DARK, LIGHT
from proofs_checks.figures.pictures import Picture
from proofs_checks.figures.report_page import figures_on_page

_RULE = r"\.(\w+)\{([^}]*)\}"
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


pytestmark = pytest.mark.long("draws a dozen figures")


@pytest.fixture(scope="module")
def drawn() -> list[tuple[str, Figure]]:
    runs = simulated(published("gpqa-strong").setting, 700, runs=2)
    pictures = [draw(kind, runs) for kind in chosen_kinds([])]
    return [(each.title, each.drawn) for each in pictures if isinstance(each, Picture) and each.drawn is not None]


@pytest.fixture(scope="module")
def inlined(drawn: list[tuple[str, Figure]]) -> list[str]:
    return [inline_svg(figure, title=title, alt="x") for title, figure in drawn]


def _drawings(svg: str) -> list[str]:
    return [each.attrib["d"] for each in ElementTree.fromstring(svg).iter() if "d" in each.attrib]


def test_drawings_differ_by_a_hundredth_of_a_point_at_most(drawn: list[tuple[str, Figure]], inlined: list[str]) -> None:
    assert len(drawn) > 8
    for (title, figure), svg in zip(drawn, inlined, strict=True):
        before = [float(x) for d in _drawings(svg_of(figure, title=title, alt="x")) for x in _NUMBER.findall(d)]
        after = [float(x) for d in _drawings(svg) for x in _NUMBER.findall(d)]
        assert before == pytest.approx(after, abs=0.00501, rel=0)


def test_every_colour_of_the_palette_is_turned(inlined: list[str]) -> None:
    names = [each.name for each in fields(LIGHT) if each.name != "map"]
    turned = {getattr(LIGHT, name): getattr(DARK, name) for name in names}
    assert len(turned) == len(names)
    met = set()
    for svg in inlined:
        rules, _, body = svg.partition("</style>")
        assert " style=" not in body
        light, dark = (
            {name: dict(re.findall(r"(fill|stroke): ?(#\w+)", style)) for name, style in re.findall(_RULE, part)}
            for part in rules.split("@media (prefers-color-scheme: dark){")
        )
        letters = set(re.findall(r'<(?:text|tspan) class="(\w+)"', body))
        for name, colours in light.items():
            met |= set(colours.values())
            white = {LIGHT.background} & (set(colours.values()) if name in letters else set())
            known = {key: turned[colour] for key, colour in colours.items() if colour in turned.keys() - white}
            assert dark[name] == known
    assert {"#1a1a1a", "#e3e3e3", "#ffffff"} < met
    # The cap of an error bar is a line; matplotlib fills its area of nothing with a colour of its own.
    assert met - turned.keys() <= {"#1f77b4"}


def test_words_are_those_of_the_figure() -> None:
    with look():
        figure, (panel,) = new_panels()
        panel.set_title("1.23456 < 2 & more", parse_math=False)
    svg = inline_svg(figure, title="<b>", alt="a \"quoted\" & 'other'")
    texts = [each.text for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "1.23456 < 2 & more" in texts
    assert ElementTree.fromstring(svg).findtext("{http://www.w3.org/2000/svg}desc") == "a \"quoted\" & 'other'"


def test_a_page_has_the_tightness_of_its_report_first() -> None:
    ratios = {"gpqa-strong": {"thm:regret": 0.5, "lem:payment-range": 1.0}}
    setting = published("gpqa-strong").setting
    found = figures_on_page([setting], ratios, horizon=10**9, runs=2).to_data()
    assert (found["runs"], found["horizon"]) == (2, 70_000)
    first, *rest = found["drawn"]
    assert first["figure"] == "tightness-map"
    assert "2 claims on 1 setting: 2 ratios" in first["alternative_text"]
    assert [each["setting"] for each in rest] == ["gpqa-strong"]
    assert all(each["svg"].startswith("<svg") and "files" not in each for each in found["drawn"])
    assert not found["not_drawn"]
