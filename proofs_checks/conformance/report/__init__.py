"""What the suite says of a mechanism, as data; it knows how mechanisms are played, and no check.

- `failure`: where a mechanism breaks a property, with the history that leads there, confirmed in exact fractions.
- `script`: a failure as Python that reproduces it without this toolkit.
- `report`: the result of each check, and of a whole run.
"""
