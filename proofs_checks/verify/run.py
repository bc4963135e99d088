"""`verify`: episodes of the given settings, every claim on every trace, and what they say together."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, TypedDict

from bounds.documents import INLINE, INTERNAL, OPTIONAL, Count, Document, NonNegative, inlined, key, limits, one_of
from bounds.errors import InputError
from bounds.published import published_as
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.versions import versions
from proofs_checks.claims.cases.variants import MARKET, VARIANTS, BidSlacks, slacks
from proofs_checks.claims.implications import ContradictionError, forbid_contradictions
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, EvidenceKind, any_could_fail
from proofs_checks.claims.model.tightness import largest
from proofs_checks.claims.reach import with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.stated import Notation, ReportedClaim, Statement, notation, reported, statement
from proofs_checks.figures.pictures import FiguresOnPage
from proofs_checks.proofs.evidence import CertificateEvidence, ProofsLookedAt, with_proofs
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import KernelFacts, KernelRecord, kernel_facts, kernel_record
from proofs_checks.reproduction.run import Reproduction
from proofs_checks.verdict import PROOFS, SILENT, Verdict, joint
from proofs_checks.verify.claim_verdicts import (
    counted_in_words,
    finding_shown_on,
    in_words,
    paper_and_ours,
    verdict_of_claim,
)
from proofs_checks.verify.episodes import DEFAULT, Effort, Episode, TaskResults, carry_out, planned
from proofs_checks.verify.false_alarms import FalseAlarms, false_alarms
from proofs_checks.verify.guarantees import SettingGuarantees, guarantees_of_setting

_Counts = dict[Verdict, Annotated[int, limits(minimum=0, description="How many have this verdict.")]]


@dataclass(frozen=True, kw_only=True)
class ClaimResult:
    """What is known about one claim on one setting, or on none in particular.

    Parameters
    ----------
    label : str
        Label of the claim, the paper's where it is the paper's.
    setting : str or None
        Name of the setting; None for what depends on none.
    verdict : Verdict
        What is known about the claim here.
    evidence : tuple of Evidence
        What was done to the claim.
    reached : bool
        Whether anything was looked at before an interruption.
    """

    label: str
    setting: str | None
    verdict: Verdict
    evidence: tuple[Evidence | CertificateEvidence, ...]
    reached: bool = field(default=True, metadata=INTERNAL)

    @property
    def stated(self) -> Claim:
        """The claim."""
        return claim(self.label)

    @inlined
    def reported(self) -> ReportedClaim:
        """What reports say of the claim in any case."""
        return reported(self.stated)

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

    @key
    def tightest_ratio(self) -> NonNegative | None:
        """The largest ratio here of what the claim is cited for; None if that was not compared."""
        return largest(*(p.cited_ratio for p in self.evidence if p.compared))

    @key
    def could_fail(self) -> bool | None:
        """Whether a comparison of its runs could have found a violation; None: see `could_fail_unknown`."""
        if self.verdict is not Verdict.NOT_REFUTED:
            return None
        return next((piece.could_fail for piece in self.evidence if piece.kind == "simulation"), None)

    @key
    def could_fail_unknown(self) -> str | None:
        """Why `could_fail` is None, in words; None where it is not."""
        if self.could_fail is not None:
            return None
        told = [piece.could_fail_unknown for piece in self.evidence if piece.kind == "simulation"]
        if not told:
            return "no run of a setting is behind this row"
        return told[0] or f"the verdict here is {self.verdict.value}, which is not what runs say"

    @key
    def finding_shown(self) -> bool:
        """Whether what is wrong with the wording shows itself here."""
        return bool(self.stated.finding) and self.verdict in (Verdict.REFUTED, Verdict.VACUOUS)


@dataclass(frozen=True, kw_only=True)
class ReportedResult:
    """What is known about one claim on one setting, or on none in particular, and about the claim itself.

    Parameters
    ----------
    result : ClaimResult
        What is known here.
    verdict_of_claim : Verdict
        The claim's own verdict, whichever settings were asked for.
    finding_shown_on : tuple of str
        Names of the published settings on which what is wrong shows itself.
    could_fail_on_settings : bool or None
        Whether a comparison on the settings could have failed; None where that is not known.
    kernel : KernelFacts
        What is known of its theorem in Coq.
    """

    result: ClaimResult = field(metadata=INLINE)
    verdict_of_claim: Verdict
    finding_shown_on: tuple[str, ...]
    could_fail_on_settings: bool | None
    kernel: KernelFacts = field(metadata=INLINE)


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


@dataclass(frozen=True, kw_only=True)
class TestedHere:
    """How many of the claims could be tested on the settings.

    Parameters
    ----------
    claims : int
        Claims that were selected.
    tested : int
        Those that were tested on some setting.
    known_to_be_false : int
        Those of the tested that were refuted as a documented finding says.
    could_not_fail : int
        Those of the tested whose bound is above its trivial value.
    not_tested : int
        Those that could be tested on no setting.
    on_no_setting : int
        Those that depend on no setting.
    not_reached : int
        Those to which an interruption did not let it come.
    """

    claims: Count
    tested: Count
    known_to_be_false: Count
    could_not_fail: Count
    not_tested: Count
    on_no_setting: Count
    not_reached: Count


class Ran(TypedDict):
    """How much was done.

    Parameters
    ----------
    tasks : int
        Tasks that were planned.
    tasks_done : int
        Tasks that were finished; fewer after an interruption.
    episodes : int
        Runs and instances that were played.
    steps : int
        Queries that were played.
    claims : int
        Claims that were selected.
    variants : int
        Those of them that were not asked for, but are variants of one that was.
    results : int
        Entries of `claims`.
    comparisons : int
        Instances of statements that were compared.
    """

    tasks: Count
    tasks_done: Count
    episodes: Count
    steps: Count
    claims: Count
    variants: Count
    results: Count
    comparisons: Count


@dataclass(frozen=True, kw_only=True)
class VerifyReport(Document, HasSheet):
    """Every claim of the paper, with its evidence and verdict. Money is in the unit of the setting.

    Parameters
    ----------
    settings : tuple of str
        Names of the settings.
    seed : int
        Seed of all randomness.
    effort : Effort
        How much was to be tried.
    results : tuple of ClaimResult
    ran : Ran
        How much was done.
    slacks : dict
        What bids may deviate by in each variant, by setting and then by variant.
    built_in : tuple of str
        Names of those that are settings of the paper, as published.
    asked : tuple of str
        Labels of the claims asked for by name, whose variants are looked at, too; empty for all claims.
    false_alarms : FalseAlarms
        What could be refuted by chance.
    guarantees : tuple of SettingGuarantees
        What the paper guarantees of each setting at the horizon of its truthful runs.
    seconds : float
        Seconds that it took.
    reproduction : Reproduction, optional
        What `reproduce --json` says of the settings; there with --report for settings of the paper.
    figures : FiguresOnPage, optional
        The figures of the page; there with --report.
    """

    settings: tuple[str, ...]
    seed: Count
    effort: Effort
    results: tuple[ClaimResult, ...] = field(metadata=INTERNAL)
    ran: Ran
    slacks: Mapping[str, Mapping[Annotated[str, one_of(VARIANTS)], BidSlacks]]
    built_in: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    false_alarms: FalseAlarms = field(default_factory=FalseAlarms)
    guarantees: tuple[SettingGuarantees, ...] = ()
    seconds: NonNegative = field(default=0.0, compare=False)
    reproduction: Reproduction | None = field(default=None, metadata=OPTIONAL)
    figures: FiguresOnPage | None = field(default=None, metadata=OPTIONAL)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items() if count)
        return f"VerifyReport({', '.join(self.settings) or 'no setting'}: {counts}; {len(self.refuted)} refuted)"

    @key
    def interrupted(self) -> bool:
        """Whether an interruption cut the run short."""
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

    @key
    def counts(self) -> _Counts:
        """How many entries of `claims` have each verdict."""
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
            tightest_ratio=largest(*(row.tightest_ratio for row in here)),
            could_fail=any_could_fail([row.could_fail for row in here if row.verdict is verdict]),
            settings_idle=sum(row.could_fail is False for row in here if row.verdict is verdict),
            compared_as=stated.compared_as or None,
        )

    @key
    def tested_here(self) -> TestedHere:
        """How many of the claims could be tested on the settings."""
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
        rows = (
            {name: getattr(row.stated if name in ("number", "name") else row, name) for name in columns}
            for each in self.by_claim
            for row in each
        )
        return Sheet.of(f"Claims by setting, on {self._place}", columns, rows)

    @property
    def _place(self) -> str:
        interrupted = ", interrupted" if self.interrupted else ""
        return f"{', '.join(self.settings) or 'no setting'} (seed {self.seed}{interrupted})"

    @property
    def own_verdicts(self) -> dict[str, Verdict]:
        """The claims' own verdicts by label; see `claim_verdict`."""
        return {stated.label: self.claim_verdict(stated.label) for stated in self._claims}

    @key
    def known_in_words(self) -> str:
        """What is known of the claims in general: how many, of the numbered ones and of all, have which verdict."""
        verdicts = self.own_verdicts
        cut_off = {rows[0].label for rows in self.by_claim if self._is_cut_off(rows)}
        if not self.asked:
            return paper_and_ours(self._claims, verdicts, cut_off)
        said = [in_words(each, verdicts[each.label], reached=each.label not in cut_off) for each in self._claims]
        if len(said) == 1:
            return f"In general, the claim is {said[0]}."
        return f"In general, the {counted(len(said), 'claim')} are: {counted_in_words(said)}."

    @key
    def counts_of_claims(self) -> _Counts:
        """How many claims have each verdict of their own."""
        found = Counter(self.claim_verdict(rows[0].label) for rows in self.by_claim)
        return {verdict: found[verdict] for verdict in Verdict}

    @key
    def claims(self) -> tuple[ReportedResult, ...]:
        """What is known about each claim on each setting, and on none in particular."""
        return tuple(row for rows in self.by_claim for row in self._reported(rows))

    def _reported(self, rows: Sequence[ClaimResult]) -> Iterator[ReportedResult]:
        label = rows[0].label
        verdict, shown_on = self.claim_verdict(label), finding_shown_on(label)
        could_fail = self._claim_row(rows[0].stated, rows).could_fail
        for row in rows:
            yield ReportedResult(
                result=row,
                verdict_of_claim=verdict,
                finding_shown_on=shown_on,
                could_fail_on_settings=could_fail,
                kernel=kernel_facts(self.kernel_of(label)),
            )

    @key
    def versions(self) -> Mapping[str, str]:
        """Versions that produced the result, by package; Python's is under `python`."""
        return versions()

    @key
    def statements(self) -> dict[str, Statement]:
        """What each claim says in any case, by its label."""
        return {each.label: statement(each) for each in self._claims}

    @key
    def notation(self) -> dict[str, Notation]:
        """What the names in formulas stand for, by name."""
        return notation(self._claims)

    @property
    def certificates(self) -> dict[str, CertificateEvidence]:
        """What the proofs say, by label."""
        return {result.label: piece for result, piece in self._certificates}

    def kernel_of(self, label: str) -> KernelRecord | None:
        """Return the theorem in Coq about a claim, as it was when the proofs were looked at; None if there is none."""
        piece = self.certificates.get(label)
        return kernel_record(label) if piece is None else piece.proof.record

    @key
    def proofs(self) -> ProofsLookedAt:
        """How many proofs were looked at, and how many of their theorems do not count."""
        return ProofsLookedAt.of((result.verdict, piece) for result, piece in self._certificates)

    @property
    def _certificates(self) -> list[tuple[ClaimResult, CertificateEvidence]]:
        pieces = ((result, piece) for result in self.results for piece in result.evidence)
        return [(result, piece) for result, piece in pieces if isinstance(piece, CertificateEvidence)]

    @property
    def _claims(self) -> list[Claim]:
        return [rows[0].stated for rows in self.by_claim]


