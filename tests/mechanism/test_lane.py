"""A lane of a GPU, compiled for this processor instead, plays the plain episode: same counts, same money."""

from __future__ import annotations
