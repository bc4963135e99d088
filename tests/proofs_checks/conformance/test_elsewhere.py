"""A mechanism in other processes: sets in another order, and clocks that leap between its calls."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.conformance.checks.elsewhere import compare_elsewhere
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.suite import check_mechanism

pytestmark = pytest.mark.usefixtures("little_shrinking")


class DrawsBySetOrder(Plain):
    """Draws from a set of names, whose order is another one in the next process."""

    def _draw(self, among: Sequence[int]) -> int:
        names = list({f"model-{i}" for i in among})
        return int(super()._draw([int(name.removeprefix("model-")) for name in names]))


class BidsExpire(Plain):
    """Takes c_max for a bid that is more than a minute old."""

    def _prepare(self) -> None:
        self.since = [time.monotonic()] * self.n_providers

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        self.since[provider] = time.monotonic()

    def _adjusted_bid(self, provider: int) -> float:
        expired = time.monotonic() - self.since[provider] > 60
        return self.bound - self._cost_radius(provider) if expired else super()._adjusted_bid(provider)


#: A right mechanism; what a test puts in decides when a bid is forgotten, or draws otherwise.
ROUTER = """
{imports}
import numpy as np
from mechanism.randomness import squares64, uniform_index
from proofs_checks.conformance.mutants.plain import Plain


class Router(Plain):
    def _prepare(self):
        self.since = [{clock}] * self.n_providers

    def _take(self, provider, bid):
        super()._take(provider, bid)
        self.since[provider] = {clock}

    def _adjusted_bid(self, provider):
        if {expired}:
            return self.bound - self._cost_radius(provider)
        return super()._adjusted_bid(provider)

    def _draw(self, among):
        among = {among}
        return int(list(among)[uniform_index(squares64(self.draw_key, self.step), len(among))])
"""
OVER_A_MINUTE = "{clock} - self.since[provider] > 60"


@pytest.fixture
def compared(tmp_path: Path) -> Callable[..., Probe]:
    def compare(imports: str = "", clock: str = "0", expired: str = "False", among: str = "among") -> Probe:
        file = tmp_path / "router.py"
        file.write_text(ROUTER.format(imports=imports, clock=clock, expired=expired, among=among))
        with HostedSubject(f"{file}:Router") as subject:
            return compare_elsewhere(subject)

    return compare


@pytest.mark.long("four processes each")
@pytest.mark.parametrize(
    ("imports", "clock"),
    [
        ("import time", "time.time()"),
        ("from time import monotonic", "monotonic()"),
        ("import time", "time.monotonic_ns() / 1e9"),
        ("from datetime import datetime", "datetime.now().timestamp()"),
        ("from datetime import date", "86400 * date.today().toordinal()"),
    ],
)
def test_bids_that_expire_are_noticed(compared: Callable[..., Probe], imports: str, clock: str) -> None:
    failure = compared(imports, clock, OVER_A_MINUTE.format(clock=clock)).failure
    assert "if 100,000 s pass before each call" in failure.message
    assert failure.message.endswith("does it read a clock?")


@pytest.mark.long("four processes each")
@pytest.mark.parametrize(
    "router",
    [
        {},
        # A mechanism that reads a clock and decides nothing by it is right.
        {"imports": "import time", "clock": "time.time()", "expired": "(time.time(), self.since) is None"},
        # Time stands still within a call: no deadline of a single one is missed.
        {"imports": "import asyncio", "expired": "asyncio.run(asyncio.wait_for(asyncio.sleep(0, False), 5))"},
        {
            "imports": "from concurrent.futures import ThreadPoolExecutor",
            "expired": "next(ThreadPoolExecutor(1).map(lambda it: False, [0], timeout=5))",
        },
        {
            "imports": "import copy, pickle\nfrom datetime import datetime, timedelta",
            "clock": "datetime.now()",
            "expired": "pickle.loads(pickle.dumps(self.since)) != copy.deepcopy(self.since)"
            " or not isinstance(self.since[0] + timedelta(1), datetime)",
        },
        {"among": "list(set(among))"},
        {"among": "[name[1:] for name in sorted({f'p{i}' for i in among})]"},
    ],
)
def test_right_ones_are_not_accused(compared: Callable[..., Probe], router: dict[str, str]) -> None:
    probe = compared(**router)
    assert (probe.compared, probe.failure) == (240, None)


@pytest.mark.long("four processes each")
@pytest.mark.parametrize(
    "among",
    [
        "[name[1:] for name in {f'p{i}' for i in among}]",
        "[int(name) for name in {b'%d' % i for i in among}]",
        "[name[2:] for name in frozenset(f'm-{i}' for i in among)]",
    ],
)
def test_draws_in_the_order_of_a_set_are_noticed(compared: Callable[..., Probe], among: str) -> None:
    failure = compared(among=among).failure
    assert "with PYTHONHASHSEED=1" in failure.message


@pytest.mark.long("runs scripts")
@pytest.mark.parametrize("mutant", [BidsExpire, DrawsBySetOrder])
def test_its_script_shows_it(tmp_path: Path, mutant: Any) -> None:
    report = check_mechanism(f"{mutant.__module__}:{mutant.__name__}", only="reproducible", effort=QUICK, explain=False)
    assert [check.status for check in report.checks] == ["failed"]
    file, found = tmp_path / "shows.py", f"from {mutant.__module__} import {mutant.__name__} as factory"
    assert found in report.checks[0].script
    for factory, code in ((found, 1), ("from mechanism.platform import reference_mechanism as factory", 0)):
        file.write_text(report.checks[0].script.replace(found, factory))
        assert subprocess.run([sys.executable, file], check=False, capture_output=True).returncode == code


def test_nothing_is_compared_without_a_name() -> None:
    factory: Any = lambda config, rng: BidsExpire(config, rng)  # noqa: E731 - a name of its own would lead to it
    assert check_mechanism(factory, only="reproducible", effort=QUICK, explain=False).conforms