def _reached_nowhere(rows: Sequence[ClaimResult]) -> bool:
    """Whether an interruption came before a claim was put to any of its settings."""
    here = [row for row in rows if row.setting is not None]
    return bool(here) and not any(row.reached for row in here)


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
    outcomes = found.episodes
    parameters = {"seed": seed, **vars(effort)}
    played = [(setting, [o for o in outcomes if o.setting == setting.name]) for setting in settings]
    constructed = [outcome for outcome in outcomes if outcome.setting is None]
    rows = [
        _result(stated, setting, mine, parameters, found)
        for stated in chosen.values()
        for setting, mine in (*played, (None, constructed))
    ]
    results = [result for result in rows if result is not None]
    if found.done < len(tasks):
        results = _with_cut_off(results, chosen.values(), [setting.name for setting in settings])
    _forbid_contradictions(outcomes, results)
    _forbid_refuted_proofs(results)
    ran: Ran = {
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
        guarantees=tuple(
            guarantees_of_setting(setting, max(effort.horizon, setting.n_providers)) for setting in settings
        ),
        seconds=round(max(0.0, time.perf_counter() - began), 3),
    )


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
            place = result.setting or "constructed instances"
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
    """Return what evidence says together; a certificate proves the whole statement, for all that was tried."""
    verdicts = [piece.verdict for piece in evidence]
    proof = next((verdict for verdict in PROOFS if verdict in verdicts), None)
    if proof is not None and Verdict.REFUTED not in verdicts:
        return proof
    tried = [piece.verdict for piece in evidence if piece.kind != "certificate"]
    return joint(tried or verdicts)


