"""The rules of Algorithm 1 that a single step can break, by the names that `check` and `audit` report.

`step_rules` says when each applies and is kept, and needs NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: From a rule to the label in the paper of what states it. Who is not eligible breaks the rule of eligibility alone.
RULE_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "initialization-order": "alg:platform",
        "initialization-payment": "alg:platform",
        "eligibility": "eq:qualified-set",
        "exploration-set": "eq:allocation",
        "exploration-payment": "eq:payment",
        "empty-payment": "alg:platform",
        "lone-payment": "eq:critical-payment",
        "index-minimizer": "eq:allocation",
        "critical-payment": "eq:payment",
    }
)
