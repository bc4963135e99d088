"""placeholder"""
from __future__ import annotations
from collections.abc import Mapping
from typing import Any
import numpy as np
from bounds.formulas.searches.elimination import chernoff_counts
def exact_counts(values: Mapping[str, Any]):
    return chernoff_counts(values)
