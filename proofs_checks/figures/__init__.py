"""The pictures: the paper's figures from our own runs, and those that the paper has not.

`catalogue` lists them and `drawing` draws them; every module between holds one subject, as a function from data to a
`matplotlib.figure.Figure`. matplotlib is the extra ``figures``; `palette`, which the explorer reads
too, does not need it.
"""
