"""The plain mechanism and right variants of it, from the product's gallery."""
# ruff: noqa: F401 they are names of this module

from proofs_checks.conformance.mutants.correct import InitializesBackwards, LastOfTies
from proofs_checks.conformance.mutants.plain import Plain
