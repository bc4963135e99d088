"""What a mechanism answers, as logs: histories of counterexamples, and interactions that tell its mistakes apart.

A counterexample is as small as can be, and leaves many mistakes open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.conformance.play.any_mechanism import Answer, PlayedInteraction, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import answers_to
from proofs_checks.conformance.play.late_feedback import arrival_list, overtaking
from proofs_checks.conformance.play.scenario import NO_EXPLORATION, usual_config
from proofs_checks.diagnosis.log import RecordedLog
from proofs_checks.diagnosis.together import MechanismDiagnosis, diagnose_together

_STEPS = 90
#: Interactions that are played while several mistakes explain everything.
_FURTHER = 8
#: What is unusual in the market of each probe; scores are drawn around `quality`.
_AUCTIONS = {"confidence": 0.9, "quality": 0.7}
_SCREENED = {"confidence": 0.9, "quality_threshold": 0.75, "quality": 0.6, "spread": 0.35}
_PROBES = (
    {"n_providers": 3, **_AUCTIONS},
    {"n_providers": 2, **_AUCTIONS, "cost_bound": 2.0},
    {"n_providers": 5, **_AUCTIONS, "confidence": 0.3, "cost_bound": 10.0},
    {"n_providers": 3, **_AUCTIONS, "belief_slack": 0.6, "steps": 160},
    {"n_providers": 4, **_AUCTIONS, "belief_slack": 0.25, "confidence": 0.5, "steps": 160},
    {"n_providers": 4, **_SCREENED, "steps": 200},
    {"n_providers": 3, **_SCREENED, "belief_slack": 0.4, "cost_bound": 4.0, "steps": 200},
    {"n_providers": 3, **_SCREENED, "quality_threshold": 0.9, "steps": 200},
    {"n_providers": 3, **_SCREENED, "quality": 0.98, "spread": 0.02, "quality_threshold": 0.99},
    {"n_providers": 4, **_SCREENED, "exploration_scale": 6.0, "exploration_exponent": 0.6, "steps": 200},
    {"n_providers": 5, **_SCREENED, "exploration_scale": 3.0, "exploration_exponent": 0.7, "steps": 200},
    {"n_providers": 3, **_AUCTIONS, "exploration_scale": 2.0, "exploration_exponent": 0.7},
    {"n_providers": 4, **_AUCTIONS, "exploration_scale": 0.8, "exploration_exponent": 0.6},
    {"n_providers": 4, **_AUCTIONS, "exploration_scale": 1.0, "exploration_exponent": 0.5},
    {"n_providers": 3, **_AUCTIONS, "exploration_scale": 1.37, "exploration_exponent": 0.85},
    {"n_providers": 3, **_SCREENED, "quality": 0.1, "spread": 0.1, "quality_threshold": 0.95, "steps": 120},
    {"n_providers": 5, **_SCREENED, "quality": 0.1, "spread": 0.1, "quality_threshold": 0.95, "steps": 120},
    {"n_providers": 2, **_SCREENED, "quality": 0.9, "quality_threshold": 0.8, "steps": 200},
)
#: A long one: what overflows or is forgotten shows late.
_LONG = {"n_providers": 2, **_AUCTIONS, "quality_threshold": 0.6, "exploration_scale": 1.0, "steps": 700}


def diagnose_mechanism(subject: AnySubject, histories: Iterable[PlayedInteraction]) -> MechanismDiagnosis | None:
    """Return what explains all answers of a mechanism to some histories and in all probes, or None.

    While several mistakes do, further probes are played: each may tell some of them apart.

    Parameters
    ----------
    subject : AnySubject
    histories : iterable of PlayedInteraction
        Of the counterexamples.
    """
    return diagnose_together([*_recorded(subject, histories), *probes(subject)], further_probes(subject))


def recorded(subject: AnySubject, history: PlayedInteraction) -> RecordedLog:
    """Play a history again, and return what was answered as a log.

    Raises
    ------
    MechanismError
        The mechanism did not answer.
    """
    config, seed, settlements, law = history.config, history.seed, history.settlements, history.in_flight
    answers = answers_to(subject.played(in_flight=law), config, seed, settlements)
    return as_log(config, answers, settlements, law, seed)


def _recorded(subject: AnySubject, histories: Iterable[PlayedInteraction]) -> Iterator[RecordedLog]:
    different = {(each.config, each.seed, each.settlements, each.in_flight): each for each in histories}
    for history in different.values():
        try:
            yield recorded(subject, history)
        except MechanismError:
            continue  # the checks tell of it


def as_log(
    config: MechanismConfig,
    answers: Sequence[Answer],
    settlements: Sequence[Settlement],
    law: DelayLaw | None = None,
    seed: int = 0,
) -> RecordedLog:
    """Return answers, the last of which may not be settled, as a log.

    Where feedback is late, steps are not judged at which none of some provider has come since initialization.
    """
    parameters = {name: value for name, value in vars(config).items() if name != "n_providers"}
    providers = tuple(Provider(f"provider {i}", 1.0, 0.0) for i in range(config.n_providers))
    setting = Setting("interaction", PlatformParameters(**parameters), providers)
    left = [*settlements, *[(0.0, 0.0)] * (len(answers) - len(settlements))]
    columns = np.array([(*answer, *settlement) for answer, settlement in zip(answers, left, strict=True)])
    provider, payment, score, bid = columns.reshape(-1, 4).T
    settled = None
    if law is not None:
        arrivals = [*arrival_list(law, seed, len(settlements)), *[None] * (len(answers) - len(settlements))]
        settled = np.array([NEVER_SETTLED if arrival is None else arrival for arrival in arrivals], dtype=np.int64)
    log = RecordedLog.of(Trace(provider.astype(np.int64), payment, score, bid, settled=settled), setting)
    unheard = (log.replay.counts == 0).any(axis=1) & (log.line > config.n_providers)
    return log if law is None else replace(log, line=np.where(unheard, 0, log.line))


def probes(subject: AnySubject) -> Iterator[RecordedLog]:
    """Play every probe and yield what was answered, up to where the mechanism does not answer.

    With queries in flight every second one has feedback that overtakes.
    """
    for seed, unusual in enumerate(_PROBES):
        yield _played(subject, seed, dict(unusual))


def further_probes(subject: AnySubject) -> Iterator[RecordedLog]:
    """Play a long interaction, and a few with parameters at random: mistakes that agreed so far may differ there."""
    yield _played(subject, len(_PROBES) + _FURTHER, dict(_LONG))
    rng = np.random.default_rng(_FURTHER)
    for place in range(_FURTHER):
        unusual: dict[str, float] = {
            "n_providers": 5 - place % 4,
            "confidence": rng.uniform(0.05, 0.95),
            "cost_bound": rng.uniform(0.5, 20.0),
            "belief_slack": float(rng.choice([0.0, 0.7])),
            "quality_threshold": rng.uniform(0.4, 0.9),
            "quality": rng.uniform(0.5, 0.9),
            "exploration_scale": float(rng.choice([NO_EXPLORATION, rng.uniform(0.5, 3.0)])),
            "exploration_exponent": rng.uniform(0.4, 0.9),
            "steps": 120,
        }
        yield _played(subject, len(_PROBES) + place, unusual)


def _played(subject: AnySubject, seed: int, unusual: dict[str, float]) -> RecordedLog:
    steps, quality = int(unusual.pop("steps", _STEPS)), unusual.pop("quality")
    spread = unusual.pop("spread", 0.3)
    config = usual_config(**{"exploration_scale": NO_EXPLORATION, **unusual})  # type: ignore[arg-type]
    domain, law = subject.domain, subject.in_flight
    if law is not None and seed % 2:
        law = overtaking(law)
    config = domain.config(replace(config, n_providers=int(config.n_providers)))
    rng = np.random.default_rng(seed)
    # Every provider has a level of its own in quality and in price, and scores that are mostly no round numbers.
    levels = quality + spread * np.linspace(-1, 1, config.n_providers)[rng.permutation(config.n_providers)]
    costs = rng.uniform(0.05, 0.8, config.n_providers)
    answers: list[Answer] = []
    settlements: list[Settlement] = []
    try:
        mechanism = subject.played(in_flight=law).start(config, seed)
        for _ in range(steps):
            provider, payment = mechanism.assign()
            answers.append((provider, payment))
            score = domain.score(float(np.clip(rng.normal(levels[provider], 0.2), 0.0, 1.0)))
            bid = float(config.cost_bound * np.clip(costs[provider] + rng.uniform(-0.2, 0.2), 0.0, 1.0))
            mechanism.settle(score, bid)
            settlements.append((score, bid))
        mechanism.finish()
    except MechanismError:
        pass  # the checks tell of it
    return as_log(config, answers, settlements, law, seed)
