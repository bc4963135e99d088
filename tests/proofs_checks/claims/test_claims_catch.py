"""Test the testers: broken platforms and tampered logs, with what must be refuted and what must not."""

import pytest

from mechanism.platform import Platform
from proofs_checks.claims.implications import broken_implications
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.conformance.mutants.correct import InitializesBackwards, LastOfTies
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.verdict import Verdict
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import EDGE, STAGES, play
from tests.proofs_checks.gallery.wrongs import CHECKED, GALLERY, LOGS, UNREFUTABLE, Broken, Tampered, judged


def refuted(case: Case) -> set[str]:
    return refuted_among(judged(case))


#: Statements of possibility ("may", "can"): one market confirms them, and others do not refute them; see test_findings.
POSSIBLE = {"claim:condition-cannot-be-dropped", "claim:widening-necessary"}


def refuted_among(findings: dict[str, Evidence]) -> set[str]:
    """The refuted claims, documented findings about the paper's wording aside."""
    refutations = {label for label, finding in findings.items() if finding.verdict is Verdict.REFUTED}
    return {label for label in refutations - POSSIBLE if not CHECKED[label].finding}


class TestRight:
    @pytest.mark.parametrize("stage", STAGES)
    @pytest.mark.parametrize("variant", [Plain, LastOfTies, InitializesBackwards], ids=lambda v: v.__name__)
    def test_right_platforms_are_not_refuted(self, variant: type[Plain], stage: str) -> None:
        assert refuted(play(variant, STAGES[stage], seed=2)) == set()

    def test_eligible_by_equality_is_right(self) -> None:
        case = play(Platform, EDGE)
        assert refuted(case) == set()
        at_the_edge = (case.replay.counts[:, 1] == 20) & ~case.replay.initialization
        assert case.replay.eligible[at_the_edge, 1].all()
        assert at_the_edge.any()

    @pytest.mark.parametrize("log", sorted({tampered.log for tampered in LOGS}))
    def test_right_logs_are_not_refuted(self, log: str) -> None:
        assert refuted(logs.right_log(log)) == set()


class TestWrong:
    @pytest.mark.parametrize("wrong", [*GALLERY, *LOGS], ids=str)
    def test_is_refuted_where_it_must_be_and_only_there(self, wrong: Broken | Tampered) -> None:
        findings = judged(wrong.case())
        found = refuted_among(findings)
        assert wrong.refutes - found == set(), "missed"
        assert found & (wrong.spares | UNREFUTABLE.keys()) == set(), "wrongly accused"
        assert broken_implications(findings) == ()

    def test_every_rule_of_the_platform_is_broken_by_some_variant(self) -> None:
        variants = {BROKEN_PLATFORMS[broken.mechanism] for broken in GALLERY}
        assert len(variants) >= 35
        rules = {name for name, rule in vars(Plain).items() if callable(rule) and not name.startswith("__")}
        replaced = {name for variant in variants for name in vars(variant)}
        # These decide nothing, or are broken through what they are made of, or what is made of them.
        of_others = {"_adjusted_bid", "_cost_radius", "_count", "_draw_empty", "_estimate", "_goal_at", "_radius"}
        in_order = {"_adjusted_bids", "_choose", "_know", "_prepare", "_price", "_winners", "assign"}
        assert rules - replaced == of_others | in_order

    def test_every_claim_can_be_refuted(self) -> None:
        """No claim is unable to fail, but for those that say why; findings have their own witnesses."""
        refutable = {label for wrong in [*GALLERY, *LOGS] for label in wrong.refutes}
        findings = {label for label, claim in CHECKED.items() if claim.finding}
        assert CHECKED.keys() - refutable - findings - POSSIBLE == UNREFUTABLE.keys()
