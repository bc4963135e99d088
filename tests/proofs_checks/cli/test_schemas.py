"""Every document that a command prints is what its JSON Schema says, and the schemas refuse what is not."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import proofs_checks.cli
from bounds.grid.evaluate import GUARANTEES
from bounds.language.quantities import MONEY, PURE, QUERIES
from bounds.methods import METHODS
from bounds.proved_as import ProvedAs
from bounds.radii.names import PAPERS, RADII
from bounds.report import UNITS
from bounds.worth.advice import _WITHOUT
from mechanism.comparison.ranges import COMPARED
from mechanism.evaluations.formats import FORMATS
from mechanism.evaluations.market import Draws
from mechanism.evaluations.report import Kind as LeftOutKind
from mechanism.market.market import CostShape, ScoreShape
from mechanism.planner.goals import KINDS as GOAL_KINDS
from mechanism.policies import ALL_POLICIES
from mechanism.tabular.steps import FaultKind
from proofs_checks.audit.diagnosis.eligibility import OTHERS_ELIGIBLE
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.witness import KINDS
from proofs_checks.cli.commands.completion import _SHELLS
from proofs_checks.cli.main import main, make_parser
from proofs_checks.cli.schema import json_schema
from proofs_checks.conformance.checks.descriptions import Group
from proofs_checks.conformance.play.subject import Misbehaviour
from proofs_checks.conformance.report.report import Status
from proofs_checks.coverage.premise import Case
from proofs_checks.coverage.report import CostMethod
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.pages.page import _KEYS
from proofs_checks.proofs.bundle import Composed
from proofs_checks.proofs.composition import Kind
from proofs_checks.proofs.kernel.theorems import KernelStatus, States
from proofs_checks.proofs.language.obligation import Source
from proofs_checks.proofs.results import CertificateStatus
from proofs_checks.proofs.solvers.solvers import Answer
from proofs_checks.properties.lattice import PROPERTIES
from proofs_checks.reproduction.statistics import _PREDICTIONS
from proofs_checks.reproduction.tables import _CAPTIONS
from proofs_checks.verdict import EvidenceKind, Verdict
from tests.parametrized import long_but
from tests.proofs_checks.cli.documents import DOCUMENTS
from tests.proofs_checks.cli.schema_walk import SchemaWalk, subschemas

FOLDER = Path(proofs_checks.cli.__file__).with_name("schemas")
FILES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
SHARED = "shared"
COMMANDS = sorted(FILES.keys() - {SHARED})
DIAGNOSIS = Path(__file__).parents[3] / "proofs_checks" / "audit" / "diagnosis"
AUDIT_PAGE = Path(__file__).parents[3] / "docs" / "audit.md"


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of all commands, by name."""
    [choices] = [action.choices for action in make_parser()._actions if isinstance(action.choices, dict)]
    return choices


class TestFiles:
    def test_every_command_has_a_schema_and_every_schema_a_command(self) -> None:
        assert sorted(commands()) == COMMANDS
        assert sorted(DOCUMENTS) == COMMANDS

    def test_every_command_prints_its_own(self, capsys: pytest.CaptureFixture[str]) -> None:
        for command in COMMANDS:
            assert main([command, "--json-schema"]) == 0  # without what the command needs otherwise
            out, err = capsys.readouterr()
            assert (json.loads(out), err) == (json_schema(command), "")
            assert json_schema(command)["title"] == f"costproof {command} --json"

    @pytest.mark.for_each("name", FILES)
    def test_is_a_schema(self, name: str) -> None:
        Draft202012Validator.check_schema(FILES[name])
        assert FILES[name]["$schema"] == Draft202012Validator.META_SCHEMA["$id"]

    @pytest.mark.for_each("command", COMMANDS)
    def test_refers_to_nothing_outside_itself_and_defines_nothing_that_it_does_not_use(self, command: str) -> None:
        schema = json_schema(command)
        Draft202012Validator.check_schema(schema)
        references = set(re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema)))
        assert references == {f"#/$defs/{name}" for name in schema.get("$defs", {})}

    def test_every_shared_definition_is_used_and_has_a_name_of_its_own(self) -> None:
        used = {name for command in COMMANDS for name in json_schema(command).get("$defs", {})}
        assert FILES[SHARED]["$defs"].keys() <= used
        for command in COMMANDS:
            assert not FILES[command].get("$defs", {}).keys() & FILES[SHARED]["$defs"].keys()

    def test_the_files_refer_to_each_other_as_they_lie(self) -> None:
        """Whoever points a validator at the folder, without `--json-schema`, gets the same answers."""
        registry = Registry().with_resources((f"{name}.json", Resource.from_contents(FILES[name])) for name in FILES)
        found = Draft202012Validator(FILES["claims"], registry=registry, _resolver=registry.resolver("claims.json"))
        claims = {"words": [], "claims": [], "total": 1}
        assert found.is_valid(claims)
        assert not found.is_valid({**claims, "words": [1]})


