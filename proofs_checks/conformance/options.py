"""Options that `costproof check` and the plugin of pytest share; importing this loads nothing else."""

from __future__ import annotations

from typing import Any


def _repeated(metavar: str, meaning: str) -> dict[str, Any]:
    return {"action": "append", "default": [], "metavar": metavar, "help": meaning}


def _limit(metavar: str, meaning: str) -> dict[str, Any]:
    return {"type": float, "metavar": metavar, "help": meaning}


ONLY = _repeated("NAME", "only this check, or this group (contract, economic, rules, routing); repeat for several")
EXCLUDE = _repeated("NAME", "leave out this check, or this group; repeat for several")
PROFILE: dict[str, Any] = {
    "choices": ("auction", "posted-price", "router"),
    "default": "auction",
    "help": "which checks make sense: those of an auction (the default), of a posted-price mechanism, whose payments "
    "depend on no bid, or of a router, whose payments are not judged",
}
STRICT: dict[str, Any] = {"action": "store_true", "help": "count a check that is skipped as a failure"}
EXPECT_FAILURE = _repeated("NAME=REASON", "a check that is known to fail, and why; if it passes, that is a failure")
QUICK: dict[str, Any] = {"action": "store_true", "help": "fewer scenarios and draws"}
DOMAIN = _repeated(
    "KEY=VALUE",
    "what the mechanism is made for; scenarios stay inside: scores=binary, q_min=inside (or q_min=0.2..0.8), "
    "providers=2..5, eligible=2.. (the fewest after initialization), belief_slack=0, "
    "radius=beta-binomial; repeat for several",
)
IN_FLIGHT: dict[str, Any] = {
    "metavar": "LAW",
    "help": "the mechanism takes settle(score, bid, query), with queries in flight: 3, or 0-5 for a random number; "
    "after it ,in-order or ,lost=0.01",
}
TIME_LIMIT = _limit("SECONDS", "seconds that one call of the mechanism may take (default 5)")
MEMORY_LIMIT = _limit("GIB", "gibibytes that all processes of the mechanism may take together (default 4)")
IN_PROCESS: dict[str, Any] = {
    "action": "store_true",
    "help": "run the mechanism in this process, for debuggers; a crash then ends the check",
}
