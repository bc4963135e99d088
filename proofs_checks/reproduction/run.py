"""The paper's tables beside our own runs, number by number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, PrintedNumber, PublishedSetting, printed_numbers, published
from bounds.sheet import HasSheet, Sheet
from mechanism.arguments import whole_number
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.market.market import market_laws
from mechanism.metrics.tally import Tally
from proofs_checks.reproduction.definitions import POLICY_ROWS, Definition, SettingRun, checkpoints, definitions
from proofs_checks.reproduction.statistics import AGREEMENT, NumberAgainstPrinted, Values, compare
from proofs_checks.reproduction.tables import PaperTable, paper_table, readable, reason_for

_EXTREMES = ("min", "max")
#: Runs from which z is near enough to normal for verdicts: with 2, a normal mean has |z| >= 3 in a fifth of all cases.
JUDGED_RUNS = 30
#: Times the printed runs that an extreme needs: with fewer, the tail of our runs ends where theirs does.
_DEPTH = 10
#: What is reported of a line: of the printed number, of the comparison, and of both.
_LINE_KEYS = (
    *("setting", "table", "row", "column", "stat", "printed", "label", "ours", "standard_error", "z", "agrees"),
    *("standard_error_printed", "standard_error_ours", "tail_probability", "tail_resolved"),
    *("printed_halfwidth", "halfwidth_ratio", "z_by_halfwidth", "reason"),
)
#: Chance that |z| >= 3 for a normal z.
_CHANCE = 0.0026997960632601866

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One printed number with ours.

    Attributes
    ----------
    number : PrintedNumber
    comparison : statistics.NumberAgainstPrinted or None
        None if there are too few runs to say.
    reason : str or None
        Why it disagrees, where somebody found out; or why there is no comparison.
    judged : bool
        Whether the runs are enough (`JUDGED_RUNS`) to call a large z a disagreement.
    """

    number: PrintedNumber
    comparison: NumberAgainstPrinted | None
    reason: str | None
    judged: bool = True

    @property
    def row(self) -> str:
        """The label of the printed row, without LaTeX."""
        return readable(self.number.row)

    @property
    def agrees(self) -> bool:
        """Whether |z| < 3."""
        return self.comparison is not None and self.comparison.agrees

    @property
    def disagrees(self) -> bool:
        """Whether it was compared, on enough runs, and does not agree."""
        return self.judged and self.comparison is not None and not self.agrees

    @property
    def unexplained(self) -> bool:
        """Whether it disagrees and nobody has said why."""
        return self.disagrees and self.reason is None

    def to_data(self) -> dict[str, Any]:
        """Return plain data; what is not known is None."""
        known = {**vars(self.number), "reason": self.reason}
        known["label"] = paper_table(self.number.setting, self.number.table).label
        if self.comparison is not None:
            known |= {**vars(self.comparison), "agrees": self.agrees if self.judged else None}
        return {key: known.get(key) for key in _LINE_KEYS}


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How some printed numbers agree with ours; `lines` are in the order of `printed_numbers`."""

    lines: tuple[Line, ...]

    @property
    def compared(self) -> int:
        """How many numbers could be compared."""
        return sum(line.comparison is not None for line in self.lines)

    @property
    def agree_within_3(self) -> int:
        """How many have |z| < 3, also where the runs are too few to call the others disagreements."""
        return sum(line.agrees for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class TableAgreement(Agreement):
    """How the numbers of one table of one setting agree; the names are those of `bounds.published.PrintedNumber`."""

    setting: str
    table: str

    @property
    def paper(self) -> PaperTable:
        """The table's name in the paper."""
        return paper_table(self.setting, self.table)

    @property
    def agree_within_2(self) -> int:
        """How many have |z| < 2."""
        return sum(score < AGREEMENT - 1 for score in self._scores)

    @property
    def largest_absolute_z(self) -> float | None:
        """The largest |z|; None where no number has one."""
        return max(self._scores, default=None)

    @property
    def _scores(self) -> list[float]:
        return [abs(line.comparison.z) for line in self.lines if line.comparison and line.comparison.z is not None]

    def to_data(self) -> dict[str, Any]:
        """Return plain data."""
        counts = ("compared", "agree_within_3", "agree_within_2", "largest_absolute_z")
        names = {"setting": self.setting, "table": self.table, **vars(self.paper), "numbers": len(self.lines)}
        return names | {name: getattr(self, name) for name in counts}


