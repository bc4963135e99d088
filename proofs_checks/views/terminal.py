"""Terminal tables of what the commands return as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from proofs_checks.verdict import MEANING, Verdict, overall

_STYLES = {
    Verdict.PROVED: "bold green", Verdict.EXACT: "green", Verdict.NOT_REFUTED: "cyan", Verdict.REFUTED: "bold red",
    Verdict.VACUOUS: "yellow", Verdict.ASSUMPTION_VIOLATED: "magenta", Verdict.SKIPPED: "dim",
}  # fmt: skip

#: Width where output is no terminal: a pipe or a file has no edge to respect.
_PIPE_WIDTH = 150


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def _table(title: str, columns: Iterable[tuple[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", pad_edge=False)
    for name, justify in columns:
        table.add_column(name, justify="right" if justify == "right" else "left", overflow="fold")
    return table


def number(value: float | None) -> str:
    """Return a number for reading: whole ones in full, others to six digits; a dash for None.

    Examples
    --------
    >>> number(31977), number(0.123456789), number(None)
    ('31,977', '0.123457', '-')
    """
    if value is None:
        return "-"
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.6g}"


def show_settings(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the built-in settings."""
    columns = [
        ("name", ""),
        ("benchmark", ""),
        ("N", "right"),
        ("|Q|", "right"),
        ("q_min", "right"),
        ("c_max", "right"),
    ]
    table = _table(
        "Built-in settings (money in 1e-6 USD per query)",
        [*columns, ("optimal provider", ""), ("second-lowest cost", "right")],
    )
    for row in rows:
        table.add_row(
            row["name"], f"{row['benchmark']} {row['roster']}", str(row["n_providers"]), str(row["n_qualified"]),
            f"{row['quality_threshold']:g}", f"{row['cost_bound']:g}", row["optimal_provider"],
            number(row["second_lowest_cost"]),
        )  # fmt: skip
    console = _console()
    console.print(table)
    console.print("costproof settings NAME prints one as TOML, ready to edit.", style="dim")


def show_bounds(data: Mapping[str, Any]) -> None:
    """Print a bounds report."""
    console = _console()
    console.print(_providers(data))
    console.print(_totals(data))
    console.print(_guarantees(data))
    for name, formula in data.get("latex", {}).items():
        console.print(f"{name}  [{formula['source']}; {formula['valid']}]", style="bold", markup=False)
        console.print(f"  {formula['latex']}", markup=False, soft_wrap=True)


def _providers(data: Mapping[str, Any]) -> Table:
    title = f"{data['setting']}: providers at T = {data['horizon']:,} ({data['method']} bounds)"
    table = _table(
        title,
        [
            ("provider", ""),
            ("qualified", ""),
            ("gap", "right"),
            ("of", ""),
            ("selection bound", "right"),
            ("cap at T", "right"),
        ],
    )
    for row in data["providers"]:
        star = " (optimal)" if row["name"] == data["optimal_provider"] else ""
        table.add_row(
            escape(row["name"]) + star, "yes" if row["qualified"] else "no", number(row["gap"]), row["gap_kind"] or "-",
            number(row["selection_bound"]), number(row["selection_cap"]),
        )  # fmt: skip
    return table


def _totals(data: Mapping[str, Any]) -> Table:
    table = _table("Counts of queries", [("quantity", ""), ("value", "right"), ("remark", "")])
    main = data["main_text"]
    rows = [
        ("sum of quality selection bounds", data["sum_quality_selection_bounds"], ""),
        ("sum of cost selection bounds", data["sum_cost_selection_bounds"], ""),
        ("exploration cap of one provider", data["exploration_cap"], ""),
        ("exploration steps at most", data["exploration_steps_bound"], ""),
        (
            "identification bound B_id(T)",
            data["identification_bound"],
            data["reasons"].get("identification_bound", ""),
        ),
        (
            "identification horizon T_id",
            data["identification_horizon"],
            data["reasons"].get("identification_horizon", ""),
        ),
        ("  main text: B_id(T)", main["identification_bound"], "with the real-valued k (T/N)^alpha"),
        ("  main text: T_id", main["identification_horizon"], ""),
        ("burn-in T_0", data["burn_in"], ""),
    ]
    for name, value, remark in rows:
        table.add_row(name, number(value), escape(remark))
    return table


def _guarantees(data: Mapping[str, Any]) -> Table:
    table = _table("Guarantees on the good event", [("bound", ""), ("value", "right"), ("applies", ""), ("remark", "")])
    for name, bound in data["bounds"].items():
        table.add_row(
            name.replace("_", " "),
            number(bound["value"]),
            "yes" if bound["applies"] else "no",
            escape(bound["reason"] or ""),
        )
        for part in ("anytime", "gap_dependent", "without_exploration", "average_polynomial"):
            if part in bound:
                table.add_row(f"  {part.replace('_', ' ')}", number(bound[part]), "", "")
    return table


def show_simulation(data: Mapping[str, Any]) -> None:
    """Print means and standard deviations of every metric and policy."""
    console = _console()
    title = (
        f"{data['setting']}: {data['runs']} run(s) of {data['horizon']:,} queries, seed {data['seed']}, "
        f"{data['bidders']} bidders"
    )
    names = list(data["policies"])
    table = _table(title, [("metric (mean ± sd over runs)", ""), *((name, "right") for name in names)])
    metrics = next(iter(data["policies"].values()))
    for metric in metrics:
        if metric not in ("selections", "payoffs"):
            table.add_row(metric.replace("_", " "), *(_mean_sd(data["policies"][name][metric]) for name in names))
    console.print(table)
    speed = data["steps_per_second"]
    done = f"{number(round(speed))} steps/s in one process" if speed else "nothing left to simulate"
    console.print(
        f"window {data['window']:,} steps; {done}; {data['resumed_runs']} run(s) resumed from disk",
        style="dim",
    )


