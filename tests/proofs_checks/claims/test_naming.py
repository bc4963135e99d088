"""Claims by the names that people have for them, and under which hypotheses each is stated."""

import pytest
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.labels import REPLACED_BY
from proofs_checks.claims.naming import meant, search
from proofs_checks.claims.paper_statements import paper_assumptions
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.stated import notation, statement
from proofs_checks.verify.claim_list import with_verdict_in_words
from proofs_checks.verify.claim_verdicts import in_words, stored_verdict
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.refusals import assert_refused

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
        ("thm. 27", "thm:payment-convergence"),
        ("LEMMA~12", "lem:unqualified-elimination"),
        ("prop 1", "prop:selection-threshold"),
        ("Cor 28", "cor:optimal-alpha"),
        ("alg 1", "alg:platform"),
        ("payment range", "lem:payment-range"),
        ("Range Payment", "lem:payment-range"),
        ("good event", "lem:good-event"),
        ("widening is necessary", "claim:widening-necessary:for-convergence"),  # the name as it is printed
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
        ("lemma 99", "is not a lemma of the paper: each lemma of it has one of the numbers 5, 6, "),
        ("lemma 3.2", "is not a lemma of the paper: each lemma of it has one of the numbers 5, 6, "),
        ("lem:payment-rage", "is not a label of the paper: did you mean lem:payment-range"),
        ("paymnet rnage", "is not a label, number or name of a claim: did you mean "),
        ("zzz qqq", "costproof claims"),
    ],
)
def test_what_means_no_claim_or_several_names_the_nearest(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        claim(text)
    assert error.value.argument == "label"


def test_capitals_do_not_matter_and_claims_of_the_paper_come_first() -> None:
    found = [stated.label for stated in search(["CONVERGE"], CLAIMS)]
    assert found[0] == "thm:payment-convergence"
    ours = [not CLAIMS[label].is_of_the_paper for label in found if "converge" in CLAIMS[label].name.lower()]
    assert ours == sorted(ours)


@pytest.mark.for_each(("text", "said"), [("refuted", "REFUTED"), ("not refuted", "NOT_REFUTED"), ("PROVED", "proved")])
def test_words_of_a_verdict_find_the_claims_that_have_it(text: str, said: str) -> None:
    found = with_verdict_in_words(text)
    assert found
    for stated in found:
        verdict = stored_verdict(stated.label)
        assert said in (in_words(stated, verdict), verdict.value)


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


@pytest.mark.for_each(("label", "replacement"), REPLACED_BY.items())
def test_a_removed_label_is_refused_with_its_replacement(label: str, replacement: str) -> None:
    assert replacement in CLAIMS
    if label not in CLAIMS:
        assert_refused(f"was removed: ask for {replacement}, which replaces it", claim, label)


@pytest.mark.parametrize("command", ["claims", "prove", "verify --quick --claim"])
def test_commands_refuse_a_removed_label(command: str, run: Run) -> None:
    assert_bad_input(run(*command.split(), "lem:radius-sum:sharp"), "thm:generation-regret:sharp")


#: Variants of what assumes nothing assume nothing, too.
WITHOUT = {
    "eq:experimental-generation-cost:discount",
    "lem:radius-monotone:one-provider",
    "claim:own-information-bound",
}


def test_every_variant_has_hypotheses_and_every_claim_of_the_paper_has_the_papers() -> None:
    for label, stated in all_claims().items():
        if label in paper_assumptions():
            assert stated_under(stated) == paper_assumptions()[label]
        else:
            assert bool(stated_under(stated)) == (label not in WITHOUT), label


@pytest.mark.parametrize("label", ["claim:T_id:tightened"])
def test_claims_and_its_json_say_the_same(label: str, passed: Run) -> None:
    data = passed("claims", label, "--json").data
    told = passed("claims", label).told
    for row in data["claims"]:
        assert row["stated_under"] == list(stated_under(all_claims()[row["label"]]))
        assert f"Stated under: {'; '.join(row['stated_under'])} " in told


def test_what_the_papers_source_comments_out_is_marked(passed: Run) -> None:
    rows = passed("claims", "--json").data["claims"]
    assert [row["label"] for row in rows if row["commented_out"]] == ["lem:selection-counting"]


#: What an assumption about bids may fix at 0.
FIXED = ("belief_slack", "underbid", "overbid")


@pytest.mark.for_each("label", sorted(all_claims()))
def test_what_an_assumption_fixes_is_in_no_formula_and_not_in_the_notation(label: str) -> None:
    stated = statement(claim(label))
    known = notation([claim(label)])
    formulas = [stated.definitions.get(name, known[name].formula) for name in stated.notation]
    shown = " ".join(filter(None, [*formulas, *(part.latex for part in stated.parts)]))
    for name in FIXED:
        assert (QUANTITIES[name].latex in shown) == (name in stated.notation), name


def test_theorem_3_is_about_truthful_bids() -> None:
    stated = statement(claim("thm:sample-complexity"))
    assert not set(FIXED) & set(stated.notation)
    assert {"ordinary_bound", "elimination_bound", "horizon", "confidence"} <= set(stated.notation)
    assert stated.definitions.keys() == {"ordinary_bound"}


def test_under_deviations_they_stay() -> None:
    labels = [label for label, stated in all_claims().items() if stated.regime.name == "bounded deviations"]
    named = {name for label in labels for name in statement(claim(label)).notation}
    assert {"underbid", "overbid"} <= named
    assert "belief_slack" not in named
