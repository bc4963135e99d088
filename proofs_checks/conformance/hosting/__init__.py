"""A mechanism in a process of its own, which it may harm: the checks, the oracle and the verdict stay in the parent.

The parent starts a small keeper, the keeper starts the host, and the host imports the mechanism and runs the in-process
subject of `play`. Parent and host talk over pipes; when the parent lets go, or is gone, the keeper ends the host and
all processes below it.

- `hosted`: the parent's side: a subject like the one in process.
- `host_process`: one host seen by its parent: started, asked, held to its limits, ended.
- `keeper` and `host`: the programs of the two processes; `start` loads the host.
- `frames`: what parent and host say to each other. `black_box`: which call the host is at, readable when it is dead.
- `within`: whether a mechanism can be hosted here.
- `printed`: what the mechanism prints: the beginning goes to stderr, the rest is counted.
- `shared_names`: names of modules that a mechanism must leave as they are. `death`: who ends with whom.
"""
