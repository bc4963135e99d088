"""The tightest case of each part of each claim, as a run of `verify` on the paper's settings found it.

``costproof verify --json > report.json && python -m proofs_checks.handbook.tightest report.json`` stores it anew. A
build of the documentation reads what is stored: the run takes minutes.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from proofs_checks.verdict import Verdict

STORED = Path(__file__).with_name("tightest.json")
#: Which verdict of several a part has: what was found wanting comes before what was not looked at.
_STRONGEST = (Verdict.REFUTED, Verdict.NOT_REFUTED, Verdict.EXACT)
#: Where a case was found that belongs to no setting.
_INSTANCES = "steered instances"


@dataclass(frozen=True, kw_only=True)
class TightestCase:
    """How near a part of a claim came to its bound.

    Parameters
    ----------
    part : str
        Its name.
    verdict : str
        On what was run: `REFUTED` if anything violates it, else `NOT_REFUTED` if it was compared at all.
    compared : int
        Comparisons over all settings and instances.
    ratio : float or None
        The largest left over right side; None where no comparison has one.
    found_on : str
        The setting, or the small instances, on which the ratio was found; empty without one.
    step : int or None
        Where in that run, if the report names it for this part.
    """

    part: str
    verdict: str
    compared: int
    ratio: float | None
    found_on: str
    step: int | None


@functools.cache
def tightest_cases() -> Mapping[str, tuple[TightestCase, ...]]:
    """Return the stored cases by the label of their claim.

    Examples
    --------
    >>> [round(case.ratio, 3) for case in tightest_cases()["thm:regret"]]
    [0.918]
    """
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    return {label: tuple(TightestCase(**case) for case in cases) for label, cases in stored["claims"].items()}


def cases_of(report: Mapping[str, Any]) -> Mapping[str, tuple[TightestCase, ...]]:
    """Return the tightest cases of what ``verify --json`` printed, by label."""
    evidence: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for claim in report["claims"]:
        found = [(claim["setting"] or _INSTANCES, each) for each in claim["evidence"] if each["parts"]]
        evidence.setdefault(claim["label"], []).extend(found)
    return {label: tuple(_cases(found)) for label, found in evidence.items() if found}


def _cases(evidence: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[TightestCase]:
    """Yield a case for each part that evidence of any setting has."""
    for name in dict.fromkeys(part["name"] for _, each in evidence for part in each["parts"]):
        places = [(place, each, part) for place, each in evidence for part in each["parts"] if part["name"] == name]
        verdicts = {part["verdict"] for _, _, part in places}
        tight = [(part["tightest_ratio"], place, each) for place, each, part in places if part["tightest_ratio"]]
        ratio, place, each = max(tight, key=lambda found: found[0], default=(None, "", {}))
        where = each.get("where") or {}
        yield TightestCase(
            part=name,
            verdict=next((one.value for one in _STRONGEST if one.value in verdicts), Verdict.SKIPPED.value),
            compared=sum(part["checked"] for _, _, part in places),
            ratio=ratio,
            found_on=place,
            step=where.get("step") if where.get("relation") == name else None,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Store the tightest cases of a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="what `costproof verify --json` printed")
    report = json.loads(parser.parse_args(arguments).report.read_text(encoding="utf-8"))
    stored = {
        "effort": report["effort"],
        "seed": report["seed"],
        "settings": [setting["name"] if isinstance(setting, dict) else setting for setting in report["settings"]],
        "claims": {label: list(map(asdict, cases)) for label, cases in cases_of(report).items()},
    }
    STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
