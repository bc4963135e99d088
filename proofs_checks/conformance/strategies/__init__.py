"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism; `costproof.strategies` is their door.

- `edges`: `settings`, and `markets` near an edge of the theory.
- `runs`: `histories` on a market, which any mechanism can play, and `traces` of the reference platform.
- `scenarios`: whole interactions with a mechanism, in families; `FAMILIES` has each by name.
- `sequences`: what a provider's queries yield one after another. `bids`: standing bids, `bid_profiles`, `misreports`.
- `machine`: interactions step by step, as a state machine.
"""
