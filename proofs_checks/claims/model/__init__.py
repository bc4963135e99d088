"""What a claim is, and how a trace is compared with it.

- `case`: a trace or a part of one, its replayed state, and every quantity that claims name
- `trace_quantities`: the symbols of those quantities
- `relation`: an inequality between quantities, stated once; `trace_evaluation` gives its sides, `mask_selection` the
  steps that it speaks of
- `trace_check`: a check that is not an inequality; `counterfactual` holds those that change one bid of an auction
- `conditions`: at which steps, and for which providers, a statement is compared
- `precondition`, `regime`: what a claim assumes
- `tightness`: how close a comparison was
- `claim`: all of it together, fed with one part of a trace after the other
- `evidence`: what claims say without a trace, and a witness that holds its trace
"""
