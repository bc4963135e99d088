"""`audit`: a recorded log of a platform against the rules and the claims, in little memory.

- `run`: the audit itself, one part of the log after the other
- `reading`: the parts of a log; `kept_rows`: those that a diagnosis replays; `state`: where the next audit goes on
- `report`: what it finds, as data, with `drift`, `edited_cost` and `timeline`
"""
