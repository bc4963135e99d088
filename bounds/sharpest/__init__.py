"""The sharpest bounds of the mechanism as it is: counts that are searched for, sums over counts and over steps.

- `probability`: how delta is spent, and the radius that bounds the deviations of one mean.
- `elimination`: after how many selections an unqualified provider is excluded.
- `market`: who keeps whom from winning. `exploration`: how often providers are explored, and until when.
- `radii`: sums of radii. `shortfall`, `payments`: what is paid above the second-lowest cost, and how far from it.
- `information`: what no platform can undercut.
- `formulas`: the bounds themselves, for `bounds.methods`.

All round to the safe side: an upper bound upwards.
"""
