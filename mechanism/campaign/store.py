"""The folder of a campaign: a database of finished runs with the exact setting, seed and versions, and their traces.

The database is SQLite with its rollback journal and full synchronization. A chunk is one transaction, and once it is
committed it survives a killed process, and a power failure as far as the disk keeps what it says it wrote. The
write-ahead log would save a millisecond per chunk, but it needs memory shared by all users of the file, which network
folders lack.

Every row carries a checksum of its table, key and contents. A row that does not match it is not used: where its run can
be simulated again, that is done and reported; who only reads gets an error. What holds the rows together, and the rows
that say whose they are, are checked when the file is opened.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bounds.errors import InputError, printable
from mechanism.campaign.checksum import checksum
from mechanism.files import replacing
from mechanism.metrics.measures import Metrics

#: Name of the file in a campaign's folder.
FILE_NAME = "campaign.sqlite"
#: "cpcs": tells our files from other SQLite files.
_APPLICATION = 0x63706373
_FORMAT = 2
#: Seconds to wait for another process that is writing.
_PATIENCE = 60
#: Bytes up to which a trace is read when a campaign is resumed, and how many times gzip shortens a trace at most.
_SMALL_TRACE, _MOST_PACKED = 16_384, 40

_SCHEMA = (
    "CREATE TABLE campaign (identity TEXT NOT NULL, created TEXT NOT NULL, checksum BLOB NOT NULL)",
    "CREATE TABLE sessions (session INTEGER PRIMARY KEY, started TEXT NOT NULL, versions TEXT NOT NULL, "
    "checksum BLOB NOT NULL)",
    "CREATE TABLE runs (setting TEXT NOT NULL, policy TEXT NOT NULL, run INTEGER NOT NULL, tally BLOB NOT NULL, "
    "metrics TEXT NOT NULL, seconds REAL NOT NULL, session INTEGER NOT NULL REFERENCES sessions, "
    "checksum BLOB NOT NULL, PRIMARY KEY (setting, policy, run))",
    "CREATE TABLE curves (setting TEXT NOT NULL, policy TEXT NOT NULL, run INTEGER NOT NULL, curves BLOB NOT NULL, "
    "checksum BLOB NOT NULL, PRIMARY KEY (setting, policy, run))",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORMAT}",
)
#: What a checksum covers besides the name of the table, in this order.
_COVERED = {
    "campaign": "identity, created",
    "sessions": "session, started, versions",
    "runs": "setting, policy, run, tally, metrics, seconds, session",
    "curves": "setting, policy, run, curves",
}
_REPLACED = "its runs can be made again: move the file away"


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A finished run; `seconds` is the time of simulating it.

    `tally` is as `Tally.to_bytes` writes it, `curves` as `Curves.to_bytes`; None if they were not asked for.
    """

    setting: str
    policy: str
    run: int
    tally: bytes
    metrics: Metrics
    seconds: float
    curves: bytes | None = None