@dataclass(frozen=True, kw_only=True)
class Reproduction(Agreement, HasSheet):
    """All printed numbers of some settings beside ours; `runs` and `seed` are of each setting and policy.

    `notes` say what a reader should know about runs that were kept in a folder, as `CampaignResult.notes` do.
    """

    settings: tuple[str, ...]
    runs: int
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        agreement = f"{self.agree_within_3} of {self.compared} numbers agree"
        return f"Reproduction({', '.join(self.settings)}: {agreement}, {self.runs} runs)"

    @property
    def tables(self) -> tuple[TableAgreement, ...]:
        """The lines of each setting and table, in the order of the lines."""
        groups: dict[tuple[str, str], list[Line]] = {}
        for line in self.lines:
            groups.setdefault((line.number.setting, line.number.table), []).append(line)
        return tuple(TableAgreement(setting=s, table=t, lines=tuple(lines)) for (s, t), lines in groups.items())

    @property
    def judged(self) -> bool:
        """Whether there are runs enough for verdicts, `JUDGED_RUNS`."""
        return self.runs >= JUDGED_RUNS

    @property
    def not_compared(self) -> int:
        """How many numbers need more runs."""
        return len(self.lines) - self.compared

    @property
    def unexplained(self) -> int | None:
        """How many disagree without a reason; None where the runs are too few to judge."""
        return sum(line.unexplained for line in self.lines) if self.judged else None

    @property
    def varying(self) -> int:
        """How many of the compared vary between runs; the others agree or are plainly wrong."""
        return sum(line.comparison is not None and line.comparison.varies for line in self.lines)

    @property
    def expected_by_chance(self) -> float | None:
        """How many of those that vary would disagree if they were independent and normal; None as `unexplained`."""
        return self.varying * _CHANCE if self.judged else None

    @property
    def with_halfwidth(self) -> int:
        """How many are printed with a half-width."""
        return sum(line.number.printed_halfwidth is not None for line in self.lines)

    @property
    def beyond_3_by_halfwidth(self) -> int:
        """How many have |z| >= 3 with the printed half-width in place of our spread."""
        scores = [line.comparison.z_by_halfwidth for line in self.lines if line.comparison]
        return sum(score is not None and abs(score) >= AGREEMENT for score in scores)

    def sheet(self) -> Sheet:
        """Return a row for every printed number, beside ours."""
        columns = ("setting", "table", "row", "column", "stat", "printed", "ours", "standard_error", "z")
        rows = (line.to_data() | {"row": line.row} for line in self.lines)
        return Sheet.of(f"Printed and ours: {self._agreement}", (*columns, "agrees", "reason"), rows)

    def summary_sheet(self) -> Sheet:
        """Return a row for every table of a setting: how many of its numbers agree."""
        columns = ("setting", "table", "label", "numbers", "compared", "agree_within_3", "agree_within_2")
        rows = (part.to_data() for part in self.tables)
        return Sheet.of(f"Agreement: {self._agreement}", (*columns, "largest_absolute_z"), rows)

    @property
    def _agreement(self) -> str:
        within = f"{self.agree_within_3:,} of {self.compared:,} numbers within 3 standard errors"
        return f"{within} ({self.runs:,} runs, seed {self.seed})"

    def to_data(self) -> dict[str, Any]:
        """Return plain data, as `costproof reproduce --json` prints it."""
        counts = ("not_compared", "unexplained", "varying", "expected_by_chance", "beyond_3_by_halfwidth")
        return {
            **{"judged": self.judged, "settings": list(self.settings), "runs": self.runs, "seed": self.seed},
            **{"agree_within_3": self.agree_within_3, "total": len(self.lines)},
            **{name: getattr(self, name) for name in (*counts, "with_halfwidth")},
            "tables": [table.to_data() for table in self.tables],
            "numbers": [line.to_data() for line in self.lines],
            "market": {name: market_laws(published(name).setting).describe() for name in self.settings},
        }


