"""The paper's tables beside our own runs, number by number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bounds.documents import INLINE, INTERNAL, Count, Document, FromTwo, NonNegative, key, named, to_data
from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, PrintedNumber, PublishedSetting, TableName, printed_numbers, published
from bounds.sheet import HasSheet, Sheet
from mechanism.arguments import whole_number
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.market.market import MarketLaws, market_laws
from mechanism.metrics.tally import Tally
from proofs_checks.reproduction.definitions import POLICY_ROWS, Definition, SettingRun, checkpoints, definitions
from proofs_checks.reproduction.statistics import AGREEMENT, NumberAgainstPrinted, Values, compare
from proofs_checks.reproduction.tables import PaperTable, paper_table, readable, reason_for

_EXTREMES = ("min", "max")
#: Runs from which z is near enough to normal for verdicts: with 2, a normal mean has |z| >= 3 in a fifth of all cases.
JUDGED_RUNS = 30
#: Times the printed runs that an extreme needs: with fewer, the tail of our runs ends where theirs does.
_DEPTH = 10
#: Chance that |z| >= 3 for a normal z.
_CHANCE = 0.0026997960632601866

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class ReproducedNumber:
    """One printed number beside ours; what is not known is null.

    Parameters
    ----------
    number : PrintedNumber
    comparison : NumberAgainstPrinted or None
        None if there are too few runs to say.
    reason : str or None
        Why it disagrees or was not compared; None if it does neither or nobody knows.
    judged : bool
        Whether the runs are enough (`JUDGED_RUNS`) to call a large z a disagreement.
    """

    number: PrintedNumber = field(metadata=INLINE)
    comparison: NumberAgainstPrinted | None = field(metadata=INLINE)
    reason: str | None
    judged: bool = field(default=True, metadata=INTERNAL)

    @property
    def row(self) -> str:
        """The label of the printed row, without LaTeX."""
        return readable(self.number.row)

    @key
    def label(self) -> str:
        """Label of the table in the paper."""
        return paper_table(self.number.setting, self.number.table).label

    @key
    def agrees(self) -> bool | None:
        """Whether |z| is below 3; None if it was not judged."""
        return self.comparison.agrees if self.judged and self.comparison is not None else None

    @property
    def disagrees(self) -> bool:
        """Whether it was compared, on enough runs, and does not agree."""
        return self.agrees is False

    @property
    def unexplained(self) -> bool:
        """Whether it disagrees and nobody has said why."""
        return self.disagrees and self.reason is None


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How some printed numbers agree with ours; `lines` are in the order of `printed_numbers`."""

    lines: tuple[ReproducedNumber, ...] = field(metadata=INTERNAL)

    @property
    def compared(self) -> Count:
        """How many of them could be compared."""
        return sum(line.comparison is not None for line in self.lines)

    @key
    def agree_within_3(self) -> Count:
        """How many numbers have |z| below 3."""
        return sum(line.comparison is not None and line.comparison.agrees for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class TableAgreement(Agreement):
    """How the numbers of one table of one setting agree.

    Parameters
    ----------
    setting : str
        Name of the setting.
    table : str
        Short name of the table.
    paper : PaperTable
        The table in the paper.
    """

    setting: str
    table: TableName
    paper: PaperTable = field(metadata=INLINE)

    @key
    def numbers(self) -> Count:
        """How many numbers it prints."""
        return len(self.lines)

    @key
    def compared(self) -> Count:
        """How many of them could be compared."""
        return super().compared

    @key
    def agree_within_2(self) -> Count:
        """How many have |z| below 2."""
        return sum(score < AGREEMENT - 1 for score in self._scores)

    @key
    def largest_absolute_z(self) -> NonNegative | None:
        """The largest |z|; None where no number has one."""
        return max(self._scores, default=None)

    @property
    def _scores(self) -> list[float]:
        return [abs(line.comparison.z) for line in self.lines if line.comparison and line.comparison.z is not None]


@dataclass(frozen=True, kw_only=True)
class Reproduction(Agreement, Document, HasSheet):
    """The numbers of the paper's stochastic tables beside those of our runs.

    Parameters
    ----------
    lines : tuple of ReproducedNumber
        Each printed number beside ours.
    settings : tuple of str
        Names of the settings.
    runs : int
        Our runs of each setting and policy.
    seed : int
        Seed of all randomness.
    notes : tuple of str
        What a reader should know about runs that were kept in a folder, as `CampaignResult.notes`.
    """

    lines: tuple[ReproducedNumber, ...] = field(metadata=named("numbers"))
    settings: tuple[str, ...]
    runs: FromTwo
    seed: Count
    notes: tuple[str, ...] = field(default=(), metadata=INTERNAL)

    def __repr__(self) -> str:
        agreement = f"{self.agree_within_3} of {self.compared} numbers agree"
        return f"Reproduction({', '.join(self.settings)}: {agreement}, {self.runs} runs)"

    @key
    def tables(self) -> tuple[TableAgreement, ...]:
        """How the numbers of each table agree, by setting."""
        groups: dict[tuple[str, TableName], list[ReproducedNumber]] = {}
        for line in self.lines:
            groups.setdefault((line.number.setting, line.number.table), []).append(line)
        return tuple(
            TableAgreement(setting=s, table=t, paper=paper_table(s, t), lines=tuple(lines))
            for (s, t), lines in groups.items()
        )

    @key
    def market(self) -> dict[str, MarketLaws]:
        """The laws that were simulated, by setting."""
        return {name: market_laws(published(name).setting) for name in self.settings}

    @key
    def judged(self) -> bool:
        """Whether there are runs enough to call a large z a disagreement."""
        return self.runs >= JUDGED_RUNS

    @key
    def total(self) -> Count:
        """How many numbers are printed."""
        return len(self.lines)

    @key
    def not_compared(self) -> Count:
        """How many numbers need more runs of ours."""
        return len(self.lines) - self.compared

    @key
    def unexplained(self) -> Count | None:
        """How many disagree without a known reason; None if the runs are too few to judge."""
        return sum(line.unexplained for line in self.lines) if self.judged else None

    @key
    def varying(self) -> Count:
        """How many of the compared numbers vary between runs."""
        return sum(line.comparison is not None and line.comparison.varies for line in self.lines)

    @key
    def expected_by_chance(self) -> NonNegative | None:
        """How many would disagree by chance if all were right; None if the runs are too few to judge."""
        return self.varying * _CHANCE if self.judged else None

    @key
    def with_halfwidth(self) -> Count:
        """How many are printed with a half-width."""
        return sum(line.number.printed_halfwidth is not None for line in self.lines)

    @key
    def beyond_3_by_halfwidth(self) -> Count:
        """How many have |z| of 3 or more if the printed half-width replaces our spread."""
        scores = [line.comparison.z_by_halfwidth for line in self.lines if line.comparison]
        return sum(score is not None and abs(score) >= AGREEMENT for score in scores)

    def sheet(self) -> Sheet:
        """Return a row for every printed number, beside ours."""
        columns = ("setting", "table", "row", "column", "stat", "printed", "ours", "standard_error", "z")
        rows = (to_data(line) | {"row": line.row} for line in self.lines)
        return Sheet.of(f"Printed and ours: {self._agreement}", (*columns, "agrees", "reason"), rows)

    def summary_sheet(self) -> Sheet:
        """Return a row for every table of a setting: how many of its numbers agree."""
        columns = ("setting", "table", "label", "numbers", "compared", "agree_within_3", "agree_within_2")
        rows = to_data(self.tables)
        return Sheet.of(f"Agreement: {self._agreement}", (*columns, "largest_absolute_z"), rows)

    @property
    def _agreement(self) -> str:
        within = f"{self.agree_within_3:,} of {self.compared:,} numbers within 3 standard errors"
        return f"{within} ({self.runs:,} runs, seed {self.seed})"


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
    lines: list[ReproducedNumber] = []
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


def compare_all(paper: PublishedSetting, values: Values) -> list[ReproducedNumber]:
    """Return every printed number of a setting beside ours, which `values_of` found."""
    return [_line(number, column, paper.runs) for number, column in zip(numbers_of(paper), values.T, strict=True)]


def _line(number: PrintedNumber, values: Values, printed_runs: int) -> ReproducedNumber:
    needed = _DEPTH * printed_runs
    if number.stat in _EXTREMES and len(values) < needed:
        reason = f"the {number.stat}imum of {printed_runs} runs is compared with at least {needed} of ours"
        return ReproducedNumber(number=number, comparison=None, reason=reason)
    comparison = compare(number, values, printed_runs)
    judged = len(values) >= JUDGED_RUNS
    key = (number.setting, number.table, number.row, number.column)
    why = reason_for(key, comparison.z) if judged and not comparison.agrees else None
    return ReproducedNumber(number=number, comparison=comparison, reason=why, judged=judged)


def _by_policy(paper: PublishedSetting) -> dict[str, list[tuple[int, Definition]]]:
    """Return, for every policy, the columns of `values_of` that it fills, and how."""
    known = definitions(paper)
    found: dict[str, list[tuple[int, Definition]]] = {}
    for column, number in enumerate(numbers_of(paper)):
        key = (number.table, number.row, number.column)
        policy, definition = known[key]
        found.setdefault(policy, []).append((column, definition))
    return found
