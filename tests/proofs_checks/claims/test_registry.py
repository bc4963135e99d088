"""The registry against the paper: all 62 labels, their sections, numbers and findings; the experiments' numbers."""

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.published import PUBLISHED_NAMES, PublishedSetting, published
from proofs_checks.claims import registry
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.numbers.stored import STORED, number_of
from proofs_checks.claims.paper_statements import SECTIONS, section_of
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import rate
from proofs_checks.claims.statements.experiments import discounted_prices, numbers_as_printed
from proofs_checks.verdict import Verdict

#: The labelled statements of the paper, their kinds, and the lines of paper.tex they start at.
COPY = Path(__file__).with_name("paper_labels.csv")
PAPER = {row["label"]: row for row in csv.DictReader(COPY.read_text(encoding="utf-8").splitlines())}
LINES = {label: int(row["source_line"]) for label, row in PAPER.items()}
#: Where the copy was taken from, if that is at hand.
ORIGINAL = Path(__file__).parents[4] / "shared" / "paper" / "claims.json"
CLAIMS = list(all_claims().values())


def base(label: str) -> str:
    """The paper's label of a variant: two parts, the rest is ours."""
    return ":".join(label.split(":")[:2])


def of_our_own(stated: Claim) -> bool:
    """Whether a claim is no statement of the paper."""
    return stated.label.startswith("claim:own-")


def test_a_claim_of_our_own_needs_no_line_and_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Claim(label="claim:own-example", name="Example", statement="an example of our own")
    monkeypatch.setattr(rate, "OWN", own, raising=False)
    found = registry.all_claims.__wrapped__()
    of_the_paper = [place for place, stated in enumerate(found.values()) if stated.source_line is not None]
    assert list(found).index(own.label) > max(of_the_paper)


def test_the_copy_of_the_papers_list_is_whole_and_current() -> None:
    assert len(PAPER) == 62
    if ORIGINAL.exists():
        listed = json.loads(ORIGINAL.read_text(encoding="utf-8"))
        assert [{name: str(entry[name]) for name in ("label", "kind", "source_line")} for entry in listed] == [
            *PAPER.values()
        ]


def test_every_label_has_a_claim_and_every_claim_a_label() -> None:
    assert PAPER.keys() - all_claims().keys() == set()
    assert {base(stated.label) for stated in CLAIMS if not of_our_own(stated)} == PAPER.keys()


@pytest.mark.for_each("stated", CLAIMS, ids=lambda c: c.label)
class TestEveryClaim:
    def test_points_to_its_line(self, stated: Claim) -> None:
        assert of_our_own(stated) == (stated.source_line is None)
        if of_our_own(stated):
            return
        assert (stated.source_line == LINES[base(stated.label)]) != (stated.label in _LINES_OF_VARIANTS)

    def test_is_of_the_papers_kind(self, stated: Claim) -> None:
        """A statement without a label of its own is a claim to us."""
        kind = "claim" if of_our_own(stated) else PAPER[base(stated.label)]["kind"].split()[0]
        assert stated.kind == {"unlabelled": "claim", "numeric": "claim"}.get(kind, kind)

    def test_states_itself(self, stated: Claim) -> None:
        assert all(text.strip() for text in (stated.name, stated.statement, stated.kind))
        assert stated.checks or stated.on_setting or stated.everywhere, "nothing would ever be compared"

    def test_has_latex_for_every_relation(self, stated: Claim) -> None:
        relations = [check for check in stated.checks if isinstance(check, Relation)]
        assert len(stated.latex()) == len(relations)
        for text in stated.latex():
            assert text.count("{") == text.count("}")
            assert r"\leq" in text or "<" in text

    def test_names_its_parts_apart(self, stated: Claim) -> None:
        names = [part.name for part in stated.parts()]
        assert len(set(names)) == len(names) == len(stated.checks)
        assert all(names)
        assert any(part.headline for part in stated.parts()) == bool(stated.checks)

    def test_has_a_repair_for_its_finding(self, stated: Claim) -> None:
        assert bool(stated.finding) == bool(stated.repaired_by)
        if stated.finding:
            repair = claim(stated.repaired_by)
            assert not repair.finding
            assert repair.checks or repair.on_setting or repair.everywhere


#: The wording that a variant is about stands elsewhere than its label.
_LINES_OF_VARIANTS = {
    "lem:payment-range:under-deviations",
    "lem:payment-range:repaired",
    "eq:experimental-generation-cost:discount",
}


def test_order_is_the_papers_with_variants_after_the_original() -> None:
    labels = list(all_claims())
    lines = [c.source_line for c in CLAIMS if c.source_line is not None]
    assert lines == sorted(lines)
    for label in labels[: len(lines)]:
        if label != base(label) and label not in _LINES_OF_VARIANTS:
            assert labels.index(base(label)) < labels.index(label)


