"""The pages: whole, safe, and saying nothing that their report does not."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.names import title_of
from bounds.published import published
from bounds.report import UNITS, evaluate_bounds
from bounds.worth.words import at_most, both_at_most
from proofs_checks.claims.registry import all_claims
from proofs_checks.pages.figures import figure_groups
from proofs_checks.pages.page import kind_of, page_of
from proofs_checks.pages.verdicts import VERDICTS
from proofs_checks.pages.words import visible
from proofs_checks.proofs.kernel.theorems import hashes, kernel_evidence, sources
from proofs_checks.verify.guarantees import guarantees_data
from tests.proofs_checks.pages.parsed import Element, parsed
from tests.proofs_checks.pages.reports import (
    EFFORT,
    HOSTILE,
    SETTING,
    UNDECIDED,
    audit_report,
    check_reports,
    verify_report,
)

Report = dict[str, Any] | list[dict[str, Any]]
REPORTS: dict[str, Callable[[], Report]] = {
    "verify": verify_report,
    "audit": audit_report,
    "audit, nothing found": lambda: audit_report(broken=False),
    "check": lambda: check_reports()[0],
    "check, nothing found": lambda: check_reports()[1],
    "check, side by side": check_reports,
}


@pytest.fixture(scope="module", params=REPORTS)
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]()


@pytest.fixture(scope="module")
def page(report: Report) -> Element:
    return parsed(page_of(report))


@functools.cache
def verify_page() -> Element:
    return parsed(page_of(verify_report()))


@functools.cache
def audit_page() -> Element:
    return parsed(page_of(audit_report()))


def numbers_in(data: Any) -> Iterator[float]:
    """Every number of a report, and every whole number that is a key of it."""
    if isinstance(data, dict):
        for value in data.values():
            yield from numbers_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from numbers_in(value)
    elif isinstance(data, (int, float)) and not isinstance(data, bool):
        yield data


def parts_of(data: Any) -> Iterator[Any]:
    """A report and every mapping in it."""
    if isinstance(data, dict):
        yield data
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from parts_of(value)


def strings_in(data: Any) -> Iterator[str]:
    """Every text of a report, keys among them."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from strings_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from strings_in(value)
    elif isinstance(data, str):
        yield data


class TestDocument:
    def test_nothing_is_fetched_and_one_script_may_run(self, page: Element) -> None:
        [policy] = [e for e in page.all("meta") if e.attributes.get("http-equiv") == "Content-Security-Policy"]
        assert "default-src 'none'" in policy.attributes["content"]
        assert len(list(page.all("script"))) == 1
        assert {e.tag for e in page.all() if {"src", "srcset", "data"} & e.attributes.keys()} <= {"img"}
        assert all(e.attributes["src"].startswith("data:image/svg+xml,") for e in page.all("img"))
        assert not [e for e in page.all() if e.tag in ("link", "iframe", "object", "embed", "base")]
        assert "url(" not in "".join(s for e in page.all("style") for s in e.inside if isinstance(s, str))

    def test_nothing_runs_from_an_attribute(self, page: Element) -> None:
        names = {name for element in page.all() for name in element.attributes}
        assert not [name for name in names if name.startswith("on")]
        links = {e.attributes[name] for e in page.all() for name in ("href", "xlink:href") if name in e.attributes}
        assert all(link.startswith("#") for link in links)

    def test_every_link_has_its_place_and_every_place_one_name(self, page: Element) -> None:
        places = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
        assert len(set(places)) == len(places)
        assert all(re.fullmatch(r"[\w-]+", place) for place in places)
        assert {e.attributes["href"][1:] for e in page.all("a")} <= set(places)
        for name in ("aria-labelledby", "aria-describedby"):
            named = " ".join(e.attributes.get(name, "") for e in page.all()).split()
            assert set(named) <= set(places)

    def test_headings_do_not_skip_a_level(self, page: Element) -> None:
        levels = [int(e.tag[1]) for e in page.all() if re.fullmatch("h[1-6]", e.tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))

    def test_pictures_and_controls_have_names(self, page: Element) -> None:
        assert all(e.attributes.get("alt") for e in page.all("img"))
        for svg in page.all("svg"):
            assert svg.attributes.get("aria-labelledby") or svg.attributes.get("aria-label")
        labelled = {id(inner) for label in page.all("label") for inner in label.all()}
        assert all(id(e) in labelled for e in page.all() if e.tag in ("input", "select"))
        assert all(th.attributes.get("scope") for th in page.all("th"))


