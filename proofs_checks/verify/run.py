"""`verify`: episodes of the given settings, every claim on every trace, and what they say together."""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from bounds.errors import InputError
from bounds.published import published_as
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.versions import versions
from proofs_checks.claims.cases.variants import MARKET, VARIANTS, slacks
from proofs_checks.claims.implications import ContradictionError, forbid_contradictions
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, EvidenceKind, any_could_fail
from proofs_checks.claims.reach import Beside, with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.stated import notation_data, statement_data
from proofs_checks.proofs.evidence import CertificateEvidence, ProofsLookedAt, with_proofs
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import KernelRecord, kernel_facts, kernel_record
from proofs_checks.verdict import PROOFS, SILENT, Verdict, joint
from proofs_checks.verify.claim_verdicts import (
    counted_in_words,
    finding_shown_on,
    in_words,
    keep_computed,
    paper_and_ours,
    verdict_of_claim,
)
from proofs_checks.verify.episodes import DEFAULT, Effort, Episode, TaskResults, carry_out, planned
from proofs_checks.verify.false_alarms import false_alarms
from proofs_checks.verify.guarantees import guarantees_data


@dataclass(frozen=True, kw_only=True)
class ClaimResult:
    """What is known about one claim on one setting, or on none in particular (`setting` is None)."""

    label: str
    setting: str | None
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    #: Whether anything was looked at before an interruption.
    reached: bool = True

    @property
    def stated(self) -> Claim:
        """The claim."""
        return claim(self.label)

    @property
    def number(self) -> str | None:
        """The claim's number in the paper's PDF, if it has one."""
        return self.stated.number

    @property
    def name(self) -> str:
        """The claim's short name."""
        return self.stated.name

    @property
    def counts_as_refuted(self) -> bool:
        """Whether the claim is refuted as news, see `Claim.is_refuted_by`."""
        return self.stated.is_refuted_by(self.verdict)

    @property
    def checked(self) -> int:
        """How many comparisons were made; the theorems of a proof are none."""
        return sum(piece.checked for piece in self.evidence if piece.kind != "certificate")

    @property
    def violations(self) -> int:
        """How many of them failed."""
        return sum(piece.violations for piece in self.evidence)

    @property
    def tightest_ratio(self) -> float | None:
        """The largest ratio of what the statement is cited for; None where that was not compared."""
        return _largest(p.tightest_ratio for p in self.evidence if p.compared)

    @property
    def could_fail(self) -> bool | None:
        """Whether a comparison of its runs could have found a violation; None where that is not known."""
        if self.verdict is not Verdict.NOT_REFUTED:
            return None
        return next((piece.could_fail for piece in self.evidence if piece.kind == "simulation"), None)

    @property
    def could_fail_unknown(self) -> str | None:
        """Why `could_fail` is None, in words; None where it is not."""
        if self.could_fail is not None:
            return None
        told = [piece.could_fail_unknown for piece in self.evidence if piece.kind == "simulation"]
        if not told:
            return "no run of a setting is behind this row"
        return told[0] or f"the verdict here is {self.verdict.value}, which is not what runs say"

    @property
    def shows_finding(self) -> bool:
        """Whether a documented finding about the wording shows itself in this result."""
        stated = self.stated
        return bool(stated.finding) and self.verdict in (Verdict.REFUTED, Verdict.VACUOUS)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        stated = self.stated
        return {
            "label": self.label,
            "number": self.number,
            "name": self.name,
            "kind": stated.kind,
            "setting": self.setting,
            "verdict": self.verdict.value,
            "statement": stated.wording,
            "latex": list(_latex(self.label)),
            "assumptions": [p.name for p in stated.assumptions],
            "documented_finding": stated.finding or None,
            "finding_shown": self.shows_finding,
            "stronger_reading": stated.stronger_reading,
            "repaired_by": stated.repaired_by or None,
            "note": stated.note or None,
            "compared_as": stated.compared_as or None,
            "could_fail": self.could_fail,
            "could_fail_unknown": self.could_fail_unknown,
            "tightest_ratio": self.tightest_ratio,
            "evidence": [evidence.to_data() for evidence in self.evidence],
        }


