"""Every theoretical quantity of a setting at a horizon, as data: values, whether they apply, and why not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import numpy as np

from bounds.documents import (
    INLINE,
    OPTIONAL,
    Count,
    Document,
    FromOne,
    FromTwo,
    NonNegative,
    OpenProbability,
    Positive,
    limits,
    one_of,
    to_data,
)
from bounds.errors import InputError, is_whole
from bounds.formulas import selection
from bounds.formulas.identification import identification_horizon, main_text_identification_horizon
from bounds.glossary import name_of, title_of, unit_of
from bounds.guarantees import GUARANTEES, GuaranteeKind
from bounds.language.arithmetic import Array, UndecidedError, double_above
from bounds.language.computed import Computed, Stated
from bounds.language.quantities import MONEY, PURE, QUERIES
from bounds.limits import LARGEST_HORIZON, NOT_LARGER, WHY_NOT_LARGER
from bounds.methods import METHODS
from bounds.proved_as import Backing, backing_of
from bounds.radii.names import PAPERS, OtherRadius
from bounds.radius_advice import with_radius_advice
from bounds.radius_caps import formulas_for
from bounds.ranges import InputsReport, bound_ranges
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.setting.region import Ends, region_of
from bounds.sheet import HasSheet, Sheet
from bounds.words import BEYOND, TOO_LARGE, as_horizon, both_at_most, brief, in_percent, rounded_up, until_distinct
from bounds.worth.contributor import GapKind
from bounds.worth.guarantee import branches_of, guarantees_of
from bounds.worth.worth import Worth, worth_of

Parts = dict[str, float | None]

#: The columns of inputs that describe the providers with a gap of each kind.
_COLUMNS = {"quality": ("unqualified_quality", "unqualified_cost"), "cost": ("competitor_cost",)}

#: The columns of `BoundsReport.rows` in words, on the screen and in papers.
HEADINGS = {
    "guarantee": "guarantee",
    "value": "at most",
    "applies": "applies",
    "informative": "informative",
    "trivial": "trivial value",
    "share_of_trivial": "share",
    "informative_from": "from T =",
    "driver": "largest contributor",
    "driver_share": "part of the bound",
    "unit": "unit",
    "identification_horizon": name_of("identification_horizon"),
    "burn_in": "the theorem applies from T =",
    "label": "label in the paper",
    "proved_as": "proved as",
    "not_proved_because": "why it is not proved here",
}
#: The columns of the table for papers.
READ = ("guarantee", "at most", "trivial value", "share in %", "informative from T =", "theorem")
#: What widens the radii of costs by 1 + gamma; the quality guarantee has none.
_BAYESIAN = "Proposition 31"
#: Why another radius has no identification bound.
_TOO_MANY = "a gap is so small that more than 2^52 selections may be needed"
#: Why there is no identification horizon.
NO_LEAD = "no horizon below 2^52 guarantees the optimum the most selections"

#: The ends of a range; null where the region of uncertain inputs leaves no finite bound, () where inputs are exact.
Range = Annotated[tuple[float, ...] | None, tuple[float, float] | None]
_Queries = NonNegative | None
_Horizon = FromOne | None


@dataclass(frozen=True, kw_only=True)
class Bound(Document):
    """A bound at a horizon, and what it is worth there.

    Parameters
    ----------
    value : float or None
        The bound; None where an assumption leaves it undefined.
    applies : bool
        Whether the theorem speaks of this setting and horizon.
    reason : str or None
        Why it does not apply, is not informative yet or lacks one of its forms; None if none of these.
    label : str
        Label in the paper of what states it: with underbid or overbid, for such bids.
    worth : Worth
        Its trivial value, from which horizon on it is informative, its largest contributor, and suggested changes.
    backing : Backing
        The claim that states the value, and the verdict on it.
    range : tuple of float or None
        With uncertain inputs: the least and the largest value over their region; None where it leaves no finite bound.
    """

    value: float | None
    applies: bool
    reason: str | None
    label: str
    worth: Worth = field(metadata=INLINE)
    backing: Backing = field(metadata=INLINE)
    range: Range = field(default=(), metadata=OPTIONAL)

    @property
    def parts(self) -> Parts:
        """Branches and variants of the bound, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)[len(fields(Bound)) :]}


@dataclass(frozen=True, kw_only=True)
class IdentificationBound(Bound):
    """The identification bound as a guarantee, in queries.

    Parameters
    ----------
    leads_from : int or None
        Least horizon from which on the optimal provider always leads; None if there is none.
    """

    leads_from: _Horizon


