"""The language of formulas, from its words to its numbers. Each module imports only those before it.

- `terms`: operations as they are written, recorded for SymPy.
- `quantities`: the named numbers of the theory, with meaning, unit and range.
- `trees`: expressions as plain data, which the evaluator walks.
- `arithmetic`: floats, flint balls, mpmath intervals.
- `evaluation`: walks a tree in any of them, and decides ceilings exactly.
- `formula`: one expression with its source and validity; numbers, enclosures, LaTeX.
"""
