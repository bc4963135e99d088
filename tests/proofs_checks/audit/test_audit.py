"""`audit` as a function and as a command: reports, exit codes, interruption, the process beside it."""

import os
import re
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.file import format_setting
from mechanism.episode import simulate
from mechanism.platform import Platform
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit import run as auditing
from proofs_checks.audit.run import audit
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.claim import ClaimError
from proofs_checks.claims.statements.history import TRUTHFUL_STRATEGY
from proofs_checks.conformance.play.market import play_on_market
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.pages.page import page_of
from tests.proofs_checks.audit.audited import edited, lost, parts, right_case, with_columns
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.proofs_checks.pages.parsed import parsed
from tests.refusals import refusal

LABELS = ["eq:payment", "lem:payment-range", "lem:two-sided-payment"]
TWO_JOBS = pytest.param(2, marks=pytest.mark.long("starts a process"))
STRONG = published("gpqa-strong").setting
BOUND = STRONG.platform.cost_bound


def auction_row() -> int:
    """The row of an auction that pays less than c_max, late in the log."""
    case = right_case(0)
    return int(np.flatnonzero(case.replay.auction & (case.trace.payment < 70))[-5])


def wrong_trace() -> Trace:
    return edited("payment", lambda x: 0.97 * x)(right_case(0).trace, auction_row())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "market.toml").write_text(format_setting(right_case(0).setting))
    write_trace(right_case(0).trace, tmp_path / "right.csv", right_case(0).setting)
    write_trace(wrong_trace(), tmp_path / "wrong.csv", right_case(0).setting)
    return tmp_path


@pytest.fixture
def audited(files: Path, run: Run) -> Run:
    """The command on a log of these files."""
    return lambda log, *more: run("audit", files / log, "--setting", files / "market.toml", "--jobs", 1, *more)


