"""How probable it is that `verify` refutes something by chance: the ledger of its statistical tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bounds.documents import Count, Document, NonNegative, Probability, key
from proofs_checks.claims.model.claim import Check, Claim
from proofs_checks.verify.episodes import Episode


@dataclass(frozen=True, kw_only=True)
class ChanceTest:
    """A test that fails by chance at times.

    Parameters
    ----------
    test : str
        Name of the test.
    claims : tuple of str
        Labels of the claims that it is part of.
    probability : float
        With which one test fails by chance.
    times : int
        How often it was made.
    """

    test: str
    claims: tuple[str, ...]
    probability: Probability
    times: Count

    @key
    def at_most(self) -> NonNegative:
        """Bound on the probability that one of them fails."""
        return self.times * self.probability


@dataclass(frozen=True, kw_only=True)
class FalseAlarms(Document):
    """What could be refuted by chance.

    Parameters
    ----------
    tests : tuple of ChanceTest
        The tests that fail by chance at times.
    """

    tests: tuple[ChanceTest, ...] = ()

    @key
    def at_most(self) -> NonNegative:
        """Bound on the probability that anything fails by chance."""
        return math.fsum(test.at_most for test in self.tests)


def false_alarms(claims: Iterable[Claim], episodes: Sequence[Episode]) -> FalseAlarms:
    """Return every test that may fail for a right market and mechanism, and how often it was made.

    A test that several claims share was made once on an episode. Where a claim is also judged over all runs of a
    setting together, that is one more test for each setting.

    Examples
    --------
    >>> false_alarms([], []).at_most
    0.0
    """
    sharing: dict[Check, list[tuple[Claim, int]]] = {}
    for stated in claims:
        for place, check in enumerate(stated.checks):
            if check.false_alarm:
                sharing.setdefault(check, []).append((stated, place))
    return FalseAlarms(tests=tuple(_test(check, places, episodes) for check, places in sharing.items()))


def _test(check: Check, places: Sequence[tuple[Claim, int]], episodes: Sequence[Episode]) -> ChanceTest:
    made = [e for e in episodes if any(_compared(e, stated, place) for stated, place in places)]
    jointly = {e.setting for e in made if e.setting} if any(stated.over_runs for stated, _ in places) else set()
    return ChanceTest(
        test=check.name,
        claims=tuple(stated.label for stated, _ in places),
        probability=check.false_alarm,
        times=len(made) + len(jointly),
    )


def _compared(episode: Episode, stated: Claim, place: int) -> bool:
    found = episode.evidence.get(stated.label)
    return found is not None and found.parts[place].tightness.checked > 0
