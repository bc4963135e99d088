"""A lemma of your own about auctions or real numbers, asked of z3 and of cvc5.

- `terms`: formulas; `vocabulary`: providers, bids, radii, eligibility, winner and payment in formulas.
- `scripts`: formulas as SMT-LIB text; `solver_process` and `solvers`: z3 and cvc5, which know text only.
- `models`: finitely many providers, and an exact value for every symbol on them: a fraction, or a number of
  `algebraic`.
- `proving`: `prove_lemma`.
"""

from proofs_checks.proofs.lemma.models import Model
from proofs_checks.proofs.lemma.proving import Lemma, prove_lemma
from proofs_checks.proofs.lemma.solvers import Solvers
from proofs_checks.proofs.lemma.terms import (
    BOOL,
    PROVIDER,
    REAL,
    Number,
    Term,
    all_of,
    any_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
)
from proofs_checks.proofs.lemma.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    Auction,
    every,
    market,
    provider,
    same_others,
    within,
)

__all__ = [
    "BOOL",
    "COST_BOUND",
    "ELIGIBLE",
    "HAS_RIVAL",
    "PROVIDER",
    "RADIUS",
    "REAL",
    "Auction",
    "Lemma",
    "Model",
    "Number",
    "Solvers",
    "Term",
    "all_of",
    "any_of",
    "at_least",
    "constant",
    "constants",
    "either",
    "equal",
    "every",
    "exists",
    "for_all",
    "function",
    "implies",
    "market",
    "number",
    "prove_lemma",
    "provider",
    "same_others",
    "within",
]
