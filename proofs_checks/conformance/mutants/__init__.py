"""Broken mechanisms, each with the checks that must catch it, and correct ones in other styles.

`gallery` lists them, `kills` runs the suite on them; the table is in docs/mutants.md
(``python -m proofs_checks.conformance.mutants``).
"""
