"""What a campaign has finished: in memory, and with a folder also in its database and trace files."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from mechanism.campaign.chunks import CampaignPart, PlayedChunk, result_versions
from mechanism.campaign.result import CampaignResult, Work
from mechanism.campaign.store import CampaignStore, StoredRun
from mechanism.metrics.measures import Metrics
from mechanism.metrics.tally import ProviderField, RunField, Tally

if TYPE_CHECKING:
    from mechanism.campaign.run import Campaign

Key = tuple[str, str]

#: Bytes up to which a trace is read when a campaign is resumed, and how many times gzip shortens a trace at most.
_SMALL_TRACE, _MOST_PACKED = 16_384, 40


class Records:
    """The finished runs of a campaign.

    Parameters
    ----------
    campaign : Campaign
    store : CampaignStore or None
    folder : TraceFolder or None
        Where traces go.
    tallies : bool
        Whether tallies are held in memory.
    """

    def __init__(
        self, campaign: Campaign, store: CampaignStore | None, folder: TraceFolder | None, tallies: bool
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._folder = folder
        self._tallies: dict[Key, dict[int, Tally]] | None = {} if tallies else None
        self._metrics: dict[Key, dict[int, Metrics]] = {}
        self._keys = [(part, policy) for part in campaign.parts for policy in part.policies]
        self._resumed = {part.setting.name: 0 for part in campaign.parts}
        self._seconds = {part.setting.name: 0.0 for part in campaign.parts}
        for part, policy in self._keys:
            self._resume(part, policy)

    @classmethod
    @contextmanager
    def open(
        cls, campaign: Campaign, identity: Mapping[str, Any], out: str | None, *, traces: bool, tallies: bool
    ) -> Iterator[Records]:
        """Open a campaign's records, in a folder if one is named."""
        if out is None:
            yield cls(campaign, None, None, tallies)
            return
        with CampaignStore.open(out, identity, result_versions()) as store:
            yield cls(campaign, store, TraceFolder(out, campaign) if traces else None, tallies)

    @property
    def done(self) -> int:
        """Number of finished runs that the campaign asks for."""
        return sum(len(runs) for runs in self._metrics.values())

    @property
    def total(self) -> int:
        """Number of runs that the campaign asks for."""
        return len(self._keys) * self._campaign.runs

    def missing(self) -> list[tuple[CampaignPart, str, list[int]]]:
        """Return the runs to play, by part and policy."""
        found = []
        for part, policy in self._keys:
            done = self._metrics[part.setting.name, policy]
            runs = [run for run in range(self._campaign.runs) if run not in done]
            if runs:
                found.append((part, policy, runs))
        return found

    def _resume(self, part: CampaignPart, policy: str) -> None:
        name = part.setting.name
        metrics = self._metrics.setdefault((name, policy), {})
        for stored in self._store.runs(name, policy) if self._store else ():
            if stored.run >= self._campaign.runs or self._is_damaged(stored, part):
                continue
            # A run whose trace is wanted and not there is played again; its row stays as it is.
            if self._folder is None or self._folder.holds(name, policy, stored.run):
                metrics[stored.run] = stored.metrics
                self._hold(name, policy, stored.run, stored.tally, part)
        self._resumed[name] += len(metrics)

    def _is_damaged(self, stored: StoredRun, part: CampaignPart) -> bool:
        """Say whether a row cannot be this part's, and let the next result replace it."""
        n, found = part.setting.n_providers, stored.metrics
        size = 8 * len(part.steps) * (len(ProviderField) * n + len(RunField))
        damaged = len(stored.tally) != size or not len(found.selections) == len(found.payoffs) == n
        if damaged and self._store is not None:
            self._store.mark_damaged(stored.setting, stored.policy, stored.run)
        return damaged

    def _hold(self, name: str, policy: str, run: int, tally: bytes | Tally, part: CampaignPart | None = None) -> None:
        if self._tallies is None:
            return
        if isinstance(tally, bytes) and part is not None:
            tally = Tally.from_bytes(tally, part.steps, part.setting.n_providers)
        if isinstance(tally, Tally):
            self._tallies.setdefault((name, policy), {})[run] = tally

    def keep(self, played: PlayedChunk) -> None:
        """Keep a finished chunk: its traces first, then its runs in one transaction."""
        name, policy = played.setting, played.policy
        for run, packed in zip(played.runs, played.traces, strict=False):
            if self._folder is not None:
                self._folder.write(name, policy, run, packed)
        each = played.seconds / len(played.runs)
        if self._store is not None:
            rows = zip(played.runs, played.tallies, played.metrics, strict=True)
            self._store.keep(StoredRun(name, policy, run, t.to_bytes(), metrics, each) for run, t, metrics in rows)
        for run, tally, metrics in zip(played.runs, played.tallies, played.metrics, strict=True):
            self._metrics[name, policy][run] = metrics
            self._hold(name, policy, run, tally)
        self._seconds[name] += played.seconds

    def result(self) -> CampaignResult:
        """Return what was measured, in the order of the runs."""
        runs = range(self._campaign.runs)
        metrics = {key: tuple(found[run] for run in runs) for key, found in self._metrics.items()}
        held = (self._tallies or {}).items()
        tallies = {key: tuple(found[run] for run in runs) for key, found in held}
        return CampaignResult(self._campaign, metrics, tallies, self._work(), self._notes())

    def _work(self) -> dict[str, Work]:
        work = {}
        for part in self._campaign.parts:
            name = part.setting.name
            played = len(part.policies) * self._campaign.runs - self._resumed[name]
            work[name] = Work(part.horizon * played, self._seconds[name], self._resumed[name])
        return work

    def _notes(self) -> tuple[str, ...]:
        others = self._store.other_versions() if self._store else ()
        return tuple(
            f"some runs in the folder were computed under other versions: {_changes(result_versions(), other)}"
            for other in others
        )


