"""Profiles: what a mechanism seems to be, what is asked of routers and posted prices, and what is left out."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import costproof
from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance.checks import routing
from proofs_checks.conformance.descriptions import (
    DEFAULT,
    DESCRIPTIONS,
    PROFILES,
    QUICK,
    described,
    profiles_of,
    selection,
)
from proofs_checks.conformance.kind import Observations, observed
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.play.domain import domain_of
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.conformance.suite import check_mechanism
from tests.parametrized import long_but
from tests.proofs_checks.conformance import routers
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("little_shrinking")

POSTED = "posted-price"
ROUTING = ("continued-exploration", "best-provider", "quality-threshold")


def profile_of(made: type[Any]) -> Any:
    return POSTED if issubclass(made, routers.PriceList) else "router"


def checked(made: Any, **options: Any) -> ConformanceReport:
    late = "3" if isinstance(made, type) and issubclass(made, routers.ThompsonTickets) else None
    return check_mechanism(made, **{"effort": QUICK, "in_flight": late, **options})


def seen(made: Any, *, within: Any = (), late: bool = False) -> Observations | None:
    from mechanism.delays import DelayLaw

    law = DelayLaw(most=3) if late else None
    return observed(Subject(made, "it").played(domain=domain_of(within), in_flight=law))


class TestKinds:
    @pytest.mark.for_each("made", [*routers.RIGHT, *routers.WRONG])
    def test_what_it_is(self, made: type[Any]) -> None:
        found = seen(made, late=issubclass(made, routers.ThompsonTickets))
        assert found is not None
        assert found.kind == made.kind
        assert f"seems to be {'an' if made.kind == 'auction' else 'a'}" in found.sentence.replace("a first-price", "an")

    @pytest.mark.parametrize("name", long_but(["Plain", "Arrays", "RandomOfTies"], CORRECT, reason="all of them"))
    def test_correct_mechanisms_are_auctions_that_learn(self, name: str) -> None:
        found = seen(CORRECT[name])
        assert found is not None
        assert (found.kind, found.scores_move_answers, found.bids_move_winners) == ("auction", True, True)
        assert not found.pays_own_bid

    @pytest.mark.parametrize("domain", ["eligible=2..", "providers=2", "providers=5..", "q_min=0", "scores=binary"])
    def test_within_a_domain(self, domain: str) -> None:
        found = seen(reference_mechanism, within=domain)
        assert found is not None
        assert found.kind == "auction"

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("FirstPrice", "a first-price auction: whoever serves is paid its own bid. It learns from scores."),
            ("RandomWinner", "an auction: bids change what is paid. It learns from scores."),
            ("NobodyIsExcluded", "an auction: bids change who serves and what is paid. No score changed an answer."),
        ],
    )
    def test_the_sentence(self, name: str, said: str) -> None:
        found = seen(MUTANTS[name].factory)
        assert found is not None
        assert found.sentence == f"This seems to be {said}"

    @pytest.mark.parametrize("name", ["LosersBidMoves", "InitializationSkips", "RandomNoise"])
    def test_it_says_so_where_it_is_not_clear(self, name: str) -> None:
        found = seen(MUTANTS[name].factory)
        assert found is not None
        assert found.kind is None
        assert found.sentence.startswith("It is not clear what kind of mechanism this is.")

    def test_what_does_not_answer_is_nothing(self) -> None:
        assert seen(MUTANTS["PaysNaN"].factory) is None
        report = checked(MUTANTS["PaysNaN"].factory, only="answers")
        assert (report.kind, report.seems) == (None, "")

    def test_another_profile_is_named(self) -> None:
        report = checked(routers.Cascade, only="configuration-unchanged")
        assert (report.profile, report.kind) == ("auction", "router")
        assert report.seems.endswith(" It learns from scores. --profile router has the checks for it.")
        assert report.to_data()["observations"]["sentence"] in report.seems
        assert "--profile" not in checked(routers.Cascade, only="payment-range", profile="router").seems

    def test_posted_prices_that_learn_have_two_profiles(self) -> None:
        found = seen(routers.PriceList)
        assert found is not None
        assert (replace(found, scores_move_answers=False).profiles, found.profiles) == ((POSTED,), (POSTED,))
        learns = replace(found, scores_move_answers=True)
        assert learns.profiles == (POSTED, "router")
        report = replace(checked(routers.PriceList, only="payment-range"), observations=learns)
        both = "--profile posted-price checks its payments, --profile router checks what it learns."
        assert report.seems.endswith(both)
        assert replace(report, profile=POSTED).seems.endswith(". --profile router checks what it learns.")


class TestGallery:
    @pytest.mark.parametrize(
        "made",
        [
            pytest.param(each, marks=pytest.mark.long("starts processes"))
            if each.caught_by in ("independent-instances", "no-loss")
            else each
            for each in routers.WRONG
        ],
    )
    def test_wrong_ones_are_caught(self, made: type[Any]) -> None:
        report = checked(made, profile=profile_of(made), only=made.caught_by, explain=False)
        assert [(check.name, check.status) for check in report.checks] == [(made.caught_by, "failed")]

    def test_each_check_that_auctions_are_not_asked_catches_one(self) -> None:
        caught = {each.caught_by for each in routers.WRONG}
        assert {name for name in DESCRIPTIONS if "auction" not in profiles_of(name)} <= caught

    @pytest.mark.parametrize("made", [routers.UpperBounds, routers.Cascade, reference_mechanism])
    def test_right_routers_pass_in_the_long_run(self, made: Any) -> None:
        assert checked(made, profile="router", only="best-provider", explain=False).conforms

    @pytest.mark.long("a suite for each")
    @pytest.mark.parametrize("made", routers.RIGHT)
    def test_right_ones_pass(self, made: type[Any]) -> None:
        report = checked(made, profile=profile_of(made))
        assert report.conforms, report.headline
        assert not report.discarded
        assert report.kind == made.kind

    @pytest.mark.long("a suite for each")
    @pytest.mark.parametrize("name", CORRECT)
    def test_the_papers_mechanism_routes_well(self, name: str) -> None:
        report = check_mechanism(CORRECT[name], profile="router", only="routing", effort=QUICK, seed=7)
        assert report.conforms, report.headline

    @pytest.mark.long("many runs")
    @pytest.mark.parametrize("seed", range(3))
    def test_no_right_router_is_accused_under_other_seeds(self, seed: int) -> None:
        for made in (routers.Cascade, routers.UpperBounds, routers.ThompsonTickets):
            report = checked(made, profile="router", only="routing", seed=seed, effort=DEFAULT)
            assert report.conforms, report.headline


@pytest.mark.long("bandits of other libraries")
class TestLibraries:
    """MABWiser and river: what they are, and that no right adapter is accused."""

    @pytest.mark.parametrize("name", ["OfMABWiser", "OfRiver"])
    def test_right_ones_pass(self, name: str) -> None:
        pytest.importorskip("mabwiser")
        pytest.importorskip("river")
        from tests.proofs_checks.conformance import library_routers

        report = check_mechanism(getattr(library_routers, name), profile="router", effort=QUICK)
        assert report.conforms, report.headline
        assert report.seems.startswith("This seems to be a router without payments: it pays ")
        assert report.seems.endswith("no bid changes who serves. It learns from scores.")


class Draws:
    """Serves each provider with a probability, independently of everything; the first queries as it must."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator, shares: Any) -> None:
        self.n, self.rng, self.step = config.n_providers, rng, 0
        self.shares = shares(self.n)

    def assign(self) -> tuple[int, float]:
        self.step += 1
        return self.step - 1 if self.step <= self.n else int(self.rng.choice(self.n, p=self.shares)), 0.0

    def settle(self, score: float, bid: float) -> None:
        pass


