"""The comparison with a process in which a mechanism is the first: what it sees, and when it says nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.checks.fresh_process import compare_with_a_fresh_process
from proofs_checks.conformance.play.subject import Subject, name_of
from tests.proofs_checks.conformance import misbehaving


def subject(factory) -> Subject:
    return Subject(factory, name_of(factory))


def test_a_right_mechanism_answers_there_as_here() -> None:
    probe = compare_with_a_fresh_process(subject(reference_mechanism))
    assert (probe.compared, probe.failure) == (400, None)


def test_state_that_only_the_module_holds_is_seen_at_its_step() -> None:
    failure = compare_with_a_fresh_process(subject(misbehaving.SharedMemory)).failure
    assert failure is not None
    assert failure.step == 100
    assert failure.expected != failure.found


class TestNoVerdict:
    def test_without_a_name(self) -> None:
        for factory in (lambda config, rng: reference_mechanism(config, rng), partial(reference_mechanism)):
            assert subject(factory).importable_name is None
            assert compare_with_a_fresh_process(subject(factory)).compared == 0

    def test_where_the_name_leads_to_something_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hidden = misbehaving.Honest
        monkeypatch.setattr(misbehaving, "Honest", misbehaving.SharedState)
        assert subject(hidden).importable_name is None
        assert subject(misbehaving.SharedState).importable_name == f"{misbehaving.__name__}:SharedState"

    @pytest.mark.parametrize("code", ["", "import os\nos._exit(0)\n"])
    def test_where_the_other_process_fails(self, tmp_path: Path, code: str) -> None:
        (tmp_path / "ends.py").write_text(code)
        ending = Subject(misbehaving.SharedMemory, f"{tmp_path}/ends.py:SharedMemory")
        assert compare_with_a_fresh_process(ending).compared == 0

    def test_within_such_a_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A module that checks its own mechanism when it is imported does not start processes without end."""
        monkeypatch.setenv("COSTPROOF_HOST", "1")
        assert compare_with_a_fresh_process(subject(misbehaving.SharedMemory)).compared == 0

    def test_of_a_mechanism_that_breaks_down(self) -> None:
        assert compare_with_a_fresh_process(subject(misbehaving.Raises)).compared == 0