@dataclass(frozen=True, kw_only=True)
class RegretBound(Bound):
    """A bound on a regret.

    Parameters
    ----------
    anytime : float or None
        The bound that needs no gap; None if undefined.
    gap_dependent : float or None
        The bound that uses the gaps; None if undefined.
    """

    anytime: float | None
    gap_dependent: float | None


@dataclass(frozen=True, kw_only=True)
class ExcessPaymentBound(Bound):
    """A bound on the excess payment.

    Parameters
    ----------
    without_exploration : float or None
        The bound without the payments of exploration, money; None if undefined.
    average_polynomial : float or None
        Bound on the excess per query in powers of T, money; None if undefined or not of this method.
    """

    without_exploration: float | None
    average_polynomial: float | None


def _type_of(kind: GuaranteeKind) -> type[Bound]:
    """Return the type of a guarantee: with its branches if it has two, with its variants if it has some."""
    if len(kind.branches) > 1:
        return RegretBound
    return ExcessPaymentBound if kind.variants else Bound


#: The guarantees of a report by name, but for the identification bound, which stands apart.
_REGRETS_AND_PAYMENTS = {name: kind for name, kind in GUARANTEES.items() if name != "identification"}
RegretAndPaymentBounds = TypedDict(  # type: ignore[misc]  # its keys are those of a registry
    "RegretAndPaymentBounds",
    {
        name: Annotated[_type_of(kind), limits(description=f"Bound on {kind.meaning}, in {kind.unit}.")]
        for name, kind in _REGRETS_AND_PAYMENTS.items()
    },
)
RegretAndPaymentBounds.__doc__ = "The bounds on regret and payment."


class MainTextBounds(TypedDict):
    """The same with the real-valued exploration term of the paper's main text.

    Parameters
    ----------
    identification_bound : float or None
        How many queries go to other providers than the optimal one at most; None if undefined.
    identification_horizon : int or None
        Least horizon from which on the optimal provider always leads; None if there is none.
    """

    identification_bound: _Queries
    identification_horizon: _Horizon


class UndefinedReasons(TypedDict):
    """Why a quantity is undefined or not informative yet; a quantity that is informative is left out.

    Parameters
    ----------
    identification_bound : str
        Why the identification bound is undefined or not informative.
    identification_horizon : str
        Why there is no identification horizon.
    """

    identification_bound: NotRequired[str]
    identification_horizon: NotRequired[str]


@dataclass(frozen=True, kw_only=True)
class ProviderBound:
    """What bounds the selections of one provider.

    Parameters
    ----------
    name : str
        Name of the provider.
    qualified : bool
        Whether its mean score reaches the threshold.
    gap : float or None
        How much quality it lacks, or how much it costs above the optimal provider, money; None for the latter.
    gap_kind : {"quality", "cost"} or None
        What the provider lacks: quality, or a low cost; None for the optimal provider.
    selection_bound : float or None
        How many queries it serves at most, exploration apart (M_i or L_i); None if undefined.
    selection_cap : float or None
        How many queries it serves at most, exploration included; None if undefined.
    """

    name: str
    qualified: bool
    gap: NonNegative | None = None
    gap_kind: GapKind | None = None
    selection_bound: _Queries = None
    selection_cap: _Queries = None


@dataclass(frozen=True, kw_only=True)
class LatexFormula:
    """A formula in LaTeX.

    Parameters
    ----------
    latex : str
        The formula in LaTeX, in the paper's notation.
    source : str
        Label in the paper.
    valid : str
        Where the formula is valid, in words.
    unit : str
        Unit of its value; 1 is a pure number.
    """

    latex: str
    source: str
    valid: str
    unit: Annotated[str, one_of((MONEY, QUERIES, PURE))]


