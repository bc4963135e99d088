"""What is wrong in the gallery, with the claims that must refute it and those that must not."""

from dataclasses import dataclass

from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import EDGE, STAGES, play
from tests.tabled import rows_of

CHECKED = {label: claim for label, claim in all_claims().items() if claim.checks}


#: Claims that no log can refute, and why; `test_power` shows that their comparisons work.
UNREFUTABLE = {
    "eq:quality-estimate": "compares the replay with exact fractions, not the platform",
    "eq:truthful-strategy": "compared only where the origin declares truthful bidders (see test_checks_by_hand)",
    "lem:one-step": "about the rules, which the counterfactuals apply themselves (see test_counterfactual)",
    "claim:robust-equilibrium": "about the rules, as lem:one-step",
    "lem:radius-sum": "true of every sequence of selections",
    "lem:unqualified-exclusion": "follows from the good event, whatever the platform does",
    "lem:selection-counting": "true of every log whose first N steps serve every provider once",
    **dict.fromkeys(
        [
            "lem:qualified-eligibility",
            "lem:adjusted-bid-bounds",
            "lem:bayesian-cost-concentration",
            "lem:deviation-adjusted-bid-bounds",
        ],
        "follows from the good event where every provider has served once",
    ),
}


@dataclass(frozen=True)
class Broken:
    """A broken platform on a stage, the claims it must refute, and those it must not."""

    mechanism: str
    stage: str
    refutes: set[str]
    spares: set[str]

    def __str__(self) -> str:
        return f"{self.mechanism}-{self.stage}"

    def case(self) -> Case:
        return play(BROKEN_PLATFORMS[self.mechanism], {**STAGES, "edge": EDGE}[self.stage])


@dataclass(frozen=True)
class Tampered:
    """A log that was tampered with, the claims it must refute, and those it must not."""

    name: str
    log: str
    tampering: logs.Tampering
    refutes: set[str]
    spares: set[str]

    def __str__(self) -> str:
        return f"{self.name}-{self.log}"

    def case(self) -> Case:
        return logs.tampered(self.log, self.tampering)


_SETS = {name: set(labels.split()) for name, labels in rows_of(__file__, "sets_of_claims.csv")}
#: What follows from the rules: none is refuted where initialization, which it assumes, skips a provider.
_SETS["FOLLOWING"] = {label for label in CHECKED if label.split(":")[0] not in ("alg", "eq", "asmp")}
_PAY = {"PAY_ALL": logs.auctions_pay(1.0), "PAY_NOTHING": logs.auctions_pay(0.0)}


def _claims(words: str) -> set[str]:
    """Return the claims of labels, and of names of sets of them."""
    return set().union(*(_SETS.get(word, {word}) for word in words.split()))


GALLERY = [
    Broken(name, stage, _claims(refutes), _claims(spares))
    for name, stage, refutes, spares in rows_of(__file__, "broken.csv")
]
LOGS = [
    Tampered(name, log, _PAY.get(how) or getattr(logs, how), _claims(refutes), _claims(spares))
    for name, log, how, refutes, spares in rows_of(__file__, "tampered.csv")
]


def judged(case: Case) -> dict[str, Evidence]:
    """What every claim says about a case."""
    return {label: claim.check(case) for label, claim in CHECKED.items()}
