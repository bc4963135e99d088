"""`costproof explore`: a local page in the browser to turn the market by hand."""

from __future__ import annotations

import argparse
import threading

from proofs_checks.cli import output
from proofs_checks.cli.arguments import Options, whole_number
from proofs_checks.cli.documents import ExplorerAddress

DESCRIPTION = (
    "Open a page on this machine with sliders for every number of a setting: it simulates while one drags, draws the "
    "bounds beside what happens, explains one step, and exports the setting and the command. Nobody else can reach "
    "the page, and it fetches nothing from outside. Ctrl-C ends it."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    meaning = "a built-in name or a TOML file (default gsm8k-full)"
    add("setting SETTING", meaning, nargs="?", default="gsm8k-full")
    add.horizon("queries of a run where the page begins (default 70,000, the paper's)")
    add("--port P", "port of this machine (default: a free one)", type=whole_number(0, 65535), default=0)
    add("--no-browser", "only print the address", action="store_false", dest="browser")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from mechanism.settings import load_setting
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.explorer import server

    setting = load_setting(arguments.setting).point

    def load_simulator() -> None:
        with compiled_simulator():
            pass

    def opened(address: str) -> None:
        if arguments.json:
            output.print_json(ExplorerAddress(setting=setting.name, address=address))
        else:
            output.write(f"The explorer of {setting.name} is at {address} on this machine only; Ctrl-C ends it.\n")
        # The simulator is loaded while the browser starts; the first picture waits for it.
        threading.Thread(target=load_simulator, daemon=True).start()
        if arguments.browser:
            import webbrowser

            webbrowser.open(address)

    server.serve(setting, arguments.port, opened, arguments.horizon)
    return 0
