"""The tables of `costproof bounds`."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from bounds.language.formula import Formula
from bounds.report import Bound, BoundsReport
from proofs_checks.cli.views.console import console, number, table


def show_bounds(report: BoundsReport, formulas: Mapping[str, Formula]) -> None:
    """Print a bounds report, and formulas by name as LaTeX."""
    screen = console()
    screen.print(_providers(report))
    screen.print(_counts(report))
    screen.print(_guarantees(report))
    for name, formula in formulas.items():
        screen.print(f"{name}  [{formula.source}; {formula.valid}]", style="bold")
        screen.print(f"  {formula.latex()}", soft_wrap=True)


def _providers(report: BoundsReport) -> Table:
    found = table(
        f"{report.setting}: providers at T = {report.horizon:,} ({report.method} bounds)",
        {"provider": "", "qualified": "", "gap": "right", "of": "", "selection bound": "right", "cap at T": "right"},
    )
    for provider in report.providers:
        found.add_row(
            provider.name + (" (optimal)" if provider.name == report.optimal_provider else ""),
            "yes" if provider.qualified else "no",
            number(provider.gap),
            provider.gap_kind or "-",
            number(provider.selection_bound),
            number(provider.selection_cap),
        )
    return found


def _counts(report: BoundsReport) -> Table:
    found = table("Counts of queries", {"quantity": "", "value": "right", "remark": ""})
    reasons = report.reasons
    rows = [
        ("sum of quality selection bounds", report.sum_quality_selection_bounds, ""),
        ("sum of cost selection bounds", report.sum_cost_selection_bounds, ""),
        ("exploration cap of one provider", report.exploration_cap, ""),
        ("exploration steps at most", report.exploration_steps_bound, ""),
        ("identification bound B_id(T)", report.identification_bound, reasons.get("identification_bound", "")),
        ("identification horizon T_id", report.identification_horizon, reasons.get("identification_horizon", "")),
        ("burn-in T_0", report.burn_in, ""),
    ]
    if report.method == "paper":
        remark = "with the real-valued k (T/N)^alpha of the main text"
        rows.append(("  B_id(T) of the main text", report.main_text["identification_bound"], remark))
        rows.append(("  T_id of the main text", report.main_text["identification_horizon"], ""))
    for name, value, remark in rows:
        found.add_row(name, number(value), remark)
    return found


def _guarantees(report: BoundsReport) -> Table:
    found = table("Guarantees on the good event", {"bound": "", "value": "right", "applies": "", "remark": ""})
    for name, bound in report.bounds.items():
        found.add_row(name.replace("_", " "), number(bound.value), _applies(bound), bound.reason or "")
        for part, value in bound.parts.items():
            found.add_row(f"  {part.replace('_', ' ')}", number(value), "", "")
    return found


def _applies(bound: Bound) -> str:
    """Say whether a bound applies; one that does and says nothing is vacuous."""
    if not bound.applies:
        return "no"
    return "vacuous" if (bound.reason or "").startswith("vacuous") else "yes"