@dataclass(frozen=True, kw_only=True, repr=False)
class BoundsReport(Document, HasSheet):
    """What the paper promises for a setting at a horizon. Money is per query in the setting's unit, or a sum.

    With another `radius` than the paper's none of its guarantees applies; selections, the identification bound and its
    horizon are those derived for that radius. See `evaluate_bounds`.

    Parameters
    ----------
    setting : str
        Name of the setting.
    horizon : int
        Number of queries T.
    method : {"paper", "sharp", "sharpest"}
        The bounds as printed, improved, or sharpest.
    confidence : float
        Probability delta with which the guarantees may fail.
    exploration_scale : float
        k of the target selection count k (t/N)^alpha.
    exploration_exponent : float
        alpha of the target selection count k (t/N)^alpha.
    belief_slack : float
        gamma: cost radii are 1 + gamma times as wide.
    underbid : float
        d_-: how far bids may lie below cost estimates, money.
    overbid : float
        d_+: how far bids may lie above cost estimates, money.
    optimal_provider : str or None
        Name of the cheapest qualified provider; None if it is not unique or there is none.
    second_lowest_cost : float or None
        Mean cost of the second-cheapest qualified provider, money; None if there is none.
    providers : tuple of ProviderBound
        What bounds the selections of each provider, in the order of the setting.
    sum_quality_selection_bounds : float or None
        Sum of the selection bounds of the unqualified providers; None if one is undefined.
    sum_cost_selection_bounds : float or None
        Sum of the selection bounds of the qualified providers but the optimal one; None if one is undefined.
    exploration_cap : int
        How often one provider is explored at most, ceil(g(T)) - 1.
    exploration_steps_bound : int
        How many queries exploration takes at most.
    identification_bound : float or None
        How many queries go to other providers than the optimal one at most; None if undefined.
    identification_horizon : int or None
        Least horizon from which on the optimal provider always leads; None if there is none.
    burn_in : float or None
        T_0, the query from which on the bound on the average payment applies; None if undefined.
    identification : IdentificationBound
        The identification bound as a guarantee, in queries.
    bounds : dict of Bound
        The bounds on regret and payment.
    main_text : dict
        The same with the real-valued exploration term of the paper's main text.
    reasons : dict of str
        Why a quantity is undefined or not informative yet; a quantity that is informative is left out.
    radius : str
        Name of the confidence radius; left out where it is the paper's.
    latex : dict of LatexFormula
        The formulas by the name of what they compute, with `--latex` only.
    inputs : InputsReport or None
        With uncertain inputs: their intervals, and what these leave unsettled.
    identification_bound_range : tuple of float or None
        With uncertain inputs: the range of the identification bound; None where the region leaves no finite bound.
    identification_horizon_range : tuple of float or None
        With uncertain inputs: the range of the identification horizon; None where the region leaves no finite one.
    """

    setting: str
    horizon: FromTwo
    method: Annotated[str, one_of(METHODS)]
    confidence: OpenProbability
    exploration_scale: Positive
    exploration_exponent: OpenProbability
    belief_slack: NonNegative
    underbid: NonNegative
    overbid: NonNegative
    optimal_provider: str | None
    second_lowest_cost: NonNegative | None
    providers: Annotated[tuple[ProviderBound, ...], limits(minItems=2)]
    sum_quality_selection_bounds: _Queries
    sum_cost_selection_bounds: _Queries
    exploration_cap: Count
    exploration_steps_bound: Count
    identification_bound: _Queries
    identification_horizon: _Horizon
    burn_in: _Queries
    identification: IdentificationBound
    bounds: Annotated[dict[str, Bound], RegretAndPaymentBounds]
    main_text: Annotated[Parts, MainTextBounds]
    reasons: Annotated[dict[str, str], UndefinedReasons]
    radius: OtherRadius = field(default=PAPERS, metadata=OPTIONAL)
    latex: Mapping[str, LatexFormula] = field(default_factory=dict, metadata=OPTIONAL)
    inputs: InputsReport | None = field(default=None, metadata=OPTIONAL)
    identification_bound_range: Range = field(default=(), metadata=OPTIONAL)
    identification_horizon_range: Range = field(default=(), metadata=OPTIONAL)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} <= {bound.value}" for name, bound in self.bounds.items() if bound.applies)
        return f"BoundsReport({self.setting!r}, T = {self.horizon:,}, {self.method}: {shown or 'nothing applies'})"

    @property
    def guarantees(self) -> dict[str, Bound]:
        """The five guarantees by name: `identification`, and those of `bounds`."""
        return {"identification": self.identification, **self.bounds}

    @property
    def not_proved(self) -> tuple[str, ...]:
        """Which numbers of guarantees no proof covers, and why, in words; empty where all are proved."""
        found: dict[str, list[str]] = {}
        for name, bound in self.guarantees.items():
            if bound.applies and bound.backing.not_proved_because is not None:
                found.setdefault(bound.backing.not_proved_because, []).append(name_of(name))
        return tuple(f"{', '.join(names)} ({why})" for why, names in found.items())

    @property
    def non_optimal_steps_bound(self) -> float | None:
        """N - 1 + B_id(T): wrong selections with those of initialization, which thm:sample-complexity counts."""
        bound = self.identification_bound
        return None if bound is None else len(self.providers) - 1 + bound

    def informative_since(self, name: str) -> str:
        """Return whether a guarantee is informative, and since or from when on, in a few words.

        Examples
        --------
        >>> from bounds.published import published
        >>> report = evaluate_bounds(published("gpqa-strong").setting, 70_000)
        >>> report.informative_since("identification"), report.informative_since("generation_regret")
        ('from 76,851', 'yes, from 6,661')
        """
        bound = self.guarantees[name]
        start = bound.worth.informative_from
        if bound.worth.informative:
            later = "for good " if start is not None and start > self.horizon else ""
            return "yes" if start is None else f"yes, {later}from {brief(start)}"
        if start is not None:
            return f"from {brief(start)}"
        if bound.applies:
            return "no"
        if bound.value is None or self.burn_in is None or name != "average_payment_deviation":
            return "undefined"
        return f"not before T_0 = {as_horizon(self.burn_in)}"

    def rows(self) -> list[dict[str, Any]]:
        """Return the guarantees as the rows of a table: what they say, and what that is worth.

        A guarantee has no value and no share where its theorem does not apply. `HEADINGS` has the columns in words.
        `identification_horizon` is T_id, `burn_in` is T_0; each stands in the row of the guarantee that it is about.

        Examples
        --------
        >>> from bounds.published import published
        >>> row = evaluate_bounds(published("gpqa-strong").setting, 70_000).rows()[0]
        >>> row["guarantee"], row["value"], row["informative"], row["driver"]
        ('identification', 76846, False, 'Llama-3.2-1B')
        """
        rows = []
        for name, bound in self.guarantees.items():
            contributor = bound.worth.contributor
            own = {
                "guarantee": name,
                "driver": contributor and contributor.name,
                "driver_share": contributor and contributor.share,
                "unit": unit_of(name),
                "identification_horizon": self.identification_horizon if name == "identification" else None,
                "burn_in": self.burn_in if GUARANTEES[name].from_burn_in else None,
            }
            data = to_data(bound) | ({} if bound.applies else {"value": None, "share_of_trivial": None}) | own
            rows.append({column: data[column] for column in HEADINGS})
        return rows

    def sheet(self) -> Sheet:
        """Return the guarantees as a table, one row each; see `rows`. Readers are shown that of `sheet_for_papers`."""
        rows, read = self.rows(), self.sheet_for_papers()
        found = Sheet.of(read.title, list(rows[0]), rows, "guarantee")
        return replace(found, headings=tuple(HEADINGS[name] for name in found.columns), for_readers=read)

    def sheet_for_papers(self) -> Sheet:
        """Return the guarantees as a paper shows them: six columns, bounds rounded up, to four digits below 1,000.

        A bound has more digits where it would look like its trivial value.

        Examples
        --------
        >>> from bounds.published import published
        >>> sheet = evaluate_bounds(published("gpqa-strong").setting, 70_000).sheet_for_papers()
        >>> sheet.columns[:2], sheet.rows[0][:4]
        (('guarantee', 'at most'), ('Identification bound (queries)', 76846, 69996, 110.0))
        """
        given = {
            "T": self.horizon,
            "N": len(self.providers),
            "delta": self.confidence,
            "k": self.exploration_scale,
            "alpha": self.exploration_exponent,
        }
        shifts = {"gamma": self.belief_slack, "d_-": self.underbid, "d_+": self.overbid}
        given |= {name: value for name, value in shifts.items() if value}
        rows = [
            (
                f"{title_of(name)} ({unit_of(name)})",
                *_rounded(bound),
                bound.worth.informative_from,
                self.credited(name) + (", improved" if self.method != "paper" else ""),
            )
            for name, bound in self.guarantees.items()
        ]
        said = ", ".join(f"{name} = {value:,.6g}" if name != "T" else f"T = {value:,}" for name, value in given.items())
        title = f"{self.setting}: {said} ({self.method} bounds)"
        if self.identification_horizon is not None:
            title = f"{title}; T_id = {self.identification_horizon:,}"
        at = "; at the point estimates of the inputs" if self.inputs is not None else ""
        title = f"{title}; money in the unit of cost_bound{at}"
        if not all(bound.applies for bound in self.guarantees.values()):
            title = f"{title}; -: the theorem does not apply at this T"
        if not_proved := self.not_proved:
            title = f"{title}; not proved here: {'; '.join(not_proved)}"
        return Sheet(title=title, columns=READ, rows=tuple(rows), key="guarantee", rounded=True)

    def parts_sheet(self) -> Sheet:
        """Return every quantity of the report as a row: of guarantees, of providers, counts and variants.

        A guarantee has no value where its theorem does not apply.

        Examples
        --------
        >>> from bounds.published import published
        >>> sheet = evaluate_bounds(published("gpqa-strong").setting, 70_000).parts_sheet()
        >>> sheet.columns, sheet.rows[0]
        (('quantity', 'provider', 'value'), ('identification', None, 76846))
        """
        rows: list[dict[str, Any]] = []

        def add(quantity: str, value: float | None, provider: str | None = None) -> None:
            rows.append({"quantity": quantity, "provider": provider, "value": value})

        for name, bound in self.guarantees.items():
            add(name, bound.value if bound.applies else None)
            for part, value in bound.parts.items():
                add(f"{name}.{part}", value)
        for provider in self.providers:
            for part in ("gap", "selection_bound", "selection_cap"):
                add(part, getattr(provider, part), provider.name)
        for name in _COUNTS:
            add(name, getattr(self, name))
        for name, value in self.main_text.items():
            add(f"main_text.{name}", value)
        title = f"{self.setting}: every quantity at T = {self.horizon:,} ({self.method} bounds)"
        columns = ("quantity", "provider", "value")
        words = [{**row, "quantity": ": ".join(map(name_of, row["quantity"].split(".")))} for row in rows]
        return replace(Sheet.of(title, columns, rows), for_readers=Sheet.of(title, columns, words))

    def credited(self, name: str) -> str:
        """Return what the paper calls the statement that the number of a guarantee comes from.

        Examples
        --------
        >>> from bounds.published import published
        >>> evaluate_bounds(published("gpqa-strong").setting, 70_000).credited("identification")
        'Theorem 3, appendix D'
        """
        kind = GUARANTEES[name]
        told = _statement(kind, bool(self.underbid or self.overbid))[1]
        return f"{told} with {_BAYESIAN}" if self.belief_slack and kind.deviating else told


