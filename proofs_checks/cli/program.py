"""The program `costproof`: signals are seen to before anything else is imported, and to the very end."""

from __future__ import annotations

from typing import NoReturn

from proofs_checks.cli.signals import exit_code, interrupt_work, leave_at_once, leave_silently
from proofs_checks.installation import files_of_others, require_own


def program() -> NoReturn:
    """Run the command of this process, and leave."""
    leave_at_once()
    _look_for_files_of_others()
    from proofs_checks.cli.main import main  # takes a while: a signal is to find its handler

    try:
        interrupt_work()
        code = main()
        leave_silently(code)
    except KeyboardInterrupt:  # while the command was on its way out
        code = exit_code()
        leave_silently(code)
    raise SystemExit(code)


def _look_for_files_of_others() -> None:
    """Note modules of other distributions among ours; if one is in the place of ours, end with 2 as for bad input."""
    from proofs_checks.cli.notes import note
    from proofs_checks.cli.output import remark

    try:
        require_own("mechanism")
    except ImportError as error:
        remark(str(error))
        raise SystemExit(2) from None
    if theirs := files_of_others():
        note(theirs)