class ClaimRow(NamedTuple):
    """A claim in the table of claims: its own verdict, and what the settings that were asked for say about it."""

    label: str
    number: str | None
    name: str
    verdict_of_claim: Verdict
    #: None if it was not put to any of these settings.
    verdict_here: Verdict | None
    #: How many of them have that verdict.
    settings_alike: int
    checked: int
    tightest_ratio: float | None
    #: Whether a comparison on these settings could have found a violation; None where that is not known.
    could_fail: bool | None
    #: On how many of the settings with that verdict no comparison could have.
    settings_idle: int
    #: Label of the claim that is compared in its place, where that says less.
    compared_as: str | None


class TestedHere(NamedTuple):
    """How many of the claims could be tested on the settings that were asked for."""

    claims: int
    tested: int
    #: Of the tested: those refuted as a documented finding says, and those that could not fail here.
    known_to_be_false: int
    could_not_fail: int
    #: Of the others: those that could not be tested on these settings, those that depend on no setting, and those to
    #: which an interruption did not let it come.
    not_tested: int
    on_no_setting: int
    not_reached: int


@dataclass(frozen=True, kw_only=True)
class VerifyReport(HasSheet):
    """The table of claims with everything needed to do it again."""

    settings: tuple[str, ...]
    seed: int
    effort: Effort
    results: tuple[ClaimResult, ...]
    ran: dict[str, int]
    slacks: dict[str, dict[str, dict[str, float]]]
    built_in: tuple[str, ...] = ()
    #: Labels of the claims that were asked for by name; none where all were.
    asked: tuple[str, ...] = ()
    false_alarms: dict[str, Any] = field(default_factory=dict)
    #: What is guaranteed of each setting; see `proofs_checks.verify.guarantees`.
    guarantees: tuple[dict[str, Any], ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items() if count)
        return f"VerifyReport({', '.join(self.settings) or 'no setting'}: {counts}; {len(self.refuted)} refuted)"

    @property
    def interrupted(self) -> bool:
        """Whether an interruption cut the episodes short; the results are those of the finished ones."""
        return self.ran["tasks_done"] < self.ran["tasks"]

    @property
    def lacks_proofs(self) -> bool:
        """Whether an interruption came before the proofs were done: no claim is shown as proved then."""
        pieces = [piece for result in self.results for piece in result.evidence]
        return self.interrupted and not any(piece.kind == "certificate" for piece in pieces)

    @property
    def refuted(self) -> tuple[ClaimResult, ...]:
        """Results that refute a claim and are no documented finding."""
        return tuple(result for result in self.results if result.counts_as_refuted)

    @property
    def by_claim(self) -> tuple[tuple[ClaimResult, ...], ...]:
        """The results of each claim, in the order of the claims."""
        labels = dict.fromkeys(result.label for result in self.results)
        return tuple(tuple(result for result in self.results if result.label == label) for label in labels)

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many results have each verdict."""
        found = Counter(result.verdict for result in self.results)
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def tightest_ratios(self) -> dict[str, dict[str, float]]:
        """The largest ratio of realised over bound, by setting and label, where something was compared."""
        found: dict[str, dict[str, float]] = {}
        for result in self.results:
            if result.setting is not None and result.tightest_ratio is not None:
                found.setdefault(result.setting, {})[result.label] = result.tightest_ratio
        return found

    def claim_verdict(self, label: str) -> Verdict:
        """Return the verdict on a claim itself, whichever settings were asked for.

        What is refuted as news is REFUTED; else a documented finding about its wording tells, then its proof, then
        what else it was put to: `NOT_REFUTED` is tested, `EXACT` computed for each setting. `SKIPPED` if an
        interruption came before its proof was looked at.
        """
        rows = [result for result in self.results if result.label == label]
        if any(row.counts_as_refuted for row in rows):
            return Verdict.REFUTED
        proof = next((piece.verdict for row in rows for piece in row.evidence if piece.kind == "certificate"), None)
        if proof is None and self._is_cut_off(rows):
            return Verdict.SKIPPED
        return verdict_of_claim(claim(label), proof)

    def _is_cut_off(self, rows: Sequence[ClaimResult]) -> bool:
        """Whether an interruption came before the proof of a claim, or before everything else that is known of it."""
        if not self.interrupted or any(piece.kind == "certificate" for row in rows for piece in row.evidence):
            return False
        unseen = not any(row.reached for row in rows) and not rows[0].stated.finding
        return unseen or bool(with_proofs([rows[0].label]))

    def verdict_here(self, label: str) -> Verdict | None:
        """Return what the settings that were asked for say about a claim, None if it was not put to any."""
        here = [result.verdict for result in self.results if result.label == label and result.setting is not None]
        # Where nothing was compared does not count beside where something was.
        return joint([verdict for verdict in here if verdict not in SILENT] or here) if here else None

    @property
    def claim_rows(self) -> tuple[ClaimRow, ...]:
        """The table of claims, in their order."""
        return tuple(self._claim_row(results[0].stated, results) for results in self.by_claim)

    def _claim_row(self, stated: Claim, results: Sequence[ClaimResult]) -> ClaimRow:
        here, verdict = [row for row in results if row.setting is not None], self.verdict_here(stated.label)
        return ClaimRow(
            label=stated.label,
            number=stated.number,
            name=stated.name,
            verdict_of_claim=self.claim_verdict(stated.label),
            verdict_here=verdict,
            settings_alike=sum(row.verdict is verdict for row in here),
            checked=sum(row.checked for row in here),
            tightest_ratio=_largest(row.tightest_ratio for row in here),
            could_fail=any_could_fail([row.could_fail for row in here if row.verdict is verdict]),
            settings_idle=sum(row.could_fail is False for row in here if row.verdict is verdict),
            compared_as=stated.compared_as or None,
        )

    @property
    def tested_here(self) -> TestedHere:
        """How many claims could be tested on the settings that were asked for."""
        cut_off = {rows[0].label for rows in self.by_claim if _reached_nowhere(rows)}
        rows = [row for row in self.claim_rows if row.label not in cut_off]
        here = Counter(row.verdict_here for row in rows)
        news = {row.label for row in self.refuted if row.setting is not None}
        silent, anywhere = sum(here[verdict] for verdict in SILENT), here[None]
        return TestedHere(
            claims=len(rows) + len(cut_off),
            tested=len(rows) - silent - anywhere,
            known_to_be_false=here[Verdict.REFUTED] - len(news),
            could_not_fail=sum(row.could_fail is False for row in rows),
            not_tested=silent,
            on_no_setting=anywhere,
            not_reached=len(cut_off),
        )

    def sheet(self) -> Sheet:
        """Return a row for every claim: its own verdict, and what the settings that were asked for say about it."""
        rows = [row._asdict() for row in self.claim_rows]
        return Sheet.of(f"Claims on {self._place}", ClaimRow._fields, rows, key="label")

    def sheet_by_setting(self) -> Sheet:
        """Return a row for every claim and setting, and one without a setting for what holds anywhere."""
        columns = ("label", "number", "name", "setting", "verdict", "checked", "violations", "tightest_ratio")
        rows = ({name: getattr(row, name) for name in columns} for each in self.by_claim for row in each)
        return Sheet.of(f"Claims by setting, on {self._place}", columns, rows)

    @property
    def _place(self) -> str:
        interrupted = ", interrupted" if self.interrupted else ""
        return f"{', '.join(self.settings) or 'no setting'} (seed {self.seed}{interrupted})"

    @property
    def own_verdicts(self) -> dict[str, Verdict]:
        """The claims' own verdicts by label; see `claim_verdict`."""
        return {stated.label: self.claim_verdict(stated.label) for stated in self._claims}

    @property
    def known_in_words(self) -> str:
        """What is known of the claims in general, in sentences: of the paper's numbered statements and of all."""
        verdicts = self.own_verdicts
        cut_off = {rows[0].label for rows in self.by_claim if self._is_cut_off(rows)}
        if not self.asked:
            return paper_and_ours(self._claims, verdicts, cut_off)
        said = [in_words(each, verdicts[each.label], reached=each.label not in cut_off) for each in self._claims]
        if len(said) == 1:
            return f"In general, the claim is {said[0]}."
        return f"In general, the {counted(len(said), 'claim')} are: {counted_in_words(said)}."

    @property
    def counts_of_claims(self) -> dict[Verdict, int]:
        """How many claims have each verdict of their own; see `claim_verdict`."""
        found = Counter(self.claim_verdict(rows[0].label) for rows in self.by_claim)
        return {verdict: found[verdict] for verdict in Verdict}

    def _claim_data(self, rows: Sequence[ClaimResult]) -> list[dict[str, Any]]:
        of_claim = {
            "verdict_of_claim": self.claim_verdict(rows[0].label).value,
            "finding_shown_on": list(finding_shown_on(rows[0].label)),
            "could_fail_on_settings": self._claim_row(rows[0].stated, rows).could_fail,
            **kernel_facts(self.kernel_of(rows[0].label)),
        }
        return [row.to_data() | of_claim for row in rows]

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        return {
            "settings": list(self.settings),
            "built_in": list(self.built_in),
            "asked": list(self.asked),
            "guarantees": list(self.guarantees),
            "seed": self.seed,
            "interrupted": self.interrupted,
            "versions": versions(),
            "effort": vars(self.effort),
            "claims": [data for rows in self.by_claim for data in self._claim_data(rows)],
            "counts": {verdict.value: count for verdict, count in self.counts.items()},
            "known_in_words": self.known_in_words,
            "counts_of_claims": {verdict.value: count for verdict, count in self.counts_of_claims.items()},
            "tested_here": self.tested_here._asdict(),
            "ran": self.ran,
            "proofs": self.proofs.to_data(),
            "seconds": self.seconds,
            "false_alarms": self.false_alarms,
            "slacks": self.slacks,
            "statements": {each.label: statement_data(each) for each in self._claims},
            "notation": notation_data(self._claims),
        }

    @property
    def certificates(self) -> dict[str, CertificateEvidence]:
        """What the proofs say, by label."""
        return {result.label: piece for result, piece in self._certificates}

    def kernel_of(self, label: str) -> KernelRecord | None:
        """Return the theorem in Coq about a claim, as it was when the proofs were looked at; None if there is none."""
        piece = self.certificates.get(label)
        return kernel_record(label) if piece is None else piece.proof.record

    @property
    def proofs(self) -> ProofsLookedAt:
        """How many proofs were looked at, and how many do not count."""
        return ProofsLookedAt.of((result.verdict, piece) for result, piece in self._certificates)

    @property
    def _certificates(self) -> list[tuple[ClaimResult, CertificateEvidence]]:
        pieces = ((result, piece) for result in self.results for piece in result.evidence)
        return [(result, piece) for result, piece in pieces if isinstance(piece, CertificateEvidence)]

    @property
    def _claims(self) -> list[Claim]:
        return [rows[0].stated for rows in self.by_claim]


