"""The table of the numbers that decide a step, per provider, as cells and as plain text."""

from __future__ import annotations

import functools
import textwrap

from bounds.words import number, to_digits
from proofs_checks.conformance.report.failure import Failure

#: Columns of its words as plain text.
_WIDTH = 78
#: Its columns; numbers and words alike are set to the right.
COLUMNS = ("provider", "count", "radius", "quality", "eligible", "bid", "adjusted", "P")


def deciding_rows(failure: Failure, digits: int = 6) -> list[tuple[str, ...]]:
    """Return a row of cells for each provider, numbers to so many digits; none before everybody has served."""
    number = functools.partial(to_digits, digits=digits)
    return [
        (
            f"{each.provider}",
            f"{each.count:,}",
            number(each.radius),
            number(each.quality_estimate),
            "yes" if each.eligible else "no",
            *map(number, (each.bid, each.adjusted_bid, each.critical_payment)),
        )
        for each in failure.standings()
    ]


def deciding_legend(failure: Failure) -> str:
    """Return the parameters that decide with these numbers, and what two of the columns are."""
    config = failure.config
    parameters = {
        "N": config.n_providers,
        "c_max": config.cost_bound,
        "q_min": config.quality_threshold,
        "delta": config.confidence,
        "gamma": config.belief_slack,
        "k": config.exploration_scale,
        "alpha": config.exploration_exponent,
        "t": failure.step,
    }
    told = ", ".join(f"{name} {number(value)}" for name, value in parameters.items())
    return f"{told}. adjusted: bid minus (1 + gamma) c_max radius; P: critical payment; g(t) = k (t/N)^alpha."


def deciding_text(failure: Failure) -> str:
    """Return the table as plain text with its legend and what follows from it; empty without a table.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> played = {"settlements": ((1.0, 0.25), (1.0, 0.5)), "providers": (0, 1)}
    >>> failure = Failure(message="dear", config=usual_config(n_providers=2), seed=0, **played)
    >>> print(deciding_text(failure))
      provider  count   radius  quality  eligible   bid  adjusted     P
             0      1  1.66926        1       yes  0.25  -1.41926   0.5
             1      1  1.66926        1       yes   0.5  -1.16926  0.25
      N 2, c_max 1, q_min 0, delta 0.05, gamma 0, k 0.01, alpha 0.5, t 3. adjusted:
      bid minus (1 + gamma) c_max radius; P: critical payment; g(t) = k (t/N)^alpha.
      g(3) = 0.0122: no eligible provider has fewer selections, so an auction is
      due.
    """
    rows = deciding_rows(failure)
    if not rows:
        return ""
    lines = [COLUMNS, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(COLUMNS))]
    told = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    words = [textwrap.wrap(text, _WIDTH) for text in (deciding_legend(failure), failure.deciding)]
    return "\n".join(f"  {line}" for line in (*told, *words[0], *words[1]))
