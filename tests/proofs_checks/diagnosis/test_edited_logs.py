"""What happened to a log is named first, with its place; a right log and a wrong mechanism are not misnamed."""

from __future__ import annotations

import pytest

from proofs_checks.diagnosis.accidents import ACCIDENTS as LOG_CAUSES
from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import Diagnosis, diagnose
from proofs_checks.diagnosis.log import RecordedLog
from tests.proofs_checks.diagnosis.edited_logs import ACCIDENTS, SETTINGS, Accident


def first_wrong(accident: Accident) -> RecordedLog:
    """The first of its logs that breaks a rule."""
    return next(log for log in accident.logs() if Trial(log).left)


def assert_named(accident: Accident) -> Diagnosis:
    first, *_ = diagnose(first_wrong(accident))
    assert accident.cause in (first.cause, *first.alike), first
    assert first.explains >= accident.share
    for name, value in accident.told.items():
        assert getattr(first, name) == (pytest.approx(value) if isinstance(value, float) else value)
    return first


@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_is_named_first(name: str) -> None:
    kind = "mechanism" if "once" in name else "setting" if "never" in name else "log"
    assert assert_named(ACCIDENTS[name]).kind == kind


@pytest.mark.parametrize("name", SETTINGS)
def test_a_parameter_is_named_first(name: str) -> None:
    assert assert_named(SETTINGS[name]).kind == "setting"


def test_every_accident_has_a_log_that_shows_it() -> None:
    shown = {accident.cause for accident in ACCIDENTS.values()}
    assert {cause.name for cause in LOG_CAUSES} - shown == {
        "bids after",
        "score edited",
        "provider leaves",
        "provider joins",
    }
