"""Mutants among the properties: nearly all are where they were labelled by hand, and the page says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.check import SuiteEffort
from proofs_checks.conformance.mutants import placed
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.labelled import LABELLED, LABELLED_STRANGERS
from proofs_checks.conformance.mutants.placed import WHY, page, placement_by_names, played_placement, recorded_kills
from proofs_checks.conformance.mutants.strangers import STRANGERS
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.properties import placement_of
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.properties.lattice import PROPERTIES
from proofs_checks.properties.placement import in_words

DOCS = Path(__file__).parents[3] / "docs"
RECORDED = recorded_kills((DOCS / "mutants.md").read_text(encoding="utf-8"))
PAGE = (DOCS / "properties.md").read_text(encoding="utf-8")
APART = {kill.mutant for kill in RECORDED if placement_by_names(kill.caught_by).names != LABELLED[kill.mutant]}
#: Of the rules, what is soon looked at.
SOON = ("initialization-payment", "eligibility", "exploration-set", "index-minimizer", "critical-payment")


class TestRecorded:
    def test_every_mutant_is_recorded_and_labelled_by_known_properties(self) -> None:
        assert {kill.mutant for kill in RECORDED} == MUTANTS.keys() == LABELLED.keys()
        assert LABELLED_STRANGERS.keys() == STRANGERS.keys()
        assert frozenset().union(*LABELLED.values(), *LABELLED_STRANGERS.values()) <= PROPERTIES.keys()

    def test_what_must_catch_a_mutant_is_recorded(self) -> None:
        for kill in RECORDED:
            assert set(MUTANTS[kill.mutant].caught_by) <= set(kill.caught_by)

    def test_nearly_all_are_placed_as_labelled(self) -> None:
        assert len(APART) <= 0.05 * len(MUTANTS)
        assert WHY.keys() == APART

    def test_labels_are_of_several_kinds(self) -> None:
        """A placement that always says one thing would be wrong nearly always."""
        most = max(sum(label == other for other in LABELLED.values()) for label in LABELLED.values())
        assert most < 0.2 * len(LABELLED)


class TestPage:
    def test_is_written_from_the_record(self) -> None:
        """Else run `python -m proofs_checks.conformance.mutants.placed`."""
        rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)
        played = {name: frozenset(re.findall(r"`([\w-]+)`", found)) for name, _, found in rows}
        assert played.keys() == STRANGERS.keys()
        assert page(RECORDED, played) == PAGE


@dataclass(frozen=True)
class Result:
    """A result of a check, as far as it matters here."""

    name: str
    status: str
    failure: Failure | None = None
    group: str = "rules"


def failed(name: str, **details: object) -> Result:
    """A failed check whose counterexample is that of a rule, or of a misbehaviour."""
    made = {"message": "wrong", "config": usual_config(n_providers=2), "seed": 0, **details}
    return Result(name, "failed", Failure(**made))  # type: ignore[arg-type]


class TestResults:
    def test_what_does_not_answer_is_no_wrong_payment(self) -> None:
        assert placement_of([failed("lone-payment", misbehaviour="raised")]).names == {"answers"}

    def test_an_expected_failure_refutes_and_an_unexpected_pass_does_not(self) -> None:
        expected = Result("critical-payment", "expected_failure", failed("critical-payment").failure)
        assert placement_of([expected]).names == {"critical-payments"}
        assert placement_of([Result("critical-payment", "failed")]).names == frozenset()

    def test_what_was_not_run_tells_nothing(self) -> None:
        found = placement_of([Result("critical-payment", "skipped"), failed("answers", misbehaviour="too slow")])
        assert "critical-payments" in {told.name for told in found.untold}

    def test_a_long_run_that_fails_early_tells_nothing_of_long_runs(self) -> None:
        found = placement_of([failed("long-run", rule="critical-payment")])
        assert found.names == {"critical-payments"}
        [told] = [told for told in found.untold if told.name == "long-runs"]
        assert told.by == ("long-run",)
        assert "before they could tell" in told.why
        assert in_words(found.to_data())[-1] == (
            "Their tests failed too, perhaps only because of that: long-runs (long-run)."
        )

    def test_a_check_that_the_table_calls_failed_is_named_beside_what_it_leaves_open(self) -> None:
        found = placement_of([failed("critical-payment"), failed("widened-radius"), failed("strict-misreport")])
        said = " ".join(in_words(found.to_data()))
        assert "belief-slack (widened-radius), strict-truthfulness (strict-misreport)." in said
        assert "udged" not in said

    def test_gamma_excuses_the_rules_without_it(self) -> None:
        slack = usual_config(n_providers=2, belief_slack=1.0)
        found = placement_of([failed("index-minimizer", config=slack), Result("critical-payment", "passed")])
        assert found.names == {"belief-slack"}
        assert [told.name for told in found.standing] == ["critical-payments"]
        assert in_words(found.to_data())[1:] == ("Not refuted here with gamma = 0: critical-payments.",)

    def test_two_plays_that_differ_by_themselves_say_nothing_of_bids(self) -> None:
        """Of a right mechanism that ignores its seed, no bid may be said to pay."""
        misreport, loss = (replace(failed(name), group="economic") for name in ("no-profitable-misreport", "no-loss"))
        below_zero = replace(failed("payment-range"), group="economic")
        found = placement_of([failed("reproducible"), misreport, loss, below_zero])
        assert found.names == {"repeatable"}
        assert [told.name for told in found.also_refuted] == ["payment-range"]
        assert in_words(found.to_data())[-1] == (
            "Their tests failed too, perhaps only because of that: individual-rationality (no-loss), truthfulness "
            "(no-profitable-misreport)."
        )
        repeats = placement_of([failed("critical-payment"), misreport, loss])
        assert [told.name for told in repeats.also_refuted] == ["individual-rationality", "truthfulness"]


class TestPlayed:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(placed, "QUICK", SuiteEffort(examples=4, draws=3_000))
        monkeypatch.setattr(search, "SHRINKING", 5)

    @pytest.mark.parametrize(
        ("mutant", "only"),
        [
            ("ReturnsNothing", ("answers", *SOON)),
            ("SharedBids", ("independent-instances", "critical-payment")),
            ("NobodyIsExcluded", SOON),
            ("ExplorationPaysHalf", ("exploration-payment", "no-loss")),
            ("FirstPrice", ("own-bid-independence", "no-loss", *SOON)),
            ("SlackIgnored", ("widened-radius", "index-minimizer", "critical-payment")),
            ("BudgetRunsOut", ("long-run", "critical-payment")),
        ],
    )
    def test_a_mutant_is_placed_as_labelled(self, mutant: str, only: tuple[str, ...]) -> None:
        assert played_placement(MUTANTS[mutant].factory, only).names == LABELLED[mutant]

    def test_a_right_mechanism_is_refuted_nowhere(self) -> None:
        found = check_mechanism("mechanism.platform:reference_mechanism", only=SOON, effort=placed.QUICK).properties
        assert found.names == frozenset()
        assert {told.name for told in found.standing} == {
            *("initialization", "eligibility", "exploration", "allocation", "critical-payments")
        }
