"""Many settings at once: grids over any number of a setting, and every bound on all of them in one evaluation each.

`axes` says which numbers vary and how, `columns` holds settings as columns of numbers, `evaluate` bounds them, and
`identification` finds all horizons T_id by one bisection. Imports run from `evaluate` up.
"""
