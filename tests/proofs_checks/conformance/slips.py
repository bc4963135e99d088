"""Slips that a first version is likely to have, by what the diagnosis says of each: none is of the gallery."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.mutants.radii import OtherLogarithm
from proofs_checks.conformance.play.any_mechanism import PlayedInteraction
from proofs_checks.conformance.play.scenario import usual_config
from tests.tabled import rows_of


class Scores(Plain):
    """Keeps all scores of each provider."""

    def _prepare(self) -> None:
        self.scores: list[list[float]] = [[] for _ in range(self.n_providers)]

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.scores[provider].append(score)


class Rivals(Plain):
    """Prices by what `rival` makes of the rivals' adjusted bids."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        bids = [self._adjusted_bid(j) for j in eligible if j != winner]
        return self._cost_radius(winner) + self.rival(bids) if bids else math.inf


class DecidesByStaleEligibility(Plain):
    def _prepare(self) -> None:
        self.stale: dict[int, bool] = {}

    def _is_eligible(self, provider: int) -> bool:
        return self.stale.get(provider, super()._is_eligible(provider))

    def settle(self, score: float, bid: float) -> None:
        if all(self.counts):
            self.stale = {i: Plain._is_eligible(self, i) for i in range(self.n_providers)}
        super().settle(score, bid)


class LooksEveryNSteps(Plain):
    def _prepare(self) -> None:
        self.kept: dict[int, bool] = {}

    def _is_eligible(self, provider: int) -> bool:
        if self.step % self.n_providers == 1:
            self.kept[provider] = super()._is_eligible(provider)
        return self.kept[provider]


class NeverLetsBack(Plain):
    def _prepare(self) -> None:
        self.out: set[int] = set()

    def _is_eligible(self, provider: int) -> bool:
        if not super()._is_eligible(provider):
            self.out.add(provider)
        return provider not in self.out


class UnionOverTheEligible(OtherLogarithm):
    """Takes for N in the radius how many were eligible one step ago."""

    def _prepare(self) -> None:
        self.now = self.before = self.n_providers

    def _radius(self, provider: int) -> float:
        return self._beta(self.counts[provider])

    def _inside(self, count: int) -> float:
        return super()._inside(count) * self.before / self.n_providers

    def _explored(self, eligible: list[int]) -> list[int]:
        self.now = len(eligible)
        return super()._explored(eligible)

    def _draw_empty(self) -> int:
        self.now = 1
        return super()._draw_empty()

    def settle(self, score: float, bid: float) -> None:
        super().settle(score, bid)
        self.before = self.now


class PositionForTheWinner(Plain):
    """Serves the provider whose number is the winner's position among the eligible, at the winner's price."""

    def _winner(self, eligible: list[int]) -> int:
        winner = super()._winner(eligible)
        return eligible.index(winner) if len(eligible) > 1 else winner

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return super()._payment(eligible[winner] if len(eligible) > 1 else winner, eligible)


class RadiiMadeAnew(Plain):
    """Brings the radii up to date every tenth step after initialization."""

    def _prepare(self) -> None:
        self.known = self.counts

    def _radius(self, provider: int) -> float:
        if (self.step - 1 - self.n_providers) % 10 == 0:
            self.known = list(self.counts)
        return self._beta(self.known[provider])


class DropsEqualFeedback(Plain):
    """Takes feedback that equals a provider's last for a duplicate."""

    def _prepare(self) -> None:
        self.last: dict[int, tuple[float, float]] = {}

    def _hear(self, provider: int, score: float, bid: float) -> None:
        if self.last.get(provider) != (score, bid):
            self.last[provider] = score, bid
            super()._hear(provider, score, bid)


class NearTiesToTheFirst(Plain):
    """Lets provider 0 win within 1% of c_max."""

    def _winner(self, eligible: list[int]) -> int:
        index = {i: self._adjusted_bid(i) for i in eligible}
        near = index.get(0, math.inf) <= min(index.values()) + 0.01 * self.bound
        return 0 if near else super()._winner(eligible)


