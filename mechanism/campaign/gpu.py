"""Runs of a campaign on a GPU, which plays many thousands of them at the same time."""

from __future__ import annotations

import hashlib
import importlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from mechanism.campaign.chunks import FinishedChunk, finished_runs, result_versions
from mechanism.campaign.spec import CampaignPart
from mechanism.compiled import lane
from mechanism.compiled.episode import CompiledEpisode
from mechanism.parallel import WorkersLostError
from mechanism.versions import package_versions

#: The back end's name.
GPU = "gpu"
#: Errors of Numba's that mean that a GPU failed, by name, since their package need not be there.
_GPU_ERRORS = {"CudaAPIError", "CudaDriverError"}


def check_gpu() -> None:
    """Raise an InputError if no GPU can be used here, or not the extra `gpu`."""
    _gpu().check_gpu()


def _gpu() -> Any:
    """Return the module that needs the extra; who does not ask for a GPU does not pay for loading it."""
    if find_spec("numba_cuda") is None:
        remedy = "pip install 'costproof[gpu]' where there is an NVIDIA GPU; else take threads or processes"
        raise InputError("backend", GPU, "is not installed", remedy)
    return importlib.import_module("mechanism.compiled.gpu")


def check_playable(part: CampaignPart) -> None:
    """Raise an InputError for a part that a GPU cannot play: plain policies, late feedback, bidders that deviate."""
    remedy = "take threads or processes for this campaign"
    for policy in part.policies:
        if not isinstance(part.episode(policy), CompiledEpisode):
            why = "with late feedback" if part.delay is not None else f"of {policy}"
            raise InputError("backend", GPU, f"plays no runs {why}, which run in plain Python", remedy)
    if part.bidders != "truthful":
        raise InputError("backend", GPU, f"plays truthful bidders only, not {part.bidders} ones", remedy)


def play_on_gpu(part: CampaignPart, policy: str, runs: Sequence[int], *, curves: bool) -> Iterator[FinishedChunk]:
    """Yield finished runs of a part under a policy, in their order.

    Counts, scores and costs are those of the other back ends to the last bit; other money differs by rounding.
    """
    episode, totals = part.episode(policy), _gpu().gpu_totals
    steps = part.played_steps if curves else part.steps
    with _gpu_failures():
        for _ in totals(episode, horizon=part.setting.n_providers, seed=part.seed, runs=runs[:1]):
            pass  # compiles, which is not timed
        began, first = time.perf_counter(), 0
        for tallies in totals(episode, horizon=part.horizon, seed=part.seed, runs=runs, checkpoints=steps):
            count = len(tallies.overall)
            seconds = (time.perf_counter() - began) / count
            played = runs[first : first + count]
            yield FinishedChunk(finished_runs(part, policy, played, tallies, seconds=seconds, curves=curves), ())
            began, first = time.perf_counter(), first + count


@contextmanager
def _gpu_failures() -> Iterator[None]:
    """Say in one line that a GPU failed, for want of memory say; Numba would show its own machinery."""
    try:
        yield
    except Exception as error:
        if {kind.__name__ for kind in type(error).__mro__} & _GPU_ERRORS:
            raise WorkersLostError("backend", GPU, f"failed ({error})", "take threads or processes") from error
        raise


def gpu_versions() -> dict[str, str]:
    """Return what results of a GPU may depend on in their last digits: `result_versions`, with the lanes' code."""
    source = b"".join(Path(str(module.__file__)).read_bytes() for module in (lane, _gpu()))
    versions = result_versions()
    kernel = f"{versions['kernel']} on a GPU {hashlib.sha256(source).hexdigest()[:12]}"
    return versions | {"kernel": kernel, "gpu": _gpu().gpu_name()} | package_versions(("numba-cuda",), absent="source")
