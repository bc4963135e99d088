"""The front door: every verb and noun of the toolkit, from one import.

What a verb needs is loaded when the verb is first asked for, so that importing this package takes no time. The code
lives in `bounds`, `mechanism` and `proofs_checks`; nothing of these imports this package. Here are only `theory`
(what the paper promises for a setting), `market` (play, measure and read traces), `comparison` (compare), `planning`
(plan, sweep), `evidence` (claims, verify, replay, check, play, audit, prove, reproduce), `pictures` (figures) and
`arguments` (names, paths and objects alike as settings and traces).
For property-based tests of one's own there are `strategies` and `testing`.

Examples
--------
>>> import costproof
>>> costproof.bounds("gpqa-strong").identification_bound
76846
>>> trace = costproof.simulate("gpqa-strong", horizon=2_000, seed=1)
>>> costproof.audit(trace, "gpqa-strong", labels="lem:payment-range").passed
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proofs_checks.installation import require_own, warn_of_others

require_own("mechanism")  # `bounds` is required by `proofs_checks`
warn_of_others()

from bounds.exports import exports  # noqa: E402

if TYPE_CHECKING:
    from bounds.errors import InputError as InputError
    from bounds.published import PublishedSetting as PublishedSetting, published as published
    from bounds.report import BoundsReport as BoundsReport
    from bounds.setting.model import (
        PlatformParameters as PlatformParameters,
        Pricing as Pricing,
        Provider as Provider,
        Setting as Setting,
    )
    from bounds.symbolic.asymptotics import asymptotics as asymptotics, leading_order as leading_order
    from bounds.symbolic.enclosing import Interval as Interval, enclose as enclose, substitutions as substitutions
    from bounds.symbolic.horizon import IdentificationHorizon as IdentificationHorizon
    from bounds.symbolic.printing import latex as latex
    from bounds.symbolic.symbols import symbols as symbols
    from bounds.symbolic.verbs import derivatives as derivatives, symbolic as symbolic
    from costproof.comparison import compare as compare
    from costproof.evidence import (
        audit as audit,
        check as check,
        claims as claims,
        play as play,
        prove as prove,
        replay as replay,
        reproduce as reproduce,
        verify as verify,
    )
    from costproof.market import curves as curves, measure as measure, read_trace as read_trace, simulate as simulate
    from costproof.pictures import figures as figures
    from costproof.planning import plan as plan, sweep as sweep
    from costproof.theory import bounds as bounds, coverage as coverage
    from mechanism.comparison.compare import Comparison as Comparison
    from mechanism.metrics.curves import Curves as Curves
    from mechanism.metrics.measures import Metrics as Metrics
    from mechanism.planner.plan import Plan as Plan
    from mechanism.settings import load_setting as load_setting
    from mechanism.sweep import SweepResult as SweepResult
    from mechanism.tabular.trace_writer import TraceWriter as TraceWriter
    from mechanism.tabular.traces import write_trace as write_trace
    from mechanism.trace import Trace as Trace
    from proofs_checks.audit.report import AuditReport as AuditReport
    from proofs_checks.claims.model.claim import Claim as Claim
    from proofs_checks.claims.model.evidence import Evidence as Evidence
    from proofs_checks.claims.registry import claim as claim
    from proofs_checks.claims.witness import replays as replays
    from proofs_checks.conformance.report.report import ConformanceReport as ConformanceReport
    from proofs_checks.coverage.report import CoverageReport as CoverageReport
    from proofs_checks.figures.pictures import FigureReport as FigureReport
    from proofs_checks.proofs.prove import ProveReport as ProveReport
    from proofs_checks.reproduction.run import Reproduction as Reproduction
    from proofs_checks.verdict import Verdict as Verdict
    from proofs_checks.verify.run import VerifyReport as VerifyReport

_NAMES = {
    "bounds.errors": "InputError",
    "bounds.published": "PublishedSetting published",
    "bounds.report": "BoundsReport",
    "bounds.setting.model": "PlatformParameters Pricing Provider Setting",
    "bounds.symbolic.asymptotics": "asymptotics leading_order",
    "bounds.symbolic.enclosing": "Interval enclose substitutions",
    "bounds.symbolic.horizon": "IdentificationHorizon",
    "bounds.symbolic.printing": "latex",
    "bounds.symbolic.symbols": "symbols",
    "bounds.symbolic.verbs": "derivatives symbolic",
    "costproof.comparison": "compare",
    "costproof.evidence": "audit check claims play prove replay reproduce verify",
    "costproof.market": "curves measure read_trace simulate",
    "costproof.pictures": "figures",
    "costproof.planning": "plan sweep",
    "costproof.theory": "bounds coverage",
    "mechanism.comparison.compare": "Comparison",
    "mechanism.metrics.curves": "Curves",
    "mechanism.metrics.measures": "Metrics",
    "mechanism.planner.plan": "Plan",
    "mechanism.settings": "load_setting",
    "mechanism.sweep": "SweepResult",
    "mechanism.tabular.trace_writer": "TraceWriter",
    "mechanism.tabular.traces": "write_trace",
    "mechanism.trace": "Trace",
    "proofs_checks.audit.report": "AuditReport",
    "proofs_checks.claims.model.claim": "Claim",
    "proofs_checks.claims.model.evidence": "Evidence",
    "proofs_checks.claims.registry": "claim",
    "proofs_checks.claims.witness": "replays",
    "proofs_checks.conformance.report.report": "ConformanceReport",
    "proofs_checks.coverage.report": "CoverageReport",
    "proofs_checks.figures.pictures": "FigureReport",
    "proofs_checks.proofs.prove": "ProveReport",
    "proofs_checks.reproduction.run": "Reproduction",
    "proofs_checks.verdict": "Verdict",
    "proofs_checks.verify.run": "VerifyReport",
}
__all__, _load, __dir__ = exports(__name__, _NAMES)


def __getattr__(name: str) -> Any:
    if name in ("strategies", "testing"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name != "__version__":
        return _load(name)
    from importlib.metadata import version  # to load it takes longer than this package

    return version("costproof")
