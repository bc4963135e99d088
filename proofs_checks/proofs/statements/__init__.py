"""What is proved: one module per family of claims, made of `proofs_checks.proofs.language` alone.

`shared` says what many assume; `rules` is about the code of `mechanism.rules`. Of one step: `radii`, `good_event`,
`eligibility`, `incentives`, `selection`, `payments`. Sums over steps: `exploration`, `radius_sums`, `regrets`,
`convergence`. Better bounds: `improved`. What the paper says too strongly: `findings`. A `Proof` at module level is
found by itself.
"""
