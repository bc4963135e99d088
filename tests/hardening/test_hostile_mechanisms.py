"""Whatever a mechanism does to its process is a failed check with a whole report, and no process is left."""

from __future__ import annotations

import re

import pytest

from tests.hardening.attacks import attack
from tests.hardening.hostile import KINDS

pytestmark = pytest.mark.long("starts a process for each mechanism")

#: One of each way to misbehave, and what the message must say.
TELLING = {
    "ExitsAtOnce": r"assign\(\) at step 3 ended its process \(exit code 0\)",
    "ExitsInSettle": r"settle\(.*\) at step 3 ended its process \(exit code 0\)",
    "Segfaults": r"assign\(\) at step 3 ended its process \(signal SIGSEGV\)",
    "KillsItsParent": "the mechanism ended the process that watches over its own",
    # On a busy machine a loop waits for its turn, for up to twelve times the limit.
    "LoopsWithoutAlarm": r"assign\(\) at step 3 (took more than 0\.5 s|had not returned after 6 s, and computed for)",
    "Sleeps": r"assign\(\) at step 3 had not returned after 6 s: it waits, it does not compute",
    "StopsItself": r"assign\(\) at step 3 stopped its process \(SIGSTOP\)",
    "GrowsInOneCall": r"assign\(\) at step 3 took more than 0\.5 GiB of memory",
    # What a mechanism leaves is counted some times a second, while it is played on.
    "ThreadsWithoutEnd": r"(assign|settle)\(.*\) at step \d+ left more than \d+ threads running",
    "Daemons": r"(assign|settle)\(.*\) at step \d+ left more than 64 processes running",
    "ForksAndBothGoOn": r"assign\(\) at step 3 returned twice: the mechanism forked, and both processes went on",
    # The mechanism is played on until it is heard.
    "ClosesStandardDescriptors": r".* \(or an earlier call\) closed, redirected or read descriptors",
    "WritesIntoDescriptors": r".* at step \d+ \(or an earlier call\) wrote into the pipe",
    "FillsTheDisk": r"assign\(\) at step 3 raised OSError: \[Errno 27\] File too large",
    "PatchesBuiltins": r"assign\(\) at step 3 changed what Python rests on",
    "RaisesKeyboardInterrupt": r"assign\(\) at step 3 raised KeyboardInterrupt",
    "BaseExceptionInFloat": r"assign\(\) at step 3 raised Mine: mine",
    "HugePayment": r"assign\(\) at step 3 pays 10\^5,000 or so, which no float holds",
    "HugeProvider": r"assign\(\) at step 3 names the provider 10\^4,999 or so, outside 0\.\.\d",
    "PrintsAndAnswersNothing": r"assign\(\) at step 3 ended its process \(exit code 0\)",
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ExitsLate"])
def test_is_a_failed_check_that_says_what_happened(kind: str) -> None:
    seconds = "60" if "Grows" in kind or "Gigabytes" in kind else "0.5"  # a busy machine needs longer for the memory
    found = attack(kind, "--only", "answers", "--time-limit", seconds, "--memory-limit", "0.5")
    assert found.survived, found
    assert re.match(TELLING.get(kind, ""), found.failed["answers"])


def test_what_harms_its_process_at_once_costs_no_process_for_every_check() -> None:
    found = attack("ExitsAtOnce")
    assert found.survived, found
    assert len(found.failed) == 1


def test_one_that_dies_late_fails_where_it_dies_and_the_other_checks_go_on() -> None:
    found = attack("ExitsLate", "--only", "answers", "--only", "long-run", "--only", "lone-payment")
    assert found.survived, found
    assert found.failed.keys() == {"long-run"}
    assert re.match(r"assign\(\) at step 1000 ended its process", found.failed["long-run"])
