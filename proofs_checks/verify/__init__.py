"""`verify`: every claim of the paper on given settings.

`episodes` plays what claims are compared on, in parallel; `run` merges what they say with proofs and exact evidence.
"""
