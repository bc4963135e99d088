"""The pages of the documentation that are made from the program itself, as Markdown for Sphinx with MyST.

- `markdown`: headings, tables, links and formulas as text
- `claims`, `checks`, `policies`: a page each, from their registries
- `commands`, `schemas`: the command line, from its parsers, and what `--json` prints, from its schemas
- `public`: which modules and names are public; `modules`: a page for each module
- `figures_of_claims`: which figure shows what a claim says; `tightest`: the tightest case that was found of each
- `pages`: all of them; `files`: writes them into a folder

Everything but `files` is a function from registries to text.
"""
