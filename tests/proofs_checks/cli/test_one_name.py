"""One quantity, one name: commands, tables, figures, frames and pages take it from `bounds.names`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import costproof
from bounds.grid.evaluate import GUARANTEES
from bounds.names import NAMES, name_of, title_of
from mechanism.planner.goals import KINDS as GOALS
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.figures.catalogue import KINDS
from proofs_checks.figures.drawing import NotDrawn, draw, draw_across, ratios_of
from proofs_checks.figures.files import Effort, simulated
from tests.proofs_checks.figures.looking import drawn_texts
from tests.proofs_checks.figures.markets import market

NAME = "gpqa-strong"
DOCS = Path(__file__).parents[3] / "docs"
#: What the quantities were also called.
OTHERS = re.compile(
    r"not to i\*|(?<!generation-)\bcost regret|excess paid|payment off(?! by)|queries to others|optimum leads from"
    r"|not to the optimum|queries that miss the optimum|distance of the payment|paid above second|leads for good$"
    r"|\bidentification +(?:[\d-]|from T)|say(?:s)? something|Queries from which",
    re.MULTILINE,
)
#: Commands that name every guaranteed quantity in their tables.
WITH_ALL = {
    "bounds": ["bounds", NAME],
    "bounds --all": ["bounds", NAME, "--all"],
    "bounds --latex-table": ["bounds", NAME, "--latex-table"],
    "simulate": ["simulate", NAME, "--horizon", "2000", "--runs", "2", "--policy", "platform"],
    "plan": ["plan", NAME, "--goal", "identify-by=200k", "--runs", "0"],
    "sweep": ["sweep", NAME, "--over", "k=1,2"],
}


def shown(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(command) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("named", WITH_ALL)
def test_every_table_of_guarantees_has_the_names(
    named: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    text = shown(WITH_ALL[named], capsys)
    assert OTHERS.findall(text) == []
    words = set(re.findall(r"[a-z]+", text.lower()))  # a narrow column has a name on several lines
    for name in GUARANTEES:
        assert set(name_of(name).split()) <= words
        assert name_of(name) in " ".join(text.lower().split()) or named == "sweep"


def test_goals_of_plans_and_curves_of_the_explorer_have_the_names() -> None:
    assert GOALS["identify-by"].quantity == NAMES["identification_horizon"]
    assert GOALS["payment-within"].quantity == NAMES["average_payment_deviation"]
    for name in ("quality_regret", "generation_regret", "excess_payment"):
        assert METRICS[name].title == title_of(name)


def test_frames_have_the_keys_of_the_json() -> None:
    frame = costproof.bounds(NAME, 70_000).to_frame()
    assert tuple(frame.index) == GUARANTEES
    assert {*GUARANTEES, "identification_horizon"} <= set(costproof.sweep(NAME, over="k=1:2:2").to_frame().columns)


#: Pages that quote a log, or the paper, or that are made from proofs.
QUOTING = ("audit.md", "sharpest.md")


def test_no_page_of_the_documentation_has_another_name() -> None:
    pages = [page for page in DOCS.rglob("*.md") if page.name not in QUOTING and "generated" not in page.parts]
    assert len(pages) > 40
    found = {page.name: OTHERS.findall(page.read_text()) for page in (*pages, DOCS.parent / "README.md")}
    assert {name: others for name, others in found.items() if others} == {}


def test_help_has_no_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("bounds", "compare", "coverage", "figures", "plan", "simulate", "sweep", "verify"):
        assert OTHERS.findall(" ".join(shown([command, "--help"], capsys).split())) == []


@pytest.mark.long("draws every figure")
def test_no_figure_has_another_name() -> None:
    """Neither titles, axes and legends nor the caption."""
    runs = simulated(market("own", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)]), Effort(horizon=1_000, runs=2))
    for kind in KINDS:
        picture = draw_across([ratios_of(runs)]) if kind.across else draw(kind, runs)
        assert not isinstance(picture, NotDrawn)
        assert picture.drawn is not None
        texts = [*(text.get_text() for text, _ in drawn_texts(picture.drawn)), picture.title, picture.alt, kind.shows]
        assert OTHERS.findall("\n".join(texts)) == [], kind.name
        if kind.name == "guarantees":
            assert all(name_of(name) in texts for name in GUARANTEES)


def test_claims_call_a_regret_by_its_name_except_where_the_paper_does_not() -> None:
    """The paper's own list names thm:generation-regret "Generation-cost regret"; its theorems say generation regret."""
    own = {claim.name for claim in all_claims().values() if "cost regret" in f"{claim.name} {claim.statement}"}
    assert own == {"Generation-cost regret"}
