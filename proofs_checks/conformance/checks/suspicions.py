"""Ways to name, before a draw, members of a set that a biased mechanism may favour or avoid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from mechanism.config import MechanismConfig

#: Providers that are suspected by name: no stream of draws has more.
MOST_PROVIDERS = 5


class Past:
    """What happened in an interaction before a draw: all that a suspicion may look at.

    Parameters
    ----------
    config : MechanismConfig
    before : mapping
        From a step to who was drawn there by the mechanism that was played before this one.

    Examples
    --------
    >>> past = Past(MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5), {})
    >>> past.settle(1, score=1.0, bid=0.25)
    >>> past.counts, past.high
    ([0, 1], True)
    """

    def __init__(self, config: MechanismConfig, before: Mapping[int, int]) -> None:
        n = config.n_providers
        self.before = before
        self.step = 1
        self.counts, self.bids, self.score_sums = [0] * n, [0.0] * n, [0.0] * n
        self.drawn: list[int] = []
        self.drawn_at: dict[int, int] = {}
        self.high = False

    def settle(self, provider: int, score: float, bid: float) -> None:
        """Take score and bid of a step."""
        self.counts[provider] += 1
        self.bids[provider] = bid
        self.score_sums[provider] += score
        # A high score is one at the mean of all scores or above.
        self.high = score * self.step >= sum(self.score_sums)
        self.step += 1

    def draw(self, step: int, provider: int) -> None:
        """Take a draw, after the suspicions were asked."""
        self.drawn.append(provider)
        self.drawn_at[step] = provider

    def mean_score(self, provider: int) -> float:
        """Return the mean score of a provider that has served."""
        return self.score_sums[provider] / self.counts[provider]


Members = tuple[int, ...]
#: From the past and the set, in increasing order, to the members that are named.
Suspect = Callable[[Past, Members], Collection[int]]


def _provider(index: int) -> Suspect:
    return lambda past, members: (index,) if index in members else ()


def _drawn(back: int, past: Past, members: Members) -> Members:
    """Return who was drawn `back` draws ago, if it is a member."""
    return (past.drawn[-back],) if len(past.drawn) >= back and past.drawn[-back] in members else ()


def _after_last(past: Past, members: Members) -> Members:
    """Return the next member in a circle, seen from the provider drawn last."""
    last = past.drawn[-1] if past.drawn else -1
    return (next((i for i in members if i > last), members[0]),)


def _before_last(past: Past, members: Members) -> Members:
    last = past.drawn[-1] if past.drawn else -1
    return (next((i for i in reversed(members) if i < last), members[-1]),)


def _least(key: Callable[[Past, int], float]) -> Suspect:
    """Return what names all members whose key is the least."""

    def chosen(past: Past, members: Members) -> Members:
        keys = [key(past, i) for i in members]
        least = min(keys)
        return tuple(i for i, found in zip(members, keys, strict=True) if found == least)

    return chosen


def _half_by_score(past: Past, members: Members) -> Members:
    half = len(members) // 2
    return members[:half] if past.high else members[half:]


def _last_after_high(past: Past, members: Members) -> Members:
    last = _drawn(1, past, members)
    return last if past.high or not last else tuple(i for i in members if i != last[0])


def _instance_before(past: Past, members: Members) -> Members:
    drawn = past.before.get(past.step)
    return (drawn,) if drawn in members else ()


#: From what is said of the members, as the subject of "was drawn so many times", to what names them.
SUSPICIONS: Mapping[str, Suspect] = MappingProxyType(
    {
        **{f"provider {i}": _provider(i) for i in range(MOST_PROVIDERS)},
        "the provider of the lowest index in the set": lambda past, members: members[:1],
        "the provider of the highest index in the set": lambda past, members: members[-1:],
        "one of the lower half of the set, by index,": lambda past, members: members[: len(members) // 2],
        "the provider drawn just before": lambda past, members: _drawn(1, past, members),
        "the provider drawn two draws before": lambda past, members: _drawn(2, past, members),
        "the next provider in turn, upwards by index,": _after_last,
        "the next provider in turn, downwards by index,": _before_last,
        "one of those who have served least often": _least(lambda past, i: past.counts[i]),
        "one of those who have served most often": _least(lambda past, i: -past.counts[i]),
        "one of those with the lowest standing bid": _least(lambda past, i: past.bids[i]),
        "one of those with the highest standing bid": _least(lambda past, i: -past.bids[i]),
        "one of those with the best mean score": _least(lambda past, i: -past.mean_score(i)),
        "one of those with the worst mean score": _least(lambda past, i: past.mean_score(i)),
        "after a high score one of the lower half by index, else one of the upper half,": _half_by_score,
        "after a high score the provider drawn just before, else another one,": _last_after_high,
        "the provider that an instance with another seed drew at the same step": _instance_before,
    }
)
