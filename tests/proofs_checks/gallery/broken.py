"""Broken platforms whose logs the claims must refute: mutants of the gallery, and one that only an equality shows."""

from collections.abc import Mapping

from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.plain import Factory, Plain


class StrictlyAbove(Plain):
    """qhat + beta > q_min instead of >=."""

    def _is_eligible(self, provider: int) -> bool:
        return self._estimate(provider) + self._radius(provider) > self.config.quality_threshold


#: By name.
BROKEN_PLATFORMS: Mapping[str, Factory] = {name: mutant.factory for name, mutant in MUTANTS.items()} | {
    "StrictlyAbove": StrictlyAbove
}
