"""What holds, and how we know: claims, verdicts and their evidence.

What users need is importable from here, and is loaded when it is asked for.

What a verdict is: `verdict`. What the rules prescribe: `oracle`. The claims and the engine that compares them:
`claims`. What is done with them: `verify` (on settings), `audit` (on a recorded log), `conformance` (on somebody's
mechanism), `proofs` (for all parameters) and `reproduction` (the paper's tables). The command line, which alone
prints: `cli`.

Imports run from `cli` down: `verify`; `audit`, `conformance` and `proofs`, which do not know each other;
`claims`; `oracle`, `reproduction`, `verdict`.

Examples
--------
>>> from proofs_checks import claim
>>> claim("lem:payment-range").kind
'lemma'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proofs_checks.installation import require_own

require_own("bounds")  # before anything is imported from it

from bounds.exports import exports  # noqa: E402

if TYPE_CHECKING:
    from proofs_checks.audit.report import AuditReport as AuditReport
    from proofs_checks.claims.evaluation import ClaimsOnTrace as ClaimsOnTrace
    from proofs_checks.claims.model.case import Case as Case
    from proofs_checks.claims.model.claim import Claim as Claim
    from proofs_checks.claims.model.evidence import Evidence as Evidence
    from proofs_checks.claims.registry import all_claims as all_claims, claim as claim
    from proofs_checks.claims.witness import replays as replays
    from proofs_checks.conformance.report.report import ConformanceReport as ConformanceReport
    from proofs_checks.conformance.suite import check_mechanism as check_mechanism
    from proofs_checks.oracle.rule_oracle import RuleOracle as RuleOracle
    from proofs_checks.proofs.lemma import prove_lemma as prove_lemma
    from proofs_checks.proofs.prove import ProveReport as ProveReport
    from proofs_checks.reproduction.run import Reproduction as Reproduction, reproduce as reproduce
    from proofs_checks.verdict import Verdict as Verdict
    from proofs_checks.verify.run import VerifyReport as VerifyReport

_NAMES = {
    "audit.report": "AuditReport",
    "claims.evaluation": "ClaimsOnTrace",
    "claims.model.case": "Case",
    "claims.model.claim": "Claim",
    "claims.model.evidence": "Evidence",
    "claims.registry": "all_claims claim",
    "claims.witness": "replays",
    "conformance.report.report": "ConformanceReport",
    "conformance.suite": "check_mechanism",
    "oracle.rule_oracle": "RuleOracle",
    "proofs.lemma": "prove_lemma",
    "proofs.prove": "ProveReport",
    "reproduction.run": "Reproduction reproduce",
    "verdict": "Verdict",
    "verify.run": "VerifyReport",
}
__all__, __getattr__, __dir__ = exports(__name__, _NAMES, inside=__name__)
