"""The paper's recorded generations by name, from the Hugging Face hub."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bounds.errors import InputError
from mechanism.files import reason

PAPER_DATA = "Human-Centric-Machine-Learning/strategic-ttc-data"
"""The data set of app:experimental-details, with the subfolders GSM8K, GPQA and AIME."""


def download_generations(
    benchmark: str, *, name: str = PAPER_DATA, revision: str | None = None, models: Sequence[str] | None = None
) -> Path:
    """Download the recorded generations of one benchmark, or find them in the cache.

    Parameters
    ----------
    benchmark : str
        Subfolder of the data set: ``"GSM8K"``, ``"GPQA"`` or ``"AIME"`` in the paper's data.
    name : str, optional
        Of a data set on the hub.
    revision : str, optional
        Branch, tag or commit; a commit makes the data reproducible.
    models : sequence of str, optional
        Only files whose names begin with one of these and ``--``, as in the paper's data; by default all.

    Returns
    -------
    pathlib.Path
        The folder that `mechanism.answers.files.load_answers` reads.

    Raises
    ------
    InputError
        huggingface_hub is not installed, the download fails, or the data set has no such files.

    Notes
    -----
    Where files are kept, and access tokens, are the hub's own affair (``HF_HOME``, ``HF_TOKEN``).
    """
    names = [None] if models is None else [models] if isinstance(models, str) else list(models)
    for argument, value in (("benchmark", benchmark), *(("models", each) for each in names if each is not None)):
        # A pattern would download more than was asked for.
        if not isinstance(value, str) or not re.fullmatch(r"[\w.+@-]+", value) or value.startswith("."):
            raise InputError(argument, value, "must be a plain name", "letters, digits and .+@_- only")
    patterns = [f"{benchmark}/{'*' if each is None else f'{each}--*'}" for each in names]
    folder = _snapshot(name, revision, patterns) / benchmark
    if not folder.is_dir() or not any(folder.iterdir()):
        raise InputError("benchmark", benchmark, f"has no such files in {name}", f"looked for {', '.join(patterns)}")
    return folder


def _snapshot(name: str, revision: str | None, patterns: list[str]) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        remedy = "pip install 'costproof[hub]', or download the data and load the folder"
        raise InputError("huggingface_hub", None, "is not installed", remedy) from None
    try:
        return Path(snapshot_download(name, repo_type="dataset", revision=revision, allow_patterns=patterns))
    except (OSError, ValueError) as error:  # the hub's own errors are of these kinds
        remedy = "check the name, the revision and the network, or load a folder that was downloaded before"
        raise InputError("name", name, f"cannot be downloaded ({reason(error)})", remedy) from None
