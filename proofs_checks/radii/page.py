"""`python -m proofs_checks.radii.page`: writes docs/radii.md, what each radius guarantees, costs and gains.

A test holds the page's guarantees, and the runs of one setting, against what is computed.
"""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import PAPERS, RADII
from proofs_checks.radii.effects import RadiusEffect, radius_effects

PAGE = Path(__file__).parents[2] / "docs" / "radii.md"
HORIZON, RUNS = 70_000, 200
_INTRODUCTION = """\
# Confidence radii

Made by `python -m proofs_checks.radii.page`; do not edit.

The platform needs two numbers for each selection count m: how far a mean score may be off (who is still eligible), and
how far a mean cost may be off (the adjusted bids). The paper takes beta(m) for both. A setting may name another radius:

```toml
[platform]
radius = "kl"        # "paper" if it is left out
```

The configuration that a mechanism receives has it as `config.radius`. Platform, simulation, audit, `check`
(`--domain radius=kl`), `bounds` and `verify` take it from there. What the paper proves about beta is not claimed of
another radius: `bounds` says so and gives the numbers derived anew, and `verify` and `audit` report such claims as
`ASSUMPTION_VIOLATED` or `SKIPPED`, with the reason. What is about the rules alone is compared with the radius at hand.

| name | who is eligible | cost radius | idea |
|---|---|---|---|
| `paper` | beta(m) | beta(m) | Hoeffding at every count, failure probability shared out as 1/m^2 |
| `kl` | m kl(mean, q_min) <= ln(C_0 m^2) | beta(m) | Chernoff, which knows that scores near 0 or 1 vary little |
| `beta-binomial` | mixture of likelihood ratios below 4N/delta | beta(m) | one-sided, over all counts at once |
| `normal-mixture` | r(m) on both sides | r(m) | Robbins: a mixture over normal rates |
| `stitched` | r(m) | r(m) | one maximal inequality for each epoch of counts, from 1.2^k to 1.2^(k+1) |

Each holds with the paper's probability: all its bands together fail with probability delta at most, for scores in
[0, 1] of any law that are independent with one mean. The proofs stand in the modules of `bounds/radii`. `bounds` then
uses what the paper's proofs use of beta, and no more: whoever is unqualified is excluded once its gap exceeds the two
quality radii, and a dearer provider wins no auction once its gap exceeds two cost radii.
`python -c "import bounds.radius_caps; help(bounds.radius_caps)"` has the steps. `verify` and `audit` compare these
bounds with every run, for the radius of its setting, where its means keep to that radius (claims with `:any-radius`),
and `prove` proves the steps for any radius that does not increase.

## The effect of each radius

At T = {horizon:,}: B_id is how many queries may miss the optimum after initialization, T_id from when on it is sure to
lead (none of this is the paper's closed form; for `paper` these are the numbers of `--method sharp`). The other columns
are means of {runs} simulated runs with the same outcomes for every radius, plus or minus one standard error: the share
of queries that unqualified providers served, what users paid per query (1e-6 USD) over all steps and over the
auctions, and from which query on the optimum had the most selections to the end (mean and maximum).
"""
_REFUSED = """\
## Radii that depend on bids are refused

`radius = "empirical-bernstein"` is an error. Such a radius reads the variance of the costs, and the platform only knows
costs through standing bids. The winner is paid the lowest rival index plus its own cost radius. So its own past bids
would move what it is paid: a provider that bids high once raises its sample variance, its radius and its later
payments. Truthful bidding would no longer be safe (`eq:provider-history`, `thm:robust-dominant`). A test plays such a
mechanism: the check `past-bids` fails on it, and a provider that inflated its first bid is paid more later on. For
scores nothing of the kind is at stake, but the variance of a score is not needed either: `kl` and `beta-binomial`
already use what a mean near 0 or 1 says about it.
"""


def page(effects: Iterable[RadiusEffect]) -> str:
    """Return docs/radii.md.

    Parameters
    ----------
    effects : iterable of RadiusEffect
        Of the built-in settings, each with all radii.
    """
    found = list(effects)
    return "\n".join(
        [
            _INTRODUCTION.format(horizon=HORIZON, runs=len(found[0].lead)),
            *table(found),
            "",
            "`costproof figures radii` draws the same for any setting.",
            "",
            "## In plain words",
            "",
            *_in_words(found),
            "",
            _REFUSED,
        ]
    )


def table(effects: Sequence[RadiusEffect]) -> Iterator[str]:
    """Yield the rows of the table of effects, in Markdown."""
    yield "| setting | radius | B_id(T) | T_id | unqualified % | paid | in auctions | leads from | at most |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for each in effects:
        yield row(each)


