"""`audit` as a function and as a command: reports, exit codes, interruption, the process beside it."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.file import format_setting
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.parallel import WorkersLostError
from mechanism.platform import Platform
from mechanism.replay import Replay
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit import run as auditing
from proofs_checks.audit.run import audit
from proofs_checks.audit.worker import ClaimsInAProcess
from proofs_checks.claims.model.claim import ClaimError
from proofs_checks.claims.statements.history import TRUTHFUL_STRATEGY
from proofs_checks.cli.main import main
from proofs_checks.conformance.play.market import play_on_market
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.pages.page import page_of
from tests.proofs_checks.audit.audited import edited, lost, parts, right_case, with_columns
from tests.proofs_checks.pages.parsed import parsed

LABELS = ["eq:payment", "lem:payment-range", "lem:two-sided-payment"]
BOUND = published("gpqa-strong").setting.platform.cost_bound


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


def run(folder: Path, trace: str, *more: str) -> int:
    return main(["audit", str(folder / trace), "--setting", str(folder / "market.toml"), *more])


class TestFunction:
    def test_a_right_log_passes(self) -> None:
        report = audit([right_case(0).trace], right_case(0).setting, labels=LABELS)
        assert report.passed
        assert report.violations == ()
        assert report.applicable["initialization-order"] == right_case(0).setting.n_providers

    def test_a_wrong_one_does_not(self) -> None:
        report = audit([wrong_trace()], right_case(0).setting, labels=LABELS)
        assert not report.passed
        assert [(v.step, v.rule) for v in report.violations] == [(auction_row() + 1, "critical-payment")]
        assert [result.label for result in report.refuted] == ["eq:payment"]
        assert report.first_steps == {"critical-payment": auction_row() + 1}

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_parts_and_processes_change_nothing(self, jobs: int) -> None:
        one = audit([right_case(0).trace], right_case(0).setting)
        many = audit(parts(right_case(0).trace, 90), right_case(0).setting, jobs=jobs)
        assert many.to_data() == one.to_data()

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_nor_on_a_wrong_log_on_which_assumptions_fail(self, jobs: int) -> None:
        trace = lost(right_case(0).trace, 150)
        one = audit([trace], right_case(0).setting).to_data()
        many = audit(parts(trace, 90), right_case(0).setting, jobs=jobs).to_data()
        assert many == one
        assert {"REFUTED", "ASSUMPTION_VIOLATED", "NOT_REFUTED"} <= {row["verdict"] for row in one["claims"]}

    def test_every_part_of_a_claim_has_a_verdict(self) -> None:
        for row in audit([right_case(0).trace], right_case(0).setting).to_data()["claims"]:
            assert row["parts"]
            assert row["checked"] == sum(part["checked"] for part in row["parts"])
            assert row["unexercised"] == [part["name"] for part in row["parts"] if part["verdict"] == "VACUOUS"]
            if row["verdict"] == "NOT_REFUTED":
                assert all(part["verdict"] == "NOT_REFUTED" for part in row["parts"] if part["headline"])

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

    def test_the_end_is_known_only_at_the_end(self) -> None:
        """Nothing is compared at the end of a part as if it were the end of the log."""
        report = audit(
            parts(right_case(0).trace, 90), right_case(0).setting, labels=["eq:allocation", "eq:quality-estimate"]
        )
        whole = audit([right_case(0).trace], right_case(0).setting, labels=["eq:allocation", "eq:quality-estimate"])
        assert report.claims == whole.claims

    @pytest.mark.parametrize("wrong", [{"tolerance": -1.0}, {"tolerance": True}, {"labels": ["lem:nothing"]}])
    def test_bad_arguments(self, wrong: dict) -> None:
        with pytest.raises(InputError):
            audit([right_case(0).trace], right_case(0).setting, **wrong)

    def test_a_log_without_rows(self) -> None:
        with pytest.raises(InputError, match="parts"):
            audit([], right_case(0).setting)

    def test_what_reading_raises_is_raised_and_no_process_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[ClaimsInAProcess] = []

        class Noted(ClaimsInAProcess):
            def __init__(self, *arguments: object) -> None:
                super().__init__(*arguments)  # type: ignore[arg-type]
                made.append(self)

        monkeypatch.setattr(auditing, "ClaimsInAProcess", Noted)

        def breaking_off() -> Iterator[Trace]:
            yield from parts(right_case(0).trace, 90)
            raise InputError("step", 5, "must be 4", "mend it")

        with pytest.raises(InputError, match="mend it"):
            audit(breaking_off(), right_case(0).setting, labels=LABELS, jobs=2)
        assert made[0]._process.poll() is not None

    def test_a_lost_process_is_told(self) -> None:
        claims = ClaimsInAProcess(right_case(0).setting, LABELS, 0.0)
        claims._process.kill()
        claims._process.wait()
        with pytest.raises(WorkersLostError, match="--jobs 1"):
            claims.outcomes()

    def test_an_error_in_the_process_is_raised_here(self) -> None:
        claims = ClaimsInAProcess(right_case(0).setting, LABELS, 0.0)
        claims.feed(with_columns(right_case(0).trace, provider=right_case(0).trace.provider + 7), ends=True)
        with pytest.raises(ClaimError, match="belongs to another setting"):
            claims.outcomes()


class TestOutsideRange:
    """Bids and costs that the paper does not have."""

    @staticmethod
    def with_amounts(column: str, amounts: dict[int, float]) -> Trace:
        values = right_case(0).trace.columns()[column].copy()
        values[list(amounts)] = list(amounts.values())
        return with_columns(right_case(0).trace, **{column: values})

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

    @pytest.mark.parametrize("number", range(4))
    def test_logs_of_right_platforms_hold_none(self, number: int) -> None:
        case = right_case(number)
        report = audit([case.trace], case.setting, labels=["eq:payment"])
        assert report.passed
        assert not any(amounts.steps for amounts in report.outside_range.values())

    def test_a_log_without_costs(self) -> None:
        columns = {name: column for name, column in right_case(0).trace.columns().items() if name != "cost"}
        assert audit([Trace(**columns)], right_case(0).setting, labels=["eq:payment"]).outside_range["cost"].steps == 0

    def test_command(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_trace(self.with_amounts("bid", {399: BOUND + 1}), files / "one.csv", right_case(0).setting)
        assert run(files, "one.csv", "--claim", "eq:payment") == 1
        text = " ".join(capsys.readouterr().out.split())
        assert text.startswith("1 bid lies outside [0, 75.008], the first at step 400: ")
        assert "No rule is broken" not in text
        assert "Bids lie outside [0, c_max]. Beyond that, the log cannot show:" in text
        write_trace(self.with_amounts("bid", {399: -1.0}), files / "negative.csv", right_case(0).setting)
        assert run(files, "negative.csv") == 1
        text = " ".join(capsys.readouterr().out.split())
        # Why the exit code is 1 comes before what is only odd.
        assert text.startswith("1 bid lies outside [0, 75.008], the first at step 400: ")
        assert "One bid is not the running mean cost" in text
        both = with_columns(self.with_amounts("bid", {398: -1.0, 399: -1.0}), cost=right_case(0).trace.cost + BOUND)
        write_trace(both, files / "both.csv", right_case(0).setting)
        assert run(files, "both.csv", "--claim", "eq:payment") == 1
        text = " ".join(capsys.readouterr().out.split())
        assert "2 bids lie outside [0, 75.008], the first at step 399: " in text
        assert "400 costs lie outside [0, 75.008], the first at step 1: " in text
        assert "Bids and costs lie outside [0, c_max]. Beyond" in text


class TestCommand:
    def test_exit_codes(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(files, "right.csv") == 0
        assert run(files, "wrong.csv") == 1
        assert run(files, "none.csv") == 2
        assert main(["audit", str(files / "right.csv"), "--setting", "nowhere"]) == 2
        assert run(files, "right.csv", "--tolerance", "-1") == 2
        assert run(files, "right.csv", "--tolerance", "nan") == 2
        assert run(files, "right.csv", "--claim", "lem:nothing") == 2
        assert "Traceback" not in capsys.readouterr().err

    def test_a_claim_refuted_beside_what_it_says_is_not_recommended(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Without exploration every served provider is still eligible: eq:qualified-set itself is kept."""
        setting = right_case(0).setting
        (tmp_path / "market.toml").write_text(format_setting(setting))
        trace = play_on_market(partial(Platform, exploration=False), setting, horizon=600).trace
        write_trace(trace, tmp_path / "unexplored.csv", setting)
        assert run(tmp_path, "unexplored.csv", "--jobs", "1") == 1
        text = " ".join(capsys.readouterr().out.split())
        assert re.search(r"eligibility eq:qualified-set [\d,]+ 0 -", text)
        assert "eq:qualified-set NOT_REFUTED REFUTED beside" in text
        told = r"the claim's own relation is not violated; a relation compared with it is"
        assert f"REFUTED beside: {told}. ratio:" in text
        assert re.search(rf"eq:qualified-set: REFUTED beside: {told}, [\d,]+ times; worst: relation", text)
        assert "eq:qualified-set: REFUTED," not in text
        page = parsed(page_of(audit([trace], setting, labels=["eq:qualified-set"]).to_data())).text()
        assert f"REFUTED beside: {told}." in page
        recommended = text.rpartition("--claim ")[2].split()[0]
        assert recommended == "eq:allocation"

    def test_a_price_that_does_not_exist_is_told_in_words(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """An auction is won by a provider that is not eligible: there is nothing that it should be paid."""
        setting, trace = right_case(0).setting, simulate(right_case(0).setting, horizon=12_000, seed=1)
        replay = Replay(MechanismConfig.of(setting), trace)
        row = int(np.flatnonzero(replay.auction & ~replay.eligible.all(axis=1))[-1])
        served = trace.provider.copy()
        served[row] = int(np.flatnonzero(~replay.eligible[row])[0])
        wrong = with_columns(trace, provider=served)
        (tmp_path / "market.toml").write_text(format_setting(setting))
        write_trace(wrong, tmp_path / "ineligible.csv", setting)
        assert run(tmp_path, "ineligible.csv", "--claim", "eq:payment", "--jobs", "1") == 1
        text = " ".join(capsys.readouterr().out.split())
        assert "None" not in text
        assert "right not defined: who served was not eligible, and has no price" in text
        page = parsed(page_of(audit([wrong], setting, labels=["eq:payment"]).to_data())).text()
        assert re.search(r"left [\d.]+, right without a finite value", page)

    def test_a_claim_that_was_asked_for_says_why_it_was_not_tested(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(files, "right.csv", "--claim", "thm:regret", "--jobs", "1") == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "thm:regret: VACUOUS, needs T >= T_0 = " in text
        assert "could not be tested" not in text

    def test_json(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(files, "wrong.csv", "--json") == 1
        data = json.loads(capsys.readouterr().out)
        assert data["trace"] == str(files / "wrong.csv")
        assert data["steps"] == 400
        [violation] = data["violations"]
        assert violation["step"] == auction_row() + 1
        assert violation["rule"] == "critical-payment"
        assert violation["found"] == pytest.approx(0.97 * violation["expected"])
        assert {"label", "verdict", "tightest_ratio"} <= data["claims"][0].keys()
        assert data["violation_counts"].keys() == STEP_RULES.keys()
        assert data["diagnosis"][0]["hypothesis"] == "payment edited"
        assert data["undecided"] == audit([wrong_trace()], right_case(0).setting, labels=LABELS).undecided
        assert data["versions"]["python"]

    def test_the_text_says_what_was_found_and_what_it_does_not_mean(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run(files, "wrong.csv")
        text = " ".join(capsys.readouterr().out.split())
        for part in ("critical-payment", "payment edited", "consistent with", "the log cannot show", "REFUTED"):
            assert part in text
        run(files, "right.csv")
        assert "That is no proof" in capsys.readouterr().out

    def test_malformed_logs(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """All problems of the rows are told in one line."""
        lines = (files / "right.csv").read_text().splitlines(keepends=True)
        (files / "odd.csv").write_text(
            "".join([*lines[:100], "100,nobody,x,1,1,1\n", *lines[101:200], "200,0,1,2,1,1\n"])
        )
        assert run(files, "odd.csv") == 2
        error = capsys.readouterr().err
        for told in ("odd.csv:101:provider='nobody' is", "odd.csv:101:payment='x' must", "odd.csv:201:score='2' must"):
            assert told in error
        assert error.count("\n") == 1

    def test_steps_that_do_not_count_on_are_a_finding(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        lines = (files / "right.csv").read_text().splitlines(keepends=True)
        (files / "gap.csv").write_text("".join(lines[:100] + lines[101:]))
        assert run(files, "gap.csv") == 1
        out = " ".join(capsys.readouterr().out.split())
        assert out.startswith("The steps do not count 1, 2, 3, ...: step 100 is missing before row 100 (line 101).")
        assert run(files, "gap.csv", "--json") == 1
        data = json.loads(capsys.readouterr().out)
        assert data["step_faults"] == {
            "places": 1,
            "first": [{"kind": "missing", "row": 100, "line": 101, "step": 100, "rows": 1}],
        }
        assert data["diagnosis"][0]["hypothesis"] == "row missing"
        assert not data["passed"]
        # A row that no decision depends on: the steps alone tell that it is gone.
        (files / "last.csv").write_text("".join([*lines[:-2], lines[-1]]))
        run(files, "last.csv", "--json")
        assert not json.loads(capsys.readouterr().out)["passed"]

    def test_parts_of_a_file(
        self, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(files, "wrong.csv", "--json")
        whole = json.loads(capsys.readouterr().out)
        monkeypatch.setattr(auditing, "CHUNK_ROWS", 70)
        for jobs in ("1", "2"):
            assert run(files, "wrong.csv", "--json", "--jobs", jobs) == 1
            assert json.loads(capsys.readouterr().out) == whole

    def test_max_violations(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(files, "wrong.csv", "--json", "--max-violations", "0") == 1
        data = json.loads(capsys.readouterr().out)
        assert data["violations"] == []
        assert data["violation_counts"]["critical-payment"] == 1

    def test_interrupted(
        self, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was audited until then is shown, and the exit code says that it is not all."""
        monkeypatch.setattr(auditing, "CHUNK_ROWS", 70)
        feed = auditing._Steps.feed

        def interrupting(self: auditing._Steps, trace: Trace) -> None:
            feed(self, trace)
            if self.steps == 140:
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(auditing._Steps, "feed", interrupting)
        assert run(files, "right.csv", "--json") == 130
        data = json.loads(capsys.readouterr().out)
        assert data["interrupted"]
        assert data["steps"] == 140

    def test_documented_findings_are_told_apart(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        case = right_case(1)
        (tmp_path / "market.toml").write_text(format_setting(case.setting))
        write_trace(case.trace, tmp_path / "right.csv", case.setting)
        label = "thm:robust-dominant:no-loss-in-mean"
        assert run(tmp_path, "right.csv", "--claim", label, "--claim", "lem:payment-range") == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "REFUTED 1 (1 documented): violated on this log" in text
        assert f"documented finding, no fault of the log: {label}: " in text
        assert "no claim refuted beyond the documented findings" in text
        assert run(tmp_path, "right.csv", "--claim", "lem:payment-range") == 0
        text = capsys.readouterr().out
        assert "documented finding" not in text
        assert "1 documented" not in text

    def test_claims_that_do_not_apply_are_counted_in_a_line(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert right_case(0).setting.platform.belief_slack == 0
        assert run(files, "right.csv", "--jobs", "1") == 0
        short = " ".join(capsys.readouterr().out.split())
        assert re.search(r"\d\d claims could not be tested on this log \(why: --all\)\.", short)
        assert "asmp:beliefs" not in short
        for chosen in (["--all"], ["--claim", "asmp:beliefs", "--claim", "lem:payment-range"]):
            assert run(files, "right.csv", "--jobs", "1", *chosen) == 0
            everything = capsys.readouterr().out
            assert "asmp:beliefs" in everything
            assert "could not be tested" not in everything

    def test_claims_whose_assumption_fails_on_the_way_are_listed(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Only what says nothing of the setting or the log is left out."""
        bid = right_case(0).trace.bid.copy()
        bid[200:] *= 1.2
        write_trace(with_columns(right_case(0).trace, bid=bid), files / "untrue.csv", right_case(0).setting)
        assert run(files, "untrue.csv", "--claim", "lem:adjusted-bid-bounds") == 1
        text = capsys.readouterr().out
        assert "lem:adjusted-bid-bounds" in text
        assert "could not be tested" not in text

    def test_rules_and_diagnosis_come_before_the_claims(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        money = {name: np.round(right_case(0).trace.columns()[name], 2) for name in ("payment", "bid")}
        write_trace(with_columns(right_case(0).trace, **money), files / "rounded.csv", right_case(0).setting)
        run(files, "rounded.csv")
        text = capsys.readouterr().out
        order = [
            "The rules of setting",
            "violations at ",
            "What the violations are consistent with",
            "Claims on this log",
            "Rules are broken",
        ]
        places = [text.index(part) for part in order]
        assert places == sorted(places)
        headline = " ".join(text[: places[0]].split())
        assert "of 400 steps break a rule, first " in headline
        assert "Try --tolerance 0.005" in headline

    def test_claims_that_fail_for_one_reason_share_a_line(
        self, files: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bid = right_case(0).trace.bid.copy()
        bid[auction_row()] *= 1.5
        write_trace(with_columns(right_case(0).trace, bid=bid), files / "edited.csv", right_case(0).setting)
        assert run(files, "edited.csv") == 1
        text = " ".join(capsys.readouterr().out.split())
        shared = re.search(r"(\d+) claims ASSUMPTION_VIOLATED: truthful bids: the bid left at step", text)
        assert shared
        assert int(shared[1]) > 10
        assert text.count("truthful bids: the bid left at step") == 1

    def test_one_is_singular_and_relations_are_quoted(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        run(files, "wrong.csv")
        text = " ".join(capsys.readouterr().out.split())
        assert "1 violation at 1 step " in text
        assert "The first 1 of" not in text
        assert f"explains the only violation of the rows looked at (steps {auction_row() - 63} to 400)" in text
        assert '1 violation; worst: relation "' in text
        assert "1 violations" not in text

    def test_many_violations(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_trace(
            with_columns(right_case(0).trace, payment=2 * right_case(0).trace.payment),
            files / "double.csv",
            right_case(0).setting,
        )
        run(files, "double.csv", "--claim", "eq:payment")
        assert "The first 10 of 400 violations at 400 steps" in " ".join(capsys.readouterr().out.split())

    def test_tolerance_skips_exact_means_and_says_why(self, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(files, "right.csv", "--tolerance", "0.005", "--claim", TRUTHFUL_STRATEGY.label) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "--tolerance allows for rounded money: bids cannot be held to exact means" in text
        assert run(files, "right.csv", "--claim", TRUTHFUL_STRATEGY.label) == 0
        assert "rounded money" not in capsys.readouterr().out


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


def test_a_report_begins_with_its_answer() -> None:
    report = audit([right_case(0).trace], right_case(0).setting, labels=["lem:payment-range"])
    assert repr(report) == f"AuditReport(passed: {len(right_case(0).trace):,} steps, 0 break a rule, 0 claims refuted)"
