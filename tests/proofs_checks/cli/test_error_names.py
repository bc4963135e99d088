"""Bad input is one line that says what to do; it names the parameter in Python and the flag on the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bounds.errors import InputError
from bounds.loading import load_setting
from bounds.published import published
from bounds.report import evaluate_bounds
from mechanism.bidding import prepare_bidders
from mechanism.campaign.export import check_csv
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.parallel import check_backend
from proofs_checks.claims.registry import claim
from proofs_checks.cli.output import check_writable
from proofs_checks.conformance.loading import load_factory, parse_expected_failures
from proofs_checks.proofs.prove import prove
from proofs_checks.reproduction.run import reproduce
from tests.proofs_checks.outcomes import Run, assert_bad_input, parsers
from tests.tabled import rows_of

NAME = "gpqa-strong"
SETTING = published(NAME).setting
CAMPAIGN = Campaign(settings=SETTING, horizon=100, runs=1, seed=0, window=10)

#: What is wrong in Python, the parameter that the error names, the same on the command line, and what is named there.
BAD_INPUTS: list[tuple[Callable[[], object], str, str, str]] = [
    (lambda: load_setting("gsm8k-ful"), "setting", "bounds gsm8k-ful", "SETTING='gsm8k-ful'"),
    (lambda: load_setting("gsm8k-ful"), "setting", "settings gsm8k-ful", "NAME='gsm8k-ful'"),
    (lambda: load_setting("gsm8k-ful"), "setting", "verify gsm8k-ful", "SETTING='gsm8k-ful'"),
    (lambda: load_setting("gsm8k-ful"), "setting", "audit log.csv --setting gsm8k-ful", "--setting='gsm8k-ful'"),
    (lambda: evaluate_bounds(SETTING, 2), "horizon", f"bounds {NAME} --horizon 2", "--horizon=2"),
    (lambda: evaluate_bounds(SETTING, 2), "horizon", f"simulate {NAME} --horizon 2", "--horizon=2"),
    (lambda: evaluate_bounds(SETTING, 2), "horizon", f"verify {NAME} --horizon 2", "--horizon=2"),
    (lambda: prepare_bidders(SETTING, "honest"), "bidders", f"simulate {NAME} --bidders honest", "--bidders='honest'"),
    (lambda: check_csv("export", "runs.xls"), "export", f"simulate {NAME} --export runs.xls", "--export='runs.xls'"),
    (lambda: check_backend("dask", None), "scheduler", f"simulate {NAME} --backend dask", "--scheduler=None"),
    (lambda: check_backend("threads", "tcp"), "scheduler", f"simulate {NAME} --scheduler tcp", "--scheduler='tcp'"),
    (lambda: run_campaign(CAMPAIGN, out="/dev/null"), "out", f"simulate {NAME} --out /dev/null", "--out='/dev/null'"),
    (lambda: load_factory("router"), "factory", "check router", "MODULE:OBJECT='router'"),
    (lambda: load_factory("no.py:make"), "factory", "check no.py:make", "MODULE:OBJECT='no.py:make'"),
    (
        lambda: parse_expected_failures(["answers="]),
        "expected_failures",
        "check mechanism.platform:reference_mechanism --expect-failure answers=",
        "--expect-failure='answers='",
    ),
    (lambda: prove(["lem:x"]), "labels", "prove lem:x", "LABEL='lem:x'"),
    (lambda: claim("lem:x"), "label", f"verify {NAME} --claim lem:x", "--claim='lem:x'"),
    (lambda: check_writable("report", "no/r.html"), "report", f"verify {NAME} --report no/r.html", "--report='no/r"),
    (lambda: reproduce([NAME, NAME]), "settings", f"reproduce {NAME} {NAME}", f"SETTING=['{NAME}', '{NAME}']"),
]


@pytest.mark.parametrize(("call", "parameter", "line", "flag"), BAD_INPUTS, ids=[row[2] for row in BAD_INPUTS])
def test_python_names_the_parameter_and_the_command_line_the_flag(
    call: Callable[[], object], parameter: str, line: str, flag: str, run: Run
) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == parameter
    assert_bad_input(run(*line.split()), f"costproof: {flag}")


@pytest.mark.for_each(
    ("command", "argument", "written"),
    [
        ("simulate", "out", "--out"),
        ("simulate", "--out", "--out"),
        ("simulate", "policies[1]", "--policy[1]"),
        ("reproduce", "settings[2]", "SETTING[2]"),
        ("prove", "labels", "LABEL"),
        ("audit", "path[2]", "TRACE[2]"),
        ("audit", "most_violations", "--max-violations"),
        ("check", "factory", "MODULE:OBJECT"),
        ("check", "expected_failures['lone-payment']", "--expect-failure['lone-payment']"),
        # What is no argument of the command: keys of a setting file, columns, places.
        ("bounds", "platform.confidence", "platform.confidence"),
        ("bounds", "provider[1].listed_price", "provider[1].listed_price"),
        ("audit", "trace.csv:7: bid", "trace.csv:7: bid"),
        ("bounds", "runs", "runs"),
    ],
)
def test_only_arguments_of_the_command_are_translated(command: str, argument: str, written: str) -> None:
    error = InputError(argument, 3, "is wrong", "mend it")
    assert parsers()[command].in_its_words(error) == f"{written}=3 is wrong: mend it"


def test_files_that_cannot_be_read_are_named_by_the_argument(tmp_path: Path, run: Run) -> None:
    with pytest.raises(InputError, match=r"setting=.* cannot be read"):
        load_setting(tmp_path)
    for line, flag in (
        (["bounds", tmp_path], "SETTING="),
        (["audit", "log.csv", "--setting", tmp_path], "--setting="),
        (["audit", tmp_path / "log.csv", "--setting", NAME], "TRACE="),
        (["audit", tmp_path / "log.txt", "--setting", NAME], "TRACE="),
    ):
        assert_bad_input(run(*line), f"costproof: {flag}")


def test_every_option_has_a_name_to_show() -> None:
    """A placeholder stands where an option has no flag, and no name in Python is that of another option and an `s`."""
    for parser in parsers().values():
        exclusive = {action: group for group in parser._mutually_exclusive_groups for action in group._group_actions}
        names = [name for name, _ in {(action.dest, exclusive.get(action, action)) for action in parser._actions}]
        assert len(set(names)) == len(names)  # options of which one may be given share a name
        assert all(action.option_strings or action.metavar for action in parser._actions)
        assert not {f"{name}s" for name in names} & set(names)


@pytest.mark.parametrize(("given", "said"), rows_of(__file__, "bad_input.csv"))
def test_bad_input_of_every_command_is_one_line(given: str, said: str, run: Run) -> None:
    assert_bad_input(run(*given.split()), said)