#: The counts of a report that are one number each.
_COUNTS = (
    "second_lowest_cost",
    "sum_quality_selection_bounds",
    "sum_cost_selection_bounds",
    "exploration_cap",
    "exploration_steps_bound",
    "non_optimal_steps_bound",
    "identification_horizon",
    "burn_in",
)


def _statement(kind: GuaranteeKind, deviating: bool) -> tuple[str, str]:
    """Return the label and the number of what states a guarantee, with or without deviating bids."""
    return kind.deviating if deviating and kind.deviating else (kind.label, kind.theorem or kind.label)


def evaluate_bounds(setting: Setting, horizon: int, method: str = "paper", *, advice: bool = False) -> BoundsReport:
    """Evaluate every bound of the paper for a setting.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T, at least the number of providers.
    method : {"paper", "sharp", "sharpest"}
        As printed; with the improvements of `bounds.formulas.sharp`; with those of `bounds.sharpest`, for any scores in
        [0, 1], and for scores of 0 and 1 alone.
    advice : bool, optional
        Whether to search for changes of parameters that would make a guarantee informative (`helps`).
        It takes a tenth of a second or more for each guarantee.

    Raises
    ------
    InputError
        The horizon is below N, or the method unknown.

    Examples
    --------
    >>> from bounds.published import published
    >>> report = evaluate_bounds(published("gpqa-strong").setting, 70_000)
    >>> report.identification_bound, report.identification_horizon
    (76846, 153697)
    """
    horizon = check_horizon(setting, horizon)
    report = _Reporter(setting, horizon, method, advice).report()
    region = region_of(setting)
    if region is None:
        return report
    ranges = bound_ranges(region, horizon, method)
    shown = {name: None if ends is None else _plain_ends(ends) for name, ends in ranges.items()}
    return replace(
        report,
        inputs=InputsReport.of(region, horizon, ranges["burn_in"]),
        identification=replace(report.identification, range=shown["identification"]),
        bounds={name: replace(bound, range=shown[name]) for name, bound in report.bounds.items()},
        identification_bound_range=shown["identification"],
        identification_horizon_range=shown["identification_horizon"],
    )


