"""What one thing, if it were different, would explain a mechanism's answers.

- `rulebook`: Algorithm 1 as a table of its parts, each of which can be replaced by another.
- `recording`: what a mechanism answered in an interaction, and which steps a rulebook allows.
- `variants`: rulebooks with one part replaced, from the simple to the odd.
- `late_variants`: rulebooks that take late feedback in a wrong way.
- `fitted`: payments that are the right one times, less or plus something: what, is read off.
- `wrong_winners`: who wins auctions though another's adjusted bid is lower.
- `probes`: interactions that tell the variants apart.
- `near_misses`: what would make one wrong answer right, where no variant explains all.
- `guess`: the first variant that explains all recordings.
- `step_table`: the numbers that decide a step, per provider.

Imports run in this order; the room knows how mechanisms are played, and no check.
"""
