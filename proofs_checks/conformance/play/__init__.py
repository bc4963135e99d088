"""How a mechanism of anybody's is played, from outside; it knows no check.

- `errors`: how a mechanism fails to answer. `calls`: how messages name its calls.
- `any_mechanism`, `any_subject`: what checks know of a mechanism that plays and of its factory, wherever they run.
- `time_limit`: the stopwatch that interrupts a call. `raised_at`, `heard_warnings`: what its errors and warnings say.
- `json_state`: which part of a saved state JSON cannot hold.
- `subject`: a factory in this process, whose calls are timed, whose answers are checked, and which hears of a step when
  its feedback arrives; `late_feedback` has the laws, `two_threads` hands over some by two threads at once.
- `domain`: what a mechanism is made for. `watched`: a mechanism that is asked nothing outside it.
- `scenario`: what an interaction depends on, as data: configuration, seed, and what each query yields.
- `interaction`: a scenario played to its end, and a history replayed with a bid changed.

Imports run `domain`, `scenario`, `any_mechanism`, `watched`, `any_subject`, `time_limit`, `subject`,
`interaction`; each knows only those before it.
"""
