"""A report of `verify` that was changed by hand contradicts itself, or the proofs of this version."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bounds.published import published
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.verify.consistency import contradictions
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import verify

#: A claim that is proved in steps here: its theorem is said to state a step.
STEPS = "lem:selection-counting"
LABELS = (STEPS, "lem:payment-range", "thm:robust-dominant:best-reply")


@pytest.fixture(scope="module", autouse=True)
def _a_step() -> Iterator[None]:
    step = replace(kernel.kernel_theorems()[STEPS], states="steps", beyond="the sum.")
    changed = {**kernel.kernel_theorems(), STEPS: step}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "kernel_theorems", lambda: changed)
        yield


@pytest.fixture(scope="module")
def report(_a_step: None) -> dict[str, Any]:
    """Return a report of three claims: proved in steps, proved, false as a stronger reading."""
    effort = Effort(runs=1, horizon=200, variant_horizon=200, instances=2)
    return verify([published("gpqa-strong").setting], labels=LABELS, effort=effort).to_data()


def row_of(report: dict[str, Any], label: str) -> dict[str, Any]:
    """Return the row of a claim for any setting, where its proof stands."""
    return next(row for row in report["claims"] if row["label"] == label and row["setting"] is None)


def promote_the_proof(report: dict[str, Any]) -> None:
    for row in report["claims"]:
        for piece in row["evidence"]:
            if piece["verdict"] == "PROVED_STEPS":
                piece["verdict"] = "PROVED"


def promote_the_row(report: dict[str, Any]) -> None:
    row_of(report, STEPS)["verdict"] = "PROVED"


def clear_a_refutation(report: dict[str, Any]) -> None:
    for row in report["claims"]:
        for piece in row["evidence"]:
            if piece["witness"] is not None:
                piece["verdict"] = "NOT_REFUTED"


def count_one_more(report: dict[str, Any]) -> None:
    report["counts"]["PROVED"] += 1


def leave_out_a_claim(report: dict[str, Any]) -> None:
    report["claims"] = [row for row in report["claims"] if row["label"] != "lem:payment-range"]


def rename_a_claim(report: dict[str, Any]) -> None:
    row_of(report, "lem:payment-range")["label"] = "lem:payment-rang"


def test_a_report_as_it_was_written_agrees_with_itself(report: dict[str, Any]) -> None:
    assert {row["verdict_of_claim"] for row in report["claims"] if row["label"] == STEPS} == {"PROVED_STEPS"}
    assert contradictions(report) == ()


def test_a_report_may_say_less_where_no_theorem_in_coq_counted() -> None:
    piece = {"kind": "certificate", "verdict": "PROVED_STEPS", "witness": None}
    row = {
        "label": "lem:radius-sum",
        "verdict": "PROVED_STEPS",
        "verdict_of_claim": "PROVED_STEPS",
        "evidence": [piece],
    }
    assert contradictions({"claims": [row]}) == ()


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (promote_the_proof, f"{STEPS}: a proof is PROVED in the report; the proof of this version comes to"),
        (promote_the_row, f"{STEPS}: verdict is PROVED, and no proof beside it says so"),
        (clear_a_refutation, "a witness of a violation is listed with the verdict NOT_REFUTED"),
        (count_one_more, "counts has PROVED"),
        (leave_out_a_claim, "counts_of_claims has PROVED"),
        (rename_a_claim, "this version knows no such claim"),
    ],
)
def test_what_was_changed_by_hand_is_named(
    report: dict[str, Any], edit: Callable[[dict[str, Any]], None], said: str
) -> None:
    changed = copy.deepcopy(report)
    edit(changed)
    assert any(said in one for one in contradictions(changed))
