"""What the rules of Algorithm 1 prescribe, beside a mechanism or a log that is judged.

- `rule_oracle`: the rules beside a running mechanism, in floats or exact fractions, in every reading that rounding
  leaves open
- `step_rules`: when each applies and is kept, stated once, and the judgment of one answer
- `step_audit`: the same rules at every step of a log at once

`conformance`, `audit` and the claims judge by these; nothing here knows a claim.
"""
