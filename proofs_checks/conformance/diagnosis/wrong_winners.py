"""Auctions that somebody wins whose adjusted bid is not the least: who they are, and by how much, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofs_checks.conformance.diagnosis.recording import Recording
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.oracle.rule_oracle import money_rounding

#: Fewer wrong winners say nothing of who they are; of more, so large a share is "nearly all".
_FEW, _NEARLY = 5, 0.9
#: A larger gap, as a share of c_max, is no near tie.
_NEAR = 0.05


@dataclass(frozen=True, kw_only=True)
class WrongWinner:
    """A step that another than the least adjusted bid won.

    Parameters
    ----------
    step, winner : int
    found, least : float
        The winner's adjusted bid, and the least of an eligible provider.
    bound : float
        c_max.
    right : tuple of int
        Who attains the least.
    """

    step: int
    winner: int
    found: float
    least: float
    bound: float
    right: tuple[int, ...]

    @property
    def gap(self) -> float:
        """How far its adjusted bid is above the least, as a share of c_max."""
        return (self.found - self.least) / self.bound


def wrong_winners(recordings: Iterable[Recording]) -> Iterator[WrongWinner]:
    """Yield the auctions with a wrong winner that is eligible, in the order of the recordings."""
    for each in recordings:
        rounding = money_rounding(each.config)
        for log, (winner, _) in each.walked():
            told = PLAIN.prescribed(log, winner)
            if told is None or told.kind != "auction" or told.may_serve:
                continue
            able = [i for i in log.providers if PLAIN.hoped(PLAIN, log, i) >= each.config.quality_threshold]
            indices = {i: PLAIN.index(PLAIN, log, i) for i in able}
            if winner not in able:
                continue
            least = min(indices.values())
            right = tuple(i for i, index in indices.items() if index <= least + rounding)
            bound = each.config.cost_bound
            yield WrongWinner(
                step=log.step, winner=winner, found=indices[winner], least=least, bound=bound, right=right
            )


def who_wins(found: Sequence[WrongWinner]) -> str:
    """Return the first of some wrong winners, as what an auction does with it.

    Examples
    --------
    >>> who_wins([WrongWinner(step=6, winner=0, found=-1.8, least=-1.9, bound=1.0, right=(2, 3))])
    'lets provider 0 win an auction although another has the lower adjusted bid (step 6: -1.8 against -1.9)'
    """
    first = found[0]
    digits = next((n for n in (6, 10) if f"{first.found:.{n}g}" != f"{first.least:.{n}g}"), 17)
    numbers = f"{first.found:.{digits}g} against {first.least:.{digits}g}"
    although = f"although another has the lower adjusted bid (step {first.step}: {numbers})"
    return f"lets provider {first.winner} win an auction {although}"


def what_they_share(found: Sequence[WrongWinner]) -> str:
    """Return what all or nearly all of some wrong winners have in common, as sentences; empty without.

    Examples
    --------
    >>> what_they_share([WrongWinner(step=6, winner=0, found=-1.89, least=-1.9, bound=1.0, right=(2, 3))] * 6)
    'All 6 wrong winners are provider 0. None is more than 0.01 c_max above the least adjusted bid.'
    """
    if len(found) < _FEW:
        return ""
    gap = max(each.gap for each in found)
    near = f"None is more than {gap:.2g} c_max above the least adjusted bid." if gap <= _NEAR else ""
    return " ".join(filter(None, (_who_they_are(found), near)))


def _who_they_are(found: Sequence[WrongWinner]) -> str:
    [(provider, times)] = Counter(each.winner for each in found).most_common(1)
    if times >= _NEARLY * len(found):
        return f"{_of(times, len(found))} wrong winners are provider {provider}."
    for words, many in (
        ("lower", sum(each.winner < min(each.right) for each in found)),
        ("higher", sum(each.winner > max(each.right) for each in found)),
    ):
        if many >= _NEARLY * len(found):
            return f"{_of(many, len(found))} wrong winners have a {words} number than the provider that should win."
    return ""


def _of(many: int, total: int) -> str:
    return f"All {total:,}" if many == total else f"{many:,} of {total:,}"
