"""Traces made for claims: `steered` markets, random small `instances` on them, and `variants` of runs of a setting."""