def reproduce(
    settings: Sequence[str] = PUBLISHED_NAMES,
    *,
    runs: int = 300,
    seed: int = 0,
    jobs: int = 1,
    out: str | None = None,
    progress: Progress = lambda done, total: None,
) -> Reproduction:
    """Run the paper's experiments and compare every number that its tables print, as `costproof.reproduce` does."""
    if len(set(settings)) < len(settings):
        raise InputError("settings", list(settings), "names one twice", "name every setting once")
    whole_number("runs", runs, "one run has no spread", least=2)
    try:
        papers = [published(name) for name in settings]
    except InputError as error:
        raise error.about("settings") from None
    each = runs * len(POLICY_ROWS)
    lines: list[Line] = []
    notes: list[str] = []
    for before, paper in enumerate(papers):
        folder = None if out is None else str(Path(out) / paper.setting.name)

        def told(done: int, _: int, before: int = before) -> None:
            progress(before * each + done, len(papers) * each)

        found = run_campaign(
            campaign_of(paper, runs=runs, seed=seed), jobs=jobs, out=folder, traces=False, tallies=True, progress=told
        )
        tallies = {policy: of_policy for (_, policy), of_policy in found.tallies.items()}
        lines += compare_all(paper, values_of(paper, tallies))
        notes += found.notes
    return Reproduction(settings=tuple(settings), lines=tuple(lines), runs=runs, seed=seed, notes=tuple(notes))


def campaign_of(paper: PublishedSetting, *, runs: int, seed: int) -> Campaign:
    """Return the experiments of a setting: its policies for T queries, totalled where the tables need it."""
    return Campaign(
        paper.setting,
        horizon=paper.horizon,
        runs=runs,
        seed=seed,
        window=paper.questions,
        policies=tuple(POLICY_ROWS.values()),
        checkpoints=checkpoints(paper),
    )


def numbers_of(paper: PublishedSetting) -> tuple[PrintedNumber, ...]:
    """Return the printed numbers of a setting, shape (its numbers,), in the order of `printed_numbers`."""
    return tuple(number for number in printed_numbers() if number.setting == paper.setting.name)


def values_of(paper: PublishedSetting, tallies: Mapping[str, Sequence[Tally]]) -> Values:
    """Return what every printed number aggregates, run by run."""
    runs = len(next(iter(tallies.values())))
    found = np.empty((runs, len(numbers_of(paper))))
    for policy, columns in _by_policy(paper).items():
        for row, tally in enumerate(tallies[policy]):
            run = SettingRun(paper, tally)
            for column, definition in columns:
                found[row, column] = definition(run)
    return found


def compare_all(paper: PublishedSetting, values: Values) -> list[Line]:
    """Return every printed number of a setting beside ours, which `values_of` found."""
    return [_line(number, column, paper.runs) for number, column in zip(numbers_of(paper), values.T, strict=True)]


def _line(number: PrintedNumber, values: Values, printed_runs: int) -> Line:
    needed = _DEPTH * printed_runs
    if number.stat in _EXTREMES and len(values) < needed:
        reason = f"the {number.stat}imum of {printed_runs} runs is compared with at least {needed} of ours"
        return Line(number=number, comparison=None, reason=reason)
    comparison = compare(number, values, printed_runs)
    judged = len(values) >= JUDGED_RUNS
    key = (number.setting, number.table, number.row, number.column)
    why = reason_for(key, comparison.z) if judged and not comparison.agrees else None
    return Line(number=number, comparison=comparison, reason=why, judged=judged)


def _by_policy(paper: PublishedSetting) -> dict[str, list[tuple[int, Definition]]]:
    """Return, for every policy, the columns of `values_of` that it fills, and how."""
    known = definitions(paper)
    found: dict[str, list[tuple[int, Definition]]] = {}
    for column, number in enumerate(numbers_of(paper)):
        key = (number.table, number.row, number.column)
        if key not in known:
            remedy = "add it to proofs_checks/reproduction/definitions.py"
            raise InputError("number", key, "is printed, but nothing says what it means", remedy)
        policy, definition = known[key]
        found.setdefault(policy, []).append((column, definition))
    return found