class HearsInBatches(Plain):
    """Reads feedback once four answers are there; during initialization at once."""

    def _prepare(self) -> None:
        self.waiting: list[tuple[int, float, float]] = []

    def _hear(self, provider: int, score: float, bid: float) -> None:
        self.waiting.append((provider, score, bid))
        if len(self.waiting) >= 4 or not all(self.counts):
            for feedback in self.waiting:
                super()._hear(*feedback)
            self.waiting.clear()


class QuotesByBid(Plain):
    """Keeps the price of an auction until its winner bids otherwise."""

    def _prepare(self) -> None:
        self.quotes: dict[Any, float] = {}

    def _key(self, winner: int) -> Any:
        return winner, self.bids[winner]

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        price = super()._payment(winner, eligible)
        return self.quotes.setdefault(self._key(winner), price) if len(eligible) > 1 else price


class QuotesInARow(QuotesByBid):
    """Keeps the price of an auction until another provider wins."""

    def _key(self, winner: int) -> Any:
        if winner not in self.quotes:
            self.quotes.clear()
        return winner


class LargestBid(Plain):
    """Takes the largest bid so far for c_max in cost radii."""

    largest = 0.0

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        self.largest = max(self.largest, bid)

    def _cost_radius(self, provider: int) -> float:
        return super()._cost_radius(provider) * self.largest / self.bound


class BidsOfAuctions(Plain):
    """Stores a bid only if an auction was held."""

    by_auction = False

    def assign(self) -> tuple[int, float]:
        self.by_auction = False
        return super().assign()

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        self.by_auction = True
        return super()._payment(winner, eligible)

    def _take(self, provider: int, bid: float) -> None:
        known = 0.0 if math.isnan(self.bids[provider]) else self.bids[provider]
        super()._take(provider, bid if self.by_auction else known)


class ScoresOfTheOneBefore(Plain):
    """Credits each score to the provider that served one step before, once all have served."""

    before = -1

    def _learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.score_sums[self.before if self.step > self.n_providers + 1 else provider] += score
        self.before = provider


class BidsByIncrements(Plain):
    """Moves the standing bid by a fifth of the way to a new one."""

    def _take(self, provider: int, bid: float) -> None:
        known = self.bids[provider]
        super()._take(provider, bid if math.isnan(known) else known + 0.2 * (bid - known))


class TwiceWhenExplored(Plain):
    """Hears feedback of explorations twice."""

    explored = False

    def _explored(self, eligible: tuple[int, ...]) -> tuple[int, ...]:
        self.explored = bool(found := super()._explored(eligible))
        return found

    def _draw_empty(self) -> int:
        self.explored = False
        return super()._draw_empty()

    def _hear(self, provider: int, score: float, bid: float) -> None:
        super()._hear(provider, score, bid)
        if self.explored:
            super()._hear(provider, score, bid)


class SquaresIn16Bits(OtherLogarithm):
    """Squares counts in 16 bits: 256 squared is 0, and then taken for 1."""

    def _inside(self, count: int) -> float:
        return super()._inside(count) / count**2 * max(count**2 % 2**16, 1)


class EligibleInCostRadii(OtherLogarithm):
    """Takes for N in the cost radius how many are eligible now."""

    def _cost_radius(self, provider: int) -> float:
        count, able = self.counts[provider], max(len(self.eligible), 1)
        radius = math.sqrt(math.log(self._inside(count) * able / self.n_providers) / (2 * count))
        return (1 + self.config.belief_slack) * self.bound * radius


class BidsChangeALittle(Plain):
    """Lets a bid change by at most a quarter of c_max at a time."""

    def _take(self, provider: int, bid: float) -> None:
        if not math.isnan(known := self.bids[provider]):
            bid = min(max(bid, known - 0.25 * self.bound), known + 0.25 * self.bound)
        super()._take(provider, bid)


