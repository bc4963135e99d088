"""Public evaluations of many models as markets: read from files, checked, and served as scores and costs.

- `formats`: RouterBench, LLMRouterBench, SPROUT and RouterArena's predictions: how each is recognised and read;
- `files`: a file or a folder becomes an `Evaluation`;
- `prices`: prices of tokens, where an evaluation records no costs;
- `answers`, `selection`, `suspicion`: answers row by row, which models and questions are whole, what looks made up;
- `report`: what was left out, and why;
- `evaluation`: the table of models and questions, and its exact means;
- `market`: providers that serve the answers, readable and as tables of the compiled episode;
- `setting`: the setting of an evaluation, the market of a setting, and what to know about them.
"""