class TestFunction:
    @pytest.mark.parametrize("jobs", [1, TWO_JOBS])
    @pytest.mark.parametrize("row_lost", [False, pytest.param(True, marks=pytest.mark.long("fails assumptions"))])
    def test_parts_and_processes_change_nothing(self, row_lost: bool, jobs: int) -> None:
        trace = right_case(0).trace
        trace = lost(trace, 150) if row_lost else trace
        one = audit([trace], right_case(0).setting).to_data()
        assert audit(parts(trace, 150), right_case(0).setting, jobs=jobs).to_data() == one
        assert ({"REFUTED", "ASSUMPTION_VIOLATED"} <= {row["verdict"] for row in one["claims"]}) is row_lost

    def test_every_part_of_a_claim_has_a_verdict(self) -> None:
        for row in audit([right_case(0).trace], right_case(0).setting).to_data()["claims"]:
            assert row["parts"]
            assert row["checked"] == sum(part["checked"] for part in row["parts"])
            assert row["unexercised"] == [part["name"] for part in row["parts"] if part["verdict"] == "VACUOUS"]
            if row["verdict"] == "NOT_REFUTED":
                assert all(part["verdict"] == "NOT_REFUTED" for part in row["parts"] if part["headline"])

    @pytest.mark.usefixtures("undiagnosed")
    def test_violations_are_listed_up_to_a_limit_and_counted_beyond(self) -> None:
        trace = lost(right_case(0).trace, 150)
        report = audit(parts(trace, 90), right_case(0).setting, labels=LABELS, most_violations=5)
        everything = audit([trace], right_case(0).setting, labels=LABELS)
        assert report.violations == everything.violations[:5]
        assert sum(report.violation_counts.values()) == len(everything.violations) > 5
        assert report.violating_steps == len({violation.step for violation in everything.violations})

    def test_stopped(self) -> None:
        seen: list[int] = []
        report = audit(
            parts(right_case(0).trace, 90),
            right_case(0).setting,
            labels=LABELS,
            progress=seen.append,
            stopped=lambda: len(seen) == 2,
        )
        assert report.interrupted
        assert report.steps == 180
        assert seen == [90, 180]

    @pytest.mark.parametrize(
        "wrong",
        [{"tolerance": -1.0}, {"tolerance": np.inf}, {"tolerance": True}, {"labels": ["lem:nothing"]}, {"parts": []}],
    )
    def test_bad_arguments(self, wrong: dict) -> None:
        error = refusal(audit, **{"parts": [right_case(0).trace], "setting": right_case(0).setting, **wrong})
        assert wrong.keys() & {error.argument, f"{error.argument}s"}

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_an_error_of_a_claim_or_of_reading_is_raised(self, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
        def breaking_off() -> Iterator[Trace]:
            yield from parts(right_case(0).trace, 90)
            raise InputError("step", 5, "must be 4", "mend it")

        with pytest.raises(InputError, match="mend it"):
            audit(breaking_off(), right_case(0).setting, labels=LABELS, jobs=jobs)
        monkeypatch.setattr(ClaimsOnTrace, "feed", mock.Mock(side_effect=ClaimError("a defect")))
        with pytest.raises(ClaimError, match="a defect"):
            audit(parts(right_case(0).trace, 90), right_case(0).setting, labels=LABELS, jobs=jobs)


class TestOutsideRange:
    """Bids and costs that the paper does not have."""

    @staticmethod
    def with_amounts(column: str, amounts: dict[int, float]) -> Trace:
        values = right_case(0).trace.columns()[column].copy()
        values[list(amounts)] = list(amounts.values())
        return with_columns(right_case(0).trace, **{column: values})

    @pytest.mark.long("diagnoses a log")
    @pytest.mark.parametrize("column", ["bid", "cost"])
    @pytest.mark.for_each("amount", [-5.0, -1e-6, BOUND * (1 + 1e-7), 1e9])
    @pytest.mark.parametrize("rows", [400, 90])
    def test_counted_and_failed(self, column: str, amount: float, rows: int) -> None:
        trace = self.with_amounts(column, {99: amount, 200: amount, 399: amount})
        report = audit(parts(trace, rows), right_case(0).setting, labels=["lem:payment-range"])
        other = {"bid": "cost", "cost": "bid"}[column]
        assert report.to_data()["outside_range"] == {
            column: {"steps": 3, "first_step": 100},
            other: {"steps": 0, "first_step": None},
        }
        assert not report.passed

    @pytest.mark.parametrize("amount", [0.0, BOUND, -1e-12, BOUND * (1 + 1e-12)])
    def test_the_ends_belong_to_it_and_rounding_does_not_count(self, amount: float) -> None:
        trace = self.with_amounts("cost", dict.fromkeys(range(len(right_case(0).trace)), amount))
        assert not audit([trace], right_case(0).setting, labels=["eq:payment"]).outside_range["cost"].steps

    @pytest.mark.parametrize(("tolerance", "steps"), [(0.005, 0), (0.003, 1)])
    def test_tolerance(self, tolerance: float, steps: int) -> None:
        trace = self.with_amounts("bid", {399: BOUND + 0.004})
        report = audit([trace], right_case(0).setting, labels=["eq:payment"], tolerance=tolerance)
        assert report.outside_range["bid"].steps == steps
        assert report.passed == (steps == 0)

    def test_a_log_without_costs(self) -> None:
        columns = {name: column for name, column in right_case(0).trace.columns().items() if name != "cost"}
        assert audit([Trace(**columns)], right_case(0).setting, labels=["eq:payment"]).outside_range["cost"].steps == 0

    def test_command(self, files: Path, audited: Run) -> None:
        """Why the exit code is 1 comes first."""
        both = with_columns(self.with_amounts("bid", {398: -1.0, 399: -1.0}), cost=right_case(0).trace.cost + BOUND)
        write_trace(both, files / "both.csv", right_case(0).setting)
        outcome = audited("both.csv", "--claim", "eq:payment")
        assert outcome.code == 1
        text = outcome.told
        assert text.startswith("Not passed: 2 bids lie outside [0, 75.008] (first at step 399) and 400 costs lie ")
        assert "outside [0, 75.008] (first at step 1); no rule is broken in 400 steps." in text


class TestCommand:
    def test_exit_codes(self, files: Path, run: Run, audited: Run) -> None:
        assert audited("right.csv").code == 0
        assert audited("wrong.csv").code == 1
        assert audited("none.csv").code == 2
        assert run("audit", files / "right.csv", "--setting", "nowhere").code == 2
        assert audited("right.csv", "--tolerance", "-1").code == 2
        assert audited("right.csv", "--tolerance", "nan").code == 2
        assert audited("right.csv", "--claim", "lem:nothing").code == 2

    @pytest.mark.long("audits a log twice")
    def test_a_claim_refuted_beside_what_it_says_is_not_recommended(self, files: Path, audited: Run) -> None:
        """Without exploration every served provider is still eligible: eq:qualified-set itself is kept."""
        setting = right_case(0).setting
        trace = play_on_market(partial(Platform, exploration=False), setting, horizon=600).trace
        write_trace(trace, files / "unexplored.csv", setting)
        outcome = audited("unexplored.csv", "--all")
        assert outcome.code == 1
        text = outcome.told
        assert re.search(r"eligibility eq:qualified-set [\d,]+ 0 -", text)
        assert "eq:qualified-set is refuted in another part" in text
        page = parsed(page_of(audit([trace], setting, labels=["eq:qualified-set"]).to_data())).text()
        assert "refuted in another part: " in page
        assert text.rpartition("--claim ")[2].split()[0] == "eq:allocation"

    @pytest.mark.long("explains a log")
    def test_json(self, files: Path, audited: Run) -> None:
        outcome = audited("wrong.csv", "--json")
        assert outcome.code == 1
        data = outcome.data
        assert data["trace"] == str(files / "wrong.csv")
        assert data["steps"] == 400
        [violation] = data["violations"]
        assert violation["step"] == auction_row() + 1
        assert violation["rule"] == "critical-payment"
        assert violation["found"] == pytest.approx(0.97 * violation["expected"])
        assert {"label", "verdict", "tightest_ratio"} <= data["claims"][0].keys()
        assert data["violation_counts"].keys() == STEP_RULES.keys()
        assert data["diagnosis"][0]["cause"] == "payment edited"
        assert data["undecided"] == audit([wrong_trace()], right_case(0).setting, labels=LABELS).undecided
        assert data["versions"]["python"]

    def test_the_text_says_what_was_found_and_what_it_does_not_mean(self, audited: Run) -> None:
        text = audited("wrong.csv").told
        for part in ("critical-payment 1 of ", "payment edited", "4 refuted: eq:critical-payment"):
            assert part in text
        text = audited("right.csv", "--claim", "thm:regret").out
        assert "Passing is not a proof" in text
        assert "thm:regret is empty: needs T >= T_0 = " in text

    def test_malformed_logs(self, files: Path, audited: Run) -> None:
        """All problems of the rows are told in one line."""
        lines = (files / "right.csv").read_text().splitlines(keepends=True)
        (files / "odd.csv").write_text(
            "".join([*lines[:100], "100,nobody,x,1,1,1\n", *lines[101:200], "200,0,1,2,1,1\n"])
        )
        told = ("odd.csv:101:provider='nobody' is", "odd.csv:101:payment='x' must", "odd.csv:201:score='2' must")
        assert_bad_input(audited("odd.csv"), *told)

    @pytest.mark.long("diagnoses a log")
    def test_steps_that_do_not_count_on_are_a_finding(self, files: Path, audited: Run) -> None:
        lines = (files / "right.csv").read_text().splitlines(keepends=True)
        (files / "gap.csv").write_text("".join(lines[:100] + lines[101:]))
        assert "step 100 is missing before line 101" in audited("gap.csv", "--claim", "eq:payment").told
        outcome = audited("gap.csv", "--claim", "eq:payment", "--json")
        assert outcome.code == 1
        data = outcome.data
        assert data["step_faults"] == {
            "places": 1,
            "first": [{"kind": "missing", "row": 100, "line": 101, "step": 100, "rows": 1}],
        }
        assert data["diagnosis"][0]["cause"] == "row missing"
        assert not data["passed"]
        # A row that no decision depends on: the steps alone tell that it is gone.
        (files / "last.csv").write_text("".join([*lines[:-2], lines[-1]]))
        assert not audited("last.csv", "--claim", "eq:payment", "--json").data["passed"]

    @pytest.mark.long("sends a signal")
    def test_interrupted(self, audited: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was audited until then is shown, and the exit code says that it is not all."""
        monkeypatch.setattr(auditing, "CHUNK_ROWS", 70)
        feed = auditing._Steps.feed

        def interrupting(self: auditing._Steps, trace: Trace) -> None:
            feed(self, trace)
            if self.steps == 140:
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(auditing._Steps, "feed", interrupting)
        outcome = audited("right.csv", "--json")
        assert outcome.code == 130
        assert outcome.data["interrupted"]
        assert outcome.data["steps"] == 140

    def test_documented_findings_are_until_distinct(self, files: Path, audited: Run) -> None:
        case = right_case(1)
        (files / "market.toml").write_text(format_setting(case.setting))
        write_trace(case.trace, files / "right.csv", case.setting)
        label = "thm:robust-dominant:no-loss-in-mean"
        outcome = audited("right.csv", "--claim", label, "--claim", "lem:payment-range")
        assert outcome.code == 0
        text = outcome.told
        assert f"The log shows what is documented about the paper's wording: {label}." in text
        assert "no claim is refuted beyond the documented findings" in text

    def test_claims_that_do_not_apply_are_counted_in_a_line(self, audited: Run) -> None:
        assert right_case(0).setting.platform.belief_slack == 0
        short = audited("right.csv").told
        assert re.search(r"Claims tested: \d\d of \d\d, \d\d not applicable, \d\d empty .*; none refuted\.", short)
        assert "asmp:beliefs" not in short
        assert "asmp:beliefs" in audited("right.csv", "--all").out

    def test_tolerance_skips_exact_means_and_says_why(self, audited: Run) -> None:
        outcome = audited("right.csv", "--tolerance", "0.005", "--claim", TRUTHFUL_STRATEGY.label)
        assert outcome.code == 0
        assert "bids cannot be held to exact means" in outcome.told


def test_a_trace_from_python_is_refused_as_its_file_would_be() -> None:
    score = right_case(0).trace.score.copy()
    score[7] = 7.0
    strange = with_columns(right_case(0).trace, score=score)
    with pytest.raises(InputError, match=r"score at step 8=7.0 must lie in \[0, 1\]"):
        audit([strange], right_case(0).setting)
    with pytest.raises(InputError, match=r"score at step 108=7.0"):
        audit([right_case(0).trace.head(100), strange], right_case(0).setting, labels=["lem:payment-range"])


def test_costs_are_logged_in_all_parts_or_in_none() -> None:
    columns = {name: column for name, column in right_case(0).trace.columns().items() if name != "cost"}
    step = len(right_case(0).trace) + 1
    with pytest.raises(InputError, match=f"other columns from step {step:,} on"):
        audit([right_case(0).trace, Trace(**columns)], right_case(0).setting)


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize(
    ("names", "ending"),
    [(("cost",), "csv"), (("payment",), "parquet"), (("bid",), "csv"), (("cost", "payment", "bid"), "parquet")],
)
def test_sums_near_the_largest_double_warn_nobody(
    names: tuple[str, ...], ending: str, tmp_path: Path, run: Run, request: pytest.FixtureRequest
) -> None:
    if len(names) == 1:  # what is edited in all columns warns in the diagnosis where one of them does
        request.getfixturevalue("undiagnosed")
    columns = {name: column.copy() for name, column in right_case(0).trace.columns().items()}
    for name in names:
        columns[name][5::3] = np.finfo(float).max
    write_trace(Trace(**columns), tmp_path / f"log.{ending}", STRONG)
    outcome = run("audit", tmp_path / f"log.{ending}", "--setting", "gpqa-strong", "--jobs", 1)
    assert (outcome.code, outcome.err) == (1, "")
    assert "break a rule" in outcome.out or "out of range" in outcome.out or "outside" in outcome.out


#: Everybody stays eligible so early, so no step is empty and none has a single provider.
SILENT = ("empty-payment", "lone-payment")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate(STRONG, horizon=300, seed=1)


def test_rules_that_decide_no_step_are_named(trace: Trace, tmp_path: Path, run: Run) -> None:
    report = audit([trace], STRONG, labels=["eq:payment"])
    assert report.silent_rules == SILENT
    assert parsed(page_of(report.to_data())).text().count("nothing to decide") == len(SILENT)
    write_trace(trace, tmp_path / "log.csv", STRONG)
    command = ("audit", tmp_path / "log.csv", "--setting", "gpqa-strong", "--claim", "eq:payment", "--jobs", 1)
    shown = run(*command, "--all").told
    assert f"2 of the 9 rules decide no step, so they were not tested: {', '.join(SILENT)}. " in shown
    for rule in STEP_RULES:
        assert (re.search(rf" {rule} [a-z]+:[\w-]+ 0 - ", shown) is not None) is (rule in SILENT)


def test_a_log_of_the_first_steps_says_nothing_of_auctions(trace: Trace) -> None:
    report = audit([trace.rows(slice(0, STRONG.n_providers))], STRONG, labels=["eq:payment"])
    assert len(report.silent_rules) == 7
