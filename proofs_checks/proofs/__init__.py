"""Proofs of the paper's claims, for every number of providers and all parameters.

- `kernel`: the theories in Coq, and what Coq says of them: `coq` runs it, `scan` refuses what assumes or hides,
  `formulas` prints the formulas of `bounds`, `theorems` decides which theorem counts, `check` has Coq check all here.
- `discharge`: how the numbers that theorems take are shown to have the property that they ask.
- `prove`: the verdict that the theorem about a claim gives it. `evidence` is what `verify` shows of that.
- `theorem_page`: a theorem beside the paper, for the site.
- `lemma`: a lemma of one's own over the reals, put to z3 and cvc5. Nothing else asks a solver.

Examples
--------
>>> from proofs_checks.proofs.prove import prove
>>> [claim.verdict.name for claim in prove(["lem:payment-range:repaired"]).claims]
['PROVED']
"""