def _sampled(
    stated: Claim, outcomes: list[Episode], setting: Setting | None, parameters: Mapping[str, Any]
) -> Evidence:
    """Merge what all episodes of a setting, or all constructed instances, say about one claim."""
    name = setting.name if setting else None
    outcomes = [outcome for outcome in outcomes if stated.label in outcome.evidence]
    found = [outcome.evidence[stated.label] for outcome in outcomes]
    origins = [outcome.origin for outcome in outcomes]
    merged = stated.over(origins, found)
    tightest = next((o for o in outcomes if o.evidence[stated.label].where == merged.where), None)
    if setting is None:
        compared = [(o.market, o.steps) for o in outcomes if o.market and o.evidence[stated.label].checked]
        merged = with_trivial(stated, merged, compared, tightest.market if tightest else None)
    else:
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
        tightest_run=_tightest_run(stated, merged, tightest),
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
    reached = max(each.steps for each in longest.values())
    return with_trivial(stated, with_horizons(stated, merged, setting, reached), played)


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


def _tightest_run(stated: Claim, merged: Evidence, tightest: Episode | None) -> Mapping[str, Any] | None:
    """Return how to make the constructed instance again in which a claim that holds is tightest."""
    if tightest is None or tightest.market is None or merged.where is None or merged.violations:
        return None
    return {**tightest.origin, "claim": stated.label, "shows": tightest.evidence[stated.label].shows}


def _tried(outcomes: list[Episode], found: list[Evidence], name: str | None) -> str:
    """Say on which episodes the claim was compared, and how many it could not be."""
    compared = [o for o, each in zip(outcomes, found, strict=True) if each.checked]
    if name is None:
        late = sum("delay" in outcome.origin for outcome in compared)
        of_them = f", {late} of them with queries in flight" if late else ""
        return f"compared on {len(compared)} of {len(outcomes)} constructed instances{of_them}"
    if not compared:
        return f"no comparison on {len(outcomes)} runs"
    groups = Counter((outcome.variant, outcome.steps) for outcome in compared)
    played = [f"{count} {variant} run{'s' * (count > 1)} of {steps:,}" for (variant, steps), count in groups.items()]
    return ", ".join([*played, MARKET])
