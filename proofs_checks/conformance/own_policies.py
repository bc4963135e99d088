"""Mechanisms that a user names as MODULE:OBJECT, as policies beside those of the paper."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.policies import Policy
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.errors import MechanismError, Misbehaviour, Outside
from proofs_checks.conformance.play.subject import TIME_LIMIT, GuardedMechanism, Subject
from proofs_checks.conformance.play.time_limit import Stopwatch


@contextlib.contextmanager
def own_policies(names: Iterable[str], *, time_limit: float = TIME_LIMIT) -> Iterator[Mapping[str, Policy]]:
    """Load policies; within, each call of theirs is limited in time, and what they print goes to stderr.

    A policy is measured as a baseline is: costproof knows of no exploration, screening or auction in it.

    Parameters
    ----------
    names : iterable of str
        As `MODULE:OBJECT`; others, names of `mechanism.policies`, are left out.
    time_limit : float, optional
        Seconds that one call may take.

    Yields
    ------
    mapping of str to Policy
        By name. An episode under one raises a `MechanismError` if the mechanism fails, or does not give each provider
        one of the first N queries.

    Raises
    ------
    InputError
        A name leads to nothing that can be called.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting, name = published("gpqa-strong").setting, "mechanism.platform:reference_mechanism"
    >>> with own_policies([name, "lowest-price"]) as policies:
    ...     trace = simulate(setting, horizon=100, seed=0, policy=policies[name])
    >>> len(trace)
    100
    """
    own = [name for name in dict.fromkeys(names) if is_own(name)]
    if not own:
        yield {}
        return
    stopwatch = Stopwatch(time_limit)
    with contextlib.redirect_stdout(sys.stderr), stopwatch.watching():
        yield {name: _own_policy(name, stopwatch) for name in own}


def is_own(name: str) -> bool:
    """Return whether a name of a policy has the form MODULE:OBJECT.

    Examples
    --------
    >>> is_own("router.py:make_router"), is_own("lowest-price")
    (True, False)
    """
    return ":" in name


def _own_policy(name: str, stopwatch: Stopwatch) -> Policy:
    try:
        factory = load_factory(name)
    except InputError as error:
        raise error.about("policies") from error
    subject = Subject(factory, name, stopwatch)

    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> _OwnMechanism:
        try:
            mechanism = subject.made(MechanismConfig.of(setting), rng, invoices=True)
        except MechanismError as error:
            raise MechanismError(error.kind, f"{name}: {error.message}") from error
        return _OwnMechanism(name, mechanism, [provider.name for provider in setting.providers])

    return Policy(make, screens=False, auctions=False)


class _OwnMechanism:
    """A mechanism that must give each provider one of the first N queries: the bids of others would be unknown.

    Its errors begin with its name, since several may play.
    """

    def __init__(self, name: str, mechanism: GuardedMechanism, providers: list[str]) -> None:
        self._name, self._mechanism, self._providers = name, mechanism, providers
        self._due = set(range(len(providers)))

    def assign(self) -> tuple[int, float]:
        """Return the mechanism's answer."""
        try:
            provider, payment = self._mechanism.assign()
        except MechanismError as error:
            raise self._named(error.kind, error.message) from error
        if self._due:
            if provider not in self._due:
                twice = f"its first {len(self._providers)} queries serve {self._providers[provider]} twice"
                raise self._named("no such provider", f"{twice}: each provider is due one")
            self._due.remove(provider)
        return provider, payment

    def invoice(self, amount: float, query: int | None = None) -> None:
        """Tell what was paid for a query whose payment was left open."""
        try:
            self._mechanism.invoice(amount, query)
        except MechanismError as error:
            raise self._named(error.kind, error.message) from error

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Hand over what came of a query."""
        try:
            self._mechanism.settle(score, bid, query)
        except MechanismError as error:
            raise self._named(error.kind, error.message) from error

    def _named(self, kind: Misbehaviour | Outside, message: str) -> MechanismError:
        return MechanismError(kind, f"{self._name}: {message}")
