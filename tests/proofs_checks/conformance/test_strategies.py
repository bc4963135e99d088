"""The strategies draw what they promise, the corners as often as the page says, and shrink to what one reads."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import find, given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import Setting
from costproof.strategies import EDGES, FAMILIES, bid_profiles, bids, markets, mechanisms, misreports, settings, traces
from mechanism.platform import reference_mechanism
from proofs_checks.claims.model import precondition
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.played import Played
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.strategies.runs import Bidding
from tests.bounds.by_hand import beta
from tests.drawn import drawn
from tests.proofs_checks.claims.test_variants import COVERED

SUBJECT = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")
ROOT = Path(__file__).parents[3]


def gaps(setting: Setting) -> list[float]:
    """Return the cost gaps beyond the deviations in shares of c_max, and the quality gaps."""
    platform, providers = setting.platform, setting.providers
    least = providers[setting.optimal].mean_cost + platform.underbid + platform.overbid
    costs = [(providers[i].mean_cost - least) / platform.cost_bound for i in setting.competitors]
    return [*costs, *(platform.quality_threshold - providers[i].quality for i in setting.unqualified)]


#: By edge, what a market at it is.
AT: dict[str, Callable[[Setting], bool]] = {
    "ordinary": lambda s: not s.unmet_assumptions,
    "tie": lambda s: (
        min(b - a for a, b in itertools.pairwise(sorted(s.providers[i].mean_cost for i in s.qualified)))
        <= math.ulp(s.platform.cost_bound)
    ),
    "threshold": lambda s: any(abs(p.quality - s.platform.quality_threshold) <= 1.01e-9 for p in s.providers),
    "lone": lambda s: len(s.qualified) == 1,
    "none": lambda s: not s.qualified,
    "all": lambda s: not s.unqualified,
    "equal-costs": lambda s: len({p.mean_cost for p in s.providers}) == 1,
    "extremes": lambda s: all({p.quality, p.mean_cost / s.platform.cost_bound} <= {0.0, 1.0} for p in s.providers),
    "two": lambda s: s.n_providers == 2,
    "no-exploration": lambda s: s.platform.exploration_scale * 1000**s.platform.exploration_exponent < 1.001,
    "tiny-delta": lambda s: s.platform.confidence <= 1e-12,
    "small-gaps": lambda s: np.allclose(gaps(s), 1e-9, rtol=1e-5),
}


@pytest.mark.for_each("edge", EDGES)
def test_markets_lie_at_their_edge(edge: str) -> None:
    assert all(map(AT[edge], drawn(markets(edge, slacks=True), 10)))


@pytest.mark.long("shrinks a second each")
@pytest.mark.for_each("edge", EDGES)
def test_markets_shrink_to_a_small_one(edge: str) -> None:
    small = find(markets(edge), lambda setting: True)
    assert small.n_providers == 2
    assert (small.platform.quality_threshold, small.platform.cost_bound) == (0.5, 1.0)
    assert {p.mean_cost for p in small.providers} <= {0.0, 0.25, 0.25 + 1e-9, 0.5}


@given(settings(n_providers=(3, 4), assumptions=True, least_gap=0.2))
def test_settings_to_which_the_theory_applies(setting: Setting) -> None:
    assert not setting.unmet_assumptions
    assert not setting.unseparated
    assert setting.n_providers in (3, 4)
    assert min(gaps(setting)) >= 0.2 * (1 - 1e-12)


def test_an_edge_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="near='ties' is unknown: did you mean tie"):
        markets("ties")


def within_bands(played: Played) -> list[bool]:
    """Return whether the means have lain in their bands before each step, and after the last."""
    setting, holds, sums = played.setting, [True], np.zeros((played.setting.n_providers, 3))
    for i, score, cost in zip(played.trace.provider, played.trace.score, played.trace.cost, strict=True):
        sums[i] += 1, score, cost
        provider, m = setting.providers[i], sums[i, 0]
        radius = beta(m, setting.n_providers, setting.platform.confidence) * (1 + 1e-11)
        inside = abs(sums[i, 1] / m - provider.quality) <= radius
        inside &= abs(sums[i, 2] / m - provider.mean_cost) <= setting.platform.cost_bound * radius
        holds.append(holds[-1] and bool(inside))
    return holds


class TestTraces:
    @given(traces(bidding=None) | traces(bidding=None, within_good_event=None))
    def test_the_good_event_is_that_of_the_running_means(self, played: Played) -> None:
        assert played.good_event.tolist() == within_bands(played)

    @given(st.sampled_from(get_args(Bidding)), st.data())
    def test_bids_lie_within_the_slacks_of_the_setting(self, bidding: Bidding, data: st.DataObject) -> None:
        played = data.draw(traces(markets(slacks=True), bidding=bidding, horizon=(5, 60)))
        assert played.good_event.all()
        assert max(5, played.setting.n_providers) <= played.horizon <= 60
        if bidding != "arbitrary":
            assert COVERED[bidding].failure(played.case) is None
        assert precondition.BIDS_IN_RANGE.failure(played.case) is None

    @pytest.mark.long("shrinks some seconds")
    def test_they_shrink_to_a_small_one(self) -> None:
        played = find(traces(), lambda played: bool(played.replay.auction.any()))
        assert (played.horizon, played.trace.payment.tolist()) == (3, [1.0, 1.0, 0.5])
        assert repr(played).endswith("3,0,0.5,0.75,0.25,0.25\n")

    def test_misreports_are_bids_at_which_something_may_change(self) -> None:
        for played in drawn(traces(horizon=40), 3):
            bound, critical = played.setting.platform.cost_bound, played.replay.critical_payments[-1, 0]
            found = np.array(drawn(misreports(played, 40, 0), 60))
            assert ((found >= 0) & (found <= bound)).all()
            assert not 0 < critical < bound or np.abs(found - critical).min() <= math.ulp(bound)


def test_mechanisms_are_those_of_the_gallery() -> None:
    assert {found.name for found in drawn(mechanisms(True), 200)} <= CORRECT.keys()
    wrong = drawn(mechanisms(False), 200)
    assert all(found is MUTANTS[found.name] and found.caught_by and found.description for found in wrong)
    assert {bool(found.caught_by) for found in drawn(mechanisms(), 100)} == {True, False}


#: By family, the kinds of steps that it is made for.
REACHED = {
    **dict.fromkeys(["auctions", "widened"], "auction tie"),
    **dict.fromkeys(["noisy", "exploring", "whole goals", "widened noisy"], "auction exploration"),
    **dict.fromkeys(["screening", "widened screening"], "strict-subset excluded"),
    **dict.fromkeys(["steered", "long run"], "auction exploration excluded"),
    **{"lone": "lone", "empty": "empty", "quality drop": "auction excluded", "near threshold": "auction"},
}


@pytest.mark.long("plays a hundred interactions of every family")
@pytest.mark.parametrize("family", REACHED)
def test_every_family_reaches_the_steps_it_is_made_for(family: str) -> None:
    met: Counter[str] = Counter()
    for scenario in drawn(FAMILIES[family](), 100):
        for decision in itertools.chain.from_iterable(play_scenario(SUBJECT, scenario).decisions):
            strict = decision.kind == "exploration" and len(decision.providers) < len(decision.eligible)
            met["lone" if decision.lone else decision.kind] += 1
            met["strict-subset"] += strict
            met["tie"] += decision.kind == "auction" and len(decision.providers) > 1
            met["excluded"] += decision.kind == "auction" and len(decision.eligible) < scenario.config.n_providers
    assert all(met[kind] >= 100 for kind in REACHED[family].split()), met


def test_bids_lie_in_range_or_have_a_meaning_and_profiles_tie_in_a_good_part_of_the_draws() -> None:
    named = ("truthful", "critical", "critical + ulp", "critical - ulp")
    assert all(bid in named or 0 <= bid <= 2.0 for bid in drawn(bids(2.0), 100))
    profiles = drawn(bid_profiles(3, 1.0), 200)
    assert all(len(profile) == 3 and all(0 <= bid <= 1.0 for bid in profile) for profile in profiles)
    assert sum(len(set(profile)) < 3 for profile in profiles) > 100


def _tied(played: Played) -> bool:
    """Whether the least standing bids, or the least adjusted bids, of an auction are equal."""
    able = played.replay.eligible & played.replay.auction[:, None]
    both = (played.replay.standing_bids, played.replay.adjusted_bids)
    least = (np.sort(np.where(able, amounts, np.inf), axis=1)[:, :2] for amounts in both)
    return any(bool(((two[:, 0] == two[:, 1]) & np.isfinite(two[:, 1])).any()) for two in least)


#: By the words of the page, what is counted in settings.
OF_SETTINGS: dict[str, Callable[[Setting], bool]] = {
    "N = 2": AT["two"],
    "all qualified": AT["all"],
    "none qualified": AT["none"],
    "one qualified": AT["lone"],
    "the cheapest qualified cost is tied": lambda s: bool(s.qualified) and s.optimal is None,
    "all costs equal": AT["equal-costs"],
    "a quality at q_min, or within 1e-9 of it": AT["threshold"],
    "a quality of 0 or 1": lambda s: any(p.quality in (0.0, 1.0) for p in s.providers),
    "a cost of 0 or c_max": lambda s: any(p.mean_cost in (0.0, s.platform.cost_bound) for p in s.providers),
    "g(100 N) < 1": lambda s: s.platform.exploration_scale * 100**s.platform.exploration_exponent < 1,
    "delta at most 1e-12": AT["tiny-delta"],
}
#: The same of traces.
OF_TRACES: dict[str, Callable[[Played], bool]] = {
    "T = N": lambda p: p.horizon == p.setting.n_providers,
    "an exploration": lambda p: bool(p.replay.exploration.any()),
    "an auction": lambda p: bool(p.replay.auction.any()),
    "an auction with equal least bids": _tied,
    "an auction of one eligible provider": lambda p: bool(
        (p.replay.auction & (p.replay.eligible.sum(axis=1) == 1)).any()
    ),
    "nobody eligible": lambda p: bool(p.replay.empty.any()),
    "g(T) < 1": lambda p: p.replay.targets[-1] <= 1,
    "the good event fails": lambda p: not p.good_event.all(),
}
HOSTILE = traces(bidding="arbitrary", within_good_event=None)


@pytest.mark.long("draws 2,000 settings and 2,000 traces")
def test_the_page_says_how_often_each_edge_comes_up() -> None:
    """Counted anew, each share lies within 8 percentage points of what the page says."""
    page = (ROOT / "docs" / "reference" / "strategies.md").read_text(encoding="utf-8")
    told = {
        cells[0].strip(): [int(share.strip(" %")) for share in cells[1:]]
        for cells in (re.split(r"\s\|\s", row.strip("| ")) for row in page.splitlines() if row.endswith("% |"))
    }
    assert told.keys() == OF_SETTINGS.keys() | OF_TRACES.keys()
    counted = {**shares(OF_SETTINGS, settings(), markets()), **shares(OF_TRACES, traces(), HOSTILE)}
    off = {name: (told[name], found) for name, found in counted.items() if not np.allclose(told[name], found, atol=8)}
    assert off == {}


def shares(counted: dict[str, Callable[[Any], bool]], *columns: st.SearchStrategy[Any]) -> dict[str, list[float]]:
    """Return in how many of a hundred draws each is so, for every column."""
    found = [drawn(column, 1000) for column in columns]
    return {name: [100 * sum(map(so, values)) / len(values) for values in found] for name, so in counted.items()}
