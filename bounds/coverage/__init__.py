"""Exact coverage: how probable it is that a running mean leaves its confidence band, and when a provider is eliminated.

- `kernel`: the machine code, one step of a dynamic programme after another.
- `limits`: which partial sums lie inside a band, decided exactly or on either safe side.
- `enclosure`: two numbers with a probability between them, and what rounding can do to a sum of products.
- `walk`: the probability that a mean of binary scores leaves its band, enclosed.
- `tail`: what is left beyond the counts that are followed, for observations of any law on [0, 1].
- `worst`: the quality at which a mean leaves its band most probably, with a bound for every other.
- `elimination`: the law of the count at which an unqualified provider is eliminated.

Importing a module of it loads Numba only once something is computed.
"""
