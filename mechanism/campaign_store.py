"""The embedded database of a campaign: finished runs with the exact setting, seed and versions.

SQLite with its rollback journal and full synchronization: a chunk is one transaction, and once it is committed it
survives a killed process, and a power failure as far as the disk keeps what it says it wrote. The write-ahead log
would save a millisecond a chunk, but needs memory shared by all users of the file, which network folders lack.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from mechanism.metrics import Metrics

#: Name of the file in a campaign's folder.
FILE_NAME = "campaign.sqlite"
#: "cpcs": tells our files from other SQLite files.
_APPLICATION = 0x63706373
_FORMAT = 1
#: Seconds to wait for another process that is writing.
_PATIENCE = 60

_SCHEMA = (
    "CREATE TABLE campaign (identity TEXT NOT NULL, created TEXT NOT NULL)",
    "CREATE TABLE sessions (session INTEGER PRIMARY KEY, started TEXT NOT NULL, versions TEXT NOT NULL)",
    "CREATE TABLE runs (setting TEXT NOT NULL, policy TEXT NOT NULL, run INTEGER NOT NULL, tally BLOB NOT NULL, "
    "metrics TEXT NOT NULL, seconds REAL NOT NULL, session INTEGER NOT NULL REFERENCES sessions, "
    "PRIMARY KEY (setting, policy, run))",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORMAT}",
)


@dataclass(frozen=True)
class StoredRun:
    """A finished run; `tally` as `Tally.to_bytes` writes it."""

    setting: str
    policy: str
    run: int
    tally: bytes
    metrics: Metrics
    seconds: float


class CampaignStore:
    """Finished runs of one campaign in an SQLite file.

    Two processes may work on one file at the same time: results are equal, so the first one's are kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with CampaignStore.open(folder, {"seed": 3}, versions={"numpy": "2.0"}) as store:
    ...         store.finished("toy", "platform")
    set()
    """

    def __init__(self, connection: sqlite3.Connection, place: str, session: int | None) -> None:
        self._connection = connection
        self._place = place
        self._session = session

    @classmethod
    def open(cls, folder: str, identity: Mapping[str, Any], versions: Mapping[str, str]) -> CampaignStore:
        """Open a folder's database for a campaign, creating both if they are not there.

        Parameters
        ----------
        folder : str
        identity : mapping
            Plain data that decide every result.
        versions : mapping of str to str
            Versions of what computes the runs that are kept from now on.

        Raises
        ------
        InputError
            The folder holds another campaign, its file is no campaign or damaged, or cannot be used.
        """
        with _named_errors(folder):
            Path(folder).mkdir(parents=True, exist_ok=True)
            connection = _connect(Path(folder) / FILE_NAME)
            try:
                session = _claim(connection, folder, json.loads(json.dumps(identity, allow_nan=False)), versions)
            except BaseException:
                connection.close()
                raise
        return cls(connection, folder, session)

    @classmethod
    def existing(cls, folder: str) -> CampaignStore:
        """Open a folder's database to read what is finished.

        Raises
        ------
        InputError
            There is no campaign, or it cannot be read.
        """
        with _named_errors(folder):
            if not (Path(folder) / FILE_NAME).is_file():
                raise InputError("folder", folder, f"holds no {FILE_NAME}", "name the --out folder of a campaign")
            connection = _connect(Path(folder) / FILE_NAME)
            try:
                _check_kind(connection, folder)
            except BaseException:
                connection.close()
                raise
        return cls(connection, folder, None)

    def __enter__(self) -> CampaignStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def identity(self) -> dict[str, Any]:
        """What decides every result, as plain data."""
        with _named_errors(self._place):
            return dict(_identity(self._connection) or {})

    def finished(self, setting: str, policy: str) -> set[int]:
        """Return which runs are finished."""
        query = "SELECT run FROM runs WHERE setting = ? AND policy = ?"
        with _named_errors(self._place):
            return {int(run) for (run,) in self._connection.execute(query, (setting, policy))}

    def runs(self, setting: str | None = None, policy: str | None = None) -> Iterator[StoredRun]:
        """Yield finished runs in order, of one setting and policy or of all."""
        query = (
            "SELECT setting, policy, run, tally, metrics, seconds FROM runs WHERE setting = coalesce(?, setting) "
            "AND policy = coalesce(?, policy) ORDER BY setting, policy, run"
        )
        with _named_errors(self._place):
            for name, rule, run, tally, metrics, seconds in self._connection.execute(query, (setting, policy)):
                yield StoredRun(name, rule, run, tally, Metrics.from_data(json.loads(metrics)), seconds)

    def keep(self, runs: Iterable[StoredRun]) -> None:
        """Keep runs in one transaction: after a crash all of them are there, or none."""
        rows = [
            (run.setting, run.policy, run.run, run.tally, json.dumps(asdict(run.metrics), allow_nan=False), run.seconds)
            for run in runs
        ]
        with _named_errors(self._place), _transaction(self._connection):
            self._connection.executemany(f"INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, {self._session})", rows)

    def other_versions(self) -> tuple[dict[str, str], ...]:
        """Return the versions other than this session's under which finished runs were computed."""
        query = "SELECT DISTINCT versions FROM sessions WHERE session IN (SELECT session FROM runs)"
        mine = "SELECT versions FROM sessions WHERE session = ?"
        with _named_errors(self._place):
            own = self._connection.execute(mine, (self._session,)).fetchone()
            return tuple(json.loads(text) for (text,) in self._connection.execute(query) if (text,) != own)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)
    # Besides the file, EXTRA synchronizes the folder in which the journal's removal commits a transaction.
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _claim(connection: sqlite3.Connection, folder: str, identity: dict[str, Any], versions: Mapping[str, str]) -> int:
    """Create the tables or check whose they are, and return the number of a new session."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with _transaction(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            for statement in _SCHEMA:
                connection.execute(statement)
            text = json.dumps(identity, allow_nan=False, sort_keys=True, separators=(",", ":"))
            connection.execute("INSERT INTO campaign VALUES (?, ?)", (text, now))
        _check_kind(connection, folder)
        _check_same(_identity(connection), identity, folder)
        started = (now, json.dumps(dict(versions), sort_keys=True))
        row = connection.execute("INSERT INTO sessions (started, versions) VALUES (?, ?)", started)
        return int(row.lastrowid or 0)


def _check_kind(connection: sqlite3.Connection, folder: str) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        remedy = "name another folder, or move that file away"
        raise InputError("--out", folder, f"holds a {FILE_NAME} that is no campaign", remedy)
    if version != _FORMAT:
        rule = f"holds a campaign of format {version}, not {_FORMAT}"
        raise InputError("--out", folder, rule, "use the costproof that wrote it, or another folder")


def _identity(connection: sqlite3.Connection) -> Any:
    row = connection.execute("SELECT identity FROM campaign").fetchone()
    return None if row is None else json.loads(row[0])


def _check_same(found: Any, wanted: dict[str, Any], folder: str) -> None:
    different = list(_differences(found, wanted, ""))
    if different:
        shown = ", ".join(different[:4]) + (", ..." if len(different) > 4 else "")
        remedy = "name another folder, or repeat the command that filled it"
        raise InputError("--out", folder, f"holds another campaign ({shown} differ)", remedy)


def _differences(found: Any, wanted: Any, path: str) -> Iterator[str]:
    """Yield where two plain values differ, by dotted paths."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted(found.keys() | wanted.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in found or key not in wanted:
                yield inner
            else:
                yield from _differences(found[key], wanted[key], inner)
    elif found != wanted:
        yield path or "everything"


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
def _named_errors(folder: str) -> Iterator[None]:
    """Turn what a disk and a damaged or foreign file can raise into one line."""
    try:
        yield
    except OSError as error:
        rule, remedy = f"cannot be used ({error.strerror})", "name a folder you may write to"
        raise InputError("--out", folder, rule, remedy) from None
    except sqlite3.OperationalError as error:
        remedy = "free the disk, wait for the other process, or name a folder you may write to"
        raise InputError("--out", folder, f"cannot be used: {FILE_NAME}: {error}", remedy) from None
    except (sqlite3.DatabaseError, json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
        remedy = "its runs can be made again: move the file away"
        raise InputError("--out", folder, f"holds a damaged or foreign {FILE_NAME} ({error})", remedy) from None
