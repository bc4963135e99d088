"""What findings and witnesses say: horizons missing, replays, and implications that are declared and true."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings, strategies as st

from bounds.errors import InputError
from bounds.language.quantities import HORIZON
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from costproof import strategies
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims import implications as oracle
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.implications import (
    SPARED,
    ContradictionError,
    broken_implications,
    closed,
    forbid_contradictions,
    implications,
)
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import each_provider, horizons
from proofs_checks.claims.model.evidence import NOTHING_MEETS_IT, AgainstTrivial, Evidence, Part, combine
from proofs_checks.claims.model.in_flight import PLUS
from proofs_checks.claims.model.precondition import PLAIN_MECHANISM
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import start_of
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_quantities import NON_OPTIMAL
from proofs_checks.claims.model.trivial import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS
from proofs_checks.claims.model.witness_kinds import COMPUTED_KINDS
from proofs_checks.claims.reach import with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.replaying import replay_report
from proofs_checks.claims.statements.bayesian import UNDISTORTED
from proofs_checks.claims.statements.definitions import WIDENED
from proofs_checks.claims.statements.deviations import DEVIATIONS
from proofs_checks.claims.witness import KINDS
from proofs_checks.verdict import PROOFS, Verdict
from proofs_checks.verify.run import Effort, verify
from tests.proofs_checks.claims.test_findings import case_of, evidence_of
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.wrongs import CHECKED, GALLERY, LOGS, UNREFUTABLE, judged
from tests.refusals import assert_refused

#: Starts early: M_i and so T_0 are small where qualities lie far apart and k is large.
EARLY = Setting(
    name="early",
    platform=PlatformParameters(
        quality_threshold=0.9, confidence=0.5, cost_bound=1.0, exploration_scale=5.0, exploration_exponent=0.5
    ),
    providers=(
        Provider(name="a", quality=1.0, mean_cost=0.1),
        Provider(name="b", quality=1.0, mean_cost=0.9),
        Provider(name="c", quality=0.0, mean_cost=0.05),
    ),
)


def vacuous(label: str):
    return combine([part.compared(Tightness(0, 0)) for part in claim(label).parts()])


def held(label: str):
    return combine([part.compared(Tightness(9, 0)) for part in claim(label).parts()])


class TestTheHorizonThatIsMissing:
    @pytest.mark.for_each(
        ("label", "method", "quantity"),
        [
            ("thm:regret", "paper", "burn_in"),
            ("lem:two-sided-payment", "paper", "burn_in"),
            ("lem:ordinary-qualified-set", "paper", "burn_in"),
            ("claim:T_id:repaired", "paper", "identification_horizon"),
            ("thm:regret:sharp", "sharp", "burn_in"),
            ("lem:two-sided-payment:sharp", "sharp", "burn_in"),
            ("claim:T_id:sharp", "sharp", "identification_horizon"),
        ],
    )
    def test_it_is_the_number_of_the_report(self, label: str, method: str, quantity: str) -> None:
        setting = published("gpqa-full").setting
        expected = getattr(evaluate_bounds(setting, horizon=5_000, method=method), quantity)
        found = with_horizons(claim(label), vacuous(label), setting, 5_000)
        needed = [part.horizon_needed for part in found.parts if part.horizon_needed is not None]
        assert needed
        assert {each.value for each in needed} == {expected}
        assert {each.reached for each in needed} == {5_000}
        assert found.verdict is Verdict.VACUOUS
        assert str(needed[0]) in str(found.reason)

    def test_a_claim_without_such_a_horizon_stays_in_plain_words(self) -> None:
        found = vacuous("lem:ordinary-selection-gap")
        same = with_horizons(claim("lem:ordinary-selection-gap"), found, published("gpqa-strong").setting, 5_000)
        assert same == found
        assert same.reason == NOTHING_MEETS_IT

    def test_a_horizon_that_was_reached_is_not_what_was_missing(self) -> None:
        found = with_horizons(claim("lem:two-sided-payment"), vacuous("lem:two-sided-payment"), EARLY, 10**9)
        assert found.reason == NOTHING_MEETS_IT
        assert all(part.horizon_needed is None for part in found.parts)

    @pytest.mark.for_each("label", [label for label, each in all_claims().items() if each.checks])
    def test_nothing_is_compared_before_a_start(self, label: str) -> None:
        """The start that a condition names is its own: it is met nowhere before, and somewhere after (for EARLY)."""
        case = play(EARLY, "truthful", horizon=2_000, seed=0, run=0)
        for check in claim(label).checks:
            start = start_of(check.on) if isinstance(check, Relation) else None
            if start is None:
                continue
            value = start.value(EARLY)
            met = check.on(case)
            rows = met.any(axis=1) if met.ndim > 1 else met
            assert value < 2_000, "the market was made to start early"
            assert not rows[: int(value) - 1].any()
            assert rows[int(value) :].any()


class TestWhatCouldNotFail:
    def test_by_hand(self) -> None:
        """B_id of gpqa-strong beside T - 1, and the bound of thm:sample-complexity:sharp once it is below."""
        setting = published("gpqa-strong").setting
        (part,) = with_trivial(claim("claim:B_id-tightened"), held("claim:B_id-tightened"), [(setting, 70_000)]).parts
        expected = setting.n_providers - 1 + evaluate_bounds(setting, horizon=70_000).identification_bound
        assert part.could_fail is False
        assert part.against_trivial == AgainstTrivial(horizon=70_000, bound=float(expected), trivial=69_999.0)
        label = "thm:sample-complexity:sharp"
        part, _ = with_trivial(claim(label), held(label), [(setting, 70_000)]).parts
        assert (part.could_fail, part.against_trivial) == (True, None)

    @pytest.mark.for_each("name", PUBLISHED_NAMES)
    @pytest.mark.parametrize(
        ("label", "guarantee"),
        [("claim:B_id-tightened", "identification"), ("thm:excess-payment-general", "excess_payment")],
    )
    def test_a_guarantee_that_says_something_could_fail(self, name: str, label: str, guarantee: str) -> None:
        setting = published(name).setting
        worth = evaluate_bounds(setting, horizon=70_000).guarantees[guarantee].worth
        found = with_trivial(claim(label), held(label), [(setting, 70_000)])
        part = found.parts[-1]
        assert part.could_fail is True or not worth.informative
        if worth.informative_from is not None and worth.informative_from <= 70_000:
            assert part.could_fail is True

    def test_the_tightest_that_could_fail_by_hand(self) -> None:
        """Queries that miss i* beside 40 + T/2, which is below the trivial T - 1 for long horizons alone."""
        case = replace(play(EARLY, "truthful", horizon=500, seed=0, run=0), origin={"kind": "steered"})
        found = Relation(NON_OPTIMAL, 40 + HORIZON / 2, horizons, "by hand").check(case, {})
        steps, missed = np.arange(1, 501), np.cumsum(case.trace.provider != EARLY.optimal)
        ratios = missed / (40 + steps / 2)
        able = 40 + steps / 2 < steps - 1
        assert found.telling["left"] / found.telling["right"] == ratios[able].max() == ratios[found.telling["step"] - 1]
        assert found.ratio == ratios[2:].max()

    def test_nothing_is_said_where_the_trivial_value_is_not_known(self) -> None:
        setting = published("gpqa-strong").setting
        for label in ("lem:radius-sum", "lem:payment-range", "lem:ordinary-payment", "eq:payment"):
            found = with_trivial(claim(label), held(label), [(setting, 1_000)])
            assert {part.could_fail for part in found.parts} == {None}

    def test_one_run_that_could_fail_is_enough(self) -> None:
        """A longer run, or one with less slack, could fail where another could not."""
        setting = published("gsm8k-full").setting
        label = "claim:B_id-tightened"
        short, long = (setting, 10_000), (setting, 70_000)
        for played in ([short, long], [long, short]):
            (part,) = with_trivial(claim(label), held(label), played).parts
            assert part.could_fail is True
        (part,) = with_trivial(claim(label), held(label), [short]).parts
        assert part.could_fail is False

    @pytest.mark.for_each("label", [label for label in all_claims() if label.endswith(":in-flight")])
    def test_in_flight_is_like_the_claim_that_it_extends(self, label: str) -> None:
        """Without queries in flight the bounds are the same, so one could fail exactly if the other could."""
        played = [(published("gpqa-strong").setting, 10_000)]

        def told(label: str) -> dict[Any, Part]:
            stated = claim(label)
            parts = with_trivial(stated, held(label), played).parts
            return {
                (check.left, part.name.removesuffix(PLUS)): part
                for check, part in zip(stated.checks, parts, strict=True)
                if isinstance(check, Relation)
            }

        base, extended = told(label.removesuffix(":in-flight")), told(label)
        for (left, name), part in base.items():
            if left in TRIVIAL or left in TRIVIAL_WITHOUT_UNDERBIDS:
                found = extended[left, name]
                assert found.could_fail is not None or part.could_fail is None
                assert (found.could_fail, found.against_trivial) == (part.could_fail, part.against_trivial)

    def test_a_lead_that_no_run_could_break(self) -> None:
        """i* is served once and one rival always else: T - N more at most, beside N + 2 B_id - T."""
        setting = published("gpqa-strong").setting
        label = "claim:T_id:repaired:in-flight"
        (part,) = with_trivial(claim(label), held(label), [(setting, 10_000)]).parts
        assert part.could_fail is False
        assert part.against_trivial.trivial == 2 * 10_000 - setting.n_providers
        (part,) = with_trivial(claim(label), held(label), [(setting, 1_000_000)]).parts
        assert part.could_fail is True

    @pytest.mark.for_each("variant", VARIANTS)
    def test_no_trace_exceeds_what_is_called_trivial(self, variant: str) -> None:
        """The trivial value holds on every trace: a trivial value that is too small would call a test idle."""
        case = play(published("gsm8k-ladder").setting, variant, horizon=400, seed=3, run=0)
        for left, right in TRIVIAL.items():
            relation = Relation(left, right, horizons, "trivial")
            if "selections" in str(left):
                relation = replace(relation, on=each_provider(horizons, "unqualified"), among="unqualified")
            found = relation.check(case, {})
            assert not found.violations, (left, found)
            assert found.checked


def report(*labels: str) -> dict[str, Any]:
    """What `verify --json` would say of claims whose evidence depends on no setting."""
    rows = []
    for label in labels:
        everywhere = claim(label).everywhere
        rows.append({"label": label, "setting": None, "evidence": [everywhere().to_data()]})
    return json.loads(json.dumps({"claims": rows}))


REPORT = report("lem:radius-monotone:one-provider", "lem:forced-exploration-bound:any-g")


def changed(**changes: Any) -> dict[str, Any]:
    """The same report, with its first witness changed."""
    tampered = copy.deepcopy(REPORT)
    tampered["claims"][0]["evidence"][0]["witness"].update(changes)
    return tampered


def test_witnesses_replay() -> None:
    found = replay_report(REPORT)
    assert [one.replays for one in found] == [True, True]
    assert found[0].shows == "n_providers 1, confidence 0.95, m 1, larger_m 1.05"
    assert [one.replays for one in replay_report(changed(confidence=0.05))] == [False, True]
    quiet = copy.deepcopy(REPORT)
    for row in quiet["claims"]:
        row["evidence"][0].update(witness=None, verdict="NOT_REFUTED")
    assert replay_report(quiet) == ()


def test_claims_are_chosen_with_their_variants() -> None:
    [found] = replay_report(REPORT, ["lem:radius-monotone"])
    assert found.label == "lem:radius-monotone:one-provider"
    with pytest.raises(InputError, match=r"thm:regret.*has no witness in this report: those with one are lem:radius"):
        replay_report(REPORT, ["thm:regret"])


NO_REPORTS = ([], {}, 3, None, {"claims": []}, {"claims": [1]}, {"claims": [{"label": "x"}]})


@pytest.mark.for_each(
    ("bad", "said"),
    [*((bad, "is not a report of claims") for bad in NO_REPORTS), (changed(kind="none"), "holds a witness that")],
)
def test_what_is_no_report_is_bad_input(bad: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        replay_report(bad)
    assert error.value.argument == "report"


def test_what_is_no_number_of_the_witness_is_named() -> None:
    lacking = copy.deepcopy(REPORT)
    del lacking["claims"][0]["evidence"][0]["witness"]["m"]
    for report, name in ((changed(m="x"), "m"), (changed(n_providers=None), "n_providers"), (lacking, "m")):
        found = replay_report(report)[0]
        assert (found.replays, found.differs) == (False, (name,))


def test_other_reports_say_what_to_run() -> None:
    with pytest.raises(InputError, match="its witness is the log"):
        replay_report({"claims": [{"label": "lem:payment-range"}], "violation_counts": {}})
    assert_refused("run the script that", replay_report, {"checks": []})


def test_the_tightest_comparison_of_a_claim_that_holds_replays() -> None:
    label = "eq:payment"
    data = json.loads(json.dumps(verify([], effort=Effort(1, 9, 9, instances=3), labels=[label]).to_data()))
    [piece] = data["claims"][0]["evidence"]
    assert replay_report(data) == ()
    assert all(one.holds and one.replays for one in replay_report(data, [label]))
    for change in ({"seed": 1}, {"instance": 1}, {"shows": {"violations": 0, "where": None}}, {"shows": {}}):
        changed = {
            "claims": [{**data["claims"][0], "evidence": [piece | {"tightest_run": piece["tightest_run"] | change}]}]
        }
        assert not replay_report(changed, [label])[0].replays, change


def test_a_refutation_without_its_witness_is_told() -> None:
    bare = copy.deepcopy(REPORT)
    bare["claims"][1]["evidence"][0]["witness"] = None
    assert [(one.kind, one.replays) for one in replay_report(bare)] == [("radius", True), ("none", False)]


def test_a_witness_moved_to_another_claim_is_refused() -> None:
    moved = copy.deepcopy(REPORT)
    moved["claims"][0]["label"] = "thm:regret"
    assert_refused(r"'thm:regret' holds a witness against lem:radius-monotone:one-provider", replay_report, moved)


@pytest.mark.long("evidence on five settings")
def test_every_computed_kind_belongs_to_the_claim_whose_evidence_has_it() -> None:
    found = {}
    for label, stated in all_claims().items():
        pieces = [stated.everywhere()] if stated.everywhere else []
        pieces += [stated.on_setting(published(name).setting) for name in PUBLISHED_NAMES if stated.on_setting]
        found |= {piece.witness["kind"]: label for piece in pieces if piece.witness}
    computed = {kind: label for kind, label in found.items() if kind != "trace"}
    # No published table is at odds with its setting: nothing makes that witness.
    assert {**computed, "table": "claim:table-numbers"} == COMPUTED_KINDS


REFUTED_SOMEWHERE = (
    *(label for label, stated in all_claims().items() if stated.finding),
    "thm:robust-dominant:no-loss-in-mean",
)


@pytest.fixture(scope="module")
def whole_report() -> dict[str, Any]:
    """A report with a witness of every kind that a right mechanism and a right paper leave."""
    settings = [published(name).setting for name in ("gsm8k-full", "gpqa-full", "gpqa-strong")]
    effort = Effort(runs=1, horizon=300, variant_horizon=200, instances=40)
    data = verify(settings, effort=effort, labels=REFUTED_SOMEWHERE).to_data()
    return json.loads(json.dumps(data))


Path = tuple[str | int, ...]


def leaves(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The numbers in data, fractions and texts with digits included, and where each stands."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from leaves(value, (*path, key))
    if isinstance(data, (int, float)) and not isinstance(data, bool):
        yield path, data
    if isinstance(data, str) and data.replace("/", "").replace("-", "").isdigit():
        yield path, data


def other(value: Any) -> Any:
    """A number of the same kind that is not this one."""
    return str(Fraction(value) + Fraction(1, 16)) if isinstance(value, str) else value + 1


def witnesses_in(data: dict[str, Any]) -> list[tuple[int, int]]:
    rows = enumerate(data["claims"])
    return [(row, piece) for row, each in rows for piece, one in enumerate(each["evidence"]) if one["witness"]]


def alone(data: dict[str, Any], row: int, piece: int) -> dict[str, Any]:
    kept = copy.deepcopy({**data["claims"][row], "evidence": [data["claims"][row]["evidence"][piece]]})
    return {**data, "claims": [kept]}


def replays_with(data: dict[str, Any], path: Path, value: Any) -> bool:
    """Whether the only witness of a report replays with one of its numbers changed; bad input is a no."""
    at: Any = data["claims"][0]["evidence"][0]["witness"]
    for key in path[:-1]:
        at = at[key]
    before, at[path[-1]] = at[path[-1]], value
    try:
        [found] = replay_report(data)
    except InputError:
        return False
    finally:
        at[path[-1]] = before
    assert found.replays is not bool(found.differs)
    return found.replays


#: Of a long column this many places are tried.
_OF_A_COLUMN = 4


def tried(data: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    for path, value in leaves(data):
        if path[0] != "trace" or int(path[-1]) < _OF_A_COLUMN:
            yield path, value


@pytest.mark.long("verifies a report")
def test_no_number_of_a_witness_can_be_changed(whole_report: dict[str, Any]) -> None:
    """Each number of each witness in turn; all replay as they stand."""
    survive, kinds = [], set()
    for row, piece in witnesses_in(whole_report):
        one = alone(whole_report, row, piece)
        witness = one["claims"][0]["evidence"][0]["witness"]
        kinds.add(witness["kind"])
        [untouched] = replay_report(one)
        assert untouched.replays, untouched
        survive += [
            (one["claims"][0]["label"], path, value)
            for path, value in tried(witness)
            if replays_with(one, path, other(value))
        ]
    assert survive == []
    # No published table is wrong, and no claim is refuted by several runs alone.
    assert kinds == {*KINDS} - {"table", "runs"}


PAIRS = [(cause, consequence) for cause, implied in implications().items() for consequence in implied]
COMPARED = [pair for pair in PAIRS if pair[0] in CHECKED and pair[1] in CHECKED]
ByLabel = dict[str, Evidence]
Columns = dict[str, np.ndarray]

#: What the setting of a truthful log may say about its bidders: truthful bids lie within every slack.
BELIEFS, DEVIATING = {"belief_slack": 0.1}, {"underbid": 0.02, "overbid": 0.02}


def with_slacks(case: Case, slacks: Mapping[str, float]) -> Case:
    """The same log under a setting with other slacks, its bidders declared truthful (as those of the gallery are)."""
    platform = replace(case.setting.platform, **slacks)
    return Case(replace(case.setting, platform=platform), case.trace, {**case.origin, "variant": "truthful"})


@pytest.fixture(scope="module")
def gallery() -> list[ByLabel]:
    """What every claim says about broken platforms and tampered logs, as they are and under other slacks."""
    cases = [wrong.case() for wrong in [*GALLERY, *LOGS]]
    under = [
        with_slacks(case, slacks)
        for case in cases
        for slacks in (BELIEFS, {**BELIEFS, **DEVIATING})
        if len(case.trace) < 5000
    ]
    return [judged(case) for case in [*(with_slacks(case, {}) for case in cases), *under]]


def refuting(findings: ByLabel, cause: str, consequence: str) -> bool:
    """Whether both sides of an implication are refuted: only then could it have failed."""
    return all(findings[label].verdict is Verdict.REFUTED for label in (cause, consequence))


class TestDeclared:
    def test_a_claim_implies_others_and_an_equivalence_is_declared_both_ways(self) -> None:
        declared = {label: stated.implies for label, stated in all_claims().items()}
        for cause, named in declared.items():
            assert {*named} <= declared.keys() - {cause}
            for other in implications()[cause]:
                assert cause not in implications()[other] or (other in named and cause in declared[other])

    def test_consequences_of_consequences_follow_through_equivalences(self) -> None:
        assert closed({"a": ["b"], "b": ["a", "c"], "c": []}) == {"a": ("b", "c"), "b": ("a", "c"), "c": ()}

    @pytest.mark.for_each(("cause", "consequence"), PAIRS)
    def test_both_sides_are_compared_on_one_kind_of_input(self, cause: str, consequence: str) -> None:
        first, second = claim(cause), claim(consequence)
        sides = [(one.checks, one.on_setting, one.everywhere) for one in (first, second)]
        assert any(all(kind) for kind in zip(*sides, strict=True))

    def test_a_claim_implies_what_it_contains(self) -> None:
        """Who compares all that another claim compares, with the same values, implies it: none is forgotten."""
        contained = {
            (one.label, other.label)
            for one, other in itertools.permutations(CHECKED.values(), 2)
            if together(one, other) and contains(one, other)
        }
        assert len(contained) > 20
        assert contained - set(PAIRS) == set()


#: Assumptions that exclude each other.
_EXCLUSIVE = [
    {PLAIN_MECHANISM.name, WIDENED.name},
    {"belief slack 0", WIDENED.name},
    {UNDISTORTED.name, DEVIATIONS.name},
]


def together(one: Claim, other: Claim) -> bool:
    """Whether some case can meet the assumptions of both."""
    names = {precondition.name for precondition in (*one.preconditions, *other.preconditions)}
    return not any(pair <= names for pair in _EXCLUSIVE)


def contains(one: Claim, other: Claim) -> bool:
    """Whether one claim makes every comparison of the other, with the same values."""
    return all(any(check is mine and same_values(one, other, check) for mine in one.checks) for check in other.checks)


def same_values(one: Claim, other: Claim, check: object) -> bool:
    if not isinstance(check, Relation):
        return True
    mine, theirs = (
        {name: value for name, value in stated.regime.overrides.items() if name in check.needed}
        for stated in (one, other)
    )
    return mine == theirs


#: Claims whose witness is a case on which an implication between documented findings is put to the test.
SHOWN_BY = ["claim:condition-cannot-be-dropped:fixed-costs"]


def exact_evidence(setting: Setting) -> dict[str, Evidence]:
    return {label: stated.on_setting(setting) for label, stated in all_claims().items() if stated.on_setting}


Edit = Callable[[Columns, slice, Case, float], None]


def _scale_payments(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    columns["payment"][rows] *= amount


def _pay_the_rule(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    """Pay what the rules prescribe after the edits so far, so that only the others of them show."""
    now = Case(case.setting, Trace(**columns))
    prescribed = np.where(now.replay.auction, now.replay.of_served(now.replay.critical_payments), np.inf)
    columns["payment"][rows] = np.minimum(np.nan_to_num(prescribed, posinf=np.inf), now.setting.platform.cost_bound)[
        rows
    ]


def _others_serve(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    columns["provider"][rows] = (columns["provider"][rows] + int(8 * amount)) % case.setting.n_providers


def _move_bids(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    bound = case.setting.platform.cost_bound
    columns["bid"][rows] = np.clip(columns["bid"][rows] + (amount - 1) * bound, 0.0, bound)


def _reverse_rows(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    for column in columns.values():
        column[rows] = column[rows][::-1].copy()


def _everything_at_its_mean(columns: Columns, rows: slice, case: Case, amount: float) -> None:
    """Let whoever serves score, cost and bid its means: truthful, on the good event, whoever that is."""
    quality, cost = (np.array([getattr(p, name) for p in case.setting.providers]) for name in ("quality", "mean_cost"))
    served = columns["provider"]
    columns.update(score=quality[served], cost=cost[served], bid=cost[served])


EDITS: list[Edit] = [_scale_payments, _pay_the_rule, _others_serve, _move_bids, _reverse_rows, _everything_at_its_mean]
#: Amounts close to what rounding allows are the ordinary ones: tolerances must not break an implication.
AMOUNTS = [0.0, 0.5, 0.9, 1.1, 3.0, -4.0, *(1 + sign * 10.0**-i for sign in (1, -1) for i in (6, 9, 10, 12, 14))]


@st.composite
def edited_cases(draw: st.DrawFn) -> Case:
    """A right log on a market at the edge of the confidence bands, with up to four edits."""
    longest, clip = draw(st.sampled_from([20, 100, 600])), draw(st.booleans())
    case = draw(
        strategies.traces(strategies.settings(n_providers=(2, 4)), horizon=(1, longest), bidding=None, clip=clip)
    ).case
    columns: Columns = {name: column.copy() for name, column in case.trace.columns().items()}
    edits = draw(st.lists(st.tuples(st.sampled_from(EDITS), st.sampled_from(AMOUNTS)), min_size=1, max_size=4))
    for edit, amount in edits:
        length = len(columns["bid"])
        start = draw(st.integers(0, length - 1))
        stop = draw(st.sampled_from([start + 1, length]) | st.integers(start + 1, length))
        edit(columns, slice(start, stop), case, amount)
    slacks: Mapping[str, float] = draw(st.sampled_from([{}, BELIEFS, DEVIATING, {**BELIEFS, **DEVIATING}]))
    edited = Case(case.setting, Trace(**columns), case.origin)
    return with_slacks(edited, slacks) if draw(st.booleans()) else edited


class TestOracle:
    @pytest.mark.long("judges every wrong log by every claim")
    def test_no_broken_platform_and_no_tampered_log_breaks_one(self, gallery: list[ByLabel]) -> None:
        assert [broken_implications(findings) for findings in gallery] == [()] * len(gallery)

    @pytest.mark.long("judges every wrong log by every claim")
    def test_every_implication_is_put_to_the_test(self, gallery: list[ByLabel]) -> None:
        """Where both sides are refuted the cause was needed; elsewhere the implication could say anything."""
        inputs = [*gallery, *(judged(case_of(evidence_of(label).witness or {})) for label in SHOWN_BY)]
        untested = {pair for pair in COMPARED if not any(refuting(findings, *pair) for findings in inputs)}
        assert {pair for pair in untested if pair[1] not in UNREFUTABLE} == set()

    @pytest.mark.long("judges 120 logs by every claim")
    @seed(0)
    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(edited_cases())
    def test_no_edited_log_breaks_one(self, case: Case) -> None:
        assert broken_implications(judged(case)) == ()

    @seed(0)
    @settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(strategies.settings(n_providers=(2, 3)))
    def test_no_setting_breaks_one(self, drawn: Setting) -> None:
        assert broken_implications(exact_evidence(drawn)) == ()

    def test_derivations_break_none(self) -> None:
        found = {label: stated.everywhere() for label, stated in all_claims().items() if stated.everywhere}
        assert found["cor:optimal-alpha"].verdict in SPARED
        assert broken_implications({label: e for label, e in found.items() if e.kind == "exact"}) == ()


#: What looks like an implication, in one direction or the other, and is none.
FALSE = [
    ("eq:critical-payment", "eq:payment"),
    ("eq:payment", "alg:platform"),
    ("eq:payment", "lem:payment-range"),
    ("eq:allocation", "eq:payment"),
    ("eq:qualified-set", "eq:allocation"),
    ("lem:selection-counting", "alg:platform"),
    ("lem:payment-range", "eq:payment"),
    ("eq:qualified-set", "eq:provider-history"),
    ("lem:forced-exploration-bound", "eq:qualified-set"),
    ("thm:deviation-generation-regret:anytime", "thm:deviation-generation-regret"),
    ("thm:excess-payment-general", "thm:regret:sharp"),
]


def right_case(horizon: int) -> Case:
    market = SmallMarket((0.2, 0.4), (1.0, 1.0), horizon, PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.5))
    return Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]))


class TestTester:
    @pytest.mark.long("judges every wrong log by every claim")
    def test_false_implications_are_noticed(self, gallery: list[ByLabel]) -> None:
        assert set(FALSE) & set(PAIRS) == set()
        unnoticed = [
            (cause, consequence)
            for cause, consequence in FALSE
            if not any(broken_implications(findings, {cause: (consequence,)}) for findings in gallery)
        ]
        assert unnoticed == []

    @pytest.mark.for_each(("less", "verdict"), [(1e-10, Verdict.NOT_REFUTED), (1e-8, Verdict.REFUTED)])
    def test_a_payment_within_rounding_of_the_bound_is_no_auction(self, less: float, verdict: Verdict) -> None:
        """A log rounded to ten digits: c_max to one claim, and then to the other, too."""
        right = right_case(horizon=30)
        assert right.replay.exploration.any()
        paid = np.where(right.replay.exploration, right.trace.payment * (1 - less), right.trace.payment)
        findings = judged(Case(right.setting, logs.edited(right, payment=paid)))
        assert findings["eq:payment"].verdict is findings["lem:ordinary-qualified-set"].verdict is verdict
        assert broken_implications(findings) == ()

    @pytest.mark.for_each("verdict", Verdict)
    def test_only_a_spared_cause_of_a_refuted_consequence_counts(self, verdict: Verdict) -> None:
        spared = verdict in (Verdict.NOT_REFUTED, Verdict.EXACT, *PROOFS)
        declared, refuted = {"a": ("b",)}, Evidence(Verdict.REFUTED)
        assert broken_implications({"a": Evidence(verdict), "b": refuted}, declared) == (
            (("a", "b"),) if spared else ()
        )
        spared_cause = {"a": Evidence(Verdict.NOT_REFUTED), "b": Evidence(verdict)}
        assert bool(broken_implications(spared_cause, declared)) == (verdict is Verdict.REFUTED)

    def test_claims_that_were_not_looked_at_break_nothing(self) -> None:
        refuted, spared = Evidence(Verdict.REFUTED), Evidence(Verdict.NOT_REFUTED)
        assert broken_implications({"eq:critical-payment": refuted}) == ()
        assert broken_implications({"eq:payment": spared, "no claim": refuted}) == ()

    def test_the_message_names_the_place_and_both_claims(self) -> None:
        findings = {"eq:payment": Evidence(Verdict.NOT_REFUTED), "eq:critical-payment": Evidence(Verdict.REFUTED)}
        with pytest.raises(ContradictionError, match=r"on run 3: eq:critical-payment is REFUTED, eq:payment, which"):
            forbid_contradictions(findings, "run 3")
        forbid_contradictions({**findings, "eq:payment": Evidence(Verdict.REFUTED)}, "run 3")


class TestVerify:
    """`verify` holds everything it finds to the implications."""

    def verified(self, monkeypatch: pytest.MonkeyPatch, cause: str, consequence: str, *settings: Setting) -> None:
        monkeypatch.setattr(oracle, "implications", lambda: {cause: (consequence,)})
        effort = Effort(runs=1, horizon=200, variant_horizon=100, instances=20)
        verify(settings, seed=0, effort=effort, labels=(cause, consequence))

    @pytest.mark.long("plays episodes")
    def test_episodes_are_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ContradictionError, match=r"steered episode .*'instance': \d+.*alg:platform, which implies"):
            self.verified(monkeypatch, "alg:platform", "thm:robust-dominant:no-loss-in-mean")

    def test_exact_evidence_is_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ContradictionError, match="exact evidence on gsm8k-full: claim:T_id:tightened is REFUTED"):
            self.verified(monkeypatch, "lem:good-event", "claim:T_id:tightened", published("gsm8k-full").setting)
