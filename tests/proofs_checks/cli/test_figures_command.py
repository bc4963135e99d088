"""`costproof figures` and `simulate --plot`: what is written where, what is told, and what is refused."""

import json
import sqlite3
from functools import partial
from importlib import util
from pathlib import Path
from typing import Any

import pytest

import costproof
from bounds.errors import InputError
from bounds.published import published
from bounds.setting.file import format_setting
from proofs_checks.figures import files
from proofs_checks.figures.catalogue import KINDS
from tests.proofs_checks.cli.test_play_command import ROUTER
from tests.proofs_checks.figures.markets import EDGES
from tests.proofs_checks.outcomes import Run, assert_bad_input

SMALL = ("--horizon", "600", "--runs", "2", "--seed", "3", "--jobs", "1")


@pytest.mark.long("draws six files")
def test_figures_are_written_and_told(tmp_path: Path, passed: Run) -> None:
    out = tmp_path / "new" / "folder"
    asked = ["figures", "payments", "landscape", "--setting", "gpqa-strong", "--out", str(out), *SMALL]
    data = passed(*asked, "--json").data
    assert data["not_drawn"] == []
    [first, second] = data["figures"]
    assert (first["figure"], first["setting"], first["labels"]) == ("payments", "gpqa-strong", ["fig:main-payments"])
    assert second["labels"] == ["fig:strong-landscape"]
    expected = sorted(str(out / f"gpqa-strong-{name}.{form}") for name in ("landscape", "payments") for form in FORMS)
    assert sorted([*first["files"], *second["files"]]) == expected == sorted(map(str, out.iterdir()))
    assert first["alternative_text"] in (out / "gpqa-strong-payments.svg").read_text(encoding="utf-8")
    starts = {form: (out / f"gpqa-strong-payments.{form}").read_bytes()[:4] for form in FORMS}
    assert starts == {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    told = passed(*asked, "--dark", "--format", "png").out
    assert told == f"2 figures in 2 files written to {out}/\n"
    assert (out / "gpqa-strong-payments-dark.png").exists()


FORMS = ("svg", "pdf", "png")


def test_what_cannot_be_drawn_is_told_and_counted(tmp_path: Path, passed: Run) -> None:
    file = tmp_path / "one.toml"
    file.write_text(format_setting(EDGES["one qualified"][0]), encoding="utf-8")
    names = ["payments", "payment-bounds"]
    out = str(tmp_path / "out")
    said = passed("figures", *names, "--setting", str(file), "--out", out, "--format", "svg", *SMALL)
    assert said.out == f"1 figure in 1 file written to {out}/; 1 figure could not be drawn\n"
    assert "payment-bounds (there is no second-lowest qualified cost" in " ".join(said.err.split())
    assert said.err.count("note:") == 1


def test_the_list_says_what_there_is(passed: Run) -> None:
    out = passed("figures", "--list").out
    assert out.startswith(f"{len(KINDS)} figures for the paper's 28. Not in the paper: guarantees.\n")
    assert all(kind.name in out for kind in KINDS)
    assert max(map(len, out.splitlines())) <= 80
    words = passed("figures", "--list", "--all").told
    assert all(f"{kind.shows}." in words for kind in KINDS)
    assert all(label in words for kind in KINDS for label in kind.all_labels)
    rows = passed("figures", "--list", "--json").data["figures"]
    assert [row["figure"] for row in rows] == [kind.name for kind in KINDS]


def test_without_matplotlib_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, run: Run, passed: Run, tmp_path: Path
) -> None:
    found = util.find_spec

    def hidden(name: str, *more: Any) -> Any:
        return None if name == "matplotlib" else found(name, *more)

    monkeypatch.setattr("proofs_checks.figures.extra.find_spec", hidden)
    assert_bad_input(run("figures"), "pip install 'costproof[figures]'")
    assert_bad_input(
        run("simulate", "gpqa-strong", "--plot", str(tmp_path), "--horizon", "100"), "pip install 'costproof[figures]'"
    )
    with pytest.raises(InputError, match="is not installed"):
        costproof.figures("landscape", "gpqa-strong")
    passed("figures", "--list")


@pytest.fixture
def svg_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `simulate --plot` write one format."""
    monkeypatch.setattr(files, "request_of", partial(files.request_of, formats=("svg",)))


@pytest.mark.long("draws 12 figures")
@pytest.mark.usefixtures("svg_alone")
def test_simulate_plots_what_its_runs_allow(tmp_path: Path, passed: Run) -> None:
    folder, runs = tmp_path / "plots", tmp_path / "runs"
    asked = ["simulate", "gpqa-strong", "--horizon", "600", "--runs", "2", "--out", str(runs), "--no-traces"]
    asked += ["--plot", str(folder), "--policy", "platform", "--json"]
    said = passed(*asked)
    assert json.loads(said.out)["setting"] == "gpqa-strong"
    assert f"12 figures in 12 files written to {folder}/" in said.err
    first = (folder / "gpqa-strong-payments.svg").read_bytes()
    # Again: from what the folder kept.
    assert passed(*asked).data["resumed_runs"] == 2
    assert (folder / "gpqa-strong-payments.svg").read_bytes() == first
    with sqlite3.connect(runs / "campaign.sqlite") as database:
        assert database.execute("SELECT count(*) FROM curves").fetchone() == (2,)


def test_names_of_settings_make_safe_files(tmp_path: Path) -> None:
    hostile = EDGES["hostile names"][0]
    report = costproof.figures(
        "landscape", [hostile, published("gpqa-strong")], 100, runs=1, out=tmp_path, formats="svg"
    )
    assert len(report.pictures) == 2
    assert all(path.parent == tmp_path and path.name.isascii() and len(path.name) < 90 for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 2


class TestOwnPolicies:
    """`figures --policy`: the figures that show policies, with those that are named."""

    @pytest.mark.long("draws five figures")
    def test_a_mechanism_of_ones_own_is_in_the_legend(self, tmp_path: Path, passed: Run) -> None:
        router = tmp_path / "ours.py"
        router.write_text(ROUTER, encoding="utf-8")
        out = tmp_path / "out"
        asked = ["figures", "--setting", "gpqa-strong", "--out", str(out), "--format", "svg", *SMALL, "--json"]
        named = ["platform", f"{router}:Cheapest", "uniform-random"]
        said = passed(*asked, *(part for name in named for part in ("--policy", name)))
        assert "in plain Python" in said.err
        drawn = json.loads(said.out)["figures"]
        assert [each["figure"] for each in drawn] == [kind.name for kind in KINDS if kind.needs == "policies"]
        for each in drawn:
            assert each["labels"] == []  # the paper's figures show other policies
            text = (out / f"gpqa-strong-{each['figure']}.svg").read_text(encoding="utf-8")
            assert all(name in text for name in ("Platform", "Cheapest (ours.py)", "uniform-random"))
            assert "No quality filter" not in text

    def test_one_that_fails_is_told(self, tmp_path: Path, run: Run) -> None:
        router = tmp_path / "ours.py"
        router.write_text(ROUTER, encoding="utf-8")
        asked = ["figures", "regret", "--policy", f"{router}:Raises", "--setting", "gpqa-strong", *SMALL]
        failed = run(*asked, "--out", tmp_path / "out")
        assert failed.code == 1
        assert "assign() at step 22 raised RuntimeError: no route" in " ".join(failed.err.split())