def priced_with(radius: Callable[[Plain, int, Sequence[int]], float]) -> Callable[..., float]:
    """Return a critical payment that adds another radius than the winner's."""

    def critical(self: Plain, winner: int, eligible: Sequence[int]) -> float:
        right = Plain._critical(self, winner, eligible)
        return right - self._cost_radius(winner) + radius(self, winner, eligible)

    return critical


def not_moved_by_0(scores: list[float]) -> float:
    mean = 0.0
    for count, score in enumerate(scores, 1):
        mean += (score - mean) / count if score else 0.0
    return mean


def goal_of_the_eligible(self: Plain) -> float:
    able = sum(map(self._is_eligible, range(self.n_providers)))
    return float(self.config.exploration_scale * (self.step / max(able, 1)) ** self.config.exploration_exponent)


def shortlist(self: Plain, eligible: list[int]) -> list[int]:
    return sorted(eligible, key=lambda i: self.bids[i])[:2]


def fading(scores: list[float]) -> float:
    """Return a running mean whose new scores weigh at least 0.1."""
    mean = 0.0
    for count, score in enumerate(scores, 1):
        mean += max(1 / count, 0.1) * (score - mean)
    return mean


def priced_by_the_lowest_bid(self: Plain, winner: int, eligible: list[int]) -> float:
    rival = min((j for j in eligible if j != winner), key=lambda j: self.bids[j], default=None)
    return math.inf if rival is None else self._cost_radius(winner) + self._adjusted_bid(rival)


def priced_by_another_level(self: Plain, winner: int, eligible: list[int]) -> float:
    others = {self._adjusted_bid(j) for j in eligible} - {self._adjusted_bid(winner)}
    return self._cost_radius(winner) + min(others, default=math.inf)


def rounded_anew(scores: list[float], digits: int) -> float:
    mean = 0.0
    for before, score in enumerate(scores):
        mean = round((mean * before + score) / (before + 1), digits)
    return mean


def highest_bid_so_far(self: Plain, provider: int, bid: float) -> None:
    self.bids[provider] = bid if math.isnan(self.bids[provider]) else max(self.bids[provider], bid)


def stored_if_not_0(self: Plain, provider: int, bid: float) -> None:
    self.bids[provider] = bid or (0.0 if math.isnan(self.bids[provider]) else self.bids[provider])


def bids_but_of_0(self: Plain, provider: int, bid: float) -> None:
    if bid or math.isnan(self.bids[provider]):
        self.bids[provider] = bid or self.bound


