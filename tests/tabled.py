"""Tables of texts, kept as CSV files beside the modules that use them."""

import csv
from pathlib import Path


def rows_of(module: str, name: str) -> list[tuple[str, ...]]:
    """Return the rows of a file beside a module, without its header."""
    with open(Path(module).with_name(name), newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)][1:]
