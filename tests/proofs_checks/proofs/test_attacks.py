"""No false statement comes out PROVED: every attack of `attacks`, and the page that lists them."""

from __future__ import annotations

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.lemma import prove_lemma
from proofs_checks.proofs.prove import prove
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs import attacks
from tests.proofs_checks.proofs.attacks import OnLemma, OnProve

ON_PROVE = (
    *attacks.CITATIONS,
    *attacks.READINGS,
    *attacks.FOUNDATIONS,
    *attacks.INDUCTIONS,
    *attacks.WHOLE_PROOFS,
)


@pytest.mark.parametrize("attack", ON_PROVE, ids=lambda attack: attack.name)
def test_no_false_claim_is_proved(attack: OnProve) -> None:
    try:
        report = prove(["lem:false"], proofs=attack.proofs(), mutants=attack.name == "idle-hypothesis")
    except InputError as error:
        assert attack.outcome == "refused", error
        assert attack.because in str(error.__cause__ or error) or attack.because in f"{error.value!r} {error.rule}"
        return
    [claim] = report.claims
    assert claim.verdict not in (Verdict.PROVED, Verdict.EXACT), "a false statement is proved"
    assert (claim.verdict.value, attack.because in claim.reason) == (attack.outcome, True), claim.reason
    assert claim.composition == "argued"
    if claim.verdict is Verdict.PROVED_STEPS:
        assert claim.to_data()["beyond"]


@pytest.mark.parametrize("attack", attacks.LEMMAS, ids=lambda attack: attack.name)
def test_no_false_lemma_is_proved(attack: OnLemma) -> None:
    try:
        found = prove_lemma(attack.lemma())
    except InputError as error:
        assert attack.outcome == "refused", error
        assert attack.because in str(error.__cause__ or error) or attack.because in f"{error.value!r} {error.rule}"
        return
    said = f"{found.reason} {found.numbers}"
    assert (found.verdict.value, attack.because in said) == (attack.outcome, True), said
    if found.verdict is Verdict.REFUTED:
        model = found.counterexample
        assert model is not None
        assert all(model.value(formula) for formula in found.obligation.formulas.values())
        assert not model.value(found.obligation.goal)
