"""The formulas of the paper, each written once. Each module imports only those before it.

- `radius`: the confidence radius and its inverse.
- `selection`: how often who should not serve is selected; gaps, caps, the burn-in T_0.
- `regret`, `payment`: the bounds of the theorems.
- `sharp`: improvements of them. `belief`: the pull of a prior.
- `identification`: the horizon T_id, searched for. `rate`: the best exponent alpha, derived.
- `catalogue`: all formulas by name, and the sets of a report.
"""
