"""`python -m benchmarks.growth FOLDER`: how the cost of each tool grows with its input, as a page and a figure.

Sizes are doubled or multiplied by ten. Seconds are CPU time of whole processes, with all their workers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measures
from benchmarks.side_by_side import run

PROVIDERS = (9, 100, 1_000, 10_000, 100_000)
RUNS = (10, 20, 40, 80)
ROWS = (1_000_000, 10_000_000, 100_000_000)
_SETTING = "gsm8k-full"


@dataclass(frozen=True, kw_only=True)
class Point:
    """What one size cost.

    Parameters
    ----------
    size : int
        In units of the curve: steps, comparisons, rows, obligations.
    seconds : float
        Of CPU time.
    memory : int
        MB, of the largest process.
    """

    size: int
    seconds: float
    memory: int = 0


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points of one tool, the smallest size first.

    Parameters
    ----------
    name : str
    unit : str
        What a size counts.
    lot : int
        How many of them the text speaks of.
    points : tuple of Point
    """

    name: str
    unit: str
    lot: int
    points: tuple[Point, ...]

    @property
    def straight(self) -> float:
        """Largest ratio of a measured cost to the line through the first and the last point, or of the line to it."""
        first, last = self.points[0], self.points[-1]
        slope = (last.seconds - first.seconds) / (last.size - first.size)
        lines = [first.seconds + slope * (point.size - first.size) for point in self.points]
        return max(max(p.seconds / line, line / p.seconds) for p, line in zip(self.points, lines, strict=True))

    @property
    def marginal(self) -> tuple[float, float]:
        """Seconds per unit between the first two points, and between the last two."""
        pairs = ((self.points[0], self.points[1]), (self.points[-2], self.points[-1]))
        low, high = ((after.seconds - before.seconds) / (after.size - before.size) for before, after in pairs)
        return low, high


def verify_curve(costproof: Path, folder: Path, runs: Sequence[int] = RUNS) -> Curve:
    """Return what `verify` costs as the runs of a setting, and so the comparisons, double."""
    points = []
    run(costproof, ("verify", _SETTING, "--runs", "1", "--json"), folder)  # compiles, and keeps the solvers' answers
    for count in runs:
        ran = run(costproof, ("verify", _SETTING, "--runs", str(count), "--json"), folder)
        size = json.loads(ran.output)["ran"]["comparisons"]
        points.append(Point(size=size, seconds=ran.cpu, memory=ran.memory))
    return Curve(name="verify", unit="comparisons", lot=1_000_000_000, points=tuple(points))


def audit_curve(costproof: Path, folder: Path, rows: Sequence[int] = ROWS) -> Curve:
    """Return what `audit` of a Parquet log with all rules and claims costs."""
    points = []
    for count in rows:
        log = measures.audited_log(folder, count)
        ran = run(costproof, ("audit", str(log), "--setting", _SETTING, "--json"), folder)
        log.unlink()
        points.append(Point(size=count, seconds=ran.cpu, memory=ran.memory))
    return Curve(name="audit", unit="rows", lot=1_000_000, points=tuple(points))


def prove_curve(costproof: Path, folder: Path, parts: int = 4) -> Curve:
    """Return what `prove` costs from nothing for a quarter of the claims, for half of them, and so on."""
    report = json.loads(run(costproof, ("prove", "--json"), folder).output)
    own = [(claim["label"], len(claim["obligations"])) for claim in report["claims"] if claim["obligations"]]
    points = []
    for part in range(1, parts + 1):
        # Every parts-th claim: easy and hard ones stand beside each other in the list.
        labels = [label for place, (label, _) in enumerate(own) if place % parts < part]
        ran = run(costproof, ("prove", *labels, "--fresh", "--json"), folder)
        size = json.loads(ran.output)["totals"]["obligations"]
        points.append(Point(size=size, seconds=ran.cpu, memory=ran.memory))
    return Curve(name="prove", unit="obligations", lot=100, points=tuple(points))


def step_curve(providers: Sequence[int] = PROVIDERS) -> list[tuple[int, float, float]]:
    """Return providers, nanoseconds a step, and the share of the floor's rate, lean."""
    found = []
    for count in providers:
        rate = measures.compiled_rate(count, measures=False)
        found.append((count, 1e9 / rate, rate / measures.floor_rate(count)))
    return found


