"""What happened to a log is named first, with its place; a right log and a wrong mechanism are not misnamed."""

from dataclasses import replace

import numpy as np
import pytest

from mechanism.replay import ALGORITHM_1
from mechanism.tabular.logs import LogReading
from proofs_checks.audit.kept_rows import KeptRows
from proofs_checks.audit.run import audit
from proofs_checks.diagnosis.accidents import ACCIDENTS as LOG_CAUSES
from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import Diagnosis, diagnose
from proofs_checks.diagnosis.log import RecordedLog
from proofs_checks.diagnosis.proposals import gaps
from tests.proofs_checks.audit.audited import parts, with_columns
from tests.proofs_checks.diagnosis.edited_logs import ACCIDENTS, BOUND, HORIZON, SETTINGS, STRONG, Accident, right
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import STAGES, play


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


@pytest.mark.long("tries every cause on a log of 1,500 steps")
@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_is_named_first(name: str) -> None:
    kind = "mechanism" if "once" in name else "setting" if "never" in name else "log"
    assert assert_named(ACCIDENTS[name]).kind == kind


@pytest.mark.long("tries every cause on a log of 1,500 steps")
@pytest.mark.parametrize("name", SETTINGS)
def test_a_parameter_is_named_first(name: str) -> None:
    assert assert_named(SETTINGS[name]).kind == "setting"


def test_every_accident_has_a_log_that_shows_it() -> None:
    shown = {accident.cause for accident in ACCIDENTS.values()}
    # test_layouts; test_cases_of_the_field
    unshown = {"bids after", "score edited", "provider leaves", "provider joins", "scores missing"}
    unshown |= {"another unit", "one provider's money", "payments rounded"}
    assert {cause.name for cause in LOG_CAUSES} - shown == unshown


@pytest.mark.long("diagnoses of two logs")
@pytest.mark.parametrize(("start", "end"), [(0, 2), (2, 5)])
def test_logs_shorter_than_initialization_are_diagnosed(start: int, end: int) -> None:
    """Causes look at rows of the first decisions, which such a log does not have."""
    log = RecordedLog.of(with_columns(right(), payment=np.full(HORIZON, 0.5 * BOUND)).head(end), STRONG)
    kept = replace(log.rows(slice(start, None)), start=log.rows(slice(0, start)).replay.after)
    first, *_ = diagnose(kept)
    assert first.explains == 1


def test_a_right_log_is_not_accused() -> None:
    assert diagnose(RecordedLog.of(right(), STRONG)) == ()


#: A mechanism that is wrong, and the stage on which that shows.
WRONG = {"FirstPrice": "widened", "LogarithmOfM": "widened", "NobodyIsExcluded": "screening", "LowestBidWins": "noisy"}


@pytest.mark.long("tries every cause on logs of wrong mechanisms")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mechanism_is_no_accident(name: str) -> None:
    case = play(BROKEN_PLATFORMS[name], STAGES[WRONG[name]])
    first, *_ = diagnose(RecordedLog.of(case.trace, case.setting))
    assert first.kind != "log", first


def with_some_in_flight(log: RecordedLog, number: int) -> Trial:
    cause = next(cause for cause in LOG_CAUSES if "some had not arrived" in cause.says)
    assert cause.rules is not None
    return Trial(log, cause.rules(ALGORITHM_1, number=number))


def test_feedback_that_may_be_in_flight_explains_every_row() -> None:
    """Feedback comes up to three queries late, in any order, and the log does not say when."""
    log = RecordedLog.of(replace(right(delay="0-3", horizon=500), settled=None), STRONG)
    assert Trial(log).left > with_some_in_flight(log, 1).left > 0.2 * len(log)
    assert with_some_in_flight(log, 3).left == 0
    first_rows = log.rows(slice(0, 3)).edited(0, payment=0.5 * BOUND)
    assert with_some_in_flight(first_rows, 3).left == 1


@pytest.mark.parametrize("name", WRONG)
def test_feedback_that_may_be_in_flight_explains_no_wrong_mechanism(name: str) -> None:
    case = play(BROKEN_PLATFORMS[name], STAGES[WRONG[name]])
    log = RecordedLog.of(case.trace, case.setting)
    assert with_some_in_flight(log, 3).left > 0.9 * Trial(log).left > 0


@pytest.mark.parametrize(("row", "number"), [(200, 12), (400, 7), (700, 20), (900, 15), (1200, 9)])
def test_the_rows_of_a_gap_are_counted_for_each_provider(row: int, number: int) -> None:
    """Payments, and when providers are explored next, tell all of them exactly."""
    gap = slice(row, row + number)
    missing = np.bincount(right().provider[gap], minlength=STRONG.n_providers)
    trial = Trial(RecordedLog.of(right().rows(np.delete(np.arange(HORIZON), gap)), STRONG))
    (found,) = gaps(trial)
    assert found["row"] == trial.first == row
    assert np.bincount(found["who_each"], minlength=STRONG.n_providers).tolist() == missing.tolist()


@pytest.mark.long("tries every cause")
def test_scattered_payments_are_explained_by_nothing() -> None:
    """Test of the test: what follows no pattern is explained by nothing, and the report says so."""
    scattered = right().payment * np.random.default_rng(0).uniform(0.9, 1.1, len(right()))
    found = diagnose(RecordedLog.of(with_columns(right(), payment=scattered).head(150), STRONG))
    assert [(each.cause, each.explains) for each in found] == [("unexplained", 0.0)]


@pytest.mark.long("audits a log twice")
def test_the_diagnosis_does_not_depend_on_the_parts() -> None:
    payment = right().payment.copy()
    payment[705] *= 0.9
    log = with_columns(right(), payment=payment).head(800)
    reports = [audit(parts(log, rows), STRONG, labels=["lem:payment-range"]) for rows in (1000, 37)]
    assert reports[0].diagnosis == reports[1].diagnosis
    assert reports[0].diagnosis[0].rows == (706,)


class TestKeptRows:
    def test_what_is_not_replayed_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("proofs_checks.audit.kept_rows.BEFORE", 50)
        monkeypatch.setattr("proofs_checks.audit.kept_rows.MOST_ENTRIES", 400)
        payment = right().payment.copy()
        payment[300] = 0.5 * BOUND
        report = audit([with_columns(right(), payment=payment).head(600)], STRONG, labels=["lem:payment-range"])
        assert report.diagnosis[0].sentence.endswith("Only steps 251 to 400 were replayed.")

    @pytest.mark.parametrize("size", [7, 50])
    def test_rows_before_the_first_wrong_one_are_forgotten(self, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is kept is replayed as the whole log is, from the state before it."""
        monkeypatch.setattr("proofs_checks.audit.kept_rows.BEFORE", 100)
        payment = right().payment.copy()
        payment[1000] = 0.5 * BOUND
        log = with_columns(right(), payment=payment)
        whole = Trial(RecordedLog.of(log, STRONG))
        kept, before = KeptRows(STRONG, 0.0), whole.log.known
        for part in parts(log, size):
            rows = np.flatnonzero(whole.wrong[before.steps : before.steps + len(part)])
            kept.feed(before, part, rows)
            before = whole.log.rows(slice(0, before.steps + len(part))).replay.after
        found = kept.log(LogReading())
        assert found is not None
        assert (found.known.steps, len(found)) == (900, 600)
        assert Trial(found).first == 100
        assert Trial(found).left == whole.left