def _mean_sd(summary: Mapping[str, Any]) -> str:
    if summary["mean"] is None:
        return "-"
    return f"{summary['mean']:,.5g} ± {summary['sd']:,.2g}"


def show_verification(data: Mapping[str, Any], *, every_row: bool = False) -> None:
    """Print the table of claims: one row a claim, or one for every claim and setting."""
    console = _console()
    rows = data["claims"]
    title = f"Claims of the paper on {', '.join(data['settings'])} and on small random instances (seed {data['seed']})"
    table = _table(
        title,
        [
            ("claim", ""),
            ("verdict", ""),
            ("comparisons", "right"),
            ("ratio", "right"),
            ("what was tried, and what was not", ""),
        ],
    )
    if every_row:
        for row in rows:
            table.add_row(*_claim_row(f"{row['label']}\n  {row['setting'] or 'any setting'}", [row]))
    else:
        labels = dict.fromkeys(row["label"] for row in rows)
        for label in labels:
            table.add_row(*_claim_row(label, [row for row in rows if row["label"] == label]))
    console.print(table)
    _show_findings(console, rows)
    _show_legend(console, data)


def _claim_row(head: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str, str, str, str]:
    verdict = overall([Verdict(row["verdict"]) for row in rows])
    pieces = [piece for row in rows for piece in row["evidence"]]
    ratios = [piece["tightest_ratio"] for piece in pieces if piece["tightest_ratio"] is not None and piece["checked"]]
    checked = sum(piece["checked"] for piece in pieces)
    documented = any(row["documented_finding"] for row in rows) and verdict in (
        Verdict.REFUTED,
        Verdict.VACUOUS,
    )
    mark = f"[{_STYLES[verdict]}]{verdict.value}[/]" + ("\n[dim]documented[/]" if documented else "")
    return (
        escape(head),
        mark,
        f"{checked:,}" if checked else "-",
        f"{max(ratios):.3f}" if ratios else "-",
        escape(_tried(rows, pieces, verdict)),
    )


def _tried(rows: Sequence[Mapping[str, Any]], pieces: Sequence[Mapping[str, Any]], verdict: Verdict) -> str:
    """Say in a line or two what the verdict rests on, and where the claim was not compared."""
    compared = [piece for piece in pieces if piece["checked"]]
    if not compared:
        return next((piece["reason"] for piece in pieces if piece["reason"]), "nothing was compared")
    settings = sum(piece["kind"] == "simulation" for piece in compared)
    parts = [f"simulated on {settings} setting{'s' * (settings > 1)}"] if settings else []
    parts += [piece["tried"] for piece in compared if piece["kind"] == "property"]
    parts += list(dict.fromkeys(piece["tried"] for piece in compared if piece["kind"] in ("exact", "certificate")))
    others = Counter(row["verdict"] for row in rows if row["verdict"] in ("VACUOUS", "ASSUMPTION_VIOLATED"))
    parts += [f"{kind} on {count} of {len(rows)}" for kind, count in others.items() if kind != verdict.value]
    never = set.intersection(*(set(piece["unexercised"]) for piece in compared))
    return "; ".join([*parts, *(f"never met: {part}" for part in sorted(never))])


def _show_findings(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    findings = {row["label"]: row for row in rows if row["documented_finding"]}
    if not findings:
        return
    console.print(
        "\nFindings about the paper's wording (with witness in --json; they do not count as refuted)",
        style="bold",
    )
    for label, row in findings.items():
        where = sorted(
            {
                r["setting"] or "a small witness"
                for r in rows
                if r["label"] == label and r["verdict"] in ("REFUTED", "VACUOUS")
            }
        )
        console.print(f"  {label}: {row['documented_finding']}", markup=False)
        if where:
            console.print(f"      shown on: {', '.join(where)}", style="dim", markup=False)
        if row["repaired_by"]:
            console.print(f"      see instead: {row['repaired_by']}", style="dim", markup=False)


def _show_legend(console: Console, data: Mapping[str, Any]) -> None:
    ran, effort = data["ran"], data["effort"]
    console.print(
        f"\n{ran['claims']} claims, {ran['results']} results, {ran['comparisons']:,} comparisons on "
        f"{ran['episodes']} episodes ({ran['steps']:,} queries): {effort['runs']} truthful run(s) of "
        f"{effort['horizon']:,} a setting, one run each of Bayesian, deviating and combined bidders of "
        f"{effort['variant_horizon']:,}, {effort['instances']} small instances.",
        markup=False,
    )  # fmt: skip
    if ran["tasks_done"] < ran["tasks"]:
        console.print(f"Interrupted: {ran['tasks_done']} of {ran['tasks']} tasks were finished.", style="bold yellow")
    console.print("ratio: smaller over larger side of the inequality where it is tightest; 1 is attained.", style="dim")
    for verdict, count in data["counts"].items():
        if count:
            console.print(f"  [{_STYLES[Verdict(verdict)]}]{verdict}[/] {count}: {MEANING[Verdict(verdict)]}")
    news = [row for row in data["claims"] if row["verdict"] == "REFUTED" and not row["documented_finding"]]
    for row in news:
        console.print(
            f"REFUTED: {row['label']} on {row['setting'] or 'a small instance'}",
            style="bold red",
            markup=False,
        )
    if not news:
        console.print(
            "Nothing is refuted beyond the documented findings. That is no proof: see docs/limits.md.",
            style="bold",
        )
