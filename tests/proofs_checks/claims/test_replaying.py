"""Witnesses in a report: replayed, tampered with, and none."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from bounds.errors import InputError
from proofs_checks.claims.registry import claim
from proofs_checks.claims.replaying import replay_report


def report(*labels: str) -> dict[str, Any]:
    """What `verify --json` would say of claims whose evidence depends on no setting."""
    rows = []
    for label in labels:
        everywhere = claim(label).everywhere
        assert everywhere is not None
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
    assert "beta(1.05) against beta(1)" in found[0].shows


def test_a_witness_that_shows_nothing_does_not_replay() -> None:
    assert [one.replays for one in replay_report(changed(confidence=0.05))] == [False, True]


def test_claims_are_chosen_with_their_variants() -> None:
    [found] = replay_report(REPORT, ["lem:radius-monotone"])
    assert found.label == "lem:radius-monotone:one-provider"
    with pytest.raises(InputError, match=r"thm:regret.*has no witness in this report: those with one are lem:radius"):
        replay_report(REPORT, ["thm:regret"])


@pytest.mark.parametrize("bad", [[], {}, 3, None, {"claims": []}, {"claims": [1]}, {"claims": [{"label": "x"}]}])
def test_what_is_no_report_is_bad_input(bad: Any) -> None:
    with pytest.raises(InputError, match="is no report of claims") as error:
        replay_report(bad)
    assert error.value.argument == "report"


@pytest.mark.parametrize("changes", [{"kind": "none"}, {"m": "x"}, {"n_providers": None}])
def test_a_witness_that_cannot_be_read_is_bad_input(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="holds a witness that") as error:
        replay_report(changed(**changes))
    assert error.value.argument == "report"


def test_a_witness_without_what_it_needs_is_bad_input() -> None:
    broken = copy.deepcopy(REPORT)
    del broken["claims"][0]["evidence"][0]["witness"]["n_providers"]
    with pytest.raises(InputError, match="cannot be read"):
        replay_report(broken)


def test_other_reports_say_what_to_run() -> None:
    with pytest.raises(InputError, match="its witness is the log"):
        replay_report({"claims": [{"label": "lem:payment-range"}], "violation_counts": {}})
    with pytest.raises(InputError, match="run the script that"):
        replay_report({"checks": []})


def test_a_report_without_refutations_has_nothing_to_replay() -> None:
    quiet = copy.deepcopy(REPORT)
    for row in quiet["claims"]:
        row["evidence"][0]["witness"] = None
    assert replay_report(quiet) == ()
