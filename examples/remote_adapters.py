"""Adapters for a router behind HTTP, and for one whose methods are coroutines. Copy one and change what is yours.

``costproof check remote_adapters.py:HttpRouter`` checks what answers at ROUTER_URL.
"""

from __future__ import annotations

import asyncio
import json
import os
import urllib.request
from typing import Any, ClassVar

import numpy as np


class HttpRouter:
    """A router that POST /routers makes; it answers /routers/ID/assign and /routers/ID/settle in JSON."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self._path = "/routers"
        self._path += f"/{self._post('', seed=int(rng.integers(2**53)), **vars(config))}"

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query, and what the user pays."""
        provider, payment = self._post("/assign")
        return provider, payment

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""
        self._post("/settle", score=score, bid=bid)

    def _post(self, path: str, **data: Any) -> Any:
        url = os.environ.get("ROUTER_URL", "http://127.0.0.1:8000") + self._path + path
        with urllib.request.urlopen(url, json.dumps(data).encode(), timeout=60) as response:
            return json.load(response)


class AwaitedRouter:
    """A router with ``async def assign`` and ``settle``, which ``make(config, rng)`` returns, in an event loop."""

    make: ClassVar[Any]
    #: One for all instances; it stops between the calls.
    _loop: ClassVar[asyncio.Runner] = asyncio.Runner()

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self._router = type(self).make(config, rng)

    def assign(self) -> Any:
        """Return who serves the next query, and what the user pays."""
        return self._loop.run(self._router.assign())

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""
        self._loop.run(self._router.settle(score, bid))
