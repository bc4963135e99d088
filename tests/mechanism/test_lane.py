"""A lane of a GPU, compiled for this processor instead, plays the plain episode: same counts, same money."""

from __future__ import annotations

from collections.abc import Sequence

import numba as nb
import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings

from mechanism.compiled import lane
from mechanism.compiled.layout import Keys, Totals
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import POLICIES
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences
