"""Other names of claims: the field's, and those of checks and rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_RULES = ("answers", "repeatable", "long runs")
_SECOND = "second-lowest cost"
_ORDINARY = ("ordinary rounds", "ordinary steps", "non-exploration steps", "auction steps")

#: What else a claim is called, by its label. A name here need not stand in the paper.
ALSO_CALLED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "alg:platform": ("initialization", *_RULES),
        "eq:qualified-set": ("eligibility", "eligible providers"),
        "eq:allocation": ("uniform draws", "allocation"),
        "eq:critical-payment": ("bid independence", "second-price auction"),
        "eq:payment": ("fixed payments",),
        "prop:selection-threshold": ("monotone allocation",),
        "thm:robust-dominant": (
            *("robust truthfulness", "truthfulness", "individual rationality", "incentive compatibility"),
            *("no loss", "dominant strategy"),
        ),
        "thm:robust-dominant:no-loss-in-mean": ("individual rationality",),
        "lem:one-step": (
            *("individual rationality", "truthfulness", "strict truthfulness", "incentive compatibility", "no loss"),
        ),
        "eq:bayesian-mechanism": ("belief slack",),
        "thm:regret": (_SECOND,),
        "lem:ordinary-payment": (_SECOND, *_ORDINARY),
        "lem:ordinary-qualified-set": _ORDINARY,
        "lem:ordinary-selection-gap": _ORDINARY,
        "lem:ordinary-selection-threshold": _ORDINARY,
        "cor:eventual-ordinary-optimality": _ORDINARY,
        "thm:excess-payment-general": (_SECOND,),
        "lem:two-sided-payment": (_SECOND,),
        "thm:payment-convergence": (_SECOND,),
    }
)
