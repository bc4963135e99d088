"""What the violations of a log are consistent with.

- `diagnose`: tries every hypothesis and orders those that explain most
- `edits`: one edit of a row or a few (`EDITS` lists the kinds); `gaps`: several missing rows
- `whole`: hypotheses about the whole log (`HYPOTHESES` lists them); `settings`: which other settings to try; `scaled`:
  payments that are all off by the same factor or amount
- `window`: the rows around the first violation, kept while the log streams by, and what they are with an edit undone
- `evidence`: what a diagnosis has of a log, and what an explanation says
"""
