"""What the contract of `assign` and `settle` asks of any mechanism."""

from __future__ import annotations

from proofs_checks.conformance.checks.check import check_of
from proofs_checks.conformance.checks.elsewhere import compare_elsewhere
from proofs_checks.conformance.checks.fresh_process import compare_with_a_fresh_process
from proofs_checks.conformance.checks.search import Probe, followed_by, searching
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction, answers_to
from proofs_checks.conformance.report.failure import failure_at


def _answers(subject: AnySubject, interaction: Interaction) -> Probe:
    """Whoever played to the end has answered every call."""
    return Probe(len(interaction.events))


def _configuration(subject: AnySubject, interaction: Interaction) -> Probe:
    mechanism = subject.start(interaction.config, interaction.scenario.seed)
    step, last = 1, len(interaction.events)
    while (change := mechanism.configuration_change()) is None and step <= last:
        mechanism.assign()
        mechanism.settle(*interaction.settlements[step - 1])
        step += 1
    if change is None:
        return Probe(last)
    message = f"the mechanism changed the configuration that it was given: {change}"
    law = f"assert vars(config) == {vars(interaction.config)!r}, config"
    unchanged = "the configuration as it was"
    failure = failure_at(interaction, step, message, expected=unchanged, found=change, ending=law)
    return Probe(min(step, last), failure)


def _reproducible(subject: AnySubject, interaction: Interaction) -> Probe:
    with subject.other_global_randomness():
        again = answers_to(subject, interaction.config, interaction.scenario.seed, interaction.settlements[:-1])
    return _same_answers(interaction, again, "the same seed and history give other answers", ("Once", "Once more"))


def _independent(subject: AnySubject, interaction: Interaction) -> Probe:
    """Play the same history while another instance is answered otherwise, step by step in turn."""
    scenario, bound = interaction.scenario, interaction.config.cost_bound
    mechanism = subject.start(scenario.config, scenario.seed)
    other = subject.start(scenario.config, scenario.seed + 1)
    answers: list[Answer] = []
    for score, bid in interaction.settlements:
        answers.append(mechanism.assign())
        other.assign()
        mechanism.settle(score, bid)
        other.settle(1.0 - score, bound - bid)
    other.finish()
    return _same_answers(interaction, answers, "instances share state", ("Alone", "Beside another instance"))


def _same_answers(interaction: Interaction, answers: list[Answer], wrong: str, played: tuple[str, str]) -> Probe:
    """Compare two answers to a history, step by step; `played` says how each came about."""
    for step, (event, answer) in enumerate(zip(interaction.events, answers, strict=True), 1):
        first = (event.provider, event.payment)
        if answer != first:
            told = (
                f"{how}: provider {i} for {paid:.12g}" for how, (i, paid) in zip(played, (first, answer), strict=True)
            )
            message = f"{wrong}. {'. '.join(told)}"
            failure = failure_at(interaction, step, message, expected=list(first), found=list(answer), ending=_TWICE)
            return Probe(step, failure)
    return Probe(len(answers))


#: The history lies in `history`: the script runs it again, beside and after other instances that are told otherwise,
#: and with other global randomness; often, for whatever two answers have in common they may have by chance.
_TWICE = """\
import random

for attempt in range(50):
    np.random.seed(attempt)
    random.seed(attempt)
    beside = factory(config, np.random.default_rng(seed + 1))
    second = factory(config, np.random.default_rng(seed))
    for score, bid in history:
        second.assign(), beside.assign()
        second.settle(score, bid), beside.settle(1.0 - score, config.cost_bound - bid)
    again = second.assign()
    assert again == (provider, payment), f"the same seed and history gave {again}"
    for _ in range(config.n_providers):
        beside.assign(), beside.settle(0.0, config.cost_bound)
"""


_REPRODUCIBLE = searching(_reproducible, ["exploring", "empty"], share=0.5)
_INDEPENDENT = searching(_independent, ["exploring", "noisy"], share=0.5)

CONTRACT_CHECKS = (
    check_of("answers", searching(_answers, ["auctions", "noisy", "empty"], share=0.5)),
    check_of("configuration-unchanged", searching(_configuration, ["auctions"], share=0.5)),
    check_of("reproducible", followed_by(_REPRODUCIBLE, compare_elsewhere)),
    check_of("independent-instances", followed_by(_INDEPENDENT, compare_with_a_fresh_process)),
)
