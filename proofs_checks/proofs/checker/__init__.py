"""The checker of certificates, which is trusted: `checker` over `ground` facts over `polynomials`.

It imports only terms, sorts and the reader of scripts from `proofs_checks.proofs.language`.
"""
