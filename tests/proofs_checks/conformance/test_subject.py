"""A mechanism under test: wrong answers and calls that never return become errors that say what happened."""

from __future__ import annotations

import signal
import time
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import BrokenOffError, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.play.time_limit import Stopwatch

CONFIG = MechanismConfig(2, 0.5, 0.05, 1.0, 0.01, 0.5)


def answering(answer, settle=lambda score, bid: None):
    made = SimpleNamespace(assign=lambda: answer() if callable(answer) else answer, settle=settle)
    return Subject(lambda config, rng: made, "test:answering")


@pytest.mark.for_each(
    ("answer", "kind"),
    [
        (None, "wrong type"),
        (3, "wrong type"),
        ((0, 1.0, 2.0), "wrong type"),
        ("ab", "wrong type"),
        ({"provider": 0, "payment": 1.0}, "wrong type"),
        ({0: "the provider", 1.0: "the payment"}, "wrong type"),
        ({0, 1.0}, "wrong type"),
        ((0.0, 1.0), "wrong type"),
        ((True, 1.0), "wrong type"),
        (("0", 1.0), "wrong type"),
        ((0, "1"), "wrong type"),
        ((0, None), "wrong type"),
        ((0, True), "wrong type"),
        ((0, 1j), "wrong type"),
        ((0, Decimal(1)), "wrong type"),
        ((2, 1.0), "no such provider"),
        ((-1, 1.0), "no such provider"),
        ((0, float("nan")), "not finite"),
        ((0, float("inf")), "not finite"),
        ((0, -np.inf), "not finite"),
    ],
)
def test_a_wrong_answer_is_named(answer, kind):
    with pytest.raises(MechanismError) as caught:
        answering(answer).start(CONFIG, 0).assign()
    assert caught.value.kind == kind
    assert "assign() at step 1" in caught.value.message


@pytest.mark.parametrize("answer", [(1, 0), [1, 0.5], (np.int64(1), np.float32(0.5)), (1, Fraction(1, 2))])
def test_whole_and_real_numbers_of_any_type_are_taken(answer):
    provider, payment = answering(answer).start(CONFIG, 0).assign()
    assert (type(provider), type(payment)) == (int, float)


@pytest.mark.parametrize("error", [ValueError("no\nroute"), SystemExit(3), AssertionError(), GeneratorExit()])
def test_whatever_a_mechanism_raises_is_an_error_of_its_own(error):
    def fails():
        raise error

    with pytest.raises(MechanismError, match=type(error).__name__) as caught:
        answering(fails).start(CONFIG, 0).assign()
    assert "\n" not in caught.value.message


def test_ctrl_c_is_nobodys_error():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answering(interrupted).start(CONFIG, 0).assign()


def test_a_factory_that_returns_no_mechanism_is_an_error():
    for made in (None, object(), SimpleNamespace(assign=lambda: (0, 1.0)), reference_mechanism):
        with pytest.raises(MechanismError, match="without"):
            Subject(lambda config, rng, made=made: made, "test:none").start(CONFIG, 0)


def sleeps():
    time.sleep(60)


def loops():
    while True:
        pass


#: On a busy machine a loop waits for its turn as well.
COMPUTES = r"took more than 0\.3 s|had not returned after 3\.6 s, and computed for"
WAITS = r"had not returned after 3\.6 s: it waits, it does not compute"


@pytest.mark.parametrize(("hang", "told"), [(sleeps, WAITS), (loops, COMPUTES)])
def test_a_call_that_hangs_is_interrupted(hang, told):
    paces: list[float] = []
    stopwatch = Stopwatch(0.3, paces.append)
    made = SimpleNamespace(assign=hang, settle=lambda score, bid: None)
    with stopwatch.watching(), pytest.raises(MechanismError, match=told) as caught:
        Subject(lambda config, rng: made, "test:hangs", stopwatch).start(CONFIG, 0).assign()
    assert caught.value.kind == "too slow"
    assert all(seconds < 0.1 for seconds in paces), "how long a call takes that was interrupted is not known"


def test_nothing_is_interrupted_between_calls_and_a_foreign_alarm_is_put_back():
    def foreign(number, frame):
        raise RuntimeError

    before = signal.signal(signal.SIGALRM, foreign)
    try:
        with Stopwatch(0.1).watching():
            time.sleep(0.5)  # no call is being timed
        assert signal.getsignal(signal.SIGALRM) is foreign
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    finally:
        signal.signal(signal.SIGALRM, before)


def test_what_was_played_before_an_error_is_kept():
    def factory(config, rng):
        made = reference_mechanism(config, rng)
        calls = iter(range(100))
        return SimpleNamespace(assign=lambda: made.assign() if next(calls) < 4 else 1 / 0, settle=made.settle)

    scenario = Scenario(CONFIG, 0, ((Query(1.0, 0.25),), (Query(1.0, 0.5),)), 9)
    with pytest.raises(BrokenOffError, match="ZeroDivisionError") as caught:
        play_scenario(Subject(factory, "test:breaks"), scenario)
    assert len(caught.value.interaction.events) == 4


def test_a_changed_configuration_is_noticed_and_does_no_harm():
    def factory(config, rng):
        config.__dict__["cost_bound"] = 7.0
        return reference_mechanism(config, rng)

    mechanism = Subject(factory, "test:changes").start(CONFIG, 0)
    assert mechanism.configuration_change() == "cost_bound from 1.0 to 7.0"
    assert CONFIG.cost_bound == 1.0