def _plain_ends(ends: Ends) -> tuple[float, ...]:
    return tuple(end for end in map(plain_number, ends) if end is not None)


def provider_bounds(setting: Setting, horizon: int, method: str = "paper") -> tuple[ProviderBound, ...]:
    """Return what bounds the selections of every provider, as in a report but without the rest of it.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T, at least the number of providers.
    method : {"paper", "sharp", "sharpest"}

    Examples
    --------
    >>> from bounds.published import published
    >>> [bound.gap_kind for bound in provider_bounds(published("gpqa-strong").setting, 70_000)]
    ['quality', 'quality', None, 'cost']
    """
    horizon = check_horizon(setting, horizon)
    return _Reporter(setting, horizon, method, advice=False).provider_bounds()


def check_horizon(setting: Setting, horizon: int) -> int:
    """Return a horizon as an int, or raise an InputError if it is not a whole number from N to 2^52.

    Examples
    --------
    >>> from bounds.published import published
    >>> check_horizon(published("gpqa-strong").setting, 4)
    4
    """
    if not is_whole(horizon) or horizon < setting.n_providers:
        rule = f"must be a whole number of at least N = {setting.n_providers}"
        why = "initialization alone sends one query to every provider"
        raise InputError("horizon", horizon, rule, why if is_whole(horizon) else "give an int, as int(2e4)")
    if horizon > LARGEST_HORIZON:
        raise InputError("horizon", horizon, NOT_LARGER, WHY_NOT_LARGER)
    return int(horizon)


