"""How probable it is that `verify` refutes something by chance: the ledger of its statistical tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from proofs_checks.claims.model.claim import Check, Claim
from proofs_checks.verify.episodes import Episode


def false_alarms(claims: Iterable[Claim], episodes: Sequence[Episode]) -> dict[str, Any]:
    """Return every test that may fail for a right market and mechanism, how often it was made, and the sum, as data.

    A test that several claims share was made once on an episode. Where a claim is also judged over all runs of a
    setting together, that is one more test for each setting.

    Examples
    --------
    >>> false_alarms([], [])
    {'tests': [], 'at_most': 0.0}
    """
    sharing: dict[Check, list[tuple[Claim, int]]] = {}
    for stated in claims:
        for place, check in enumerate(stated.checks):
            if check.false_alarm:
                sharing.setdefault(check, []).append((stated, place))
    tests = [_test(check, places, episodes) for check, places in sharing.items()]
    return {"tests": tests, "at_most": math.fsum(test["at_most"] for test in tests)}


def _test(check: Check, places: Sequence[tuple[Claim, int]], episodes: Sequence[Episode]) -> dict[str, Any]:
    made = [e for e in episodes if any(_compared(e, stated, place) for stated, place in places)]
    jointly = {e.setting for e in made if e.setting} if any(stated.over_runs for stated, _ in places) else set()
    times = len(made) + len(jointly)
    return {
        "test": check.name,
        "claims": [stated.label for stated, _ in places],
        "probability": check.false_alarm,
        "times": times,
        "at_most": times * check.false_alarm,
    }


def _compared(episode: Episode, stated: Claim, place: int) -> bool:
    found = episode.evidence.get(stated.label)
    return found is not None and found.parts[place].tightness.checked > 0
