"""Sentences of the paper that its own numbers, or a market of two providers, contradict; each with a witness."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from bounds.formulas.identification import main_text_identification_horizon
from bounds.formulas.radius import RADIUS, SELECTION_BOUND
from bounds.published import PublishedSetting, printed_numbers, published_as
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism import rules
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, evidence_of, exact_evidence, not_applicable
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.statements.experiments import of_published
from proofs_checks.verdict import Verdict


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


def explorations_for_target(target: Fraction) -> int:
    """Return how often the rules explore one of two providers, whose counts are 1 at first, for a constant g.

    Examples
    --------
    >>> explorations_for_target(Fraction(-1, 2)), explorations_for_target(Fraction(5, 2))
    (0, 2)
    """
    counts, most = [1, 1], [0, 0]
    for _ in range(20):
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


# T_id of Section 5.


_HORIZON_TRIED = "the printed T_id against that of the real-valued B_id of thm:sample-complexity"


def printed_horizon_is_that_of_main_text(paper: PublishedSetting) -> Evidence:
    """Compare the printed T_id with that of the real-valued B_id of thm:sample-complexity."""
    setting = paper.setting
    found = {"printed": paper.printed["T_id"], "main_text": main_text_identification_horizon(formula_inputs(setting))}
    witness = {"kind": "main-text", "setting": setting.name, **found}
    return exact_evidence(_HORIZON_TRIED, found["printed"] == found["main_text"], witness=witness, parameters=found)


# Margins.


def _margins(paper: PublishedSetting) -> dict[str, float] | None:
    """Return the advertised margin, that of the promised limit and the one estimated at T, in per cent; None if absent.

    At T the payment of auctions is about c_(2) less c_max (beta(m_2) - beta(m_*)). Both counts are random: m_2 is taken
    as ceil(g(T)), the fewest selections that exploration leaves the competitor, m_* as the printed mean share of i*
    times T.
    """
    setting = paper.setting
    advertised = printed_number(setting.name, "main", "margin %")
    share = printed_number(setting.name, "long", "Platform", "Share of i*")
    if advertised is None or share is None:
        return None
    values = formula_inputs(setting)
    counts = int(paper.printed["exploration_cap"]) + 1, round(share * paper.horizon)
    lag = setting.platform.cost_bound * (RADIUS.value(values, count=counts[0]) - RADIUS.value(values, count=counts[1]))
    cost, second = values["optimal_cost"], values["second_lowest_cost"]
    limit, expected = (100 * (price / cost - 1) for price in (second, second - lag))
    return {"advertised": advertised, "limit": round(limit, 1), "expected_at_T": round(expected, 1)}


def advertised_margin_is_the_limit(setting: Setting) -> Evidence:
    """Compare the margin that the abstract tells with that of the limit that thm:regret promises."""
    tried = "the advertised margin against (c_(2) - c*)/c*, in per cent"
    found = None if (paper := published_as(setting)) is None else _margins(paper)
    if found is None:
        return not_applicable(tried, "no margin is printed for this setting", Verdict.SKIPPED)
    agrees = abs(found["limit"] - found["advertised"]) <= 1
    return exact_evidence(tried, agrees, parameters=found, witness={"kind": "margin", "setting": setting.name, **found})


# Queries to exclude.

_SLOW, _SAID = "Llama-3.2-1B", 11_000


def _exclusion(setting: Setting) -> dict[str, float] | None:
    """Return the printed mean selections of the provider, and when it was selected last; None if not of this text."""
    if setting.name != "gpqa-strong" or published_as(setting) is None:
        return None
    served, last = (printed_number(setting.name, "selections", _SLOW, column) for column in ("mean", "last selection"))
    return None if served is None or last is None else {"selections": served, "last_selection": last}


def selections_until_excluded(setting: Setting) -> Evidence:
    """Compare the 11,000 queries of the text with the printed selections of the provider."""
    tried = f"about 11,000 queries against the printed selections of {_SLOW}"
    if (found := _exclusion(setting)) is None:
        return not_applicable(tried, "about the strong competition on GPQA only", Verdict.SKIPPED)
    agrees = round(found["selections"], -3) == _SAID
    witness = {"kind": "exclusion", "setting": setting.name, "said": _SAID, **found}
    return exact_evidence(tried, agrees, parameters=found, witness=witness)


# Means of counts that are never reached.

#: So much lies the quality of an excluded provider below the threshold; the good event speaks of so many of its scores.
_QUALITY_GAP, _COUNT = Fraction(1, 2), 1_000


def most_observations(quality_gap: Fraction) -> int:
    """Return how many scores of an unqualified provider are observed at most, on the good event, in any run.

    There are two providers, and delta is 1/20. Initialization observes one score, lem:unqualified-elimination allows
    M_i further ones.

    Examples
    --------
    >>> most_observations(Fraction(1, 2))
    170
    """
    return 1 + int(SELECTION_BOUND.value(confidence=Fraction(1, 20), n_providers=2, gap=quality_gap))


def means_of_all_counts_exist() -> Evidence:
    """Compare a count m, of which the good event speaks as of any, with the most scores of a provider."""
    most = most_observations(_QUALITY_GAP)
    found = {"quality_gap": str(_QUALITY_GAP), "most_observations": most, "count": _COUNT}
    tried = "two providers, delta 1/20, one with a quality of 1/2 below the threshold, on the good event"
    return exact_evidence(tried, most >= _COUNT, witness={"kind": "unobserved-mean", **found})


# Draws under adaptive selection.

Seen = tuple[tuple[int, ...], tuple[int, ...]]


def best_so_far(seen: Seen, coming: int) -> int:
    """Return which of two providers serves next: the one with the larger mean score; it does not see the next draw."""
    means = [Fraction(sum(scores), len(scores)) if scores else Fraction(1) for scores in seen]
    return int(means[1] > means[0])


def likelihood_of_patterns(
    select: Callable[[Seen, int], int], *, steps: int, count: int
) -> dict[tuple[int, tuple[int, ...]], Fraction]:
    """Return how probable each sequence of a provider's first scores is, by provider and sequence.

    Scores are 0 or 1 with equal chance. A run in which the provider serves less often has no such sequence.

    Examples
    --------
    >>> found = likelihood_of_patterns(best_so_far, steps=4, count=1)
    >>> found[0, (1,)], found[1, (1,)]
    (Fraction(1, 2), Fraction(7, 16))
    """
    states: dict[Seen, Fraction] = {((), ()): Fraction(1)}
    for _ in range(steps):
        following: dict[Seen, Fraction] = {}
        for seen, chance in states.items():
            for score in (0, 1):
                served = select(seen, score)
                after = ((*seen[0], score), seen[1]) if served == 0 else (seen[0], (*seen[1], score))
                following[after] = following.get(after, Fraction(0)) + chance / 2
        states = following
    found: dict[tuple[int, tuple[int, ...]], Fraction] = {}
    for seen, chance in states.items():
        for provider, scores in enumerate(seen):
            if len(scores) >= count:
                pattern = provider, scores[:count]
                found[pattern] = found.get(pattern, Fraction(0)) + chance
    return found


def patterns_are_no_likelier() -> Evidence:
    """Compare the probability of a provider's first three scores with that of independent draws, in one market."""
    steps, count = 9, 3
    found = likelihood_of_patterns(best_so_far, steps=steps, count=count)
    independent = Fraction(1, 2**count)
    likeliest, failing = max(found.values()), sum(chance > independent for chance in found.values())
    return evidence_of(
        f"the first {count} scores of each of two providers with fair scores of 0 and 1, {steps} queries, each "
        "served by who has the larger mean: all outcomes, exactly",
        Tightness(len(found), failing, float(independent - likeliest), float(likeliest / independent)),
        reason="asserted by the paper, and proved nowhere: one market is not a proof",
    )


