"""What printed numbers aggregate, from chosen runs that are played here and in no campaign."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.published import PublishedSetting
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.policies import POLICIES
from proofs_checks.reproduction.definitions import POLICY_ROWS, checkpoints
from proofs_checks.reproduction.run import values_of
from proofs_checks.reproduction.statistics import Values


def values_of_runs(
    paper: PublishedSetting, *, seed: int, runs: Sequence[int], setting: Setting | None = None
) -> Values:
    """Return the values of some runs of a seed; of another setting, to see whether a wrong one is noticed."""
    steps = checkpoints(paper)
    tallies = {}
    for policy in POLICY_ROWS.values():
        episode = CompiledEpisode(setting or paper.setting, POLICIES[policy])
        tallies[policy] = list(episode.tallies(horizon=paper.horizon, seed=seed, runs=runs, checkpoints=steps))
    return values_of(paper, tallies)
