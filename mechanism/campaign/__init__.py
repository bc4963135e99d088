"""Many runs of settings under several policies, in parallel, kept in a folder and resumed.

`spec` says what to run. `chunks` simulates some of the runs in one worker. `store` is the folder: a database of
finished runs, and their traces. `records` holds what is finished and hands out the result. `export` writes runs as a
table. `run` joins them; imports run towards it.
"""
