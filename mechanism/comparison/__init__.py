"""Two policies compared on common outcomes.

`confidence_sequence` bounds a mean at all times at once, `ranges` says how much a metric can differ, and `compare`
plays runs until the metrics are decided. `compare` imports the other two, which know nothing of each other.
"""
