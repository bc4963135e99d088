"""The engines that run, the programs that Coq extracts from Rules.v, and Coq: what one says of a query, all say."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mechanism import rules
from mechanism.delays import DelayLaw
from mechanism.metrics.tally import ProviderField
from mechanism.replay import Replay
from mechanism.tables import goal_table, radius_table
from proofs_checks.proofs.kernel.coq import KernelError, check_file
from proofs_checks.proofs.kernel.theorems import sources
from tests.proofs_checks.proofs import extracted_rules as kernel
from tests.proofs_checks.proofs.kernel_auctions import EXACT, Answer, auctions, by_kernel, by_rules, in_coq
from tests.proofs_checks.proofs.kernel_engines import ALL_CASES, CASES, CHANGES, ENGINES, of_trace, seen
from tests.proofs_checks.proofs.kernel_extraction import PRINTED, extract, loaded, printed
from tests.proofs_checks.proofs.kernel_mutants import rule_mutants
from tests.proofs_checks.proofs.kernel_replay import Enclosed, enclosed, judged, of_replay
from tests.proofs_checks.proofs.kernel_runs import Case, late_runs, runs

#: How many steps the enclosures may leave open, of all: there were none when this was written.
_UNDECIDED = 1 / 1000


def _kinds(answers: list[Answer]) -> Counter[str]:
    found = Counter(one.kind for one in answers)
    found["tie"] = sum(one.kind == "auction" and len(one.candidates) > 1 for one in answers)
    found["alone"] = sum(one.kind == "auction" and len(one.eligible) == 1 for one in answers)
    return found


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.long("ten thousand queries"))])
def test_the_rules_say_what_the_kernel_says(number: int) -> None:
    queries = auctions(number, seed=number)
    answers = [by_kernel(query) for query in queries]
    assert [by_rules(query, rules) for query in queries] == answers
    assert {len(query.counts) for query in queries} == set(range(2, 9))
    assert min(_kinds(answers)[each] for each in ("auction", "exploration", "empty", "tie", "alone")) > 0.03 * number


#: Two cases for the first tier.
FEW = (Case(market="alone", horizon=60), Case(market="equal costs", horizon=50, delay=DelayLaw(most=5, least=0)))


@pytest.mark.parametrize("cases", [FEW, pytest.param(ALL_CASES, marks=pytest.mark.long("runs every case"))])
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_says_what_the_kernel_says(name: str, cases: Sequence[Case]) -> None:
    module, differences = ENGINES[name]
    assert list(differences(module, cases)) == []


def test_a_compiled_run_is_what_the_kernel_says() -> None:
    for case in (CASES[0], CASES[2], Case(market="gpqa-strong", policy="lowest-price-eligible", horizon=100)):
        assert list(of_trace(case, case.compiled())) == []


@pytest.mark.for_each("change", [change for change in CHANGES if change.engine == "rules"])
def test_a_change_of_the_rules_is_seen(change):
    assert seen(change)


@pytest.mark.long("runs an engine for each change")
@pytest.mark.parametrize("change", [change for change in CHANGES if change.engine != "rules"], ids=str)
def test_a_change_of_an_engine_is_seen(change) -> None:
    assert seen(change)


@pytest.mark.long("judges every step of a hundred runs")
def test_every_step_of_a_hundred_runs_is_what_the_kernel_says(record_property: Callable[[str, object], None]) -> None:
    cases, kinds = list(runs()), Counter[str]()
    assert len(cases) >= 100
    assert {case.policy for case in cases} >= {"platform", "uniform-eligible", "lowest-price", "no-quality-filter"}
    for case in cases:
        trace = case.compiled()
        assert list(of_trace(case, trace)) == [], str(case)
        said = case.judged(trace)
        kinds.update("undecided" if one is None else one.kind for one in said)
        if case.policy != "platform":
            continue
        assert of_replay(Replay(case.config, trace), said) == [], str(case)
        if None not in said:
            explored = [
                int(p) for p, one in zip(trace.provider, said, strict=True) if one and one.kind == "exploration"
            ]
            counted = case.tally().provider(ProviderField.EXPLORATIONS)
            assert np.bincount(explored, minlength=len(counted)).tolist() == counted.tolist(), str(case)
    record_property("steps", dict(kinds))
    assert kinds["undecided"] <= _UNDECIDED * kinds.total(), kinds
    assert min(kinds[kind] for kind in ("auction", "exploration", "empty")) > 2_500


@pytest.mark.long("judges every step of runs with late feedback")
def test_every_step_with_queries_in_flight_is_what_the_kernel_says() -> None:
    for case in late_runs():
        trace = case.plain()
        assert list(of_trace(case, trace)) == [], str(case)
        assert of_replay(Replay(case.config, trace), case.judged(trace)) == [], str(case)


def test_a_step_that_the_ends_leave_open_is_counted() -> None:
    case = CASES[-1]
    trace = case.plain()
    coarse = Enclosed(config=case.config, rounding=Fraction(1, 100))
    assert 0 < list(judged(trace, coarse)).count(None) < len(trace)
    assert None not in judged(trace, enclosed(case.config))


@pytest.mark.for_each("market", ["gpqa-strong", "gsm8k-full", "exploration", "two", "costs 0 and 1"])
def test_the_ends_enclose_what_the_program_computes(market):
    config = Case(market=market).config
    radii = radius_table(config.n_providers, config.confidence)
    goals = goal_table(config.n_providers, config.exploration_scale, config.exploration_exponent)
    for at in (1, 2, 3, 17, 64, 500, 10**6):
        (low, high), (below, above) = enclosed(config).beta(at), enclosed(config).goal(at)
        assert low < Fraction(radii[at]) < high
        assert high - low < high / 10**12
        assert below <= above < below * (1 + Fraction(1, 10**20))
        assert abs(Fraction(goals[at]) - below) < below / 10**12


def test_a_whole_goal_is_exact() -> None:
    ends = enclosed(Case(market="gpqa-strong").config).goal(64)
    assert ends[0] == ends[1] == 16
    ends = enclosed(Case(market="gpqa-strong").config).goal(63)
    assert ends[0] < ends[1]


def test_the_kernel_permits_its_own_logs() -> None:
    """The programs over whole logs, with rational radii: each query goes to one that may serve, or is refused."""
    numbers = (EXACT, lambda m: Fraction(1, 2 * m), lambda m: Fraction(1, m), lambda t: Fraction(t, 6), Fraction(1, 2))
    log: tuple[kernel.Build_query, ...] = ()
    tallies = (kernel.unheard(EXACT),) * 3
    for step in range(1, 25):
        serving = kernel.may_serve(*numbers, step, tallies)
        others = set(range(3)) - set(serving)
        query = kernel.Build_query(serving[-1], Fraction(step % 3, 2), Fraction(step % 5, 4))
        for other in others:
            assert not kernel.permitted(*numbers, 3, (query._replace(server=other), *log))
        price = kernel.price(*numbers, Fraction(2), step, tallies, serving[0])
        assert tallies[serving[0]].standing <= price <= 2
        log, tallies = (query, *log), kernel.settled(EXACT, tallies, query)
        assert kernel.permitted(*numbers, 3, log)
        assert kernel.after(EXACT, 3, log) == tallies
    served = Counter(query.server for query in log)
    assert [tally.served for tally in tallies] == [served[i] for i in range(3)]
    assert tallies[1].scores == sum(query.score for query in log if query.server == 1)


@pytest.mark.coq
def test_the_printed_programs_are_those_that_coq_extracts(tmp_path: Path) -> None:
    assert printed(extract(tmp_path, sources()["Rules.v"])) == PRINTED.read_text(encoding="utf-8")


@pytest.mark.coq
def test_coq_computes_what_the_printed_programs_say(tmp_path: Path) -> None:
    queries = auctions(1_000, seed=2)
    answers = [by_kernel(query) for query in queries]
    check_file(tmp_path, "Rules.v", sources()["Rules.v"])
    check_file(tmp_path, "Same.v", in_coq(zip(queries, answers, strict=True)))
    other = answers[0]._replace(candidates=())
    with pytest.raises(KernelError):
        check_file(tmp_path, "Other.v", in_coq([(queries[0], other)]))


@pytest.mark.coq
def test_a_rule_changed_in_coq_is_seen_in_what_it_extracts(tmp_path: Path) -> None:
    queries = auctions(300, seed=4)
    answers = [by_rules(query, rules) for query in queries]
    unseen = []
    for mutant in _mutants_of_auctions():
        module = loaded(printed(extract(tmp_path, mutant.text)))
        if [by_kernel(query, module) for query in queries] == answers:
            unseen.append(str(mutant))
    assert unseen == []


def _mutants_of_auctions() -> Iterator[object]:
    rules_of_queries = list(itertools.takewhile(lambda one: one.sentence != "told", _of_rules()))
    assert len(rules_of_queries) >= 10
    yield from rules_of_queries


def _of_rules() -> Iterator[object]:
    return (mutant for mutant in rule_mutants(sources()) if mutant.file == "Rules.v")