def row(effect: RadiusEffect) -> str:
    """Return the row of one setting with one radius."""
    bound, horizon = effect.identification_bound, effect.identification_horizon
    cells = [
        effect.setting,
        f"`{effect.radius}`",
        f"{bound:,.0f}" if math.isfinite(bound) else "-",
        "-" if horizon is None else f"{horizon:,}",
        _mean(100 * effect.unqualified_share),
        _mean(effect.amount_paid),
        _mean(effect.auction_payment),
        _whole(float(effect.lead.mean())),
        _whole(float(effect.lead.max())),
    ]
    return f"| {' | '.join(cells)} |"


def _mean(values: NDArray[np.float64]) -> str:
    error = values.std(ddof=1) / math.sqrt(len(values))
    return f"{values.mean():.2f} ± {error:.2f}"


def _whole(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else f"after {HORIZON:,}"


def _in_words(effects: Sequence[RadiusEffect]) -> Iterator[str]:
    shares = {name: _ratios(effects, name, "unqualified_share") for name in RADII}
    paid = {name: _percent(_ratios(effects, name, "amount_paid")) for name in RADII}
    auctions = {name: _percent(_ratios(effects, name, "auction_payment")) for name in RADII}
    fewer = {name: _range([1 / share for share in shares[name]]) for name in RADII}
    promised = _percent_of([_horizon(each) / _horizon(_papers(effects, each)) for each in _with(effects, _BEST)])
    normal, stitched = "normal-mixture", "stitched"
    said = (
        f"- **A tighter quality test cuts what unqualified providers serve**: `{_BEST}` by a factor of {fewer[_BEST]}, "
        f"`kl` by one of {fewer['kl']}. The bill changes less: what users pay per query moves by {paid[_BEST]} with "
        f"`{_BEST}` and by {paid['kl']} with `kl`. Two things work against each other. Whoever is excluded takes no "
        "more exploration steps, which pay c_max; and its low bids hold the price of auctions down no more.",
        f"- **The guarantee follows.** T_id of `{_BEST}` is {promised} of that of the paper's radius, by the same "
        "steps of proof.",
        "- **A tighter cost radius raises the bill.** An auction pays about the second-lowest cost, less the "
        "difference between the cost radius of the rival and that of the winner. The rival has served less, so its "
        "radius is the larger one: payments approach the second cost from below. A tighter radius brings them there "
        f"sooner. With `{normal}` auctions pay {auctions[normal]} and users {paid[normal]} per query; with "
        f"`{stitched}` it is {auctions[stitched]} and {paid[stitched]}. In return dearer competitors are sure to lose "
        "auctions sooner.",
        f"- **So take `{_BEST}`** where the quality filter matters and the bill should stay near what it is. Its "
        f"mixture is tuned to 1,000 selections; `kl` is tuned to no count. Both mixtures are smaller than `{stitched}` "
        f"at these horizons; `{stitched}` alone grows with ln ln m in place of ln m.",
    )
    for item in said:
        yield textwrap.fill(item, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


_BEST = "beta-binomial"


def _with(effects: Sequence[RadiusEffect], radius: str) -> list[RadiusEffect]:
    return [each for each in effects if each.radius == radius]


def _papers(effects: Sequence[RadiusEffect], effect: RadiusEffect) -> RadiusEffect:
    return next(each for each in _with(effects, PAPERS) if each.setting == effect.setting)


def _horizon(effect: RadiusEffect) -> float:
    return math.inf if effect.identification_horizon is None else float(effect.identification_horizon)


def _ratios(effects: Sequence[RadiusEffect], radius: str, quantity: str) -> list[float]:
    """Return by setting the mean of a quantity over that with the paper's radius."""
    found = _with(effects, radius)
    return [float(np.mean(getattr(e, quantity)) / np.mean(getattr(_papers(effects, e), quantity))) for e in found]


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def _percent(ratios: Sequence[float]) -> str:
    low, high = (100 * (ratio - 1) for ratio in (min(ratios), max(ratios)))
    return f"{low:+.1f}% to {high:+.1f}%"


def _percent_of(ratios: Sequence[float]) -> str:
    return f"{100 * min(ratios):.0f}% to {100 * max(ratios):.0f}%"


def main() -> int:
    """Write the page."""
    effects = [each for name in PUBLISHED_NAMES for each in radius_effects(published(name).setting, HORIZON, runs=RUNS)]
    PAGE.write_text(page(effects), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
