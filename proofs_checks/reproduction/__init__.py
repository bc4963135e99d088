"""The paper's experiments again, every printed number of its stochastic tables beside ours.

tables         the paper's name of every table, and why a printed number disagrees, where somebody looked into it
definitions    what every printed number means: the spans of steps of a run, and what is measured on them
statistics     how far a printed statistic of 30 runs lies from what our runs predict for it
run            `reproduce`, and what it reports

Imports run from the last to the others; nothing here knows a claim.
"""
