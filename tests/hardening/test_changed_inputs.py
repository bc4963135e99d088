"""Changed inputs of each reader are read or refused: no traceback, and no hidden character."""

import random
from pathlib import Path
from time import monotonic

import pytest

from bounds.characters import is_hidden
from proofs_checks.cli.main import main
from tests.hardening.readers import READERS, Contents

pytestmark = pytest.mark.long("runs commands on hundreds of changed files")

TRIES = 16
#: Seconds that a run may take.
SECONDS = 30


def changed(name: str, valid: Contents, seed: int) -> Contents:
    reader, rng = READERS[name], random.Random(seed)
    file = reader.target or rng.choice(sorted(valid))
    return {**valid, file: reader.change(valid[file], rng)}


def run(command: list[str], files: Contents, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command in a folder of its own that holds some files, and return its exit code."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    monkeypatch.chdir(folder)
    began = monotonic()
    code = main(command)  # an error that is not told would be raised here
    assert monotonic() - began < SECONDS
    return code


@pytest.mark.parametrize("name", READERS)
def test_a_changed_input_is_read_or_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    valid, command = READERS[name].files(), list(READERS[name].command)
    as_json = [*command, "--json"] if command[0] != "page" else command
    assert run(as_json, valid, tmp_path / "valid", monkeypatch) == 0
    capsys.readouterr()
    for seed in range(TRIES):
        files = changed(name, valid, seed)
        told = as_json if seed % 2 else command
        code = run(told, files, tmp_path / f"{seed}", monkeypatch)
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), (seed, err)
        assert not [sign for sign in out + err if sign != "\n" and is_hidden(sign)], seed