class TestChance:
    """What the checks state of routers that draw at random, by the binomial distribution of scipy."""

    RUNS = max(len(routing._SIZES), DEFAULT.examples // routing._EXAMPLES_PER_RUN)
    FEW = max(len(routing._SIZES), QUICK.examples // routing._EXAMPLES_PER_RUN)
    LATER = routing.STEPS - routing.LEARNED

    def test_continued_exploration(self) -> None:
        stated = DESCRIPTIONS["continued-exploration"]
        assert "1 query in 100" in stated.power
        assert "1 in 10,000" in stated.power

        def never(share: float, n: int) -> float:
            return float(binom.pmf(0, routing.STEPS - n, share))

        n = max(routing._SIZES)
        assert self.RUNS * n * never(0.01, n) <= stated.false_alarm <= 1e-7
        assert (1 - never(1e-4, n)) ** self.FEW <= 0.01

    def test_best_provider(self) -> None:
        stated = DESCRIPTIONS["best-provider"]
        assert stated.false_alarm == DESCRIPTIONS["feedback-recovery"].false_alarm
        for n in routing._SIZES:
            least = math.ceil(self.LATER / (2 * n))  # of one good provider
            assert 2 * self.RUNS * binom.cdf(least - 1, self.LATER, 1 / n) <= stated.false_alarm <= 1e-9
            assert binom.sf(least - 1, self.LATER, 1 / (4 * n)) <= 0.01

    def test_quality_threshold(self) -> None:
        stated = DESCRIPTIONS["quality-threshold"]
        most = math.floor(routing.POOR_SHARE * self.LATER)
        assert "15 of 100" in stated.power
        assert "40 or more" in stated.power
        assert self.RUNS * binom.sf(most, self.LATER, 0.15) <= stated.false_alarm <= 1e-9
        assert binom.cdf(most, self.LATER, 0.40) <= 0.01

    @pytest.mark.parametrize(
        ("check", "passes", "shares"),
        [
            ("continued-exploration", True, lambda n: [1 - 0.02 * (n - 1), *[0.02] * (n - 1)]),
            ("continued-exploration", False, lambda n: [1 - 1e-4, *[0.0] * (n - 2), 1e-4]),
            ("best-provider", True, lambda n: [1 / n] * n),
            ("quality-threshold", False, lambda n: [1 / n] * n),
        ],
    )
    def test_routers_that_draw(self, check: str, passes: bool, shares: Any) -> None:
        """Each passes or fails with probability 0.99 or more."""
        report = checked(lambda config, rng: Draws(config, rng, shares), profile="router", only=check, explain=False)
        assert report.conforms is passes


class TestMarkets:
    @pytest.mark.parametrize(
        "make", [routing._all_poor, routing._unlucky_best, routing._failing_best, routing._cheap_poor]
    )
    @pytest.mark.parametrize("n", routing._SIZES)
    def test_every_mean_stays_within_its_band(self, make: Any, n: int) -> None:
        """The good event: |mean of m scores - quality| <= beta(m), by the formula of the paper."""
        config = usual_config(n_providers=n, quality_threshold=0.75)
        counts = np.arange(1, routing.STEPS + 1)
        radii = np.sqrt(np.log(2 * np.pi**2 * n * counts**2 / (3 * config.confidence)) / (2 * counts))
        for own in make(config, [n - 1]).providers:
            scores = np.array([score for score, _ in own.first_few(routing.STEPS)])
            assert set(scores) <= {0.0, 1.0}
            assert (np.abs(np.cumsum(scores) / counts - own.mean) <= radii).all()

    @pytest.mark.parametrize(
        ("domain", "sizes", "good"),
        [((), {2, 3, 4}, {1}), ("providers=5", {5}, {1}), ("eligible=2..", {3, 4}, {2}), ("q_min=0", set(), set())],
    )
    def test_markets_lie_within_the_domain(self, domain: Any, sizes: set[int], good: set[int]) -> None:
        found = [routing._market_of(routing._unlucky_best, domain_of(domain), number) for number in range(6)]
        made = [market for market in found if market is not None]
        assert {market.config.n_providers for market in made} == sizes
        assert {len(market.good) for market in made} == good

    def test_an_error_in_the_long_run_is_a_failure_with_its_history(self) -> None:
        class Overflows(routers.UpperBounds):
            def choose(self) -> int:
                if self.step == 1_500:
                    raise OverflowError("counter")
                return super().choose()

        [found] = checked(Overflows, profile="router", only="quality-threshold").checks
        assert found.status == "failed"
        assert "assign() at step 1500 raised OverflowError" in found.message
        assert found.failure is not None
        assert found.failure.step == 1_500
        assert found.failure.misbehaviour == "raised"

    @pytest.mark.parametrize("made", [routers.StaysWithTheFirst, routers.CreditsTheNext, routers.RoundRobin])
    def test_the_script_fails_there_and_nowhere_else(self, made: type[Any], capsys) -> None:
        [found] = checked(made, profile="router", only=made.caught_by, explain=False).checks
        with pytest.raises(AssertionError, match="queries"):
            exec(found.script, {})
        mended = found.script.replace(f"import {made.__name__} as factory", "import UpperBounds as factory")
        assert mended != found.script
        exec(mended, {})
        assert "queries served: [" in capsys.readouterr().out

    def test_the_counterexample_is_the_run(self) -> None:
        [found] = checked(routers.RoundRobin, profile="router", only="quality-threshold", explain=False).checks
        data = found.to_data()["counterexample"]
        assert len(data["history"]) == routing.STEPS - 1
        assert (data["expected"], data["found"]) == ("at most 250", 500.0)


class TestSelection:
    def test_profiles_partition_what_is_asked(self) -> None:
        assert list(PROFILES) == ["auction", POSTED, "router"]
        assert set(ROUTING) == {name for name, each in described("router").items() if each.group == "routing"}
        assert {"bid-independence", "no-loss", "payment-range"} <= described(POSTED).keys()
        assert described("router", in_flight=True).keys() - described("router").keys() == {
            "threads",
            "feedback-recovery",
        }
        for profile in PROFILES:
            assert {"answers", "reproducible", "initialization-order"} <= described(profile).keys()

    def test_exclude_takes_checks_and_groups(self) -> None:
        assert list(selection(exclude=["contract", "rules", "economic"], profile="router")) == list(ROUTING)
        assert "answers" not in selection(exclude="answers")
        assert list(selection("economic", exclude="critical-payment", profile="router")) == ["payment-range"]

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"profile": "routr"}, "profile='routr' is unknown: did you mean router?"),
            ({"exclude": "answer"}, "exclude='answer' is not a check of the suite: did you mean answers"),
            (
                {"only": "critical-payment", "profile": "router"},
                "only='critical-payment' is not a check of the profile router: take the profile auction",
            ),
            ({"only": "routing"}, "only='routing' leaves no check of the profile auction"),
            ({"only": "answers", "exclude": "contract"}, "exclude='contract' leaves no check of the profile auction"),
        ],
    )
    def test_refusals(self, options: dict[str, Any], said: str) -> None:
        assert str(refusal(lambda: selection(**options))).startswith(said)


