"""Speed and memory of the simulator: run `python -m benchmarks`, or pytest with pytest-benchmark (see README)."""
