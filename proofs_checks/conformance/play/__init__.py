"""How a mechanism of anybody's is played, from outside; it knows no check.

- `any_subject`: what checks know of a mechanism under test, wherever it runs. `calls`: how messages name its calls.
- `time_limit`: the stopwatch that interrupts a call. `raised_at`, `heard_warnings`: what its errors and warnings say.
- `json_state`: which part of a saved state JSON cannot hold.
- `subject`: a factory under test in this process, whose calls are timed and whose answers are checked.
- `late_feedback`: a mechanism with queries in flight, which hears of a step when its feedback arrives.
- `domain`: what a mechanism is made for. `restricted`: a subject that is asked nothing outside it.
- `scenario`: what an interaction depends on, as data: configuration, seed, and what each query yields.
- `course`: what the rules prescribe beside a scenario, and what its queries yield.
- `interaction`: a scenario played to its end, and a history replayed with a bid changed.

Imports run `domain`, `any_subject`, `late_feedback`, `time_limit`, `subject`, `restricted`, `scenario`, `course`,
`interaction`; each knows only those before it.
"""
