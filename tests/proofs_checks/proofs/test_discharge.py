"""Numbers that theorems take are shown to be right or refused, and what theorems assume is so of some market."""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from bounds.documents import to_data
from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.proofs import discharge
from proofs_checks.proofs.discharge import CHECKS, discharged, names, numbers_shown
from proofs_checks.proofs.discharge.balls import Balls, ExactPlatform, NotDischargedError, balls
from proofs_checks.proofs.discharge.checks import (
    Caps,
    Excess,
    RadiusSums,
    Stitched,
    check_ceiling,
    check_equal_shares,
    check_exact_inverse,
    check_exploration_end,
    check_horizon,
    check_shortfall,
    check_target_sum,
    zeta,
)
from proofs_checks.proofs.discharge.names import check_of
from proofs_checks.proofs.kernel.theorems import APPLIED, INSTANCES, named_theorems, sources, stored
from tests.bounds.by_hand import setting_of
from tests.refusals import assert_refused

STRONG = published("gpqa-strong").setting


REPAIRED, SHARP, SHARPEST = (f"{of}-horizon" for of in ("repaired", "sharp", "sharpest"))
EXCESS, BANDS = (f"radius-sums thm:{of}:sharpest" for of in ("excess-payment-general", "regret"))


@pytest.fixture
def ball() -> Iterator[Balls]:
    with balls() as found:
        yield found


#: All qualified; two providers; cheap unqualified ones, one of quality 0; beliefs and deviations; an odd exponent.
ODD = {
    "two": setting_of([(0.9, 0.2), (0.8, 0.6)]),
    "all qualified": setting_of([(0.9, 0.2), (0.8, 0.6), (0.7, 0.9)]),
    "cheap": setting_of([(0.9, 0.4), (0.8, 0.6), (0.0, 0.1), (0.2, 0.2)]),
    "deviations": setting_of([(0.9, 0.2), (0.8, 0.6), (0.1, 0.1)], belief_slack=0.5, underbid=0.01, overbid=0.02),
    "odd exponent": setting_of([(0.9, 0.2), (0.8, 0.6), (0.1, 0.7)], exploration_exponent=0.7, exploration_scale=1.3),
    "confident": setting_of([(0.9, 0.2), (0.8, 0.6), (0.1, 0.7)], confidence=0.99),
}


#: What takes a second to load, or to prepare.
LONG = dict.fromkeys(("shortfall", "equal-shares", EXCESS), pytest.mark.long("loads SciPy, or prepares a table"))


@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG.get(name, ())) for name in CHECKS])
def test_printed_numbers_are_shown(name: str) -> None:
    assert numbers_shown(name, STRONG, horizon=200) > 0


@pytest.mark.long("looks at many settings and horizons")
@pytest.mark.parametrize("name", CHECKS)
def test_printed_numbers_of_all_settings_are_shown(name: str) -> None:
    for one in [published(each).setting for each in PUBLISHED_NAMES] + [*ODD.values()]:
        for horizon in (one.n_providers + 1, 50, 1_000, 70_000, 300_000):
            numbers_shown(name, one, horizon=horizon)


def _off(name: str, by: float) -> Callable[..., Any]:
    """Return what finds a number, changed."""
    found = getattr(names, name)
    return lambda *given, **more: found(*given, **more) + by


#: What finds a number, by how much its result is changed, and the kinds that are refused then.
OFF: list[Any] = [
    ("SHARP_ELIMINATION_BOUND", 1, ["exact-inverse", SHARP]),
    ("SHARP_ELIMINATION_BOUND", -1, ["exact-inverse", SHARP]),
    ("SHARP_ORDINARY_BOUND", 1, ["exact-inverse", SHARP, SHARPEST]),
    ("SHARP_ORDINARY_BOUND", -1, ["exact-inverse", SHARP, SHARPEST]),
    ("EXACT_SELECTION_BOUND", -1, ["exact-inverse"]),
    ("CHERNOFF_BOUND", -1, ["exclusion-count", SHARPEST]),
    ("CHERNOFF_BOUND", -100, ["exclusion-count"]),
    ("ELIMINATION_BOUND", 1, [REPAIRED]),
    ("ORDINARY_BOUND", -1, [REPAIRED]),
    ("identification_horizon", 1, [REPAIRED, SHARP, SHARPEST]),
    ("identification_horizon", -1, [REPAIRED, SHARP, SHARPEST]),
    ("exploration_ends", -1, ["exploration-end"]),
    ("impossible_counts", 1, ["last-count-without-failure"]),
    ("tuned_weight", 1, ["radius-count", "radius-horizon"]),
    ("last_auction", -2, ["end-of-disturbance"]),
    ("radii_at_target", -20, [BANDS]),
    ("exploration_counts", 1, [EXCESS]),
    pytest.param("auction_excess", -1e-4, [EXCESS], marks=LONG[EXCESS]),
    pytest.param("price_shortfalls", 1e-6, ["shortfall"], marks=LONG["shortfall"]),
]