#: Definitions that are closed where they are used, since others add keys to them.
OPEN_DEFINITIONS = {("bounds", "#guarantee"), ("shared", "#metrics"), ("verify", "#run")}


#: Every schema of every file: the file, where it stands, and the schema itself.
STATED = [(name, place, part) for name, schema in FILES.items() for place, part in subschemas(schema)]


class TestStyle:
    def test_every_object_with_stated_keys_is_closed_and_says_which_are_required(self) -> None:
        left_open = set()
        for name, place, part in STATED:
            if "properties" in part:
                keys = part["properties"].keys() | set(inherited(name, part))
                assert set(part.get("required", ())) <= keys, (name, place)
                if False not in (part.get("additionalProperties"), part.get("unevaluatedProperties")):
                    left_open.add((name, place))
        assert left_open == OPEN_DEFINITIONS

    def test_every_value_has_a_type(self) -> None:
        said = {"type", "enum", "const", "$ref", "oneOf", "anyOf", "allOf"}
        for name, place, part in STATED:
            for key, stated in part.get("properties", {}).items():
                assert said & stated.keys(), (name, place, key)

    def test_every_property_and_definition_is_described(self) -> None:
        for name, _, part in STATED:
            for key, stated in [*part.get("properties", {}).items(), *part.get("$defs", {}).items()]:
                assert stated.get("description") or referred(name, stated).get("description"), (name, key)


