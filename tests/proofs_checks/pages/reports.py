"""Reports to make pages of: names that try to break out of them, every verdict, a log with faults, three mechanisms."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any
from unittest import mock

from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.cases.variants import play
from proofs_checks.conformance.checks.check import SuiteEffort
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.proofs.catalogue import all_proofs, english_of, proved_whole_in_coq, verdict_foreseen
from proofs_checks.proofs.evidence import CertificateEvidence
from proofs_checks.proofs.kernel.theorems import KernelRecord, kernel_record, stored
from proofs_checks.reproduction.run import reproduce
from proofs_checks.verdict import Verdict
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import verify
from tests.proofs_checks.proofs.citing import cited

#: What a name may try: to be an element, to leave an attribute, to turn round what stands beside it, to run.
HOSTILE = (
    '<script>alert("name")</script>',
    "\"quoted' onmouseover=alert(1) x='",
    "\u202egnp.exe\u200f",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "</title></style></svg>&lt;b&gt;",
    "javascript:alert(1)",
)
SETTING = Setting(
    HOSTILE[3] + HOSTILE[2],
    PlatformParameters(
        quality_threshold=0.6, confidence=0.05, cost_bound=10.0, exploration_scale=2.0, exploration_exponent=0.75
    ),
    [
        Provider(name, quality, 1.0 + i)
        for i, (name, quality) in enumerate(zip(HOSTILE, (0.7, 0.8, 0.9) * 3, strict=False))
    ],
)
UNDECIDED = "lem:payment-range"
EFFORT = Effort(runs=1, horizon=300, variant_horizon=300, instances=8)


def _stored(label: str) -> KernelRecord | None:
    """The theorem in Coq about a claim, as on a machine on which Coq was not asked."""
    found = kernel_record(label)
    return None if found is None else replace(found, status="stored", coq=stored().coq)


def _certificates(labels: Any) -> dict[str, CertificateEvidence]:
    """Certificates without the solvers; one proof, of what is also tested, is not decided for want of one."""
    whole = proved_whole_in_coq()
    return {
        label: CertificateEvidence(
            kind="certificate",
            tried="1 obligation",
            verdict=verdict_foreseen(label) or Verdict.SKIPPED,
            checked=1,
            cited=cited(label),
            english=None if label in whole else english_of(proof, all_proofs(), whole),
            kernel=_stored(label),
        )
        if label != UNDECIDED
        else CertificateEvidence(
            kind="certificate",
            tried="2 obligations, not decided here",
            verdict=Verdict.SKIPPED,
            missing=("cvc5",),
            obligations=("one", "other"),
            rechecked=("one",),
            kernel=_stored(label),
        )
        for label, proof in all_proofs().items()
        if label in labels
    }


@functools.cache
def _verify_text() -> str:
    with mock.patch("proofs_checks.verify.episodes.certificate_evidence", _certificates):
        found = verify([SETTING, published("gpqa-strong").setting], seed=3, effort=EFFORT).to_data()
    found["reproduction"] = reproduce(["gpqa-strong"], runs=2).to_data()
    return json.dumps(found, allow_nan=False)


@functools.cache
def _audit_text(broken: bool) -> str:
    case = play(SETTING, "truthful", horizon=900, seed=0, run=0)
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    if broken:
        columns["bid"][40] *= 1.5
        columns["payment"][500:560] *= 1.25
        columns["bid"][700] = 11.0
    trace = Trace(**columns)
    parts = [trace.rows(slice(i, i + 250)) for i in range(0, 900, 250)]
    return json.dumps(audit(parts, SETTING, name=f"{HOSTILE[0]}.csv").to_data(), allow_nan=False)


@functools.cache
def _check_text(name: str) -> str:
    factory = FirstPrice if name.startswith("first") else _reference()
    only = ["contract", "critical-payment", "exploration-draw", "own-bid-independence"]
    effort = SuiteEffort(examples=3, draws=500)
    found = check_mechanism(factory, name=f"{name}{HOSTILE[1]}", only=only, effort=effort)
    return json.dumps(found.to_data(), allow_nan=False)


def _reference() -> Any:
    from mechanism.platform import reference_mechanism

    return reference_mechanism


def figures() -> dict[str, Any]:
    """Figures of a report: names that try to break out, and a picture that tries to run."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script>'
        '<rect width="9" height="9"/></svg>'
    )
    drawn = {
        "figure": "square",
        "setting": HOSTILE[2],
        "title": f"A square {HOSTILE[0]}",
        "alternative_text": f"a square, \"black\" & 'empty' {HOSTILE[1]}",
        "labels": [],
        "svg": svg,
    }
    missing = {"figure": "circle", "setting": HOSTILE[3], "reason": f"nothing to draw of {HOSTILE[4]}"}
    return {"runs": 3, "horizon": 300, "seed": 0, "drawn": [drawn], "not_drawn": [missing]}


def verify_report() -> dict[str, Any]:
    """A report of `verify` with every part that a page shows."""
    found: dict[str, Any] = json.loads(_verify_text())
    return found | {"figures": figures()}


def audit_report(*, broken: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_audit_text(broken))
    return found


def check_reports() -> list[dict[str, Any]]:
    """A mechanism that fails and one that does not."""
    return [json.loads(_check_text(name)) for name in ("first", "right")]
