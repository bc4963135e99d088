"""Bad input of every command is one line that says what is wrong and what to do instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.proofs_checks.outcomes import Outcome, assert_bad_input

COMPARE = "compare platform lowest-price"
FIGURES = "figures --setting gpqa-strong"
BROKEN = "tests.proofs_checks.conformance.misbehaving"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "COMMAND"),
        ("frob", "'frob'"),
        ("bonds gpqa-strong", "'bonds' is an unknown command: did you mean bounds?"),
        # The help that is named is the command's own, where its options are.
        (
            "bounds gpqa-strong --horizont 5",
            "unrecognized arguments: --horizont 5: did you mean --horizon? (see costproof bounds --help)",
        ),
        ("bounds gpqa-strong --horizont=5", "did you mean --horizon?"),
        ("bounds gpqa-strong more", "unrecognized arguments: more (see costproof bounds --help)"),
        ("--frob bounds gpqa-strong", "--frob"),
        ("compare platform platform gpqa-strong", "must be two different policies"),
        ("compare platform cheapest gpqa-strong", "'cheapest' is an unknown policy"),
        (f"{COMPARE} gpqa-strong --metric payoffs", "invalid choice: 'payoffs'"),
        (f"{COMPARE} gpqa-strong --error 1", "must lie between 0 and 1"),
        (f"{COMPARE} nowhere", "nowhere"),
        (f"{COMPARE} gpqa-strong --horizon 2", "--horizon=2"),
        ("compare platform no.where:Router gpqa-strong", "cannot be imported"),
        ("figures paymnts", "did you mean payments?"),
        ("figures gpqa-strong", "write --setting gpqa-strong"),
        ("figures --format gif", "must be one of svg, pdf, png"),
        ("figures --format ,", "names no format"),
        ("figures --setting nowhere.toml", "nowhere.toml"),
        (f"{FIGURES} --horizon 3", "at least N = 4"),
        ("figures --out /dev/null/x", "--out"),
        ("figures --runs 0", "at least 1"),
        ("bounds", "the following arguments are required: SETTING"),
        ("simulate", "the following arguments are required: SETTING"),
        ("market", "required: --answers, for example: costproof market --answers"),
        ("market --answers nowhere", "--answers='nowhere' is neither a file nor a folder"),
        ("market --answers a.csv --threshold 1.5", "argument --threshold: '1.5' must lie in 0..1"),
        ("market --answers a.csv --margin -1", "argument --margin: '-1' must not be negative"),
        ("market --answers a.csv --discount half", "'half' must be a share or MODEL=SHARE"),
        ("market --answers a.csv --price-unit 1G", "invalid choice: '1G'"),
        ("simulate gpqa-strong --prices p.csv", "--prices='p.csv' needs --answers"),
        ("simulate gpqa-strong --price-unit 1k", "--price-unit='1k' needs --answers"),
        ("compare platform lowest-price gpqa-strong --repeats last", "--repeats='last' needs --answers"),
        ("simulate gpqa-strong --metrics accuracy,paymnt-of-auctions", "did you mean recent payment of auctions?"),
        ("simulate gpqa-strong --metrics ,", "choose from all, share_of_optimal"),
        ("simulate gpqa-strong --draws passes", "--draws='passes' needs --answers"),
        ("bounds gpqa-strong --horizon 1e20", "must not exceed 2^52: larger counts are not exact in floating point"),
        ("bounds gpqa-strong --horizon 4503599627370.497k", "must not exceed 2^52"),
        ("reproduce gpqa-stron", "did you mean gpqa-strong"),
        ("reproduce gpqa-strong gpqa-strong", "names one twice"),
        ("reproduce gpqa-strong --runs 1", "at least 2"),
        ("reproduce gpqa-strong --horizon 100", "--horizon"),
        ("check", "make_router"),
        (f"check {BROKEN}:", "names no object"),
        (f"check {BROKEN}:Honst", "did you mean Honest"),
        (f"check {BROKEN}:Honest.assgin", "assgin"),
        (f"check {BROKEN}:not_callable", "cannot be called"),
        ("docs audti", "PAGE='audti' is not a page of the documentation: did you mean audit?"),
        ("verify gpqa-strong --why --csv", "--why=True is not a table"),
        ("bounds gpqa-strong --latex --csv", "--latex=True does not print a table"),
        ("check x:y --csv --markdown", "not allowed with"),
        # What was removed is refused with its replacement.
        ("settings --generations a.csv", "was removed: `costproof market --answers PATH` prints the setting"),
        ("bounds --generations a.csv", "was removed: use `costproof market --answers PATH > my-market.toml`"),
        ("bounds gpqa-strong --method sharpest-binary", "'sharpest-binary' was removed: take sharpest"),
        ("check x:y --export-tests folder", "--export-tests='folder' was removed: use --script FILE"),
        ("coverage gpqa-strong --premise", "--premise was removed: scores of questions that are asked in passes"),
        ("figures coverage --setting gpqa-strong", "NAME='coverage' was removed: `costproof coverage SETTING`"),
        ("prove --graph", "--graph was removed: `costproof prove LABEL --all` prints every definition behind"),
        ("prove --counterexamples", "--counterexamples was removed: see `costproof claims --findings`"),
        ("claims claim:T_id:in-flight", "WORDS='claim:T_id:in-flight' was removed: ask for claim:T_id:repaired"),
        ("coverage gpqa-strong --seed 3", "--seed='3' was removed: leave it out"),
    ],
)
def test_it_is_one_line(given: str, said: str, run: Callable[..., Outcome]) -> None:
    assert_bad_input(run(*given.split()), said)