def test_figures_are_shown_where_there_are_some() -> None:
    (figure,) = verify_page().all("figure")
    (image,) = figure.all("img")
    assert image.attributes["src"].startswith("data:image/svg+xml,")
    assert HOSTILE[1] in image.attributes["alt"]
    assert "nothing to draw of" in verify_page().text()
    without = {key: value for key, value in verify_report().items() if key != "figures"}
    assert not list(parsed(page_of(without)).all("figure"))


def test_figures_of_all_settings_stand_with_those_of_the_only_one() -> None:
    def drawn(*settings: str | None) -> dict[str, Any]:
        return {"drawn": [{"setting": s, "title": f"of {s}", "alternative_text": "a", "svg": ""} for s in settings]}

    assert [group.setting for group in figure_groups(drawn(None, "a", "a"))] == ["a"]
    assert [group.setting for group in figure_groups(drawn(None, "a", "b"))] == [None, "a", "b"]
    assert [group.setting for group in figure_groups(drawn(None))] == [None]
    assert figure_groups(None) == ()


class TestNames:
    def test_hostile_names_are_shown_as_they_are(self, report: Report, page: Element) -> None:
        shown = page.text(without=("script", "style"))
        plain = " ".join(parsed(str(visible(shown))).text().split())
        met = [name for name in HOSTILE if any(name in text for text in strings_in(report))]
        assert met
        for name in met:
            assert " ".join(parsed(str(visible(name))).text().split()) in plain

    def test_no_element_and_no_attribute_comes_from_a_name(self, page: Element) -> None:
        assert not [e for e in page.all() if e.attributes.get("src") == "x" or "onerror" in e.attributes]
        assert not [e for e in page.all("b") if e.text() == "name"]

    def test_characters_that_turn_text_round_are_written_out(self, page: Element, report: Report) -> None:
        text = "".join(page.texts())
        assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)
        attributes = "".join(value for e in page.all() for value in e.attributes.values())
        assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", attributes)
        if any("\u202e" in text for text in strings_in(report)):
            assert "U+202E" in text

    def test_templates_in_names_are_not_filled_in(self, page: Element) -> None:
        assert "49" not in [data.text() for data in page.all("bdi")]


class TestNumbers:
    """A page says nothing that the report does not."""

    def test_every_number_is_one_of_the_report(self, report: Report, page: Element) -> None:
        findings = {one["label"] for one in parts_of(report) if one.get("documented_finding")}
        known = {*numbers_in(report), len(findings)}
        shown = [data.attributes["value"] for data in page.all("data")]
        assert len(shown) > 20
        assert {float(value) for value in shown} <= known

    def test_what_is_read_is_the_number_rounded(self, page: Element) -> None:
        for data in page.all("data"):
            text = data.text().replace(",", "").replace("−", "-")
            # A ratio that is nearly 1, but is not, says on which side it is.
            value, read = float(data.attributes["value"]), float(text.lstrip("<>"))
            assert read == pytest.approx(value, rel=6e-3, abs=1e-300)
            assert text[0] not in "<>" or (value < read) is (text[0] == "<")

    #: Numbers that are words of the page: of a formula, of a ratio, of the axis.
    WORDS = frozenset(["0", "1", "4", "−4"])

    def test_no_other_number_stands_on_the_page(self, report: Report, page: Element) -> None:
        """Take from the text what the report says in words: what is left has no number of its own."""
        text = page.text(without=("script", "style", "data", "math", "tick", "command", "hidden", "svg", "pre"))
        strings = set(strings_in(report))
        said = {word for string in strings for word in _words(string)}
        said |= {word for string in strings for word in _words(parsed_words(string))}
        left = [word for word in _words(text) if word not in said and word not in self.WORDS]
        assert not left

    def test_what_is_printed_whole_is_a_part_of_the_report(self, report: Report, page: Element) -> None:
        parts = {" ".join(json.dumps(part, indent=1, ensure_ascii=False).split()) for part in parts_of(report)}
        whole = {" ".join(parsed(str(visible(part))).text().split()) for part in parts | set(strings_in(report))}
        shown = [pre.text() for pre in page.all("pre")]
        assert shown or "check" not in str(report)[:9]
        assert not [text for text in shown if text not in whole]

    def test_a_number_that_is_not_in_the_report_is_caught(self) -> None:
        data = verify_report()
        html = page_of(data)
        tampered = parsed(html.replace("<h2>Verdicts</h2>", '<h2>Verdicts</h2><p><data value="0.123">0.123</data></p>'))
        with pytest.raises(AssertionError):
            self.test_every_number_is_one_of_the_report(data, tampered)
        tampered = parsed(html.replace("<h2>Verdicts</h2>", "<h2>Verdicts</h2><p>about 71234 claims</p>"))
        with pytest.raises(AssertionError):
            self.test_no_other_number_stands_on_the_page(data, tampered)


