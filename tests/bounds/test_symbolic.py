"""The formulas as SymPy expressions: their values, enclosures and derivatives, and what SymPy does with them."""

import contextlib
import itertools
import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from bounds.errors import InputError
from bounds.language.arithmetic import rigorous
from bounds.language.computed import rests_on_search
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.report import BoundsReport, evaluate_bounds
from bounds.setting.model import Setting
from bounds.symbolic.enclosing import enclose, substitutions
from bounds.symbolic.printing import latex
from bounds.symbolic.symbols import Found, LargestOf, symbols
from bounds.symbolic.unfolding import formula_names
from bounds.symbolic.verbs import derivatives, symbolic
from tests.bounds import by_hand
from tests.bounds.test_evaluation import drawn
from tests.refusals import assert_refused

STRONG = published("gpqa-strong").setting
T, N, delta, alpha, x, m = sympy.symbols("T N delta alpha x m")
MAIN_TEXT = {symbols.gamma: 0, symbols.d_minus: 0, symbols.d_plus: 0}


def numbers_of(report: BoundsReport) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a report that formulas state, by the keys of the JSON."""
    named: dict[str, Any] = {name: getattr(report, name) for name in ("identification_bound", "burn_in")}
    named |= {"exploration_cap": report.exploration_cap, "exploration_steps_bound": report.exploration_steps_bound}
    named |= {name: getattr(report, name) for name in ("sum_quality_selection_bounds", "sum_cost_selection_bounds")}
    named["main_text.identification_bound"] = report.main_text["identification_bound"]
    for name, bound in report.bounds.items():
        named |= {name: bound.value, **{f"{name}.{part}": value for part, value in bound.parts.items()}}
    yield from ((name, value) for name, value in named.items() if value is not None)


#: Numbers that no rounding of doubles touches.
COUNTS = {"identification_bound", "exploration_cap", "sum_quality_selection_bounds", "sum_cost_selection_bounds"}


def check_numbers(setting: Setting, horizon: int, method: str) -> int:
    """Hold substituted expressions and enclosures to a report: exactly where it counts, else to 1e-12."""
    known, compared, rounding = substitutions(setting, horizon), 0, Fraction(1, 10**12)
    for name, printed in numbers_of(evaluate_bounds(setting, horizon, method)):
        if not setting.qualified and method != "paper" and name == "exploration_steps_bound":
            continue  # a sum over the unqualified, whose counts nothing bounds here
        expression = symbolic(name, setting, method=method)
        found = expression.xreplace(known)
        box = enclose(expression, setting, horizon=horizon)
        if name in COUNTS and printed < 2**53:
            assert found == printed, (name, found, printed)
            assert (box.lower, box.upper, box.exact.width) == (printed, printed, 0)
        assert math.isclose(float(found), printed, rel_tol=1e-12), (name, found, printed)
        assert box.exact.lower <= Fraction(printed) * (1 + rounding), (name, box, printed)
        assert box.exact.upper >= Fraction(printed) * (1 - rounding), (name, box, printed)
        assert box.upper <= math.nextafter(math.nextafter(box.lower, math.inf), math.inf)
        compared += 1
    return compared


@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_a_published_market(method: str) -> None:
    assert check_numbers(STRONG, 70_000, method) >= 13


@pytest.mark.long("makes 40 reports for each method")
@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_random_settings(method: str) -> None:
    """What one setting of seventeen shows is met in 40 with a probability of 0.91."""
    columns = drawn(np.random.default_rng(11), 40)
    assert sum(check_numbers(columns.setting(row), int(columns.horizon[row]), method) for row in range(40)) > 400


def check_derivatives(setting: Setting, horizon: int, name: str, method: str, part: int) -> int:
    """Hold the derivatives in each fifth symbol to central differences of 50 digits; return how many."""
    expression = symbolic(name, setting, method=method, smooth=True)
    assert not expression.has(Found)
    known = {str(key): value for key, value in substitutions(setting, horizon).items() if key.is_Symbol}
    function = sympy.lambdify(list(map(sympy.Symbol, known)), expression, "mpmath")
    by = sorted(map(str, expression.free_symbols))[part::5]
    found = derivatives(name, *by, market=setting, horizon=horizon, method=method)
    for symbol, box in found.items():
        with mpmath.workdps(50):
            at = {each: value._to_mpmath(200) for each, value in known.items()}
            step = mpmath.mpf(10) ** -16 * (at[symbol] or 1)
            ends = [function(*{**at, symbol: at[symbol] + move}.values()) for move in (-step, step)]
            slope = mpmath.re(ends[1] - ends[0]) / (2 * step)
            near = abs(slope) / 10**12 + abs(ends[0] / (at[symbol] or 1)) / 10**15
            assert box.lower - near <= slope <= box.upper + near, (name, symbol, box, slope)
    return len(found)


@pytest.mark.parametrize(("name", "method"), [("B_id", "paper"), ("generation_regret", "sharp")])
def test_derivatives_of_a_published_market(name: str, method: str) -> None:
    assert check_derivatives(STRONG, 70_000, name, method, part=0) >= 2


@pytest.mark.long("differentiates for 60 settings, with 50 digits")
def test_derivatives_of_random_settings() -> None:
    """Each fifth of the symbols of each bound, by both methods."""
    columns, compared = drawn(np.random.default_rng(12), 60), 0
    names = ("B_id", "quality_regret", "generation_regret", "excess_payment", "average_payment_deviation", "T_0")
    asked = itertools.cycle(itertools.product(names, ("paper", "sharp")))
    for row, (name, method) in zip(range(60), asked, strict=False):
        setting, horizon = columns.setting(row), max(int(columns.horizon[row]), columns.base.n_providers + 1)
        with contextlib.suppress(InputError):  # an assumption fails, or T is below T_0 and the bound has no value
            compared += check_derivatives(setting, horizon, name, method, part=row % 5)
    assert compared > 45


def test_the_step_of_a_maximum_is_enclosed() -> None:
    with rigorous(64) as arithmetic:
        step, third = arithmetic.functions["heaviside"], arithmetic.array(Fraction(1, 3))
        wide = arithmetic.functions["multiply"](third, arithmetic.array(3)).item() - 1
        ends = [arithmetic.enclosure(step(arithmetic.array(at)).item()) for at in (-1, 2, wide)]
    assert [(each.lower, each.upper) for each in ends[:2]] == [(0, 0), (1, 1)]
    assert -Fraction(1, 10**8) < ends[2].lower <= 0 < 1 <= ends[2].upper < 1 + Fraction(1, 10**8)
    tie = sympy.Max(T, N).diff(T)
    assert enclose(tie, T=3, N=3).lower <= 0 < 1 <= enclose(tie, T=3, N=3).upper
    assert enclose(sympy.ceiling(tie), T=3, N=3).exact.lower == 1


def test_every_name_gives_an_expression_in_the_papers_symbols() -> None:
    bases = {symbols.eps, symbols.Delta, symbols.q, symbols.c}
    letters = {getattr(symbols, name) for name in dir(symbols)} | {base.label for base in bases}
    for name, formula in formula_names().items():
        if not rests_on_search(every_formula()[formula]):
            found = {str(each) for each in symbolic(name).free_symbols - letters if not isinstance(each, sympy.Indexed)}
            assert found <= {"served_cost", "prior_strength", "prior_spread"}  # the paper has no letter for these
    assert symbolic("M") == sympy.ceiling(4 / x**2 * sympy.log(57 * N / (delta * x**4)))
    assert symbolic("g") == symbols.k * (symbols.t / N) ** alpha
    assert symbolic("identification") == symbolic("B_id") == symbolic("identification_bound")


@pytest.mark.parametrize("name", ["B_id", "T_0", "quality_regret", "average_payment_deviation"])
def test_an_unknown_roster_becomes_the_market_when_its_numbers_are_put_in(name: str) -> None:
    known = substitutions(STRONG, 70_000)
    open_roster, written = symbolic(name), symbolic(name, STRONG)
    assert open_roster.atoms(sympy.Sum, LargestOf)
    assert open_roster.subs(known).doit().subs(known) == written.subs(known)
    assert enclose(open_roster, STRONG, horizon=70_000) == enclose(written, STRONG, horizon=70_000)


def test_parameters_of_the_platform_stay_symbols() -> None:
    names = set(map(str, symbolic("B_id", STRONG).free_symbols))
    assert names == {"N", "T", "delta", "k", "alpha", "gamma", "c_max", "q_min", "d_minus", "d_plus"}


def test_each_provider_has_its_own_bound() -> None:
    found, known = symbolic("elimination_bound", STRONG), substitutions(STRONG)
    assert {name: each.subs(known) for name, each in found.items()} == {"Qwen2-0.5B": 8074, "Llama-3.2-1B": 62113}
    assert {name: each.subs(known) for name, each in symbolic("L", STRONG).items()} == {"Qwen2.5-7B": 6659}


@pytest.mark.parametrize("method", ["paper", "sharp"])
def test_a_smooth_bound_lies_within_one_per_rounding(method: str) -> None:
    rounded, smooth = (symbolic("B_id", STRONG, method=method, smooth=each) for each in (False, True))
    assert rounded.has(sympy.ceiling, sympy.floor)
    assert not smooth.has(sympy.ceiling, sympy.floor)
    ends = [enclose(each, STRONG, horizon=70_000).lower for each in (rounded, smooth)]
    assert 0 < abs(ends[0] - ends[1]) < 3


def test_sympys_own_operations() -> None:
    market = symbolic("B_id", STRONG, smooth=True)
    known = substitutions(STRONG, 70_000)
    assert market.diff("delta") == market.diff(delta) != 0
    assert market.subs("T", 1000) == market.subs(T, 1000) == market.subs({"T": 1000})
    with pytest.raises(sympy.SympifyError):  # a function of SymPy's own has this name
        market.diff("N")
    assert market.diff(N) != 0
    assert market.diff(symbols.gamma) != 0
    series = symbolic("M", smooth=True).series(delta, 1, 2)
    assert series.removeO().subs(delta, 1) == symbolic("M", smooth=True).subs(delta, 1)
    assert symbolic("B_id", smooth=True).diff("delta").atoms(sympy.Sum)
    values = {key: value for key, value in known.items() if key != delta}
    over_delta = sympy.lambdify(delta, symbolic("B_id", STRONG).xreplace(values))
    assert over_delta(np.array([0.01, 0.05])).tolist() == [over_delta(0.01), 76846]
    sharp = sympy.lambdify(delta, symbolic("B_id", STRONG, method="sharp").xreplace(values), "mpmath")
    assert sharp(0.05) == 49134


@pytest.mark.parametrize("name", ["B_id", "generation_regret", "quality_regret", "excess_payment"])
def test_what_accumulates_vanishes_per_query(name: str) -> None:
    per_query = symbolic(name, STRONG).xreplace(substitutions(STRONG)) / T
    assert sympy.limit(per_query.rewrite(sympy.Abs), T, sympy.oo) == 0


def test_payments_approach_the_second_lowest_cost() -> None:
    deviation = symbolic("average_payment_deviation", smooth=True).subs(alpha, sympy.Rational(2, 3)).subs(MAIN_TEXT)
    assert sympy.limit(deviation, T, sympy.oo) == 0


def test_expressions_are_printed_and_travel() -> None:
    names = ("B_id", "excess_payment", "average_payment_deviation")
    of_a_market = [symbolic(name, STRONG, method=method) for name in names for method in METHODS]
    unknown = [symbolic("B_id"), symbolic("T_0"), symbolic("generation_regret", method="sharp")]
    for expression in (*of_a_market, *unknown):
        assert pickle.loads(pickle.dumps(expression)) == expression
        assert "\\" in latex(expression)
        assert expression._repr_latex_().startswith("$")
        assert expression in of_a_market or r"i \notin \mathcal{Q}" in expression._repr_latex_()


DISPLAYS = {
    "M": r"M(x) = \left\lceil{\frac{4}{x^{2}} \ln{\left(\frac{57 N}{\delta x^{4}} \right)}}\right\rceil",
    "B_id": r"B_{\mathrm{id}}(T) = \sum_{i \notin \mathcal{Q}} M_i + "
    r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}} \max\{L_i, \lceil g(T) \rceil - 1\}",
    "T_0": r"T_0 = N \max\left\{1, \left(\frac{\bar M}{k}\right)^{\frac{1}{\alpha}}\right\}",
    "quality_regret": r"\overline{R}^{\mathrm{qual}}_T = \min\left\{N + 2 \sqrt{2 N \left(T - N\right) "
    r"\ln{\left(\frac{2 \pi^{2} N T^{2}}{3 \delta} \right)}}, "
    r"\sum_{i \notin \mathcal{Q}} \left(M_i + 1\right) \varepsilon_i\right\}",
}


@pytest.mark.for_each(("name", "display"), list(DISPLAYS.items()))
def test_latex_looks_like_the_displays_of_the_paper(name: str, display: str) -> None:
    assert latex(name) == display


def test_latex_of_the_payment_deviation_looks_like_theorem_4() -> None:
    exploration = r"+ k \left(\frac{N}{T}\right)^{1 - \alpha} \left(c_{\max} - \bar c_{(2)}\right) + "
    inside = r"\ln{\left(\frac{2 \pi^{2} N k^{2}}{3 \delta} \left(\frac{T}{N}\right)^{2 \alpha} \right)}"
    root = r"\sqrt{\frac{1}{2 k} \left(\frac{N}{T}\right)^{\alpha} " + inside + "}"
    assert latex(symbolic("average_payment_deviation").subs(MAIN_TEXT)).endswith(
        exploration + r"\frac{6 c_{\max}}{2 - \alpha} " + root
    )


def test_latex_keeps_the_value() -> None:
    """Each rearrangement of the printer is undone by reading it as numbers."""
    root = sympy.sqrt(2) * sympy.sqrt(N) / sympy.sqrt(x)
    assert latex(root * (6 * T + 6) * delta) == r"6 \delta \left(T + 1\right) \sqrt{\frac{2 N}{x}}"
    negative = symbolic("quality_regret_gap_dependent", smooth=True).diff(delta)
    assert latex(negative) == r"\sum_{i \notin \mathcal{Q}} \left(- \frac{4}{\delta \varepsilon_i}\right)"
    assert latex(root / 2) == r"\sqrt{\frac{N}{2 x}}"
    assert latex(-sympy.sqrt(T) * sympy.log(x) / 2) == r"- \frac{1}{2} \sqrt{T} \ln{\left(x \right)}"
    assert latex(sympy.Rational(*(0.1).as_integer_ratio()) * T + symbols.eps[3]) == r"0.1 T + \varepsilon_{3}"


REFUSED = {
    lambda: symbolic("B_di"): "name='B_di' is not the name of a formula: did you mean B_id",
    lambda: symbolic("B_id", method="best"): "method='best' must be one of",
    lambda: symbolic("sharpest_excess_payment"): "market=None must be given: a search among its providers",
    lambda: derivatives("B_id", "dleta", market=STRONG): "by='dleta' is not a symbol of the bound: did you mean delta",
    lambda: derivatives("B_id", "m", market=STRONG): "by='m' is not a symbol of the bound: its symbols are N, T, alpha",
    lambda: derivatives("B_id", "N"): "by='N' cannot be differentiated by",
    lambda: derivatives(symbolic("B_id", STRONG), "N"): "has roundings.*smooth=True",
    lambda: derivatives("L", "N", market=STRONG): "bound='L' is one of each provider",
    lambda: enclose(symbolic("M"), delta=0.5): "has no number for N, x: give it as N=",
    lambda: enclose(symbolic("B_id"), T=9): "has no number for .*eps",
    lambda: enclose(sympy.sin(T), T=1): "cannot be enclosed: no evaluation for sin",
    lambda: enclose(symbolic("M").diff(delta), N=2, delta=0.5, x=1): "roundings have none",
    lambda: enclose(sympy.sqrt(T), T=-1): "has no value here",
    lambda: enclose(T, T="one"): "T='one' must be a finite number",
    lambda: enclose("B_id", STRONG, horizon=70_000, dleta=0.1): "dleta=0.1 is unknown: did you",
    lambda: enclose("B_id", STRONG, horizon=70_000.5): "horizon=70000.5 must be a whole number of at",
    lambda: substitutions(STRONG, 3): "horizon=3 must be a whole number of at least N = 4",
    lambda: enclose("B_id", STRONG, horizon=70_000, digits=0): "digits=0 must be a whole number from 1",
    lambda: enclose(None): "expression=None must be a SymPy expression",
    lambda: enclose("T_id", STRONG): "name='T_id' is stated by no expression",
    lambda: derivatives("B_id", "eps"): "by='eps' is not a symbol of the bound",
    lambda: derivatives("B_id", "delta", market=STRONG, method="sharpest"): "cannot be differentiated by",
    lambda: substitutions(by_hand.with_radius(STRONG, "beta-binomial")): "has another radius",
}


@pytest.mark.for_each(("call", "told"), [*REFUSED.items()], ids=list(REFUSED.values()))
def test_what_makes_no_sense_is_refused(call: Callable[[], Any], told: str) -> None:
    assert_refused(told, call)


def test_an_unknown_symbol_is_told() -> None:
    with pytest.raises(AttributeError, match=r"no symbol 'epsilon': the symbols are Delta, N, T"):
        symbols.epsilon  # noqa: B018


def test_markets_without_an_assumption_are_refused() -> None:
    tied = by_hand.setting_of([(0.9, 0.5), (0.8, 0.5), (0.1, 0.2)])
    none = by_hand.setting_of([(0.2, 0.5), (0.1, 0.6)])
    near = by_hand.setting_of([(0.9, 0.5), (0.8, 0.6), (0.1, 0.2)], underbid=0.2)
    other = replace(tied, platform=replace(tied.platform, radius="beta-binomial"))
    for market, name in [(tied, "B_id"), (none, "quality_regret"), (near, "L"), (other, "exploration_cap")]:
        assert_refused("market='made'", symbolic, name, market)
    assert symbolic("generation_regret", near) == symbolic("generation_regret_anytime", near)
    assert symbolic("quality_regret", tied, method="sharp").free_symbols


def test_an_interval_has_the_digits_that_were_asked_for() -> None:
    box = enclose(sympy.pi * T, T=Fraction(1, 3), digits=40)
    low, high = map(Fraction, box.digits)
    with mpmath.workdps(300):
        third = Fraction(str(mpmath.pi / 3))
    assert low < third < high
    assert high - low == Fraction(1, 10**39)
    assert third in box
    assert math.nextafter(box.lower, 2) == box.upper
    assert enclose(-(10**400) * T, T=1).lower == -math.inf


@pytest.mark.long("starts a process that loads SymPy")
def test_the_front_door_loads_sympy_only_when_it_is_used() -> None:
    code = "import sys, costproof; assert 'sympy' not in sys.modules; print(costproof.symbolic('B_id', 'gpqa-strong'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("ceiling(")


@pytest.mark.for_each("method", ["paper", "sharp"])
def test_derivatives_at_a_point_take_the_part_of_a_maximum_that_counts(method: str) -> None:
    """Two parts that become the same expression are no kink; a difference of 50 digits agrees."""
    setting = published("gsm8k-full").setting
    bound = symbolic("B_id", setting, method=method, smooth=True)
    [found] = derivatives(bound, "delta", market=setting, horizon=70_000).values()
    numbers, step = substitutions(setting, 70_000), sympy.Rational(1, 10**25)
    moved = [bound.xreplace({**numbers, symbols.delta: numbers[symbols.delta] + h}) for h in (step, -step)]
    assert found.upper - found.lower <= 1e-9 * abs(found.upper)
    assert float(((moved[0] - moved[1]) / (2 * step)).evalf(50)) == pytest.approx(found.upper, rel=1e-12)
    with pytest.raises(InputError, match="has a kink here: d_minus and d_plus are equal"):
        derivatives("average_payment_deviation", "d_minus", market=setting, horizon=70_000)


def test_symbols_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match=r"symbols\.T cannot be set"):
        symbols.T = 3


def test_an_interval_contains_its_ends() -> None:
    found = enclose("excess_payment", STRONG, horizon=70_000)
    assert all(
        value in found
        for value in (found.lower, found.upper, evaluate_bounds(STRONG, 70_000).bounds["excess_payment"].value)
    )


def test_latex_takes_what_sympy_passes_to_a_printer() -> None:
    assert latex(symbolic("M"), mode="plain") == latex(symbolic("M"))
    assert latex(symbolic("g").xreplace({symbols.alpha: sympy.Float("0.61")})).endswith("^{0.61}")
