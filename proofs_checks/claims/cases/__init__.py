"""Traces made for claims: `constructed` markets, small `instances`, and `variants` of runs of a setting.

Of the instances the first are those at the `boundary` of bounds, the others are random.
"""
