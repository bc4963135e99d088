"""The published settings against the paper's tables, and how strongly the numbers of each method are proved."""

import json
import math
import pickle
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from typing import get_args

import pytest

from bounds import InputError, proved_as
from bounds.guarantees import GUARANTEES
from bounds.methods import METHODS
from bounds.proved_as import ProvedAs, backing_of
from bounds.published import PUBLISHED_NAMES, printed_numbers, published
from bounds.radii.names import PAPERS, RADII
from bounds.report import evaluate_bounds
from mechanism.planner.cost import guaranteed
from mechanism.planner.goals import KINDS
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import stored_verdict
from tests.proofs_checks.claims.test_precondition import played

NAMES = ("gsm8k-full", "gsm8k-ladder", "gpqa-full", "gpqa-ladder", "gpqa-strong")
IN_THE_PAPER = {  # name -> N, |Q|, i*, K
    "gsm8k-full": (9, 3, "Qwen2.5-3B", 1319),
    "gsm8k-ladder": (12, 3, "Qwen2.5-7B", 1319),
    "gpqa-full": (9, 8, "Qwen2-1.5B", 546),
    "gpqa-ladder": (12, 4, "Llama-3-8B", 545),
    "gpqa-strong": (4, 2, "Llama-3.1-8B", 546),
}


@pytest.mark.for_each("name", NAMES)
def test_providers_as_printed(name):
    paper = published(name)
    setting = paper.setting
    n_providers, n_qualified, optimal, questions = IN_THE_PAPER[name]
    assert (setting.name, setting.n_providers, len(setting.qualified)) == (name, n_providers, n_qualified)
    assert setting.providers[setting.optimal].name == paper.optimal_provider == optimal
    assert paper.questions == questions
    assert setting.qualified == tuple(i for i, flag in enumerate(paper.printed_qualified) if flag)
    assert setting.unmet_assumptions == ()
    platform = setting.platform
    assert (platform.confidence, platform.exploration_scale, platform.exploration_exponent) == (0.05, 2.0, 0.75)
    assert (platform.belief_slack, platform.underbid, platform.overbid) == (0, 0, 0)
    assert (paper.horizon, paper.runs, paper.generations_per_question) == (70000, 30, 128)


@pytest.mark.for_each("name", NAMES)
def test_costs_follow_from_tokens_and_prices(name):
    """To the seven decimals of the data, which are read as decimals."""
    text = files("bounds.published").joinpath("settings.json").read_text()
    facts = json.loads(text, parse_float=Decimal)["settings"][name]
    for row in facts["providers"]:
        cost = row["multiplicity"] * row["mean_tokens"] * row["listed_price"] / Decimal("1.25")
        assert round(cost, 7) == row["mean_cost"]
    assert facts["cost_bound"] == 512 * max(row["multiplicity"] * row["listed_price"] for row in facts["providers"])


def test_qualities_agree_with_the_exact_counts_of_correct_generations():
    """To four decimals everywhere."""
    counts = json.loads(files("bounds.published").joinpath("settings.json").read_text())["exact_counts"]
    seen = set()
    for paper in map(published, PUBLISHED_NAMES):
        for provider in paper.setting.providers:
            key = f"{paper.questions}q:{provider.name}"
            if key in counts:
                seen.add(key)
                assert counts[key]["of"] == paper.questions * paper.generations_per_question
                exact = Fraction(counts[key]["correct"], counts[key]["of"])
                assert round(exact, 4) == round(Fraction(str(provider.quality)), 4)
    assert seen == set(counts)


def test_every_printed_number():
    numbers = printed_numbers()
    assert len(numbers) == 1019
    assert len({(n.setting, n.table, n.row, n.column, n.stat) for n in numbers}) == 1019
    assert {n.setting for n in numbers} == set(NAMES)
    assert Counter(n.stat for n in numbers).keys() == {"mean", "min", "max", "sum"}
    assert all(math.isfinite(n.printed) and n.half_ulp >= 0 for n in numbers)
    assert all(n.printed_halfwidth is None or n.printed_halfwidth >= 0 for n in numbers)


@pytest.mark.for_each(
    ("name", "row", "column", "printed", "halfwidth"),
    [
        ("gsm8k-full", "Platform", "Unqualified share", 0.692, 0.003),
        ("gsm8k-full", "Uniform among eligible", "R_gen/T", 7.05, 0.12),
        ("gsm8k-ladder", "Platform", "Amount paid", 118.1, 1.5),
        ("gsm8k-ladder", "No quality filter (ablation)", "Accuracy", 0.600, 0.003),
    ],
)
def test_numbers_read_off_the_one_pass_table(name, row, column, printed, halfwidth):
    (number,) = (
        n for n in printed_numbers() if (n.setting, n.table, n.row, n.column) == (name, "one-pass", row, column)
    )
    assert (number.printed, number.printed_halfwidth, number.stat) == (printed, halfwidth, "mean")


def test_published_settings_travel_between_processes():
    paper = published("gpqa-strong")
    assert pickle.loads(pickle.dumps((paper, paper.setting))) == (paper, paper.setting)


@pytest.mark.for_each("name", ["gsm8k", "GSM8K-Full", "", "x" * 10_000, 3, None, ["gsm8k-full"]])
def test_unknown_names_list_the_known_ones(name):
    with pytest.raises(InputError, match="is not a published setting: .*" + ", ".join(NAMES)) as caught:
        published(name)
    assert ("did you mean gsm8k-full?" in str(caught.value)) == (name in ("gsm8k", "GSM8K-Full"))


