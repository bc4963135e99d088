"""The proofs, one module a family of claims, beside the modules of `proofs_checks.claims` that test them."""
