"""Sentences of the paper that its own numbers, or a market of two providers, contradict; each with a small witness."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from bounds.formulas.identification import main_text_identification_horizon
from bounds.formulas.radius import RADIUS
from bounds.published import PublishedSetting, printed_numbers, published, published_as
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism import rules
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import exact_evidence, not_applicable
from proofs_checks.verdict import Evidence, Verdict


def printed_number(setting: str, table: str, row: str, column: str = "") -> float | None:
    """Return a number of the paper's tables, or None where no such number is printed.

    Examples
    --------
    >>> printed_number("gpqa-strong", "main", "margin %")
    10.0
    """
    place = (setting, table, row, column)
    found = (one.printed for one in printed_numbers() if (one.setting, one.table, one.row, one.column) == place)
    return next(found, None)


# g(T) <= 0.


def explorations_for_target(target: Fraction, steps: int = 20) -> int:
    """Return how often the rules explore one of two providers, whose counts are 1 at first, for a constant g.

    Examples
    --------
    >>> explorations_for_target(Fraction(-1, 2)), explorations_for_target(Fraction(5, 2))
    (0, 2)
    """
    counts, most = [1, 1], [0, 0]
    for _ in range(steps):
        allocation = rules.allocate((0, 1), counts, target, [Fraction(0)] * 2)
        chosen = allocation.candidates[0]
        most[chosen] += allocation.kind == "exploration"
        counts[chosen] += 1
    return max(most)


def cap_without_positive_target() -> Evidence:
    """Compare the explorations for the constant g = -1/2 with ceil(g(T)) - 1 = -1."""
    target = Fraction(-1, 2)
    found, cap = explorations_for_target(target), math.ceil(target) - 1
    witness = {"kind": "target", "target": str(target), "explorations": found, "cap": cap}
    return exact_evidence(
        "the constant g = -1/2, two providers", found <= cap, margin=float(cap - found), witness=witness
    )


def replays_target(witness: Mapping[str, Any]) -> bool:
    """Return whether the rules explore as often as a witness says, and more often than ceil(g(T)) - 1."""
    target = Fraction(witness["target"])
    found, cap = explorations_for_target(target), math.ceil(target) - 1
    return bool((found, cap) == (witness["explorations"], witness["cap"]) and found > cap)


# A tie.


def net_payments_at_tie(estimate: Fraction, deviation: Fraction, rival: Fraction) -> tuple[list[bool], list[Fraction]]:
    """Return whether provider 0 may be assigned the query, and its net payment then, if truthful and if deviating.

    The auction has one rival, and equal radii of 1/4; the cost bound is 1.

    Examples
    --------
    >>> net_payments_at_tie(Fraction(1, 2), Fraction(3, 4), Fraction(1, 2))
    ([True, False], [Fraction(0, 1), Fraction(0, 1)])
    """
    radii, assigned, nets = [Fraction(1, 4)] * 2, [], []
    for bid in (estimate, deviation):
        adjusted = rules.adjusted_bids([bid, rival], radii)
        wins = 0 in rules.lowest((0, 1), adjusted)
        critical = rules.critical_payment(0, (0, 1), adjusted, radii[0])
        assigned.append(wins)
        nets.append(rules.auction_payment(critical, Fraction(1)) - estimate if wins else Fraction(0))
    return assigned, nets


def deviation_at_tie() -> Evidence:
    """Let a provider whose estimate is its critical payment, and who wins the tie, bid more."""
    numbers = {"estimate": "1/2", "deviation": "3/4", "rival": "1/2"}
    witness = {"kind": "tie", **numbers}
    assigned, nets = net_payments_at_tie(*map(Fraction, numbers.values()))
    strictly_worse = assigned[0] == assigned[1] or nets[1] < nets[0]
    return exact_evidence(
        "two providers, c_max 1, radii 1/4, estimate and rival's bid 1/2: a deviation to 3/4 against the estimate",
        strictly_worse,
        witness=witness,
    )


def replays_tie(witness: Mapping[str, Any]) -> bool:
    """Return whether a deviation changes the assignment, and nets what the estimate nets."""
    assigned, nets = net_payments_at_tie(*(Fraction(witness[name]) for name in ("estimate", "deviation", "rival")))
    return assigned == [True, False] and nets[0] == nets[1]


# T_id of Section 5.


def printed_horizon_is_that_of_main_text(setting: Setting) -> Evidence:
    """Compare the printed T_id with that of the real-valued B_id of thm:sample-complexity."""
    tried = "the printed T_id against that of the real-valued B_id of thm:sample-complexity"
    if (paper := published_as(setting)) is None:
        return not_applicable(tried, "about the paper's five published settings only", Verdict.SKIPPED)
    printed, main_text = paper.printed["T_id"], main_text_identification_horizon(formula_inputs(setting))
    found = {"printed": printed, "main_text": main_text}
    witness = None if printed == main_text else {"kind": "main-text", "setting": setting.name, **found}
    return exact_evidence(tried, printed == main_text, witness=witness, parameters=found)


def replays_main_text(witness: Mapping[str, Any]) -> bool:
    """Return whether both horizons are as a witness says, and differ."""
    found = printed_horizon_is_that_of_main_text(published(witness["setting"]).setting)
    return found.verdict is Verdict.REFUTED and found.parameters.items() <= witness.items()


# Margins.


def _margins(paper: PublishedSetting) -> dict[str, float] | None:
    """Return the advertised margin, that of the promised limit and the one estimated at T, in per cent; None if absent.

    At T the payment of auctions is about c_(2) less c_max (beta(m_2) - beta(m_*)). Both counts are random: m_2 is taken
    as ceil(g(T)), the fewest selections that exploration leaves the competitor, m_* as the printed mean share of i*
    times T.
    """
    if (found := _counts_at_horizon(paper)) is None:
        return None
    advertised, counts = found
    setting, values = paper.setting, formula_inputs(paper.setting)
    lag = setting.platform.cost_bound * (RADIUS.value(values, count=counts[0]) - RADIUS.value(values, count=counts[1]))
    cost, second = values["optimal_cost"], values["second_lowest_cost"]
    limit, expected = (100 * (price / cost - 1) for price in (second, second - lag))
    return {"advertised": advertised, "limit": round(limit, 1), "expected_at_T": round(expected, 1)}


def _counts_at_horizon(paper: PublishedSetting) -> tuple[float, tuple[int, int]] | None:
    """Return the advertised margin, and the counts m_2 and m_* that the estimate at T takes; None if not printed."""
    name = paper.setting.name
    advertised = printed_number(name, "main", "margin %")
    share = printed_number(name, "long", "Platform", "Share of i*")
    if advertised is None or share is None:
        return None
    return advertised, (int(paper.printed["exploration_cap"]) + 1, round(share * paper.horizon))


def advertised_margin_is_the_limit(setting: Setting) -> Evidence:
    """Compare the margin that the abstract tells with that of the limit that thm:regret promises."""
    tried = "the advertised margin against (c_(2) - c*)/c*, in per cent"
    found = None if (paper := published_as(setting)) is None else _margins(paper)
    if found is None:
        return not_applicable(tried, "no margin is printed for this setting", Verdict.SKIPPED)
    agrees = abs(found["limit"] - found["advertised"]) <= 1
    return exact_evidence(
        tried,
        agrees,
        parameters=found,
        witness=None if agrees else {"kind": "margin", "setting": setting.name, **found},
    )


def advertised_margin_is_that_at_the_horizon(setting: Setting) -> Evidence:
    """Compare the advertised margin with the limit less the lag of the radii at T, to one point."""
    tried = (
        "the advertised margin against that of the estimate c_(2) - c_max (beta(m_2) - beta(m_*)) at T, to one point"
    )
    paper = published_as(setting)
    counts, found = (None, None) if paper is None else (_counts_at_horizon(paper), _margins(paper))
    if counts is None or found is None:
        return not_applicable(tried, "no margin is printed for this setting", Verdict.SKIPPED)
    of_second, of_optimal = counts[1]
    holds = abs(found["expected_at_T"] - found["advertised"]) <= 1 < found["limit"] - found["advertised"]
    told = f"{tried}: {found['expected_at_T']}% at m_2 = {of_second:,} and m_* = {of_optimal:,}"
    return exact_evidence(told, holds, parameters={**found, "m_2": of_second, "m_*": of_optimal})


def replays_margin(witness: Mapping[str, Any]) -> bool:
    """Return whether the margins are as a witness says, and the advertised one is not the limit's."""
    found = advertised_margin_is_the_limit(published(witness["setting"]).setting)
    return found.verdict is Verdict.REFUTED and found.parameters.items() <= witness.items()


