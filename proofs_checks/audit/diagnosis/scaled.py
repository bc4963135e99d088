"""Payments that all are the same factor of what the rules prescribe, or differ from it by the same amount."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bounds.words import part_of
from proofs_checks.audit.diagnosis.evidence import NEARLY_ALL, Explanation, LogEvidence, Tried
from proofs_checks.audit.diagnosis.window import Window

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

#: Fewer wrong payments that should be below c_max do not show that they follow one factor or amount.
_LEAST = 5


@dataclass(frozen=True, eq=False)
class _Payments:
    """The payments from the first violation on, with what the rules prescribe."""

    #: The rows around the first violation and those after them.
    around: Window

    @property
    def _rows(self) -> slice:
        return slice(self.around.first, None)

    @cached_property
    def paid(self) -> Floats:
        """What was paid."""
        return self.around.trace.payment[self._rows]

    @cached_property
    def prescribed(self) -> Floats:
        """What the rules prescribe."""
        return self.around.audit.prescriptions[self._rows]

    @cached_property
    def broken(self) -> Flags:
        """Whether the payment breaks a rule."""
        return self.around.audit.wrong_payments[self._rows]

    @property
    def bound(self) -> float:
        """c_max."""
        return self.around.setting.platform.cost_bound

    @property
    def precision(self) -> float:
        """How far two equal amounts may be apart."""
        return self.around.audit.slack.twice

    @cached_property
    def capped(self) -> Flags:
        """Whether c_max is paid: perhaps in place of more."""
        return np.abs(self.paid - self.bound) <= self.precision

    def explained(self, wanted: Floats) -> Flags:
        """Return which wrong payments are as wanted; c_max may stand in place of more."""
        as_wanted = np.abs(self.paid - wanted) <= self.precision
        return self.broken & (as_wanted | self.capped & (wanted >= self.bound - self.precision))

    @cached_property
    def below(self) -> Flags:
        """Where the rules prescribe less than c_max."""
        return self.prescribed < self.bound - self.precision

    @cached_property
    def telling(self) -> Flags:
        """Whether a wrong payment tells by how much: of those that should all be the same, c_max, none does."""
        return self.broken & ~self.capped & self.below & (self.prescribed > self.precision)


def scaled(log: LogEvidence, *, least_share: float = 0.0) -> list[Explanation]:
    """Return that nearly all wrong payments are off by the same factor, or by the same amount, if they are.

    Parameters
    ----------
    log : LogEvidence
    least_share : float, optional
        Of the steps whose prescribed payment lies below c_max, at which share this must be so.
    """
    payments = _Payments(log.around)
    if np.count_nonzero(payments.telling) < _LEAST:
        return []
    violations = payments.around.violations
    # Of amounts that hardly differ, a factor cannot be told from a difference: then both are.
    fitting = [(told, hit) for told, hit in _tried(payments) if np.count_nonzero(hit) >= NEARLY_ALL * violations]
    if not fitting:
        return []
    explained = fitting[0][1]
    last = int(np.flatnonzero(explained)[-1])
    number, steps = (int(np.count_nonzero(flags[: last + 1])) for flags in (explained & payments.below, payments.below))
    if number < least_share * steps:
        return []
    first = payments.around.step(payments.around.first)
    until = f"to step {first + last:,}" if payments.below[last + 1 :].any() else "on"
    text = (
        f"The violations are consistent with payments that are {', or '.join(told for told, _ in fitting)} what the "
        f"rules prescribe, from step {first:,} {until}: so are {part_of(number, steps, 'payment')} there that should "
        f"be below c_max, each to within {payments.precision:.2g}."
    )
    end = first + len(payments.paid) - 1
    tried = Tried(violations, f"of steps {first:,} to {end:,}")
    remaining = violations - int(np.count_nonzero(explained))
    return [tried.explained("payments scaled", text, remaining=remaining, where={"step": first})]


def _tried(payments: _Payments) -> Iterator[tuple[str, Flags]]:
    """Yield the commonest factor and the commonest difference, in words, and which payments they explain."""
    paid, prescribed = payments.paid[payments.telling], payments.prescribed[payments.telling]
    factor, more = float(np.median(paid / prescribed)), float(np.median(paid - prescribed))
    yield f"{factor:.9g} times", payments.explained(factor * payments.prescribed)
    told = f"{abs(more):.9g} {'more' if more > 0 else 'less'} than"
    yield told, payments.explained(payments.prescribed + more)
