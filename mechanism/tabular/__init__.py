"""Tables in files: CSV and JSON Lines (plain or compressed by gzip) and Parquet, read in pieces and written at once.

The reader knows nothing of what a table means:

- `files`: what a file's ending says, opening files, and errors that name a place in a file;
- `pieces`: what every format offers: a header, rows one by one, and pieces of bounded size as whole columns;
- `text`: CSV and JSON Lines, line by line or in blocks;
- `parquet`: Parquet, where pyarrow is installed;
- `table`: opening a table of any format, and writing one;
- `documents`: JSON documents that hold an array of records, read record by record.

`traces` says what the columns of a trace mean: a new column is one entry of its `COLUMNS` (and a field of
`mechanism.trace.Trace`). `mechanism.answers.files` does so for recorded answers. Imports run from the end of this
list to its beginning.

pyarrow stays an extra. It reads CSV three times and JSON Lines twice as fast as the plain Python here, but takes 170 MB
on disk and 37 MB of memory, and reads what we refuse: two objects on one line, an object over several lines,
-0 as another number. The rows would still be read by the `csv` and `json` modules wherever that might matter, since
these say what is accepted, which value is read and what is wrong. It would replace some 60 lines, and need as many.
"""
