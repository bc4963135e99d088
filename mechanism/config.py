"""What a mechanism knows: the platform's parameters without the providers' secrets."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from bounds.documents import OPTIONAL, Document, FromTwo, NonNegative, OpenProbability, Positive, Probability
from bounds.radii.names import PAPERS, OtherRadius
from bounds.setting.model import PlatformParameters, Setting
from mechanism.arguments import whole_number


@dataclass(frozen=True)
class MechanismConfig(Document):
    """The attributes that a mechanism factory receives (contract, "A mechanism to check").

    Parameters
    ----------
    n_providers : int
        N >= 2, the number of providers.
    quality_threshold : float
        Mean score that a provider must reach to be qualified.
    confidence : float
        Probability delta with which the guarantees may fail.
    cost_bound : float
        Upper bound on every cost, bid and payment, money.
    exploration_scale : float
        k of the target g(t) = k (t/N)^alpha.
    exploration_exponent : float
        alpha of the target g(t) = k (t/N)^alpha.
    belief_slack : float
        gamma: cost radii are 1 + gamma times as wide.
    radius : str, optional
        Name of the confidence radius (`bounds.radii.names`); left out where it is the paper's.

    Raises
    ------
    InputError
        A value out of its range.

    Examples
    --------
    >>> MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75).belief_slack
    0.0
    """

    n_providers: FromTwo
    quality_threshold: Probability
    confidence: OpenProbability
    cost_bound: Positive
    exploration_scale: Positive
    exploration_exponent: OpenProbability
    belief_slack: NonNegative = 0.0
    radius: OtherRadius = field(default=PAPERS, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        whole_number("n_providers", self.n_providers, "a market needs two providers", least=2)
        # Refuses what it would refuse in a setting.
        PlatformParameters(**{name: getattr(self, name) for name in _PLATFORM})

    @classmethod
    def of(cls, setting: Setting) -> MechanismConfig:
        """Return the part of a setting that the platform knows."""
        return cls(setting.n_providers, **{name: getattr(setting.platform, name) for name in _PLATFORM})


_PLATFORM = tuple(each.name for each in fields(MechanismConfig) if each.name != "n_providers")
