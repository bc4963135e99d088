"""The JSON Schema of what each command prints."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bounds.documents import schema_of

#: The type of the documents of each command.
DOCUMENTS = {
    "audit": "proofs_checks.audit.report:AuditReport",
    "bounds": "bounds.report:BoundsReport",
    "check": "proofs_checks.conformance.report.report:CheckDocument",
    "cite": "proofs_checks.cli.documents:Citation",
    "claims": "proofs_checks.verify.claim_list:ClaimSearch",
    "compare": "mechanism.comparison.compare:Comparison",
    "completion": "proofs_checks.cli.documents:CompletionScript",
    "coverage": "proofs_checks.coverage.report:CoverageReport",
    "docs": "proofs_checks.cli.documents:Documentation",
    "explore": "proofs_checks.cli.documents:ExplorerAddress",
    "figures": "proofs_checks.figures.pictures:FiguresDocument",
    "market": "mechanism.answers.evaluated:EvaluatedMarket",
    "page": "proofs_checks.cli.documents:WrittenPage",
    "plan": "mechanism.planner.plan:Plan",
    "play": "proofs_checks.conformance.play.market:Play",
    "prove": "proofs_checks.proofs.prove:ProveReport",
    "replay": "proofs_checks.cli.views.replay:ReplayDocument",
    "reproduce": "proofs_checks.reproduction.run:Reproduction",
    "settings": "proofs_checks.cli.views.settings:SettingsDocument",
    "simulate": "proofs_checks.cli.views.simulate:SimulationDocument",
    "sweep": "mechanism.sweep:SweepResult",
    "verify": "proofs_checks.verify.run:VerifyReport",
}


def json_schema(command: str) -> dict[str, Any]:
    """Return the schema of what a command prints with `--json`, with all definitions that it refers to.

    Examples
    --------
    >>> schema = json_schema("claims")
    >>> schema["required"], "ListedClaim" in schema["$defs"]
    (['words', 'claims', 'total'], True)
    """
    module, _, name = DOCUMENTS[command].partition(":")
    return schema_of(getattr(import_module(module), name), f"costproof {command} --json")