# A discount.

_DIVISOR, _DISCOUNT_SAID = Fraction(5, 4), Fraction(1, 4)


def division_is_the_discount() -> Evidence:
    """Compare the discount of 25% with the one of a price that is divided by 1.25."""
    discount = 1 - 1 / _DIVISOR
    witness = {"kind": "discount", "divisor": str(_DIVISOR), "discount": str(discount), "said": str(_DISCOUNT_SAID)}
    tried = "a discount of 25% against a division by 1.25"
    return exact_evidence(tried, discount == _DISCOUNT_SAID, margin=float(discount - _DISCOUNT_SAID), witness=witness)


MEANS_OF_ALL_COUNTS = Claim(
    label="lem:good-event:means-of-all-counts",
    name="Means of every count",
    statement="for every provider and every m >= 1 there is a mean of the provider's first m scores, as the good event "
    "has it",
    everywhere=means_of_all_counts_exist,
    finding="No mean exists for a count that is never reached. An excluded provider never serves more than M_i + 1 "
    "queries. Read m as a count that the provider reaches, as the theorem in Coq does.",
    repaired_by="lem:good-event",
)
DRAWS_UNDER_SELECTION = Claim(
    label="lem:good-event:adaptive-selection",
    name="Independent draws under adaptive selection",
    statement="the successive scores and costs of a provider are i.i.d. draws, although earlier ones decide who is "
    "selected: an event of the first m has at most its probability under independent draws",
    everywhere=patterns_are_no_likelier,
    unproved=True,
    finding="The paper asserts it and does not derive it. Its reason is that the platform selects before it sees the "
    "draw. Coq proves it, for any strategies and any platform that obeys the rules.",
    repaired_by="lem:good-event",
)
DISCOUNT = Claim(
    label="eq:experimental-generation-cost:discount",
    name="Generation costs as discounted prices",
    statement="listed prices are 'discounted by a fixed 25% margin (i.e., divided by 1.25)'",
    source_line=416,
    everywhere=division_is_the_discount,
    finding="A price divided by 1.25 is discounted by 20%. The margin of 25% is on the cost: the listed price "
    "is 1.25 times it, as the next sentence has it.",
    repaired_by="eq:experimental-generation-cost",
)
ANY_TARGET = Claim(
    label="lem:forced-exploration-bound:any-g",
    name="Forced exploration for any non-decreasing g",
    statement="for every non-decreasing g a provider is explored at most ceil(g(T)) - 1 times, g(T) <= 0 included",
    everywhere=cap_without_positive_target,
    finding="The cap is negative where g(T) <= 0. Nobody can be explored fewer than 0 times. The lemma needs g(T) > "
    "0, as do thm:excess-payment-general and thm:generation-regret, which rest on it. k (t/N)^alpha is positive.",
    repaired_by="lem:forced-exploration-bound",
)
STRICT_AT_TIES = Claim(
    label="thm:robust-dominant:strict-at-ties",
    name="Strictly worse whenever the assignment changes",
    statement="any deviation that changes whether the provider is assigned the query is strictly worse, says the text "
    "after the theorem",
    everywhere=deviation_at_tie,
    finding="At a tie a losing deviation is equally good. Where the estimate is the critical payment, a higher bid "
    "loses the query and both net 0; if the strategy is truthful ever after, its worst case is 0 as well. The theorem "
    "itself asks for an estimate and a bid on different sides of the critical payment.",
    repaired_by="thm:robust-dominant",
)
MAIN_TEXT_HORIZON = Claim(
    label="claim:T_id:main-text",
    name="Identification horizon of Section 5",
    statement="every printed T_id is min{T : T > N + 2 B_id(T)} with the B_id of thm:sample-complexity",
    on_setting=of_published(_HORIZON_TRIED, printed_horizon_is_that_of_main_text),
    stronger_reading=True,
    finding="Two printed T_id follow from another B_id. With the real-valued k (T/N)^alpha of the theorem T_id is "
    "315,298 and 2,540,932 for two GPQA settings, not the printed 315,294 and 2,540,927, which follow from the "
    "tightened B_id of appendix D, as that appendix says. The other three, with the two that Section 5 prints, follow "
    "from either.",
    repaired_by="claim:T_id:repaired",
)
MARGINS = Claim(
    label="thm:regret:advertised-margins",
    name="The advertised margins as limits",
    statement="the margins of 10% and 71% are those of the price to which the payment converges",
    on_setting=advertised_margin_is_the_limit,
    stronger_reading=True,
    finding="The margins are those at T = 70,000, not limits. They are those of auctions on the last pass. The limit "
    "that the theorem promises is (c_(2) - c*)/c*: 17.9% and 113.6%. Until then payments lie below c_(2) by the "
    "difference of two radii: at T they are about c_(2) - c_max (beta(m_2) - beta(m_*)), which gives 10.1% and 71.6%.",
    repaired_by="thm:regret",
)
QUERIES_TO_EXCLUDE = Claim(
    label="lem:unqualified-elimination:queries-to-exclude",
    name="Queries to exclude Llama-3.2-1B",
    statement="Llama-3.2-1B serves about 11,000 queries before it is excluded",
    on_setting=selections_until_excluded,
    stronger_reading=True,
    finding="It serves 8,294 queries; 10,980 counts those of all providers. The mean is 8,294, initialization "
    "included; 10,980 is the step at which it is selected last.",
    repaired_by="lem:unqualified-elimination",
)
