"""What to run: a campaign, and its parts, one per setting."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from bounds.documents import BY_NAME, INTERNAL, Count, FromTwo, NonNegative, key
from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.answers.description import DescribedEvaluation, DescribedRecordings
from mechanism.arguments import number_of_queries, whole_number
from mechanism.bidding import Bidders, prepare_bidders, widening
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import OutcomeLaws
from mechanism.market.market import MarketLaws, market_laws
from mechanism.metrics.curves import curve_steps, totals_steps
from mechanism.metrics.measures import window_start
from mechanism.metrics.tally import checkpoint_steps
from mechanism.plain_episode import PlainEpisode
from mechanism.policies import POLICIES, Policy, find_policy
from mechanism.tables import cost_table, quality_table


@dataclass(frozen=True, kw_only=True)
class CampaignPart:
    """One setting of a campaign, with everything that its runs depend on; what was played, in the words of reports.

    The fields are those of `Campaign`, with the values for this setting. The setting has the slack that its bidders
    need, and the laws are hashable: pairs of an option of `mechanism.market.market.market_laws` and its value.

    Parameters
    ----------
    setting : Setting
        Name of the setting.
    horizon : int
        Queries of a run.
    seed : int
        Seed of all randomness.
    bidders : str
        How providers bid; fixed:X is a bid, money, and biased:X a share of the cost bound.
    """

    setting: Setting = field(metadata=BY_NAME)
    horizon: FromTwo
    seed: Count
    bidders: Bidders
    keep_gamma: bool = field(default=False, metadata=INTERNAL)
    window: int = field(metadata=INTERNAL)
    checkpoints: tuple[int, ...] = field(metadata=INTERNAL)
    policies: tuple[str, ...] = field(metadata=INTERNAL)
    laws: tuple[tuple[str, Any], ...] = field(default=(), metadata=INTERNAL)
    recorded: OutcomeLaws | None = field(default=None, metadata=INTERNAL)
    delay: DelayLaw | None = field(default=None, metadata=INTERNAL)
    own_policies: tuple[tuple[str, Policy], ...] = field(default=(), metadata=INTERNAL)

    @key
    def belief_slack(self) -> NonNegative:
        """gamma: cost radii are 1 + gamma times as wide."""
        return self.setting.platform.belief_slack

    @key
    def providers(self) -> list[str]:
        """Names of the providers, in the order of the setting."""
        return [provider.name for provider in self.setting.providers]

    @key
    def market(self) -> Annotated[dict[str, Any], MarketLaws | DescribedRecordings | DescribedEvaluation]:
        """Where scores and costs came from."""
        return self.outcome_laws().describe()

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps after which totals are kept, increasing; the last is T."""
        return checkpoint_steps((*self.checkpoints, *window_start(self.horizon, self.window)), self.horizon)

    @cached_property
    def curve_steps(self) -> tuple[int, ...]:
        """The steps after which curves are taken: log-spaced, the window, and one pass over the benchmark."""
        passed = self.outcome_laws().tables().questions
        return curve_steps(self.setting.n_providers, self.horizon, (self.window, passed))

    @cached_property
    def played_steps(self) -> tuple[int, ...]:
        """The steps after which a run is totalled: `steps`, and all that curves need.

        The same whether or not curves are asked for: where a sum is taken moves the last digit of what follows.
        """
        needed = totals_steps(self.curve_steps, self.window, self.setting.n_providers)
        return checkpoint_steps((*self.steps, *needed), self.horizon)

    def outcome_laws(self) -> OutcomeLaws:
        """Return the laws of the setting's market, or the recorded generations that it serves."""
        return market_laws(self.setting, **dict(self.laws)) if self.recorded is None else self.recorded

    def policy(self, name: str) -> Policy:
        """Return a policy of the part by its name."""
        return dict(self.own_policies).get(name) or find_policy(name)

    def without_own_policies(self) -> CampaignPart:
        """Return the part as other processes may have it: what a user wrote stays in this one."""
        own = dict(self.own_policies)
        return replace(self, policies=tuple(name for name in self.policies if name not in own), own_policies=())

    def episode(self, policy: str) -> CompiledEpisode | PlainEpisode:
        """Return the episode under a policy: compiled, if there is such a one and feedback is immediate."""
        setting, bidders = prepare_bidders(self.setting, self.bidders, keep_gamma=self.keep_gamma)
        chosen, laws = self.policy(policy), self.outcome_laws()
        if chosen.compiled and self.delay is None:
            return CompiledEpisode(setting, chosen, bidders=bidders, laws=laws)
        return PlainEpisode(setting=setting, policy=chosen, bidders=bidders, laws=laws, delay=self.delay)

    def identity(self) -> dict[str, Any]:
        """Return plain data that decide every result of the part but its seed and bidders."""
        laws = self.outcome_laws()
        # The tables to the last bit: another version of SciPy could discretize a law otherwise, another processor round
        # a logarithm otherwise, and recorded generations stand nowhere else in the identity.
        digest = hashlib.sha256()
        config = MechanismConfig.of(self.setting)
        radii = [quality_table(config).upto(self.horizon)]
        if not self.setting.platform.papers_radius:
            radii.append(cost_table(config).upto(self.horizon))
        for table in (*laws.tables(), *radii):
            digest.update(np.asarray(table).tobytes())
        return {
            "setting": self.setting.to_data(),
            "horizon": self.horizon,
            "window": self.window,
            "checkpoints": list(self.checkpoints),
            "market": laws.describe(),
            "market_tables": digest.hexdigest(),
            **({} if self.delay is None else {"delay": f"{self.delay}"}),
        }


