"""Certificates that come with the package, found once by a search and checked again whenever they are used."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from proofs_checks.proofs.checker.checker import CertificateError

_FOLDER = files("proofs_checks.proofs") / "stored"


def stored_text(obligation: str) -> str | None:
    """Return the file of an obligation's certificate, whatever it holds, or None where there is none yet."""
    place = _FOLDER / f"{obligation}.json"
    return place.read_bytes().decode("utf-8", errors="replace") if place.is_file() else None


def stored_certificate(obligation: str) -> dict[str, Any] | None:
    """Return the stored certificate of an obligation, or None where there is none yet."""
    text = stored_text(obligation)
    if text is None:
        return None
    try:
        certificate = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"no JSON ({type(error).__name__})") from error
    if not isinstance(certificate, dict):
        raise CertificateError("no JSON object")
    return certificate


def store_location() -> str:
    """Return the folder of the stored certificates, for the search that fills it."""
    return str(_FOLDER)
