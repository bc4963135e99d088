"""The payments of one run with the bounds of each, at sampled steps; matplotlib is not needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.payment import AUCTION_PAYMENT_LOWER_SERVED, AUCTION_PAYMENT_UPPER
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import curve_steps
from mechanism.replay import Replay
from mechanism.trace import Trace

Floats = NDArray[np.float64]
#: Sampled steps, log-spaced.
_SAMPLED = 400


@dataclass(frozen=True, kw_only=True, eq=False)
class PaymentBand:
    """Payments of auctions with their bounds, at sampled steps.

    Parameters
    ----------
    steps : array of int, shape (S,)
        Log-spaced, from N + 1 on.
    payment, lower, upper : array of float, shape (S,)
        NaN where the step explored or nobody was eligible.
    """

    steps: NDArray[np.int64]
    payment: Floats
    lower: Floats
    upper: Floats


def payment_band(setting: Setting, trace: Trace) -> PaymentBand:
    """Return the payments of a run's auctions at log-spaced steps, with the bounds for the provider that served."""
    n = setting.n_providers
    steps = np.array([step for step in sampled_steps(n, len(trace)) if step > n], dtype=np.int64)
    replay = Replay(MechanismConfig.of(setting), trace)
    rows = steps - 1
    auction = replay.auction[rows]
    count = replay.of_served(replay.counts)[rows].astype(float)
    cost = np.array([provider.mean_cost for provider in setting.providers])[trace.provider[rows]]
    inputs = {**formula_inputs(setting), "count": np.maximum(count, 1.0)}

    def at_auctions(values: Floats) -> Floats:
        return np.where(auction, values, np.nan)

    return PaymentBand(
        steps=steps,
        payment=at_auctions(trace.payment[rows]),
        lower=at_auctions(np.asarray(AUCTION_PAYMENT_LOWER_SERVED(inputs, served_cost=cost))),
        upper=at_auctions(np.asarray(AUCTION_PAYMENT_UPPER(inputs))),
    )


def sampled_steps(n_providers: int, horizon: int) -> tuple[int, ...]:
    """Return the steps at which payments are shown, log-spaced.

    Examples
    --------
    >>> sampled_steps(4, 10)
    (4, 5, 6, 7, 8, 9, 10)
    """
    spaced = np.geomspace(n_providers, horizon, _SAMPLED).round().astype(int).tolist()
    return curve_steps(n_providers, horizon, spaced)