@dataclass(frozen=True)
class Campaign:
    """What to run. Values that may differ between settings are one for all, or a mapping from settings' names.

    Parameters
    ----------
    settings : Setting or tuple of Setting
        With different names.
    horizon : int or mapping
        T, at least the number of providers.
    runs : int
        R, for every setting and policy.
    seed : int
    window : int or mapping
        Length of moving averages.
    policies : tuple of str, optional
        Names of `mechanism.policies.POLICIES` or of `own_policies`; empty for all of the former that a setting's
        listed prices allow.
    bidders : str, optional
        As `mechanism.bidding.prepare_bidders` takes it.
    keep_gamma : bool, optional
        Whether gamma stays as it is where the prior of Bayesian bidders needs more.
    checkpoints : sequence of int or mapping, optional
        Steps in 1..T after which totals are kept, besides T and the start of the window.
    laws : mapping, optional
        Options of `mechanism.market.market.market_laws`.
    recorded : mapping of str to AnswerLaws, optional
        Recorded generations that a setting of this name serves instead.
    delay : DelayLaw, optional
        How late scores and bids arrive; by default before the next query. Such runs are simulated in plain Python.
    own_policies : mapping of str to Policy, optional
        Policies of one's own by name. They run in plain Python in the calling process, and no folder keeps their runs.

    Examples
    --------
    >>> from bounds.published import published
    >>> settings = tuple(published(name).setting for name in ("gpqa-strong", "gpqa-full"))
    >>> campaign = Campaign(settings, horizon=500, runs=2, seed=0, window=100, checkpoints={"gpqa-full": (250,)})
    >>> [part.steps for part in campaign.parts]
    [(400, 500), (250, 400, 500)]
    """

    settings: Setting | tuple[Setting, ...]
    _: KW_ONLY
    horizon: int | Mapping[str, int]
    runs: int
    seed: int
    window: int | Mapping[str, int]
    policies: tuple[str, ...] = ()
    bidders: str = "truthful"
    keep_gamma: bool = False
    checkpoints: Sequence[int] | Mapping[str, Sequence[int]] = ()
    laws: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, OutcomeLaws] = field(default_factory=dict)
    delay: DelayLaw | None = None
    own_policies: Mapping[str, Policy] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[CampaignPart, ...]:
        """One part per setting.

        Raises
        ------
        InputError
            Two settings of one name, a horizon shorter than initialization, a checkpoint beyond it, an unknown kind
            of bidders, or a policy that needs a listed price that a setting lacks.
        """
        names = [setting.name for setting in self._settings]
        if len(set(names)) < len(names) or not names:
            raise InputError("settings", names, "must have different names", "rename one")
        whole_number("runs", self.runs, "it is the number of independent runs", least=1)
        return tuple(map(self._part, self._settings))

    @property
    def _settings(self) -> tuple[Setting, ...]:
        return (self.settings,) if isinstance(self.settings, Setting) else tuple(self.settings)

    def _part(self, setting: Setting) -> CampaignPart:
        horizon = number_of_queries(_of_setting("horizon", self.horizon, setting, setting.n_providers))
        given = self.checkpoints
        checkpoints = given.get(setting.name, ()) if isinstance(given, Mapping) else given
        checkpoint_steps(checkpoints, horizon)
        prepared, _ = prepare_bidders(setting, self.bidders, keep_gamma=self.keep_gamma)
        return CampaignPart(
            setting=prepared,
            bidders=self.bidders,
            keep_gamma=self.keep_gamma,
            horizon=horizon,
            seed=self.seed,
            window=_of_setting("window", self.window, setting, 1),
            checkpoints=tuple(sorted({int(step) for step in checkpoints})),
            policies=self._chosen_policies(setting),
            laws=tuple((name, _hashable(value)) for name, value in self.laws.items()),
            recorded=self.recorded.get(setting.name),
            delay=self.delay,
            own_policies=tuple(self.own_policies.items()),
        )

    def _chosen_policies(self, setting: Setting) -> tuple[str, ...]:
        priced = all(provider.listed_price is not None for provider in setting.providers)
        if not self.policies:
            return tuple(name for name in POLICIES if priced or not POLICIES[name].needs_prices)
        for name in self.policies:
            (self.own_policies.get(name) or find_policy(name)).check(setting)
        return tuple(dict.fromkeys(self.policies))

    def warnings(self, name: str) -> tuple[str, ...]:
        """Return what is simulated otherwise than the setting of this name says, in sentences.

        Examples
        --------
        >>> from bounds.published import published
        >>> setting = published("gpqa-strong").setting
        >>> Campaign(setting, horizon=500, runs=2, seed=0, window=100, bidders="bayesian").warnings("gpqa-strong")
        ('γ = 0 does not cover the prior of bayesian bidders; the platform is widened by γ = 0.2631.',)
        """
        named = (setting for setting in self._settings if setting.name == name)
        told = (widening(setting, self.bidders, keep_gamma=self.keep_gamma) for setting in named)
        return tuple(filter(None, told))

    def identity(self) -> dict[str, Any]:
        """Return plain data that decide every result; more runs or policies of a campaign are the same campaign."""
        settings = {part.setting.name: part.identity() for part in self.parts}
        return {"settings": settings, "seed": self.seed, "bidders": self.bidders}


def _of_setting(argument: str, given: int | Mapping[str, int], setting: Setting, least: int) -> int:
    value = given.get(setting.name) if isinstance(given, Mapping) else given
    return whole_number(argument, value, f"it is that of {setting.name}", least=least)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
