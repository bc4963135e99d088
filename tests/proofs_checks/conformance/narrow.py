"""Right mechanisms with a narrow domain, as a published simulator is: binary scores, a threshold inside (0, 1), and a
halt where one provider is eligible or none."""

from proofs_checks.conformance.mutants.plain import Plain


class HaltedError(Exception):
    """The run is over."""


class Narrow(Plain):
    """Raises `domain_error` outside its domain, and `HaltedError` where at most one provider is eligible."""

    domain_error: type[Exception] = ValueError

    def _prepare(self) -> None:
        if not 0 < self.config.quality_threshold < 1:
            raise self.domain_error("q_min must lie inside (0, 1)")

    def settle(self, score: float, bid: float) -> None:
        if score not in (0.0, 1.0):
            raise self.domain_error(f"a score is 0 or 1, not {score!r}")
        super().settle(score, bid)

    def _decide(self) -> tuple[int, float]:
        if self.step > self.n_providers and sum(map(self._is_eligible, range(self.n_providers))) <= 1:
            raise HaltedError("at most one provider is eligible: halted")
        return super()._decide()


class SaysSo(Narrow):
    """Says with `NotImplementedError` that a scenario lies outside its domain; its halt is an error of its own."""

    domain_error = NotImplementedError


class NeverReady(Plain):
    """A stub: nothing lies inside its domain."""

    def assign(self) -> tuple[int, float]:
        """Raise."""
        raise NotImplementedError


class FailsAtOnce(Plain):
    """Answers nothing at all."""

    def assign(self) -> tuple[int, float]:
        """Raise."""
        raise RuntimeError("no answer")
