"""A small theory with certificates of its own, so that these tests do not depend on the proofs of the paper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks.proofs import store
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import PROVIDER, constant, constants, for_all, function
from proofs_checks.proofs.search import find_certificate
from proofs_checks.proofs.solvers import kept_answers
from proofs_checks.proofs.solvers.solvers import ask_each, shared_processes


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests change what solvers and the checker say: nothing of it may be kept, or be known from before."""
    monkeypatch.setenv("COSTPROOF_CACHE", "off")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def shared_solvers() -> Iterator[None]:
    """One process of each solver for all tests of a module."""
    with shared_processes():
        yield


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every question that a solver is asked."""
    found: list[str] = []

    def ask(questions, **options):
        found.extend(f"{solver} {name}" for solver, mine in questions.items() for name in mine)
        return ask_each(questions, **options)

    monkeypatch.setattr(kept_answers, "ask_each", ask)
    return found


X, Y, Z = constants("x y z")
J = constant("j", PROVIDER)
COST = function("cost")


def positive_sum(name: str = "sum-positive") -> Obligation:
    return Obligation(
        name,
        "a sum of positive numbers is positive",
        {"first": Hypothesis(X > 0), "second": Hypothesis(Y > 0)},
        X + Y > 0,
    )


def product_grows() -> Obligation:
    return Obligation(
        "product-grows",
        "a product grows with a factor",
        {"factor": Hypothesis(Z > 0), "sum": Hypothesis(X + Y > 0, "obligation", "sum-positive")},
        Z * (X + Y) > 0,
        (Mutant("at 0", replace={"factor": Z >= 0}),),
    )


def everybody_costs() -> Obligation:
    hypotheses = {"everybody": Hypothesis(for_all([J], COST(J) > 0))}
    return Obligation("everybody-costs", "one of all costs", hypotheses, COST(constant("i", PROVIDER)) > 0)


@pytest.fixture
def theory() -> dict[str, Proof]:
    return {
        "lem:sum": Proof("lem:sum", (positive_sum(),), "directly"),
        "thm:product": Proof(
            "thm:product", (product_grows(),), "directly", uses=("lem:sum",), assumes=("sum-positive: first second",)
        ),
        "lem:cost": Proof("lem:cost", (everybody_costs(),), "directly", beyond="nothing else"),
    }


@pytest.fixture
def stored(theory: dict[str, Proof], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with the certificates of the theory, in place of the package's."""
    place = tmp_path / "stored"
    place.mkdir()
    for proof in theory.values():
        for obligation in proof.obligations:
            found = find_certificate(obligation.refutation)
            (place / f"{obligation.name}.json").write_text(json.dumps(found))
    monkeypatch.setattr(store, "_FOLDER", place)
    return place
