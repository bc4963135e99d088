"""What holds, and how we know: claims, verify, replay, check, play, audit, prove and reproduce."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bounds.errors import InputError
from bounds.loading import AnySetting
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import check_horizon
from bounds.setting.model import Setting
from costproof.arguments import AnyTrace, called, labels_of, parts_of, settings_of
from mechanism.arguments import seconds
from mechanism.settings import load_setting
from mechanism.tabular.layout import LogLayout
from proofs_checks import conformance
from proofs_checks.audit import run as auditing
from proofs_checks.audit.report import AuditReport
from proofs_checks.claims.replaying import ReplayedWitnesses, replay_report
from proofs_checks.cli.input import read_json
from proofs_checks.conformance.descriptions import Profile
from proofs_checks.conformance.hosting.host_process import MEMORY_LIMIT
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.market import Play, play_on_market
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory
from proofs_checks.conformance.report.report import ConformanceReport
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.kernel.check import check_kernel
from proofs_checks.proofs.prove import ProveReport
from proofs_checks.reproduction import run as reproduction
from proofs_checks.reproduction.run import Reproduction
from proofs_checks.verify import run as verification
from proofs_checks.verify.claim_list import ClaimList, find_claims
from proofs_checks.verify.episodes import effort_of
from proofs_checks.verify.run import VerifyReport


def claims(words: str | Iterable[str] = ()) -> ClaimList:
    """Return the claims of the paper that words fit; without words, all.

    Parameters
    ----------
    words : str or iterable of str, optional
        A label, a number as ``"Theorem 4"``, or words of a claim's name or statement. All of them must fit.

    Returns
    -------
    ClaimList
        A tuple of claims, and a table that says which of them are proved for all parameters.

    Raises
    ------
    InputError
        The words fit no claim; the nearest are named.

    Examples
    --------
    >>> claims("payment range").without_variants()
    ClaimList(lem:payment-range)
    """
    given = (words,) if isinstance(words, str) or not isinstance(words, Iterable) else tuple(words)
    for text in given:
        if not isinstance(text, str):
            raise InputError("words", text, "must be words of a claim", 'write "payment range"')
    return find_claims([word for text in given for word in text.split()])


def verify(
    settings: AnySetting | Iterable[AnySetting] = PUBLISHED_NAMES,
    *,
    labels: str | Iterable[str] = (),
    quick: bool = False,
    runs: int | None = None,
    horizon: int | None = None,
    instances: int | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> VerifyReport:
    """Check every claim of the paper on settings, and report verdicts with what was tried.

    Parameters
    ----------
    settings : Setting, PublishedSetting, str, path-like or several of these, optional
        Settings, built-in names or paths of TOML files; default the five of the paper.
    labels : str or iterable of str, optional
        Only these claims, with their variants; default all.
    quick : bool, optional
        Fewer and shorter runs.
    runs, horizon, instances : int, optional
        Truthful runs per setting (default 30), queries of each (70,000), and constructed instances (200).
    seed : int, optional
        Of the markets and of the random instances.
    jobs : int, optional
        Processes; they change no result.

    Returns
    -------
    VerifyReport
        ``refuted`` holds the results that refute a claim and are new. `NOT_REFUTED` is not a proof.

    Raises
    ------
    InputError
        There is no such setting or label, two settings share a name, or a number is out of range.

    Examples
    --------
    >>> report = verify("gpqa-strong", labels="lem:payment-range", quick=True, horizon=200, instances=2)
    >>> [(r.setting, r.verdict.value) for r in report.results if r.label == "lem:payment-range"]
    [('gpqa-strong', 'NOT_REFUTED'), (None, 'PROVED')]
    """
    given, effort = settings_of(settings), effort_of(quick=quick, runs=runs, horizon=horizon, instances=instances)
    for setting in given:
        check_horizon(setting, effort.horizon)
    with called("labels", "label"):
        return verification.verify(given, seed=seed, effort=effort, labels=labels_of(labels), jobs=jobs)


def check(
    mechanism: Factory | str,
    *,
    only: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    profile: Profile = "auction",
    strict: bool = False,
    expected_failures: Mapping[str, str] = MappingProxyType({}),
    quick: bool = False,
    time_limit: float = TIME_LIMIT,
    memory_limit: float = MEMORY_LIMIT,
    in_process: bool = False,
    domain: str | Sequence[str] = (),
    in_flight: str | None = None,
    seed: int = 0,
) -> ConformanceReport:
    """Property-test somebody's mechanism from outside, by `assign` and `settle` alone.

    Parameters
    ----------
    mechanism : callable or str
        A factory ``(config, rng) -> mechanism``, which runs in this process; or the ``MODULE:OBJECT`` or
        ``path/to/file.py:OBJECT`` of one, which runs in a process of its own, so that it cannot harm this one.
    only : str or sequence of str, optional
        Names of checks, or of groups: ``"contract"``, ``"economic"``, ``"rules"``, ``"routing"``. All of the profile
        by default.
    exclude : str or sequence of str, optional
        Names of checks, or of groups, that are left out.
    profile : {"auction", "posted-price", "router"}, optional
        Which checks make sense: those of an auction, of a posted-price mechanism, whose payments depend on no bid, or
        of a router, whose payments mean nothing.
    strict : bool, optional
        Whether a check that is skipped counts as a failure.
    expected_failures : mapping, optional
        From the name of a check that is known to fail to the reason. If it passes, that is reported as a failure.
    quick : bool, optional
        Fewer scenarios and draws.
    time_limit : float, optional
        Seconds that one call of the mechanism may take.
    memory_limit : float, optional
        Gibibytes that the processes of a mechanism of its own process may take together.
    in_process : bool, optional
        Whether to run a named mechanism in this process, too, as debuggers need it.
    domain : str or sequence of str, optional
        What the mechanism is made for, as ``["scores=binary", "q_min=inside", "eligible=2.."]``: scenarios stay inside.
    in_flight : str, optional
        How many queries are in flight, as for `play`: the mechanism takes ``settle(score, bid, query)``, and every
        answer is held to what had arrived.
    seed : int, optional
        Of all randomness, the mechanism's generators included.

    Returns
    -------
    ConformanceReport
        ``conforms`` says whether no selected check failed, ``seems`` what kind of mechanism this seems to be. Passing
        is not a proof.

    Raises
    ------
    InputError
        The factory cannot be found or called, or there is no such check.

    Examples
    --------
    >>> report = check("mechanism.platform:reference_mechanism", only="lone-payment", quick=True)
    >>> report.conforms
    True
    """
    effort = conformance.QUICK if quick else conformance.DEFAULT
    with called("mechanism", "factory"):
        return check_mechanism(
            load_factory(mechanism) if isinstance(mechanism, str) and in_process else mechanism,
            name=mechanism if isinstance(mechanism, str) else None,
            only=only,
            exclude=exclude,
            profile=profile,
            strict=strict,
            expected_failures=expected_failures,
            effort=effort,
            seed=seed,
            time_limit=time_limit,
            memory_limit=memory_limit,
            domain=domain,
            in_flight=in_flight,
        )


def play(
    mechanism: Factory | str,
    setting: AnySetting,
    horizon: int | None = None,
    *,
    seed: int = 0,
    time_limit: float = TIME_LIMIT,
    in_flight: str | None = None,
) -> Play:
    """Play somebody's mechanism on a setting's market, against truthful providers, in plain Python.

    Parameters
    ----------
    mechanism : callable or str
        A factory ``(config, rng) -> mechanism``, or the ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT`` of one.
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T, the number of queries; default 70,000, the paper's, or N if that is larger.
    seed : int, optional
        Of the market, the mechanism's generator and the bidders.
    time_limit : float, optional
        Seconds that one call of the mechanism may take.
    in_flight : str, optional
        How many queries are in flight, as `mechanism.delays.delay_law` reads it: ``"3"``, ``"0-5"``. The mechanism then
        takes ``settle(score, bid, query)``. Default: feedback comes before the next query.

    Returns
    -------
    Play
        ``trace`` is the log, which `audit` reads and `write_trace` keeps; ``metrics`` are the paper's.

    Raises
    ------
    InputError
        The factory cannot be found or called, there is no such setting, or the horizon is out of range.
    proofs_checks.conformance.play.subject.MechanismError
        The mechanism raised, took too long, or gave no valid answer.

    Examples
    --------
    >>> played = play("mechanism.platform:reference_mechanism", "gpqa-strong", 1_000)
    >>> audit(played.trace, "gpqa-strong", labels="lem:payment-range").passed
    True
    """
    given = load_setting(setting)
    limit = seconds("time_limit", time_limit, "it is what one call may take")
    with called("mechanism", "factory"):
        factory, name = (load_factory(mechanism), mechanism) if isinstance(mechanism, str) else (mechanism, None)
    return play_on_market(factory, given, name=name, horizon=horizon, seed=seed, time_limit=limit, in_flight=in_flight)


def replay(
    report: VerifyReport | Mapping[str, Any] | str | os.PathLike[str], labels: str | Iterable[str] = ()
) -> ReplayedWitnesses:
    """Replay the witnesses in a report of `verify`: each produces its violation again, or the result says that not.

    Parameters
    ----------
    report : VerifyReport, mapping, str or path-like
        A report, its data, or the path of what ``costproof verify --json`` printed.
    labels : str or iterable of str, optional
        Only the witnesses of these claims and of their variants.

    Raises
    ------
    InputError
        It is not such a report, a witness in it cannot be read, or one of the claims has no witness there.

    Examples
    --------
    >>> report = verify("gpqa-strong", labels="lem:radius-monotone", quick=True)
    >>> [(found.label, found.replays) for found in replay(report)]
    [('lem:radius-monotone:one-provider', True)]
    """
    if isinstance(report, VerifyReport):
        data: Any = report.to_data()
    else:
        data = read_json("report", os.fspath(report)) if isinstance(report, (str, os.PathLike)) else report
    return replay_report(data, labels_of(labels))


def audit(
    trace: AnyTrace,
    setting: AnySetting,
    *,
    name: str | None = None,
    tolerance: float = 0.0,
    labels: str | Iterable[str] = (),
    most_violations: int = auditing.SHOWN_VIOLATIONS,
    layout: LogLayout | None = None,
    state: str | os.PathLike[str] | None = None,
    jobs: int = 1,
) -> AuditReport:
    """Replay a recorded log and report every step that breaks a rule, and every claim on the log.

    Parameters
    ----------
    trace : Trace, str, path-like or iterable of Trace
        A trace, the path of a log (which may be larger than memory), or the consecutive parts of one.
    setting : Setting, PublishedSetting, str or path-like
        The platform's: a setting, a built-in name, or the path of a TOML file.
    name : str, optional
        What to call the log; default its path.
    tolerance : float, optional
        How far logged payments and bids may be from the true ones, money: 0.005 where they are rounded to cents.
    labels : str or iterable of str, optional
        Only these claims; default all that can be compared on a log.
    most_violations : int, optional
        How many violations are listed one by one; all are counted.
    layout : LogLayout, optional
        How a file is laid out that has other names, another order, other money, or a second file beside it.
    state : str or path-like, optional
        A file from which the audit goes on where the last one stopped, and which it replaces; of a log given by its
        path, to which rows are added.
    jobs : int, optional
        From 2 on, the claims of a log of several parts are compared in another thread.

    Returns
    -------
    AuditReport
        ``passed`` says whether nothing was violated. The absence of a violation is not a proof.

    Raises
    ------
    InputError
        The trace is nothing of the above or cannot be read, or another argument makes no sense.

    Examples
    --------
    >>> from costproof import simulate
    >>> report = audit(simulate("gpqa-strong", horizon=200), "gpqa-strong", labels="lem:payment-range")
    >>> report.passed, report.steps
    (True, 200)
    """
    given = load_setting(setting)
    options: dict[str, Any] = {"tolerance": tolerance, "most_violations": most_violations, "jobs": jobs}
    with called("labels", "label"), called("trace", "parts"), called("trace", "path"):
        options["labels"] = labels_of(labels)
        if isinstance(trace, (str, os.PathLike)):
            return auditing.audit_log(trace, given, layout, state=state, name=name or os.fsdecode(trace), **options)
        for argument, value in (("layout", layout), ("state", state)):
            if value is not None:
                raise InputError(argument, value, "is of a file", "give the path of the log as `trace`")
        parts = parts_of(trace, given, rows=auditing.chunk_rows(given))
        return auditing.audit(parts, given, name=name or "trace", **options)


def prove(labels: str | Iterable[str] = (), *, kernel: bool = False) -> ProveReport:
    """Say which claims are proved for all parameters: by theorems in Coq, which a stored record says it accepts.

    Parameters
    ----------
    labels : str or iterable of str, optional
        Of claims with a proof; all by default.
    kernel : bool, optional
        Whether Coq checks all theorems here first, which takes minutes.

    Raises
    ------
    InputError
        A label without a proof (the nearest are named), or Coq is not installed and `kernel` asks for it.

    Examples
    --------
    >>> [(proof.label, proof.verdict.value) for proof in prove("lem:payment-range").claims]
    [('lem:payment-range', 'PROVED')]
    """
    with called("labels", "label"):
        return proving.prove(labels_of(labels), kernel=check_kernel().said if kernel else None)


def reproduce(
    settings: AnySetting | Iterable[AnySetting] = PUBLISHED_NAMES,
    *,
    runs: int = 300,
    seed: int = 0,
    jobs: int = 1,
    out: str | None = None,
) -> Reproduction:
    """Run the paper's experiments and compare every number that its tables print.

    Parameters
    ----------
    settings : Setting, PublishedSetting, str or several of these, optional
        Of the paper's five; default all.
    runs : int, optional
        Independent runs of every setting and policy, at least 2; verdicts need 30, minima and maxima 300.
    seed : int, optional
    jobs : int, optional
        Workers; they change no number.
    out : str, optional
        A folder that keeps finished runs, a campaign for each setting; the next call does only what is missing.

    Raises
    ------
    InputError
        A setting that the paper does not have, or one given twice; fewer than two runs; a folder that holds other runs
        or cannot be written.

    Examples
    --------
    >>> found = reproduce("gpqa-strong", runs=2)
    >>> len(found.lines), found.compared
    (159, 147)
    """
    names = [_published_name(setting) for setting in settings_of(settings)]
    with called("settings", "names"):
        return reproduction.reproduce(names, runs=runs, seed=seed, jobs=jobs, out=out)


def _published_name(setting: Setting) -> str:
    if setting.name not in PUBLISHED_NAMES or published(setting.name).setting != setting:
        rule, remedy = "is not a setting of the paper", f"only these have printed tables: {', '.join(PUBLISHED_NAMES)}"
        raise InputError("settings", setting.name, rule, remedy)
    return setting.name
