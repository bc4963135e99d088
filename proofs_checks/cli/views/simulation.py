"""Terminal tables of what `settings`, `bounds` and `simulate` return as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from proofs_checks.cli.views.console import console, number, table


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
    rows_table = table(
        "Built-in settings (money in 1e-6 USD per query)",
        [*columns, ("optimal provider", ""), ("second-lowest cost", "right")],
    )
    for row in rows:
        rows_table.add_row(
            row["name"],
            f"{row['benchmark']} {row['roster']}",
            str(row["n_providers"]),
            str(row["n_qualified"]),
            f"{row['quality_threshold']:g}",
            f"{row['cost_bound']:g}",
            row["optimal_provider"],
            number(row["second_lowest_cost"]),
        )
    screen = console()
    screen.print(rows_table)
    screen.print("costproof settings NAME prints one as TOML, ready to edit.", style="dim")


def show_bounds(data: Mapping[str, Any]) -> None:
    """Print a bounds report."""
    screen = console()
    screen.print(_providers(data))
    screen.print(_totals(data))
    screen.print(_guarantees(data))
    for name, formula in data.get("latex", {}).items():
        screen.print(f"{name}  [{formula['source']}; {formula['valid']}]", style="bold", markup=False)
        screen.print(f"  {formula['latex']}", markup=False, soft_wrap=True)


def _providers(data: Mapping[str, Any]) -> Table:
    title = f"{data['setting']}: providers at T = {data['horizon']:,} ({data['method']} bounds)"
    rows_table = table(
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
        rows_table.add_row(
            escape(row["name"]) + star,
            "yes" if row["qualified"] else "no",
            number(row["gap"]),
            row["gap_kind"] or "-",
            number(row["selection_bound"]),
            number(row["selection_cap"]),
        )
    return rows_table


def _totals(data: Mapping[str, Any]) -> Table:
    rows_table = table("Counts of queries", [("quantity", ""), ("value", "right"), ("remark", "")])
    main = data["main_text"]
    rows = [
        ("sum of quality selection bounds", data["sum_quality_selection_bounds"], ""),
        ("sum of cost selection bounds", data["sum_cost_selection_bounds"], ""),
        ("exploration cap of one provider", data["exploration_cap"], ""),
        ("exploration steps at most", data["exploration_steps_bound"], ""),
        ("identification bound B_id(T)", data["identification_bound"], data["reasons"].get("identification_bound", "")),
        (
            "identification horizon T_id",
            data["identification_horizon"],
            data["reasons"].get("identification_horizon", ""),
        ),
        ("burn-in T_0", data["burn_in"], ""),
    ]
    if data["method"] == "paper":
        remark = "with the real-valued k (T/N)^alpha of the main text"
        rows.append(("  B_id(T) of the main text", main["identification_bound"], remark))
        rows.append(("  T_id of the main text", main["identification_horizon"], ""))
    for name, value, remark in rows:
        rows_table.add_row(name, number(value), escape(remark))
    return rows_table


def _guarantees(data: Mapping[str, Any]) -> Table:
    rows_table = table(
        "Guarantees on the good event", [("bound", ""), ("value", "right"), ("applies", ""), ("remark", "")]
    )
    for name, bound in data["bounds"].items():
        rows_table.add_row(
            name.replace("_", " "), number(bound["value"]), _applies(bound), escape(bound["reason"] or "")
        )
        for part in ("anytime", "gap_dependent", "without_exploration", "average_polynomial"):
            if part in bound:
                rows_table.add_row(f"  {part.replace('_', ' ')}", number(bound[part]), "", "")
    return rows_table


def _applies(bound: Mapping[str, Any]) -> str:
    """Say whether a bound applies; one that does and says nothing is vacuous."""
    if not bound["applies"]:
        return "no"
    return "vacuous" if (bound["reason"] or "").startswith("vacuous") else "yes"


def show_simulation(data: Mapping[str, Any]) -> None:
    """Print means and standard deviations of every metric and policy."""
    screen = console()
    title = (
        f"{data['setting']}: {data['runs']} run(s) of {data['horizon']:,} queries, seed {data['seed']}, "
        f"{data['bidders']} bidders"
    )
    names = list(data["policies"])
    rows_table = table(title, [("metric (mean ± sd over runs)", ""), *((name, "right") for name in names)])
    metrics = next(iter(data["policies"].values()))
    for metric in metrics:
        if metric not in ("selections", "payoffs"):
            rows_table.add_row(metric.replace("_", " "), *(_mean_sd(data["policies"][name][metric]) for name in names))
    screen.print(rows_table)
    screen.print(_selections(data))
    screen.print(_market_line(data["market"]), markup=False, highlight=False, soft_wrap=True)
    speed = data["steps_per_second"]
    done = f"{number(round(speed))} steps/s of one worker" if speed else "nothing left to simulate"
    screen.print(
        f"window {data['window']:,} steps; {done}; {data['resumed_runs']} run(s) resumed from disk", style="dim"
    )
    screen.print("What each metric means: docs/metrics.md.", style="dim")
    for law in data["market"]["providers"]:
        if law.get("price_unused"):
            reason = f"{law['name']}: costs are not token counts times the listed price: {law['price_unused']}"
            screen.print(reason, style="yellow", markup=False)


def _selections(data: Mapping[str, Any]) -> Table:
    """Return how often each provider was selected, by policy."""
    policies = data["policies"]
    columns = [("selections (mean over runs)", ""), *((name, "right") for name in policies)]
    rows_table = table("", columns)
    for i, provider in enumerate(data["providers"]):
        means = (policies[name]["selections"]["mean"][i] for name in policies)
        rows_table.add_row(escape(provider), *(number(float(f"{mean:.6g}")) for mean in means))
    return rows_table


def _market_line(market: Mapping[str, Any]) -> str:
    """State what was served: recorded generations, questions in passes, or independent queries."""
    options = market.get("options")
    if options is None:
        return (
            f"market: recorded generations of {market['benchmark']}: {market['questions']:,} questions, "
            f"{market['generations_per_question']:,} generations each"
        )
    questions = options["questions"]
    served = f"questions in passes of {questions:,}" if questions else "independent queries"
    given = options["cost_variation"]
    each = given if isinstance(given, Sequence) else (given,)
    spread = f"{min(each):g}" if min(each) == max(each) else f"{min(each):g} to {max(each):g} by provider"
    return f"market: {served}; cost variation (sd/mean of one generation) {spread}"


def _mean_sd(summary: Mapping[str, Any]) -> str:
    mean, spread = summary["mean"], summary["sd"]
    if mean is None:
        return "-"
    if spread is None:
        return number(float(f"{mean:.6g}"))
    # Rounding noise of equal runs is no spread.
    spread = 0.0 if spread <= 1e-12 * abs(mean) else spread
    return f"{number(float(f'{mean:.6g}'))} ± {number(float(f'{spread:.2g}'))}"
