"""A lemma of your own about auctions or real numbers, asked of z3 and of cvc5.

- `terms`: formulas; `vocabulary`: providers, bids, radii, eligibility, winner and payment in formulas.
- `scripts`: formulas as SMT-LIB text; `solver_process` and `solvers`: z3 and cvc5, which know text only.
- `models`: finitely many providers, and an exact value for every symbol on them: a fraction, or a number of
  `algebraic`.
- `proving`: `prove_lemma`.
"""

from proofs_checks.proofs.lemma.models import Model as Model
from proofs_checks.proofs.lemma.proving import Lemma as Lemma, prove_lemma as prove_lemma
from proofs_checks.proofs.lemma.solvers import Solvers as Solvers
from proofs_checks.proofs.lemma.terms import (
    BOOL as BOOL,
    PROVIDER as PROVIDER,
    REAL as REAL,
    Number as Number,
    Term as Term,
    all_of as all_of,
    any_of as any_of,
    at_least as at_least,
    constant as constant,
    constants as constants,
    either as either,
    equal as equal,
    exists as exists,
    for_all as for_all,
    function as function,
    implies as implies,
    number as number,
)
from proofs_checks.proofs.lemma.vocabulary import (
    COST_BOUND as COST_BOUND,
    ELIGIBLE as ELIGIBLE,
    HAS_RIVAL as HAS_RIVAL,
    RADIUS as RADIUS,
    Auction as Auction,
    every as every,
    market as market,
    provider as provider,
    same_others as same_others,
    within as within,
)
