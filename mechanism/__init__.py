"""The platform, the providers and the market, run in plain Python. Knows no claim."""
