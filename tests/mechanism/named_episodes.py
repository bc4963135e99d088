"""Episodes made for what a name says: mutants of the kernel in `test_kernel.py` are noticed in some."""

from dataclasses import replace
from typing import Any

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.answers.market import AnsweringProvider, AnswerLaws
from mechanism.bidding import truthful_bidders
from mechanism.market.market import LawOptions
from tests.mechanism.random_episodes import Bidding, Episode, made_up_generations

#: Quality, mean cost and listed price, all as a share of the bound of 1.
FIVE = ((0.9, 0.5, 0.004), (0.8, 0.3, 0.002), (0.3, 0.1, 0.001), (0.95, 0.4, 0.002), (0.0, 0.05, 0.001))


def episode(
    providers: tuple[tuple[float, ...], ...] = FIVE,
    policy: str = "platform",
    horizon: int = 600,
    kinds: tuple[tuple[str, Any], ...] = (),
    platform: tuple[float, ...] = (0.75, 0.9, 1.0, 2.0, 0.5),
    run: int = 0,
    **options: Any,
) -> Episode:
    """Return an episode of providers given as (quality, cost, price); `kinds` are those of `Bidding`."""
    setting = Setting(
        "named",
        PlatformParameters(*platform),
        tuple(Provider(f"p{i}", *entries) for i, entries in enumerate(providers)),
    )
    n = len(providers)
    return Episode(
        setting=setting,
        options=(LawOptions(**options),),
        bidders=Bidding(kinds * (n // len(kinds))) if kinds else truthful_bidders,
        policy=policy,
        horizon=horizon,
        checkpoints=tuple(sorted({min(step, horizon) for step in (1, n, n + 1, 60, 100, 599)})),
        run=run,
    )


#: Many providers that are screened out one by one while they are explored.
_LADDER = tuple((i / 9, 0.2 + 0.05 * (i % 3), 0.001 * (1 + i % 2)) for i in range(10))
_HOPELESS = ((0.3, 0.5, 0.004), (0.2, 0.3, 0.002), (0.1, 0.1, 0.001))
_FAINT = ((0.7, 0.5, 0.004), (0.6, 0.3, 0.002), (0.65, 0.1, 0.001))
_EQUAL = ((0.9, 0.25, 0.001),) * 6

#: One bids the bound, one sometimes less: having fallen behind, the first catches up until both are equal.
_TURNS = (("bound", "extremes"), ("bound", None))
_STREAKS = (0.5, 0.9, 1.0, 1e-9, 0.5, 0.0, 0.3, 0.3)

#: Best-of-n of all 6, of some, and of none.
_ROSTER = [AnsweringProvider(f"m{i % 2}", 0.01 * (1 + i % 3), n) for i, n in enumerate((1, 6, 2, 4, 3))]

NAMED: dict[str, Episode] = {
    "usual": episode(),
    "pool": episode(questions=37, run=2),
    "pool of candidates": episode(
        tuple((q, c, p, 1 + i % 3) for i, (q, c, p) in enumerate(FIVE)), questions=11, cost_law="lattice"
    ),
    "recorded": replace(episode(run=2), recorded=AnswerLaws(made_up_generations(2, 7, 6, 1, 4), tuple(_ROSTER))),
    "ties": episode(_EQUAL, cost_law="point-mass", score_law="point-mass", horizon=400),
    "many ties": episode(_EQUAL * 4, cost_law="point-mass", score_law="point-mass", horizon=400, run=1),
    "fixed ties": episode(_EQUAL, kinds=(("half", None),), horizon=300),
    "ties after streaks": episode(_EQUAL[:2], kinds=_TURNS, platform=_STREAKS),
    "ties after streaks of the other": episode(_EQUAL[:2], kinds=_TURNS[::-1], platform=_STREAKS, run=1),
    "screened while explored": episode(_LADDER, platform=(0.95, 0.99, 1.0, 20.0, 0.5), run=3),
    "hopeless": episode(_HOPELESS, platform=(0.9, 0.9, 1.0, 0.5, 0.5), horizon=900),
    "eligible again": episode(_FAINT, platform=(0.97, 0.99, 1.0, 3.0, 0.6), horizon=900, run=5),
    "alone": episode(((0.98, 0.9, 0.004), (0.0, 0.1, 0.002)), platform=(0.9, 0.9, 1.0, 0.1, 0.5)),
    "always exploring": episode(platform=(0.75, 0.9, 1.0, 1e12, 0.5), horizon=150),
    "hardly exploring": episode(platform=(0.75, 0.9, 1.0, 1e-9, 0.001), horizon=400),
    "deviating": episode(
        kinds=(
            ("truthful", "random"),
            ("bayesian", "under"),
            ("half", "over"),
            ("truthful", "extremes"),
            ("zero", None),
        ),
        platform=(0.75, 0.9, 1.0, 1.0, 0.5, 0.0, 0.6, 0.7),
    ),
    "bayesian": episode(kinds=(("bayesian", None),), questions=50),
    "uniform": episode(policy="uniform-eligible", run=2),
    "cheapest": episode(policy="lowest-price-eligible", run=1),
    "cheapest of all": episode(policy="lowest-price", horizon=300),
    "nobody to route to": episode(
        _FAINT, "lowest-price-eligible", platform=(0.97, 0.99, 1.0, 1.0, 0.5), horizon=900, run=2
    ),
    "other laws than stated": replace(
        episode(((0.9, 0.5), (0.2, 0.9), (0.1, 0.7), (0.95, 0.05), (0.9, 0.1)), horizon=900), misled=True
    ),
    "no filter": episode(policy="no-quality-filter", run=4),
    "no filter where all would be screened out": episode(
        _HOPELESS, "no-quality-filter", kinds=(("bound", None),), platform=(0.9, 0.9, 1.0, 0.5, 0.5)
    ),
    "many": episode(tuple((0.6 + 0.01 * i, 0.3, 0.001) for i in range(40)), platform=(0.8, 0.9, 1.0, 1.5, 0.5), run=1),
    "seventy": episode(
        tuple((0.1 + 0.01 * i, 0.3, 0.001) for i in range(70)), "uniform-eligible", platform=(0.8, 0.9, 1.0, 5.0, 0.5)
    ),
    "initialization only": episode(horizon=3),
}
