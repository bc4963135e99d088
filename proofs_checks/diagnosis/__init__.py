"""What explains that a log, or the answers of a mechanism, break rules.

- `log`: a log in memory, with the edits that causes are made of
- `cause`: a cause as an entry, a log under the rules that it implies, and what causes explain together
- `engine`: replays the whole log under every cause, and orders what explains most for the fewest fitted values
- `accidents`: what may have happened to a log; `parameters`: other parameters of the platform
- `mechanism_causes`: what a wrong mechanism does otherwise than Algorithm 1
- `proposals`: the values that causes are tried with
- `diagnose`: what a report says of a log, also where nothing explains it
- `together`: what explains the answers of one mechanism in several interactions
"""