@pytest.mark.parametrize(("found", "by", "kinds"), OFF)
def test_a_number_that_is_off_is_refused(
    found: str, by: float, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(names, found, _off(found, by))
        for name in kinds:
            with pytest.raises(NotDischargedError):
                numbers_shown(name, STRONG, horizon=2_000)


def test_what_is_not_shown_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    label = "lem:good-event:sharpest"
    whole = discharged(label)
    assert [one.name for one in whole] == ["last-count-without-failure", "exclusion-count"]
    assert json.loads(json.dumps(to_data(whole)))[0]["settings"] == list(PUBLISHED_NAMES)
    forget()
    monkeypatch.setattr(names, "impossible_counts", _off("impossible_counts", 1))
    assert [one.name for one in discharged(label)] == ["exclusion-count"]
    forget()


def forget() -> None:
    discharge._how.cache_clear()
    discharge._published_cases.cache_clear()


def test_every_number_that_a_theorem_takes_is_known_by_name() -> None:
    taken = {(name, label) for label, one in named_theorems().items() for name in one.get("takes", {})}
    assert all(map(check_of, *zip(*taken, strict=True))), taken


def test_what_there_is_no_number_of_is_bad_input() -> None:
    assert_refused("is not a kind of numbers", numbers_shown, "exact-inverses", STRONG, horizon=100)
    with pytest.raises(InputError, match="no unique optimal provider"):
        numbers_shown("exact-inverse", setting_of([(0.9, 0.2), (0.8, 0.2)]), horizon=100)


class TestInverse:
    """The largest count with a <= 2 beta(m), against a search."""

    @settings(max_examples=25)
    @given(st.integers(1, 400), st.sampled_from([2, 5, 90]), st.sampled_from([0.01, 0.5]))
    def test_only_the_largest_is_accepted(self, thousandths: int, size: int, confidence: float) -> None:
        gap = Fraction(thousandths + 100, 1000)
        m = np.arange(1, 9_000)
        constant = math.log(2 * math.pi**2 * size / (3 * confidence))
        largest = int(m[float(gap) ** 2 * m <= 2 * (constant + 2 * np.log(m))][-1])
        platform = ExactPlatform(size=size, confidence=Fraction(confidence), scale=Fraction(2), exponent=Fraction(1, 2))
        assume(largest < 8_999)
        with balls() as ball:
            check_exact_inverse(ball, platform, gap, largest)
            for wrong in (largest + 1, largest - 1, largest + 0.5, math.inf):
                with pytest.raises(NotDischargedError):
                    check_exact_inverse(ball, platform, gap, wrong)

    def test_a_gap_at_the_radius_itself_is_not_decided(self, ball: Balls) -> None:
        with pytest.raises(NotDischargedError, match="too near to decide"):
            check_ceiling(ball.apply("sqrt", ball(2)) * ball.apply("sqrt", ball(2)), ball, 2)


PLATFORMS = st.builds(
    lambda size, scale, exponent: ExactPlatform(
        size=size, confidence=Fraction(1, 20), scale=Fraction(scale), exponent=Fraction(exponent)
    ),
    st.integers(2, 4),
    st.sampled_from([0.5, 1.0, 1.3, 2.0]),
    st.sampled_from([0.25, 0.5, 0.7, 0.75]),
)
CAPS = st.builds(
    lambda each, factor, largest: Caps(each=tuple(each), factor=factor, largest=largest),
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from([5, 40, math.inf])), min_size=1, max_size=3),
    st.integers(1, 2),
    st.booleans(),
)
#: Far beyond the horizons and ends of these.
LAST = 1_000


def explored(platform: ExactPlatform, step: int) -> int:
    """Return ceil(g(t)) - 1; targets here are whole, or well apart from whole numbers."""
    target = float(platform.scale) * (step / platform.size) ** float(platform.exponent)
    return math.ceil(target - 1e-9) - 1


