"""Witnesses in a report: replayed, tampered with, and none."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.claims.model.witness_kinds import COMPUTED_KINDS
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.replaying import replay_report
from proofs_checks.claims.witness import KINDS
from proofs_checks.verify.episodes import Effort
from proofs_checks.verify.run import verify


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


@pytest.mark.for_each("bad", [[], {}, 3, None, {"claims": []}, {"claims": [1]}, {"claims": [{"label": "x"}]}])
def test_what_is_no_report_is_bad_input(bad: Any) -> None:
    with pytest.raises(InputError, match="is not a report of claims") as error:
        replay_report(bad)
    assert error.value.argument == "report"


def test_a_witness_of_an_unknown_kind_is_bad_input() -> None:
    with pytest.raises(InputError, match="holds a witness that") as error:
        replay_report(changed(kind="none"))
    assert error.value.argument == "report"


@pytest.mark.for_each("changes", [{"m": "x"}, {"n_providers": None}])
def test_what_is_no_number_of_the_witness_is_named(changes: dict[str, Any]) -> None:
    found = replay_report(changed(**changes))[0]
    assert (found.replays, list(found.differs)) == (False, list(changes))


def test_a_witness_that_lacks_a_number_does_not_replay() -> None:
    lacking = copy.deepcopy(REPORT)
    del lacking["claims"][0]["evidence"][0]["witness"]["m"]
    found = replay_report(lacking)[0]
    assert (found.replays, found.differs) == (False, ("m",))


def test_other_reports_say_what_to_run() -> None:
    with pytest.raises(InputError, match="its witness is the log"):
        replay_report({"claims": [{"label": "lem:payment-range"}], "violation_counts": {}})
    with pytest.raises(InputError, match="run the script that"):
        replay_report({"checks": []})


def test_a_refutation_without_its_witness_is_told() -> None:
    bare = copy.deepcopy(REPORT)
    bare["claims"][1]["evidence"][0]["witness"] = None
    assert [(one.kind, one.replays) for one in replay_report(bare)] == [("radius", True), ("none", False)]


def test_a_witness_moved_to_another_claim_is_refused() -> None:
    moved = copy.deepcopy(REPORT)
    moved["claims"][0]["label"] = "thm:regret"
    with pytest.raises(InputError, match=r"'thm:regret' holds a witness against lem:radius-monotone:one-provider"):
        replay_report(moved)


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
    """The report with one piece of evidence alone."""
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
