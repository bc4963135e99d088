"""The names of policies, and what each does, a table, `policies.csv`; nothing else is loaded to say them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: The name of the paper's mechanism: the policy that auctions, bounds and payments are about.
PLATFORM = "platform"

_ROWS = tuple(csv.reader(Path(__file__).with_name("policies.csv").read_text(encoding="utf-8").splitlines()[1:]))
#: What each policy does with a query, those of the paper first.
POLICY_MEANINGS: Mapping[str, str] = MappingProxyType({name: meaning for name, _, meaning in _ROWS})
#: What the figures and the paper call each of its policies.
POLICY_TITLES: Mapping[str, str] = MappingProxyType({name: title for name, title, _ in _ROWS if title})
#: The policies of the paper, and all of ours.
PAPER_POLICY_NAMES, POLICY_NAMES = tuple(POLICY_TITLES), tuple(POLICY_MEANINGS)
