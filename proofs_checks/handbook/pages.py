"""Every generated page, by its path in the folder of generated pages."""

from __future__ import annotations

from collections.abc import Mapping

from proofs_checks.handbook.checks import check_pages
from proofs_checks.handbook.claims import claim_pages
from proofs_checks.handbook.commands import command_pages
from proofs_checks.handbook.modules import module_pages
from proofs_checks.handbook.policies import policy_pages
from proofs_checks.handbook.proofs import proof_pages
from proofs_checks.handbook.schemas import schema_pages


def all_pages() -> Mapping[str, str]:
    """Return the text of every page by its path, as ``claims/thm-regret.md``."""
    folders = {
        "claims": claim_pages(),
        "proofs": proof_pages(),
        "checks": check_pages(),
        "policies": policy_pages(),
        "commands": command_pages(),
        "schemas": schema_pages(),
        "modules": module_pages(),
    }
    return {f"{folder}/{name}": text for folder, pages in folders.items() for name, text in pages.items()}
