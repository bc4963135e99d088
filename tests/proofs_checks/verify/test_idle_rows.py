"""What `verify` says beside a verdict: what could not be found, which theorems do not count, where a finding is."""

import functools

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.cli.views.verify import show_verification
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import finding_shown_on, stored_verdict, verdict_of_claim
from proofs_checks.verify.run import Effort, VerifyReport, verify
from tests.proofs_checks.outcomes import Run

#: Two providers whose costs are far apart: B_id(T) is far below T - N at T = 2,000. Of gpqa-strong it is above.
APART = Setting(
    "apart",
    PlatformParameters(0.5, 0.05, 1.0, 1.0, 0.5),
    (Provider("cheap", 1.0, 0.1), Provider("expensive", 1.0, 0.9)),
)
EFFORT = Effort(runs=1, horizon=2_000, variant_horizon=60, instances=0)


@functools.cache
def report() -> VerifyReport:
    labels = ("thm:sample-complexity", "thm:robust-dominant", "claim:robust-equilibrium")
    return verify([APART, published("gpqa-strong").setting], effort=EFFORT, labels=labels)


def row(label: str) -> dict[str, object]:
    return next(one for one in report().claim_rows if one.label == label)._asdict()


def table(capsys: pytest.CaptureFixture[str]) -> list[str]:
    show_verification(report())
    return capsys.readouterr().out.splitlines()


def test_a_row_counts_the_settings_on_which_it_could_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    could = {one.setting: one.could_fail for one in report().results if one.label == "thm:sample-complexity"}
    assert (could["apart"], could["gpqa-strong"]) == (True, False)
    found = row("thm:sample-complexity")
    assert (found["settings_alike"], found["settings_idle"], found["could_fail"]) == (2, 1, True)
    printed = table(capsys)
    [line] = [one for one in printed if "thm:sample-complexity " in one]
    assert line.split()[:7] == ["Thm.", "3", "thm:sample-complexity", "proved,", "finite", "T", "tested"]
    assert "*" not in line  # on the other setting it could have failed


@pytest.mark.parametrize("label", ["thm:robust-dominant", "claim:robust-equilibrium"])
def test_what_is_compared_in_place_of_a_claim_is_named(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert row(label)["compared_as"] == "lem:one-step"
    assert row(label)["tightest_ratio"] is None, "the part that it is cited for has no ratio"
    pieces = [piece for one in report().results if one.label == label for piece in one.evidence]
    assert all(piece.tried.startswith("lem:one-step alone: ") for piece in pieces if piece.kind != "certificate")
    told = " ".join(" ".join(table(capsys)).split())
    assert f"Of {label} what is tested is lem:one-step, which says less." in told


@pytest.mark.parametrize(("asked", "named"), [((), "gpqa-strong "), (("market.toml",), "market.toml ")])
def test_a_longer_run_is_suggested_on_the_setting_that_needs_it(
    asked: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verify([published("gpqa-strong").setting], effort=EFFORT, labels=["thm:regret"])
    show_verification(found, asked=asked)
    said = " ".join(capsys.readouterr().out.replace("\\", "").split())
    assert f"costproof verify {named}--claim thm:regret --horizon " in said


def test_what_is_empty_as_worded_says_when() -> None:
    [found] = [verify([APART], effort=EFFORT, labels=["cor:eventual-ordinary-optimality"])]
    assert "1 empty (while a provider is unqualified)" in found.known_in_words


LITTLE = Effort(runs=1, horizon=60, variant_horizon=60, instances=1)
LABELS = ["lem:qualified-eligibility", "lem:payment-range", "cor:eventual-ordinary-optimality"]


def test_it_is_said_first_and_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    changed = {**kernel.sources(), "Radius.v": ""}
    monkeypatch.setattr(kernel, "sources", lambda: changed)
    report = verify([], effort=LITTLE, labels=LABELS)
    assert set(LABELS) <= report.certificates.keys()
    assert {piece.verdict for piece in report.certificates.values()} == {Verdict.SKIPPED}
    assert report.proofs.proofs == report.proofs.skipped == len(report.certificates)
    assert report.proofs.reason.startswith("what is stored was checked for other sources (Radius.v changed since)")
    for label in LABELS:
        assert report.claim_verdict(label) in (Verdict.NOT_REFUTED, Verdict.SKIPPED)
    show_verification(report)
    said = " ".join(capsys.readouterr().out.split())
    many = sum(report.kernel_of(rows[0].label) is not None for rows in report.by_claim)
    assert said.startswith(f"{many} theorems in Coq do not count: what is stored was checked for other sources")
    assert said.count("in Coq do") == 1
    show_verification(report, everything=True)
    assert "proved, certificate" not in capsys.readouterr().out


def test_where_all_count_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    report = verify([], effort=LITTLE, labels=["lem:payment-range"])
    assert (report.proofs.skipped, report.proofs.reason) == (0, None)
    show_verification(report)
    assert "in Coq do" not in capsys.readouterr().out


FALSE = [label for label in all_claims() if stored_verdict(label) is Verdict.REFUTED]


@pytest.mark.for_each("label", FALSE)
def test_what_is_called_false_as_worded_is_refuted_somewhere(label: str) -> None:
    """The rule looks at the finding's text alone; settings and witnesses are asked here."""
    assert finding_shown_on(label)


def test_the_others() -> None:
    empty = [label for label in all_claims() if stored_verdict(label) is Verdict.VACUOUS]
    assert empty == ["cor:eventual-ordinary-optimality"]
    assert {label for label in FALSE if not claim(label).finding} == set()
    assert len(FALSE) == 16


def test_what_is_computed_of_each_published_setting_is_exact() -> None:
    """A claim that is computed is EXACT in lists, which compute nothing."""
    for label in (label for label in all_claims() if stored_verdict(label) is Verdict.EXACT):
        if (compute := claim(label).on_setting) is not None:
            found = {compute(published(name).setting).verdict for name in PUBLISHED_NAMES}
            assert found - {Verdict.SKIPPED} == {Verdict.EXACT}, label


def test_a_proof_counts_only_if_it_stands() -> None:
    stated = claim("lem:payment-range")
    assert verdict_of_claim(stated, Verdict.PROVED) is Verdict.PROVED
    assert verdict_of_claim(stated, Verdict.SKIPPED) is Verdict.NOT_REFUTED
    assert verdict_of_claim(stated, None) is Verdict.NOT_REFUTED
    # Proved for some numbers of providers only: that is no proof for all parameters.
    assert stored_verdict("eq:allocation") is Verdict.NOT_REFUTED
    assert verdict_of_claim(claim("eq:optimal-provider"), None) is Verdict.EXACT


def test_a_finding_is_told_on_whichever_setting(passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    asked = ["verify", "gpqa-strong", "--claim", "claim:T_id:tightened", "--quick", "--instances", "0", "--jobs", "1"]
    text = passed(*asked).told
    assert text.startswith(
        "claim:T_id:tightened (Identification horizon of appendix D) is refuted as a wording of the paper."
    )
    assert "gpqa-strong: computed exactly" in text
    assert "shown on gsm8k-full" in text
    data = passed(*asked, "--json").data
    [row] = [row for row in data["claims"] if (row["label"], row["setting"]) == ("claim:T_id:tightened", "gpqa-strong")]
    assert (row["verdict"], row["verdict_of_claim"]) == ("EXACT", "REFUTED")
    assert row["finding_shown_on"] == ["gsm8k-full"]
    assert sum(data["counts_of_claims"].values()) == len({row["label"] for row in data["claims"]})