class CampaignStore:
    """Finished runs of one campaign in an SQLite file.

    Two processes may work on one file at the same time: results are equal, but for the last digits of payments where
    one of them has a GPU play, so the first one's are kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with CampaignStore.open(folder, {"seed": 3}, versions={"numpy": "2.0"}) as store:
    ...         list(store.runs("toy", "platform"))
    []
    """

    def __init__(self, connection: sqlite3.Connection, out: str, session: int | None) -> None:
        self._connection = connection
        #: The folder.
        self.out = out
        self._session = session
        #: Runs of which a row was damaged and has been replaced.
        self.replaced: list[str] = []
        self._damaged: set[tuple[str, str, int]] = set()

    @classmethod
    def open(cls, out: str, identity: Mapping[str, Any], versions: Mapping[str, str]) -> CampaignStore:
        """Open a folder's database for a campaign, creating both if they are not there.

        Parameters
        ----------
        out : str
            The folder.
        identity : mapping
            Plain data that decide every result.
        versions : mapping of str to str
            Versions of what computes the runs that are kept from now on.

        Raises
        ------
        InputError
            The folder holds another campaign, its file is not a campaign or is damaged, or cannot be used. The damaged
            row of a run raises no error: the run counts as not finished.
        """
        with _named_errors(out):
            Path(out).mkdir(parents=True, exist_ok=True)
        plain = json.loads(json.dumps(identity, allow_nan=False))
        return cls._opened(out, lambda connection: _claim(connection, out, plain, versions))

    @classmethod
    def existing(cls, out: str) -> CampaignStore:
        """Open a folder's database to read what is finished.

        Raises
        ------
        InputError
            The folder holds no campaign, or it cannot be read.
        """
        with _named_errors(out):
            if not (Path(out) / FILE_NAME).is_file():
                raise InputError("out", out, f"holds no {FILE_NAME}", "name the folder of a campaign")
        return cls._opened(out, lambda connection: _check_sound(connection, out))

    @classmethod
    def _opened(cls, out: str, checked: Callable[[sqlite3.Connection], int | None]) -> CampaignStore:
        with _named_errors(out):
            connection = _connect(Path(out) / FILE_NAME)
            try:
                session = checked(connection)
            except BaseException:
                connection.close()
                raise
        return cls(connection, out, session)

    def __enter__(self) -> CampaignStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def identity(self) -> dict[str, Any]:
        """What decides every result, as plain data."""
        with _named_errors(self.out):
            return dict(_identity(self._connection) or {})

    def runs(self, setting: str | None = None, policy: str | None = None) -> Iterator[StoredRun]:
        """Yield finished runs in order, of one setting and policy or of all. Curves are left out.

        A row that cannot be what was written counts as not finished where its run can be simulated again, that is in a
        folder opened by `open`; `keep` puts a new one in its place.

        Raises
        ------
        InputError
            There is such a row, and the folder was opened to be read.
        """
        query = (
            f"SELECT {_COVERED['runs']}, checksum FROM runs WHERE setting = coalesce(?, setting) "
            "AND policy = coalesce(?, policy) ORDER BY setting, policy, run"
        )
        with _named_errors(self.out):
            for row in self._connection.execute(query, (setting, policy)):
                stored = _stored_run(*row)
                if stored is None:
                    self.mark_damaged(*row[:3])
                else:
                    yield stored

    def curves(self, setting: str, policy: str, run: int) -> bytes | None:
        """Return the curves of a run, None where none are kept, or not as they were written."""
        query = f"SELECT {_COVERED['curves']}, checksum FROM curves WHERE setting = ? AND policy = ? AND run = ?"
        with _named_errors(self.out):
            row = self._connection.execute(query, (setting, policy, run)).fetchone()
        if row is None:
            return None
        if not _matches("curves", row):
            self.mark_damaged(setting, policy, run)
            return None
        return bytes(row[3])

    def mark_damaged(self, setting: str, policy: str, run: int) -> None:
        """Let the next result of a run replace its rows, one of which turned out to be damaged.

        Raises
        ------
        InputError
            The folder was opened to be read: there will be no result.
        """
        if self._session is None:
            rule = f"holds a damaged row in {FILE_NAME} ({_row_named(setting, policy, run)})"
            remedy = "repeat the command that filled the folder, which simulates that run again; or move the file away"
            raise InputError("out", self.out, rule, remedy)
        self._damaged.add((setting, policy, run))

    def keep(self, runs: Sequence[StoredRun]) -> None:
        """Keep runs in one transaction: after a crash all of them are there, or none."""
        rows, curves = [], []
        for run in runs:
            metrics = json.dumps(run.metrics.to_data(), allow_nan=False)
            key = (run.setting, run.policy, run.run)
            rows.append(_with_checksum("runs", *key, run.tally, metrics, float(run.seconds), self._session))
            if run.curves is not None:
                curves.append(_with_checksum("curves", *key, run.curves))
        again = self._damaged & {row[:3] for row in rows}
        with _named_errors(self.out), _transaction(self._connection):
            self._connection.executemany("DELETE FROM runs WHERE setting = ? AND policy = ? AND run = ?", sorted(again))
            self._connection.executemany("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            # Curves are made again only where those that are kept cannot be used.
            self._connection.executemany("INSERT OR REPLACE INTO curves VALUES (?, ?, ?, ?, ?)", curves)
        self._damaged -= again
        self.replaced += [_row_named(*key) for key in sorted(again)]

    def other_versions(self) -> tuple[dict[str, str], ...]:
        """Return the versions other than this session's under which finished runs were computed."""
        query = "SELECT DISTINCT versions FROM sessions WHERE session IN (SELECT session FROM runs)"
        mine = "SELECT versions FROM sessions WHERE session = ?"
        with _named_errors(self.out):
            own = self._connection.execute(mine, (self._session,)).fetchone()
            return tuple(json.loads(text) for (text,) in self._connection.execute(query) if (text,) != own)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)
    # Besides the file, EXTRA synchronizes the folder in which the journal's removal commits a transaction.
    connection.execute("PRAGMA synchronous = EXTRA")
    # Damaged text becomes text that means nothing, rather than an error that shows all of it.
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    return connection


def _with_checksum(table: str, *values: Any) -> tuple[Any, ...]:
    return (*values, checksum(table, *values))


def _matches(table: str, row: Sequence[Any]) -> bool:
    """Say whether a row is what was written: its last value is the checksum of the others."""
    return bool(row[-1] == checksum(table, *row[:-1]))


def _row_named(setting: object, policy: object, run: object) -> str:
    return f"{printable(str(setting), 60)}, {printable(str(policy), 60)}, run {printable(str(run), 30)}"


def _stored_run(*row: Any) -> StoredRun | None:
    """Return what a row holds, None if it cannot be what was written."""
    setting, policy, run, tally, text, seconds, *_ = row
    if not _matches("runs", row):
        return None
    try:
        metrics = Metrics.from_data(json.loads(text))
    except (TypeError, ValueError, AttributeError, RecursionError):
        return None
    if not (isinstance(tally, bytes) and isinstance(seconds, float) and 0 <= seconds < float("inf")):
        return None
    return StoredRun(setting=setting, policy=policy, run=run, tally=tally, metrics=metrics, seconds=seconds)


