"""What a bound is worth: its trivial value, the horizon from which it is informative, and suggested changes.

- `guarantee`: the five guarantees, and when one is informative.
- `threshold`: the horizon from which on it is informative.
- `contributor`: the provider or term that makes most of a bound.
- `advice`: the smallest change of each parameter that would make a guarantee informative, or make it so sooner; and the
  provider that is best left out.
"""
