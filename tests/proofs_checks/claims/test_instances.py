"""The instances: corners occur, the good event holds and its edges are reached, and every claim is put to use."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from costproof.strategies import markets, settings as any_settings, traces
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode, simulate
from mechanism.market.market import market_laws
from mechanism.platform import Platform
from mechanism.tables import radius_table
from proofs_checks.claims.cases.boundary import BOUNDARY, explored_for_ever
from proofs_checks.claims.cases.constructed import EdgeBidder, FixedMarket, constructed_case
from proofs_checks.claims.cases.edge_walk import BandWalk, Direction
from proofs_checks.claims.cases.instances import instance_case, random_case
from proofs_checks.claims.cases.variants import PRIOR, VARIANTS, deviations_of, play, slack_of, with_slacks
from proofs_checks.claims.model import conditions as masks, precondition as p
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.precondition import BELIEFS_AND_DEVIATIONS, bids_within
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.conformance.play.played import Played
from proofs_checks.verdict import Verdict
from proofs_checks.verify.episodes import DEFAULT, QUICK
from tests.bounds.by_hand import LITTLE, setting_of
from tests.proofs_checks.conformance.test_strategies import COVERED, OF_SETTINGS, OF_TRACES

#: Claims that are compared on markets built for them only; `test_findings` does.
BUILT = {
    "lem:good-event",  # steered scores are chosen, not drawn
    "claim:widening-necessary",
    "claim:widening-necessary:repaired",
    "claim:condition-cannot-be-dropped",
    "claim:condition-cannot-be-dropped:fixed-costs",
    "claim:summary-appC:selection",
}

OF_DEVIATIONS = (
    *("lem:deviation-adjusted-bid-bounds", "prop:deviation-selection"),
    *("thm:deviation-generation-regret:anytime", "lem:deviation-payment"),
)


def test_an_instance_is_a_function_of_seed_and_number() -> None:
    for instance in (0, 1, 7):
        one, two = random_case(3, instance), random_case(3, instance)
        assert one.setting == two.setting
        assert one.trace == two.trace
        assert one.origin.items() >= {"kind": "steered", "seed": 3, "instance": instance}.items()
    assert random_case(3, 1).setting != random_case(4, 1).setting
    assert random_case(3, 1).setting != random_case(3, 2).setting


class TestDefault:
    def test_the_good_event_holds_on_all(self, default_cases: list[Case]) -> None:
        assert {case.band_exit for case in default_cases} == {None}
        assert sum(len(case.trace) for case in default_cases) > 100_000

    def test_corners_occur(self, default_cases: list[Case]) -> None:
        own = {
            "slacks": lambda c: min(c.value(name, "all") for name in ("belief_slack", "underbid", "overbid")) > 0,
            "five providers": lambda c: c.setting.n_providers == 5,
            "small and large money": lambda c: c.setting.platform.cost_bound in (1e-3, 100),
            "bids outside [0, c_max]": lambda c: bool(
                (c.trace.bid < 0).any() or (c.trace.bid > c.setting.platform.cost_bound).any()
            ),
            "T_0 passed": lambda c: not c.setting.unmet_assumptions and bool(masks.late_auctions(c).any()),
            "T_0 passed with somebody unqualified": lambda c: (
                not c.setting.unmet_assumptions and bool(c.setting.unqualified) and bool(masks.late_auctions(c).any())
            ),
            "an unqualified provider excluded": lambda c: any(
                not c.replay.eligible[-1, i] for i in c.setting.unqualified
            ),
        }
        assert [name for name, holds in own.items() if not any(map(holds, default_cases))] == []
        played = [Played(case.setting, case.trace) for case in default_cases]
        absent = {name for name, so in OF_TRACES.items() if not any(map(so, played))}
        absent |= {name for name, so in OF_SETTINGS.items() if not any(so(each.setting) for each in played)}
        assert absent == {"the good event fails"}

    @pytest.mark.long("every claim on every default instance")
    def test_every_claim_is_put_to_use(self, default_findings: dict[str, list[Evidence]]) -> None:
        wanted = {(label, part.name) for label in default_findings for part in all_claims()[label].parts()}
        compared = {
            (label, part.name)
            for label, findings in default_findings.items()
            for finding in findings
            for part in finding.parts
            if part.tightness.checked
        }
        assert {label for label, _ in wanted - compared} == BUILT
        assert {label for label, _ in compared} == default_findings.keys() - BUILT

    @pytest.mark.long("every claim on every default instance")
    def test_nothing_is_refuted_but_documented_findings(self, default_findings: dict[str, list[Evidence]]) -> None:
        refuted = {
            label
            for label, findings in default_findings.items()
            if any(finding.verdict is Verdict.REFUTED for finding in findings)
        }
        assert {label for label in refuted if not all_claims()[label].finding} == set()

    @pytest.mark.for_each(("label", "slack"), [*itertools.product(OF_DEVIATIONS, ("underbid", "overbid"))])
    def test_some_instance_needs_the_slack(self, default_cases: list[Case], label: str, slack: str) -> None:
        """Without d_- or d_+ in its bound the claim would be refuted: the instances are not all harmless."""
        stated = claim(label)
        narrower = replace(stated, regime=replace(stated.regime, overrides={**stated.regime.overrides, slack: 0.0}))
        met = [case for case in default_cases if stated.check(case).tightness.checked]
        assert any(narrower.check(case).verdict is Verdict.REFUTED for case in met)


NAMES = list(BOUNDARY)


@pytest.fixture(scope="module")
def cases(default_cases: list[Case]) -> dict[str, Case]:
    return dict(zip(NAMES, default_cases, strict=False))


@pytest.mark.long("plays the instances again")
def test_they_come_first_and_do_not_depend_on_the_seed(default_cases: list[Case]) -> None:
    assert len(BOUNDARY) < QUICK.instances < DEFAULT.instances
    for number, name in enumerate(NAMES):
        other = instance_case(9, number)
        assert other.trace == default_cases[number].trace
        assert other.setting == default_cases[number].setting
        made = {"kind": "steered", "seed": 9, "instance": number, "market": name}
        assert dict(other.origin) == made | {"setting": default_cases[number].origin["setting"]}
    first_random = len(BOUNDARY)
    assert instance_case(9, first_random).trace == random_case(9, first_random).trace


@pytest.mark.parametrize("name", NAMES)
def test_they_meet_the_assumptions_and_refute_no_claim(name: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    assert case.setting.unmet_assumptions == ()
    assert case.band_exit is None
    refuted = {label for label, c in all_claims().items() if c.checks and c.is_refuted_by(c.check(case).verdict)}
    assert refuted == set()
    followed = claim("alg:platform").check(case)
    # A trace of N steps serves nobody after the initialization, for which the algorithm is cited.
    serves = len(case.trace) > case.setting.n_providers
    assert followed.verdict is (Verdict.NOT_REFUTED if serves else Verdict.VACUOUS)
    assert followed.tightness.checked


def test_the_run_that_is_written_down_is_what_the_platform_plays_with_the_same_draws() -> None:
    providers = (Provider("a", 0.75, 0.5), Provider("b", 0.5, 1.25))
    setting = Setting("two", PlatformParameters(0.25, 0.3, 2.0, 1.0, 1 - 1e-9), providers)
    platform = Platform(MechanismConfig.of(setting), np.random.default_rng(4))
    market = FixedMarket([p.quality for p in providers], [p.mean_cost for p in providers])
    played = run_episode(platform, [TruthfulBidder(2.0), TruthfulBidder(2.0)], market, 1002)
    draws = played.provider[2::2]
    assert 100 < draws.sum() < 400
    assert explored_for_ever(setting, draws).trace == played
    lopsided = explored_for_ever(setting, np.zeros(300, np.int64))
    assert claim("eq:allocation").check(lopsided).verdict is Verdict.REFUTED


DIRECTIONS: tuple[Direction, ...] = ("up", "down", "random", "alternate")
LENGTH = 4000
COUNTS = np.arange(1, LENGTH + 1)
#: beta(m) at N = 3, delta = 0.3.
BETA = np.sqrt(np.log(2 * np.pi**2 * 3 * COUNTS**2.0 / 0.9) / (2 * COUNTS))


def walk(mean: float, upper: float, direction: Direction) -> np.ndarray:
    walker = BandWalk(mean, upper, direction, radius_table(3, 0.3).upto(LENGTH), np.random.default_rng(0))
    return np.array([walker.next() for _ in range(LENGTH)])


@pytest.mark.for_each("direction", DIRECTIONS)
@pytest.mark.parametrize("upper", [1.0, 100.0])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.97, 1.0])
def test_walks_stay_in_range_and_in_the_band(share: float, upper: float, direction: Direction) -> None:
    values = walk(share * upper, upper, direction)
    assert values.min() >= 0
    assert values.max() <= upper * (1 + 1e-9)
    gaps = np.abs(np.cumsum(values) / COUNTS - share * upper)
    assert (gaps <= upper * BETA * (1 + 1e-12)).all()


@pytest.mark.for_each("share", [0.0, 0.03, 0.5, 0.97, 1.0])
@pytest.mark.parametrize(("direction", "sign"), [("up", 1), ("down", -1)])
def test_walks_reach_the_chosen_edge(share: float, direction: Direction, sign: int) -> None:
    gaps = sign * (np.cumsum(walk(share, 1.0, direction)) / COUNTS - share) / BETA
    room = share if sign < 0 else 1 - share
    assert (gaps >= -1e-9).all()
    # The edge lies in [0, 1] from the count on at which the radius is smaller than the room.
    reachable = room > 1.01 * BETA
    np.testing.assert_allclose(gaps[reachable], 1.0, atol=1e-6)
    assert reachable.any() == (room > 0.05)


def test_alternating_walks_take_the_largest_and_the_smallest_value_in_turn() -> None:
    assert walk(0.5, 1.0, "alternate")[:6].tolist() == [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def setting(**platform: float) -> Setting:
    pairs = [(0.7, 0.4), (0.5, 1.0), (0.2, 0.1)]
    return setting_of(pairs, **{**LITTLE, "confidence": 0.3, "cost_bound": 2.0, **platform})


class TestEdgeBidder:
    @pytest.mark.for_each("sign", [-1.0, 1.0])
    @pytest.mark.parametrize("clip", [True, False])
    def test_bids_at_the_edge_of_the_slacks(self, sign: float, clip: bool) -> None:
        platform = setting(belief_slack=0.4, underbid=0.1, overbid=0.2)
        bidders = [EdgeBidder(platform, 0.4, sign, clip) for _ in platform.providers]
        case = constructed_case(platform, bidders, horizon=600, rng=np.random.default_rng(1), ties="first")
        assert bids_within(case, 0.4, 0.1, 0.2) is None
        assert bids_within(case, 0.39, 0.1, 0.2) is not None
        assert bids_within(case, 0.4, 0.1 - 1e-6 * (sign < 0), 0.2 - 1e-6 * (sign > 0)) is not None
        inside = (case.trace.bid >= 0) & (case.trace.bid <= 2.0)
        assert inside.all() == clip

    def test_an_estimate_is_clipped_before_the_deviation(self) -> None:
        # The estimate is 0 at most; the deviation of d_- then leads to -0.1, not further.
        bidder = EdgeBidder(setting(belief_slack=1.0, underbid=0.1), 1.0, -1.0, clip=False)
        assert bidder.observe(0.0, 0.0) == pytest.approx(-0.1)


def market(*providers: tuple[float, float], **slacks: float) -> Setting:
    return setting_of(providers, cost_bound=10.0, exploration_scale=1.0, exploration_exponent=0.5, **slacks)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_bids_lie_within_the_slacks_and_in_range(variant: str, name: str) -> None:
    case = play(published(name).setting, variant, horizon=400, seed=1, run=0)
    assert COVERED[variant].failure(case) is None
    assert p.BIDS_IN_RANGE.failure(case) is None
    assert len(case.trace) == 400
    named = {"kind": "simulation", "variant": variant, "seed": 1, "run": 0, "horizon": 400, "setting_name": name}
    assert named.items() <= case.origin.items()
    if variant != "truthful":
        assert p.TRUTHFUL_BIDS.failure(case) is not None, "the variant must do something"


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_deviations_leave_the_cost_gaps_separated(name: str) -> None:
    prepared = VARIANTS["deviating"].prepare(published(name).setting)
    assert prepared.platform.underbid > 0
    assert p.unseparated(prepared) is None


def test_deviations_are_a_tenth_of_the_smallest_gap() -> None:
    assert deviations_of(market((0.9, 2.0), (0.9, 5.0), (0.9, 9.0))) == pytest.approx((0.3, 0.3))
    assert deviations_of(market((0.9, 2.0), (0.9, 5.0), underbid=0.7)) == (0.7, 0.0), "the setting's own win"


def test_without_a_gap_a_hundredth_of_the_bound() -> None:
    for providers in (((0.9, 2.0), (0.9, 2.0)), ((0.9, 2.0), (0.1, 3.0)), ((0.1, 2.0), (0.1, 3.0))):
        assert deviations_of(market(*providers)) == (0.1, 0.1)


def test_the_slack_covers_the_prior_or_is_the_settings() -> None:
    plain = market((0.9, 2.0), (0.9, 5.0))
    assert slack_of(plain) == PRIOR.belief_slack(plain) > 0
    assert slack_of(with_slacks(plain, belief_slack=50.0)) == 50.0


def test_truthful_runs_drop_the_settings_slacks() -> None:
    slack = market((0.9, 2.0), (0.9, 5.0), belief_slack=1.0, underbid=0.5, overbid=0.5)
    prepared = VARIANTS["truthful"].prepare(slack).platform
    assert (prepared.belief_slack, prepared.underbid, prepared.overbid) == (0.0, 0.0, 0.0)
    assert prepared == with_slacks(market((0.9, 2.0), (0.9, 5.0))).platform


@pytest.mark.for_each("variant", VARIANTS)
def test_a_case_is_the_plain_episode_on_independent_queries(variant: str) -> None:
    setting = published("gsm8k-ladder").setting
    case = play(setting, variant, horizon=600, seed=2, run=3)
    prepared = VARIANTS[variant].prepare(setting)
    laws = market_laws(prepared, questions=0)
    assert laws.market(2, 3).pool is None
    plain = simulate(prepared, horizon=600, seed=2, run=3, bidders=VARIANTS[variant].bidders, laws=laws)
    assert case.trace == plain
    assert case.setting == prepared
    assert case.origin["market"] == "independent queries"


CHECKED = {label: claim for label, claim in all_claims().items() if claim.checks}
#: Their verdict is whether the bids satisfied them, which arbitrary bids need not.
ABOUT_BIDS = {"asmp:beliefs", "asmp:bounded-deviations"}


def refuted(case: Case) -> dict[str, Evidence]:
    """The claims that a case refutes against expectation."""
    found = {label: claim.check(case) for label, claim in CHECKED.items() if not claim.finding}
    as_assumed = BELIEFS_AND_DEVIATIONS.failure(case) is None
    return {
        label: finding
        for label, finding in found.items()
        if finding.verdict is Verdict.REFUTED and (as_assumed or label not in ABOUT_BIDS)
    }


def quiet(examples: int) -> settings:
    """Time on shared machines varies: no deadline and no complaint about slow draws."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def never_refuted(case: Case) -> None:
    assert case.band_exit is None
    assert refuted(case) == {}


def drawn_cases(longest: int = 150) -> st.SearchStrategy[Case]:
    """Cases on the good event, however providers bid, clipped or not; most settings satisfy the assumptions."""
    return st.booleans().flatmap(
        lambda clip: traces(
            any_settings(n_providers=(2, 4)) | markets(slacks=True), horizon=(1, longest), bidding=None, clip=clip
        ).map(lambda played: played.case)
    )


@quiet(8)
@given(drawn_cases())
def test_no_claim_is_refuted(case: Case) -> None:
    never_refuted(case)


@pytest.mark.long("100 cases")
@quiet(100)
@given(drawn_cases(300))
def test_no_claim_is_refuted_on_many(case: Case) -> None:
    never_refuted(case)
