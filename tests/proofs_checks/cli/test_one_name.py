"""One quantity, one name: commands, tables, figures, frames and pages take it from `bounds.names`."""

from __future__ import annotations

import re
from functools import cache
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
from proofs_checks.figures.drawing import NotDrawn, draw, draw_across, shared_of
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
    "bounds --all --markdown": ["bounds", NAME, "--all", "--markdown"],
    "simulate": ["simulate", NAME, "--horizon", "2000", "--runs", "2", "--policy", "platform"],
    "simulate --guarantees": [
        *("simulate", NAME, "--horizon", "2000", "--runs", "2", "--policy", "platform", "--guarantees", "--markdown")
    ],
    "plan": ["plan", NAME, "--goal", "identify-by=200k", "--runs", "0"],
    "sweep": ["sweep", NAME, "--over", "k=1,2"],
    "sweep --latex-table": ["sweep", NAME, "--over", "k=1,2", "--latex-table"],
}
WITH_SOME = {
    "sweep --runs": ["sweep", NAME, "--over", "k=1,2", "--runs", "2", "--horizon", "500"],
    "compare": ["compare", "platform", "lowest-price", NAME, "--horizon", "500", "--runs", "4"],
    "coverage": ["coverage", NAME, "--horizon", "500"],
    "settings": ["settings"],
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


@pytest.mark.parametrize("named", WITH_SOME)
def test_no_command_has_another_name(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert OTHERS.findall(shown(WITH_SOME[named], capsys)) == []


@cache
def texts_of_figures() -> dict[str, list[str]]:
    """Everything that each figure says: titles, axes, legends and the caption."""
    runs = simulated(market("own", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)]), Effort(horizon=3_000, runs=2))
    found = {}
    for kind in KINDS:
        picture = draw_across(kind, [shared_of(runs, [kind])]) if kind.across else draw(kind, runs)
        assert not isinstance(picture, NotDrawn)
        assert picture.drawn is not None
        drawn = [text.get_text() for text, _ in drawn_texts(picture.drawn)]
        found[kind.name] = [*drawn, picture.title, picture.alt, kind.shows]
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_figure_has_another_name(kind: object) -> None:
    assert OTHERS.findall("\n".join(texts_of_figures()[kind.name])) == []  # type: ignore[attr-defined]


def test_figures_of_guarantees_have_the_names() -> None:
    for name in GUARANTEES:
        assert title_of(name) in texts_of_figures()["informative"]
        assert name_of(name) in texts_of_figures()["guarantees"]
    horizon = title_of("identification_horizon").removesuffix(" T_id")
    for kind in ("identification-horizons", "radii", "sweep"):
        assert any(text.startswith(horizon) for text in texts_of_figures()[kind]), kind


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
QUOTING = ("audit.md", "proofs.md", "attacks.md", "power.md", "sharpest.md")


def test_no_page_of_the_documentation_has_another_name() -> None:
    pages = [page for page in DOCS.rglob("*.md") if page.name not in QUOTING and "generated" not in page.parts]
    assert len(pages) > 40
    found = {page.name: OTHERS.findall(page.read_text()) for page in (*pages, DOCS.parent / "README.md")}
    assert {name: others for name, others in found.items() if others} == {}


@pytest.mark.parametrize("command", ["bounds", "compare", "coverage", "figures", "plan", "simulate", "sweep", "verify"])
def test_help_has_no_other_names(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert OTHERS.findall(" ".join(shown([command, "--help"], capsys).split())) == []


def test_claims_call_a_regret_by_its_name_except_where_the_paper_does_not() -> None:
    """The paper's own list names thm:generation-regret "Generation-cost regret"; its theorems say generation regret."""
    own = {claim.name for claim in all_claims().values() if "cost regret" in f"{claim.name} {claim.statement}"}
    assert own == {"Generation-cost regret"}
