"""How sharp the bounds are: what each method promises beside what simulated runs did.

- `realized`: what many runs of a setting amounted to.
- `compared`: the rows: the bound of each method, the mean and the maximum of the runs.
- `page`: ``python -m proofs_checks.sharpness.page`` writes the tables of docs/sharpest.md.
"""
