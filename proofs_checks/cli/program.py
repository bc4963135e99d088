"""The program `costproof`: signals are seen to before anything else is imported, and to the very end."""

from __future__ import annotations

from typing import NoReturn

from proofs_checks.cli.signals import exit_code, interrupt_work, leave_at_once, leave_silently


def program() -> NoReturn:
    """Run the command of this process, and leave."""
    leave_at_once()
    from proofs_checks.cli.main import main  # takes a while: a signal is to find its handler

    try:
        interrupt_work()
        code = main()
        leave_silently(code)
    except KeyboardInterrupt:  # while the command was on its way out
        code = exit_code()
        leave_silently(code)
    raise SystemExit(code)
