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
    subject = Subject(factory, name, stopwatch, prefix=f"{name}: ")

    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> GuardedMechanism:
        return subject.made(MechanismConfig.of(setting), rng, market=setting)

    return Policy(make, screens=False, auctions=False)
