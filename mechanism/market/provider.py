"""What one provider's queries score and cost: a score, and the cost of the candidates of best-of-n."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property

from bounds.errors import InputError
from mechanism.arguments import whole_number
from mechanism.market.laws import LAW_BITS, TOTAL_WEIGHT, DiscreteLaw
from mechanism.market.questions import LARGEST_POOL
from mechanism.randomness import squares64

SCORE_DRAW, BAND_DRAW, FIRST_CANDIDATE_DRAW = 0, 1, 2
"""Numbers of a step's draws: the score, the difficulty band, then one per candidate."""

_SPARE = 64 - LAW_BITS
#: Names, ranges and meanings of the numbers that say how questions differ in difficulty.
DIFFICULTY_RANGES = (
    ("difficulty_bits", 0, 16, "there are 2^b difficulty bands"),
    ("score_difficulty_bits", 0, 16, "there are 2^b difficulty bands"),
    ("questions", 0, LARGEST_POOL, "it is the size of a pool, or 0 for none"),
)


@dataclass(frozen=True)
class ProviderMarket:
    """Where the scores and costs of one provider come from.

    The candidates of a query share its difficulty. The law of a candidate is cut into equally likely bands, the query
    draws one of them, and each candidate draws from that band on its own. So a candidate has exactly the candidate
    law, and candidates of one query are positively correlated. Without a pool of questions, neither scores nor a
    candidate that is alone need a band.

    With a pool, the question that is asked brings the difficulty. Harder questions score less and cost more. Over a
    whole pass, scores and costs keep exactly their laws.

    Parameters
    ----------
    score_law : DiscreteLaw
        On [0, 1].
    candidate_law : DiscreteLaw
        Cost of one candidate, money.
    multiplicity : int, optional
        Candidates per query, in 1..1000.
    difficulty_bits : int, optional
        b in 0..16 of the 2^b difficulty bands of costs; 0 makes candidates independent.
    questions : int, optional
        K of a pool of questions; 0 (default) for queries that are independent.
    score_difficulty_bits : int, optional
        As `difficulty_bits`, for the scores of a pool.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Examples
    --------
    >>> from mechanism.market.laws import bernoulli, two_point
    >>> provider = ProviderMarket(bernoulli(0.8), two_point(0.25, 1.0), multiplicity=2)
    >>> provider.mean_cost, provider.candidate_correlation
    (Fraction(1, 2), 1.0)
    """

    score_law: DiscreteLaw
    candidate_law: DiscreteLaw
    _: KW_ONLY
    multiplicity: int = 1
    difficulty_bits: int = 2
    questions: int = 0
    score_difficulty_bits: int = 2

    def __post_init__(self) -> None:
        if self.score_law.maximum > 1:
            raise InputError("score_law", self.score_law.maximum, "must stay within [0, 1]", "scores do")
        for name, least, most, meaning in (("multiplicity", 1, 1000, "it is the n of best-of-n"), *DIFFICULTY_RANGES):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), meaning, least=least, most=most))

    def score(self, key: int, base: int, question: int = 0, difficulty: int | None = None) -> float:
        """Return the score of the step whose first counter is base, asked a question of the pool if there is one.

        Whoever knows the step's `difficulty` already may say it, here and for the cost.
        """
        fresh = squares64(key, base + SCORE_DRAW) >> _SPARE
        if not self.questions:
            return self.score_law.sample(fresh)
        difficulty = self.difficulty(key, base, question) if difficulty is None else difficulty
        easiness = TOTAL_WEIGHT - 1 - difficulty
        return self.score_law.sample(in_band(easiness, fresh, self.score_difficulty_bits))

    def cost(self, key: int, base: int, question: int = 0, difficulty: int | None = None) -> float:
        """Return the cost, all candidates together, of the step whose first counter is base."""
        return self.candidate_law.value(sum(self.candidate_points(key, base, question, difficulty)))

    def candidate_points(self, key: int, base: int, question: int = 0, difficulty: int | None = None) -> list[int]:
        """Return the cost of every candidate of the step whose first counter is base, in lattice steps."""
        law, first = self.candidate_law, base + FIRST_CANDIDATE_DRAW
        if self.multiplicity == 1 and not self.questions:
            return [law.point(squares64(key, first) >> _SPARE)]
        difficulty = self.difficulty(key, base, question) if difficulty is None else difficulty
        draws = (squares64(key, draw) >> _SPARE for draw in range(first, first + self.multiplicity))
        return [law.point(in_band(difficulty, draw, self.difficulty_bits)) for draw in draws]

    def difficulty(self, key: int, base: int, question: int = 0) -> int:
        """Return the difficulty of the step's query in [0, 2^62): uniform, over a pass of the pool if there is one."""
        fresh = squares64(key, base + BAND_DRAW) >> _SPARE
        return stratified(question, self.questions, fresh) if self.questions else fresh

    @property
    def mean_cost(self) -> Fraction:
        """Exact mean cost of a query."""
        return self.multiplicity * self.candidate_law.mean

    @property
    def maximum_cost(self) -> float:
        """The largest cost of a query."""
        return self.candidate_law.value(self.multiplicity * self.candidate_law.points[-1])

    @cached_property
    def candidate_covariance(self) -> Fraction:
        """Exact covariance of the costs of two candidates of one query."""
        size = TOTAL_WEIGHT >> self.difficulty_bits
        means = [Fraction(sum(p * w for p, w in band.items()), size) for band in self.bands()]
        second = sum((mean * mean for mean in means), Fraction(0)) / len(means)
        return second * self.candidate_law.unit**2 - self.candidate_law.mean**2

    @property
    def candidate_correlation(self) -> float | None:
        """Correlation of the costs of two candidates of one query; None if there is one, or no spread."""
        if self.multiplicity == 1 or not self.candidate_law.variance:
            return None
        return float(self.candidate_covariance / self.candidate_law.variance)

    @cached_property
    def cost_variance(self) -> Fraction:
        """Exact variance of the cost of a query."""
        n = self.multiplicity
        if n == 1:
            return self.candidate_law.variance
        return n * self.candidate_law.variance + n * (n - 1) * self.candidate_covariance

    def bands(self) -> list[dict[int, int]]:
        """Return for each band the weight of each point in it; a band's weights sum to 2^(62 - b)."""
        size = TOTAL_WEIGHT >> self.difficulty_bits
        bands: list[dict[int, int]] = [{} for _ in range(1 << self.difficulty_bits)]
        start = 0
        for point, end in zip(self.candidate_law.points, self.candidate_law.cumulative, strict=True):
            for band in range(start // size, (end - 1) // size + 1):
                bands[band][point] = min(end, (band + 1) * size) - max(start, band * size)
            start = end
        return bands


def in_band(common: int, fresh: int, bits: int) -> int:
    """Return 62 bits: the high ones of a common draw, then the high ones of a fresh draw.

    Examples
    --------
    >>> in_band(2**61, 2**61, 1) == 2**61 + 2**60
    True
    """
    low = LAW_BITS - bits
    return common >> low << low | fresh >> bits


def stratified(question: int, questions: int, fresh: int) -> int:
    """Return 62 bits that rise with the question; exactly uniform over a pass of the pool.

    Parameters
    ----------
    question, questions : int
        Its place in the order of difficulty, and K.
    fresh : int
        62 random bits, the place of the query within the question.

    Notes
    -----
    With s = 64 - (bit length of K), question 2^s plus s fresh bits is uniform on the K 2^s numbers below K 2^s <= 2^64,
    so its quotient by K is uniform on 2^s numbers; the other fresh bits follow it.

    Examples
    --------
    >>> [stratified(question, 4, 0) // 2**60 for question in range(4)]
    [0, 1, 2, 3]
    """
    high = min(64 - questions.bit_length(), LAW_BITS)
    low = LAW_BITS - high
    return ((question << high | fresh >> low) // questions) << low | fresh & (1 << low) - 1