def _changes(now: Mapping[str, str], then: Mapping[str, str]) -> str:
    names = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
    return ", ".join(f"{name} {then.get(name, 'none')} (now {now.get(name, 'none')})" for name in names)


class TraceFolder:
    """Trace files of a campaign: ``POLICY-RUN.csv.gz``, in a folder a setting if there are several."""

    def __init__(self, out: str, campaign: Campaign) -> None:
        names = [part.setting.name for part in campaign.parts]
        self._folders = {name: Path(out) if len(names) == 1 else Path(out) / _file_name(name) for name in names}
        try:
            for folder in self._folders.values():
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            rule = f"cannot be used ({error.strerror})"
            raise InputError("--out", out, rule, "name a folder you may write to") from None

    def file(self, setting: str, policy: str, run: int) -> Path:
        """Return where a run's trace is."""
        return self._folders[setting] / f"{policy}-{run:04d}.csv.gz"

    def holds(self, setting: str, policy: str, run: int) -> bool:
        """Say whether a run's trace is there and not cut off; within a large file, damage is not looked for."""
        try:
            return _is_whole(self.file(setting, policy, run))
        except (OSError, EOFError, zlib.error):
            return False

    def write(self, setting: str, policy: str, run: int, packed: bytes) -> None:
        """Put a trace in its place at once."""
        file = self.file(setting, policy, run)
        beside = file.with_name(f".trace-{secrets.token_hex(8)}.tmp")
        try:
            with open(beside, "xb") as scratch:
                scratch.write(packed)
                scratch.flush()
                os.fsync(scratch.fileno())  # a row in the database says that the trace is there
            os.replace(beside, file)
        except OSError as error:
            rule = f"cannot be written ({error.strerror})"
            raise InputError("--out", str(file), rule, "free the disk, or use --no-traces") from None
        finally:
            beside.unlink(missing_ok=True)


def _is_whole(file: Path) -> bool:
    """Read a small file; of a large one, compare the length that gzip states at its end with what it can be."""
    size = file.stat().st_size
    if size <= _SMALL_TRACE:
        with gzip.open(file) as stream:
            return bool(stream.read().endswith(b"\n"))
    with open(file, "rb") as packed:
        magic = packed.read(2)
        packed.seek(-4, os.SEEK_END)
        length = int.from_bytes(packed.read(4), "little")
    # Gzip states the length modulo 2^32: of the largest files it tells nothing.
    return magic == b"\x1f\x8b" and (size * _MOST_PACKED >= 2**32 or size <= length <= size * _MOST_PACKED)


def _file_name(name: str) -> str:
    """Return a name that any file system takes; different names stay different."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
