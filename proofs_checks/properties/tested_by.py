"""Which checks, rules and claims test which property, and what their failures refute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from proofs_checks.properties.lattice import SHORT, weaker


@dataclass(frozen=True, kw_only=True)
class CheckedProperty:
    """What a check tests.

    Parameters
    ----------
    passed : str
        The property that it tests where it passes; empty where it tests none alone.
    failed : str
        The weakest property that is refuted for sure where it fails, whatever its counterexample; empty if there is
        none in the list.
    rule : bool
        Whether it compares with several rules, so that its counterexample says which one breaks.
    replays: bool
        Whether it plays a history again with other bids, so that it means nothing where answers are not repeatable.
    """

    passed: str
    failed: str
    rule: bool = False
    replays: bool = False


def _of(name: str, *, replays: bool = False) -> CheckedProperty:
    return CheckedProperty(passed=name, failed=name, replays=replays)


#: By check. Several play scenarios with gamma > 0 besides, or long ones: without a counterexample, what such a failure
#: refutes for sure is the stronger property.
OF_CHECK: Mapping[str, CheckedProperty] = MappingProxyType(
    {
        "answers": _of("answers"),
        "configuration-unchanged": _of("repeatable"),
        "reproducible": _of("repeatable"),
        "independent-instances": _of("repeatable"),
        "payment-range": _of("payment-range"),
        "own-bid-independence": _of("bid-independence", replays=True),
        "past-bids": _of("bid-independence", replays=True),
        "monotone-allocation": CheckedProperty(passed="allocation", failed="belief-slack", replays=True),
        "selection-threshold": CheckedProperty(passed="critical-payments", failed="belief-slack", replays=True),
        "no-loss": _of("individual-rationality", replays=True),
        "no-profitable-misreport": _of("truthfulness", replays=True),
        "strict-misreport": _of("strict-truthfulness", replays=True),
        "robust-no-loss": _of("robust-truthfulness", replays=True),
        "robust-worst-case": _of("robust-truthfulness", replays=True),
        "robust-strict": _of("robust-truthfulness", replays=True),
        "initialization-order": _of("initialization"),
        "initialization-payment": _of("initialization"),
        "exploration-payment": _of("fixed-payments"),
        "empty-payment": _of("fixed-payments"),
        "lone-payment": _of("critical-payments"),
        "eligibility": _of("eligibility"),
        "exploration-set": _of("exploration"),
        "standing-bids": CheckedProperty(passed="allocation", failed="critical-payments", rule=True),
        "index-minimizer": _of("allocation"),
        "critical-payment": _of("critical-payments"),
        "widened-radius": CheckedProperty(passed="belief-slack", failed="belief-slack", rule=True),
        "state-estimates": CheckedProperty(passed="eligibility", failed="long-runs", rule=True),
        "long-run": CheckedProperty(passed="long-runs", failed="long-runs", rule=True),
        "exploration-draw": _of("uniform-draws"),
        "empty-draw": _of("uniform-draws"),
        "whole-interactions": CheckedProperty(passed="", failed="", rule=True),
        # With queries in flight: the rules, decided on what has arrived.
        "overtaking-feedback": CheckedProperty(passed="", failed="", rule=True),
        "lost-feedback": CheckedProperty(passed="", failed="", rule=True),
        "restart": _of("repeatable"),
    }
)

#: By rule of a step.
OF_RULE: Mapping[str, str] = MappingProxyType(
    {
        "initialization-order": "initialization",
        "initialization-payment": "initialization",
        "eligibility": "eligibility",
        "exploration-set": "exploration",
        "exploration-payment": "fixed-payments",
        "empty-payment": "fixed-payments",
        "lone-payment": "critical-payments",
        "index-minimizer": "allocation",
        "critical-payment": "critical-payments",
    }
)

#: By the label of a claim that a log can refute; `None` for those that restate rules, which are compared one by one,
#: or that are evaluated by the paper's rules alone, so that they say nothing about who made the log.
OF_CLAIM: Mapping[str, str | None] = MappingProxyType(
    {
        "eq:bayesian-mechanism": "belief-slack",
        "lem:payment-range": "payment-range",
        "lem:payment-range:under-deviations": "payment-range",
        "lem:payment-range:repaired": "payment-range",
        "lem:good-event": "good-event",
        "thm:robust-dominant:no-loss-in-mean": "individual-rationality",
        **dict.fromkeys(
            [
                "eq:quality-estimate",
                "eq:qualified-set",
                "eq:allocation",
                "eq:critical-payment",
                "eq:payment",
                "alg:platform",
                "eq:provider-history",
                "prop:selection-threshold",
                "lem:one-step",
                "thm:robust-dominant",
                "claim:robust-equilibrium",
                "eq:truthful-strategy",
                "asmp:beliefs",
                "asmp:bounded-deviations",
            ]
        ),
    }
)

#: By the name of a part of such a claim that is no rule of a step.
OF_PART: Mapping[str, str] = MappingProxyType(
    {
        "exploration draws are uniform (false alarm below 1e-09 a trace)": "uniform-draws",
        "no query is served below the running mean cost": "individual-rationality",
    }
)

#: What the claims test that are not named above.
OF_OTHER_CLAIMS = "bounds"


def refuted_by(check: str, *, rule: str = "", belief_slack: float = 0.0, step: int = 1) -> str:
    """Return the weakest property that a counterexample of a check refutes for sure.

    Parameters
    ----------
    check : str
    rule : str, optional
        The rule that breaks, where the check compares with rules.
    belief_slack : float, optional
        gamma: if it is positive, a rule may break because of it alone.
    step : int, optional
        The step in question: if it is late, a rule may break because of that alone.

    Returns
    -------
    str
        Its name; empty if the counterexample refutes none of the list for sure, as one that is late and has gamma > 0.

    Examples
    --------
    >>> refuted_by("state-estimates", rule="eligibility", step=9)
    'eligibility'
    >>> refuted_by("state-estimates", rule="eligibility", step=300)
    'long-runs'
    >>> refuted_by("selection-threshold", belief_slack=0.5)
    'belief-slack'
    """
    tests = OF_CHECK[check]
    found = OF_RULE.get(rule, tests.failed) if tests.rule else tests.passed
    if not _is_rule(found):
        return found
    if belief_slack > 0:
        return "" if step > SHORT else "belief-slack"
    return "long-runs" if step > SHORT else found


def _is_rule(name: str) -> bool:
    """Return whether a property is about rules, so that it may break because of gamma, or late, alone."""
    return name in (weaker("long-runs") | {"belief-slack"}) - {"answers", "repeatable"}
