"""Speed and memory of the simulator: run `python -m benchmarks`, or pytest-benchmark (see docs/speed.md)."""
