"""What a mechanism is told: the platform's parameters without the providers' secrets."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Setting


@dataclass(frozen=True)
class MechanismConfig:
    """The attributes that a mechanism factory receives (contract, "A mechanism to check").

    Parameters
    ----------
    n_providers : int
        N >= 2.
    quality_threshold, confidence, cost_bound, exploration_scale, exploration_exponent, belief_slack : float
        As in `bounds.setting.model.PlatformParameters`.

    Raises
    ------
    InputError
        A value out of its range.

    Examples
    --------
    >>> MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75).belief_slack
    0.0
    """

    n_providers: int
    quality_threshold: float
    confidence: float
    cost_bound: float
    exploration_scale: float
    exploration_exponent: float
    belief_slack: float = 0.0

    def __post_init__(self) -> None:
        if type(self.n_providers) is not int or self.n_providers < 2:
            rule, remedy = "must be a whole number from 2", "a market needs two providers"
            raise InputError("n_providers", self.n_providers, rule, remedy)
        PlatformParameters(  # refuses what it would refuse in a setting
            self.quality_threshold,
            self.confidence,
            self.cost_bound,
            self.exploration_scale,
            self.exploration_exponent,
            self.belief_slack,
        )

    @classmethod
    def of(cls, setting: Setting) -> MechanismConfig:
        """Return the part of a setting that the platform knows."""
        platform = setting.platform
        return cls(
            setting.n_providers,
            platform.quality_threshold,
            platform.confidence,
            platform.cost_bound,
            platform.exploration_scale,
            platform.exploration_exponent,
            platform.belief_slack,
        )
