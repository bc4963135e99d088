"""The checks: each a property of a mechanism, and how a mechanism is searched for a failure.

- `check`: what a check is; what it says stands in `descriptions`.
- `search`: searching families of scenarios with Hypothesis, for most of the checks.
- `contract`: what `assign` and `settle` ask of any mechanism. `fresh_process` plays one in a process of its own,
  `elsewhere` in processes with other environments. `restart` is for those that save their state.
- `incentives`, `robustness`: what any learning procurement mechanism should satisfy, found by replays with other bids;
  `deviations` makes those of a single bid.
- `rules`: the exact rules of the paper, step by step.
- `draws`: whether draws are uniform, by the sequential test of `uniformity`.
- `in_flight`: what is asked of mechanisms with queries in flight alone.
- `whole_interactions`: a state machine that settles as it likes.
"""
