"""Properties of a mechanism, from weak to strong: which is refuted first, what stands, and what cannot be told.

`lattice` lists the properties and which rests on which; `tested_by` ties checks, rules and claims to them; `placement`
says, from what failed and what passed, which are the weakest refuted.
"""
