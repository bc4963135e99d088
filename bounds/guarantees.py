"""The guarantees: what each is called, who states it, and which formulas give its value; a new one is one entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class GuaranteeKind:
    """A quantity that is bounded for every setting. Formulas are given by the names of what they compute.

    Parameters
    ----------
    name : str
        The key of the JSON.
    title, symbol, unit, meaning : str
        Its entry in `bounds.glossary`; the title is the name with spaces unless it is given.
    label, theorem : str
        The label of its statement in the paper's source, and the number in its PDF; none where it is our own.
    deviating : tuple of str, optional
        The same of the statement for bids that deviate; without it the guarantee is for truthful bids, or any.
    stated_by : str
        The claim that states the printed number for truthful bids, where `label` does not.
    improved : mapping of str to str
        By method, the claim that states its number; for other methods it is the paper's.
    proved : bool
        Whether theorems in Coq state all these claims.
    branches : tuple of str
        The paper's bounds, of which the smallest counts. A method puts its own in their place, if it has some.
    variants : mapping of str to str
        Further bounds by their keys in the report.
    trivial : str
        What holds without any theory.
    needs_optimum : bool
        Whether it needs a unique cheapest qualified provider; else it needs one qualified provider.
    unseparated : int
        How many of the branches have a value where a cost gap does not exceed the deviations of bids.
    per_cap : {"queries", "money"}, optional
        At least what the first branch grows by if the exploration cap grows by one: N, or N c_max. By default the
        trivial value of N queries, as for every other branch.
    from_burn_in : bool
        Whether it holds from the burn-in on only.
    average : bool
        Whether the bound is an average over the queries rather than a sum.
    whole : bool
        Whether the bound and its trivial value are whole numbers, which doubles below 2^53 compare exactly.
    """

    name: str
    title: str = ""
    symbol: str = ""
    unit: str
    meaning: str
    label: str
    theorem: str = ""
    deviating: tuple[str, str] | None = None
    stated_by: str = ""
    improved: Mapping[str, str] = field(default_factory=dict)
    proved: bool = True
    branches: tuple[str, ...]
    variants: Mapping[str, str] = field(default_factory=dict)
    trivial: str
    needs_optimum: bool = True
    unseparated: int = 1
    per_cap: Literal["queries", "money"] | None = None
    from_burn_in: bool = False
    average: bool = False
    whole: bool = False


#: The guarantees by name, in the order of a report. `identification` comes first and stands apart there.
GUARANTEES: Mapping[str, GuaranteeKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            GuaranteeKind(
                name="identification",
                title="identification bound",
                symbol="B_id(T)",
                unit="queries",
                meaning="queries after initialization that miss the optimal provider, at most",
                label="thm:sample-complexity",
                theorem="Theorem 3, appendix D",
                deviating=("prop:deviation-selection", "Proposition 33"),
                stated_by="claim:B_id-tightened",
                improved={"sharp": "thm:sample-complexity:sharp", "sharpest": "thm:sample-complexity:sharpest"},
                branches=("identification_bound",),
                trivial="trivial_identification_bound",
                unseparated=0,
                per_cap="queries",
                whole=True,
            ),
            GuaranteeKind(
                name="quality_regret",
                symbol="R_T^qual",
                unit="quality points",
                meaning="how far the quality of the provider that served lies below the threshold, summed over queries",
                label="thm:quality-guarantee",
                theorem="Theorem 17",
                improved={"sharp": "thm:generation-regret:sharp", "sharpest": "thm:quality-guarantee:sharpest"},
                branches=("quality_regret_anytime", "quality_regret_gap_dependent"),
                trivial="trivial_quality_regret",
                needs_optimum=False,
                unseparated=2,
            ),
            GuaranteeKind(
                name="generation_regret",
                symbol="R_T^gen",
                unit="money",
                meaning="how much more the provider that served costs than the optimal one, summed over queries",
                label="thm:generation-regret",
                theorem="Theorem 18",
                deviating=("thm:deviation-generation-regret", "Theorem 34"),
                improved={"sharp": "thm:generation-regret:sharp", "sharpest": "thm:generation-regret:sharpest"},
                branches=("generation_regret_anytime", "generation_regret_gap_dependent"),
                trivial="trivial_generation_regret",
                per_cap="money",
            ),
            GuaranteeKind(
                name="excess_payment",
                symbol="E_T^pay",
                unit="money",
                meaning="what queries were paid above c_(2), the second-lowest qualified cost, added up; a query "
                "that was paid less counts as 0",
                label="thm:excess-payment-general",
                theorem="Theorem 20",
                deviating=("thm:deviation-payment-convergence", "Theorem 36 (proof)"),
                improved={"sharp": "thm:regret:sharp", "sharpest": "thm:excess-payment-general:sharpest"},
                branches=("excess_payment",),
                variants={
                    "without_exploration": "excess_payment_without_exploration",
                    "average_polynomial": "average_excess_payment",
                },
                trivial="trivial_excess_payment",
            ),
            GuaranteeKind(
                name="average_payment_deviation",
                unit="money per query",
                meaning="how far payments lie from the second-lowest qualified cost, on average over all queries",
                label="thm:regret",
                theorem="Theorem 4",
                deviating=("thm:deviation-payment-convergence", "Theorem 36"),
                improved={"sharp": "thm:regret:sharp", "sharpest": "thm:regret:sharpest"},
                branches=("average_payment_deviation",),
                trivial="trivial_payment_deviation",
                per_cap="money",
                from_burn_in=True,
                average=True,
            ),
        )
    }
)
