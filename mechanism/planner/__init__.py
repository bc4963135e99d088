"""Planning: k, alpha and delta for goals, and what backs each number.

`goals` says what can be asked and which bound answers it, `ranges` which settings a plan must hold for, `search` finds
the parameters, `horizons` from when on a goal can be met, `cost` what a plan does to the other guarantees, `runs`
what happens in simulated runs. `plan` joins them; imports run towards it.
"""