def _theorem_in_coq(theorem: str, page: Element) -> tuple[str, str]:
    """Return the line and the text about a theorem in Coq on a page."""
    opened = [e for e in page.all("details") if e.attributes.get("class") == "claim"]
    found = [e for claim in opened for e in claim.all("details") if e.attributes.get("class") == "more kernel"]
    [one] = {e.text(): e for e in found if f"{theorem}," in next(e.all("summary")).text()}.values()
    return " ".join(next(one.all("summary")).text().split()), " ".join(one.text().split())


def parsed_words(text: str) -> str:
    """A text as a page sets it."""
    from proofs_checks.pages.words import set_words

    return f"{parsed(str(set_words(text))).text()} {parsed(str(visible(text))).text()}"


def _words(text: str) -> list[str]:
    """The numbers in a text, as whole as they stand there."""
    return re.findall(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?", text)


class TestVerify:
    def test_a_page_of_a_saved_report_is_the_same(self) -> None:
        data = verify_report()
        assert page_of(json.loads(json.dumps(data))) == page_of(data)

    def test_first_comes_what_is_guaranteed_then_what_a_verdict_does_not_mean(self) -> None:
        headings = [e.text() for e in verify_page().all("h2")]
        assert headings[:4] == ["What is guaranteed", "What a verdict does not mean", "Verdicts", "Claims"]

    def test_the_guarantees_of_every_setting_are_on_the_page(self) -> None:
        """Each bound beside its trivial value, rounded up, with T_id, as `bounds` states them; before any count."""
        data = verify_report()
        [section] = [e for e in verify_page().all("section") if e.attributes.get("id") == "guarantees"]
        tables = list(section.all("table"))
        assert [each["setting"] for each in data["guarantees"]] == data["settings"]
        text = " ".join(section.text().split())
        for table, name in zip(tables, data["settings"], strict=True):
            setting = {each.name: each for each in (SETTING, published("gpqa-strong").setting)}[name]
            report = evaluate_bounds(setting, EFFORT.horizon)
            assert f"identification horizon T_id = {report.identification_horizon:,} on" in text
            rows = list(table.all("tr"))[1:]
            for row, (key, bound) in zip(rows, report.guarantees.items(), strict=True):
                [head] = [e.text() for e in row.all("th")]
                value, trivial, informative, stated = [e.text() for e in row.all("td")]
                assert head == f"{title_of(key)} ({UNITS[key]})"
                assert (value, trivial) == (
                    both_at_most(bound.value, bound.worth.trivial)
                    if bound.applies
                    else ("–", at_most(bound.worth.trivial))
                )
                start = bound.worth.informative_from
                said = "yes," if bound.worth.informative else "no" if start is None else "not yet,"
                assert informative.startswith(said if start is None else f"{said} from T = {start:,}")
                assert stated.startswith(bound.label)
        shown = verify_page().text()
        assert shown.index("What is guaranteed") < shown.index("claims were tested there")

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"quality_threshold": 0.99}, "None of the five theorems applies: no provider reaches"),
            ({"radius": "kl"}, "confidence radius; this platform's is kl. From the identification horizon"),
            ({"quality_threshold": 0.0}, "nothing can go wrong: its trivial value is 0"),
        ],
    )
    def test_what_is_not_guaranteed_has_its_reason_once(self, changes: dict[str, Any], said: str) -> None:
        data, setting = verify_report(), replace(SETTING, platform=replace(SETTING.platform, **changes))
        data["guarantees"] = [guarantees_data(setting, 5_000)]
        [section] = [e for e in parsed(page_of(data)).all("section") if e.attributes.get("id") == "guarantees"]
        text = " ".join(section.text().split())
        assert text.count(said) == 1
        assert ("At most" in text) == ("None of the five theorems applies" not in text)

    def test_a_report_of_an_older_version_has_no_guarantees(self) -> None:
        data = verify_report()
        del data["guarantees"]
        assert "What is guaranteed" not in parsed(page_of(data)).text()

    def test_the_main_theorems_are_the_first_claims(self) -> None:
        claims = [e for e in verify_page().all("details") if e.attributes.get("class") == "claim"]
        assert len(claims) == len(all_claims())
        assert "thm:sample-complexity" in next(claims[0].all("summary")).text()
        assert "thm:regret" in next(claims[1].all("summary")).text()

    def test_counts_count_one_thing_a_column(self) -> None:
        data = verify_report()
        [table] = [e for e in verify_page().all("table") if "counts" in e.attributes.get("class", "")]
        counts = [[e for e in row.all("td") if e.attributes.get("class") == "n"] for row in list(table.all("tr"))[1:]]
        rows = [[int(d.attributes["value"]) for cell in row for d in cell.all("data")] for row in counts]
        claims, results = (sum(column) for column in zip(*rows, strict=True))
        assert (claims, results) == (data["ran"]["claims"], len(data["claims"]))

    def test_it_says_of_how_many_proofs_the_answers_were_kept(self) -> None:
        data, told = verify_report(), "no solver was asked: their answers to the same scripts are kept"
        data["proofs"]["kept"] = data["proofs"]["stored"] = 0
        assert told not in parsed(page_of(data)).text()
        data["proofs"]["kept"] = 3
        assert f"For 3 of the {data['proofs']['proofs']} proofs {told}" in parsed(page_of(data)).text()
        data["proofs"]["stored"] = 2
        text = parsed(page_of(data)).text()
        assert f"For 1 of the {data['proofs']['proofs']} proofs {told}" in text
        assert f"For 2 of the {data['proofs']['proofs']} proofs no solver was asked on that machine" in text
        del data["proofs"]["kept"], data["proofs"]["stored"]  # as in a report of an older version
        assert told not in parsed(page_of(data)).text()

    def test_it_says_what_a_result_is(self) -> None:
        text = verify_page().text()
        assert f"Results counts pairs of a claim and a place, {verify_report()['ran']['results']} in all" in text

    def test_claims_that_were_not_asked_for_say_why_they_are_here(self) -> None:
        data = verify_report()
        assert "Asked for:" not in parsed(page_of(data)).text()
        asked = ["thm:regret", "lem:payment-range"]
        variants = {row["label"] for row in data["claims"] if row["label"].startswith(tuple(f"{a}:" for a in asked))}
        data["asked"], data["ran"]["variants"] = asked, len(variants)
        told = f"Asked for: {', '.join(asked)}. This page also shows {len(variants)} variants of them."
        assert told in parsed(page_of(data)).text()

    def test_a_star_is_explained_in_sight_where_there_is_one(self) -> None:
        data, told = verify_report(), "A star (*) after a number: the claim could not fail here"
        assert told in parsed(page_of(data)).text()
        for row in data["claims"]:
            row["could_fail_on_settings"] = None
        html = page_of(data)
        assert told not in parsed(html).text()
        assert "*</abbr>" not in html

    @pytest.mark.parametrize("place", ["gpqa-strong", None])
    def test_the_bar_of_a_violated_bound_is_full_and_marked_wherever_its_ratio_is_from(self, place: str | None) -> None:
        data, label = verify_report(), "lem:payment-range"
        for row in data["claims"]:
            if row["label"] == label:
                row["tightest_ratio"] = 2.07 if row["setting"] == place else None
        summary = next(self.opened(data, label).all("summary"))
        [bar] = [e for e in summary.all("span") if e.attributes.get("class", "").split()[:1] == ["bar"]]
        assert bar.attributes["class"] == "bar over"
        assert next(bar.all("span")).attributes == {"class": "fill", "style": "width: 100%"}
        assert summary.text().endswith("2.07")

    def test_verdicts_stand_in_one_order(self) -> None:
        chips = [
            str(each.attributes["value"])
            for each in verify_page().all("input")
            if each.attributes.get("name") == "verdict"
        ]
        order = [*VERDICTS]
        order.insert(order.index("REFUTED") + 1, "FINDING")
        assert chips == [name for name in order if name in chips]
        assert len(chips) > 4

    def test_a_place_without_a_result_says_so(self) -> None:
        data = verify_report()
        heard = [e.text() for e in parsed(page_of(data)).all("span") if e.attributes.get("class") == "heard"]
        places = len(data["settings"]) + 1
        missing = data["ran"]["claims"] * places - data["ran"]["results"]
        assert sum(text.endswith(": no result;") for text in heard) == missing > 0

    def test_a_skipped_proof_is_counted_beside_the_results_that_swallow_it(self) -> None:
        data = verify_report()
        found = [row for row in data["claims"] for piece in row["evidence"] if piece["kind"] == "certificate"]
        [skipped] = [row for row in found if any(piece["verdict"] == "SKIPPED" for piece in row["evidence"])]
        assert (skipped["label"], skipped["verdict"]) == (UNDECIDED, "NOT_REFUTED")
        said = f"proofs that are SKIPPED: 1 of {len(found)}, 1 of them in results that count under another verdict"
        assert said in verify_page().text()
        assert f"1 of {len(found)} proofs was not decided here: cvc5 is not installed" in verify_page().text()

    def test_what_a_proof_leaves_to_english_is_a_list_behind_one_line(self) -> None:
        opened = [e for e in verify_page().all("details") if e.attributes.get("class") == "claim"]
        [claim] = [e for e in opened if e.attributes["data-name"] == "Number of non-optimal steps, any radius"]
        [left] = [e for e in claim.all("details") if "left to English" in next(e.all("summary")).text()]
        argument, unjoined, inherited = (e.text() for e in left.all("li"))
        assert argument.startswith("The sums over steps")
        assert "others-are-unqualified-or-competitors" in unjoined
        assert "lem:selection-counting" in inherited
        assert "English argument alone joins" not in claim.text()

    def test_a_claim_that_coq_proves_names_its_theorem_and_what_is_trusted(self) -> None:
        said = _theorem_in_coq("lem_unqualified_elimination", verify_page())
        assert said[0] == "Theorem in Coq: lem_unqualified_elimination, stored"
        assert "It states the claim" in said[1]
        assert "not on the machine of this report" in said[1]
        assert "What must be trusted: Coq's kernel and these axioms of its real numbers, the stored record" in said[1]
        assert hashes(sources())["Statements.v"] in said[1]

    def test_a_theorem_that_states_a_part_is_said_to(self) -> None:
        data = copy.deepcopy(verify_report())
        for row in data["claims"]:
            for piece in row["evidence"]:
                if piece.get("kernel_theorem") == "lem_good_event_likely":
                    piece["kernel_states"] = "part"
        said = _theorem_in_coq("lem_good_event_likely", parsed(page_of(data)))
        assert said[0] == "Theorem in Coq: lem_good_event_likely, stored"
        assert "It states a part of the claim, or another form" in said[1]
        assert "What must be trusted" not in said[1]

    def test_a_record_of_coq_that_does_not_count_is_told(self) -> None:
        data = copy.deepcopy(verify_report())
        for row in data["claims"]:
            for piece in row["evidence"]:
                if piece["kind"] == "certificate":
                    piece |= kernel_evidence(None) | {"kernel_problem": "the file has changed"}
        text = parsed(page_of(data)).text()
        assert "A theorem in Coq about it does not count: the file has changed." in text
        assert "Theorem in Coq: lem_" not in text

    def test_what_is_cited_and_what_is_named_stand_apart(self) -> None:
        opened = [e for e in verify_page().all("details") if e.attributes.get("class") == "claim"]
        [text] = [e.text() for e in opened if e.attributes["data-name"] == "Number of non-optimal steps"]
        cited, named = "each citation checked, obligations of", "Its proof also names"
        first, _, second = text.partition(cited)[2].partition(named)
        assert "lem:selection-counting" in first
        assert "capped-selections-step" in first
        assert "lem:good-event" not in first
        assert "lem:good-event" in second
        assert "by certificate" not in verify_page().text()
        kinds = {e.attributes.get("class") for e in verify_page().all("path")}
        assert {"cited", "named", "paper"} <= kinds

    def test_refuted_findings_are_not_news(self) -> None:
        text = verify_page().text()
        assert "No new violation" in text
        assert "all were known before this run: the documented findings" in text

    def test_a_new_violation_is_the_first_thing_said(self) -> None:
        data = verify_report()
        for row in data["claims"]:
            if row["label"] == "lem:payment-range":
                row["verdict"] = row["verdict_of_claim"] = "REFUTED"
        root = parsed(page_of(data))
        banner = next(e for e in root.all("p") if "banner" in e.attributes.get("class", ""))
        assert banner.text().startswith("A new violation. Look first at lem:payment-range")
        assert "documented findings, not all" in root.text()

    def test_an_interruption_is_said(self) -> None:
        data = verify_report()
        data["ran"]["tasks_done"] -= 1
        assert "Interrupted after" in parsed(page_of(data)).text()

    def test_every_claim_opens_to_what_the_report_says_of_it(self) -> None:
        data, root = verify_report(), verify_page()
        opened = [e for e in root.all("details") if e.attributes.get("class") == "claim"]
        assert len(opened) == data["ran"]["claims"]
        texts = {e.attributes["data-name"]: e.text() for e in opened}
        for row in data["claims"]:
            shown = texts[row["name"]]
            assert row["label"] in shown
            assert row["number"] is None or row["number"] in shown
            for piece in row["evidence"]:
                assert " ".join(parsed(str(visible(piece["tried"]))).text().split()) in shown
                assert piece["witness"] is None or f"costproof replay REPORT.json {row['label']}" in shown
            for name in row["assumptions"]:
                assert parsed_words(name).split(" ")[0] in shown

    def opened(self, data: dict[str, Any], label: str, page: Element | None = None) -> Element:
        """Return the claim of a label on the page of a report, which is made here unless it is given."""
        [name] = {row["name"] for row in data["claims"] if row["label"] == label}
        page = parsed(page_of(data)) if page is None else page
        rows = [e for e in page.all("details") if e.attributes.get("class") == "claim"]
        [claim] = [e for e in rows if e.attributes["data-name"] == name]
        return claim

    def test_a_refuted_claim_beside_others_verdicts_says_why(self) -> None:
        """A row of the board with REFUTED and EXACT, or NOT_REFUTED, explains the two; a row of one kind does not."""
        data = verify_report()
        groups: dict[str, set[str]] = {}
        for row in data["claims"]:
            groups.setdefault(row["label"], set()).add(row["verdict"])
        mixed = {label for label, found in groups.items() if "REFUTED" in found and found & {"EXACT", "NOT_REFUTED"}}
        assert mixed
        for label, found in groups.items():
            if "REFUTED" not in found:
                continue
            said = next(self.opened(data, label, verify_page()).all("summary")).text()
            assert ("False as worded: one counterexample is enough." in said) == (label in mixed)
            assert label not in mixed or "What holds instead:" in said
            assert "NOT_REFUTED" not in found or "Where it is NOT_REFUTED, no counterexample was found." in said

    def test_a_part_that_is_not_refuted_is_told_from_the_one_that_is(self) -> None:
        data, label = verify_report(), "lem:payment-range:under-deviations"
        for row in data["claims"]:
            for piece in row["evidence"] if row["label"] == label else ():
                for part, verdict in zip(piece["parts"], ("REFUTED", "NOT_REFUTED"), strict=False):
                    part["verdict"] = verdict
        text = next(self.opened(data, label).all("summary")).text()
        assert "Of its parts, only “a payment is not negative” fails." in text

    def test_what_rests_on_a_claim_and_what_refutes_it_are_said_in_plain_words(self) -> None:
        data = verify_report()
        stated = data["statements"]
        one, more = (
            next(
                label for label, found in stated.items() if (len(found["implies"]) > 1) is several and found["implies"]
            )
            for several in (False, True)
        )
        page = verify_page()
        assert "A run that refutes the following claim refutes this one, too" in self.opened(data, one, page).text()
        assert "one of the following claims refutes this one, too" in self.opened(data, more, page).text()
        text = page.text()
        assert "These claims rest on it" in text
        assert "This claim rests on it" in text
        assert "Carries" not in text
        assert "; carries" not in text

    def test_a_claim_about_truthful_bids_explains_no_symbol_of_others(self) -> None:
        claim = self.opened(verify_report(), "thm:sample-complexity")
        [notation] = [e for e in claim.all("dl") if e.attributes.get("class") == "notation"]
        signs = "".join(each.text() for each in notation.all("math"))
        assert "Δ" in signs
        assert "γ" not in signs
        assert "underbid" not in notation.text()

    def test_numbers_that_were_not_compared_are_rows_with_their_reasons(self) -> None:
        data = verify_report()
        missing = [line for line in data["reproduction"]["numbers"] if line["ours"] is None]
        assert len(missing) == data["reproduction"]["not_compared"] > 0
        [listed] = [e for e in verify_page().all("details") if e.attributes.get("id") == "not-compared"]
        rows = list(listed.all("tr"))[1:]
        assert len(rows) == len(missing)
        for row, line in zip(rows, missing, strict=True):
            assert line["reason"] in row.text()
            assert line["setting"] in row.text()
        others = [e for e in verify_page().all("details") if e.attributes.get("class") == "table" and e is not listed]
        assert sum(e.text().count("not compared") for e in others) == len(missing)

    def test_second_words_in_boxes_of_the_graph_are_explained(self) -> None:
        [graph] = [e for e in verify_page().all("section") if e.attributes.get("id") == "graph"]
        text = graph.text()
        assert "“repaired” is that claim with its wording repaired" in text
        assert "“sharp” is that claim with a better bound" in text
        nodes = [e for e in graph.all("a") if "data-node" in e.attributes]
        assert len(nodes) > 50
        assert all(len(list(node.all("title"))) == 1 for node in nodes)

    def test_formulas_are_set(self) -> None:
        root = verify_page()
        formulas = [e for e in root.all() if e.attributes.get("class") == "formula"]
        assert len(formulas) > 200
        assert all(list(e.all("math")) for e in formulas)
        assert not [text for text in root.texts(("script", "style", "pre")) if "\\" in text]

    def test_a_report_of_an_earlier_version_has_a_page(self) -> None:
        data = verify_report()
        for key in ("statements", "notation", "seconds", "false_alarms", "reproduction", "built_in"):
            del data[key]
        root = parsed(page_of(data))
        assert len([e for e in root.all("details") if e.attributes.get("class") == "claim"]) == data["ran"]["claims"]
        assert list(root.all("math"))

    def test_a_report_without_settings_and_claims_has_one(self) -> None:
        data = verify_report()
        data |= {"claims": [], "settings": [], "slacks": {}}
        assert "no setting" in parsed(page_of(data)).text()

    def test_commands_name_no_setting_that_is_not_built_in(self) -> None:
        commands = {e.text() for e in verify_page().all("code") if "command" in str(e.attributes)}
        again = {text for text in commands if text.startswith("costproof verify")}
        assert again
        asked = "costproof verify SETTING.toml gpqa-strong --quick --horizon 300 --instances 8 --seed 3 --claim "
        assert all(text.startswith(asked) for text in again)

    def test_an_effort_that_no_flags_stand_for_has_no_command(self) -> None:
        data = verify_report()
        data["effort"]["variant_horizon"] = 299
        assert "costproof verify SETTING.toml" not in page_of(data)

    def test_the_ledger_adds_up(self) -> None:
        ledger = verify_report()["false_alarms"]
        assert [test["claims"][0] for test in ledger["tests"]] == ["eq:allocation", "lem:good-event", "lem:good-event"]
        for test in ledger["tests"]:
            assert test["at_most"] == pytest.approx(test["times"] * test["probability"])
        assert ledger["at_most"] == pytest.approx(sum(test["at_most"] for test in ledger["tests"]))
        # Every run and small instance draws; every run of a setting has scores, and all of a setting are one test more.
        assert [test["times"] for test in ledger["tests"]] == [2 * 4 + 8, 2 * 4 + 2, 2 * 4 + 2]


