"""Speed of the simulator, with pytest-benchmark (see docs/explanation/speed.md)."""
