"""The experiments' own definitions and the deterministic numbers of their tables."""

from __future__ import annotations

from collections.abc import Iterator

from bounds.published import PUBLISHED_NAMES, PublishedSetting, published
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import exact_evidence, not_applicable
from proofs_checks.verdict import Evidence, Verdict

#: Regret and excess bounds are printed from unrounded data; whole numbers must agree exactly.
PRINTED_TOLERANCE = 2e-3


def _published(setting: Setting) -> PublishedSetting | None:
    known = setting.name in PUBLISHED_NAMES and published(setting.name).setting == setting
    return published(setting.name) if known else None


def _skipped(tried: str) -> Evidence:
    return not_applicable(tried, "about the paper's five published settings only", Verdict.SKIPPED)


def costs_are_discounted_prices(setting: Setting) -> Evidence:
    """Compare every mean cost with mean tokens times listed price over 1.25."""
    tried = "mean cost = mean tokens * listed price / (1 + margin), to the five decimals of the data"
    if (paper := _published(setting)) is None:
        return _skipped(tried)
    errors = [
        abs(tokens * (provider.listed_price or 0.0) / (1 + paper.margin) - provider.mean_cost)
        for provider, tokens in zip(setting.providers, paper.mean_tokens, strict=True)
    ]
    # mean_tokens has four decimals, mean_cost five.
    allowed = 0.5e-4 * max(p.listed_price or 0.0 for p in setting.providers) + 0.5e-5
    return exact_evidence(tried, max(errors) <= allowed, checked=len(errors), ratio=max(errors) / allowed)


def cost_bound_is_the_token_cap(setting: Setting) -> Evidence:
    """Compare c_max with 512 times the dearest provider's listed price."""
    tried = "c_max = 512 max n_i lambda_i"
    if (paper := _published(setting)) is None:
        return _skipped(tried)
    dearest = paper.token_cap * max(p.multiplicity * (p.listed_price or 0.0) for p in setting.providers)
    agrees = abs(dearest - setting.platform.cost_bound) < 1e-9 * dearest
    return exact_evidence(tried, agrees, parameters={"c_max": dearest})


def table_numbers(setting: Setting) -> Evidence:
    """Compare every printed whole number that the settings determine with ours."""
    tried = "every printed selection bound, sum, cap, B_id and T_id against ours, exactly"
    if (paper := _published(setting)) is None:
        return _skipped(tried)
    rows = list(_whole_numbers(paper))
    wrong = [list(row) for row in rows if row[1] != row[2]]
    witness = {"kind": "table", "setting": setting.name, "rows": wrong} if wrong else None
    return exact_evidence(tried, not wrong, checked=len(rows), witness=witness)


def table_bounds(setting: Setting) -> Evidence:
    """Compare the printed regret and excess-payment bounds, which come from unrounded data, with ours."""
    tried = f"the four printed regret and excess bounds against ours, to {PRINTED_TOLERANCE:g} relative"
    if (paper := _published(setting)) is None:
        return _skipped(tried)
    rows = list(_real_numbers(paper))
    errors = [abs(ours - printed) / printed for _, printed, ours in rows]
    worst, wrong = max(errors), sum(error > PRINTED_TOLERANCE for error in errors)
    witness = {"kind": "table", "setting": setting.name, "rows": [list(row) for row in rows]} if wrong else None
    return Evidence(
        kind="exact",
        tried=tried,
        verdict=Verdict.REFUTED if wrong else Verdict.NOT_REFUTED,
        checked=len(rows),
        violations=wrong,
        tightest_ratio=worst / PRINTED_TOLERANCE,
        tightest_margin=PRINTED_TOLERANCE - worst,
        witness=witness,
        parameters={"largest_relative_error": worst},
    )


def _whole_numbers(paper: PublishedSetting) -> Iterator[tuple[str, float, float | None]]:
    """Yield name, printed and our value of every whole number."""
    report = evaluate_bounds(paper.setting, paper.horizon)
    whole = {
        "sum_M": report.sum_quality_selection_bounds,
        "sum_L": report.sum_cost_selection_bounds,
        "exploration_cap": report.exploration_cap,
        "B_id": report.identification_bound,
        "T_id": report.identification_horizon,
    }
    for name, ours in whole.items():
        yield name, paper.printed[name], ours
    for provider, printed_bound in zip(report.providers, paper.printed_selection_bounds, strict=True):
        if printed_bound is not None:
            yield provider.name, printed_bound, provider.selection_bound


def _real_numbers(paper: PublishedSetting) -> Iterator[tuple[str, float, float]]:
    """Yield name, printed and our value of every bound that is no whole number."""
    bounds = evaluate_bounds(paper.setting, paper.horizon).bounds
    names = ("quality_regret", "generation_regret", "excess_payment")
    real = {f"{name}_bound": bounds[name].value for name in names}
    real["excess_payment_bound_without_exploration"] = bounds["excess_payment"].parts["without_exploration"]
    for name, value in real.items():
        yield name, paper.printed[name], float("inf") if value is None else value


GENERATION_COST = Claim(
    label="eq:experimental-generation-cost",
    name="Generation cost",
    statement="a query costs its listed price over 1.25",
    source_line=1686,
    on_setting=costs_are_discounted_prices,
)
COST_BOUND = Claim(
    label="eq:experimental-cmax",
    name="Cost ceiling",
    statement="c_max = 512 max n_i lambda_i",
    source_line=1719,
    on_setting=cost_bound_is_the_token_cap,
)
TABLE_NUMBERS = Claim(
    label="claim:table-numbers",
    name="All deterministic table numbers",
    statement="the printed whole numbers follow from the printed settings",
    source_line=1640,
    on_setting=table_numbers,
    note="Qualities and token counts are refined beyond the printed digits by inverting the printed bounds, so an "
    "agreement of those is not independent of them; that of the sums, B_id and T_id is.",
)
TABLE_BOUNDS = Claim(
    label="claim:table-numbers:bounds",
    name="Regret and excess bounds of the tables",
    statement="the printed regret and excess-payment bounds follow from the settings, up to the rounding of their "
    "inputs",
    source_line=1640,
    on_setting=table_bounds,
    note="The paper computed them from unrounded qualities and costs, which it does not print.",
)
