"""The formulas as ordinary SymPy expressions in the paper's symbols.

What is handed out is made from the formulas of `bounds.formulas`, when it is asked for: nested formulas are unfolded,
symbols renamed, and sums over providers written out. The numbers of a report come from the same formulas.

- `symbols`: the paper's symbols, and sums and maxima over a roster that is not known.
- `unfolding`: a formula by its name, as an expression.
- `enclosing`: intervals that contain the exact value of an expression.
- `horizon`: T_id as an object: its condition, number, enclosure and closed upper bound.
- `growth`: how fast an expression grows or decays.
- `asymptotics`: the leading order of each bound, beside what the paper states.
- `verbs`: what a user calls by the name of a bound.
- `printing`: LaTeX in the paper's layout.
"""
