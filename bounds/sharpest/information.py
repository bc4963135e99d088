"""How many queries any platform must send to cheaper unqualified providers, under any rules.

Let provider i be unqualified and cheaper than i*. Take the market that differs in one number: there the scores of i
have mean q_min. Then i is qualified, and the optimal provider. A platform that names the optimal provider rightly with
probability 1 - delta in both markets names i* with probability 1 - delta or more here, and delta or less there. Its
observations differ in law only in the scores of i. So by the data-processing inequality, with n_i the queries to i
(Kaufmann, Cappe and Garivier 2016, lemma 1),

    E[n_i] kl(q_i, q_min) >= kl(1 - delta, delta) = kl(delta, 1 - delta)

for scores of 0 and 1 that do not depend on the costs of i, and independent first draws. The left side is what the
scores of i tell, by Wald's identity; the right side is what it takes to tell the two markets apart. For delta >= 1/2
nothing has to be distinguished, and where q_min = 1 a single score of 0 settles the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bounds.coverage.elimination import relative_entropy
from bounds.sharpest.elimination import Floats


def information_counts(values: Mapping[str, Any]) -> Floats:
    """Return, per unqualified provider, the least mean number of queries to it, of any platform; 0 for expensive ones.

    Parameters
    ----------
    values : mapping
        Inputs of formulas (`bounds.setting.formula_inputs`), with `optimal_cost`.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> information_counts(formula_inputs(published("gsm8k-full").setting)).sum().round().item()
    240.0
    """
    quality = np.asarray(values["unqualified_quality"], dtype=float)
    cheaper = np.asarray(values["unqualified_cost"], dtype=float) < values["optimal_cost"]
    confidence = float(values["confidence"])
    if confidence >= 0.5:
        return np.zeros(quality.shape)
    told = relative_entropy(confidence, 1 - confidence)
    return np.where(cheaper, told / relative_entropy(quality, values["quality_threshold"]), 0.0)
