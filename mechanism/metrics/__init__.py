"""What the paper measures of a run.

`tally` holds totals at chosen steps, and recomputes them from a trace; `measures` turns totals into the paper's
metrics, and summarizes them over runs. `measures` imports `tally`.
"""
