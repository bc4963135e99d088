"""What programs of continuous integration read: reports as JUnit XML, SARIF and annotations of GitHub.

- `cases`: a report of `check` or `audit` as test cases.
- `formats`: test cases in each format, as text.
- `files`: what a run writes and prints.
"""
