"""What explains that a log breaks rules, or a mechanism's answers do: one room for `audit` and `check`.

- `log`: a log in memory, with the edits that causes are made of
- `cause`: a cause as an entry, a log under the rules that it implies, and what causes explain together
- `engine`: replays the whole log under every cause, and orders what explains most for the fewest fitted values
- `accidents`, `parameters`, `mechanism_causes`: the entries; `proposals`: the values that they are tried with
- `diagnose`: what a report says of a log
- `together`: what explains several interactions with one mechanism
"""
