"""`verify --claim` on several settings: what they have in common is printed once, the tightest case of all first."""

from dataclasses import replace

import pytest

from proofs_checks.claims.model.evidence import Evidence, HorizonNeeded, Part
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.cli.views.console import console
from proofs_checks.cli.views.evidence import show_evidence, tightest_anywhere
from proofs_checks.cli.views.verify import on_places
from proofs_checks.verdict import Verdict
from proofs_checks.verify.run import ClaimResult


def vacuous(value: float | None, *, tried: str = "no comparison on 4 runs") -> Evidence:
    """Nothing was compared: T_0 was not reached."""
    needed = HorizonNeeded(condition="T > T_0", value=value, reached=100)
    part = Part(name="late", verdict=Verdict.VACUOUS, reason=str(needed), horizon_needed=needed)
    return Evidence(kind="simulation", tried=tried, verdict=Verdict.VACUOUS, reason=str(needed), parts=(part,))


def compared(ratio: float, *, violations: int = 0) -> Evidence:
    verdict = Verdict.REFUTED if violations else Verdict.NOT_REFUTED
    return Evidence(verdict, tightness=Tightness(10, violations, None, ratio), tried="1 run")


def rows(**pieces: Evidence) -> list[ClaimResult]:
    return [
        ClaimResult(label="thm:regret", setting=name, verdict=piece.verdict, evidence=(piece,))
        for name, piece in pieces.items()
    ]


class TestTogether:
    def test_one_verdict_and_reason_is_given_once_with_the_range(self) -> None:
        assert on_places(rows(a=vacuous(5e3), b=vacuous(700.5), c=vacuous(9e9))) == [
            "a, b, c: empty: needs T > T_0 from 700.5 to 9,000,000,000.0; here T = 100"
        ]

    @pytest.mark.parametrize("other", [vacuous(None), compared(0.5)])
    def test_another_reason_or_verdict_has_its_own_entry(self, other: Evidence) -> None:
        found = on_places(rows(a=vacuous(5e3), b=other, c=vacuous(6e3)))
        assert [text.partition(":")[0] for text in found] == ["a, c", "b"]

    def test_results_of_tests_share_an_entry_with_the_range(self) -> None:
        assert on_places(rows(a=compared(0.5), b=compared(0.25))) == [
            "a, b: tested (10 comparisons, tightest 0.25 to 0.5)"
        ]

    def test_every_piece_is_there_where_everything_is_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        show_evidence(console(), rows(a=vacuous(5e3), b=vacuous(700.5)), {"a": 8_123, "b": None})
        out = " ".join(capsys.readouterr().out.split())
        assert "a: empty, simulation" in out
        assert "5,000.0; here T = 100 --horizon 8200 reaches it" in out
        assert "b: empty, simulation: no comparison on 4 runs needs T > T_0 = 700.5; here T = 100 --horizon 710" in out


class TestTightest:
    def test_is_the_largest_of_what_the_claim_is_cited_for(self) -> None:
        found = Evidence(Verdict.NOT_REFUTED, tightness=Tightness(9, 0, None, 0.97), kind="property", tried="40")
        small = ClaimResult(label="thm:regret", setting=None, verdict=Verdict.NOT_REFUTED, evidence=(found,))
        results = [*rows(a=vacuous(5e3), b=compared(0.5)), small]
        assert tightest_anywhere(results) == "tightest anywhere: ratio 0.97, on constructed instances"
        assert tightest_anywhere(results[:2]) == "tightest anywhere: ratio 0.5, on b"

    def test_is_none_where_nothing_was_compared_or_something_is_violated(self) -> None:
        assert tightest_anywhere(rows(a=vacuous(5e3))) == ""
        assert tightest_anywhere(rows(a=compared(0.5), b=compared(1.5, violations=1))) == ""

    def test_does_not_count_another_part_of_the_statement(self) -> None:
        late = vacuous(5e3).parts[0]
        parts = [
            replace(late.compared(Tightness(9, 0, None, ratio)), name=name, headline=headline, horizon_needed=None)
            for name, headline, ratio in (("cited", True, 0.25), ("beside it", False, 1.0))
        ]
        piece = replace(compared(1.0), parts=tuple(parts))
        assert tightest_anywhere(rows(a=piece)) == "tightest anywhere: ratio 0.25, on a"
