"""Claims by the names that people have for them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from proofs_checks.claims.labels import REPLACED_BY
from proofs_checks.claims.naming import meant, search
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.words import stem
from proofs_checks.cli.main import main

CLAIMS = all_claims()


@pytest.mark.parametrize(
    "labels", [[*CLAIMS][::20], pytest.param([*CLAIMS], marks=pytest.mark.long("every claim"))], ids=["some", "every"]
)
def test_claims_are_found_by_their_labels_and_numbers(labels: list[str]) -> None:
    for label in labels:
        found_by_label_and_number(label)


def found_by_label_and_number(label: str) -> None:
    assert claim(label) is CLAIMS[label]
    assert claim(label.upper()) is CLAIMS[label]
    assert meant(label, CLAIMS).remark == ""
    if number := CLAIMS[label].number:
        assert claim(number.lower()) is CLAIMS[label]
    assert CLAIMS[label] in search([label], CLAIMS)


@pytest.mark.for_each(
    ("text", "label"),
    [
        ("Theorem 4", "thm:regret"),
        ("thm 27", "thm:payment-convergence"),
        ("Lemma 12", "lem:unqualified-elimination"),
        ("payment range", "lem:payment-range"),
        ("Range Payment", "lem:payment-range"),
        ("good event", "lem:good-event"),
        ("widening is necessary", "claim:widening-necessary:for-convergence"),  # the name as it is printed
        ("convergence of payments", "thm:payment-convergence"),
        ("the payment converges", "thm:payment-convergence"),
        ("eventually optimal", "cor:eventual-ordinary-optimality"),
        ("eliminated unqualified", "lem:unqualified-elimination"),
    ],
)
def test_numbers_and_words(text: str, label: str) -> None:
    assert claim(text).label == label


def test_a_number_that_ways_of_counting_read_differently_is_told_with_both() -> None:
    found = meant("Theorem 3", CLAIMS)
    assert found.claim.label == "thm:sample-complexity"
    assert "thm:regret" in found.remark

    found = meant("Theorem 1", CLAIMS)
    assert found.claim.label == "thm:robust-dominant"
    assert "most likely calls it Theorem 2" in found.remark


@pytest.mark.for_each(
    ("text", "told"),
    [
        ("payment", "fits .* claims: name one of "),
        ("lemma 99", "is no lemma of the paper: each lemma of it has one of the numbers 5, 6, "),
        ("lem:payment-rage", "is no label of the paper: did you mean lem:payment-range"),
        ("paymnet rnage", "is no label, number or name of a claim: did you mean "),
        ("zzz qqq", "costproof claims"),
    ],
)
def test_what_means_no_claim_or_several_names_the_nearest(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        claim(text)
    assert error.value.argument == "label"


def test_words_that_no_name_has_whole_offer_what_is_called_by_some_of_them() -> None:
    """The theorems on regret are what "regret bound" means, though no name of theirs has the word "bound"."""
    with pytest.raises(InputError) as error:
        claim("regret bound")
    for label in ("thm:regret", "thm:quality-guarantee", "thm:generation-regret"):
        assert f"{label} (" in error.value.remedy


@pytest.mark.for_each("text", ["convergence of payments", "payment converges", "converging payment", "CONVERGE"])
def test_words_are_found_in_any_form_and_names_of_the_paper_come_first(text: str) -> None:
    found = [stated.label for stated in search(text.split(), CLAIMS)]
    assert found[:2] == ["thm:payment-convergence", "thm:deviation-payment-convergence"]
    assert "claim:widening-necessary:for-convergence" in found[2:]


@pytest.mark.for_each("text", ["second lowest", "second-lowest cost", "Second Lowest Costs"])
def test_other_names_lead_to_claims_hyphens_or_not(text: str) -> None:
    assert "thm:payment-convergence" in [stated.label for stated in search([text], CLAIMS)][:5]


@pytest.mark.for_each(
    "forms",
    [
        "converge converges converged converging convergence convergent",
        "payment payments",
        "optimal optimality optimum",
        "elimination eliminated eliminates eliminate",
        "identification identified identifies",
        "eligible eligibility",
        "bid bids bidding",
        "radius radii",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1
    assert stem("quality") != stem("qualified")


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=20) | st.sampled_from(["theorem 0", "Lemma 0012", ":", "a:b c", "::"]))
def test_whatever_is_asked_for_is_a_claim_or_bad_input(text: str) -> None:
    try:
        found = claim(text)
    except InputError as error:
        named = error.argument
    else:
        named = "label" if found.label in CLAIMS else found.label
    assert named == "label"


def test_search_puts_names_before_statements() -> None:
    found = [stated.label for stated in search(["payment", "range"], CLAIMS)]
    assert found[0] == "lem:payment-range"
    assert search(["no-such-word"], CLAIMS) == []


def test_search_takes_numbers_as_a_whole() -> None:
    """No word of these claims is 3, though some of their numbers begin with it."""
    found = search(["payment", "3"], CLAIMS)
    assert "lem:deviation-payment" not in [stated.label for stated in found]
    assert "lem:two-sided-payment" in [stated.label for stated in found]  # "up to -3 radii"


@pytest.mark.for_each(("label", "replacement"), REPLACED_BY.items())
def test_a_removed_label_is_refused_with_its_replacement(label: str, replacement: str) -> None:
    assert replacement in CLAIMS
    if label not in CLAIMS:
        with pytest.raises(InputError, match=f"was removed: ask for {replacement}, which replaces it"):
            claim(label)


@pytest.mark.parametrize("command", ["claims", "prove", "verify --quick --claim"])
def test_commands_refuse_a_removed_label(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "lem:radius-sum:sharp"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert "thm:generation-regret:sharp" in err
