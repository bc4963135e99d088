"""What a mechanism is told: the platform's parameters without the providers' secrets."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from bounds.radii.names import PAPERS, told
from bounds.setting.model import PlatformParameters, Setting
from mechanism.arguments import whole_number


@dataclass(frozen=True)
class MechanismConfig:
    """The attributes that a mechanism factory receives (contract, "A mechanism to check").

    Parameters
    ----------
    n_providers : int
        N >= 2.
    quality_threshold, confidence, cost_bound, exploration_scale, exploration_exponent, belief_slack : float
        As in `bounds.setting.model.PlatformParameters`.
    radius : str, optional
        Name of the confidence radius, of `bounds.radii.names`.

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
    radius: str = PAPERS

    def __post_init__(self) -> None:
        whole_number("n_providers", self.n_providers, "a market needs two providers", least=2)
        # Refuses what it would refuse in a setting.
        PlatformParameters(**{name: getattr(self, name) for name in _PLATFORM})

    @classmethod
    def of(cls, setting: Setting) -> MechanismConfig:
        """Return the part of a setting that the platform knows."""
        return cls(setting.n_providers, **{name: getattr(setting.platform, name) for name in _PLATFORM})

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data; the radius with it if it is not the paper's."""
        return told(vars(self))


_PLATFORM = tuple(field.name for field in fields(MechanismConfig) if field.name != "n_providers")
