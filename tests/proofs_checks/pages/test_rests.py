"""The list of what rests on what has every use that the paper's proofs name, each once."""

from pathlib import Path
from typing import Any

from proofs_checks.claims.paper_statements import paper_uses
from proofs_checks.claims.registry import all_claims
from proofs_checks.pages.claims import rests_of

LIST = Path(__file__).parents[1] / "claims" / "paper_labels.csv"
#: The paper's own list of its labels.
LABELS = [line.split(",")[0] for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]


def test_every_use_is_listed_in_both_directions() -> None:
    statements: dict[str, Any] = {label: {"paper_uses": paper_uses().get(label, ())} for label in all_claims()}
    said = {(used, label) for label, stated in statements.items() for used in stated["paper_uses"]}
    found = rests_of(all_claims(), statements)
    assert {(used, label) for label, its in found.items() for used in its["paper"]} == said
    assert {(label, other) for label, its in found.items() for other in its["carries"]} == said
    assert found.keys() == {label for pair in said for label in pair}


def test_the_stored_uses_of_the_paper_are_about_its_labels() -> None:
    assert paper_uses().keys() == set(LABELS)
    assert {used for uses in paper_uses().values() for used in uses} <= set(LABELS)
