"""What witnesses and places of comparisons hold as JSON: the types that document them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from bounds.documents import INLINE, Count, FromOne, FromTwo, Probability, limits, one_of

#: By each kind of witness that is computed, not played: the claim to which it belongs.
COMPUTED_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "identification": "claim:T_id:tightened",
        "radius": "lem:radius-monotone:one-provider",
        "strategies": "thm:robust-dominant:best-reply",
        "table": "claim:table-numbers",
        "unwidened": "claim:widening-necessary:count",
        "band": "claim:widening-necessary:for-convergence",
        "target": "lem:forced-exploration-bound:any-g",
        "tie": "thm:robust-dominant:strict-at-ties",
        "main-text": "claim:T_id:main-text",
        "margin": "thm:regret:advertised-margins",
        "exclusion": "lem:unqualified-elimination:queries-to-exclude",
        "unobserved-mean": "lem:good-event:means-of-all-counts",
        "discount": "eq:experimental-generation-cost:discount",
    }
)


class Place(TypedDict):
    """The tightest instance, or the worst violation.

    Parameters
    ----------
    relation : str
        What was compared there, in words.
    step : int
        Step of the trace, from 1.
    provider : str
        Name of the provider.
    instance : int
        Number of the constructed instance, from 0; of the tightest comparison that could fail alone.
    setting : str
        The numbers of that instance's setting.
    left : float or None
        The side that should be smaller; None if undefined or infinite.
    right : float or None
        The side that should be larger; None if undefined or infinite.
    bid : float
        The bid that was tried instead, money per query.
    by : float
        By how much one amount exceeds the other, money per query.
    p_value : float
        How probable means so far outside their bands are, at most.
    """

    relation: str
    step: NotRequired[FromOne]
    provider: NotRequired[str]
    instance: NotRequired[Count]
    setting: NotRequired[str]
    left: NotRequired[float | None]
    right: NotRequired[float | None]
    bid: NotRequired[float]
    by: NotRequired[float]
    p_value: NotRequired[Probability]


class Shows(TypedDict):
    """What the violations of a witness come to; a replay must find the same.

    Parameters
    ----------
    violations : int
        How many comparisons fail.
    where : Place or None
        The worst violation; None if there is no single one.
    """

    violations: Count
    where: Annotated[Mapping[str, Any], Place] | None


class RunWitness(TypedDict):
    """How to play a run again; alone, a run that violates the claim.

    Parameters
    ----------
    kind : {"simulation"}
        The kind of witness.
    variant : str
        How providers bid.
    seed : int
        Seed of all randomness.
    run : int
        Number of the run, from 0.
    horizon : int
        Queries of the run.
    market : str
        Where the queries come from, in words.
    setting : str
        The setting, as the text of a setting file (TOML).
    setting_name : str
        Name of the setting.
    claim : str
        Label of the claim; left out of one run among several.
    shows : Shows
        What its violations come to; left out of one run among several.
    """

    kind: Literal["simulation"]
    variant: Literal["truthful", "bayesian", "deviating", "combined"]
    seed: Count
    run: Count
    horizon: FromTwo
    market: str
    setting: str
    setting_name: str
    claim: NotRequired[str]
    shows: NotRequired[Shows]


class RunsWitness(TypedDict):
    """Runs that violate the claim only together.

    Parameters
    ----------
    kind : {"runs"}
        The kind of witness.
    claim : str
        Label of the claim.
    runs : list of RunWitness
        How to play each of them again.
    shows : Shows
        What their violations come to.
    """

    kind: Literal["runs"]
    claim: str
    runs: Annotated[list[RunWitness], limits(minItems=1)]
    shows: Shows


class InstanceWitness(TypedDict):
    """A constructed instance that violates the claim.

    Parameters
    ----------
    kind : {"steered"}
        The kind of witness.
    seed : int
        Seed of all randomness.
    instance : int
        Number of the instance, from 0.
    market : str
        What the instance is built for, in words.
    setting : str
        The numbers of its setting.
    delay : str
        How many queries were in flight; only where some were.
    claim : str
        Label of the claim.
    shows : Shows
        What its violations come to.
    """

    kind: Literal["steered"]
    seed: Count
    instance: Count
    market: str
    setting: NotRequired[str]
    delay: NotRequired[str]
    claim: str
    shows: Shows


class TraceColumns(TypedDict):
    """The columns of a trace, an entry for each step.

    Parameters
    ----------
    provider : list of int
        Index of who served, from 0.
    payment : list of float
        What was paid, money.
    score : list of float
        Score, in [0, 1].
    bid : list of float
        Standing bid that the step leaves, money.
    cost : list of float
        Cost, money; left out if it is not known.
    """

    provider: list[Count]
    payment: list[float]
    score: list[float]
    bid: list[float]
    cost: NotRequired[list[float]]


class TraceWitness(TypedDict):
    """A whole trace that violates the claim.

    Parameters
    ----------
    kind : {"trace"}
        The kind of witness.
    claim : str
        Label of the claim.
    setting : str
        The setting, as the text of a setting file (TOML).
    origin : dict
        How the trace came about, by name of what decided it.
    trace : TraceColumns
        The columns of the trace.
    """

    kind: Literal["trace"]
    claim: str
    setting: str
    origin: dict[str, str | float]
    trace: TraceColumns


@dataclass(frozen=True)
class ComputedWitness:
    """What refutes a claim by computation.

    Parameters
    ----------
    kind : str
        The kind of witness; each is of one claim.
    numbers : mapping
        Numbers by name, and fractions as text.
    """

    kind: Annotated[str, one_of(COMPUTED_KINDS)]
    numbers: Mapping[str, Any] = field(metadata=INLINE)


Witness = RunWitness | RunsWitness | InstanceWitness | TraceWitness | ComputedWitness
