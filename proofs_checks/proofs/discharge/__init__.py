"""Computed numbers that theorems in Coq take with a stated property: that the printed ones have it, by enclosures."""
