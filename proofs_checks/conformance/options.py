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
TIME_LIMIT: dict[str, Any] = {
    "type": float,
    "metavar": "SECONDS",
    "help": "seconds that one call of the mechanism may take (default 5)",
}