#: Of mutants of the gallery: what is said of each.
GALLERY = dict(rows_of(__file__, "said.csv"))
#: By what is said of it: the mechanism that errs so, and what it has in place of the base's methods.
_SLIPS: Mapping[str, tuple[type[Plain], dict[str, Any]]] = {
    "takes t // N for t/N in g(t)": (
        Plain,
        {"_goal": lambda self: self._goal_at(self.step // self.n_providers * self.n_providers)},
    ),
    "brings g(t) up to date every 10 steps only": (
        Plain,
        {"_goal": lambda self: self._goal_at(self.step - (self.step - 1 - self.n_providers) % 10)},
    ),
    "divides by the number of eligible providers, not by N, in g(t)": (Plain, {"_goal": goal_of_the_eligible}),
    "takes k t^alpha / N for g(t)": (
        Plain,
        {
            "_goal": lambda self: (
                self.config.exploration_scale * self.step**self.config.exploration_exponent / self.n_providers
            )
        },
    ),
    "rounds g(t) to the nearest whole number": (Plain, {"_goal": lambda self: float(round(Plain._goal(self)))}),
    "takes log10 for ln in the radius": (
        OtherLogarithm,
        {"_beta": lambda self, m: math.sqrt(math.log10(self._inside(m)) / (2 * m))},
    ),
    "takes radii of at most 1": (Plain, {"_beta": lambda self, m: min(1.0, Plain._beta(self, m))}),
    "takes 1 for gamma where it is 0": (
        Plain,
        {"_cost_radius": lambda self, i: (1 + (self.config.belief_slack or 1)) * self.bound * self._radius(i)},
    ),
    "takes the largest bid so far for c_max in the cost radius": (LargestBid, {}),
    "takes m + 1 for m in the winner's cost radius in P": (
        Plain,
        {
            "_critical": priced_with(
                lambda self, winner, eligible: (
                    self._cost_radius(winner) / self._radius(winner) * self._beta(self.counts[winner] + 1)
                )
            )
        },
    ),
    "lets ineligible providers set the price unless one alone is eligible": (
        Plain,
        {
            "_critical": lambda self, winner, eligible: Plain._critical(
                self, winner, range(self.n_providers) if len(eligible) > 1 else eligible
            )
        },
    ),
    "widens the radii by gamma, but for the winner's in P": (
        Plain,
        {"_critical": priced_with(lambda self, winner, eligible: self.bound * self._radius(winner))},
    ),
    "takes the winner's position among the eligible for its number in P's radius": (
        Plain,
        {"_critical": priced_with(lambda self, winner, eligible: self._cost_radius(list(eligible).index(winner)))},
    ),
    "pays a winner the price of the first auction that it won with its bid": (QuotesByBid, {}),
    "pays the same price as long as the same provider wins": (QuotesInARow, {}),
    "hears of feedback in batches of 4": (HearsInBatches, {}),
    "takes the number of eligible providers for N in the cost radius": (EligibleInCostRadii, {}),
    "takes sqrt(ln(2 / delta) / (2 m)) for the radius": (
        Plain,
        {"_beta": lambda self, m: math.sqrt(math.log(2 / self.config.confidence) / (2 * m))},
    ),
    "takes m^2 modulo 65536 in the radius": (SquaresIn16Bits, {}),
    "widens the quality radius by gamma, not the cost radius": (
        Plain,
        {
            "_best_quality": lambda self, i: self._estimate(i) + (1 + self.config.belief_slack) * self._radius(i),
            "_cost_radius": lambda self, i: self.bound * self._radius(i),
        },
    ),
    "takes m up to 20 in the radius": (Plain, {"_beta": lambda self, m: Plain._beta(self, min(m, 20))}),
    "leaves c_max out of the cost radius": (
        Plain,
        {"_cost_radius": lambda self, i: (1 + self.config.belief_slack) * self._radius(i)},
    ),
    "takes the provider's bid for c_max in the cost radius": (
        Plain,
        {"_cost_radius": lambda self, i: Plain._cost_radius(self, i) * self.bids[i] / self.bound},
    ),
    "takes 0 for adjusted bids below 0": (
        Plain,
        {"_adjusted_bid": lambda self, i: max(0.0, Plain._adjusted_bid(self, i))},
    ),
    "asks 0.05 more than q_min": (Plain, {"_best_quality": lambda self, i: Plain._best_quality(self, i) - 0.05}),
    "trusts the mean score alone of who has served 10 times": (
        Plain,
        {"_best_quality": lambda self, i: self._estimate(i) + (self.counts[i] < 10) * self._radius(i)},
    ),
    "excludes those, too, that cannot reach 0.9 times the best mean score": (
        Plain,
        {
            "_is_eligible": lambda self, i: (
                Plain._is_eligible(self, i)
                and self._best_quality(i) >= 0.9 * max(map(self._estimate, range(self.n_providers)))
            )
        },
    ),
    "judges quality by the median score": (Scores, {"_estimate": lambda self, i: statistics.median(self.scores[i])}),
    "credits the scores, not their number, to the provider that served one step before": (ScoresOfTheOneBefore, {}),
    "takes twice the feedback of explorations": (TwiceWhenExplored, {}),
    "gives every new bid the weight 0.2 (moving average)": (BidsByIncrements, {}),
    "rounds bids down to 2 decimals": (
        Plain,
        {"_take": lambda self, i, bid: Plain._take(self, i, math.floor(bid * 100) / 100)},
    ),
    "explores up to g(t + 1), not g(t)": (Plain, {"_goal": lambda self: self._goal_at(self.step + 1)}),
    "takes the steps since initialization for t in g(t)": (
        Plain,
        {"_goal": lambda self: self._goal_at(self.step - self.n_providers) if self.step > self.n_providers else 0.0},
    ),
    "takes k ln(t) for g(t)": (Plain, {"_goal": lambda self: self.config.exploration_scale * math.log(self.step)}),
    "explores only at steps that 2 divides": (
        Plain,
        {"_explored": lambda self, able: () if self.step % 2 else Plain._explored(self, able)},
    ),
    "takes (k t/N)^alpha for g(t)": (
        Plain,
        {
            "_goal": lambda self: (
                (self.config.exploration_scale * self.step / self.n_providers) ** self.config.exploration_exponent
            )
        },
    ),
    "explores among all eligible while anybody is under-sampled, eligible or not": (
        Plain,
        {"_explored": lambda self, able: able if min(self.counts) < self._goal() else ()},
    ),
    "mixes a share 0.5 of the best rival's bid (the rival's radius, not the winner's, in P) into P": (
        Plain,
        {
            "_critical": priced_with(
                lambda self, winner, eligible: (
                    (
                        self._cost_radius(winner)
                        + self._cost_radius(
                            min((j for j in eligible if j != winner), key=self._adjusted_bid, default=winner)
                        )
                    )
                    / 2
                )
            )
        },
    ),
    "pays at least the best rival's bid (the rival's radius, not the winner's, in P) in auctions": (
        Plain,
        {
            "_critical": lambda self, i, able: max(
                Plain._critical(self, i, able),
                self.bids[min((j for j in able if j != i), key=self._adjusted_bid, default=i)],
            )
        },
    ),
    "takes 0.5 times the radius": (Plain, {"_beta": lambda self, m: Plain._beta(self, m) / 2}),
    "takes the number that was eligible one step before for N in the radius": (UnionOverTheEligible, {}),
    "takes the mean of the last 50 scores": (
        Scores,
        {"_estimate": lambda self, i: statistics.fmean(self.scores[i][-50:])},
    ),
    "leaves out the scores with a score of 0": (
        Scores,
        {"_estimate": lambda self, i: self.score_sums[i] / max(sum(map(bool, self.scores[i])), 1)},
    ),
    "judges quality by a mean score that a score of 0 does not move": (
        Scores,
        {"_estimate": lambda self, i: not_moved_by_0(self.scores[i])},
    ),
    "judges quality by the mean score but for the first one": (
        Scores,
        {"_estimate": lambda self, i: statistics.fmean(self.scores[i][1:] or self.scores[i])},
    ),
    "judges quality by the mean score rounded down": (
        Plain,
        {"_estimate": lambda self, i: self.score_sums[i] // self.counts[i]},
    ),
    "brings who is eligible up to date one step late": (DecidesByStaleEligibility, {}),
    "brings who is eligible up to date every N steps only": (LooksEveryNSteps, {}),
    "never lets a provider back that was excluded": (NeverLetsBack, {}),
    "lets the best mean score win": (Plain, {"_winner": lambda self, eligible: max(eligible, key=self._estimate)}),
    "pays the lowest adjusted bid of a rival in auctions": (
        Plain,
        {"_critical": priced_with(lambda self, winner, eligible: 0.0)},
    ),
    "takes in P the lowest adjusted bid that differs from the winner's": (
        Plain,
        {"_critical": priced_by_another_level},
    ),
    "excludes nobody that has served fewer than 10 times": (
        Plain,
        {"_is_eligible": lambda self, i: self.counts[i] < 10 or Plain._is_eligible(self, i)},
    ),
    "rounds the mean score to 2 decimals whenever it changes": (
        Scores,
        {"_estimate": lambda self, i: rounded_anew(self.scores[i], 2)},
    ),
    "pays c_max in auctions": (Plain, {"_payment": lambda self, i, eligible: self.bound}),
    "takes the second lowest of the rivals' adjusted bids in P": (
        Rivals,
        {"rival": lambda self, bids: sorted(bids)[:2][-1]},
    ),
    "takes the rival with the lowest bid in P, not the one with the lowest adjusted bid": (
        Plain,
        {"_critical": priced_by_the_lowest_bid},
    ),
    "keeps bids at least 0.1 c_max": (
        Plain,
        {"_take": lambda self, i, bid: Plain._take(self, i, max(bid, 0.1 * self.bound))},
    ),
    "decides by bids rounded down to whole numbers": (
        Plain,
        {"_take": lambda self, i, bid: Plain._take(self, i, int(bid))},
    ),
    "decides by bids in single precision": (
        Plain,
        {"_take": lambda self, i, bid: Plain._take(self, i, float(np.float32(bid)))},
    ),
    "leaves out the bids of other steps than auctions": (BidsOfAuctions, {}),
    "lets a bid change by at most 0.25 c_max at a time": (BidsChangeALittle, {}),
    "leaves out the bids with a bid of 0": (Plain, {"_take": stored_if_not_0}),
    "decides by a provider's highest bid so far": (Plain, {"_take": highest_bid_so_far}),
    "drops bids of 0: the bid before stays, or c_max before any": (Plain, {"_take": bids_but_of_0}),
    "adds the cost radius to the mean score": (
        Plain,
        {"_best_quality": lambda self, i: self._estimate(i) + self._cost_radius(i)},
    ),
    "gives a new score the weight 0.1 at least: early scores fade": (
        Scores,
        {"_estimate": lambda self, i: fading(self.scores[i])},
    ),
    "takes the least, or 0 if that is negative, of the rivals' adjusted bids in P": (
        Rivals,
        {"rival": lambda self, bids: max(0.0, min(bids))},
    ),
    "takes the winner's position among the eligible for its number": (PositionForTheWinner, {}),
    "brings the radii up to date every 10 steps only": (RadiiMadeAnew, {}),
    "rounds adjusted bids to 3 digits of c_max": (
        Plain,
        {"_adjusted_bid": lambda self, i: round(Plain._adjusted_bid(self, i) / self.bound, 3) * self.bound},
    ),
    "holds auctions among the 2 lowest bids": (
        Plain,
        {
            "_winner": lambda self, eligible: Plain._winner(self, shortlist(self, eligible)),
            "_critical": lambda self, i, eligible: Plain._critical(self, i, shortlist(self, eligible)),
        },
    ),
    "leaves out the feedback that equals the one before": (DropsEqualFeedback, {}),
    "judges quality by the mean score rounded to whole percent": (
        Plain,
        {"_estimate": lambda self, i: round(Plain._estimate(self, i), 2)},
    ),
    "lets provider 0 win unless another is better by 0.01 c_max": (NearTiesToTheFirst, {}),
    "holds no auction: it pays c_max for every query, whoever serves": (
        Plain,
        {"_choose": lambda self, _: int(self.rng.integers(self.n_providers)), "_price": lambda self, *_: self.bound},
    ),
}
SLIPS = {words: type("Slip", (base,), methods) for words, (base, methods) in _SLIPS.items()}
#: Bids that tie, and are 0 at times.
TIES = PlayedInteraction(usual_config(n_providers=3), 0, tuple((1.0, (step % 3 // 2) / 2) for step in range(40)))
#: Everybody is excluded, and let back in by the draws.
RETURNING = PlayedInteraction(
    usual_config(n_providers=2, quality_threshold=0.6, confidence=0.9),
    0,
    tuple((float(t > 30), 0.5) for t in range(160)),
)
#: Each provider serves some hundred times: the radii decide what is paid, or who is eligible.
LONG = [
    PlayedInteraction(usual_config(n_providers=2, quality_threshold=q_min), 0, ((0.625, 0.5), (0.625, 0.25)) * 300)
    for q_min in (0.0, 0.75)
]
#: Of slips that no probe shows: a history that does.
SHOWN_BY = {
    "takes m^2 modulo 65536 in the radius": LONG,
    "never lets a provider back that was excluded": [RETURNING],
    "leaves out the feedback that equals the one before": [TIES],
    "takes in P the lowest adjusted bid that differs from the winner's": [TIES],
}