class TestAudit:
    def test_the_diagnosis_comes_first(self) -> None:
        headings = [e.text() for e in audit_page().all("h2")]
        assert headings[:3] == ["What the violations are consistent with", "What this log cannot show", "Timeline"]

    def test_a_clean_log_says_what_it_does_not_show(self) -> None:
        root = parsed(page_of(audit_report(broken=False)))
        assert "No rule is broken in 900 steps" in root.text()
        assert next(e.text() for e in root.all("h2")) == "What this log cannot show"

    def test_the_weakest_property_is_said_only_of_a_wrong_log(self) -> None:
        names = [told["name"] for told in audit_report()["properties"]["weakest_refuted"]]
        assert len(names) == 2
        assert f"Weakest properties refuted: {names[0]} (" in audit_page().text()
        assert f" and {names[1]} (" in audit_page().text()
        assert "refuted: " not in parsed(page_of(audit_report(broken=False))).text()

    def test_amounts_out_of_range_are_said(self) -> None:
        assert re.search(r"\d+ bids? lies? outside \[0, 10\]", audit_page().text())

    def test_the_table_of_the_timeline_adds_up(self) -> None:
        data = audit_report()
        timeline = data["timeline"]
        assert sum(map(sum, timeline["providers"].values())) + sum(timeline["others"]) == data["steps"]
        for rule, counts in timeline["violations"].items():
            assert sum(counts) == data["violation_counts"][rule]
        assert {rule for rule, count in data["violation_counts"].items() if count} == timeline["violations"].keys()

    def test_the_banner_names_the_explanation_before_it_tells_it(self) -> None:
        first = {"hypothesis": "exploration skipped", "alike": ["rows exchanged"], "text": "The violations ..."}
        data = audit_report()
        data["diagnosis"] = [first | {"where": None, "explains": "all 3 violations"}]
        banner = next(e for e in parsed(page_of(data)).all("p") if "bad" in e.attributes.get("class", ""))
        assert banner.text().endswith("Look first at: exploration skipped, or rows exchanged. The violations ...")

    def test_an_audit_without_a_timeline_has_a_page(self) -> None:
        data = audit_report()
        for key in ("timeline", "statements", "notation", "built_in", "properties"):
            del data[key]
        for row in data["claims"]:
            row |= {"assumptions": [], "repaired_by": None}
        assert "Timeline" not in parsed(page_of(data)).text()