# Queries to exclude.

_SLOW, _SAID = "Llama-3.2-1B", 11_000


def _exclusion(setting: Setting) -> dict[str, float] | None:
    """Return the printed mean selections of the provider, and when it was selected last; None if not of this text."""
    if setting.name != "gpqa-strong" or published_as(setting) is None:
        return None
    served, last = (printed_number(setting.name, "selections", _SLOW, column) for column in ("mean", "last selection"))
    return None if served is None or last is None else {"selections": served, "last_selection": last}


def _compared_with_said(setting: Setting, number: str, tried: str) -> Evidence:
    found = _exclusion(setting)
    if found is None:
        return not_applicable(tried, "about the strong competition on GPQA only", Verdict.SKIPPED)
    agrees = round(found[number], -3) == _SAID
    witness = None if agrees else {"kind": "exclusion", "setting": setting.name, "said": _SAID, **found}
    return exact_evidence(tried, agrees, parameters=found, witness=witness)


def selections_until_excluded(setting: Setting) -> Evidence:
    """Compare the 11,000 queries of the text with the printed selections of the provider."""
    return _compared_with_said(setting, "selections", f"about 11,000 queries against the printed selections of {_SLOW}")


def time_until_excluded(setting: Setting) -> Evidence:
    """Compare the 11,000 queries of the text with the printed time of the provider's last selection."""
    tried = f"about 11,000 queries against the printed time of the last selection of {_SLOW}"
    return _compared_with_said(setting, "last_selection", tried)


