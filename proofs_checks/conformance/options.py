"""Options that `costproof check` and the plugin of pytest share; importing this loads nothing else."""

from __future__ import annotations

from typing import Any

ONLY: dict[str, Any] = {
    "action": "append",
    "default": [],
    "metavar": "NAME",
    "help": "only this check, or this group (contract, economic, rules); repeat for several",
}
EXPECT_FAILURE: dict[str, Any] = {
    "action": "append",
    "default": [],
    "metavar": "NAME=REASON",
    "help": "a check that is known to fail, and why; if it passes, that is a failure",
}
QUICK: dict[str, Any] = {"action": "store_true", "help": "fewer scenarios and draws"}
DOMAIN: dict[str, Any] = {
    "action": "append",
    "default": [],
    "metavar": "KEY=VALUE",
    "help": "what the mechanism is made for; scenarios stay inside: scores=binary, q_min=inside (or q_min=0.2..0.8), "
    "providers=2..5, eligible=2.. (the fewest after initialization), belief_slack=0, "
    "radius=beta-binomial; repeat for several",
}
IN_FLIGHT: dict[str, Any] = {
    "metavar": "LAW",
    "help": "the mechanism takes settle(score, bid, query), with queries in flight: 3, or 0-5 for a random number; "
    "after it ,in-order or ,lost=0.01",
}
TIME_LIMIT: dict[str, Any] = {
    "type": float,
    "metavar": "SECONDS",
    "help": "seconds that one call of the mechanism may take (default 5)",
}
MEMORY_LIMIT: dict[str, Any] = {
    "type": float,
    "metavar": "GIB",
    "help": "gibibytes that all processes of the mechanism may take together (default 4)",
}
IN_PROCESS: dict[str, Any] = {
    "action": "store_true",
    "help": "run the mechanism in this process, for debuggers; a crash then ends the check",
}
