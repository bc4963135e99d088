"""Every document that a command prints is what its JSON Schema says, and the schemas refuse what is not."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bounds.published import published
from bounds.setting.file import format_setting
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.witness import KINDS
from proofs_checks.cli.main import main
from proofs_checks.cli.schema import json_schema
from proofs_checks.diagnosis.accidents import ACCIDENTS
from proofs_checks.diagnosis.parameters import PARAMETERS
from tests.mechanism.made_evaluations import PRICE_FILE, made_answers, write_format
from tests.parametrized import long_but
from tests.proofs_checks.outcomes import Run, parsers
from tests.tabled import rows_of

DIAGNOSIS_PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "read-a-diagnosis.md"


COMMANDS = sorted(parsers())


class TestSchemas:
    def test_every_command_has_documents_here(self) -> None:
        assert {*DOCUMENTED, "explore", "replay"} == {*COMMANDS}

    def test_every_command_prints_its_own(self, passed: Run) -> None:
        for command in COMMANDS:
            schema = json_schema(command)
            outcome = passed(command, "--json-schema")  # without what the command needs otherwise
            assert (outcome.data, outcome.err) == (schema, "")
            assert schema["title"] == f"costproof {command} --json"

    @pytest.mark.for_each("command", COMMANDS)
    def test_refers_to_nothing_outside_itself_and_defines_nothing_that_it_does_not_use(self, command: str) -> None:
        schema = json_schema(command)
        Draft202012Validator.check_schema(schema)
        references = set(re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema)))
        assert references == {f"#/$defs/{name}" for name in schema.get("$defs", {})}

    @pytest.mark.for_each("command", COMMANDS)
    def test_describes_every_key(self, command: str) -> None:
        silent = [
            key
            for part in objects(json_schema(command))
            for key, stated in part["properties"].items()
            if not (stated.get("description") or "$ref" in stated)
        ]
        assert not silent


def objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every schema of an object with stated keys, at any depth."""
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for part in parts:
        yield from objects(part)


#: Commands whose documents take seconds.
SLOW = {"audit", "bounds", "check", "coverage", "figures", "plan", "prove", "verify"}


class TestEnumerations:
    def test_witnesses_are_of_the_kinds_that_replay(self) -> None:
        definitions = json_schema("verify")["$defs"]
        kinds = (part["properties"]["kind"]["enum"] for name, part in definitions.items() if name.endswith("Witness"))
        assert sorted(each for kind in kinds for each in kind) == sorted(KINDS)

    def test_the_page_lists_every_cause_of_the_log_and_the_setting(self) -> None:
        table = DIAGNOSIS_PAGE.read_text(encoding="utf-8").partition("| cause |")[2].partition("\n\n")[0]
        told = {name for line in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", line.split("|")[1])}
        assert told == {cause.name for cause in (*ACCIDENTS, *PARAMETERS)}


#: What scripts rely on, by command and place: these keys are there in every document, whatever else is added.
PROMISED = rows_of(__file__, "promised.csv")


def parts(document: Any, place: str) -> list[Any]:
    """Return what stands at a place of a document; ``[]`` are the items of a list, and ``*`` any key of an object."""
    found = [document]
    for key in filter(None, re.split(r"\.|(\[\]|\*)", place)):
        inner = ((one if key == "[]" else one.values() if key == "*" else [one[key]]) for one in found)
        found = [item for items in inner for item in items]
    return found


def test_no_test_prints_a_document_that_is_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fixture of all tests here looks at what they print."""
    monkeypatch.setattr("shtab.complete", lambda *_: 3)
    with pytest.raises(AssertionError, match=r"completion --json: \$\.script: 3 is not of type 'string'"):
        main(["completion", "bash", "--json"])


#: Documents of each form, on markets of each kind; the fixture of all tests here holds them to their schemas.
DOCUMENTS = rows_of(__file__, "documents.csv")
DOCUMENTED = list(dict.fromkeys(command for command, _ in DOCUMENTS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with markets of each kind, a log, a wrong one with another name of a column, and a report."""
    place = tmp_path_factory.mktemp("documents")
    given = published("gpqa-strong").setting
    for name, changes in {
        "other-radius": {"radius": "beta-binomial"},
        "deviating": {"underbid": 5.0, "overbid": 5.0},
        "lone": {"quality_threshold": 0.19},
        "none": {"quality_threshold": 0.99},
        "all": {"quality_threshold": 0.0},
        "late": {"exploration_exponent": 0.001},
    }.items():
        setting = replace(given, platform=replace(given.platform, **changes))
        (place / f"{name}.toml").write_text(format_setting(setting))
    free = tuple(replace(each, mean_cost=0.0, listed_price=None) for each in given.providers)
    tie = replace(given, providers=free)
    (place / "tie.toml").write_text(format_setting(tie))
    trace = simulate(tie, horizon=100, seed=0)
    write_trace(trace, place / "log.csv", tie)
    write_trace(replace(trace, payment=trace.payment * 0.99), place / "odd.csv", tie)
    (place / "odd.csv").write_text((place / "odd.csv").read_text().replace("payment", "spend"))
    report = audit([simulate(given, horizon=100, seed=0)], given).to_data()
    for format in ("sprout", "routerbench"):
        write_format(format, made_answers(12), place)
    (place / "prices.csv").write_text(PRICE_FILE)
    (place / "audit.json").write_text(json.dumps(report))
    return place


@pytest.mark.parametrize("command", long_but({*DOCUMENTED} - SLOW, DOCUMENTED, reason="prints several documents"))
def test_documents_keep_to_their_schemas(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(folder)
    documents = []
    for asked in [arguments for name, arguments in DOCUMENTS if name == command]:
        outcome = run(command, *asked.split(), "--json")
        assert outcome.code in (0, 1), asked
        documents.append(outcome.data)
    promised = {place: keys for name, place, keys in PROMISED if name == command}
    reports = [each for each in documents if isinstance(each, dict) and {*promised.get("", "").split()} <= each.keys()]
    assert reports
    for place, keys in promised.items():
        found = [part for report in reports for part in parts(report, place)]
        assert found, place
        assert all({*keys.split()} <= part.keys() for part in found), place
