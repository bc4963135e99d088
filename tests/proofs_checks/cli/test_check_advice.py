"""What `check` says next of a failure: how the defect is found, which command is run again, which kinds steps were."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import configuration

from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from proofs_checks.cli.views.check import show_conformance
from proofs_checks.conformance.checks.scratch_storage import scratch_storage
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.mutants.incentives import MovingAverageLeak
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import ConformanceReport
from proofs_checks.conformance.report.step_kinds import kinds_comment, step_kinds
from proofs_checks.conformance.suite import check_mechanism


class FilterAndPriceWrong(Plain):
    """Has two mistakes: it takes no radius where it asks who is eligible, and pays the winner its own bid."""

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider)

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return self.bids[winner]


def told(report: ConformanceReport, capsys: pytest.CaptureFixture[str], **how: object) -> str:
    show_conformance(report, **how)  # type: ignore[arg-type]
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture(scope="module")
def unguessed() -> ConformanceReport:
    only = ["past-bids", "critical-payment"]
    return check_mechanism(MovingAverageLeak, name="mine:make", only=only, effort=QUICK, explain=False)


class TestNext:
    def test_where_nothing_is_guessed_the_first_number_that_differs_is_asked_for(self, unguessed, capsys) -> None:
        out = told(unguessed, capsys, options=["--quick"])
        assert re.search(r"None of \d+ known mistakes explains all answers; there may be two. Print g", out)
        assert "the last assign() of the script (--script FILE): the first that differs" in out
        assert "--script FILE writes a script that reproduces it" in out
        assert "costproof check mine:make --only past-bids --quick" in out


class TestTwoMistakes:
    @pytest.mark.long("plays two checks")
    def test_one_check_is_named_to_start_with_and_the_rest_comes_after_it(self, capsys) -> None:
        only = ["own-bid-independence", "eligibility"]
        report = check_mechanism(FilterAndPriceWrong, only=only, effort=QUICK)
        assert report.first is not None
        assert report.failed == 2
        out = told(report, capsys)
        assert set(re.findall(r"[Ss]tart with ([\w-]+)", out)) == {report.first.name} == {"own-bid-independence"}
        assert out.index("eligibility ") < out.index(f"--only {report.first.name}")
        assert not re.search(r"[Mm]end [\w-]+ first", out)


class TestKinds:
    def test_the_kind_of_the_step_that_replaced_a_bid_is_named(self, unguessed, capsys) -> None:
        past = next(check for check in unguessed.checks if check.name == "past-bids")
        assert "(an auction), provider" in past.message
        everything = told(unguessed, capsys, everything=True)
        assert "auction" in everything.partition("Steps before it, by the rules:")[2][:200]
        assert "# steps by the rules: 1-" in past.script

    def test_kinds_are_those_of_the_rules(self) -> None:
        config = MechanismConfig(2, 0.9, 0.99, 1.0, 0.01, 0.5)
        history = [(0.0, 0.5), (1.0, 0.5), *[(0.0, 0.5), (1.0, 0.5)] * 10, *[(0.0, 0.5)] * 30]
        providers = [0, 1, *[0, 1] * 10, *[1] * 30]
        played = {"settlements": tuple(history), "providers": tuple(providers)}
        failure = Failure(message="dear", config=config, seed=0, **played)
        kinds = step_kinds(failure)
        assert kinds.startswith("1-2 initialization, 3-")
        assert "auction, " in kinds
        assert "lone provider" in kinds
        assert kinds.endswith("nobody eligible")
        assert all(len(line) <= 60 and line.startswith("# ") for line in kinds_comment(failure))
        late = Failure(message="dear", config=config, seed=0, in_flight=delay_law("9"), **played)
        assert step_kinds(late).startswith("1-2 initialization, 3-11 exploration")


class TestStorage:
    @pytest.fixture(autouse=True)
    def _nobody_has_chosen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("HYPOTHESIS_STORAGE_DIRECTORY", raising=False)

    @pytest.mark.long("starts a process")
    def test_no_folder_is_left_where_the_command_was_run(self, tmp_path: Path) -> None:
        arguments = ["check", "mechanism.platform:reference_mechanism", "--quick", "--only", "payment-range"]
        arguments += ["--only", "whole-interactions"]
        code = f"from proofs_checks.cli.main import main; raise SystemExit(main({arguments}))"
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_was_chosen_is_kept(self, tmp_path: Path) -> None:
        before = vars(configuration).get("__hypothesis_home_directory")
        try:
            configuration.set_hypothesis_home_dir(tmp_path)
            with scratch_storage():
                assert vars(configuration)["__hypothesis_home_directory"] != tmp_path
            assert vars(configuration)["__hypothesis_home_directory"] == tmp_path
        finally:
            configuration.set_hypothesis_home_dir(before)
