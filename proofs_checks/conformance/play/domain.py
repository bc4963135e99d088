"""The domain of a mechanism: the scores, thresholds and providers that it is made for, and that it is played with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from bounds.errors import InputError, did_you_mean
from bounds.radii.names import PAPERS, radius_name
from mechanism.config import MechanismConfig

Range = tuple[float, float]

#: What ``q_min=inside`` stands for.
INSIDE: Range = (0.01, 0.99)
_ANY_THRESHOLD: Range = (0.0, 1.0)
_ANY_NUMBER: Range = (2, math.inf)


@dataclass(frozen=True, kw_only=True)
class Domain:
    """What a mechanism is made for; by default everything.

    Parameters
    ----------
    binary_scores : bool, optional
        Whether every score is 0 or 1.
    thresholds : (float, float), optional
        Least and largest quality threshold q_min, in [0, 1].
    providers : (int, int), optional
        Least and largest number of providers, from 2; the largest may be infinite.
    least_eligible : int, optional
        So many providers at least are eligible at every step after initialization.
    belief_slack : bool, optional
        Whether gamma may be positive.
    radius : str, optional
        The confidence radius that it is configured with, of `bounds.radii.names`; default the paper's.

    Examples
    --------
    >>> print(Domain(binary_scores=True, least_eligible=2))
    scores=binary, eligible=2..
    """

    binary_scores: bool = False
    thresholds: Range = _ANY_THRESHOLD
    providers: Range = _ANY_NUMBER
    least_eligible: int = 0
    belief_slack: bool = True
    radius: str = PAPERS

    def __str__(self) -> str:
        said = {
            "scores=binary": self.binary_scores,
            f"q_min={_told(self.thresholds)}": self.thresholds != _ANY_THRESHOLD,
            f"providers={_told(self.providers)}": self.providers != _ANY_NUMBER,
            f"eligible={self.least_eligible}..": self.least_eligible > 0,
            "belief_slack=0": not self.belief_slack,
            f"radius={self.radius}": self.radius != PAPERS,
        }
        return ", ".join(text for text, restricts in said.items() if restricts)

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYTHING

    def score(self, score: float) -> float:
        """Return the score of the domain that is nearest to one.

        Examples
        --------
        >>> Domain(binary_scores=True).score(0.7), Domain().score(0.7)
        (1.0, 0.7)
        """
        return float(score >= 0.5) if self.binary_scores else score

    def config(self, config: MechanismConfig) -> MechanismConfig:
        """Return the configuration of the domain that is nearest to one.

        Examples
        --------
        >>> config = MechanismConfig(5, 1.0, 0.05, 1.0, 2.0, 0.5)
        >>> within = Domain(thresholds=(0.2, 0.8), providers=(2, 3)).config(config)
        >>> within.quality_threshold, within.n_providers
        (0.8, 3)
        """
        if self.is_everything:
            return config
        return replace(
            config,
            n_providers=int(_nearest(config.n_providers, self.providers)),
            quality_threshold=_nearest(config.quality_threshold, self.thresholds),
            belief_slack=config.belief_slack if self.belief_slack else 0.0,
            radius=self.radius,
        )


EVERYTHING = Domain()


def _nearest(number: float, between: Range) -> float:
    return min(max(number, between[0]), between[1])


def _told(between: Range) -> str:
    """Return a range as `domain_of` reads it.

    Examples
    --------
    >>> _told((0.2, 0.8)), _told((3, 3)), _told((2, math.inf))
    ('0.2..0.8', '3', '2..')
    """
    low, high = between
    return f"{low:g}" if low == high else f"{low:g}..{'' if high == math.inf else f'{high:g}'}"


_ARGUMENT = "domain"


def _range(text: str, widest: Range, example: str, *, whole: bool) -> Range:
    """Return least and largest number of LO..HI, LO.. or ..HI, or of one number."""
    low, dots, high = text.partition("..")
    try:
        first = float(low or widest[0])
        last = float(high or widest[1]) if dots else first
    except ValueError:
        first = last = math.nan
    if not text.strip(".") or not widest[0] <= first <= last <= widest[1]:
        rule = f"must be a range within {_told(widest)}"
        raise InputError(_ARGUMENT, text, rule, f"write {example}")
    if whole and not (first.is_integer() and (last == math.inf or last.is_integer())):
        raise InputError(_ARGUMENT, text, "counts providers", f"write whole numbers, as {example}")
    return first, last


def _fields(key: str, text: str) -> dict[str, Any]:
    """Return the fields of a domain that a restriction sets."""
    match key, text:
        case "scores", "binary":
            return {"binary_scores": True}
        case "scores", _:
            raise InputError(_ARGUMENT, text, "is not a kind of scores", "write scores=binary")
        case "q_min", "inside":
            return {"thresholds": INSIDE}
        case "q_min", _:
            return {"thresholds": _range(text, _ANY_THRESHOLD, "q_min=0.2..0.8 or q_min=inside", whole=False)}
        case "providers", _:
            low, high = _range(text, _ANY_NUMBER, "providers=2..5, providers=3.. or providers=3", whole=True)
            return {"providers": (int(low), high if high == math.inf else int(high))}
        case "eligible", _:
            low, high = _range(text, (1, math.inf), "eligible=2..", whole=True)
            if high == math.inf:
                return {"least_eligible": int(low)}
            remedy = "how many are eligible is bounded below alone: write eligible=2.."
            raise InputError(_ARGUMENT, text, "has an end", remedy)
        case "belief_slack", "0":
            return {"belief_slack": False}
        case "belief_slack", _:
            raise InputError(_ARGUMENT, text, "is not a restriction", "write belief_slack=0")
        case _:
            return {"radius": radius_name(text)}


_KEYS = ("scores", "q_min", "providers", "eligible", "belief_slack", "radius")
_FORM = (
    "write KEY=VALUE: scores=binary, q_min=inside, q_min=0.2..0.8, providers=2..5, eligible=2.., belief_slack=0 or "
    "radius=beta-binomial"
)


def domain_of(restrictions: Domain | str | Iterable[str]) -> Domain:
    """Return the domain that restrictions describe, each ``KEY=VALUE``.

    Parameters
    ----------
    restrictions : Domain, str or iterable of str
        ``scores=binary``; ``q_min=LO..HI``, or ``q_min=inside`` for 0.01..0.99; ``providers=LO..HI``;
        ``eligible=LO..``, the least number of eligible providers after initialization; ``belief_slack=0``;
        ``radius=NAME``, the confidence radius that the configuration names.

    Raises
    ------
    InputError
        An unknown key, a range that is none, or a key given twice.

    Examples
    --------
    >>> domain = domain_of(["scores=binary", "q_min=inside", "eligible=2.."])
    >>> domain.thresholds, domain.least_eligible
    ((0.01, 0.99), 2)
    """
    if isinstance(restrictions, Domain):
        return restrictions
    given = [restrictions] if isinstance(restrictions, str) else list(restrictions)
    domain, seen = EVERYTHING, set[str]()
    for restriction in given:
        key, equals, text = restriction.partition("=")
        if not equals or key.endswith((">", "<")):
            raise InputError(_ARGUMENT, restriction, "is not a restriction", _FORM)
        if key not in _KEYS:
            raise InputError(_ARGUMENT, restriction, f"restricts {key!r}", did_you_mean(key, _KEYS, _FORM))
        if key in seen:
            raise InputError(_ARGUMENT, restriction, f"restricts {key} twice", "give one restriction of each kind")
        seen.add(key)
        domain = replace(domain, **_fields(key, text.strip()))
    if domain.least_eligible > domain.providers[1]:
        rule = f"asks for {domain.least_eligible} eligible providers of at most {domain.providers[1]:g}"
        raise InputError(_ARGUMENT, f"{domain}", rule, "ask for fewer eligible ones, or for more providers")
    if domain.least_eligible > domain.providers[0]:
        domain = replace(domain, providers=(domain.least_eligible, domain.providers[1]))
    return domain
