"""The plain mechanism and right variants of it, from the product's gallery."""

from proofs_checks.conformance.mutants.correct import InitializesBackwards, LastOfTies
from proofs_checks.conformance.mutants.plain import Plain

__all__ = ["InitializesBackwards", "LastOfTies", "Plain"]