class TestCheck:
    def test_the_matrix_has_every_check_and_every_mechanism(self) -> None:
        reports = check_reports()
        [matrix] = [e for e in parsed(page_of(reports)).all("table") if "matrix" in e.attributes.get("class", "")]
        rows = [row for row in matrix.all("tr") if row.attributes.get("class") != "group"][1:]
        assert {next(row.all("th")).text() for row in rows} == {check["name"] for check in reports[0]["checks"]}
        for row in rows:
            name = next(row.all("th")).text()
            cells = [e.text() for e in row.all("span") if "heard" in e.attributes.get("class", "")]
            for report, text in zip(reports, cells, strict=True):
                [status] = [check["status"] for check in report["checks"] if check["name"] == name]
                assert text.endswith(f": {status};")

    def test_a_failure_is_shown_with_its_script(self) -> None:
        report = check_reports()[0]
        shown = parsed(page_of(report)).text()
        for check in report["checks"]:
            if check["status"] == "failed":
                assert " ".join(parsed(str(visible(check["script"]))).text().split()) in shown

    def test_the_weakest_property_is_said_where_the_report_has_it(self) -> None:
        report = check_reports()[0]
        told = "Weakest property refuted of those checked: critical-payments"
        assert told in parsed(page_of(report)).text()
        del report["properties"]
        assert told not in parsed(page_of(report)).text()

    def test_a_check_that_only_one_mechanism_met_is_shown(self) -> None:
        one, other = check_reports()
        other["checks"] = other["checks"][1:]
        assert "not run" in parsed(page_of([one, other])).text()


class TestWhatHasNoPage:
    @pytest.mark.for_each("data", [{}, {"settings": []}, [], [{}], [[]], ["verify"], 5, "verify", None, [5]])
    def test_no_report(self, data: Any) -> None:
        with pytest.raises(InputError, match="is no report"):
            page_of(data)

    def test_reports_of_several_kinds(self) -> None:
        with pytest.raises(InputError, match="do not fit on one page"):
            page_of([audit_report(), check_reports()[0]])
        with pytest.raises(InputError, match="do not fit on one page"):
            page_of([audit_report(), audit_report()])

    @pytest.mark.parametrize("key", ["ran", "claims", "versions"])
    def test_a_part_is_missing_or_is_something_else(self, key: str) -> None:
        data = verify_report()
        with pytest.raises(InputError, match=r"is not whole|is no report"):
            page_of({name: value for name, value in data.items() if name != key})
        with pytest.raises(InputError, match="is not whole"):
            page_of(data | {key: 3})

    def test_kinds(self) -> None:
        kinds = [kind_of(each) for each in (verify_report(), audit_report(), check_reports()[0], {}, None)]
        assert kinds == ["verify", "audit", "check", None, None]
