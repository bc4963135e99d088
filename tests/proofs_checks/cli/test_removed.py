"""What was removed is refused, with what to do instead."""

from __future__ import annotations

import pytest

from proofs_checks.cli.main import main


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("check x:y --export-tests folder", "--export-tests='folder' was removed: use --script FILE"),
        ("coverage gpqa-strong --premise", "--premise was removed: scores of questions that are asked in passes"),
        ("figures coverage --setting gpqa-strong", "NAME='coverage' was removed: `costproof coverage SETTING`"),
        ("prove --graph", "--graph was removed: `costproof prove LABEL --all` lists what each step rests on"),
        ("prove --counterexamples", "--counterexamples was removed: see `costproof claims --findings`"),
        ("docs attacks", "PAGE='attacks' was removed: see certificates#what-no-machine-checks-here"),
        ("claims claim:T_id:in-flight", "WORDS='claim:T_id:in-flight' was removed: ask for claim:T_id:repaired"),
        ("coverage gpqa-strong --seed 3", "--seed='3' was removed: leave it out"),
    ],
)
def test_removed_options_are_refused(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"costproof: {said}")
    assert told.err.count("\n") == 1
