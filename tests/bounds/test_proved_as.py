"""How strongly the numbers of each method are said to be proved, beside the proofs of the claims that state them."""

from __future__ import annotations

import pytest

from bounds.methods import METHODS
from bounds.proved_as import proved_as
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.report import THEOREMS, THEOREMS_DEVIATING, evaluate_bounds
from mechanism.planner.goals import KINDS
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import foreseen_verdict

#: Where an improved bound is stated by the variant of another claim, and what the paper's own numbers rest on.
STATED_BY = {
    ("thm:sample-complexity", "paper"): ("claim:B_id-tightened", "claim:T_id:repaired"),
    ("thm:quality-guarantee", "sharp"): ("thm:generation-regret:sharp",),
    ("thm:excess-payment-general", "sharp"): ("thm:regret:sharp",),
    ("thm:quality-guarantee", "sharpest-binary"): ("thm:quality-guarantee:sharpest",),
    ("thm:generation-regret", "sharpest-binary"): ("thm:generation-regret:sharpest",),
}
LABELS = sorted({label for label, _ in THEOREMS.values()} | {kind.label for kind in KINDS.values()})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("label", LABELS)
def test_is_the_verdict_on_the_claim_that_states_it(label: str, method: str) -> None:
    own = label if method == "paper" else f"{label}:{method}"
    stated_by = STATED_BY.get((label, method), (own,))
    # A variant that exists is the one that counts.
    assert own in stated_by or own not in all_claims() or method == "paper"
    assert {foreseen_verdict(each).value for each in stated_by} == {proved_as(label, method)}


@pytest.mark.parametrize("label", sorted({label for label, _ in THEOREMS_DEVIATING.values()}))
def test_what_bounds_deviating_bids_is_proved(label: str) -> None:
    assert foreseen_verdict(label) is Verdict.PROVED
    assert proved_as(label, "paper") == "PROVED"


@pytest.mark.parametrize("radius", [radius for radius in RADII if radius != PAPERS])
def test_other_radii_are_proved_by_steps(radius: str) -> None:
    stated = [label for label in all_claims() if label.endswith(":any-radius")]
    assert len(stated) >= 4
    assert {foreseen_verdict(label) for label in stated} == {Verdict.PROVED_STEPS}
    assert {proved_as(label, method, radius) for label in LABELS for method in METHODS} == {"PROVED_STEPS"}


@pytest.mark.parametrize("method", METHODS)
def test_json_has_it_beside_every_guarantee(method: str) -> None:
    data = evaluate_bounds(published("gpqa-strong").setting, 70_000, method).to_data()
    for told in (data["identification"], *data["bounds"].values()):
        assert told["proved_as"] == proved_as(told["label"], method)
