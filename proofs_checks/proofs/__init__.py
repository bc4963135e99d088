"""Machine-checked proofs of the paper's claims, for every number of providers and all parameters."""
