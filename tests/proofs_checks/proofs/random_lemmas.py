"""Random statements in the language of lemmas: sense is not looked for, only that each can be asked."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    Term,
    all_of,
    any_of,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
)
from proofs_checks.proofs.language.vocabulary import assuming, provider

_REALS, _WHOLE, _PROVIDERS = constants("x y z"), constants("m n", INT), [provider("i"), provider("k")]
_F, _WEIGHT, _MIXED, _HOLDS = function("f"), function("weight"), function("mixed"), function("holds", BOOL)
_ROUNDED, _NEXT = function("rounded", INT), function("next_provider", PROVIDER)


class RandomLemmas:
    """A source of statements.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def lemma(self) -> Obligation:
        """Return a statement with up to two hypotheses."""
        assumed = {f"h{k}": self._formula(self._random.randint(0, 3)) for k in range(self._random.randint(0, 2))}
        return Obligation("random", "", assuming(**assumed), self._formula(self._random.randint(0, 3)))

    def _one_of(self, *makers: Callable[[], Term]) -> Term:
        return self._random.choice(makers)()

    def _real(self, depth: int) -> Term:
        def literal() -> Term:
            return number(Fraction(self._random.randint(-5, 5), self._random.randint(1, 4)))

        if depth <= 0:
            return self._one_of(literal, lambda: self._random.choice(_REALS))
        d = depth - 1
        return self._one_of(
            lambda: self._real(d) + self._real(d),
            lambda: self._real(d) * self._real(d),
            lambda: self._real(d) / self._real(d),
            lambda: _F(self._real(d)),
            lambda: _WEIGHT(self._provider(d)),
            lambda: Term("to_real", (self._whole(d),)),
            lambda: either(self._formula(d), self._real(d), self._real(d)),
            lambda: _MIXED(self._provider(d), self._real(d)),
        )

    def _whole(self, depth: int) -> Term:
        if depth <= 0:
            return self._random.choice([*_WHOLE, number(self._random.randint(-4, 4), INT)])
        d = depth - 1
        return self._one_of(
            lambda: self._whole(d) + self._whole(d),
            lambda: self._whole(d) * self._whole(d),
            lambda: _ROUNDED(self._real(d)),
        )

    def _provider(self, depth: int) -> Term:
        some = self._random.choice(_PROVIDERS)
        return _NEXT(self._provider(depth - 1)) if depth > 0 and self._random.random() < 0.4 else some

    def _comparison(self, depth: int) -> Term:
        a, b = self._real(depth), self._real(depth)
        return self._random.choice([a < b, a <= b, equal(a, b)])

    def _formula(self, depth: int) -> Term:
        if depth <= 0:
            return self._comparison(0)
        d, j = depth - 1, provider("any_one")
        quantifier = self._random.choice([for_all, exists])
        return self._one_of(
            lambda: self._comparison(d),
            lambda: self._comparison(d),
            lambda: ~self._formula(d),
            lambda: all_of(self._formula(d), self._formula(d)),
            lambda: any_of(self._formula(d), self._formula(d)),
            lambda: implies(self._formula(d), _HOLDS(self._real(d))),
            lambda: equal(self._provider(d), self._provider(d)),
            lambda: quantifier([j], _WEIGHT(j) > self._real(d)),
        )
