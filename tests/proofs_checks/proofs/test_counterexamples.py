"""False statements: the numbers that solvers find are replayed by the mechanism, and right statements have none."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from proofs_checks.cli.main import main
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.counterexamples import BAND_BELOW_TWO, COUNTEREXAMPLES, enclosed_radius, find_counterexamples
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Hypothesis
from proofs_checks.proofs.lemma import prove_lemma
from proofs_checks.proofs.results import ProveReport
from proofs_checks.proofs.statements.incentives import NO_PROFITABLE_DEVIATION
from proofs_checks.proofs.statements.payments import PAID, TARGET_RADIUS
from proofs_checks.proofs.statements.shared import SECOND_COST
from proofs_checks.verdict import Verdict

pytestmark = pytest.mark.usefixtures("shared_solvers")

BY_LABEL = {counterexample.label: counterexample for counterexample in COUNTEREXAMPLES}


@pytest.fixture(scope="module")
def found():
    return {refuted.counterexample.label: refuted for refuted in find_counterexamples()}


@pytest.mark.for_each("label", BY_LABEL)
def test_the_solvers_find_numbers_that_the_mechanism_replays(found, label):
    refuted = found[label]
    assert refuted.lemma.verdict is Verdict.REFUTED
    assert refuted.replayed
    model = refuted.lemma.counterexample
    assert all(model.value(formula) for formula in refuted.counterexample.obligation.formulas.values())
    assert not model.value(refuted.counterexample.obligation.goal)
    assert json.loads(json.dumps(refuted.to_data()))["numbers"]


def test_every_radius_is_one_that_a_run_reaches(found):
    """No counterexample stands on a radius of 0, which no count has: each is the end of one of the paper's."""
    counts = {(28, 2), (112, 2), (10**4, 2), (10**6, 2), (175, 3)}
    reached = {end for count, n in counts for end in vars(enclosed_radius(count, n)).values()}
    for label, refuted in found.items():
        for (name, *_), value in refuted.lemma.counterexample.values.items():
            if name in ("cost_radius", "quality_radius"):
                assert value in reached, (label, name, value)


def changed(model: Model, *key: object, to: object) -> Model:
    assert key in model.values
    return Model(model.providers, {**model.values, key: to})


@pytest.mark.for_each(
    ("label", "key", "to"),
    [
        ("lem:forced-exploration-bound:any-g", ("target_at_end",), Fraction(1)),
        ("lem:forced-exploration-bound:any-g", ("explorations",), Fraction(1)),
        ("lem:radius-monotone:one-provider", ("radius_at_one",), Fraction(1, 2)),
        ("lem:payment-range:under-deviations", ("underbid",), Fraction(0)),
        ("lem:two-sided-payment:below-two-radii", ("second_cost",), Fraction(0)),
        ("lem:one-step:any-bid", ("deviation",), Fraction(0)),
    ],
)
def test_other_numbers_are_not_replayed(found, label, key, to):
    model = found[label].lemma.counterexample
    assert not BY_LABEL[label].replay(changed(model, *key, to=to))


def test_other_states_are_not_replayed(found):
    """A rival that bids more, a provider near the threshold, optimism, another winner, a loss at a tie."""
    for label in ("lem:payment-range:under-deviations", "lem:two-sided-payment:below-two-radii"):
        model = found[label].lemma.counterexample
        bids = {("bid", k): Fraction(1) for k in range(2) if k != model.values[("winner",)]}
        assert not BY_LABEL[label].replay(Model(2, {**model.values, **bids}))

    def replays(label: str, *key: object, to: object) -> bool:
        return BY_LABEL[label].replay(changed(found[label].lemma.counterexample, *key, to=to))

    label = "cor:eventual-ordinary-optimality:not-vacuous"
    values = found[label].lemma.counterexample.values
    assert not replays(label, "quality", values[("i",)], to=values[("quality_threshold",)] - Fraction(2, 5))
    label = "claim:widening-necessary:for-convergence"
    values = found[label].lemma.counterexample.values
    optimal = values[("optimal",)]
    for bid in (values["mean_cost", optimal], Fraction(1)):
        assert not replays(label, "bid", optimal, to=bid)
    label = "lem:one-step:any-bid"
    values = found[label].lemma.counterexample.values
    assert not replays(label, "winner_truthful", to=1 - values[("i",)])
    label = "thm:robust-dominant:strict-at-ties"
    values = found[label].lemma.counterexample.values
    winners = {tag: values[(f"winner_{tag}",)] for tag in ("truthful", "deviating")}
    assert (winners["truthful"] == values[("i",)]) != (winners["deviating"] == values[("i",)])
    assert not replays(label, "winner_deviating", to=winners["truthful"])
    assert not replays(label, "estimate", to=values[("estimate",)] + Fraction(1, 7))


@pytest.mark.for_each(("count", "n", "delta"), [(1, 1, "0.99"), (28, 2, "0.05"), (10**6, 2, "0.05"), (175, 3, "0.05")])
def test_enclosures_hold_the_radius(count, n, delta):
    with mpmath.workdps(50):
        inside = 2 * mpmath.pi**2 * n * count**2 / (3 * mpmath.mpf(delta))
        radius = mpmath.sqrt(mpmath.log(inside) / (2 * count))
        found = enclosed_radius(count, n, Fraction(delta))
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (found.lower, found.upper)]
        assert ends[0] <= radius <= ends[1]
        assert found.upper - found.lower <= Fraction(2, 10**6)


