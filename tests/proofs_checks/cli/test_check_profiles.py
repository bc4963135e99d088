"""`costproof check --profile`, `--exclude` and `--strict`: first sentences, what is listed, exit codes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.cli.views.check import show_conformance
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.kind import observed
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.suite import check_mechanism
from tests.proofs_checks.conformance import routers
from tests.proofs_checks.outcomes import Run

ROUTERS = routers.__name__
SEEMS = (
    "This seems to be a router without payments: it pays nothing, and bids change who serves. It learns from scores."
)


def shown(capsys: pytest.CaptureFixture[str], made: type[Any], **options: Any) -> str:
    """What the command prints of a mechanism, on one line; without a cause, which takes a while to look for."""
    report = check_mechanism(made, effort=QUICK, explain=False, **options)
    show_conformance(replace(report, observations=observed(Subject(made, "it"))), options=["--quick"])
    return " ".join(capsys.readouterr().out.replace("\\\n", "").split())


def test_the_first_sentence_and_the_next_command_name_the_profile(capsys) -> None:
    told = shown(capsys, routers.Cascade, only="initialization-payment")
    assert told.startswith(f"{SEEMS} --profile router has the checks for it. 1 of 1 check failed.")
    assert f"Next, its own profile: costproof check {ROUTERS}:Cascade --profile router --quick" in told


def test_in_its_profile_the_numbers_of_the_paper_are_not_shown(capsys) -> None:
    told = shown(capsys, routers.RoundRobin, profile="router", only="quality-threshold")
    assert "500 of the last 1,000 queries go to provider 1, with mean scores of 0.375 below q_min = 0.75" in told
    assert "--only quality-threshold --profile router --quick" in told
    assert "adjusted" not in told
    assert "known mistakes" not in told


def test_a_pass_says_what_chance_means(capsys) -> None:
    told = shown(capsys, routers.Cascade, profile="router", only="routing")
    assert f"{SEEMS} {ROUTERS}:Cascade: 3 of 3 checks passed." in told
    assert "best-provider: the fair share 1/N is enough; a quarter of it or less is found with probability" in told
    assert "A right mechanism fails such a run with probability at most 1e-07." in told
    assert "Next, all checks, as quickly: " in told
    assert "Means, counts and thresholds of its own were not compared." in told


@pytest.mark.long("plays all checks of a profile")
def test_the_next_command_keeps_what_may_fail(capsys) -> None:
    expected = {"no-loss": "providers decline"}
    report = check_mechanism(
        routers.AsksNobody, effort=QUICK, explain=False, profile="posted-price", expected_failures=expected
    )
    show_conformance(report, options=["--quick"], expected_failures=["no-loss=providers decline"])
    told = " ".join(capsys.readouterr().out.replace("\\\n", "").split())
    assert "--profile posted-price --expect-failure 'no-loss=providers decline'" in told


def test_it_lists_the_checks_of_a_profile(checked: Run) -> None:
    listed = checked("--list", "--json", "--profile", "router", "--exclude", "contract").data
    assert [row["name"] for row in listed][2:] == ["continued-exploration", "best-provider", "quality-threshold"]
    assert "routing (3), who serves in the long run: " in checked("--list", "--profile", "router").out


def test_a_skipped_check_fails_a_strict_run_alone(run: Run) -> None:
    """A domain in which nobody is ever alone."""
    asked = ["check", "mechanism.platform:reference_mechanism", "--in-process", "--quick", "--domain", "eligible=2.."]
    asked += ["--only", "initialization-order", "--only", "lone-payment"]
    outcome = run(*asked)
    assert outcome.code == 0
    assert "1 of 2 checks passed, 1 skipped within the domain (eligible=2..)." in outcome.told
    outcome = run(*asked, "--strict")
    assert outcome.code == 1
    assert "1 of 2 checks could not run or had nothing to compare" in outcome.out
    assert run(*asked, "--strict", "--exclude", "lone-payment").code == 0
    outcome = run(*asked, "--exclude", "initialization-order")  # nothing ran
    assert outcome.code == 1
    assert "1 of 1 check could not run" in outcome.out


@pytest.mark.long("a process that loads SymPy")
def test_the_document_and_the_page(checked: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = ["--profile", "posted-price", "--exclude", "contract", "--quick", "--report", str(page)]
    data = checked(f"{ROUTERS}:AsksNobody", *asked, "--json").data
    assert (data["profile"], data["kind"], data["excluded"], data["strict"]) == (
        *("posted-price", "posted-price", ["contract"], False),
    )
    assert data["first"] == "no-loss"
    assert data["observations"]["fixed_prices"] is True
    assert "This seems to be a posted-price mechanism: no bid changes what a provider is paid" in page.read_text()
    assert "--profile posted-price --only no-loss" in page.read_text()
