"""What reports say of a claim: its notation lists the symbols of its own formulas, and no others."""

from __future__ import annotations

import pytest

from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.stated import notation_data, statement_data

#: What an assumption about bids may fix at 0.
FIXED = ("belief_slack", "underbid", "overbid")


@pytest.mark.for_each("label", sorted(all_claims()))
def test_what_an_assumption_fixes_is_in_no_formula_and_not_in_the_notation(label: str) -> None:
    stated = statement_data(claim(label))
    known = notation_data([claim(label)])
    formulas = [stated["definitions"].get(name, known[name]["formula"]) for name in stated["notation"]]
    shown = " ".join(filter(None, [*formulas, *(part["latex"] for part in stated["parts"])]))
    for name in FIXED:
        assert (QUANTITIES[name].latex in shown) == (name in stated["notation"]), name


def test_theorem_3_is_about_truthful_bids() -> None:
    stated = statement_data(claim("thm:sample-complexity"))
    assert not set(FIXED) & set(stated["notation"])
    assert {"ordinary_bound", "elimination_bound", "horizon", "confidence"} <= set(stated["notation"])
    assert stated["definitions"].keys() == {"ordinary_bound"}
    assert stated["definitions"]["ordinary_bound"].endswith(
        r"\lceil{\frac{4 c_{\max}^{2} \ln{\left(\frac{57 c_{\max}^{4} N}{\delta \Delta_i^{4}} \right)}}{\Delta_i^{2}}}"
        r"\right\rceil"
    )


def test_under_deviations_they_stay() -> None:
    labels = [label for label, stated in all_claims().items() if stated.regime.name == "bounded deviations"]
    named = {name for label in labels for name in statement_data(claim(label))["notation"]}
    assert {"underbid", "overbid"} <= named
    assert "belief_slack" not in named
