"""Machine-checked proofs of the paper's claims, for every number of providers and all parameters.

Rooms, each of which imports only from those above it:

- `language`: formulas, the vocabulary of auctions, obligations and proofs, and their text as SMT-LIB.
- `checker`: decides whether a certificate is right, with exact fractions and without a solver. It is trusted: keep it
  small. `solvers` runs z3 and cvc5.
- `statements`: the obligations and proofs, one module per family of claims.

And above the rooms: `catalogue` finds every proof of `statements`; `store` keeps the certificates that `search` finds
(``python -m proofs_checks.proofs``); `composition` says what an obligation rests on, with what it cites, `inductions`
and `foundations` check what obligations begin with and take from analysis; `lemma` proves or refutes one statement,
`counterexamples` what the paper says too strongly; `prove` puts proofs to solvers and checker, and returns `results`;
`bundle` writes these to a folder and re-checks it; `evidence` is what `verify` shows of them.

Users start at `prove.prove`, `lemma.prove_lemma` and `bundle.recheck_folder`.

Examples
--------
>>> from proofs_checks.proofs.prove import prove
>>> [claim.verdict.name for claim in prove(["lem:payment-range:repaired"]).claims]
['PROVED']
"""
