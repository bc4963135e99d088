"""Claims by the names that people have for them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from proofs_checks.claims.naming import meant, search
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.synonyms import ALSO_CALLED
from proofs_checks.claims.words import stem
from proofs_checks.properties.lattice import PROPERTIES
from proofs_checks.properties.tested_by import OF_CLAIM

CLAIMS = all_claims()


@pytest.mark.parametrize("label", CLAIMS)
def test_every_claim_is_found_by_its_label_and_its_number(label: str) -> None:
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
    assert "each kind counted by itself" in found.remark


def test_a_number_that_only_another_way_of_counting_has_is_told_as_such() -> None:
    found = meant("Theorem 1", CLAIMS)
    assert found.claim.label == "thm:robust-dominant"
    assert "most likely calls it Theorem 2" in found.remark


def test_a_number_that_every_way_reads_alike_has_no_other_reading() -> None:
    assert "may be" not in meant("Proposition 1", CLAIMS).remark


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


@pytest.mark.for_each("text", ["widening necessary", "converge", "deviations regrets", "individual rationality"])
def test_words_choose_no_variant_and_no_finding_while_a_claim_of_the_paper_fits(text: str) -> None:
    with pytest.raises(InputError, match=r"fits .* claims: name one of ") as error:
        claim(text)
    named = [label for label in CLAIMS if f"{label} (" in error.value.remedy]
    assert CLAIMS[named[0]].is_of_the_paper
    assert not CLAIMS[named[0]].finding


@pytest.mark.for_each("text", ["convergence of payments", "payment converges", "converging payment", "CONVERGE"])
def test_words_are_found_in_any_form_and_names_of_the_paper_come_first(text: str) -> None:
    found = [stated.label for stated in search(text.split(), CLAIMS)]
    assert found[:2] == ["thm:payment-convergence", "thm:deviation-payment-convergence"]
    assert "claim:widening-necessary:for-convergence" in found[2:]


@pytest.mark.parametrize("text", ["second lowest", "second-lowest cost", "Second Lowest Costs"])
def test_other_names_lead_to_claims_hyphens_or_not(text: str) -> None:
    assert "thm:payment-convergence" in [stated.label for stated in search([text], CLAIMS)][:5]


def test_names_of_properties_lead_to_the_claims_tied_to_them() -> None:
    for name in PROPERTIES:
        assert search([name.replace("-", " ")], CLAIMS) == search([name], CLAIMS) != []
    for label, name in OF_CLAIM.items():
        assert name is None or name in ("belief-slack", *PROPERTIES)
        if name:
            assert CLAIMS[label] in search([name], CLAIMS), (label, name)


def test_other_names_are_of_claims_that_there_are() -> None:
    assert ALSO_CALLED.keys() <= CLAIMS.keys()


@pytest.mark.for_each(
    "forms",
    [
        "converge converges converged converging convergence convergent",
        "payment payments",
        "optimal optimality optimum",
        "regret regrets",
        "elimination eliminated eliminates eliminate",
        "exploration explores explored exploring",
        "identification identified identifies",
        "deviation deviating deviates",
        "exclusion excluded exclude",
        "eligible eligibility",
        "truthful truthfulness",
        "bid bids bidding",
        "radius radii",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.for_each(
    ("one", "other"), [("quality", "qualified"), ("optimal", "optimism"), ("payment", "pay"), ("cost", "count")]
)
def test_words_that_differ_in_meaning_have_two_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@given(st.text(max_size=40) | st.sampled_from(["theorem 0", "Lemma 0012", ":", "a:b c", "::"]))
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


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Theorem 3", "thm:sample-complexity"),
        ("Lemma 12", "lem:unqualified-elimination"),
        ("Theorem 1", "thm:robust-dominant"),  # only another way of counting has a Theorem 1
    ],
)
def test_search_for_a_number_finds_the_one_that_is_shown_with_it(text: str, label: str) -> None:
    assert [stated.label for stated in search(text.split(), CLAIMS)] == [label]


def test_search_takes_numbers_as_a_whole() -> None:
    """No word of these claims is 3, though some of their numbers begin with it."""
    found = search(["payment", "3"], CLAIMS)
    assert "lem:deviation-payment" not in [stated.label for stated in found]
    assert "lem:two-sided-payment" in [stated.label for stated in found]  # "up to -3 radii"
