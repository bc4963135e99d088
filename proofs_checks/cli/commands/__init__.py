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
        "bounds": "every theoretical quantity of the paper for a setting",
        "coverage": "exact probability that confidence bands fail, against their budget",
        "simulate": "run the market and report the paper's metrics",
        "compare": "two policies on common outcomes: which is lower, however early you stop",
        "sweep": "bounds and simulated runs over grids of settings",
        "plan": "choose k, alpha and delta for stated goals",
        "figures": "draw the paper's figures, and more, from runs of our own",
        "explore": "a page in the browser to turn a market by hand",
        "reproduce": "the paper's tables, printed beside ours, number by number",
        "claims": "list and search the claims of the paper",
        "verify": "every claim of the paper, with its evidence and verdict",
        "replay": "replays the witnesses in a report of verify --json",
        "prove": "what theorems in Coq prove for all parameters",
        "check": "property-tests a mechanism of yours",
        "play": "plays a mechanism of yours on a market, with metrics and a log",
        "audit": "replays a recorded log and reports every step that breaks a rule",
        "page": "the HTML page of a report of verify, audit or check --json",
        "docs": "prints a page of the documentation, or an example",
        "cite": "prints BibTeX of the paper and of this toolkit",
        "completion": "prints the shell completion of this command",
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
