"""`audit`: a recorded log of a platform against the rules and the claims, in little memory.

- `run`: the audit itself, one part of the log after the other
- `worker`: the claims in a process of their own
- `report`: what it finds, as data
- `diagnosis`: what the violations of a log are consistent with
"""
