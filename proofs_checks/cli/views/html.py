"""What `costproof verify --report` writes: the verification as one HTML page that needs nothing else."""

from __future__ import annotations

import json

from jinja2 import Environment, PackageLoader, StrictUndefined

from proofs_checks.verdict import MEANING
from proofs_checks.verify.run import VerifyReport
from proofs_checks.versions import versions


def render_report(report: VerifyReport) -> str:
    """Return a report as an HTML page."""
    environment = Environment(
        loader=PackageLoader("proofs_checks.cli.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda value: json.dumps(value, indent=1, ensure_ascii=False)
    return environment.get_template("report.html").render(report=report, meaning=MEANING, versions=versions())
