"""Answers of models to questions as markets: read from files, checked, and served as scores and costs.

- `choices`: what can be chosen, by name: formats, draws, which of repeated answers count, suspicions to accept;
- `table`: answers as columns, one row each;
- `rows`: what collects them, and checks their cells;
- `formats`: how each format is recognised and read;
- `prices`: prices of tokens, where no costs are recorded;
- `reading`: finds and reads files; `hub`: the paper's data by name;
- `files`: a file or a folder becomes `CompleteAnswers`;
- `repeats`, `selection`, `suspicion`: which answers, models and questions count, and what looks made up;
- `omissions`: what was left out, and why;
- `complete`: as many answers of every model to every question, and their exact means;
- `market`: providers that serve them, readable and as tables of the compiled episode;
- `description`: the documents that say what was served;
- `setting`: the setting that answers define, the market of a setting, and what to know about them.
"""
