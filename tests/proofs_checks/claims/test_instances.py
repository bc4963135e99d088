"""The random instances: corners occur, the good event always holds, and every claim is put to use."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.model import conditions as masks
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.conformance.play.played import Played
from proofs_checks.verdict import Verdict
from tests.proofs_checks.conformance.test_strategies import OF_SETTINGS, OF_TRACES

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
