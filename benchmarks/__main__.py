"""`python -m benchmarks`: speed on this machine; docs/explanation/why-fast.md and docs/speed.md have that of others."""

from __future__ import annotations

import os
import sys

from benchmarks import measures, tools


def main() -> None:
    """Print the tables as Markdown."""
    write = sys.stdout.write
    write(
        "| providers | steps/s, lean | of the floor | steps/s, all metrics | against plain Python |\n|--|--|--|--|--|\n"
    )
    for n in measures.SIZES:
        lean, full = (measures.compiled_rate(n, measures=flag) for flag in (False, True))
        floor, plain = measures.floor_rate(n), measures.plain_rate(n)
        write(f"| {n:,} | {lean / 1e6:.1f} M | {lean / floor:.2f} | {full / 1e6:.1f} M | {full / plain:,.0f} x |\n")
        sys.stdout.flush()
    write(f"\nfloor (draw a score and a cost): {measures.floor_rate(9) / 1e6:.0f} M steps/s\n")
    for jobs in sorted({1, os.cpu_count() or 1}):
        write(f"the paper's experiment, 52.5 M steps, all metrics, {jobs} thread(s): {measures.headline(jobs):.1f} s\n")
    seconds = min(measures.curves_seconds(jobs=1) for _ in range(5))
    write(f"all curves of 30 runs x 70,000 steps, 1 thread: {1000 * seconds:.0f} ms\n")
    for name, (wall, cpu) in measures.start_up().items():
        write(f"first run, {name}: {wall:.1f} s ({cpu:.1f} s CPU)\n")
    write(f"1,000 runs x 70,000 steps: peak {measures.memory_of_campaign()} MB\n")
    rows, steps = tools.audited_rows(), tools.plain_steps()
    write(f"audit, every rule and claim: {rows / 1e3:.0f},000 rows/s of CPU, {rows / steps:.1f} x the plain episode\n")
    for name, quick in (("full", False), ("quick", True)):
        write(f"check, reference mechanism, {name}: {tools.suite_seconds(quick=quick):.1f} s of CPU\n")
    write(f"prove, every claim, both solvers: {tools.proving_seconds():.1f} s\n")


if __name__ == "__main__":
    main()
