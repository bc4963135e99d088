"""A claim written as docs/how-to/write-a-claim.md says is one claim for an episode and for a log in parts."""

import functools
import re
from pathlib import Path
from typing import Any

import pytest

from bounds.published import published
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.verdict import Verdict

TEXT = (Path(__file__).parents[1] / "docs" / "how-to" / "write-a-claim.md").read_text(encoding="utf-8")
CODE = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
BLOCKS = [block for block in CODE if "Claim(\n" in block]


@functools.cache
def case() -> Case:
    """What the claims are compared on; it is played when a test comes to it, and not in every worker."""
    return play(published("gpqa-strong").setting, "truthful", horizon=3000, seed=0, run=0)


def claim_of(block: str) -> Claim:
    names: dict[str, Any] = {}
    exec(block, names)
    return next(value for value in names.values() if isinstance(value, Claim))


def test_there_are_the_examples() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS)
def test_a_claim_as_written_is_compared_in_parts_as_on_the_whole(block: str) -> None:
    stated = claim_of(block)
    parts = ClaimsOnTrace(case().setting, [stated], origin=case().origin)
    for start in range(0, 3000, 250):
        parts.feed(case().trace.rows(slice(start, start + 250)), ends=start == 2750)
    [found] = parts.evidence().values()
    assert found == stated.check(case())
    assert found.verdict in (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert found.checked
