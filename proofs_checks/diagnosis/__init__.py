"""What explains that a log breaks rules.

- `log`: a log with the edits that causes are made of
- `cause`: a cause as an entry, a log under rules, and what causes explain
- `engine`: replays the whole log under every cause, and orders what explains most for the fewest fitted values
- `accidents`: what may have happened to a log; `parameters`: other parameters of the platform
- `proposals`: the values that causes are tried with
- `nothing`: what is said where nothing explains the log
"""
