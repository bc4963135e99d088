"""Tables in files: CSV, JSON and Parquet, compressed or not, read in pieces and written at once.

Most of this knows nothing of what a table means:

- `files`: what a file's ending says, opening files, and errors that name a place in a file;
- `scalars`: what a cell holds; `sql`: the same in the language of DuckDB;
- `columns`: whole columns by DuckDB, and which rows have to be read one by one;
- `text`, `parquet`: the formats: rows one by one, and what a query says of them;
- `table`: opening a table of any format, and writing one;
- `documents`: JSON documents that hold an array of records, read record by record.

`trace_columns` says what the columns of a trace mean: a new column is one entry of its `COLUMNS` (and a field of
`mechanism.trace.Trace`). `cells` reads columns by such meanings, `traces` and `logs` whole files; `log_columns` finds
the columns of a log, `log_join` those of a second file, and `pieces` puts rows together.
`mechanism.answers.files` does so for recorded answers.
"""
