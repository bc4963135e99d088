"""Reports to make pages of: names that try to break out of them, every verdict, a log with faults, three mechanisms."""

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
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.proofs.evidence import CertificateEvidence, _evidence, with_proofs
from proofs_checks.proofs.kernel.theorems import kernel_record, stored
from proofs_checks.proofs.prove import ClaimProof
from proofs_checks.reproduction.run import reproduce
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import verify

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


#: Why the theorem about `UNDECIDED` does not count.
PROBLEM = "it rests on <cheating>"


def _certificates(labels: Any) -> dict[str, CertificateEvidence]:
    """Return what theorems say where Coq was not asked; one of them, of what is also tested, does not count."""
    found = {}
    for label in with_proofs(labels):
        record = kernel_record(label)
        assert record is not None
        record = replace(record, status="stored", coq=stored().coq)
        if label == UNDECIDED:
            record = replace(record, status="none", problem=PROBLEM)
        found[label] = _evidence(ClaimProof(record=record))
    return found


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
