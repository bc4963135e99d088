"""The experiments' own definitions and the deterministic numbers that the paper prints."""

from __future__ import annotations

from collections.abc import Callable

from bounds.published import PublishedSetting, published_as
from bounds.published.determined import determined_numbers
from bounds.published.rounding import exactly, rounded, written
from bounds.setting.model import Setting
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, evidence_of, exact_evidence, not_applicable
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.verdict import Verdict

#: Decimals of the mean costs in the data.
_COST_DECIMALS = 7


def of_published(tried: str, compare: Callable[[PublishedSetting], Evidence]) -> Callable[[Setting], Evidence]:
    """Return evidence of a setting that is there for those of the paper alone."""

    def evidence(setting: Setting) -> Evidence:
        if (paper := published_as(setting)) is None:
            return not_applicable(tried, "about the paper's five published settings only", Verdict.SKIPPED)
        return compare(paper)

    return evidence


_COSTS_TRIED = f"mean cost = n_i * mean tokens * listed price / (1 + margin), rounded to {_COST_DECIMALS} decimals"
_BOUND_TRIED = "c_max = 512 max n_i lambda_i"
_TABLES_TRIED = "every printed number that the setting determines: ours, rounded to the printed digits, against it"


def discounted_prices(paper: PublishedSetting) -> Evidence:
    """Compare the mean costs of a published setting with its tokens and prices, exactly."""
    wrong = []
    for provider, tokens in zip(paper.setting.providers, paper.mean_tokens, strict=True):
        price = provider.multiplicity * written(tokens) * written(provider.listed_price or 0.0)
        cost = rounded(exactly(price / (1 + written(paper.margin))), _COST_DECIMALS)
        if cost != written(provider.mean_cost):
            wrong.append(provider.name)
    return exact_evidence(_COSTS_TRIED, not wrong, checked=len(paper.mean_tokens), parameters={"differ": wrong})


def token_cap(paper: PublishedSetting) -> Evidence:
    """Compare c_max with 512 times the dearest provider's listed price, exactly."""
    setting = paper.setting
    dearest = paper.token_cap * max(p.multiplicity * written(p.listed_price or 0.0) for p in setting.providers)
    agrees = dearest == written(setting.platform.cost_bound)
    return exact_evidence(_BOUND_TRIED, agrees, parameters={"c_max": float(dearest)})


def numbers_as_printed(paper: PublishedSetting) -> Evidence:
    """Compare the numbers of a published setting with the printed ones: equal after rounding, or different.

    The margin is the least distance to where a number would round otherwise, in units of its last printed digit; the
    ratio is 1 there and 0 where ours is the printed number.
    """
    numbers = determined_numbers(paper)
    wrong = [number for number in numbers if not number.agrees]
    room = min(number.room for number in numbers)
    rows = [number.to_data() for number in wrong]
    witness = {"kind": "table", "setting": paper.setting.name, "rows": rows}
    return evidence_of(
        _TABLES_TRIED, Tightness(len(numbers), len(wrong), room, 1 - 2 * room), kind="exact", witness=witness
    )


GENERATION_COST = Claim(
    label="eq:experimental-generation-cost",
    name="Generation cost",
    statement="a query costs its listed price over 1.25",
    on_setting=of_published(_COSTS_TRIED, discounted_prices),
)
COST_BOUND = Claim(
    label="eq:experimental-cmax",
    name="Cost ceiling",
    statement="c_max = 512 max n_i lambda_i",
    on_setting=of_published(_BOUND_TRIED, token_cap),
)
TABLE_NUMBERS = Claim(
    label="claim:table-numbers",
    name="All deterministic table numbers",
    statement="every printed number that a setting determines follows from it, to its last digit: qualities, costs, "
    "prices, gaps, M_i, L_i, their sums, caps, B_id, T_id, the regret and excess-payment bounds, and what is printed "
    "of routing by listed price alone",
    on_setting=of_published(_TABLES_TRIED, numbers_as_printed),
    note="The qualities were refined within the digits that the authors print by inverting the printed M_i, so that "
    "agreement of M_i is not independent of them; all else is. An enclosure is rounded, so that the digit is certain; "
    "an exact tie would go to the even digit, and there is none.",
)
