"""Planning: k, alpha and delta for goals, what backs each number, and what a provider could gain by misreporting.

`goals` says what can be asked and which bound answers it, `ranges` which settings a plan must hold for, `search` finds
the parameters, `horizons` from when on a goal can be met, `sensitivity` what each gap contributes, `runs` what happens
in simulated runs, `incentives` what always bidding c_max gains. `plan` joins them; imports run towards it.
"""
