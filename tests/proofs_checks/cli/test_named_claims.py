"""Claims by name on the command line: `claims`, `replay`, and the commands that take labels."""

import json
from pathlib import Path

import pytest

from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.proofs.kernel.theorems import kernel_theorems
from tests.proofs_checks.cli.known import report_with_a_witness


class TestClaims:
    def test_lists_every_claim(self, run) -> None:
        code, out, err = run("claims", "--all")
        assert (code, err) == (0, "")
        heads = {line.split()[0] for line in out.splitlines() if line and line[0] != " "}
        assert all_claims().keys() <= heads
        told = " ".join(out.split())
        numbered = [one for label, one in kernel_theorems().items() if claim(label).number and not one.vacuous]
        whole = [one for one in numbered if one.states == "claim" and not one.beyond]
        assert len(whole) == len(numbered) == 35
        counts = f"{len(whole)} proved, 3 tested, 1 empty"
        assert f"The paper has 39 numbered statements: {counts}" in told
        assert f"All {len(all_claims())} claims (39 numbered and 23 unnumbered statements of the paper, " in told
        # The numbers of findings add up, and are those of `verify`.
        wordings = "wordings of the paper: 5 false, 1 empty (Corollary 15), 1 asserted but not derived"
        assert f"{wordings}; stronger readings: 11 false." in told
        assert "5 refuted as a wording of the paper, 11 refuted as a stronger reading" in told
        assert "lem:selection-counting proved commented out in the paper's source" in told

    def test_lists_every_numbered_statement_and_counts_the_others(self, run) -> None:
        out = run("claims")[1]
        numbered = {label for label, stated in all_claims().items() if stated.number}
        assert {word.strip(",") for word in out.split()} & all_claims().keys() == numbered
        assert "Variants and additions of our own (--all): 32 proved" in out

    def test_a_number_finds_its_claim_in_full(self, run) -> None:
        code, out, _ = run("claims", "Lemma", "25")
        assert code == 0
        assert "lem:payment-range  Lemma 25  proved" in out
        assert "0 <= payment <= c_max" in out

    @pytest.mark.parametrize(
        ("asked", "verdicts"),
        [
            (("--findings",), {"REFUTED", "VACUOUS", "PROVED"}),
            (("Finding",), {"REFUTED", "VACUOUS", "PROVED"}),
            (("refuted",), {"REFUTED"}),
            (("empty",), {"VACUOUS"}),
        ],
    )
    def test_lists_findings(self, run, asked: tuple[str, ...], verdicts: set[str]) -> None:
        rows = run("claims", *asked, "--json").data["claims"]
        everything = run("claims", "--json").data["claims"]
        found = [row for row in everything if row["documented_finding"]]
        wanted = {row["label"] for row in found if row["verdict_of_claim"] in verdicts}
        assert {row["label"] for row in rows} == wanted
        # What is false or empty is a finding.
        assert {row["label"] for row in everything if row["verdict_of_claim"] in verdicts - {"PROVED"}} <= wanted
        code, out, err = run("claims", *asked, "--all")
        assert (code, err) == (0, "")
        assert {line.split()[0] for line in out.splitlines() if line and line[0] != " "} >= wanted
        assert out.startswith(f"{len(wanted)} documented finding")
        assert out.count("Finding: ") == len(wanted)

    def test_json_says_which_theorem_in_coq_is_about_a_claim(self, run) -> None:
        rows = {row["label"]: row for row in run("claims", "--json").data["claims"]}
        for label, row in rows.items():
            theorem = kernel_theorems().get(label)
            assert row["kernel"] in (("stored", "checked") if theorem else ("none",))
            assert (row["kernel_theorem"], row["kernel_states"]) == (
                (theorem.name, theorem.states) if theorem else (None, None)
            )


class TestLabels:
    def test_verify_takes_words_and_writes_the_number(self, run) -> None:
        asked = ("gpqa-strong", "--quick", "--horizon", "200", "--instances", "2", "--jobs", "1")
        code, out, err = run("verify", *asked, "--claim", "payment range", "--json")
        assert code == 0
        rows = json.loads(out)["claims"]
        assert {row["label"].partition(":r")[0] for row in rows} >= {"lem:payment-range"}
        assert {row["number"] for row in rows if row["label"] == "lem:payment-range"} == {"Lemma 25"}
        assert err.startswith("costproof: note: 'payment range' is read as lem:payment-range (Payment range)")

    def test_a_claim_without_a_proof_names_what_holds_instead(self, run) -> None:
        code, _, err = run("prove", "identification horizon of section 5")
        assert code == 2
        assert "prove claim:T_id:repaired instead" in " ".join(err.split())


class TestReplay:
    @pytest.fixture
    def report(self, tmp_path: Path) -> Path:
        path = tmp_path / "report.json"
        path.write_text(report_with_a_witness())
        return path

    def test_all_replay(self, run, report: Path) -> None:
        code, out, err = run("replay", str(report))
        assert (code, err) == (0, "")
        assert out.startswith("The witness replays")
        assert run("replay", str(report), "--json").data["all_replay"] is True

    def test_one_does_not(self, run, report: Path) -> None:
        report.write_text(report.read_text().replace('"confidence": 0.95', '"confidence": 0.05'))
        code, out, _ = run("replay", str(report))
        assert code == 1
        assert out.startswith("1 of 1 witnesses did not replay: lem:radius-monotone:one-provider.")

    def test_by_claim(self, run, report: Path) -> None:
        assert run("replay", str(report), "lem:radius-monotone")[0] == 0
        code, _, err = run("replay", str(report), "Theorem 4")
        assert code == 2
        assert "CLAIM='thm:regret' has no witness in this report" in err

    def test_what_is_no_report_is_one_line(self, run, report: Path) -> None:
        report.write_text("{")
        code, out, err = run("replay", str(report))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "REPORT.json=" in err
