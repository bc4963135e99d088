"""How a mechanism of anybody's is played, from outside; it knows no check.

- `subject`: a factory under test, whose calls are timed and whose answers are checked.
- `time_limit`: the stopwatch that interrupts a call.
- `scenario`: what an interaction depends on, as data: configuration, seed, and what each query yields.
- `interaction`: a scenario played to its end, and a history replayed with a bid changed.

Imports run `time_limit`, `subject`, `scenario`, `interaction`; each knows only those before it.
"""
