"""The numbers that the paper's PDF prints before its statements: computed from its source once, stored as a table.

`counting` computes the table (``python -m proofs_checks.claims.numbers.counting paper.tex``); `stored` reads it.
"""