_Bound = TypeVar("_Bound", bound=Bound)


class _Reporter:
    """Builds one report; None stands for what an unmet assumption leaves undefined."""

    def __init__(self, setting: Setting, horizon: int, method: str, advice: bool) -> None:
        self.setting, self.horizon, self.method = setting, horizon, method
        self.papers = setting.platform.papers_radius
        self.advice = advice and self.papers
        inputs = formula_inputs(setting)
        self.formulas = formulas_for(setting, method)
        self.guarantees = guarantees_of(setting, method, inputs)
        self.values = {**inputs, "horizon": horizon}
        self.unmet = "; ".join(setting.unmet_assumptions)
        self.unseparated = "" if setting.unmet_of_market else setting.unseparated_told
        #: Why nothing bounds the queries that miss the optimum, whatever the radius.
        self.blocked = "; ".join(setting.unmet_of_market) or self.unseparated

    def report(self) -> BoundsReport:
        setting, formulas, blocked = self.setting, self.formulas, self.blocked
        providers = self.provider_bounds()
        horizon = None if blocked else identification_horizon(self.values, formulas.lead, formulas.lead_counts_twice)
        bound = None if blocked else self._number(formulas.identification)
        main_text: Parts = {"identification_bound": None, "identification_horizon": None}
        if self.papers and not blocked:
            main_text["identification_bound"] = self._number(selection.IDENTIFICATION_BOUND_MAIN_TEXT)
            main_text["identification_horizon"] = main_text_identification_horizon(self.values)
        steps = formulas.exploration_steps_without_optimum if setting.unmet_of_market else formulas.exploration_steps
        of_costs = [provider.selection_bound for provider in providers if provider.gap_kind == "cost"]
        return BoundsReport(
            setting=setting.name,
            horizon=self.horizon,
            method=self.method,
            confidence=setting.platform.confidence,
            exploration_scale=setting.platform.exploration_scale,
            exploration_exponent=setting.platform.exploration_exponent,
            belief_slack=setting.platform.belief_slack,
            underbid=setting.platform.underbid,
            overbid=setting.platform.overbid,
            optimal_provider=None if setting.optimal is None else setting.providers[setting.optimal].name,
            second_lowest_cost=setting.second_lowest_cost,
            providers=providers,
            sum_quality_selection_bounds=_total(p.selection_bound for p in providers if p.gap_kind == "quality"),
            sum_cost_selection_bounds=None if setting.unmet_of_market else _total(of_costs),
            exploration_cap=int(_not_below(selection.EXPLORATION_CAP, self.values).item()),
            exploration_steps_bound=int(_not_below(steps, self.values).item()),
            identification_bound=bound,
            identification_horizon=horizon,
            burn_in=self._number(formulas.burn_in) if self.papers else None,
            identification=self._identification(bound, horizon),
            bounds={name: self._bound(kind) for name, kind in _REGRETS_AND_PAYMENTS.items()},
            main_text=main_text,
            radius=setting.platform.radius,
            reasons=self._reasons(bound, horizon),
        )

    def _number(self, formula: Stated) -> float | None:
        """Return a formula's value, or None where it has none."""
        if any(quantity.name not in self.values for quantity in formula.inputs):
            return None
        try:
            return self._plain(float(_not_below(formula, self.values).item()))
        except InputError:
            return None

    def _plain(self, value: float) -> float | None:
        """Return a value as a report has it, None for a count that nothing bounds."""
        return None if value >= self.formulas.unbounded_from else plain_number(value)

    def provider_bounds(self) -> tuple[ProviderBound, ...]:
        """Return what bounds the selections of every provider, in the order of the setting."""
        setting, formulas = self.setting, self.formulas
        found = [ProviderBound(name=provider.name, qualified=True) for provider in setting.providers]
        of_unqualified = (selection.QUALITY_GAP, formulas.unqualified_bound, formulas.unqualified_cap)
        of_competitors = (selection.COST_GAP, formulas.competitor_bound, formulas.competitor_cap)
        for kind, indices, (gap, bound, cap) in (
            ("quality", setting.unqualified, of_unqualified),
            ("cost", setting.competitors, of_competitors),
        ):
            if not indices:
                continue
            gaps, bounds, caps = self._each(gap, kind), self._each(bound, kind), self._each(cap, kind)
            if not setting.qualified:
                # Once nobody is eligible every step is drawn among all, the excluded too: nothing bounds their counts.
                bounds = caps = [None] * len(indices)
            for index, of_gap, of_bound, of_cap in zip(indices, gaps, bounds, caps, strict=True):
                found[index] = ProviderBound(
                    name=found[index].name,
                    qualified=kind == "cost",
                    gap=of_gap,
                    gap_kind=kind,
                    selection_bound=of_bound,
                    selection_cap=of_bound if of_cap is None else of_cap,
                )
        return tuple(found)

    def _each(self, formula: Stated, kind: str) -> list[float | None]:
        """Return a formula's value for each unqualified provider, or for each competitor, or None where it has none."""
        columns = {name: self.values[name] for name in _COLUMNS[kind]}
        length = len(next(iter(columns.values())))
        if any(quantity.name not in self.values for quantity in formula.inputs):
            return [None] * length
        found: list[float | None] = [None] * length
        parts = [slice(0, length)]
        while parts:
            part = parts.pop()
            of_part = columns if part == slice(0, length) else {name: each[part] for name, each in columns.items()}
            try:
                found[part] = map(self._plain, _not_below(formula, {**self.values, **of_part}).tolist())
            except InputError:  # some have a value and others not
                middle = (part.start + part.stop) // 2
                if middle > part.start:
                    parts += [slice(part.start, middle), slice(middle, part.stop)]
        return found

    def _bound(self, kind: GuaranteeKind) -> Bound:
        """Return a guarantee: the smallest of its branches, with the others and its variants."""
        branches = branches_of(kind, self.setting, self.formulas)
        # The quality guarantee needs no bids and no i*: one qualified provider keeps the eligible set non-empty.
        unmet = "" if branches else self.unmet
        values = [self._number(each) for each in branches]
        values += [None] * (len(kind.branches) - len(values))
        parts = dict(zip(("anytime", "gap_dependent"), values, strict=True)) if len(values) > 1 else {}
        for part, variant in self.formulas.variants[kind.name].items():
            parts[part] = None if variant is None else self._number(variant)
        value, worth = min((each for each in values if each is not None), default=None), self._worth(kind.name)
        reasons = [_silence(value, worth)]
        if None in values[1:]:
            reasons.append(f"the gap-dependent branch does not apply: {self.unseparated or TOO_LARGE}")
        said = "; ".join(filter(None, reasons)) or None
        found = self._stated(_type_of(kind), kind, unmet, value, said, worth, parts)
        waits = "" if unmet or not kind.from_burn_in else self._before_burn_in()
        return replace(found, applies=False, reason=waits) if waits else found

    def _stated(
        self,
        document: type[_Bound],
        kind: GuaranteeKind,
        unmet: str,
        value: float | None,
        reason: str | None,
        worth: Worth,
        parts: dict[str, Any],
    ) -> _Bound:
        """Return a guarantee with what states it: the paper's label, and the claim with its verdict."""
        platform = self.setting.platform
        label = _statement(kind, bool(platform.underbid or platform.overbid))[0]
        # The guarantees are the paper's, which say nothing of another radius.
        without = Backing.without(label, self.unmet)
        backing = backing_of(self.setting, kind.label, self.method) if self.papers else without
        if unmet:
            value, reason, parts = None, unmet, dict.fromkeys(parts)
        return document(
            value=value, applies=not unmet, reason=reason, label=label, worth=worth, backing=backing, **parts
        )

    def _worth(self, name: str) -> Worth:
        found = worth_of(self.setting, self.guarantees[name], self.horizon, self.method, advice=self.advice)
        return found if found.trivial is None else replace(found, trivial=plain_number(found.trivial))

    def _before_burn_in(self) -> str:
        """Return that the horizon is below the burn-in, or nothing."""
        largest = self.formulas.largest_elimination
        if largest is None or selection.from_burn_in(self.values, self.horizon, largest):
            return ""
        burn_in = float(_not_below(self.formulas.burn_in, self.values).item())
        told = f"T_0 = {as_horizon(burn_in)}" if math.isfinite(burn_in) else f"T_0, which is {BEYOND}"
        return f"T = {self.horizon:,} is below {told}; until T_0 the bound is above its trivial value"

    def _identification(self, bound: float | None, horizon: int | None) -> IdentificationBound:
        reason, kind = self._reasons(bound, horizon).get("identification_bound"), GUARANTEES["identification"]
        worth = with_radius_advice(self._worth(kind.name), self.setting, self.horizon)
        unmet = self.unmet or self.unseparated
        return self._stated(IdentificationBound, kind, unmet, bound, reason, worth, {"leads_from": horizon})

    def _reasons(self, bound: float | None, horizon: int | None) -> dict[str, str]:
        reasons = {}
        if bound is None:
            too_large = f"not informative: {TOO_LARGE}" if self.papers else _TOO_MANY
            reasons["identification_bound"] = self.blocked or too_large
        elif self.papers and bound >= self.horizon - self.setting.n_providers:
            let, follow = both_at_most(bound, self.horizon - self.setting.n_providers)
            after = f"{follow} (T - N) follow initialization"
            said = f"not informative yet: it lets {let} queries go to others than the optimum; only {after}"
            leads = (
                "" if horizon is None else f". From T_id = {horizon:,} on the optimum is guaranteed the most selections"
            )
            reasons["identification_bound"] = said + leads
        if horizon is None:
            reasons["identification_horizon"] = self.blocked or NO_LEAD
        return reasons


