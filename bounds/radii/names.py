"""The radii by name, and why a name is none: read wherever a setting is, so nothing is computed here."""

from __future__ import annotations

from typing import Annotated

from bounds.documents import one_of
from bounds.errors import InputError, did_you_mean

#: The radius of eq:qualified-set, and the default everywhere.
PAPERS = "paper"
#: From a name to what it stands for, in a line.
RADII = {
    PAPERS: "the paper's: Hoeffding at every count, weights 1/m^2",
    "beta-binomial": "one-sided beta-binomial mixture for eligibility; the paper's cost radius",
    "normal-mixture": "two-sided normal mixture (Robbins), for eligibility and costs",
}
#: The name of a radius, in documents that leave the paper's out.
OtherRadius = Annotated[str, one_of(name for name in RADII if name != PAPERS)]
#: Radii of earlier versions, with the one to take instead: it is smaller but for the first few counts.
_REMOVED = {"kl": "beta-binomial", "stitched": "normal-mixture"}
#: Radii that this mechanism cannot take.
_REFUSED = ("empirical-bernstein", "bernstein", "empirical-variance")
_WHY_REFUSED = (
    "depends on past bids: the winner's payment is the lowest rival index plus its own cost radius, so its own past "
    "bids would move what it is paid, and truthful bidding would no longer be safe"
)


def radius_name(name: object) -> str:
    """Return the name of a radius, or say what is wrong with it.

    Raises
    ------
    InputError
        An unknown name, that of a radius that was removed, or that of one that depends on bids.

    Examples
    --------
    >>> radius_name("beta-binomial")
    'beta-binomial'
    >>> radius_name("empirical-bernstein")
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: radius='empirical-bernstein' depends on past bids: ...
    """
    if isinstance(name, str) and name in RADII:
        return name
    known = ", ".join(RADII)
    if isinstance(name, str) and name in _REMOVED:
        raise InputError("radius", name, "was removed", f'take "{_REMOVED[name]}", and repeat what was run with it')
    if not isinstance(name, str):
        raise InputError("radius", name, "must be the name of a radius, in quotes", f"the radii are {known}")
    if name.casefold().replace("_", "-") in _REFUSED:
        raise InputError("radius", name, _WHY_REFUSED, f"choose one that depends on counts alone: {known}")
    remedy = did_you_mean(name.casefold().replace("_", "-"), RADII, f"the radii are {known}")
    raise InputError("radius", name, "is not a known radius", remedy)
