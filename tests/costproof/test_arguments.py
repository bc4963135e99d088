"""Names, paths, objects and NumPy's numbers are one thing, anything else is told so; and `costproof.testing`."""

import functools
import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from hypothesis.stateful import run_state_machine_as_test

import costproof
from bounds.errors import InputError
from bounds.setting.file import format_setting
from costproof import strategies, testing
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.platform import reference_mechanism
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.suite import ALL_CHECKS
from tests.drawn import drawn
from tests.refusals import assert_refused

NAME = "gpqa-strong"
PAPER = costproof.published(NAME)
LABEL = "lem:payment-range"


@functools.cache
def right() -> Trace:
    return simulate(PAPER.setting, horizon=300, seed=1)


@pytest.fixture(scope="module")
def setting_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("settings") / f"{NAME}.toml"
    path.write_text(format_setting(PAPER.setting), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    write_trace(right(), path, PAPER.setting)
    return path


class TestSettings:
    def test_name_object_and_file_are_one(self, setting_file: Path) -> None:
        reports = [costproof.bounds(it) for it in (NAME, PAPER, PAPER.setting, setting_file, str(setting_file))]
        assert all(report == reports[0] for report in reports)

    @pytest.mark.for_each("wrong", lambda: [3, None, b"gpqa-strong", ["gpqa-strong"], right()])
    def test_anything_else(self, wrong: object) -> None:
        assert_refused("must be a Setting, a built-in name or the path of a TOML file", costproof.bounds, wrong)

    def test_unknown_names_have_a_nearest(self) -> None:
        assert_refused(r"^setting='gpqa-strnog' is neither.*did you mean gpqa-strong", costproof.bounds, "gpqa-strnog")

    def test_several_are_counted(self) -> None:
        with pytest.raises(InputError, match=r"^settings\[1\]='nowhere.toml' is not an existing file"):
            costproof.verify([NAME, "nowhere.toml"])
        assert_refused(r"^settings=3 must be a Setting", costproof.verify, 3)


class TestTraces:
    def test_object_path_and_parts_are_one(self, log: Path) -> None:
        parts = [right().head(200), right().rows(slice(200, None))]
        for said in (right(), log, str(log), parts, iter(parts)):
            assert costproof.measure(NAME, said).selections == costproof.measure(NAME, right()).selections
        audits = [costproof.audit(given, NAME, name="it") for given in (right(), log, parts)]
        assert [report.to_data() for report in audits] == [audits[0].to_data()] * 3
        assert costproof.read_trace(log, NAME) == right()

    def test_a_log_is_called_by_its_path(self, log: Path) -> None:
        assert costproof.audit(log, NAME, labels=LABEL).to_data()["trace"] == str(log)
        assert costproof.audit(right(), NAME, labels=LABEL).to_data()["trace"] == "trace"

    @pytest.mark.parametrize("verb", [costproof.audit, lambda trace, setting: costproof.measure(setting, trace)])
    @pytest.mark.for_each(
        ("wrong", "told"),
        lambda: [
            (7, r"^trace=7 must be a Trace, the path of a log, or Traces that follow each other"),
            (PAPER.setting, r"^trace=.* must be a Trace, the path of a log"),
            ([1, 2], r"^trace\[0\]=1 must be a Trace"),
            (np.zeros(3), r"^trace\[0\]=.* must be a Trace"),
            ([right(), None], r"^trace\[1\]=None must be a Trace"),
            ([], r"^trace=\[\] has no part"),
            ("log.txt", r"^trace='log.txt' must end in .csv"),
            ("nowhere.csv", r"^trace='nowhere.csv' cannot be read"),
        ],
    )
    def test_anything_else(self, verb: Callable[..., object], wrong: object, told: str) -> None:
        with pytest.raises(InputError, match=told) as error:
            verb(wrong, NAME)
        assert "\n" not in str(error.value)


class TestLabels:
    @pytest.mark.parametrize("verb", [lambda labels: costproof.audit(right(), NAME, labels=labels), costproof.prove])
    def test_one_or_several(self, verb: Callable[[Any], object]) -> None:
        def names(report: Any) -> list[str]:
            return [stated.label for stated in report.claims]

        assert names(verb(LABEL)) == names(verb([LABEL])) == names(verb(iter([LABEL]))) == [LABEL]

    @pytest.mark.parametrize(
        "verb",
        [
            lambda labels: costproof.audit(right(), NAME, labels=labels),
            lambda labels: costproof.verify(NAME, labels=labels),
            costproof.prove,
        ],
    )
    def test_unknown_ones(self, verb: Callable[[object], object]) -> None:
        assert_refused(r"^labels='lem:payment-rage' .*did you mean lem:payment-range", verb, "lem:payment-rage")
        assert_refused(r"^labels=3 must be a label of the paper or several", verb, [3])


OF_NUMPY = costproof.Setting(
    "toy",
    costproof.PlatformParameters(np.float64(0.5), np.float32(0.25), np.int64(8), 2, np.float64(0.75)),
    (costproof.Provider("a", np.float64(0.75), np.int64(3)), costproof.Provider("b", 1, 5, multiplicity=np.int8(2))),
)


def test_a_setting_of_numpys_numbers_is_one_of_pythons() -> None:
    platform, (a, b) = OF_NUMPY.platform, OF_NUMPY.providers
    assert (platform.confidence, platform.cost_bound, a.quality, a.mean_cost) == (0.25, 8.0, 0.75, 3.0)
    assert {type(platform.confidence), type(platform.cost_bound), type(a.quality), type(a.mean_cost)} == {float}
    assert (b.multiplicity, type(b.multiplicity)) == (2, int)


def test_a_horizon_of_numpy_gives_the_same_report() -> None:
    found = costproof.bounds(OF_NUMPY, horizon=np.int64(50_000))
    assert type(found.horizon) is int
    assert found.to_data() == costproof.bounds(OF_NUMPY, horizon=50_000).to_data()


@pytest.mark.for_each("value", [True, np.True_, "0.5", 0.5 + 0j, np.complex128(0.5), np.array([0.5])])
def test_what_is_no_number_is_refused(value: object) -> None:
    assert_refused("must be a number", costproof.Provider, "a", value, 3)


@pytest.mark.for_each("value", [True, np.True_, 5e4, np.float64(5e4), "50000"])
def test_what_is_no_whole_number_is_no_horizon(value: object) -> None:
    assert_refused("must be a whole number", costproof.bounds, OF_NUMPY, horizon=value)


def test_the_version_is_that_of_the_distribution() -> None:
    assert costproof.__version__ == importlib.metadata.version("costproof")


@pytest.mark.for_each("door", [strategies, testing])
def test_every_public_name_is_there(door: Any) -> None:
    assert all(getattr(door, name) is not None for name in door.__all__)
    assert set(door.__all__) <= set(dir(door))
    assert costproof.__getattr__(door.__name__.rpartition(".")[2]) is door


@pytest.mark.for_each("name", CORRECT)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(history=strategies.histories(bidding="arbitrary", horizon=(1, 60)))
def test_right_mechanisms_break_no_rule(name: str, history: Any) -> None:
    assert testing.broken_rules(testing.play(CORRECT[name], history)) == []


@pytest.mark.for_each(
    ("name", "rule"),
    [("FirstPrice", "critical-payment"), ("NeverExplores", "exploration-set"), ("LargestIndexWins", "index-minimizer")],
)
def test_wrong_mechanisms_break_a_rule_of_some_history(name: str, rule: str) -> None:
    def breaks(history: Any) -> bool:
        broken = testing.broken_rules(testing.play(MUTANTS[name].factory, history))
        return any(each.rule == rule and each.expected != each.found for each in broken)

    assert any(map(breaks, drawn(strategies.histories(horizon=(20, 60)), 30)))


def test_a_call_that_fails_is_named() -> None:
    def halting(config: MechanismConfig, rng: Any) -> Any:
        raise RuntimeError("no such market")

    history = drawn(strategies.histories(), 1)[0]
    with pytest.raises(testing.MechanismError, match=r"factory\(config, rng\) raised RuntimeError: no such market"):
        testing.play(halting, history)


def test_checks_are_functions() -> None:
    assert testing.check_names() == list(ALL_CHECKS)
    assert "lone-payment" in testing.check_names("rules")
    testing.assert_passes(reference_mechanism, "lone-payment", "initialization-payment", effort=testing.QUICK)
    with pytest.raises(testing.ConformanceError, match=r"critical-payment .*paid 0.*, expected"):
        testing.assert_passes(MUTANTS["FirstPrice"].factory, "critical-payment", effort=testing.QUICK, explain=False)
    reasons = {"critical-payment": "first price"}
    testing.assert_passes(
        MUTANTS["FirstPrice"].factory, *reasons, effort=testing.QUICK, explain=False, expected_failures=reasons
    )


def test_a_check_that_compares_nothing_passes_nothing() -> None:
    with pytest.raises(testing.ConformanceError, match="lone-payment"):
        testing.assert_passes(reference_mechanism, "lone-payment", domain="eligible=2..", effort=testing.QUICK)


def test_a_mechanism_that_answers_nothing_does_not_pass_the_machine() -> None:
    def unwritten(config: MechanismConfig, rng: Any) -> Any:
        raise NotImplementedError("to be written")

    quick = settings(max_examples=5, database=None)
    with pytest.raises((FailedHealthCheck, Unsatisfiable)):
        run_state_machine_as_test(testing.mechanism_machine(unwritten), settings=quick)


def test_the_mean_of_equal_costs_is_no_larger() -> None:
    """Three costs of 102.4 have a mean of 102.40000000000002 in doubles."""
    config = MechanismConfig(2, 0.5, 0.05, 102.4, 1.0, 0.5)
    scenario = Scenario(config, 0, ((Query(1.0, 102.4),) * 3, (Query(1.0, 0.0),)), horizon=3)
    assert scenario.setting.providers[0].mean_cost == 102.4


def test_names_that_are_none_are_refused() -> None:
    assert_refused("family='loan' is unknown: did you mean lone", strategies.scenarios, "loan")
    with pytest.raises(InputError, match="bidding='truthfully' must be one of truthful, bayesian"):
        drawn(strategies.histories(bidding="truthfully"), 1)
