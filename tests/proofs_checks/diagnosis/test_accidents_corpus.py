"""The random accidents break rules, and what is named first of most of them happened."""

from __future__ import annotations

import numpy as np
import pytest

from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import diagnose
from tests.proofs_checks.diagnosis.accidents_corpus import KINDS, SEEDS, case, wrong_mechanism

#: Logs that are diagnosed, and how many of them must be right.
DIAGNOSED, RIGHT = range(8), 7


def test_a_seed_is_a_log_that_breaks_rules() -> None:
    first, again = case(8), case(8)
    assert first.kinds == again.kinds
    assert np.array_equal(first.log.payment, again.log.payment)
    assert Trial(first.log).left


def test_a_mutant_plays_a_log_that_breaks_rules() -> None:
    name, log = wrong_mechanism(16)
    assert name == "LargestIndexWins"
    assert Trial(log).left


@pytest.mark.long("makes 200 logs")
def test_all_kinds_happen() -> None:
    assert {kind for seed in SEEDS for kind in case(seed).kinds} == KINDS.keys()


@pytest.mark.long("tries every cause on several logs")
def test_most_accidents_are_named_first() -> None:
    cases = map(case, DIAGNOSED)
    assert sum(each.right(diagnose(each.log)) for each in cases) >= RIGHT
