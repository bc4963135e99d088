"""The verification report as one self-contained HTML file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofs_checks.verdict import MEANING


def write_report(data: Mapping[str, Any], path: str) -> None:
    """Write the data of `verify --json` as an HTML page that needs nothing else.

    Parameters
    ----------
    data : mapping
        As `VerifyReport.to_data` returns it.
    path : str
    """
    Path(path).write_text(render_report(data), encoding="utf-8")


def render_report(data: Mapping[str, Any]) -> str:
    """Return the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("proofs_checks.cli.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda value: json.dumps(value, indent=1, ensure_ascii=False)
    labels = dict.fromkeys(row["label"] for row in data["claims"])
    groups = [[row for row in data["claims"] if row["label"] == label] for label in labels]
    meaning = {verdict.value: text for verdict, text in MEANING.items()}
    findings = [g for g in groups if any(r["finding_shown"] for r in g)]
    news = [r for r in data["claims"] if r["verdict"] == "REFUTED" and not r["documented_finding"]]
    template = environment.get_template("report.html")
    return template.render(data=data, groups=groups, meaning=meaning, findings=findings, news=news)
