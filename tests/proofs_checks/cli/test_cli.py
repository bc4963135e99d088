"""The command line as a user meets it: output, exit codes, one-line errors."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bounds.published import published
from bounds.setting.file import format_setting
from mechanism.campaign.run import CAMPAIGN_BACKENDS
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.commands.simulate import BACKEND_NAMES
from proofs_checks.verify.consistency import contradictions
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.proofs_checks.pages.parsed import parsed

NAME = "gpqa-strong"
TOML = format_setting(published(NAME).setting)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


class TestBadSettings:
    def test_names_key_value_rule(self, run, tmp_path: Path) -> None:
        path = tmp_path / "bad.toml"
        path.write_text(TOML.replace("confidence = 0.05", "confidence = 1.5"))
        for command in ("bounds", "simulate", "verify"):
            assert_bad_input(run(command, path), "bad.toml", "platform.confidence=1.5", "(0, 1)")

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.binary(max_size=300))
    def test_any_bytes(self, run, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "fuzz.toml").write_bytes(content)
        assert_bad_input(run("bounds", tmp_path / "fuzz.toml"), "fuzz.toml")

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), max_size=5))
    def test_any_arguments(self, run, arguments: list[str]) -> None:
        outcome = run("bounds", *arguments)
        assert outcome.code in (0, 2)
        if outcome.code == 2:
            assert outcome.err.count("\n") == 1


class TestSimulate:
    def test_json(self, run) -> None:
        data = run("simulate", NAME, "--horizon", 400, "--runs", 2, "--jobs", 1, "--json", "--seed", 7).data
        assert (data["setting"], data["horizon"], data["runs"], data["seed"]) == (NAME, 400, 2, 7)
        assert len(data["policies"]) == 5
        assert data["steps"] == 400 * 2 * 5
        for metrics in data["policies"].values():
            assert sum(metrics["selections"]["mean"]) == pytest.approx(400)

    def test_policy_without_prices(self, run, tmp_path: Path) -> None:
        path = tmp_path / "unpriced.toml"
        path.write_text("\n".join(line for line in TOML.splitlines() if not line.startswith("listed_price")))
        data = run("simulate", path, "--horizon", 200, "--runs", 1, "--json").data
        assert set(data["policies"]) == {"platform", "uniform-eligible", "no-quality-filter"}
        named = run("simulate", path, "--horizon", 200, "--policy", "lowest-price")
        assert_bad_input(named, "provider[1].listed_price", "missing")

    SMALL = ("simulate", NAME, "--horizon", 200, "--runs", 2, "--policy", "platform", "--json")

    def test_traces_unless_told_otherwise(self, run, tmp_path: Path) -> None:
        run(*self.SMALL, "--out", tmp_path / "o", "--no-traces")
        assert [file.name for file in (tmp_path / "o").iterdir()] == ["campaign.sqlite"]
        run(*self.SMALL, "--out", tmp_path / "o")
        assert (tmp_path / "o" / "platform-0001.csv.gz").is_file()

    def test_export(self, run, tmp_path: Path) -> None:
        file = tmp_path / "runs.csv"
        data = run(*self.SMALL, "--export", file).data
        header, *rows = [line.split(",") for line in file.read_text().splitlines()]
        paid = [float(row[header.index("amount_paid")]) for row in rows]
        assert len(paid) == 2
        assert sum(paid) / 2 == pytest.approx(data["policies"]["platform"]["amount_paid"]["mean"])

    def test_back_ends_do_not_change_results(self, run) -> None:
        one = run(*self.SMALL, "--jobs", 1).data["policies"]
        for name in ("auto", "threads", "processes"):
            assert run(*self.SMALL, "--jobs", 2, "--backend", name).data["policies"] == one
        assert CAMPAIGN_BACKENDS == BACKEND_NAMES

    def test_other_versions_are_noted_on_stderr(self, run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("mechanism.campaign.run._versions", lambda backend: {"numpy": "0.1"})
            run(*self.SMALL, "--out", tmp_path / "o")
        again = run(*self.SMALL, "--out", tmp_path / "o")
        assert again.data["steps_per_second"] is None
        assert "note:" in again.err
        assert "numpy 0.1" in again.err


class TestVerify:
    SMALL = ("--horizon", 300, "--runs", 1, "--instances", 4, "--jobs", 1)

    @pytest.mark.long("verifies all claims")
    def test_table(self, run) -> None:
        outcome = run("verify", NAME, *self.SMALL)
        assert outcome.code == 0
        assert "holds" not in outcome.out
        rows = {line.split()[2]: line.split()[3:] for line in outcome.out.splitlines() if line.count("  ")}
        assert rows["thm:regret"] == ["proved,", "finite", "T", "empty"]
        assert rows["thm:robust-dominant"][:2] == ["proved", "tested"]

    def test_every_row(self, run) -> None:
        outcome = run("verify", NAME, *self.SMALL, "--all", "--claim", "lem:payment-range")
        assert NAME in outcome.out
        assert "any setting: proved, certificate" in outcome.out
        assert "constructed instances: tested, property" in outcome.out
        assert "any setting: tested" not in outcome.out

    @pytest.mark.long("verifies all claims")
    @pytest.mark.parametrize(
        ("where", "told"),
        [
            ("_instances", "Interrupted after 4 of 8 tasks: what follows covers only those."),
            (
                "certificate_evidence",
                "Interrupted after 0 of 8 tasks: what follows covers only those, and the proofs are not among them.",
            ),
        ],
    )
    def test_an_interruption_is_said(self, run, monkeypatch: pytest.MonkeyPatch, where: str, told: str) -> None:
        monkeypatch.setattr(f"proofs_checks.verify.episodes.{where}", interrupted)
        outcome = run("verify", NAME, *self.SMALL)
        assert outcome.code == 130
        out = outcome.told
        assert told in out
        assert "That is no proof" not in out
        assert where == "_instances" or "proved" not in out.partition("Not in the table")[0]

    @pytest.mark.long("verifies all claims twice")
    def test_the_totals_of_an_interrupted_run_are_those_of_the_paper(
        self, run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        whole = run("verify", NAME, *self.SMALL, "--json").data
        monkeypatch.setattr("proofs_checks.verify.episodes._episodes", interrupted)
        page = tmp_path / "report.html"
        outcome = run("verify", NAME, *self.SMALL, "--report", page, "--json")
        cut = outcome.data
        assert (outcome.code, whole["interrupted"], cut["interrupted"]) == (130, False, True)
        assert contradictions(cut) == ()
        for report in (whole, cut):
            assert report["ran"]["claims"] == len(all_claims())
            assert sum(report["counts_of_claims"].values()) == len(all_claims())
        here, there = cut["tested_here"], whole["tested_here"]
        assert (here["claims"], here["on_no_setting"]) == (there["claims"], there["on_no_setting"])
        assert there["not_reached"] == 0
        compared = {label for label, stated in all_claims().items() if stated.checks}
        reached = {row["label"] for row in cut["claims"] if row["setting"] == NAME and row["verdict"] != "SKIPPED"}
        assert here["not_reached"] == len(compared - reached) > 50
        assert here["claims"] == sum(here[kind] for kind in ("tested", "not_tested", "on_no_setting", "not_reached"))
        shown = parsed(page.read_text(encoding="utf-8")).text()
        assert f"{here['not_reached']} more were not reached before the interruption." in shown


class TestProgram:
    def test_interrupt(self, run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("proofs_checks.cli.input.setting_named", interrupted)
        outcome = run("bounds", NAME)
        assert outcome.code == 130
        assert outcome.err.count("\n") == 1

    @pytest.mark.long("starts processes")
    @pytest.mark.parametrize("form", ["", "--json"])
    def test_a_closed_pipe_does_not_change_the_exit_code(self, form: str) -> None:
        broken = Path(__file__).parents[1] / "conformance" / "misbehaving.py"
        # `true` reads nothing: the pipe is closed before the first line.
        command = (
            f"{sys.executable} -m proofs_checks check {broken}:Negative --only payment-range --quick {form} | true"
        )
        code = f"{command}; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Error" not in done.stderr  # a slow machine is told how long the check takes

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
    def test_full_disk(self) -> None:
        command = [sys.executable, "-m", "proofs_checks", "settings"]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


# ----------------------------------------------------------------------------------------------------
# SETTING: standard input, a forgotten extension, and a delta that is probably a slip.

TINY = ["--horizon", "200", "--runs", "1", "--jobs", "1"]


@pytest.mark.parametrize(
    "command", [["bounds", "-"], ["settings", "-"], ["simulate", "-", *TINY]], ids=lambda words: words[0]
)
def test_a_hyphen_reads_standard_input(command: list[str], passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for source in ("-", NAME):
        monkeypatch.setattr("sys.stdin", io.StringIO(TOML))
        found[source] = passed(*(source if word == "-" else word for word in command), "--json").data
    name, providers = ("name", "provider") if command[0] == "settings" else ("setting", "providers")
    assert (found["-"][name], found[NAME][name]) == ("stdin", NAME)
    assert found["-"][providers] == found[NAME][providers]


@pytest.mark.parametrize(("text", "told"), [("", "is empty"), ("[platform]\nk = 1", "stdin: platform.k=1")])
def test_what_is_wrong_on_standard_input_is_told(
    text: str, told: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert_bad_input(run("bounds", "-"), told)


def test_a_forgotten_extension_is_suggested(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unknown = run("bounds", "seven")
    assert_bad_input(unknown)
    assert "seven.toml" not in unknown.err
    Path("seven.toml").write_text(TOML)
    assert_bad_input(run("bounds", "seven"), "did you mean the file seven.toml?")


@pytest.mark.parametrize(("delta", "told"), [(0.5, False), (0.95, True)])
def test_a_large_delta_is_remarked_once(delta: float, told: bool, passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TOML.replace("confidence = 0.05", f"confidence = {delta}")))
    err = " ".join(passed("bounds", "-", "--csv").err.split())
    assert err.count("the probability with which the guarantees may fail") == told
    assert ("platform.confidence = 0.95 of stdin is above 0.5" in err) == told