LABELS = sorted({kind.label for kind in GUARANTEES.values() if kind.proved} | {kind.label for kind in KINDS.values()})
HORIZON = 50_000
#: Markets of every kind: what the theory asks for, and each of the ways in which one can lack it.
MARKETS: dict[str, Callable[[], Case]] = {
    "as the paper has it": played,
    "all qualified": lambda: played(qualities=(1.0, 1.0, 1.0)),
    "a tie": lambda: played(costs=(0.25, 0.25, 0.75)),
    "one qualified": lambda: played(qualities=(1.0, 0.0, 0.0)),
    "nobody qualified": lambda: played(qualities=(0.0, 0.0, 0.0)),
    "beliefs": lambda: played(belief_slack=0.5),
    "deviations": lambda: played(underbid=0.05, overbid=0.05),
    "deviations as large as a gap": lambda: played(underbid=0.2, overbid=0.2),
    "a tie with deviations": lambda: played(costs=(0.25, 0.25, 0.75), underbid=0.05),
    "both": lambda: played(belief_slack=0.5, underbid=0.05),
    "both, as large as a gap": lambda: played(belief_slack=0.5, underbid=0.2, overbid=0.2),
    "another radius": lambda: played(radius="beta-binomial"),
    "another radius, a tie": lambda: played(costs=(0.25, 0.25, 0.75), radius="beta-binomial"),
}


def lacking(label: str, case: Case) -> list[str]:
    """Return what a claim assumes of a setting, whatever the run, and this one lacks."""
    return [each.name for each in claim(label).assumptions if isinstance(each.failure(case), str)]


@pytest.mark.for_each("market", MARKETS)
@pytest.mark.parametrize("method", METHODS)
def test_is_the_verdict_on_the_claim_where_the_setting_has_what_it_assumes(market: str, method: str) -> None:
    case = MARKETS[market]()
    for label in LABELS:
        found = backing_of(case.setting, label, method)
        assert found.claim in all_claims()
        if unmet := lacking(found.claim, case):
            assert (found.proved_as, bool(found.not_proved_because)) == (None, True), (label, found, unmet)
        elif found.proved_as is None and stored_verdict(found.claim).value in get_args(ProvedAs):
            # Claims about truthful bids, of a setting whose bids may be others.
            platform = case.setting.platform
            assert method == "sharp"
            assert platform.underbid or platform.overbid
        else:
            assert found.not_proved_because is None
            assert found.proved_as == stored_verdict(found.claim).value


@pytest.mark.for_each("market", ["a tie", "one qualified", "nobody qualified"])
def test_outside_the_theory_nothing_is_proved_of_a_guarantee(market: str) -> None:
    setting = MARKETS[market]().setting
    [lacks] = setting.unmet_assumptions
    for method in METHODS:
        data = evaluate_bounds(setting, HORIZON, method).to_data()
        for told in (data["identification"], *data["bounds"].values()):
            assert told["proved_as"] is None
            assert told["not_proved_because"].endswith(lacks)
        for row in guaranteed(setting, setting, HORIZON, method):
            assert row.proved_as is None or "exploration" in row.quantity
    regret = evaluate_bounds(setting, HORIZON).bounds["quality_regret"]
    assert regret.applies == (market != "nobody qualified"), "where it has a value, the sentence is all that warns"


@pytest.mark.for_each("label", LABELS)
def test_a_claim_of_the_method_counts_where_there_is_one(label: str) -> None:
    for method in set(METHODS) - {"paper"}:
        own = f"{label}:{method}"
        found = backing_of(MARKETS["as the paper has it"]().setting, label, method)
        assert own not in all_claims() or found.claim == own
        assert found.proved_as == stored_verdict(found.claim).value


def test_a_claim_that_is_proved_in_steps_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = MARKETS["as the paper has it"]().setting
    monkeypatch.setattr(proved_as, "_STEPS_ALONE", ("thm:regret",))
    assert backing_of(setting, "thm:regret", "paper").proved_as == "PROVED_STEPS"
    assert backing_of(setting, "thm:regret", "sharp").proved_as == "PROVED"


@pytest.mark.for_each(("name", "label"), [(k.name, k.deviating[0]) for k in GUARANTEES.values() if k.deviating])
def test_what_bounds_deviating_bids_is_proved(name: str, label: str) -> None:
    assert stored_verdict(label) is Verdict.PROVED
    found = evaluate_bounds(MARKETS["deviations"]().setting, HORIZON).guarantees[name]
    assert (found.label, found.backing.claim, found.backing.proved_as) == (label, label, "PROVED")


def test_where_a_gap_is_no_larger_than_the_deviations_the_first_branch_is_all_that_is_proved() -> None:
    found = evaluate_bounds(MARKETS["deviations as large as a gap"]().setting, HORIZON)
    regret = found.bounds["generation_regret"]
    assert regret.value == regret.parts["anytime"]
    branch = "thm:deviation-generation-regret:anytime"
    assert (regret.backing.claim, regret.backing.proved_as) == (branch, stored_verdict(branch).value)
    assert "does not exceed underbid + overbid" in str(found.identification.backing.not_proved_because)


@pytest.mark.for_each("radius", [radius for radius in RADII if radius != PAPERS])
def test_other_radii_are_proved_as_their_claims_are_or_not_at_all(radius: str) -> None:
    setting = played(radius=radius).setting
    stated = [label for label in all_claims() if label.endswith(":any-radius")]
    for method in METHODS:
        found = {label: backing_of(setting, label, method) for label in LABELS}
        proved = {label for label, each in found.items() if each.proved_as is not None}
        assert proved == {"thm:sample-complexity", "lem:unqualified-elimination", "lem:forced-exploration-bound"}
        assert all(found[label].proved_as == stored_verdict(found[label].claim).value for label in proved)
        assert {found[label].claim for label in proved} <= set(stated)