def test_the_front_door_takes_profiles() -> None:
    report = costproof.check(routers.PriceList, profile=POSTED, only="economic", exclude="no-loss", quick=True)
    assert (report.conforms, report.kind, report.excluded) == (True, POSTED, ("no-loss",))
    assert [check.name for check in report.checks] == ["payment-range", "own-bid-independence", "bid-independence"]


class TestStrict:
    """A skipped check is no failure, unless it is asked to be, or nothing ran."""

    @staticmethod
    def report(*statuses: str, **fields: Any) -> ConformanceReport:
        checks = tuple(
            CheckResult(name=f"check-{i}", claim="", group="rules", says="", status=status)  # type: ignore[arg-type]
            for i, status in enumerate(statuses)
        )
        return ConformanceReport(mechanism="m", seed=0, effort=QUICK, checks=checks, generated=len(checks), **fields)

    @pytest.mark.parametrize(
        ("statuses", "conforms", "strictly"),
        [
            (["passed"], True, True),
            (["passed", "skipped"], True, False),
            (["skipped"], False, False),
            (["passed", "failed"], False, False),
            (["passed", "expected_failure"], True, True),
        ],
    )
    def test_conforms(self, statuses: list[str], conforms: bool, strictly: bool) -> None:
        assert self.report(*statuses).conforms is conforms
        assert self.report(*statuses, strict=True).conforms is strictly

    def test_what_was_interrupted_does_not_conform(self) -> None:
        assert not replace(self.report("passed"), generated=2).conforms
