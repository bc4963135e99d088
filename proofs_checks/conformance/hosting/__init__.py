"""A mechanism in a process of its own, which it may harm: the checks, the oracle and the verdict stay in the parent.

The parent starts one child, which forks: below a small supervisor runs the host, which imports the mechanism and plays
it as the in-process subject of `play` does. Requests and replies are lines of JSON over two pipes. When the parent
closes its ends, or is gone, the supervisor ends the host and all processes below it.

- `hosted`: the parent's side: a subject like the one in process.
- `host_process`: one child seen by its parent: started, asked, ended.
- `child`: the program of the child, with `supervisor` and `host` as its two halves.
- `endings`: how a host ended, in words.
- `leaping_clock`: clocks that leap between the calls of a mechanism.
- `shared_page`: which call the host is at, readable by the supervisor when it is dead.
- `within`: whether a mechanism can be hosted here.
- `printed`: what the mechanism prints: the beginning goes to stderr, the rest is counted.
"""
