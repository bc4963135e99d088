"""Confidence radii that a mechanism may use: the paper's and others, each with the proof of its coverage.

A mechanism reads two tables by selection count m: the quality radius, for who is eligible, and the cost radius, for
the adjusted bids. Both depend on counts and on what the platform fixes, never on a score, a cost or a bid.
"""
