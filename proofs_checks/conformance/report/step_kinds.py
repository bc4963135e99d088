"""Of which kind the rules make the steps before the one in question: the kind is often what a defect hangs on."""

from __future__ import annotations

import textwrap
from itertools import groupby

from proofs_checks.conformance.report.failure import LONGEST, Failure
from proofs_checks.oracle.rule_oracle import Decision, oracle_beside

#: So many stretches of one kind are told, the last ones.
_STRETCHES = 12
_NAMES = {"initialization": "initialization", "exploration": "exploration", "empty": "nobody eligible"}
_WITH_ARTICLE = {"exploration": "an exploration", "auction": "an auction", "lone provider": "a lone provider"}
#: Columns of a comment in a script.
_WIDTH = 60


def kind_of(decision: Decision) -> str:
    """Return the kind of a step in a word or two."""
    return _NAMES.get(decision.kind, "lone provider" if decision.lone else "auction")


def of_kind(decision: Decision) -> str:
    """Return the kind of a step as it stands in a sentence, "an exploration"."""
    kind = kind_of(decision)
    return _WITH_ARTICLE.get(kind, kind)


def step_kinds(failure: Failure) -> str:
    """Return the kinds of the steps before the one in question, in words; empty where they are not known.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> played = {"settlements": ((1.0, 0.25), (1.0, 0.5), (1.0, 0.25)), "providers": (0, 1, 0)}
    >>> step_kinds(Failure(message="dear", config=usual_config(n_providers=2), seed=0, **played))
    '1-2 initialization, 3 auction'
    """
    if len(failure.providers) != len(failure.settlements) or len(failure.settlements) > LONGEST:
        return ""
    oracle, kinds = oracle_beside(failure.config, failure.seed, failure.in_flight), list[str]()
    for provider, (score, bid) in zip(failure.providers, failure.settlements, strict=True):
        decisions = oracle.decisions()
        if not decisions:
            return ""
        kinds.append(kind_of(decisions[0]))
        oracle.settle(provider, score, bid)
    told, first = [], 1
    for kind, same in groupby(kinds):
        last = first + len(list(same)) - 1
        told.append(f"{first} {kind}" if first == last else f"{first}-{last} {kind}")
        first = last + 1
    return ", ".join(["...", *told[-_STRETCHES:]] if len(told) > _STRETCHES else told)


def kinds_comment(failure: Failure) -> list[str]:
    """Return the same as lines of a comment for a script."""
    told = step_kinds(failure)
    lines = textwrap.wrap(f"steps by the rules: {told}", _WIDTH - len("# "))
    return [f"# {line}" for line in lines] if told else []
