"""What the theorems in Coq assume is so of some market, and the markets of the paper are those of its settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest

from proofs_checks.proofs.kernel.theorems import (
    ALLOWED_ASSUMPTIONS,
    APPLIED,
    INSTANCES,
    named_theorems,
    sources,
    stored,
)

#: What a query of a run brings, or does not: there are runs of every length, and Sharpness.v has some of both kinds.
HAPPENS = {"step", "selected", "may_serve", "auction_at", "explores", "serves", "samples"}
#: A property, by its name: a definition that ends in a proposition.
_PROPERTY = re.compile(r"^ *(?:Definition|Fixpoint|Inductive|Record) (\w+)\b[^.]*?(?::|->) Prop\b", re.MULTILINE)


def properties() -> set[str]:
    return {name for text in sources().values() for name in _PROPERTY.findall(text)}


def premises(statement: str) -> Iterator[str]:
    """Yield the first name in each part of a statement that ends in an arrow, quantifiers aside."""
    statement = re.sub(r"\b(?:forall|exists) [^,]*,", "", statement)
    depth, start = 0, 0
    for at, letter in enumerate(statement):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and statement.startswith("->", at):
            named = re.match(r"\W*(?:\w+\.)*(\w+)", statement[start:at])
            start = at + 2
            if named is not None:
                yield named[1]


def assumed_without_an_instance(statement: str) -> set[str]:
    return (set(premises(statement)) & properties()) - INSTANCES.keys() - HAPPENS


def theorems_of_labels() -> set[str]:
    return {place.split(".")[1] for named in named_theorems().values() for place in named["theorems"]}


def test_no_theorem_of_a_label_assumes_what_may_be_never_so() -> None:
    statements = stored().statements
    for name in theorems_of_labels():
        assert assumed_without_an_instance(statements[name]) == set(), name
    assumed = set().union(*(premises(statements[name]) for name in theorems_of_labels()))
    assert {"market", "good_event", "dynamics", "bids_near", "any_game", "market_of_payments"} <= assumed


@pytest.mark.parametrize("assumption", INSTANCES)
def test_an_instance_is_a_theorem_about_what_is_assumed(assumption: str) -> None:
    file, name = INSTANCES[assumption].split(".")
    assert re.search(rf"\b{assumption}\b", stored().statements[name])
    assert assumption not in premises(stored().statements[name]), "assumed where it should be shown"
    assert re.search(rf"^(?:Theorem|Example) {name}\b", sources()[f"{file}.v"], re.MULTILINE)
    assert set(stored().assumptions[name]) <= ALLOWED_ASSUMPTIONS.keys()


def test_an_assumption_without_an_instance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for never in (
        "Definition draws_nothing_varies (n : nat) : Prop := n <> n.",
        "Record draws_nothing_varies : Prop := {}.",
    ):
        monkeypatch.setattr(f"{__name__}.sources", lambda text=never: {"A.v": text})
        for statement in (
            "forall n : nat, A.draws_nothing_varies n -> (0 < n)%nat -> n = 1",
            "forall p : Prop, p -> (forall n : nat, A.draws_nothing_varies n) -> p",
        ):
            assert assumed_without_an_instance(statement) == {"draws_nothing_varies"}


class TestOnAPublishedMarket:
    """GSM8K-full and GPQA-strong are in Coq what they are in the paper, and theorems apply to them."""

    @pytest.mark.parametrize("label", APPLIED)
    def test_what_a_theorem_assumes_is_given_to_it(self, label: str) -> None:
        file, name = APPLIED[label].split(".")
        applied = re.search(
            rf"^(?:Definition|Example) {name}\b.*?\.\s", sources()[f"{file}.v"], re.DOTALL | re.MULTILINE
        )
        proof = sources()[f"{file}.v"][applied.end() :].partition("\n")[0] if applied else ""
        theorem = named_theorems()[label]["theorems"][0].split(".")[1]
        assert applied is not None
        assert re.search(rf"\b{theorem}\b", applied[0] + proof)
        assert left_open(stored().statements[name]) == set()

    def test_an_assumption_that_is_left_open_is_noticed(self) -> None:
        assert left_open("forall (n : nat) (h : list nat), market n -> Runs.run n h -> length h = n") == {"market"}
        assert left_open("exists f : nat -> nat, f 0%nat < 1 -> True") == {"f"}

    @pytest.mark.parametrize(
        ("setting", "table", "market"),
        [("gsm8k-full", "gsm8k_full", "gsm8k_has_payments"), ("gpqa-strong", "gpqa_strong", "gpqa_has_payments")],
    )
    def test_its_numbers_are_those_of_the_settings(self, setting: str, table: str, market: str) -> None:
        text, published = sources()["Published.v"], settings()
        one = published["settings"][setting]
        assert providers_in(text, table) == [
            (provider["name"], provider["quality"], provider["mean_cost"]) for provider in one["providers"]
        ]
        names = [provider["name"] for provider in one["providers"]]
        cheapest = sorted((p["mean_cost"], names.index(p["name"])) for p in one["providers"] if p["qualified"])
        common = published["common"]
        stated = re.search(rf"^Theorem {market}\b[^:]*:.*?market_of_payments(.*?)\.\n", text, re.DOTALL | re.MULTILINE)
        assert stated is not None
        best, second = (at for _, at in cheapest[:2])
        assert numbers_in(stated[1]) == [
            len(names),
            common["delta"],
            one["cost_bound"],
            one["quality_threshold"],
            common["exploration_scale"],
            common["exploration_exponent"],
            best,
            second,
        ]
        assert names[best] == one["optimal_provider"]

    def test_another_number_is_noticed(self) -> None:
        text = sources()["Published.v"]
        right = providers_in(text, "gsm8k_full")
        assert providers_in(text.replace("69177007", "69177008"), "gsm8k_full") != right
        assert providers_in(text.replace("/ 100000000.", "/ 10000000."), "gsm8k_full") != right


def left_open(statement: str) -> set[str]:
    """Return the premises of a statement but for a run, its next step, no exploration, and a step after T_0."""
    return set(premises(statement)) - {"run", "step", "explores", "T0", "sharp_T0"}


def settings() -> Mapping[str, Any]:
    text = files("bounds.published").joinpath("settings.json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)  # type: ignore[no-any-return]


def providers_in(text: str, table: str) -> list[tuple[str, Decimal, Decimal]]:
    """Return name, quality and mean cost of each provider in a table of Published.v, in the units that it states."""
    units = [Decimal(re.findall(rf"Definition {name}_in .*/ (\d+)\.", text)[0]) for name in ("quality", "cost")]
    [rows] = re.findall(rf"^Definition {table} : list \(Z \* Z\) := \[(.*?)\]%Z\.", text, re.DOTALL | re.MULTILINE)
    found = re.findall(r"\((\d+), (\d+)\);? \(\* (.*?) \*\)", rows)
    return [(name, Decimal(quality) / units[0], Decimal(cost) / units[1]) for quality, cost, name in found]


def numbers_in(statement: str) -> list[Decimal]:
    """Return the numbers in a statement, fractions as decimals."""
    found = re.findall(r"\((\d+) / (\d+)\)|\b(\d+)\b", re.sub(r"(?:quality|cost)_in \w+", "", statement))
    return [Decimal(whole) if whole else Decimal(above) / Decimal(below) for above, below, whole in found]
