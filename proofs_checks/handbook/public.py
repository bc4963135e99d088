"""Which modules and names are public.

A name is public if one of `PACKAGES` exports it (it stands in ``__all__``), or if a page of the documentation or an
example imports it. The modules that define such names are the public modules. Each has a page, with everything that it
defines and whose name does not begin with an underscore.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from bounds.exports import homes_of

#: The packages that export names, the front door first.
PACKAGES = ("costproof", "bounds", "mechanism", "proofs_checks", "proofs_checks.conformance")

#: Modules that documentation and examples import by their own name: a test finds one that is missing.
NAMED_IN_DOCUMENTATION = (
    "bounds.coverage.elimination",
    "bounds.formulas.belief",
    "bounds.formulas.identification",
    "bounds.formulas.payment",
    "bounds.formulas.radius",
    "bounds.formulas.rate",
    "bounds.formulas.regret",
    "bounds.formulas.selection",
    "bounds.formulas.sharp",
    "bounds.radii.catalogue",
    "bounds.radii.radius",
    "mechanism.rules",
    "mechanism.recorded.files",
    "mechanism.recorded.hub",
    "mechanism.recorded.market",
    "mechanism.recorded.setting",
    "proofs_checks.claims.implications",
    "proofs_checks.claims.model.conditions",
    "proofs_checks.claims.model.regime",
    "proofs_checks.claims.model.relation",
    "proofs_checks.claims.model.tightness",
    "proofs_checks.claims.model.trace_check",
    "proofs_checks.claims.model.trace_quantities",
    "proofs_checks.cli.main",
    "proofs_checks.cli.views.check",
    "proofs_checks.conformance.play.subject",
    "proofs_checks.figures.look",
    "proofs_checks.proofs.language.obligation",
    "proofs_checks.proofs.language.terms",
    "proofs_checks.proofs.language.vocabulary",
)


def exported(package: str) -> Mapping[str, str]:
    """Return the names that a package exports, each with the module that defines it.

    Examples
    --------
    >>> exported("bounds")["Setting"]
    'bounds.setting.model'
    """
    importlib.import_module(package)
    return homes_of(package)


def public_modules() -> tuple[str, ...]:
    """Return the public modules, by name.

    Examples
    --------
    >>> "bounds.report" in public_modules()
    True
    """
    defining = {module for package in PACKAGES for module in exported(package).values()}
    return tuple(sorted({*defining, *NAMED_IN_DOCUMENTATION}))
