"""What the paper promises, as formulas: settings, bounds, their numbers, enclosures and LaTeX."""

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting

__all__ = ["InputError", "PlatformParameters", "Provider", "Setting"]
