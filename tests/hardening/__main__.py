"""Run the sweeps that are named, or all, and write docs/hardening.md: ``python -m tests.hardening [NAME]...``."""

from __future__ import annotations

import argparse

from tests.hardening.page import PAGE, PARTS, page, run


def main() -> None:
    """Run sweeps and write the page; with ``--page`` the page alone."""
    parser = argparse.ArgumentParser(prog="python -m tests.hardening", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--page", action="store_true", help="write the page from the figures that there are")
    arguments = parser.parse_args()
    for name in () if arguments.page else arguments.parts or PARTS:
        run(name)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
