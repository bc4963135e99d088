"""z3 and cvc5: `solvers` asks both, each in a process of its own, which runs `solver_process`. They know text only."""