def replays_exclusion(witness: Mapping[str, Any]) -> bool:
    """Return whether the printed numbers are as a witness says, and the selections are not about 11,000."""
    found = selections_until_excluded(published(witness["setting"]).setting)
    return found.verdict is Verdict.REFUTED and {**found.parameters, "said": _SAID}.items() <= witness.items()


ANY_TARGET = Claim(
    label="lem:forced-exploration-bound:any-g",
    name="Forced exploration for any non-decreasing g",
    statement="for every non-decreasing g a provider is explored at most ceil(g(T)) - 1 times, g(T) <= 0 included",
    source_line=657,
    everywhere=cap_without_positive_target,
    finding="For g(T) <= 0 the cap is negative, and nobody can be explored fewer than 0 times. The lemma needs g(T) > "
    "0, as do thm:excess-payment-general and thm:generation-regret, which rest on it. k (t/N)^alpha is positive.",
    repaired_by="lem:forced-exploration-bound",
)
STRICT_AT_TIES = Claim(
    label="thm:robust-dominant:strict-at-ties",
    name="Strictly worse at a tie",
    statement="any deviation that changes whether the provider is assigned the query is strictly worse, says the text "
    "after the theorem",
    source_line=292,
    everywhere=deviation_at_tie,
    finding="At a tie, where the estimate is the critical payment, a higher bid loses the query and both net 0; if "
    "the strategy is truthful ever after, its worst case is 0 as well. The theorem itself asks for an estimate and a "
    "bid on different sides of the critical payment.",
    repaired_by="thm:robust-dominant",
)
MAIN_TEXT_HORIZON = Claim(
    label="claim:T_id:main-text",
    name="Identification horizon of Section 5",
    statement="every printed T_id is min{T : T > N + 2 B_id(T)} with the B_id of thm:sample-complexity",
    source_line=453,
    on_setting=printed_horizon_is_that_of_main_text,
    stronger_reading=True,
    finding="With the real-valued k (T/N)^alpha of the theorem T_id is 315,298 and 2,540,932 for two GPQA settings, "
    "not the printed 315,294 and 2,540,927, which follow from the tightened B_id of appendix D, as that appendix says. "
    "The other three, with the two that Section 5 prints, follow from either.",
    repaired_by="claim:T_id:repaired",
)
MARGINS = Claim(
    label="thm:regret:advertised-margins",
    name="The advertised margins as limits",
    statement="the margins of 10% and 71% are those of the price to which the payment converges",
    source_line=352,
    on_setting=advertised_margin_is_the_limit,
    stronger_reading=True,
    finding="They are those of auctions on the last pass at T = 70,000. The limit that the theorem promises is (c_(2) "
    "- c*)/c*: 17.9% and 113.6%. Until then payments lie below c_(2) by the difference of two radii.",
    repaired_by="thm:regret:advertised-margins-at-T",
)
MARGINS_AT_HORIZON = Claim(
    label="thm:regret:advertised-margins-at-T",
    name="The advertised margins at T, estimated",
    statement="the estimate c_(2) - c_max (beta(m_2) - beta(m_*)) of what an auction pays at T = 70,000 gives margins "
    "of 10% and 71%, to one point",
    note="What is computed is the value of an estimate. The counts m_2 and m_* are random; taken are ceil(g(T)), the "
    "fewest selections that exploration leaves the competitor, and the printed mean share of i* times T. No payment of "
    "a run is compared.",
    source_line=352,
    on_setting=advertised_margin_is_that_at_the_horizon,
)
QUERIES_TO_EXCLUDE = Claim(
    label="lem:unqualified-elimination:queries-to-exclude",
    name="Queries to exclude Llama-3.2-1B",
    statement="Llama-3.2-1B serves about 11,000 queries before it is excluded",
    source_line=796,
    on_setting=selections_until_excluded,
    stronger_reading=True,
    finding="The provider serves 8,294 queries on average, initialization included; 10,980 is the step at which it is "
    "selected last, when all providers together have served so many.",
    repaired_by="lem:unqualified-elimination:time-to-exclude",
)
TIME_TO_EXCLUDE = Claim(
    label="lem:unqualified-elimination:time-to-exclude",
    name="Time to exclude Llama-3.2-1B",
    statement="Llama-3.2-1B is selected for the last time after about 11,000 queries of all providers",
    source_line=796,
    on_setting=time_until_excluded,
)