def test_two_claims_of_one_label_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = Claim(label="lem:payment-range", name="Twin", statement="another claim of the same label", source_line=1)
    monkeypatch.setattr(rate, "TWIN", twin, raising=False)
    with pytest.raises(ValueError, match="lem:payment-range"):
        registry.all_claims.__wrapped__()
    monkeypatch.setattr(rate, "TWIN", claim("lem:payment-range"))
    assert registry.all_claims.__wrapped__().keys() == all_claims().keys(), "an imported claim is no twin"


ROWS = list(csv.DictReader(STORED.read_text(encoding="utf-8").splitlines()))
KINDS = ("theorem", "lemma", "proposition", "corollary", "assumption", "algorithm")


def listed() -> list[dict[str, str]]:
    """The paper's own list of labels, those that LaTeX numbers as statements, in the order of the source."""
    return sorted((row for row in PAPER.values() if row["kind"] in KINDS), key=lambda row: int(row["source_line"]))


def test_the_numbers_follow_from_the_papers_list() -> None:
    """By counting how many statements of the counter stand before, which is not how they are computed."""
    known = listed()
    assert [(row["label"], row["environment"]) for row in ROWS] == [(row["label"], row["kind"]) for row in known]
    for place, (row, stored) in enumerate(zip(known, ROWS, strict=True)):
        before = [other["kind"] for other in known[:place]]
        together = ("theorem", "lemma", "proposition", "corollary")
        shared = together if row["kind"] in together else (row["kind"],)
        wide = (*together, "assumption") if row["kind"] in (*together, "assumption") else (row["kind"],)
        assert int(stored["together"]) == 1 + sum(kind in shared for kind in before)
        assert int(stored["together_with_assumptions"]) == 1 + sum(kind in wide for kind in before)
        assert int(stored["apart"]) == 1 + before.count(row["kind"])


def test_every_numbered_statement_is_a_claim_and_the_other_way_round() -> None:
    numbered = {row["label"] for row in ROWS}
    assert numbered <= all_claims().keys()
    stated = {label for label, claim in all_claims().items() if label.count(":") == 1 and claim.kind in KINDS}
    # The one that is commented out in the source is printed nowhere.
    assert stated - numbered == {"lem:selection-counting"}
    assert all(claim.number == number_of(label) for label, claim in all_claims().items())


#: The line of the source at which each section begins.
_STARTS = {"2": 134, "3": 247, "4": 316, "5": 367, "A": 514, "B": 1430, "C": 1505, "D": 1632}


def test_every_label_is_in_the_section_of_its_line() -> None:
    for label, place in LINES.items():
        begun = [section for section, line in _STARTS.items() if line <= place]
        assert section_of(label) == begun[-1], label
    assert list(_STARTS) == [section for section in SECTIONS if section]


LABELS = ("claim:table-numbers", "eq:experimental-generation-cost", "eq:experimental-cmax")
EXPERIMENTS = published("gpqa-strong")


def with_cost_of_the_last(change: float) -> PublishedSetting:
    *others, last = EXPERIMENTS.setting.providers
    providers = (*others, replace(last, mean_cost=last.mean_cost + change))
    return replace(EXPERIMENTS, setting=replace(EXPERIMENTS.setting, providers=providers))


@pytest.mark.for_each(("name", "label"), [*itertools.product(PUBLISHED_NAMES, LABELS)])
def test_exact_on_the_published_settings(name: str, label: str) -> None:
    found = claim(label).on_setting(published(name).setting)
    assert (found.verdict, found.violations, found.witness) == (Verdict.EXACT, 0, None)


@pytest.mark.for_each("label", LABELS)
def test_any_other_setting_is_skipped(label: str) -> None:
    renamed = replace(EXPERIMENTS.setting, name="mine")
    changed = replace(EXPERIMENTS.setting, providers=EXPERIMENTS.setting.providers[::-1])
    for setting in (renamed, changed):
        assert claim(label).on_setting(setting).verdict is Verdict.SKIPPED


def test_a_wrong_fourth_decimal_refutes() -> None:
    found = numbers_as_printed(with_cost_of_the_last(1e-4))
    assert found.verdict is Verdict.REFUTED
    assert found.tightest_margin < 0
    assert "excess_payment_bound" in {row["quantity"] for row in found.witness["rows"]}
    assert found.violations == len(found.witness["rows"])


@pytest.mark.for_each("change", [-1e-7, 1e-7])
def test_a_cost_that_is_no_price_of_its_tokens_refutes(change: float) -> None:
    assert discounted_prices(EXPERIMENTS).verdict is Verdict.EXACT
    found = discounted_prices(with_cost_of_the_last(change))
    assert found.verdict is Verdict.REFUTED
    assert found.parameters["differ"] == ["Qwen2.5-7B"]
