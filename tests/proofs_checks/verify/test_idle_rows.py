"""What a row of `verify` could not have found, or compares in place of the claim, stands beside its verdict."""

from __future__ import annotations

import functools

import pytest

from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.cli.views.verify import show_verification
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import VerifyReport, verify

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
    assert line.split()[:5] == ["Thm.", "3", "thm:sample-complexity", "proved", "tested"]
    assert "*" not in line  # on the other setting it could have failed


@pytest.mark.parametrize("label", ["thm:robust-dominant", "claim:robust-equilibrium"])
def test_what_is_compared_in_place_of_a_claim_is_named(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert row(label)["compared_as"] == "lem:one-step"
    pieces = [piece for one in report().results if one.label == label for piece in one.evidence]
    assert all(piece.tried.startswith("lem:one-step alone: ") for piece in pieces if piece.kind != "certificate")
    told = " ".join(" ".join(table(capsys)).split())
    assert f"Of {label} only lem:one-step is tested." in told


def test_what_is_empty_as_worded_says_when() -> None:
    [found] = [verify([APART], effort=EFFORT, labels=["cor:eventual-ordinary-optimality"])]
    assert "1 empty in the paper's own wording (while a provider is unqualified)" in found.known_in_words
