"""The random accidents break rules, and what is named first of most of them happened."""

import numpy as np
import pytest

from mechanism.trace import Trace
from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import CAUSES, diagnose
from proofs_checks.diagnosis.log import RecordedLog
from tests.proofs_checks.diagnosis.accidents_corpus import case, is_named, market, wrong_mechanism

#: Logs that are diagnosed, and how many of them must be right: the first ones, and some of which a part alone explains
#: little or nothing.
DIAGNOSED, RIGHT = (*range(5), 38, 84, 108, 130, 153), 9
#: Logs in which a gap, or other rules that fit nearly as well hide what happened.
HIDDEN = (14, 56, 100, 141)
#: How many wrong mechanisms must be named: 80% of them.
NAMED = 8

#: Wrong mechanisms that accidents explain as well: an outage without an end (102), two accidents (140), names exchanged
#: (157), a factor of all payments from the first auction on (212), rows exchanged early (128).
LIKE_ACCIDENTS = (102, 128, 140, 157, 212)


def test_a_seed_is_a_log_that_breaks_rules() -> None:
    first, again = case(8), case(8)
    assert first.kinds == again.kinds
    assert np.array_equal(first.log.payment, again.log.payment)
    assert Trial(first.log).left


@pytest.mark.long("tries every cause on several logs")
def test_most_accidents_are_named_first() -> None:
    cases = map(case, DIAGNOSED)
    assert sum(each.right(diagnose(each.log)) for each in cases) >= RIGHT


@pytest.mark.long("tries every cause on a log")
@pytest.mark.parametrize("seed", HIDDEN)
def test_what_is_hidden_is_named_first(seed: int) -> None:
    hidden = case(seed)
    assert hidden.right(diagnose(hidden.log))


@pytest.mark.long("tries every cause on several logs")
def test_most_wrong_mechanisms_are_named_and_none_is_an_accident() -> None:
    mutants = {seed: wrong_mechanism(seed) for seed in DIAGNOSED}
    found = {seed: diagnose(log) for seed, (_, log) in mutants.items()}
    assert {first.kind for first, *_ in found.values()} <= {"mechanism", "setting"}
    assert sum(is_named(mutants[seed][0], found[seed]) for seed in DIAGNOSED) >= NAMED


@pytest.mark.long("tries every cause")
@pytest.mark.parametrize("seed", LIKE_ACCIDENTS)
def test_a_wrong_mechanism_comes_before_accidents_that_explain_its_log_as_well(seed: int) -> None:
    name, log = wrong_mechanism(seed)
    found = diagnose(log)
    assert found[0].kind != "log"
    assert is_named(name, found)


@pytest.mark.long("tries every cause")
@pytest.mark.parametrize("seed", [26, 33, 133])
def test_an_accident_that_a_platform_causes_may_be_the_platform(seed: int) -> None:
    _, log = wrong_mechanism(seed)
    first, *_ = diagnose(log)
    assert (first.kind, first.explains, first.by_platform) == ("log", 1.0, True)


@pytest.mark.long("makes a log of a wrong mechanism")
def test_an_accident_that_leaves_much_wrong_comes_behind_that_nothing_explains_the_log() -> None:
    name, log = wrong_mechanism(349)
    assert name == "LowBidsPaidLess"
    first, second = diagnose(log, [cause for cause in CAUSES if cause.name == "one provider's money"])
    assert (first.kind, first.cause) == ("mechanism", "unexplained")
    assert 0.5 < second.explains < 0.8


def test_a_gateway_that_charges_costs_is_not_said_to_lack_its_beginning() -> None:
    rng = np.random.default_rng(3)
    setting = market(rng)
    served = rng.integers(setting.n_providers, size=400)
    bids = np.array([each.mean_cost for each in setting.providers])[served]
    trace = Trace(served, bids * rng.uniform(0.2, 1.8, 400), rng.integers(2, size=400).astype(float), bids)
    first, *_ = diagnose(RecordedLog.of(trace, setting), ())
    assert first.cause == "unexplained"
    assert "rows pay less than the provider's standing bid" in first.sentence
