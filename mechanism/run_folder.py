"""A folder of finished runs: what an interruption left, the next campaign finds."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from bounds.setting import Setting
from mechanism.metrics import Metrics
from mechanism.trace import Trace
from mechanism.trace_files import write_trace

if TYPE_CHECKING:
    from mechanism.campaign import Campaign


@dataclass(frozen=True)
class RunFolder:
    """Metrics and traces of one campaign on disk.

    Parameters
    ----------
    path : Path
        Holds ``campaign.json`` and, for every finished run, ``POLICY-RUN.json`` and ``POLICY-RUN.csv.gz``. A run
        counts as finished once its JSON is there, which is written last and in one step.
    setting : Setting
    """

    path: Path
    setting: Setting

    @classmethod
    def open(cls, path: str, setting: Setting, campaign: Campaign) -> RunFolder:
        """Open a folder for a campaign, creating it if it is not there.

        Raises
        ------
        InputError
            It holds another campaign (setting, horizon, seed, bidders or window differ), or cannot be used.
        """
        folder = cls(Path(path), setting)
        identity = {
            "setting": {**setting.to_data(), "name": None}, "horizon": campaign.horizon,
            "seed": campaign.seed, "window": campaign.window, "bidders": campaign.bidders,
        }  # fmt: skip
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            folder._claim(identity)
        except OSError as error:
            raise InputError(
                "--out", path, f"cannot be used ({error.strerror})", "name a folder you may write to"
            ) from None
        return folder

    def _claim(self, identity: dict[str, Any]) -> None:
        file = self.path / "campaign.json"
        if not file.exists():
            _write_at_once(file, identity)
            return
        found = _read(file)
        different = [key for key, value in identity.items() if not isinstance(found, dict) or found.get(key) != value]
        if different:
            raise InputError(
                "--out", str(self.path), f"holds another campaign ({', '.join(different)} differ)",
                "name another folder, or repeat the command that filled it",
            )  # fmt: skip

    def finished(self, wanted: list[tuple[str, int]]) -> dict[tuple[str, int], Metrics]:
        """Return the metrics of the wanted runs that are complete."""
        found = {}
        for policy, run in wanted:
            data = _read(self._file(policy, run, ".json"))
            if isinstance(data, dict):
                found[policy, run] = Metrics.from_data(data)
        return found

    def keep(self, policy: str, run: int, metrics: Metrics, trace: Trace) -> None:
        """Write a finished run: its trace first, then its metrics."""
        write_trace(trace, self._file(policy, run, ".csv.gz"), self.setting)
        _write_at_once(self._file(policy, run, ".json"), asdict(metrics))

    def _file(self, policy: str, run: int, suffix: str) -> Path:
        return self.path / f"{policy}-{run:04d}{suffix}"


def _read(file: Path) -> Any:
    """Return the JSON of a file, None if it is not there or not whole."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def _write_at_once(file: Path, data: Any) -> None:
    """Write JSON so that a reader sees all of it or nothing."""
    scratch = file.with_name(f".{file.name}.{os.getpid()}")
    scratch.write_text(json.dumps(data, allow_nan=False), encoding="utf-8")
    os.replace(scratch, file)