def _silence(value: float | None, worth: Worth) -> str | None:
    """Return why a bound is not informative, or None."""
    if value is None:
        return f"not informative: {TOO_LARGE}"
    largest = worth.trivial
    if largest is None or worth.informative or value == largest == 0:
        return None
    allowed, trivial = both_at_most(value, largest)
    return f"not informative yet: it allows {allowed}; {trivial}, its trivial value, holds without any theory"


def _rounded(bound: Bound) -> tuple[float | None, float | None, float | None]:
    """Return a bound that applies, its trivial value and its share of it in percent, as a table for papers has them.

    The first two are rounded up: to a whole number from 1,000 on, else to four digits.
    """
    trivial, share = bound.worth.trivial, bound.worth.share_of_trivial
    if not bound.applies or bound.value is None or not math.isfinite(bound.value):
        return None, None if trivial is None else rounded_up(trivial, 4), None
    if trivial is None:
        return rounded_up(bound.value, 4), None, None
    value = bound.value
    told = until_distinct(lambda digits: (rounded_up(value, digits), rounded_up(trivial, digits)), 4)
    return *told, None if share is None else in_percent(share)


def _total(bounds: Iterable[float | None]) -> float | None:
    """Return the sum, rounded up where doubles no longer tell counts apart, or None if a summand is undefined."""
    values = list(bounds)
    if None in values:
        return None
    total = sum(filter(None, values))
    return total if total < _EXACT else double_above(sum(map(Fraction, filter(None, values)), Fraction(0)))


#: Up to here doubles tell whole numbers apart.
_EXACT = 2**53


def _not_below(formula: Stated, values: Mapping[str, Any]) -> Array:
    """Return the values of an upper bound: where doubles no longer tell counts apart, they are rounded up.

    What is `Computed` is rounded up by the function that finds it.
    """
    found = formula(values)
    large = (found >= _EXACT) & np.isfinite(found)
    if isinstance(formula, Computed) or not large.any():
        return found
    try:
        enclosed = np.asarray(formula.enclose(values), dtype=object)
    except UndecidedError:
        return np.where(large, np.nextafter(found, math.inf), found)
    return np.where(large, np.frompyfunc(lambda box: double_above(box.upper), 1, 1)(enclosed), found).astype(float)


def plain_number(value: float) -> float | None:
    """Return an int where the value is one, None where it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _EXACT else value
