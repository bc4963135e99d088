"""The random instances: corners occur, the good event always holds, and every claim is put to use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.model import conditions as masks
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict

#: Claims that are compared on markets built for them only; `test_findings` does.
BUILT = {
    "lem:good-event",  # steered scores are chosen, not drawn
    "claim:widening-necessary",
    "claim:widening-necessary:repaired",
    "claim:condition-cannot-be-dropped",
    "claim:condition-cannot-be-dropped:fixed-costs",
    "claim:summary-appC:selection",
}


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

    def test_corners_of_settings_occur(self, default_cases: list[Case]) -> None:
        settings = [case.setting for case in default_cases]
        corners = {
            "two providers": lambda s: s.n_providers == 2,
            "five providers": lambda s: s.n_providers == 5,
            "equal costs": lambda s: len({p.mean_cost for p in s.providers}) < s.n_providers,
            "equal qualities": lambda s: len({p.quality for p in s.providers}) < s.n_providers,
            "a quality at the threshold": lambda s: any(p.quality == s.platform.quality_threshold for p in s.providers),
            "quality 0": lambda s: any(p.quality == 0 for p in s.providers),
            "quality 1": lambda s: any(p.quality == 1 for p in s.providers),
            "threshold 0": lambda s: s.platform.quality_threshold == 0,
            "threshold 1": lambda s: s.platform.quality_threshold == 1,
            "free": lambda s: any(p.mean_cost == 0 for p in s.providers),
            "at the cost bound": lambda s: any(p.mean_cost == s.platform.cost_bound for p in s.providers),
            "small money": lambda s: s.platform.cost_bound == 1e-3,
            "large money": lambda s: s.platform.cost_bound == 100,
            "nobody qualified": lambda s: not s.qualified,
            "one qualified": lambda s: len(s.qualified) == 1,
            "all qualified": lambda s: not s.unqualified,
            "a tie for the cheapest": lambda s: bool(s.qualified) and s.optimal is None,
            "belief slack": lambda s: s.platform.belief_slack > 0,
            "underbid": lambda s: s.platform.underbid > 0,
            "overbid": lambda s: s.platform.overbid > 0,
            "no slack": lambda s: s.platform.belief_slack == s.platform.underbid == s.platform.overbid == 0,
        }
        assert [name for name, holds in corners.items() if not any(map(holds, settings))] == []

    def test_corners_of_traces_occur(self, default_cases: list[Case]) -> None:
        corners = {
            "a horizon of N": lambda c: len(c.trace) == c.setting.n_providers,
            "a horizon just above N": lambda c: len(c.trace) == c.setting.n_providers + 1,
            "g(T) < 1": lambda c: len(c.trace) > 50 and not c.replay.exploration.any(),
            "g(T) > 10": lambda c: c.replay.targets[-1] > 10,
            "a lone eligible provider": lambda c: bool((c.replay.eligible.sum(axis=1) == 1).any()),
            "nobody eligible": lambda c: bool(c.replay.empty.any()),
            "equal counts at an auction": _equal_counts,
            "equal adjusted bids at an auction": _equal_adjusted_bids,
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
        assert [name for name, holds in corners.items() if not any(map(holds, default_cases))] == []

    @pytest.mark.long("every claim on every default instance")
    def test_every_claim_is_put_to_use(self, default_findings: dict[str, list[Finding]]) -> None:
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
    def test_nothing_is_refuted_but_documented_findings(self, default_findings: dict[str, list[Finding]]) -> None:
        refuted = {
            label
            for label, findings in default_findings.items()
            if any(finding.verdict is Verdict.REFUTED for finding in findings)
        }
        assert {label for label in refuted if not all_claims()[label].finding} == set()

    @pytest.mark.for_each(
        ("label", "slack"),
        [
            ("prop:deviation-selection", "underbid"),
            ("prop:deviation-selection", "overbid"),
            ("thm:deviation-generation-regret:anytime", "underbid"),
            ("thm:deviation-generation-regret:anytime", "overbid"),
            ("lem:deviation-payment", "underbid"),
            ("lem:deviation-payment", "overbid"),
            ("lem:deviation-adjusted-bid-bounds", "underbid"),
            ("lem:deviation-adjusted-bid-bounds", "overbid"),
        ],
    )
    def test_some_instance_needs_the_slack(self, default_cases: list[Case], label: str, slack: str) -> None:
        """Without d_- or d_+ in its bound the claim would be refuted: the instances are not all harmless."""
        stated = claim(label)
        narrower = replace(stated, regime=replace(stated.regime, overrides={**stated.regime.overrides, slack: 0.0}))
        met = [case for case in default_cases if stated.check(case).tightness.checked]
        assert any(narrower.check(case).verdict is Verdict.REFUTED for case in met)


def _equal_counts(case: Case) -> bool:
    counts = case.replay.counts[case.replay.auction]
    return bool((np.diff(np.sort(counts, axis=1), axis=1) == 0).any())


def _equal_adjusted_bids(case: Case) -> bool:
    able = case.replay.eligible & case.replay.auction[:, None]
    adjusted = np.sort(np.where(able, case.replay.adjusted_bids, np.inf), axis=1)
    return bool(((adjusted[:, 0] == adjusted[:, 1]) & np.isfinite(adjusted[:, 1])).any())
