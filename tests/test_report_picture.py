"""The picture in README shows the verdicts that the claims have today."""

from proofs_checks.verify.claim_verdicts import stored_verdict
from tests.report_picture import SHOWN, verdicts_shown


def test_the_verdicts_in_the_picture_are_those_of_the_claims() -> None:
    shown = verdicts_shown()
    assert tuple(shown) == SHOWN
    assert shown == {label: stored_verdict(label).value for label in SHOWN}, "python -m tests.report_picture"
    assert {"PROVED", "NOT_REFUTED", "REFUTED"} <= set(shown.values())
