"""`costproof completion`: what a shell needs to complete commands, options, settings and files."""

from __future__ import annotations

import argparse
from typing import get_args

from proofs_checks.cli.arguments import Options
from proofs_checks.cli.documents import CompletionScript, Shell
from proofs_checks.cli.output import tell, write

_SHELLS = get_args(Shell)
_WHERE = {
    "bash": 'eval "$(costproof completion bash)" in ~/.bashrc',
    "zsh": "costproof completion zsh > a folder of $fpath, as _costproof",
    "fish": "costproof completion fish > ~/.config/fish/completions/costproof.fish",
    "tcsh": "costproof completion tcsh > ~/.costproof.tcsh, and source it in ~/.tcshrc",
    "powershell": "costproof completion powershell | Out-String | Invoke-Expression in the profile",
}
DESCRIPTION = "Print a script that makes a shell complete commands, options and files. " + "; ".join(
    f"{shell}: {where}" for shell, where in _WHERE.items()
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("shell SHELL", ", ".join(_SHELLS), choices=_SHELLS)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    import shtab

    parser = arguments.all_commands()
    parser.complete_files(shtab.FILE)
    script = shtab.complete(parser, arguments.shell)
    found: CompletionScript = {"shell": arguments.shell, "script": script}
    tell(arguments, lambda: found, lambda: write(f"{script}\n"))
    return 0
