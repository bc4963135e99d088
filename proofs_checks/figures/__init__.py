"""The pictures: the paper's figures from our own runs, and those that the paper has not.

`catalogue` lists them and `drawing` draws them; every module between holds one subject, as a function from data to a
`matplotlib.figure.Figure`. matplotlib is the extra ``figures``; `frontier` and `sampled_payments`, which the
explorer reads too, do not need it.
"""
