"""The language of formulas: SymPy's expressions. Each module imports only those before it.

- `quantities`: the named numbers of the theory, with symbol, meaning, unit and range.
- `reductions`: sums and maxima over groups of providers, as functions of SymPy.
- `latex`: expressions in the paper's notation.
- `arithmetic`: floats, balls of python-flint, exact fractions.
- `evaluation`: walks an expression in any of them, and decides ceilings exactly.
- `formula`: one expression with its source and validity; numbers, enclosures, LaTeX.
- `computed`: what a search or a sum finds, where no expression states it.
"""
