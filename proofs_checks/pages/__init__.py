"""Reports as pages: from what a command prints with ``--json`` to one HTML file that needs nothing else.

- `page`: the page of a report, whichever command printed it
- `verify`, `audit`, `check`: the pages; `claims`, `figures`, `timeline` and `reproduction` are parts of them
- `document`: the shell, with its styles and its one script; `templates` holds them
- `mathematics`, `words`, `verdicts`: formulas, sentences and numbers, and verdicts as a page shows them

A page is made from plain data alone, and has only what the report has.
"""
