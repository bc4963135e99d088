"""The pages: whole, safe, and saying nothing that their report does not."""

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.glossary import title_of, unit_of
from bounds.published import published
from bounds.report import evaluate_bounds
from bounds.words import at_most, both_at_most
from proofs_checks.pages.page import page_of
from proofs_checks.pages.words import visible
from proofs_checks.proofs.kernel.theorems import hashes, sources
from proofs_checks.verify.guarantees import guarantees_of_setting
from tests.documentation import ROOT
from tests.proofs_checks.pages.parsed import Element, parsed
from tests.proofs_checks.pages.reports import EFFORT, HOSTILE, SETTING, audit_report, check_reports, verify_report

Report = dict[str, Any] | list[dict[str, Any]]
REPORTS: dict[str, Callable[[], Report]] = {
    "verify": verify_report,
    "audit": audit_report,
    "check": lambda: check_reports()[0],
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


def parts_of(data: Any) -> Iterator[Any]:
    """Yield a report, and every key and value in it."""
    yield data
    if isinstance(data, dict):
        yield from data
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from parts_of(value)


def numbers_in(data: Any) -> Iterator[float]:
    """Yield every number of a report."""
    return (part for part in parts_of(data) if isinstance(part, (int, float)) and not isinstance(part, bool))


def strings_in(data: Any) -> Iterator[str]:
    """Yield every text of a report, keys among them."""
    return (part for part in parts_of(data) if isinstance(part, str))


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


def test_the_page_of_verify_names_the_paper_and_its_authors() -> None:
    paper = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("preferred-citation:")[2]
    authors = [f"{given} {family}" for family, given in re.findall(r"family-names: (.+)\n +given-names: (.+)", paper)]
    assert len(authors) == 3
    assert all(name in verify_page().text() for name in [*re.findall("title: (.+)", paper), *authors])


def test_figures_are_shown_where_there_are_some() -> None:
    (figure,) = verify_page().all("figure")
    (image,) = figure.all("img")
    assert image.attributes["src"].startswith("data:image/svg+xml,")
    assert HOSTILE[1] in image.attributes["alt"]
    assert "nothing to draw of" in verify_page().text()


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


class TestNumbers:
    """A page says nothing that the report does not."""

    def test_every_number_is_one_of_the_report(self, report: Report, page: Element) -> None:
        tables = [part for part in parts_of(report) if isinstance(part, dict)]
        findings = {table["label"] for table in tables if table.get("documented_finding")}
        known = {*numbers_in(report), len(findings)}
        shown = [data.attributes["value"] for data in page.all("data")]
        assert shown
        assert {float(value) for value in shown} <= known

    #: Numbers that are words of the page: of a formula, of a ratio, of the axis.
    WORDS = frozenset(["0", "1", "4", "−4"])

    def test_no_other_number_stands_on_the_page(self, report: Report, page: Element) -> None:
        """Take from the text what the report says in words: what is left has no number of its own."""
        without = ("script", "style", "data", "math", "tick", "command", "hidden", "svg", "pre")
        text = " ".join(page.texts(without))
        strings = set(strings_in(report))
        said = {word for string in strings for word in _words(string)}
        said |= {word for string in strings for word in _words(parsed_words(string))}
        known = set(numbers_in(report))
        if isinstance(report, dict) and "guarantees" in report:
            # The first sentence of verify's page counts comparisons on settings and elsewhere.
            rows = [row for row in report["claims"] if row["setting"] is not None]
            compared = sum(piece["checked"] for row in rows for piece in row["evidence"])
            known |= {compared, report["ran"]["comparisons"] - compared}
        left = [
            word for word in _words(text) if word not in said and word not in self.WORDS and _value(word) not in known
        ]
        assert not left

    @pytest.mark.long("renders three pages")
    def test_a_number_that_is_not_in_the_report_is_caught(self) -> None:
        data = verify_report()
        html = page_of(data)
        tampered = parsed(html.replace("</h1>", '</h1><p><data value="0.123">0.123</data></p>'))
        with pytest.raises(AssertionError):
            self.test_every_number_is_one_of_the_report(data, tampered)
        tampered = parsed(html.replace("</h1>", "</h1><p>about 71234 claims</p>"))
        with pytest.raises(AssertionError):
            self.test_no_other_number_stands_on_the_page(data, tampered)


def _theorem_in_coq(theorem: str, page: Element) -> tuple[str, str]:
    """Return the line and the text about a theorem in Coq on a page."""
    opened = [e for e in page.all("details") if e.attributes.get("class") == "claim"]
    found = [e for claim in opened for e in claim.all("details") if e.attributes.get("class") == "more kernel"]
    [one] = {e.text(): e for e in found if f"{theorem}," in next(e.all("summary")).text()}.values()
    return " ".join(next(one.all("summary")).text().split()), " ".join(one.text().split())


def _value(word: str) -> float:
    """The number that a page writes with separators and a minus sign."""
    return float(word.replace(",", "").replace("−", "-"))


def parsed_words(text: str) -> str:
    """A text as a page sets it."""
    from proofs_checks.pages.words import set_words

    return f"{parsed(str(set_words(text))).text()} {parsed(str(visible(text))).text()}"


def _words(text: str) -> list[str]:
    """The numbers in a text, as whole as they stand there."""
    return re.findall(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?", text)


class TestVerify:
    def test_the_guarantees_of_every_setting_are_on_the_page(self) -> None:
        """Each bound, rounded up, with its trivial value, and T_id, as `bounds` states them."""
        data = verify_report()
        [section] = [e for e in verify_page().all("section") if e.attributes.get("id") == "guarantees"]
        assert [each["setting"] for each in data["guarantees"]] == data["settings"]
        for body, setting in zip(section.all("tbody"), (SETTING, published("gpqa-strong").setting), strict=True):
            report = evaluate_bounds(setting, EFFORT.horizon)
            rows = [([e.text() for e in row.all("th")], [e.text() for e in row.all("td")]) for row in body.all("tr")]
            heads = {head[0]: cells for head, cells in rows if head}
            assert heads["Identification horizon T_id queries"][0] == f"{report.identification_horizon:,}"
            for key, bound in report.guarantees.items():
                value, trivial, _, informative_from = heads[f"{title_of(key)} {unit_of(key)}"]
                assert (value, trivial) == (
                    both_at_most(bound.value, bound.worth.trivial)
                    if bound.applies
                    else ("–", at_most(bound.worth.trivial))
                )
                assert ("reached" in informative_from) == bound.worth.informative
            links = [e.attributes["href"] for e in body.all("a")]
            assert links == [f"#claim-{bound.label.replace(':', '-')}" for bound in report.guarantees.values()]

    def test_the_answer_comes_first_and_the_counts_last(self) -> None:
        """Guarantees, then how tight each theorem is, then the claims and their legend; the rest is folded."""
        page = verify_page()
        parts = [e.attributes["id"] for e in page.all() if e.tag in ("section", "details") and "id" in e.attributes]
        assert parts[:3] == ["guarantees", "theorems", "board"]
        assert parts[-1] == "ran"
        folded = [e for e in page.all("details") if e.attributes.get("class") == "fold"]
        assert [e.attributes["id"] for e in folded] == ["findings", "notation", "figures", "tables", "ran"]
        assert not [e for e in page.all("details") if "open" in e.attributes]
        [theorems] = [e for e in page.all("section") if e.attributes.get("id") == "theorems"]
        numbered = dict.fromkeys(c["number"] for c in verify_report()["claims"] if c["kind"] == "theorem")
        assert [next(e.all("a")).text() for e in theorems.all("li")] == [number for number in numbered if number]

    def test_claims_are_in_the_sections_of_the_paper(self) -> None:
        folded = [e for e in verify_page().all("details") if e.attributes.get("class") == "part"]
        stated = {next(e.all("h3")).text(): [c.attributes.get("data-name") for c in e.all("details")] for e in folded}
        assert "Number of non-optimal steps" in stated["Section 4: Finding the lowest competitive inference price"]
        assert list(stated)[-1] == "Beyond the paper"

    @pytest.mark.parametrize("name", ["verify", "audit"])
    def test_verdicts_are_in_words(self, name: str) -> None:
        text = parsed(page_of(REPORTS[name]())).text(without=("script", "style", "pre", "tried", "command"))
        assert not re.findall(r"\b(?:PROVED\w*|NOT_REFUTED|REFUTED|VACUOUS|ASSUMPTION_VIOLATED|SKIPPED)\b", text)

    @pytest.mark.long("renders pages of three settings")
    @pytest.mark.for_each(
        ("changes", "said"),
        [
            ({"quality_threshold": 0.99}, "None of the five theorems applies: no provider reaches"),
            ({"radius": "beta-binomial"}, "confidence radius; this platform's is beta-binomial."),
            ({"quality_threshold": 0.0}, "nothing can go wrong: its trivial value is 0"),
        ],
    )
    def test_what_is_not_guaranteed_has_its_reason_once(self, changes: dict[str, Any], said: str) -> None:
        data, setting = verify_report(), replace(SETTING, platform=replace(SETTING.platform, **changes))
        data["guarantees"] = [guarantees_of_setting(setting, 5_000).to_data()]
        [section] = [e for e in parsed(page_of(data)).all("section") if e.attributes.get("id") == "guarantees"]
        assert section.text().count(said) == 1

    def test_a_claim_that_coq_proves_names_its_theorem_and_what_is_trusted(self) -> None:
        said = _theorem_in_coq("lem_unqualified_elimination", verify_page())
        assert said[0] == "Theorem in Coq: lem_unqualified_elimination, stored"
        assert "It states the claim" in said[1]
        [ran] = [e.text() for e in verify_page().all("details") if e.attributes.get("id") == "ran"]
        assert "What must be trusted: " in ran
        assert hashes(sources())["Statements.v"] in ran

    @pytest.mark.long("renders a page")
    def test_a_new_violation_is_the_first_thing_said(self) -> None:
        data = verify_report()
        for row in data["claims"]:
            if row["label"] == "lem:payment-range":
                row["verdict"] = row["verdict_of_claim"] = "REFUTED"
        root = parsed(page_of(data))
        banner = next(e for e in root.all("p") if "banner" in e.attributes.get("class", ""))
        assert banner.text().startswith("A new violation. Look first at lem:payment-range")

    @pytest.mark.long("renders a page")
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
        for label in (label for label, found in groups.items() if "REFUTED" in found):
            said = next(self.opened(data, label, verify_page()).all("summary")).text()
            assert ("Refuted as worded: one counterexample is enough." in said) == (label in mixed)

    @pytest.mark.long("renders a page")
    def test_a_report_of_an_earlier_version_has_a_page(self) -> None:
        data = verify_report()
        del data["figures"]
        for key in ("statements", "notation", "seconds", "false_alarms", "reproduction", "built_in", "guarantees"):
            del data[key]
        root = parsed(page_of(data))
        assert len([e for e in root.all("details") if e.attributes.get("class") == "claim"]) == data["ran"]["claims"]
        assert list(root.all("math"))
        assert not list(root.all("figure"))

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


class TestAudit:
    def test_a_clean_log_says_what_it_does_not_show(self) -> None:
        root = parsed(page_of(audit_report(broken=False)))
        assert "No rule is broken in 900 steps" in root.text()
        assert "What a log cannot show" in [e.text() for e in root.all("h2")]


class TestCheck:
    def test_the_matrix_has_every_check_and_every_mechanism(self) -> None:
        reports = check_reports()
        [matrix] = [e for e in parsed(page_of(reports)).all("table") if "matrix" in e.attributes.get("class", "")]
        rows = [row for row in matrix.all("tr") if row.attributes.get("class") != "group"][1:]
        assert {next(row.all("th")).text() for row in rows} == {check["name"] for check in reports[0]["checks"]}
        for row in rows:
            name = next(row.all("th")).text()
            cells = [e.attributes["title"] for e in row.all("span") if e.attributes.get("role") == "img"]
            for report, text in zip(reports, cells, strict=True):
                [status] = [check["status"] for check in report["checks"] if check["name"] == name]
                assert text.endswith(f": {status}")

    def test_a_failure_is_shown_with_its_script(self) -> None:
        report = check_reports()[0]
        shown = parsed(page_of(report)).text()
        for check in report["checks"]:
            if check["status"] == "failed":
                assert " ".join(parsed(str(visible(check["script"]))).text().split()) in shown


class TestWhatHasNoPage:
    @pytest.mark.for_each("data", [{}, {"settings": []}, [], [{}], [[]], ["verify"], 5, "verify", None, [5]])
    def test_no_report(self, data: Any) -> None:
        with pytest.raises(InputError, match="is not a report"):
            page_of(data)

    def test_reports_of_several_kinds(self) -> None:
        with pytest.raises(InputError, match="do not fit on one page"):
            page_of([audit_report(), check_reports()[0]])

    @pytest.mark.parametrize("key", ["ran", "claims", "versions"])
    def test_a_part_is_missing_or_is_something_else(self, key: str) -> None:
        data = verify_report()
        with pytest.raises(InputError, match=r"is not whole|is not a report"):
            page_of({name: value for name, value in data.items() if name != key})
        with pytest.raises(InputError, match="is not whole"):
            page_of(data | {key: 3})
