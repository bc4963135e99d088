"""Recorded answers of real models instead of laws: read from files, aligned, and served as a market.

- `hub`: the paper's data by name;
- `files`: a folder of files (CSV, JSON Lines, Parquet), in two layouts, becomes `Generations`;
- `alignment`: which questions every model has in full, and a report of the others;
- `generations`: qualities, tokens and costs that follow exactly;
- `market`: providers that serve recorded generations, readable and as tables of the compiled episode;
- `setting`: the market of a setting, the setting of recorded generations, and in what they differ.

`setting` imports `files` and `market`; `files` imports `alignment` and `generations`, and reads with
`mechanism.tabular`.
"""