def precisely(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator


class TestHorizons:
    """What holds from a step on, against a look at every step."""

    @settings(max_examples=15)
    @given(PLATFORMS, CAPS)
    def test_only_the_least_horizon_is_accepted(self, platform: ExactPlatform, caps: Caps) -> None:
        size = platform.size
        failing = [T for T in range(size, LAST) if size + caps(explored(platform, T)) >= T]
        least = failing[-1] + 1 if failing else size
        assume(least < LAST // 2)
        with balls() as ball:
            check_horizon(ball, platform, caps, least)
            for wrong in {least - 1, least + 1} - {size - 1}:
                with pytest.raises(NotDischargedError):
                    check_horizon(ball, platform, caps, wrong)

    @settings(max_examples=15)
    @given(PLATFORMS, CAPS)
    def test_only_an_end_after_which_nobody_explores_is_accepted(self, platform: ExactPlatform, others: Caps) -> None:
        size = platform.size
        targets = [explored(platform, t) for t in range(1, LAST)]
        failing = [t for t in range(size + 1, LAST) if t <= size + others(targets[t - 2]) + targets[t - 1]]
        last = failing[-1] if failing else size
        assume(last < LAST // 2)
        with balls() as ball:
            for right in (last, last + 1, last + 17):
                check_exploration_end(ball, platform, others, right)
            for wrong in range(max(size, last - 3), last):
                with pytest.raises(NotDischargedError):
                    check_exploration_end(ball, platform, others, wrong)

    def test_a_condition_that_fails_again_later_is_refused(self, ball: Balls) -> None:
        """The caps grow faster than the time at first."""
        platform = ExactPlatform(size=2, confidence=Fraction(1, 20), scale=Fraction(2), exponent=Fraction(3, 4))
        caps = Caps(each=((0, math.inf),), factor=2)
        holds = [2 + caps(explored(platform, T)) < T for T in range(2, 60)]
        first = holds.index(True)
        assert not all(holds[first:])
        with pytest.raises(NotDischargedError):
            check_horizon(ball, platform, caps, first + 2)


class TestSums:
    """Sums of radii, which are enclosed: against sums term by term."""

    PLATFORM = ExactPlatform.of(STRONG)

    @pytest.mark.for_each("count", [0, 1, 255, 256, 257, 258, 300, 1_000, 5_001])
    def test_of_radii(self, count: int) -> None:
        with mpmath.workdps(40), balls() as ball:
            constant = 2 * mpmath.pi**2 * 4 / (3 * mpmath.mpf(0.05))
            exact = mpmath.fsum(mpmath.sqrt(mpmath.log(constant * m**2) / (2 * m)) for m in range(1, count + 1))
            sums = RadiusSums(ball=ball, platform=self.PLATFORM)
            for _ in range(2):  # again, with the blocks that are known then
                (low, _), (_, high) = (ends(ball, end) for end in sums.upto(count))
                assert low <= exact * (1 + mpmath.mpf(10) ** -30)
                assert exact <= high * (1 + mpmath.mpf(10) ** -30)
                assert high - low <= exact * mpmath.mpf(10) ** -14

    @pytest.mark.for_each(
        ("after", "last", "taken"), [(0, 900, -1), (10, 900, 3), (500, 900, 40), (0, 20, 60), (5, 5, 0)]
    )
    def test_of_what_auctions_pay(self, after: int, last: int, taken: int) -> None:
        """The cost radii of ten times the paper's, less what is taken, between 0 and a half."""
        with balls() as ball:
            scale, most = Fraction(10), Fraction(5)
            excess = Excess(sums=RadiusSums(ball=ball, platform=self.PLATFORM), scale=scale, most=most)
            radii = [float(radius) for radius in self.PLATFORM.radii(ball, range(after + 1, last + 1))]
            exact = math.fsum(min(5.0, max(0.0, 10 * radius - taken / 10)) for radius in radii)
            low, high = ends(ball, excess.over(after, last, Fraction(taken, 10)))
            assert exact * (1 - 1e-12) <= high
            assert low <= exact * (1 + 1e-12)

    def test_of_bands_at_the_target(self, ball: Balls) -> None:
        platform = self.PLATFORM
        radii = [float(platform.radius(ball, max(1, explored(platform, t) + 1))) for t in range(5, 301)]
        exact = math.fsum(min(0.7, radius) for radius in radii)

        def check(total: float) -> None:
            band = lambda radius: ball.apply("minimum", ball(0.7), radius)  # noqa: E731
            check_target_sum(ball, platform, last=300, band=band, total=total)

        check(exact * (1 + 1e-12))
        with pytest.raises(NotDischargedError):
            check(exact * (1 - 1e-12))

    def test_zeta(self, ball: Balls) -> None:
        with mpmath.workdps(40):
            low, high = ends(ball, zeta(ball))
            exact = mpmath.zeta(mpmath.mpf(7) / 5)
            assert exact < high
            assert low < exact * (1 + mpmath.mpf(10) ** -12)

    @pytest.mark.for_each("shares", [1, 3])
    def test_what_is_below_equal_shares_is_refused(self, shares: int) -> None:
        with balls() as ball:
            sums = [0.0, *itertools.accumulate(map(float, self.PLATFORM.radii(ball, range(1, 1_002))))]
            radius_sums = RadiusSums(ball=ball, platform=self.PLATFORM)
            exact = sum(sums[1_000 // shares + (k < 1_000 % shares)] for k in range(shares))
            check_equal_shares(radius_sums, shares, 1_000, exact * (1 + 1e-12))
            for wrong in (1 - 1e-12, 1 + 1e-5):
                with pytest.raises(NotDischargedError):
                    check_equal_shares(radius_sums, shares, 1_000, exact * wrong)

    def test_a_shortfall_is_the_least_over_the_counts(self, ball: Balls) -> None:
        stitched = Stitched(ball=ball, failure=ball(Fraction(6, 1000)))
        apart = [float(one) for one in self.PLATFORM.radii(ball, range(50, 400)) - stitched.radii(range(50, 400))]
        least = min(apart)
        assert 0 < least < min(apart[0], apart[-1]) or least in (apart[0], apart[-1])
        check_shortfall(ball, self.PLATFORM, stitched, counts=(50, 399), short=least * (1 - 1e-12))
        with pytest.raises(NotDischargedError):
            check_shortfall(ball, self.PLATFORM, stitched, counts=(50, 399), short=least * (1 + 1e-12))


def ends(ball: Balls, number: Any) -> tuple[Any, Any]:
    box = ball.arithmetic.enclosure(number)
    return precisely(box.lower), precisely(box.upper)


#: What a query of a run brings, or does not: there are runs of every length, and Sharpness.v has some of both kinds.
HAPPENS = {"step", "selected", "may_serve", "auction_at", "explores", "serves", "samples"}
#: A property, by its name: a definition that ends in a proposition.
_PROPERTY = re.compile(r"^ *(?:Definition|Fixpoint|Inductive|Record) (\w+)\b[^.]*?(?::|->) Prop\b", re.MULTILINE)


def properties() -> set[str]:
    return {name for text in sources().values() for name in _PROPERTY.findall(text)}


def premises(statement: str) -> Iterator[str]:
    """Yield the first name in each part of a statement that ends in an arrow, quantifiers aside."""
    statement = re.sub(r"\b(?:forall|exists) [^,]*,", "", statement)
    depth, start = 0, 0
    for at, letter in enumerate(statement):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and statement.startswith("->", at):
            named = re.match(r"\W*(?:\w+\.)*(\w+)", statement[start:at])
            start = at + 2
            if named is not None:
                yield named[1]


def assumed_without_an_instance(*statements: str) -> set[str]:
    assumed = {name for statement in statements for name in premises(statement)}
    return (assumed & properties()) - INSTANCES.keys() - HAPPENS


def theorems_of_labels() -> set[str]:
    return {place.split(".")[1] for named in named_theorems().values() for place in named["theorems"]}


def test_no_theorem_of_a_label_assumes_what_may_be_never_so() -> None:
    statements = stored().statements
    assert assumed_without_an_instance(*(statements[name] for name in theorems_of_labels())) == set()
    assumed = set().union(*(premises(statements[name]) for name in theorems_of_labels()))
    assert {"market", "good_event", "dynamics", "bids_near", "any_game", "market_of_payments"} <= assumed


@pytest.mark.parametrize("assumption", INSTANCES)
def test_an_instance_is_a_theorem_about_what_is_assumed(assumption: str) -> None:
    file, name = INSTANCES[assumption].split(".")
    assert re.search(rf"\b{assumption}\b", stored().statements[name])
    assert assumption not in premises(stored().statements[name]), "assumed where it should be shown"
    assert re.search(rf"^(?:Theorem|Example) {name}\b", sources()[f"{file}.v"], re.MULTILINE)


def test_an_assumption_without_an_instance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for never in (
        "Definition draws_nothing_varies (n : nat) : Prop := n <> n.",
        "Record draws_nothing_varies : Prop := {}.",
    ):
        monkeypatch.setattr(f"{__name__}.sources", lambda text=never: {"A.v": text})
        for statement in (
            "forall n : nat, A.draws_nothing_varies n -> (0 < n)%nat -> n = 1",
            "forall p : Prop, p -> (forall n : nat, A.draws_nothing_varies n) -> p",
        ):
            assert assumed_without_an_instance(statement) == {"draws_nothing_varies"}


class TestOnAPublishedMarket:
    """GSM8K-full and GPQA-strong are in Coq what they are in the paper, and theorems apply to them."""

    @pytest.mark.parametrize("label", APPLIED)
    def test_what_a_theorem_assumes_is_given_to_it(self, label: str) -> None:
        file, name = APPLIED[label].split(".")
        applied = re.search(
            rf"^(?:Definition|Example) {name}\b.*?\.\s", sources()[f"{file}.v"], re.DOTALL | re.MULTILINE
        )
        proof = sources()[f"{file}.v"][applied.end() :].partition("\n")[0] if applied else ""
        theorem = named_theorems()[label]["theorems"][0].split(".")[1]
        assert re.search(rf"\b{theorem}\b", applied[0] + proof)
        assert left_open(stored().statements[name]) == set()

    def test_an_assumption_that_is_left_open_is_noticed(self) -> None:
        assert left_open("forall (n : nat) (h : list nat), market n -> Runs.run n h -> length h = n") == {"market"}
        assert left_open("exists f : nat -> nat, f 0%nat < 1 -> True") == {"f"}

    @pytest.mark.parametrize(
        ("setting", "table", "market"),
        [("gsm8k-full", "gsm8k_full", "gsm8k_has_payments"), ("gpqa-strong", "gpqa_strong", "gpqa_has_payments")],
    )
    def test_its_numbers_are_those_of_the_settings(self, setting: str, table: str, market: str) -> None:
        text, published = sources()["Published.v"], published_settings()
        one = published["settings"][setting]
        assert providers_in(text, table) == [
            (provider["name"], provider["quality"], provider["mean_cost"]) for provider in one["providers"]
        ]
        names = [provider["name"] for provider in one["providers"]]
        cheapest = sorted((p["mean_cost"], names.index(p["name"])) for p in one["providers"] if p["qualified"])
        common = published["common"]
        stated = re.search(rf"^Theorem {market}\b[^:]*:.*?market_of_payments(.*?)\.\n", text, re.DOTALL | re.MULTILINE)
        best, second = (at for _, at in cheapest[:2])
        assert numbers_in(stated[1]) == [
            len(names),
            common["delta"],
            one["cost_bound"],
            one["quality_threshold"],
            common["exploration_scale"],
            common["exploration_exponent"],
            best,
            second,
        ]
        assert names[best] == one["optimal_provider"]

    def test_another_number_is_noticed(self) -> None:
        text = sources()["Published.v"]
        right = providers_in(text, "gsm8k_full")
        assert providers_in(text.replace("69177007", "69177008"), "gsm8k_full") != right
        assert providers_in(text.replace("/ 100000000.", "/ 10000000."), "gsm8k_full") != right


def left_open(statement: str) -> set[str]:
    """Return the premises of a statement but for a run, its next step, no exploration, and a step after T_0."""
    return set(premises(statement)) - {"run", "step", "explores", "T0", "sharp_T0"}


def published_settings() -> Mapping[str, Any]:
    text = files("bounds.published").joinpath("settings.json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)  # type: ignore[no-any-return]


def providers_in(text: str, table: str) -> list[tuple[str, Decimal, Decimal]]:
    """Return name, quality and mean cost of each provider in a table of Published.v, in the units that it states."""
    units = [Decimal(re.findall(rf"Definition {name}_in .*/ (\d+)\.", text)[0]) for name in ("quality", "cost")]
    [rows] = re.findall(rf"^Definition {table} : list \(Z \* Z\) := \[(.*?)\]%Z\.", text, re.DOTALL | re.MULTILINE)
    found = re.findall(r"\((\d+), (\d+)\);? \(\* (.*?) \*\)", rows)
    return [(name, Decimal(quality) / units[0], Decimal(cost) / units[1]) for quality, cost, name in found]


def numbers_in(statement: str) -> list[Decimal]:
    found = re.findall(r"\((\d+) / (\d+)\)|\b(\d+)\b", re.sub(r"(?:quality|cost)_in \w+", "", statement))
    return [Decimal(whole) if whole else Decimal(above) / Decimal(below) for above, below, whole in found]
