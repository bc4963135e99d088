"""The kernel's own arithmetic, and that comparing it with the plain episode would catch a kernel that is wrong.

The mutants run as plain Python, without Numba: the source of the kernel is also valid Python.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from mechanism.compiled import episode as compiled, kernel
from mechanism.market.provider import in_band, stratified
from mechanism.market.questions import permutation
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import POLICIES
from mechanism.randomness import squares64, uniform_index
from mechanism.trace import Trace
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, tally_differences, trace_differences

WORDS = st.integers(0, 2**64 - 1)
DRAWS = st.integers(0, 2**62 - 1)
SOURCE = Path(kernel.__file__).read_text(encoding="utf-8")


@given(WORDS, WORDS)
@example(2**64 - 1, 2**64 - 1)
@example(2**63 + 1, 2**32)
def test_squares_are_those_of_the_plain_market(key: int, counter: int) -> None:
    assert kernel.squares(np.uint64(key), np.uint64(counter)) == squares64(key, counter)


@given(WORDS, st.one_of(st.integers(1, 2**20), st.sampled_from([1, 2, 3, 2**20])))
@example(2**64 - 1, 2**20)
def test_uniform_indices_are_those_of_the_plain_platform(bits: int, size: int) -> None:
    assert kernel.uniform_index(np.uint64(bits), size) == uniform_index(bits, size)


@given(DRAWS, DRAWS, st.integers(0, 16))
@example(2**62 - 1, 0, 16)
@example(2**62 - 1, 2**62 - 1, 0)
def test_bands_are_those_of_the_plain_market(common: int, fresh: int, bits: int) -> None:
    assert kernel.in_band(np.uint64(common), np.uint64(fresh), np.uint64(bits)) == in_band(common, fresh, bits)


@given(st.one_of(st.integers(1, 2**20), st.sampled_from([1, 2, 3, 4, 2**20])), st.data(), DRAWS)
def test_strata_are_those_of_the_plain_market(questions: int, data: st.DataObject, fresh: int) -> None:
    for question in (0, questions - 1, data.draw(st.integers(0, questions - 1))):
        assert kernel.stratified(question, questions, np.uint64(fresh)) == stratified(question, questions, fresh)


@given(WORDS, st.sampled_from([1, 2, 3, 7, 100]), st.integers(0, 10**6))
def test_shuffles_are_those_of_the_plain_pool(key: int, size: int, number: int) -> None:
    order = np.full(size, -1, dtype=np.int64)
    kernel.shuffle(order, np.uint64(key), number)
    assert order.tolist() == permutation(key, size, number).tolist()


def wrong_runners_up(module: types.ModuleType, n: int) -> list[str]:
    """Return where a tournament of few different entries says another runner-up than a look at all of them."""
    rng = np.random.default_rng(n)
    tournament, entries, wrong = compiled.tournament(n), np.full(n, np.inf), []
    for change in range(1000):
        provider, champion = (int(place) for place in rng.integers(n, size=2))
        entries[provider] = rng.choice([0.25, 0.5, 0.75, np.inf])
        module.enter(tournament, provider, entries[provider])
        others = np.where(np.arange(n) == champion, np.inf, entries)
        right = int(np.argmin(others)) if others.min() < np.inf else -1
        found = module.runner_up(tournament, champion)
        wrong += [] if found == (right, others.min()) else [f"runner-up {change}"]
    return wrong


def wrong_members(module: types.ModuleType, n: int) -> list[str]:
    """Return where a set counts or finds its members other than a list of them does."""
    rng = np.random.default_rng(n)
    chosen, inside, wrong = compiled.provider_set(n), rng.random(n) < rng.random(), []
    for provider in np.flatnonzero(inside):
        chosen.words[provider >> 6] |= np.uint64(1) << np.uint64(provider & 63)
    wrong += [] if module.count_members(chosen) == inside.sum() else ["size"]
    for change in range(300):
        provider = int(rng.integers(n))
        inside[provider] = not inside[provider]
        module.flip(chosen, provider)
        members = np.flatnonzero(inside)
        for rank in {0, len(members) // 2, len(members) - 1} if len(members) else ():
            wrong += [] if module.member(chosen, rank) == members[rank] else [f"member {change}"]
    return wrong


@pytest.mark.for_each("n", [1, 9, 16, 17, 300, 5000])
def test_the_runner_up_is_the_least_of_the_others(n: int) -> None:
    assert wrong_runners_up(kernel, n) == []


@pytest.mark.for_each("n", [1, 9, 64, 65, 1024, 1025, 40_000])
def test_members_are_those_of_a_list(n: int) -> None:
    assert wrong_members(kernel, n) == []


#: What a mutant of their functions is shown by, where no short episode has so many providers.
STRUCTURES: dict[str, Callable[[types.ModuleType], list[str]]] = {
    "tournament": lambda module: wrong_runners_up(module, 300),
    "set": lambda module: wrong_members(module, 40_000),
}

#: Where it is noticed, what is replaced, and by what.
MUTANTS = {
    "streak: ties lost by the lower index": (
        "ties after streaks",
        "rules.cost_radii, rival_entry, provider < rival)",
        "rules.cost_radii, rival_entry, rival < provider)",
    ),
    "ties go to the challenger": (
        "ties after streaks tree",
        "if ahead(rival_entry, rival, leading, champion):",
        "if rival_entry <= leading:",
    ),
    "scan takes the last of equals": ("ties", "if entries[k] < least and", "if entries[k] <= least and"),
    "tree takes the last of equals": (
        "ties tree",
        "beaten = ahead(other, other_leader, value, leader)",
        "beaten = ahead(other, leader, value, other_leader)",
    ),
    "runner-up is the last of equals": (
        "ties tree",
        "closer = ahead(other, other_leader, least, found)",
        "closer = ahead(other, found, least, other_leader)",
    ),
    "tree keeps the leader that was": (
        "tournament",
        "entries[place] == value and leaders[place] == leader:",
        "entries[place] == value:",
    ),
    "tree keeps what is above": ("tournament", "entries[place] == value and leaders[place] == leader:", "True:"),
    "champion not replaced": (
        "usual",
        "if ahead(rival_entry, rival, leading, champion):",
        "if ahead(rival_entry + 0.05, rival, leading, champion):",
    ),
    "runner-up not looked up again": (
        "usual",
        "if (provider == champion) | (provider == rival) | ahead(",
        "if (provider == champion) | ahead(",
    ),
    "who overtakes the runner-up is not": (
        "usual",
        "(provider == rival) | ahead(entry, provider, rival_entry, rival):",
        "(provider == rival):",
    ),
    "runner-up from the matches of another": (
        "usual",
        "runner_up(state.tournament, champion)",
        "runner_up(state.tournament, provider)",
    ),
    "who overtakes both does not lead": ("usual", "elif ahead(entry, provider, leading, champion):", "elif False:"),
    "target does not rise": ("usual", "rules.rises[target] <= step:", "rules.rises[target] < step:"),
    "streak: payment of the count after": (
        "usual",
        "capped_sums(rules.cost_radii, first, rival_entry,",
        "capped_sums(rules.cost_radii, first + _U1, rival_entry,",
    ),
    "streak: payment not capped": ("alone", "rival_entry, cap, block.payments", "rival_entry, np.inf, block.payments"),
    "streak: screens with the radius before": (
        "usual",
        "first + _U1, rules.radii, threshold)",
        "first + _U1, np.roll(rules.radii, 1), threshold)",
    ),
    "streak: index with the radius before": (
        "usual",
        "steps_ahead(block.bids, at, first + _U1, rules.cost_radii,",
        "steps_ahead(block.bids, at, first, rules.cost_radii,",
    ),
    "streak: bids one late": (
        "usual",
        "bids += bid + total(block.bids, served - 1)",
        "bids += total(block.bids, served)",
    ),
    "payment not capped": ("alone", "payment = critical if critical < payment else payment", "payment = critical"),
    "payment from another's radius": (
        "usual",
        "served = np.uint64(state.books[np.uint64(provider) * _BOOK_LENGTH + _SELECTIONS])",
        "served = np.uint64(state.books[np.uint64(rival) * _BOOK_LENGTH + _SELECTIONS])",
    ),
    "index with the radius before": (
        "usual",
        "return bid - rules.cost_radii[count] if able",
        "return bid - rules.cost_radii[count - 1] if able",
    ),
    "screens with the radius before": (
        "screened while explored",
        "radius, estimate = rules.radii[count], score_sum",
        "radius, estimate = rules.radii[count - _U1], score_sum",
    ),
    "screened out but left to explore": (
        "screened while explored",
        "(not able or count >= target)",
        "(count >= target)",
    ),
    "explored once too often": ("usual", "(not able or count >= target)", "(not able or count > target)"),
    "explored once too seldom": ("usual", "if count >= target:\n", "if count + 1 >= target:\n"),
    "streak runs into exploration": (
        "usual",
        "last = min(stop, rules.rises[least] - 1)",
        "last = min(stop, rules.rises[least])",
    ),
    "never refilled": ("usual", "if target > least:", "if target > least + 1:"),
    "who comes back is not explored": (
        "eligible again",
        "least, rise = min(least, count), 0",
        "least, rise = min(least, count), rise",
    ),
    "nobody comes back": ("eligible again", "eligible += 1 if able else -1", "eligible += 0 if able else -1"),
    "draws with another key": (
        "usual",
        "squares(keys.draws, np.uint64(step))",
        "squares(keys.outcomes, np.uint64(step))",
    ),
    "draws with another step": (
        "usual",
        "squares(keys.draws, np.uint64(step))",
        "squares(keys.draws, np.uint64(step - 1))",
    ),
    "serves another order": ("usual", "provider = keys.order[step - 1]", "provider = keys.order[n - step]"),
    "empty case leaves one out": ("hopeless", "drawn_place(keys, step, n)", "drawn_place(keys, step, n - 1)"),
    "choices not looked up again": ("uniform", "size = size if rules.auctions else 0", "size = size"),
    "cheapest among all": ("cheapest", "if state.able[i] or not anybody:", "if True:"),
    "set's members swapped": ("uniform", "nth_one(chosen.words[place], rank)", "nth_one(chosen.words[place], 0)"),
    "set's words swapped": ("seventy", "rank -= chosen.sums[first + child]", "rank -= chosen.sums[first]"),
    "set's sums not kept": ("seventy", "    add_members(chosen, place, change)\n", "    pass\n"),
    "set's groups not summed": ("set", "        place >>= _U4\n", "        return\n"),
    "drawn ahead by another step": (
        "usual",
        "drawn_place(keys, step + pending, size)",
        "drawn_place(keys, step, size)",
    ),
    "who stays to explore is not drawn among": (
        "always exploring",
        "give_back(state.chosen, state.ahead, head - 1, pending + 1)",
        "give_back(state.chosen, state.ahead, head, pending)",
    ),
    "drawn ahead and kept when the target rises": (
        "many",
        "                        pending = np.int64(0)\n                        least = refill(",
        "                        least = refill(",
    ),
    "streak: sure too soon": (
        "usual",
        "min(cost_sum / (first + _U1), bound) - rules.cost_radii[last] < rival_entry",
        "min(cost_sum / last, bound) - rules.cost_radii[first] < rival_entry",
    ),
    "streak: eligible too surely": (
        "alone",
        "score_before / last + rules.radii[last] >= threshold",
        "score_before / first + rules.radii[first] >= threshold",
    ),
    "margin forgotten": ("uniform", "payment = cost * (1 + laws.margin)", "payment = cost"),
    "pool not shuffled again": (
        "pool",
        "if run.laws.questions > 0 and (step - 1) % run.laws.questions == 0:",
        "if run.laws.questions > 0 and step == 1:",
    ),
    "recorded: last of equal rewards": ("recorded", "if reward > highest:", "if reward >= highest:"),
    "recorded: candidates with replacement": (
        "recorded",
        "                place = earlier\n",
        "                pass\n",
    ),
    "recorded: swaps followed in their order": ("recorded", "earlier = draw - 1 - back", "earlier = back"),
    "recorded: another model's": (
        "recorded",
        "first = laws.rows[row + _SCORE_LAW] + question * samples",
        "first = question * samples",
    ),
    "recorded: another's costs": (
        "recorded",
        "laws.rows[row + _SAMPLES], laws.rows[row + _FIRST_TOTAL]",
        "laws.rows[row + _SAMPLES], 0",
    ),
    "recorded: questions in order": (
        "recorded",
        "recorded(laws, order[(step - 1) % laws.questions],",
        "recorded(laws, (step - 1) % laws.questions,",
    ),
    "recorded: laws in streaks": (
        "recorded",
        "laws.rows[row + _MULTIPLICITY] > 1 or laws.rows[row + _SAMPLES] > 0",
        "laws.rows[row + _MULTIPLICITY] > 1",
    ),
    "deviation not clipped below": ("deviating", "if bid < 0.0:", "if bid < -1.0:"),
    "deviation not clipped above": ("deviating", "return min(bid, bidders.cap[provider])", "return bid"),
    "deviation drawn by another count": (
        "deviating",
        "squares(key, np.uint64(count))",
        "squares(key, np.uint64(count - 1))",
    ),
    "prior forgotten": (
        "bayesian",
        "state.bids[row + _BID_SUM] = bidders.prior_sum[i]",
        "state.bids[row + _BID_SUM] = 0.0",
    ),
    "books not cleared between runs": ("usual", "state.books[:] = 0.0", "pass"),
    "totals of exploration among the others": (
        "usual",
        "if kind == EXPLORATION:\n        books",
        "if kind == INITIALIZATION:\n        books",
    ),
    "violations not counted": ("other laws than stated", "state.overall[_UNBOUNDED] += unbounded", "pass"),
    "estimates in bands too surely": (
        "other laws than stated",
        "band = rules.radii[last] * BAND_TOLERANCE\n    least, most",
        "band = 9 * rules.radii[last] * BAND_TOLERANCE\n    least, most",
    ),
    "payments in bounds too surely": (
        "other laws than stated",
        "payments[0] > second + width or payments[end] < mean_cost - width",
        "payments[end] > second + 9 * width",
    ),
    "excess forgotten": ("usual", "if block.payments[0] > second or", "if block.payments[0] > 9 * second or"),
    "eligible after the step": ("screened while explored", "before = eligible if step > n else n", "before = n"),
}


def pure(source: str, **known: object) -> types.ModuleType:
    """Return the kernel, or what is built on it, as plain Python, from its (mutated) source and names it is given."""
    without = [line for line in source.splitlines() if line not in ("@_compile", "@inline")]
    module = types.ModuleType("mutant")
    vars(module).update(known)
    exec(compile("\n".join(without), "mutant", "exec"), module.__dict__)
    return module


def short(name: str) -> Episode:
    """Return a named episode, no longer than plain Python can play twice in a moment."""
    named = NAMED[name]
    horizon = min(named.horizon, {"eligible again": 900, "hopeless": 600}.get(name, 300))
    return replace(named, horizon=horizon, checkpoints=tuple(step for step in named.checkpoints if step <= horizon))


EXPECTED: dict[str, tuple[Trace, Tally]] = {}


def found(name: str, monkeypatch: pytest.MonkeyPatch, source: str) -> list[str]:
    """Return how the runs of a kernel's source differ from the plain ones, a second run in the same call included."""
    if name in STRUCTURES:
        try:
            return STRUCTURES[name](pure(source))
        except IndexError as error:
            return [type(error).__name__]
    one = short(name)
    if name not in EXPECTED:
        trace = one.plain()
        EXPECTED[name] = trace, tally_of(one.setting, trace, one.checkpoints, POLICIES[one.policy])
    trace, tally = EXPECTED[name]
    monkeypatch.setattr(compiled, "run_episodes", pure(source).run_episodes)
    with np.errstate(all="ignore"):
        try:
            wrong = trace_differences(trace, one.compiled_trace())
            return wrong or tally_differences(tally, one.compiled_tallies([one.run + 1, one.run])[1])
        except (IndexError, InputError, OverflowError) as error:  # a place or a number that no run has
            return [type(error).__name__]


def test_the_kernel_runs_as_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a mutant differs by its mutation and not by the way it is run."""
    for name in sorted({mutant[0] for mutant in MUTANTS.values()}):
        assert found(name, monkeypatch, SOURCE) == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_kernel_is_noticed(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, right, wrong = MUTANTS[mutant]
    assert SOURCE.count(right) == 1, "the text that this mutant replaces has changed"
    assert found(name, monkeypatch, SOURCE.replace(right, wrong)) != []
