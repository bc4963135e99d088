"""What a reader of the explorer can turn: the state of the page, read from outside with the rules of a setting file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from bounds.documents import INTERNAL, Document, key
from bounds.errors import InputError, did_you_mean, printable
from bounds.published import PUBLISHED_NAMES, published, published_as
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from bounds.setting.file import format_setting, parse_setting, setting_of_document
from bounds.setting.model import Setting
from mechanism.bidding import Prior, bids_are_covered, prepare_bidders, prior_of, widening
from mechanism.campaign.spec import Campaign, CampaignPart
from mechanism.policies import ALL_POLICIES, POLICIES, find_policy
from proofs_checks.explorer.metrics import METRICS

#: What one page asks of the machine at most; the command line has no such limits.
MOST_RUNS, MOST_PROVIDERS, LONGEST_HORIZON, MOST_STEPS = 200, 40, 1_000_000, 100_000_000
#: Steps that are simulated for one picture while a reader drags: the paper's 30 runs of 70,000 queries.
STEPS_WHILE_DRAGGING = 2_100_000
#: Steps that are simulated for each picture after it, until all runs are there: about half a second of work.
STEPS_AT_ONCE = 8_400_000
#: The views of the page, by name, and how they are called there.
VIEWS: Mapping[str, str] = {
    "market": "Market",
    "auction": "One step",
    "provider": "A provider",
    "guarantees": "Guarantees",
    "claims": "Claims",
    "export": "Export",
}
#: What can be chosen of bidders, without the numbers that `bayesian` and `biased` take, and what every provider bids.
BIDDERS: Mapping[str, str] = {
    "truthful": "the mean of its costs so far",
    "deviating": "up to d₋ below or d₊ above that mean",
    "bayesian": "a posterior mean, from a prior mean and as many observations as the prior is worth",
    "biased": "a share of c_max above or below that mean",
    "independent": "anything up to c_max",
}
_LARGEST_SEED = 2**64 - 1


@dataclass(frozen=True, kw_only=True)
class SimulatedMarket:
    """What is simulated: everything that decides a number of a run.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T, from N to `LONGEST_HORIZON` queries.
    runs : int
        From 1 to `MOST_RUNS`.
    seed : int
    policies : tuple of str
        Names of `mechanism.policies.POLICIES`, the paper's, at least one.
    bidders : str
        As `mechanism.bidding.prepare_bidders` takes them.
    keep_gamma : bool
        Whether gamma stays as it is where the prior of Bayesian bidders needs more.
    began : Setting or None
        The setting of the user's own file that the page began with, if there is one: another one of its name is a
        changed one. It decides no number.

    Raises
    ------
    InputError
        A value is out of range, a policy needs a listed price, or the whole is more than a page may ask for.

    Examples
    --------
    >>> market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=2)
    >>> market.part.window, market.prepared == market.setting
    (500, True)
    """

    setting: Setting = field(metadata=INTERNAL)
    horizon: int
    runs: int = 30
    seed: int = 0
    policies: tuple[str, ...] = ("platform",)
    bidders: str = "truthful"
    keep_gamma: bool = False
    began: Setting | None = field(default=None, compare=False, metadata=INTERNAL)

    def __post_init__(self) -> None:
        _whole("runs", self.runs, 1, MOST_RUNS, "it is the number of independent runs")
        _whole("seed", self.seed, 0, _LARGEST_SEED, "it is the seed of all randomness")
        check_horizon(self.setting, self.horizon)
        beyond = "for more, use costproof simulate"
        if self.setting.n_providers > MOST_PROVIDERS:
            raise InputError("provider", self.setting.n_providers, f"must be at most {MOST_PROVIDERS} here", beyond)
        if self.horizon > LONGEST_HORIZON:
            raise InputError("horizon", self.horizon, f"must not exceed {LONGEST_HORIZON:,} here", beyond)
        if not self.policies:
            raise InputError("policies", list(self.policies), "must name at least one policy", "choose platform")
        for policy in self.policies:
            if policy in ALL_POLICIES and policy not in POLICIES:
                remedy = f"use costproof compare platform {policy}"
                raise InputError("policies", policy, "is not one of the paper's policies", remedy)
            find_policy(policy).check(self.setting)
        steps = self.horizon * self.runs * len(self.policies)
        if steps > MOST_STEPS:
            rule = f"times runs and policies makes {steps:,} steps, more than {MOST_STEPS:,}"
            raise InputError("horizon", self.horizon, rule, f"ask for fewer runs; {beyond}")
        if not isinstance(self.keep_gamma, bool):
            raise InputError("keep_gamma", self.keep_gamma, "must be true or false", "it is a switch of the page")
        if not isinstance(self.bidders, str):
            raise InputError("bidders", self.bidders, "must be a name", f"as one of {', '.join(BIDDERS)}")
        prepare_bidders(self.setting, self.bidders)

    @cached_property
    def prepared(self) -> Setting:
        """The setting with the slack that its bidders need, for which the bounds are stated."""
        return prepare_bidders(self.setting, self.bidders, keep_gamma=self.keep_gamma)[0]

    @cached_property
    def covered(self) -> bool:
        """Whether gamma, d_- and d_+ allow for these bids: else only what holds for any bids is promised."""
        return bids_are_covered(self.prepared, self.bidders)

    @property
    def widening(self) -> str:
        """What is done about a gamma that does not cover the bidders' prior, in a sentence; empty where it does."""
        return widening(self.setting, self.bidders, keep_gamma=self.keep_gamma)

    @property
    def exported(self) -> Setting:
        """The prepared setting under a name of its own where it is not the paper's: what a reader takes away."""
        return replace(self.prepared, name=name_shown(self.prepared, self.began))

    @property
    def window(self) -> int:
        """K, the queries of moving averages."""
        return default_window(self.setting, self.horizon)

    @property
    def part(self) -> CampaignPart:
        """The only part of the campaign that simulates it: the same that `costproof simulate` runs."""
        campaign = Campaign(
            self.setting,
            horizon=self.horizon,
            runs=self.runs,
            seed=self.seed,
            window=self.window,
            policies=self.policies,
            bidders=self.bidders,
            keep_gamma=self.keep_gamma,
        )
        return campaign.parts[0]

    def stages(self) -> tuple[SimulatedMarket, ...]:
        """Return the market with more and more of its runs: as many as can be drawn while a slider moves, then all.

        Examples
        --------
        >>> setting = published("gpqa-strong").setting
        >>> [stage.runs for stage in SimulatedMarket(setting=setting, horizon=700_000).stages()]
        [3, 15, 27, 30]
        """
        steps = self.horizon * len(self.policies)
        first, more = (max(1, at_once // steps) for at_once in (STEPS_WHILE_DRAGGING, STEPS_AT_ONCE))
        return tuple(replace(self, runs=runs) for runs in (*range(first, self.runs, more), self.runs))

    def at_stage(self, number: Any) -> SimulatedMarket:
        """Return one of the `stages`, counted from 1, or the whole market where that stage does not exist.

        Examples
        --------
        >>> market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=700_000)
        >>> market.at_stage(2).runs, market.at_stage(None).runs, market.at_stage(99).runs
        (15, 30, 30)
        """
        stages = self.stages()
        known = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(stages)
        return stages[number - 1] if known else self


@dataclass(frozen=True, kw_only=True)
class Focus:
    """What of the market is looked at.

    Parameters
    ----------
    view : str
        A key of `VIEWS`.
    metric : str
        A key of `proofs_checks.explorer.metrics.METRICS`.
    run : int
        Which run is looked at step by step, from 0.
    step : int
        Which of its steps, from 1.
    provider : int
        Whose alternatives are looked at, 0-based.
    bid : float or None
        What that provider might have bid instead at the step; None for what it did bid.
    """

    view: str = "market"
    metric: str = "quality_regret"
    run: int = 0
    step: int = 1
    provider: int = 0
    bid: float | None = None


@dataclass(frozen=True, kw_only=True)
class PageState(Document):
    """The state of all controls of the page.

    Parameters
    ----------
    market : SimulatedMarket
    focus : Focus

    Raises
    ------
    InputError
        The focus is on something that the market does not have.
    """

    market: SimulatedMarket
    focus: Focus = field(default_factory=Focus)

    def __post_init__(self) -> None:
        market, focus = self.market, self.focus
        _one_of("view", focus.view, VIEWS)
        _one_of("metric", focus.metric, METRICS)
        _whole("run", focus.run, 0, market.runs - 1, "runs are counted from 0")
        _whole("step", focus.step, 1, market.horizon, "steps are counted from 1 to the horizon")
        _whole("provider", focus.provider, 0, market.setting.n_providers - 1, "providers are counted from 0")
        bound, bid = market.setting.platform.cost_bound, focus.bid
        if bid is not None and not (isinstance(bid, int | float) and 0 <= bid <= bound):
            raise InputError("bid", bid, f"must lie in [0, {bound!r}]", "it is an alternative bid, money per query")

    @classmethod
    def of(cls, setting: Setting, horizon: int | None = None) -> PageState:
        """Return where the page of a setting begins: a horizon, by default the paper's, its runs, and a late auction.

        Examples
        --------
        >>> state = PageState.of(published("gpqa-strong").setting)
        >>> state.market.horizon, state.focus.step
        (70000, 70000)
        """
        provider = 0 if setting.optimal is None else setting.optimal
        horizon = default_horizon(setting) if horizon is None else horizon
        return cls(
            market=SimulatedMarket(setting=setting, horizon=horizon), focus=Focus(step=horizon, provider=provider)
        )

    @key
    def setting(self) -> Setting:
        """The setting of the market."""
        return self.market.setting

    @classmethod
    def from_data(cls, data: Any) -> PageState:
        """Return the state that plain data describe; anything wrong with them is one error of one line.

        Parameters
        ----------
        data : mapping
            ``setting``: the keys of a setting file and ``name``; ``market`` and ``focus``: the fields of
            `SimulatedMarket` and `Focus`. What is left out has its default.

        Raises
        ------
        InputError
            A key is unknown, or a value breaks a rule.

        Examples
        --------
        >>> state = PageState.of(published("gpqa-strong").setting)
        >>> PageState.from_data(state.to_data()) == state
        True
        """
        tables = _table("state", data, ("setting", "market", "focus"))
        document = dict(_table("setting", tables.get("setting"), ("name", "platform", "pricing", "provider")))
        market = dict(_table("market", tables.get("market", {}), _MARKET_KEYS))
        setting = _setting(document, document.pop("name", "setting"))
        market |= {"bidders": _shortest(market["bidders"])} if "bidders" in market else {}
        focus = _table("focus", tables.get("focus", {}), _FOCUS_KEYS)
        start = cls.of(setting)
        chosen = {**market, "policies": _names(market.get("policies", start.market.policies))}
        turned = replace(start.market, **chosen)
        return cls(market=turned, focus=replace(start.focus, **{"step": turned.horizon, **focus}))

    def to_query(self) -> str:
        """Return the state as the query string of a link, which `from_query` reads.

        Examples
        --------
        >>> PageState.of(published("gpqa-strong").setting).to_query()
        'setting=gpqa-strong'
        """
        setting = self.market.setting
        told: dict[str, Any] = (
            {"setting": setting.name}
            if published_as(setting)
            else {"name": setting.name, "toml": format_setting(setting, comments=False)}
        )
        start = PageState.of(setting)
        usual = replace(start.focus, step=self.market.horizon)
        for names, group, first in ((_MARKET_KEYS, self.market, start.market), (_FOCUS_KEYS, self.focus, usual)):
            values = {name: getattr(group, name) for name in names}
            told |= {name: _told(value) for name, value in values.items() if value != getattr(first, name)}
        return urlencode(told)

    @classmethod
    def from_query(cls, query: str, otherwise: Setting) -> PageState:
        """Return the state that a link's query string describes.

        Parameters
        ----------
        query : str
            Without the question mark; empty for the start.
        otherwise : Setting
            The setting where the query names none.

        Raises
        ------
        InputError
            As for `from_data`; or a key is given twice, the setting is unknown, or the text is not a setting file.

        Examples
        --------
        >>> setting = published("gpqa-strong").setting
        >>> PageState.from_query("runs=10&horizon=1000", setting).market.runs
        10
        """
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            rule = f"has more than {_MOST_FIELDS} fields"
            raise InputError("link", printable(query, 40), rule, "copy it from the explorer") from None
        given = _once(pairs, ("setting", "name", "toml", *_MARKET_KEYS, *_FOCUS_KEYS))
        setting = _linked_setting(given, otherwise)
        market = {key: _read(key, given[key]) for key in _MARKET_KEYS if key in given}
        focus = {key: _read(key, given[key]) for key in _FOCUS_KEYS if key in given}
        return cls.from_data({"setting": setting.point.to_data(), "market": market, "focus": focus})


def name_shown(setting: Setting, began: Setting | None = None) -> str:
    """Return a setting's name; where it is a built-in one or that of the user's file, changed, the name says so.

    Parameters
    ----------
    setting : Setting
    began : Setting, optional
        The setting of the user's file.

    Examples
    --------
    >>> setting = published("gpqa-strong").setting
    >>> name_shown(setting), name_shown(replace(setting, platform=replace(setting.platform, confidence=0.1)))
    ('gpqa-strong', 'gpqa-strong, changed')
    >>> mine = replace(setting, name="mine")
    >>> name_shown(mine, mine), name_shown(replace(mine, providers=mine.providers[1:]), mine)
    ('mine', 'mine, changed')
    """
    own = began is not None and setting.name == began.name
    as_given = published_as(setting) is not None or (began is not None and setting.to_data() == began.to_data())
    changed = (own or setting.name in PUBLISHED_NAMES) and not as_given
    return f"{setting.name}, changed" if changed else setting.name


#: How a link writes a switch.
_ON = {"yes": True, "no": False}
_MARKET_KEYS = tuple(each.name for each in fields(SimulatedMarket) if not each.metadata)
_FOCUS_KEYS = tuple(each.name for each in fields(Focus))
_MOST_FIELDS = 40


def _shortest(bidders: Any) -> Any:
    """Return the shorter name of bidders with the paper's prior; everything else as it is."""
    try:
        return "bayesian" if isinstance(bidders, str) and prior_of(bidders) == Prior() else bidders
    except InputError:  # which the market says
        return bidders


def _told(value: Any) -> Any:
    """Return what a link writes of a value."""
    if isinstance(value, bool):
        return next(word for word, on in _ON.items() if on is value)
    return ",".join(value) if isinstance(value, tuple) else value


_MAY_BE_EMPTY = ("listed_price", "cost_variation")


def _setting(document: dict[str, Any], name: Any) -> Setting:
    if not isinstance(name, str):
        raise InputError("name", name, "must be a string", "it is what reports call the setting")
    if not isinstance(document.get("platform"), Mapping):
        remedy = "it holds quality_threshold and the other parameters"
        raise InputError("platform", document.get("platform"), "must be a table", remedy)
    rows = document.get("provider")
    if isinstance(rows, list):  # these boxes alone may be empty
        document["provider"] = [
            {key: value for key, value in row.items() if key not in _MAY_BE_EMPTY or value is not None}
            if isinstance(row, dict)
            else row
            for row in rows
        ]
    return setting_of_document(document, name)


def _linked_setting(given: Mapping[str, str], otherwise: Setting) -> Setting:
    if "toml" in given:
        return parse_setting(given["toml"], given.get("name", "setting"))
    name = given.get("setting")
    if name is None:
        return otherwise
    if name not in PUBLISHED_NAMES:  # a link names no file: whoever wrote it would read this machine's
        remedy = did_you_mean(name, PUBLISHED_NAMES, f"the settings are {', '.join(PUBLISHED_NAMES)}")
        raise InputError("setting", name, "is not a built-in name", remedy)
    return published(name).setting


def _once(pairs: list[tuple[str, str]], known: tuple[str, ...]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            raise InputError(printable(name, 40), value, "is not a known key", did_you_mean(name, known, "remove it"))
        if name in given:
            raise InputError(name, value, "is given twice", "write it once")
        given[name] = value
    return given


def _read(key: str, text: str) -> Any:
    """Return what a link says of a key as plain data: a list of names, a text, or a number."""
    if key == "policies":
        return text.split(",")
    if key in ("bidders", "view", "metric"):
        return text
    if key == "keep_gamma":
        return _ON.get(text, text)
    try:
        return float(text) if key == "bid" else int(text)
    except ValueError:
        raise InputError(key, text, "must be a number", "write it in digits") from None


def _table(name: str, data: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise InputError(name, data, "must be a table", f"its keys are {', '.join(known)}")
    for each in data:
        if each not in known:
            remedy = did_you_mean(str(each), known, f"the keys are {', '.join(known)}")
            raise InputError(f"{name}.{printable(str(each), 40)}", data[each], "is not a known key", remedy)
    return data


def _names(policies: Any) -> tuple[str, ...]:
    if not isinstance(policies, list | tuple) or not all(isinstance(policy, str) for policy in policies):
        raise InputError("policies", policies, "must be a list of names", "as platform")
    return tuple(dict.fromkeys(policies))


def _whole(name: str, value: Any, least: int, most: int, meaning: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(name, value, f"must be a whole number in {least:,}..{most:,}", meaning)


def _one_of(name: str, value: Any, known: Mapping[str, Any]) -> None:
    if not isinstance(value, str) or value not in known:
        raise InputError(name, value, f"must be one of {', '.join(known)}", did_you_mean(value, known, "choose one"))