def _claim(connection: sqlite3.Connection, out: str, identity: dict[str, Any], versions: Mapping[str, str]) -> int:
    """Create the tables or check whose they are, and return the number of a new session."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with _transaction(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            for statement in _SCHEMA:
                connection.execute(statement)
            text = json.dumps(identity, allow_nan=False, sort_keys=True, separators=(",", ":"))
            connection.execute("INSERT INTO campaign VALUES (?, ?, ?)", _with_checksum("campaign", text, now))
        _check_sound(connection, out)
        _check_same(_identity(connection), identity, out)
        (session,) = connection.execute("SELECT coalesce(max(session), 0) + 1 FROM sessions").fetchone()
        started = _with_checksum("sessions", session, now, json.dumps(dict(versions), sort_keys=True))
        connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", started)
        return int(session)


def _check_sound(connection: sqlite3.Connection, out: str) -> None:
    """Refuse a file that is not a campaign, or whose structure or description of the campaign is damaged."""
    (application,), (version,) = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if application != _APPLICATION:
        remedy = "name another folder, or move that file away"
        raise InputError("out", out, f"holds a {FILE_NAME} that is not a campaign", remedy)
    if version != _FORMAT:
        rule = f"holds a campaign of format {version}, not {_FORMAT}"
        raise InputError("out", out, rule, "use the costproof that wrote it (0.1 wrote format 1), or another folder")
    (found,) = _pragma(connection, "integrity_check(1)")
    if found != "ok":
        raise _damaged(out, printable(str(found), 120))
    for table, covered in _COVERED.items():
        # Rows of runs and curves are compared when they are read; that the tables have their columns is seen here.
        read = f"SELECT {covered}, checksum FROM {table} " + ("LIMIT 0" if table in ("runs", "curves") else "")
        rows = connection.execute(read).fetchall()
        if not all(_matches(table, row) for row in rows):
            raise _damaged(out, f"a row of its table {table}")
        if table == "campaign" and len(rows) != 1:
            raise _damaged(out, "its table campaign has not one row")


def _pragma(connection: sqlite3.Connection, name: str) -> tuple[Any, ...]:
    return tuple(connection.execute(f"PRAGMA {name}").fetchone())


def _damaged(out: str, what: str) -> InputError:
    return InputError("out", out, f"holds a damaged or foreign {FILE_NAME} ({what})", _REPLACED)


def _identity(connection: sqlite3.Connection) -> Any:
    row = connection.execute("SELECT identity FROM campaign").fetchone()
    return None if row is None else json.loads(row[0])


def _check_same(found: Any, wanted: dict[str, Any], out: str) -> None:
    different = list(_differences(found, wanted, ""))
    if different:
        shown = "; ".join(different[:4]) + ("; ..." if len(different) > 4 else "")
        remedy = "name another folder, or repeat the command that filled it"
        raise InputError("out", out, f"holds another campaign ({shown})", remedy)


def _differences(found: Any, wanted: Any, path: str) -> Iterator[str]:
    """Yield where two plain values differ, by dotted paths, with both if they are short."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted(found.keys() | wanted.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in found or key not in wanted:
                yield f"{inner} {'asked only' if key in wanted else 'in the folder only'}"
            else:
                yield from _differences(found[key], wanted[key], inner)
    elif found != wanted:
        short = not any(isinstance(value, (dict, list)) or len(repr(value)) > 40 for value in (found, wanted))
        place = path or "everything"
        yield f"{place}: {found!r} in the folder, {wanted!r} asked" if short else f"{place} differs"


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: of two processes, one waits here, where SQLite can make it wait.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _named_errors(out: str) -> Iterator[None]:
    """Turn what a disk and a damaged or foreign file can raise into one line."""
    try:
        yield
    except OSError as error:
        rule, remedy = f"cannot be used ({error.strerror})", "name a folder you may write to"
        raise InputError("out", out, rule, remedy) from None
    except sqlite3.OperationalError as error:
        if str(error).startswith("no such "):  # a table or a column
            raise _damaged(out, printable(str(error), 120)) from None
        remedy = "free the disk, wait for the other process, or name a folder you may write to"
        raise InputError("out", out, f"cannot be used: {FILE_NAME}: {error}", remedy) from None
    except (sqlite3.Error, json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
        raise _damaged(out, ascii(str(error))[1:-1][:120]) from None


class TraceFolder:
    """Trace files of a campaign: ``POLICY-RUN.csv.gz``, in a folder per setting if there are several."""

    def __init__(self, out: str, names: Sequence[str]) -> None:
        self._folders = {name: Path(out) if len(names) == 1 else Path(out) / _file_name(name) for name in names}
        with _named_errors(out):
            for folder in self._folders.values():
                folder.mkdir(parents=True, exist_ok=True)

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
        with replacing(file, "out", "free the disk, or leave the traces out") as new, open(new, "xb") as stream:
            stream.write(packed)
            stream.flush()
            os.fsync(stream.fileno())  # a row in the database says that the trace is there


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
