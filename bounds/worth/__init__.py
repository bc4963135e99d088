"""What a bound is worth: beside its trivial value, from which horizon, because of whom, and what would help.

- `guarantee`: the five guarantees, and when one says something.
- `threshold`: the horizon from which it does for good.
- `driver`: which provider or term makes most of a bound.
- `advice`: the smallest change of each parameter that would make a guarantee say something, or say it sooner; and the
  provider that is best left out.
- `words`: how its numbers and shares are said.
"""
