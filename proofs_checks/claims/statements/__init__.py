"""The claims of the paper: one module for each small family, found by `proofs_checks.claims.registry`."""