def machine() -> str:
    """Return the name of the processor, and how many cores it has here."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def page(
    steps: Sequence[tuple[int, float, float]], curves: Sequence[Curve], beside: Sequence[tuple[str, ...]] = ()
) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# How the cost grows"
    yield ""
    yield f"Made by `python -m benchmarks.growth docs --prototype SCRIPT`, on this machine: {machine()}."
    yield "Seconds are CPU time, of all processes of a command. The shape counts here: twice the work must cost twice"
    yield "the time, and a longer log must not need more memory. A machine that does other work beside it bends a line"
    yield "by a factor of up to 2."
    yield ""
    yield "![Cost against size, both axes logarithmic](growth.svg)"
    yield ""
    yield "## A step of the compiled episode"
    yield ""
    yield "The *floor* draws a score and a cost and adds them: no mechanism can be faster."
    yield ""
    yield "| providers | ns a step | steps/s as a share of the floor |"
    yield "|--|--|--|"
    yield from (f"| {count:,} | {cost:.1f} | {share:.2f} |" for count, cost, share in steps)
    costs = {count: cost for count, cost, _ in steps}
    if costs.keys() >= {1_000, 100_000}:
        yield ""
        yield f"From 1,000 to 100,000 providers the cost of a step grows {costs[100_000] / costs[1_000]:.1f} times."
    if beside:
        yield ""
        yield "Beside a prototype that plays the platform alone, on a sequential generator, with one 64-bit draw an"
        yield "outcome; CPU time of one thread, in one process. A share is our rate over its fastest kernel's."
        yield ""
        yield "| providers | steps | M steps/s | of the best, median | least | largest |"
        yield f"{'|--' * 6}|"
        yield from ("| " + " | ".join(cells) + " |" for cells in beside)
    for curve in curves:
        yield ""
        yield f"## {curve.name}"
        yield ""
        yield f"| {curve.unit} | CPU s | MB, largest process |"
        yield "|--|--|--|"
        yield from (f"| {point.size:,} | {point.seconds:.1f} | {point.memory:,} |" for point in curve.points)
        low, high = curve.marginal
        yield ""
        yield f"{curve.lot:,} more {curve.unit} cost {curve.lot * low:.2f} s at the start and {curve.lot * high:.2f} s"
        yield f"at the end. All points lie within a factor of {curve.straight:.2f} of the line from first to last."


def draw(steps: Sequence[tuple[int, float, float]], curves: Sequence[Curve], path: Path) -> None:
    """Draw all curves, each cost as a multiple of its first."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 2.4), layout="constrained")
    panels = figure.subplots(1, 1 + len(curves))
    panels[0].loglog([one[0] for one in steps], [one[1] for one in steps], marker="o")
    panels[0].set(xlabel="providers", ylabel="ns a step")
    for panel, curve in zip(panels[1:], curves, strict=True):
        panel.loglog([one.size for one in curve.points], [one.seconds for one in curve.points], marker="o")
        panel.set(xlabel=curve.unit, ylabel="CPU s", title=curve.name)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure everything, and write the page and its figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("folder", type=Path, help="where growth.md and growth.svg are written")
    parser.add_argument("--rows", type=int, default=ROWS[-1], help="rows of the longest log (default: 100 million)")
    parser.add_argument("--prototype", type=Path, metavar="SCRIPT", help="times a prototype beside the kernel")
    chosen = parser.parse_args()
    costproof = Path(sys.executable).parent / "costproof"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        steps = step_curve()
        beside = measures.beside_prototype(chosen.prototype) if chosen.prototype else []
        curves = [
            verify_curve(costproof, folder),
            audit_curve(costproof, folder, [count for count in ROWS if count <= chosen.rows]),
            prove_curve(costproof, folder),
        ]
    draw(steps, curves, chosen.folder / "growth.svg")
    (chosen.folder / "growth.md").write_text("\n".join(page(steps, curves, beside)) + "\n")


if __name__ == "__main__":
    main()
