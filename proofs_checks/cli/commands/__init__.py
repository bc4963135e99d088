"""The commands: a module each, which is loaded only for the command that is run.

DESCRIPTION is what its help says, `add_options` adds what the command takes, and `run` does the work and returns the
exit code. The `dest` of every option is the parameter's name in Python, so that errors can name the option.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType, ModuleType

#: Every command with what it does, in the order of the help.
SUMMARIES: Mapping[str, str] = MappingProxyType(
    {
        "settings": "list the built-in settings, or print one as TOML",
        "market": "make a setting of an evaluation and a list of prices",
        "bounds": "what the paper guarantees for a setting, and what it is worth",
        "coverage": "exact probabilities that confidence bands fail, and their budget",
        "simulate": "run a market under one or more policies, with the paper's metrics",
        "compare": "two policies on common outcomes: which is lower, whenever you stop",
        "sweep": "bounds and simulated runs over grids of settings",
        "plan": "choose k, alpha and delta for stated goals",
        "figures": "draw the paper's figures from new runs",
        "explore": "change the parameters of a market on a page in the browser",
        "reproduce": "compare the paper's tables with new runs, number by number",
        "claims": "list and search the claims of the paper",
        "verify": "test every claim of the paper; verdicts with their evidence",
        "replay": "replay the witnesses in a report of verify --json",
        "prove": "what theorems in Coq prove for all parameters",
        "check": "test a mechanism of yours against the rules of the paper",
        "play": "play a mechanism of yours on a market, with metrics and a log",
        "audit": "replay a recorded log, and report every step that breaks a rule",
        "page": "make the HTML page of a report of verify, audit or check --json",
        "docs": "print a page of the documentation, as `costproof docs audit`",
        "cite": "print BibTeX of the paper and of this toolkit",
        "completion": "print the shell completion of this command",
    }
)


def command(name: str) -> ModuleType:
    """Return the module of a command.

    Examples
    --------
    >>> command("settings").__name__
    'proofs_checks.cli.commands.settings'
    """
    return importlib.import_module(f"{__name__}.{name}")
