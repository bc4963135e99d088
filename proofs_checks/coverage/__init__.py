"""How probable it is that the confidence bands of a setting fail, against their budget delta.

- `costs`: the law of a query's cost on its lattice.
- `report`: budget and exact failure of every provider, the law of elimination of the unqualified, and the total.
"""
