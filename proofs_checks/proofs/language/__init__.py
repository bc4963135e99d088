"""The language of proofs. It imports nothing else of `proofs_checks.proofs`; each module only those before it.

- `terms`: formulas of many-sorted first-order logic; `sorts`: which of them are well formed (trusted).
- `smtlib`: formulas as scripts for solvers, and read back (the reader is trusted).
- `models`: finitely many providers, and a value for every symbol on them.
- `obligation`: hypotheses, obligations, mutants, proofs, and the scripts that ask about them.
- `polynomials` (trusted), `logarithms`: products of powers, compared exactly; `names`: whether symbols can stand for
  what they are said to.
- `axioms` and `ball_facts`: what is taken from analysis, made and checked; `vocabulary`: auctions, and where a
  hypothesis comes from.
- `matching`: how a formula is read as an instance of another (trusted for `PROVED`, as `names` is).
- `symbolic`: the code of `mechanism.rules` run on terms, path by path.
"""