@pytest.mark.long("proves what is true instead")
def test_right_statements_are_proved():
    """The band of two radii; and that no bid gains, even outside the range."""
    hypotheses = {name: Hypothesis(one.formula) for name, one in BAND_BELOW_TWO.hypotheses.items()}
    two = replace(BAND_BELOW_TWO, name="two", hypotheses=hypotheses, goal=SECOND_COST - 2 * TARGET_RADIUS <= PAID)
    kept = {n: h for n, h in NO_PROFITABLE_DEVIATION.hypotheses.items() if n != "deviation-in-range"}
    no_gain = replace(NO_PROFITABLE_DEVIATION, hypotheses=kept, further_mutants=(), redundant={})
    assert [prove_lemma(one).verdict for one in (two, no_gain)] == [Verdict.PROVED, Verdict.PROVED]


def test_the_platform_pays_less_than_nothing(found):
    model = found["lem:payment-range:under-deviations"].lemma.counterexample
    bound = float(model.values[("cost_bound",)])
    config = MechanismConfig(2, 0.5, 0.05, bound, 0.5, 0.5)
    platform = Platform(config, np.random.default_rng(0), check_bids=False)
    for provider in range(2):
        assert platform.assign() == (provider, bound)
        platform.settle(1.0, float(model.values["bid", provider]))
    paid = platform.assign()[1]
    others = [model.values["bid", k] for k in range(2)]
    assert paid == pytest.approx(float(max(others)))
    assert paid < 0


def lowest_costs(mean: float, radii: list[float]) -> list[int]:
    """Return costs of 0 and 1 whose running mean stays as low as the band around the mean lets it."""
    costs: list[int] = []
    for m, radius in enumerate(radii, 1):
        costs.append(0 if sum(costs) / m >= mean - radius else 1)
        assert mean - radius <= sum(costs) / m <= mean + radius
    return costs


def test_a_run_of_the_platform_pays_almost_two_radii_less():
    """All of it happens at once: truthful bids, estimates in their bands, t > T_0, no exploration, 28 = ceil(g(t))."""
    mean, delta, last, exponent = 0.9674, 0.05, 6000, 0.9
    scale = 27.999 / (last / 2) ** exponent

    def beta(count: float) -> float:
        return math.sqrt(math.log(4 * math.pi**2 * count**2 / (3 * delta)) / (2 * count))

    costs = lowest_costs(mean, [beta(m) for m in range(1, 29)])
    platform = Platform(MechanismConfig(2, 0.5, delta, 1.0, scale, exponent), np.random.default_rng(1))
    counts, spent = [0, 0], 0
    for _ in range(1, last):
        provider, _ = platform.assign()
        counts[provider] += 1
        spent += costs[counts[1] - 1] if provider else 0
        platform.settle(1.0, spent / counts[1] if provider else 0.01)
    winner, paid = platform.assign()
    target = scale * (last / 2) ** exponent
    assert last > 2 * max(1.0, (1 / scale) ** (1 / exponent))
    assert (winner, counts[1]) == (0, 28)
    assert mean - 2 * beta(target) <= paid < mean - 1.9 * beta(target)


def test_what_is_not_replayed_is_a_contradiction_but_what_is_undecided_is_not(found):
    refuted = found["lem:payment-range:under-deviations"]
    assert ProveReport(claims=(), balls={}, seconds=0.0, refuted=(refuted,)).contradictions == ()
    [said] = ProveReport(claims=(), balls={}, seconds=0.0, refuted=(replace(refuted, replayed=False),)).contradictions
    assert "payment-range-for-deviating-bids" in said
    undecided = replace(refuted, replayed=False, lemma=replace(refuted.lemma, verdict=Verdict.SKIPPED))
    assert ProveReport(claims=(), balls={}, seconds=0.0, refuted=(undecided,)).contradictions == ()


def test_only_the_counterexamples_of_some_claims():
    assert find_counterexamples(()) == ()
    assert find_counterexamples({"thm:regret"}) == ()
    [found] = find_counterexamples({"thm:robust-dominant"})
    assert found.counterexample.label == "thm:robust-dominant:strict-at-ties"


def test_no_false_wording_has_the_label_of_what_is_proved():
    assert BY_LABEL.keys().isdisjoint(all_proofs())
    assert all(label.count(":") == 2 for label in BY_LABEL)


@pytest.mark.long("asks both solvers for the command")
def test_the_command_lists_them(capsys):
    assert main(["prove", "--counterexamples", "lem:payment-range", "--json"]) == 0
    [refuted] = json.loads(capsys.readouterr().out)["refuted"]
    assert (refuted["label"], refuted["replayed"]) == ("lem:payment-range:under-deviations", True)
    assert main(["prove", "--counterexamples", "lem:payment-range:under-deviations"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    # What is paid is the bid below 0 of the rival: both have the same radius, at the delta that is told.
    paid, rival = (re.findall(rf"{name} = (-?[\d/]+)", out)[0] for name in ("payment", "bid 1"))
    assert paid == rival
    assert Fraction(paid) < 0
    assert "confidence (delta) = 1/20" in out
    assert main(["prove", "--counterexamples", "thm:regret", "lem:radius-monotone"]) == 0
    told = capsys.readouterr()
    assert "lem:radius-monotone:one-provider" in told.out
    assert "no counterexample, since nothing of it is known to be false on auctions: thm:regret" in " ".join(
        told.err.split()
    )


@pytest.mark.parametrize("arguments", [["lem:nothing"], ["thm:regret"], ["--graph"], ["--out", "somewhere"]])
def test_bad_input_is_refused(capsys, arguments):
    assert main(["prove", "--counterexamples", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
