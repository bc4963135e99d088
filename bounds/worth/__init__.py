"""What a bound is worth: beside its trivial value, from which horizon, because of whom, and what would help.

- `guarantee`: the five guarantees, and when one is informative.
- `threshold`: the horizon from which it does for good.
- `driver`: which provider or term makes most of a bound.
- `advice`: the smallest change of each parameter that would make a guarantee informative, or make it so sooner; and the
  provider that is best left out.
- `words`: how its numbers and shares are said.
"""