@functools.cache
def _latex(label: str) -> tuple[str, ...]:
    """Return the inequalities of a claim, which has a row for each setting."""
    return claim(label).latex()


def _reached_nowhere(rows: Sequence[ClaimResult]) -> bool:
    """Whether an interruption came before a claim was put to any of its settings."""
    here = [row for row in rows if row.setting is not None]
    return bool(here) and not any(row.reached for row in here)


def _largest(ratios: Iterable[float | None]) -> float | None:
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def verify(
    settings: Sequence[Setting],
    *,
    seed: int = 0,
    effort: Effort = DEFAULT,
    labels: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerifyReport:
    """Check every claim on every setting; arguments and result as of `costproof.verify`.

    Queries are independent here, as the theory assumes, also in the published settings, whose experiments draw
    questions without replacement. An inequality that several claims state is computed once on a trace, at every
    step it speaks of, and counted for each of them.
    """
    check_formulas()
    forbid_equal_names(settings)
    began = time.perf_counter()
    asked = tuple(dict.fromkeys(claim(label).label for label in labels))
    chosen = _chosen(asked)
    tasks = planned(settings, seed, effort, tuple(chosen))
    found = carry_out(tasks, jobs, progress)
    _keep_computed(found, settings)
    outcomes = found.episodes
    parameters = {"seed": seed, **vars(effort)}
    played = [(setting, [o for o in outcomes if o.setting == setting.name]) for setting in settings]
    steered = [outcome for outcome in outcomes if outcome.setting is None]
    rows = [
        _result(stated, setting, mine, parameters, found)
        for stated in chosen.values()
        for setting, mine in (*played, (None, steered))
    ]
    results = [result for result in rows if result is not None]
    if found.done < len(tasks):
        results = _with_cut_off(results, chosen.values(), [setting.name for setting in settings])
    _forbid_contradictions(outcomes, results)
    _forbid_refuted_proofs(results)
    ran = {
        "tasks": len(tasks),
        "tasks_done": found.done,
        "episodes": len(outcomes),
        "steps": sum(outcome.steps for outcome in outcomes),
        "claims": len(chosen),
        "variants": len(set(chosen) - set(asked)) if asked else 0,
        "results": len(results),
        "comparisons": sum(result.checked for result in results),
    }
    return VerifyReport(
        settings=tuple(s.name for s in settings),
        seed=seed,
        effort=effort,
        results=tuple(results),
        ran=ran,
        slacks={s.name: slacks(s) for s in settings},
        built_in=tuple(s.name for s in settings if published_as(s) is not None),
        asked=asked,
        false_alarms=false_alarms(chosen.values(), outcomes),
        guarantees=tuple(guarantees_data(setting, max(effort.horizon, setting.n_providers)) for setting in settings),
        seconds=round(max(0.0, time.perf_counter() - began), 3),
    )


def _keep_computed(found: TaskResults, settings: Sequence[Setting]) -> None:
    """Let what was computed of published settings, and of none, be known to who asks where a finding shows."""
    places = {None, *(setting.name for setting in settings if published_as(setting) is not None)}
    for each in found.computed:
        for label, piece in each.evidence.items():
            if piece is not None and each.setting in places:
                keep_computed(label, each.setting, piece)


def forbid_equal_names(settings: Sequence[Setting]) -> None:
    """Raise an InputError if two settings share a name: reports tell settings apart by name."""
    for name, count in Counter(setting.name for setting in settings).items():
        if count > 1:
            raise InputError("settings", name, "is given twice", "reports tell settings apart by name; rename one")


def _forbid_contradictions(outcomes: Sequence[Episode], results: Sequence[ClaimResult]) -> None:
    """Hold every episode, and what is computed exactly from a setting, to the implications among claims."""
    for outcome in outcomes:
        # How to play the episode again, without the text of its setting.
        origin = {name: value for name, value in outcome.origin.items() if name != "setting"}
        forbid_contradictions(outcome.evidence, f"{outcome.variant} episode {origin}")
    for name in {result.setting for result in results}:
        exact = {r.label: e for r in results if r.setting == name for e in r.evidence if e.kind == "exact"}
        forbid_contradictions(exact, f"exact evidence on {name or 'no setting'}")


def _forbid_refuted_proofs(results: Sequence[ClaimResult]) -> None:
    """Raise an error for a claim that is proved, whole or in steps, and refuted by a test: theorem or test is wrong."""
    proved = {r.label: piece.verdict for r in results for piece in r.evidence if piece.verdict in PROOFS}
    for result in results:
        if result.label in proved and any(piece.verdict is Verdict.REFUTED for piece in result.evidence):
            place = result.setting or "small instances"
            raise ContradictionError(
                f"{result.label} is {proved[result.label]} by a certificate and REFUTED on {place}"
            )


def _chosen(asked: Sequence[str]) -> dict[str, Claim]:
    """Return the claims that were asked for and their variants, all claims where none was named."""
    known = all_claims()
    if not asked:
        return dict(known)
    return {label: c for label, c in known.items() if any(is_or_varies(label, one) for one in asked)}


def _result(
    stated: Claim, setting: Setting | None, outcomes: list[Episode], parameters: Mapping[str, Any], found: TaskResults
) -> ClaimResult | None:
    """Return what is known about a claim on a setting (None: on none in particular), if anything was looked at."""
    name = setting.name if setting else None
    evidence = []
    if stated.checks and outcomes:
        evidence.append(_sampled(stated, outcomes, setting, parameters))
    if (computed := found.said(stated.label, setting)) is not None:
        evidence.append(computed)
    if setting is None and stated.label in found.certificates:
        evidence.append(found.certificates[stated.label])
    if not evidence:
        return None
    return ClaimResult(label=stated.label, setting=name, verdict=_verdict(evidence), evidence=tuple(evidence))


def _with_cut_off(
    results: Sequence[ClaimResult], chosen: Iterable[Claim], settings: Sequence[str]
) -> list[ClaimResult]:
    """Add, to the results of an interrupted run, a row for what it did not come to: no claim is left out of a total."""
    found = {(result.label, result.setting): result for result in results}
    rows: list[ClaimResult] = []
    for stated in chosen:
        mine: list[ClaimResult] = []
        for name in (*settings, None):
            if (known := found.get((stated.label, name))) is not None:
                mine.append(known)
            elif (name is not None and stated.checks) or (name is None and not mine):
                mine.append(_cut_off(stated.label, name))
        rows += mine
    return rows


def _cut_off(label: str, setting: str | None) -> ClaimResult:
    reason = "the run was interrupted before it came to this"
    nothing = Evidence(
        kind="property" if setting is None else "simulation", tried="nothing", verdict=Verdict.SKIPPED, reason=reason
    )
    return ClaimResult(label=label, setting=setting, verdict=Verdict.SKIPPED, evidence=(nothing,), reached=False)


def _verdict(evidence: Sequence[Evidence]) -> Verdict:
    """Return what evidence says together; a certificate proves the whole statement, whatever else was tried."""
    verdicts = [piece.verdict for piece in evidence]
    proof = next((verdict for verdict in PROOFS if verdict in verdicts), None)
    if proof is not None and Verdict.REFUTED not in verdicts:
        return proof
    tried = [piece.verdict for piece in evidence if piece.kind != "certificate"]
    return joint(tried or verdicts)


def _sampled(
    stated: Claim, outcomes: list[Episode], setting: Setting | None, parameters: Mapping[str, Any]
) -> Evidence:
    """Merge what all episodes of a setting, or all small instances, say about one claim."""
    name = setting.name if setting else None
    outcomes = [outcome for outcome in outcomes if stated.label in outcome.evidence]
    found = [outcome.evidence[stated.label] for outcome in outcomes]
    origins = [outcome.origin for outcome in outcomes]
    merged = stated.over(origins, found)
    if setting is not None:
        merged = _with_reach(stated, merged, setting, outcomes)
    refuting = next((o for o in outcomes if o.evidence[stated.label].verdict is Verdict.REFUTED), None)
    kind: EvidenceKind = "simulation" if name else "property"
    tried = _tried(outcomes, found, name)
    return replace(
        merged,
        parts=tuple(replace(part, kind=kind) for part in merged.parts),
        kind=kind,
        tried=f"{stated.compared_as} alone: {tried}" if stated.compared_as else tried,
        witness=_witness(stated, merged, refuting, origins),
        parameters=parameters,
    )


def _with_reach(stated: Claim, merged: Evidence, setting: Setting, outcomes: Sequence[Episode]) -> Evidence:
    """Say which horizon was missing, and which comparisons could not fail."""
    longest: dict[str, Episode] = {}
    for outcome in outcomes:
        before = longest.get(outcome.variant)
        if outcome.evidence[stated.label].verdict not in _UNMET and (before is None or outcome.steps > before.steps):
            longest[outcome.variant] = outcome
    if not longest:
        return merged
    played = [(VARIANTS[variant].prepare(setting), each.steps) for variant, each in longest.items()]
    known = [_beside(stated.label, each, outcomes) for each in longest.values()]
    reached = max(each.steps for each in longest.values())
    return with_trivial(stated, with_horizons(stated, merged, setting, reached), played, known)


def _beside(label: str, episode: Episode, outcomes: Sequence[Episode]) -> tuple[Beside | None, ...]:
    """Return what was said of a claim beside trivial values, on an episode or another of its variant and length."""
    alike = (one for one in outcomes if (one.variant, one.steps) == (episode.variant, episode.steps))
    return next((one.beside[label] for one in alike if label in one.beside), ())


#: An episode that was not compared says nothing about the horizon.
_UNMET = (Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED)


def _witness(
    stated: Claim, merged: Evidence, refuting: Episode | None, origins: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return how to make a refuting run again, or all of them where only all together refute."""
    if merged.verdict is not Verdict.REFUTED:
        return None
    if refuting is None:
        return {"kind": "runs", "claim": stated.label, "runs": list(origins), "shows": merged.shows}
    return {**refuting.origin, "claim": stated.label, "shows": refuting.evidence[stated.label].shows}


def _tried(outcomes: list[Episode], found: list[Evidence], name: str | None) -> str:
    """Say on which episodes the claim was compared, and how many it could not be."""
    compared = [o for o, each in zip(outcomes, found, strict=True) if each.checked]
    if name is None:
        late = sum("delay" in outcome.origin for outcome in compared)
        of_them = f", {late} of them with queries in flight" if late else ""
        return f"compared on {len(compared)} of {len(outcomes)} steered instances{of_them}"
    if not compared:
        return f"no comparison on {len(outcomes)} runs"
    groups = Counter((outcome.variant, outcome.steps) for outcome in compared)
    played = [f"{count} {variant} run{'s' * (count > 1)} of {steps:,}" for (variant, steps), count in groups.items()]
    return ", ".join([*played, MARKET])
