"""Bad input of every command is one line that says what is wrong and what to do instead."""

from collections.abc import Callable

import pytest

from tests.proofs_checks.outcomes import Outcome, assert_bad_input
from tests.tabled import rows_of


@pytest.mark.parametrize(("given", "said"), rows_of(__file__, "bad_input.csv"))
def test_it_is_one_line(given: str, said: str, run: Callable[..., Outcome]) -> None:
    assert_bad_input(run(*given.split()), said)