def inherited(name: str, part: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that an object gets from what it refers to."""
    for one in part.get("allOf", ()):
        yield from referred(name, one).get("properties", {})


def referred(name: str, part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a schema of a file refers to; nothing if it refers to none."""
    file, _, definition = part.get("$ref", "").rpartition("#/$defs/")
    return FILES[file.removesuffix(".json") or name]["$defs"][definition] if definition else {}


def hypotheses() -> set[str]:
    """What the diagnosis of a log can name, as its modules write it."""
    code = "".join(path.read_text(encoding="utf-8") for path in DIAGNOSIS.glob("*.py"))
    return {OTHERS_ELIGIBLE, *re.findall(r'(?:edit_of|\.explained)\(\s*"([^"]+)"', code)}


#: Where a schema lists values that the program knows: from the file and the place to the program's own list.
ENUMERATIONS: Mapping[tuple[str, str], set[Any]] = {
    ("shared", "#verdict"): {verdict.value for verdict in Verdict},
    ("shared", "#claim_kind"): {claim.kind for claim in all_claims().values()},
    ("shared", "#score_law"): set(get_args(ScoreShape)),
    ("shared", "#laws.options.cost_law"): set(get_args(CostShape)),
    ("shared", "#laws.providers[].cost_law"): set(get_args(CostShape)) - {"auto"},
    ("shared", "#policy_names"): set(ALL_POLICIES),
    ("shared", "#rule"): set(STEP_RULES),
    ("shared", "#property_name"): set(PROPERTIES),
    ("shared", "#proved_as"): {*get_args(ProvedAs), None},
    ("shared", "#other_radius"): set(RADII) - {PAPERS},
    ("bounds", "#help.radius"): {*RADII, None} - {PAPERS},
    ("bounds", "#sooner.radius"): {*RADII, None} - {PAPERS},
    ("audit", "#explanation.hypothesis"): hypotheses(),
    ("audit", "#explanation.alike[]"): {"rows exchanged"},
    ("audit", "step_faults.first[].kind"): set(get_args(FaultKind)),
    ("bounds", "method"): set(METHODS),
    ("bounds", "latex.*.unit"): {MONEY, QUERIES, PURE},
    ("bounds", "#help.parameter"): {"horizon", "method", "radius", *_WITHOUT},
    ("bounds", "#help.method"): {"sharp", "sharpest", None},
    ("bounds", "#sooner.method"): {"sharp", "sharpest", None},
    ("check", "#group"): set(get_args(Group)),
    ("check", "#result.status"): set(get_args(Status)),
    ("check", "#counterexample.misbehaviour"): {*get_args(Misbehaviour), None},
    ("compare", "metrics[].metric"): set(COMPARED),
    ("coverage", "#provider.cost_method"): set(get_args(CostMethod)),
    ("coverage", "#premise.case"): set(get_args(Case)),
    ("completion", "shell"): set(_SHELLS),
    ("prove", "#statement.assumes[].kind"): set(get_args(Kind)),
    ("prove", "#recheck.claims[].composition"): set(get_args(Composed)),
    ("prove", "#solver_answer"): set(get_args(Answer)),
    ("prove", "#obligation.certificate"): set(get_args(CertificateStatus)),
    ("prove", "#obligation.hypotheses.*.source"): set(get_args(Source)),
    ("plan", "goal[].kind"): set(GOAL_KINDS),
    ("plan", "goal[].unit"): {kind.unit for kind in GOAL_KINDS.values()},
    ("replay", "witnesses[].kind"): {*KINDS, "none"},
    ("shared", "#reproduced_table"): {"main", *_CAPTIONS},
    ("shared", "#reproduced_number.stat"): set(_PREDICTIONS),
    ("page", "kind"): set(_KEYS),
    ("simulate", "guarantees[].guarantee"): set(GUARANTEES),
    ("verify", "guarantees[].bounds[].guarantee"): set(GUARANTEES),
    ("verify", "guarantees[].bounds[].unit"): set(UNITS.values()),
    ("shared", "#evaluation.format"): set(FORMATS),
    ("shared", "#evaluation.draws"): set(get_args(Draws)),
    ("shared", "#evaluation.left_out[].what"): set(get_args(LeftOutKind)),
    ("shared", "#kernel"): set(get_args(KernelStatus)),
    ("shared", "#kernel_states"): {*get_args(States), None},
    ("verify", "#variant"): set(VARIANTS),
    ("verify", "#evidence.kind"): set(get_args(EvidenceKind)),
}
#: Lists that stand nowhere else: all their values are printed by some document below.
PRINTED = {
    ("bounds", "#gap_kind"),
    ("bounds", "#driver.kind"),
    ("plan", "backing[].backed_by"),
    ("plan", "sensitivity[].gap_kind"),
    ("prove", "#claim.composition"),
    ("prove", "#obligation.citations[].follows"),
}


class TestEnumerations:
    def test_every_list_of_values_is_that_of_the_program(self) -> None:
        stated = {(name, place): set(part["enum"]) for name, place, part in STATED if "enum" in part}
        assert stated.keys() == ENUMERATIONS.keys() | PRINTED
        for key, values in ENUMERATIONS.items():
            assert stated[key] == values, key

    def test_witnesses_are_of_the_kinds_that_replay(self) -> None:
        definitions = FILES["verify"]["$defs"]
        listed = [one["$ref"].rpartition("/")[2] for one in definitions["witness"]["oneOf"]]
        kinds = {name: definitions[name]["properties"].get("kind", {}).get("const") for name in listed}
        kinds["simulation"] = definitions["run"]["properties"]["kind"]["const"]
        assert set(kinds.values()) == set(KINDS)

    def test_the_page_lists_every_hypothesis(self) -> None:
        table = AUDIT_PAGE.read_text(encoding="utf-8").partition("| hypothesis |")[2].partition("\n\n")[0]
        told = {name for line in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", line.split("|")[1])}
        assert told == hypotheses()


#: Commands whose documents take seconds.
SLOW = {"audit", "bounds", "check", "compare", "explore", "figures", "plan", "prove", "verify"}


@dataclass(frozen=True)
class Sample:
    """What a command prints for several inputs, and its schema."""

    command: str
    documents: tuple[Any, ...]
    walk: SchemaWalk


@pytest.fixture(scope="module", params=long_but(set(COMMANDS) - SLOW, COMMANDS, reason="documents of every kind"))
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The documents of a command; made once for all tests that follow each other."""
    command = request.param
    made = DOCUMENTS[command](tmp_path_factory.mktemp(command))
    return Sample(command, tuple(made), SchemaWalk(json_schema(command)))


def test_every_document_is_what_the_schema_says(sample: Sample) -> None:
    for document in sample.documents:
        errors = [f"{error.json_path}: {error.message[:200]}" for error in sample.walk.validator.iter_errors(document)]
        assert errors == []


def test_no_test_prints_a_document_that_is_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fixture of all tests here looks at what they print."""
    monkeypatch.setattr("shtab.complete", lambda *_: 3)
    with pytest.raises(AssertionError, match=r"completion --json: \$\.script: 3 is not of type 'string'"):
        main(["completion", "bash", "--json"])


#: Keys that a document may have and none does. By how much an adjusted bid exceeds its mean cost is told of a market
#: that a claim builds for itself, and not of a log; where it stands is stated once for both. That a comparison
#: could not fail is told of runs of the reference mechanism: a log may hold payments above c_max. That costs have
#: fewer cells than usual is told of markets with more than 8,192 providers. What Coq said is told where it was asked.
NEVER_PRINTED: Mapping[str, set[str]] = {
    "audit": {"#place.by", *(f"#against_trivial.{key}" for key in ("horizon", "bound", "trivial"))},
    **{key: {"#laws.options.cost_cells"} for key in ("compare", "play", "reproduce", "simulate")},
    "prove": {
        "#report.kernel_check",
        *(f"#report.kernel_check.{key}" for key in ("coq", "theorems", "files", "problems", "seconds")),
    },
    "verify": {"#laws.options.cost_cells", "#steered.delay"},
}


def test_every_stated_key_is_printed_by_some_document(sample: Sample) -> None:
    seen = set().union(*(sample.walk.printed(document) for document in sample.documents))
    missing = {place for key, place in sample.walk.stated.items() if key not in seen}
    assert missing == NEVER_PRINTED.get(sample.command, set())


def test_every_value_of_a_list_that_stands_nowhere_else_is_printed(sample: Sample) -> None:
    nodes = [node for document in sample.documents for node in sample.walk.nodes(document)]
    for name, place in PRINTED:
        if name == sample.command:
            [listed] = [part["enum"] for at, part in subschemas(sample.walk.schema) if at == place and "enum" in part]
            assert {node.value for node in nodes if any(part.get("enum") is listed for part in node.spoken)} == set(
                listed
            )


#: What scripts rely on, by command and place: these keys are there in every document, whatever else is added.
PROMISED: Mapping[str, Mapping[str, str]] = {
    "bounds": {
        "": "setting horizon method optimal_provider second_lowest_cost providers sum_quality_selection_bounds "
        "sum_cost_selection_bounds exploration_cap identification_bound identification_horizon burn_in bounds",
        "providers[]": "name qualified gap gap_kind selection_bound selection_cap",
        "bounds": "quality_regret generation_regret excess_payment average_payment_deviation",
        "bounds.quality_regret": "value applies reason anytime gap_dependent",
        "bounds.generation_regret": "value applies reason anytime gap_dependent",
        "bounds.excess_payment": "value applies reason without_exploration",
        "bounds.average_payment_deviation": "value applies reason",
    },
    "coverage": {
        "": "setting providers total",
        "providers[]": "name budget exact_score_failure tail_bound elimination",
    },
    "verify": {
        "": "settings seed versions claims counts ran",
        "claims[]": "label setting verdict statement evidence",
        "claims[].evidence[]": "kind tried tightest_ratio witness",
    },
    "simulate": {
        "": "setting horizon runs seed steps seconds steps_per_second policies",
        "policies.*": "share_of_optimal moving_share_of_optimal unqualified_share quality_regret generation_regret "
        "accuracy generation_cost amount_paid identified eligible exploration_steps excess_payment "
        "excess_payment_without_exploration auction_payment_moving selections",
        "policies.*.accuracy": "mean sd",
        "policies.*.selections": "mean sd",
    },
    "reproduce": {
        "": "numbers agree_within_3 total",
        "numbers[]": "setting table row column stat printed ours standard_error z",
    },
    "prove": {
        "": "claims trusted_base",
        "claims[]": "label verdict composition beyond obligations",
        "claims[].obligations[]": "name logic z3 cvc5 seconds hypotheses_satisfiable mutants_refuted certificate",
    },
    "check": {"": "mechanism seed checks ran failed", "checks[]": "name claim status message counterexample examples"},
    "audit": {
        "": "trace steps violations claims",
        "violations[]": "step rule expected found",
        "claims[]": "label verdict tightest_ratio",
    },
}


def test_what_is_promised_is_required(sample: Sample) -> None:
    nodes = [node for document in sample.documents for node in sample.walk.nodes(document)]
    for place, keys in PROMISED.get(sample.command, {}).items():
        required = [{key for part in node.spoken for key in part.get("required", ())} for node in nodes]
        found = [one for one, node in zip(required, nodes, strict=True) if node.place == place]
        assert found, place
        assert all(set(keys.split()) <= one for one in found), place
