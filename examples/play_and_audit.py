"""A router of your own on a published market: play it, keep its log, and audit the log.

Run it as ``python examples/play_and_audit.py [LOG.csv]``. The providers are truthful bidders with the scores and costs
of the paper's market; change only `MY_ROUTER` and `SETTING`. The same from the command line, in this folder:
``costproof play router_adapter.py:make_checked_router gsm8k-full --out log.csv``. A log of your production platform
needs no such play: ``costproof audit LOG.csv --setting my-market.toml``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from router_adapter import make_checked_router

import costproof
from proofs_checks.cli.main import main as command_line

MY_ROUTER = make_checked_router  # a function of (config, rng), as `costproof check` takes it
SETTING = "gsm8k-full"
STEPS = 20_000


def play(log: Path, seed: int = 0) -> None:
    """Play the router against truthful providers and write what a platform would have logged."""
    played = costproof.play(MY_ROUTER, SETTING, STEPS, seed=seed)
    costproof.write_trace(played.trace, log, played.setting)


def main() -> int:
    """Play, audit, and return the exit code of the audit."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(sys.argv[1] if sys.argv[1:] else f"{folder}/log.csv")
        play(log)
        return command_line(["audit", str(log), "--setting", SETTING])


if __name__ == "__main__":
    sys.exit(main())
