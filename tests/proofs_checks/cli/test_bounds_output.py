"""What `bounds` and `settings` print: at 80 columns no line is longer and no word is broken; tables read back."""

from __future__ import annotations

import csv
import functools
import io
import math
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bounds.loading import load_setting
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import HEADINGS, READ, THEOREMS, THEOREMS_DEVIATING, evaluate_bounds
from bounds.setting.file import format_setting
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.cli.arguments import whole_number
from proofs_checks.cli.main import main
from proofs_checks.cli.views.bounds import headline

SHOWN = [["settings"]] + [
    ["bounds", name, *more]
    for name in PUBLISHED_NAMES
    for more in ([], ["--all"], ["--method", "sharp"], ["--horizon", "9007199254740e2", "--all"])
]
_WORD = re.compile(r"[^\s│┃]+")


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(arguments) == 0
    return capsys.readouterr().out


def words(text: str) -> set[str]:
    return {word for line in text.splitlines() for word in _WORD.findall(line) if not set(word) <= set("━┏┳┓┡╇┩└┴┘─")}


#: Seven providers; the quality of one lies 0.01 below the threshold.
SEVEN = """[platform]
quality_threshold = 0.70
confidence = 0.05
cost_bound = 0.01
exploration_scale = 2.0
exploration_exponent = 0.6666666666666666
""" + "".join(
    f'[[provider]]\nname = "{name}"\nquality = {quality}\nmean_cost = {cost}\n'
    for name, quality, cost in (
        *(("nano", 0.41, 0.0002), ("mini", 0.58, 0.0005), ("edge", 0.69, 0.0009), ("mid", 0.74, 0.0014)),
        *(("plus", 0.79, 0.0022), ("large", 0.86, 0.0041), ("frontier", 0.93, 0.0085)),
    )
)


@pytest.fixture
def markets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with seven.toml, and near.toml, in which a quality misses the threshold by next to nothing."""
    (tmp_path / "seven.toml").write_text(SEVEN)
    (tmp_path / "near.toml").write_text(SEVEN.replace("0.69\n", "0.69999999999\n"))
    monkeypatch.chdir(tmp_path)


OWN = [["bounds", f"{name}.toml", *more] for name in ("seven", "near") for more in ([], ["--all"])]


@pytest.mark.parametrize("arguments", SHOWN + OWN, ids=" ".join)
def test_nothing_is_broken_at_60_70_and_80_columns(
    arguments: list[str], markets: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bounds.report.evaluate_bounds", functools.cache(evaluate_bounds))
    monkeypatch.setenv("COLUMNS", "400")
    wide = printed(arguments, capsys)
    for columns in (60, 70, 80):
        if columns == 80:
            monkeypatch.delenv("COLUMNS")
        else:
            monkeypatch.setenv("COLUMNS", str(columns))
        narrow = printed(arguments, capsys)
        assert max(map(len, narrow.splitlines())) <= columns
        assert words(narrow) - {"\\"} == words(wide)


def test_a_broken_word_is_noticed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table is printed as it is, its columns shrink: the comparison above says so."""
    monkeypatch.setattr("proofs_checks.cli.views.console.show", lambda screen, found: screen.print(found))
    monkeypatch.setenv("COLUMNS", "60")
    narrow = printed(["settings"], capsys)
    monkeypatch.setenv("COLUMNS", "400")
    assert words(narrow) != words(printed(["settings"], capsys))


@pytest.mark.parametrize("columns", ["60", "70", "80"])
def test_every_row_of_a_narrow_table_has_its_name(
    columns: str, markets: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = printed(["bounds", "seven.toml", "--horizon", "100000"], capsys)
    assert re.search(r"^average payment deviation +- +0.0078 +-", text, re.MULTILINE)
    assert re.search(r"^average payment deviation .*from 3,729,394,751$", text, re.MULTILINE)


def test_a_name_wider_than_the_screen_is_broken_rather_than_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "long.toml").write_text(SEVEN.replace('"edge"', f'"{"edge " * 20}"'))
    monkeypatch.setenv("COLUMNS", "60")
    text = printed(["bounds", str(tmp_path / "long.toml")], capsys)
    table = text[text.index("Providers at T") :].splitlines()
    assert max(map(len, table[: next(i for i, line in enumerate(table) if line.startswith("Next, "))])) <= 60
    assert re.search(r"^frontier +qualified", text, re.MULTILINE)


def test_both_horizons_of_identification_are_shown(markets: None, capsys: pytest.CaptureFixture[str]) -> None:
    """The bound is informative from T = 1,125,494 on; the optimum is guaranteed to lead from T_id = 2,265,032 on."""
    text = printed(["bounds", "seven.toml", "--horizon", "1125494"], capsys)
    assert "serves more queries than any other from T_id = 2,265,032 on" in " ".join(text.split())
    assert re.search(r"^identification bound .* > 99.9%  yes", text, re.MULTILINE)
    assert "Next, where the optimum is guaranteed to lead:\n  costproof bounds seven.toml --horizon 2265032\n" in text
    later = printed(["bounds", "seven.toml", "--horizon", "2265032"], capsys)
    assert "serves more queries than any other from T_id = 2,265,032 on" in " ".join(later.split())
    assert "From T_id" not in later
    assert "--horizon 3729394751\n" in later


def test_the_next_command_asks_for_the_same_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(["bounds", "gpqa-strong", "--method", "sharp"], capsys)
    commands = [line.strip() for line in text.splitlines() if line.startswith("  costproof bounds")]
    assert commands
    assert all("--method sharp" in command for command in commands)
    others = printed(["bounds", "gpqa-strong"], capsys).partition("Next, ")[2]
    best = "the best bounds for the same market, mechanism and delta:"
    assert others.startswith(f"{best}\n  costproof bounds gpqa-strong --horizon 70000 --method sharpest\n")
    assert others.count("--method") == 1


#: Seven providers of which the quality of E, 0.04 below the threshold, makes T_0 long.
ROSTER = """[platform]
quality_threshold = 0.84
confidence = 0.05
cost_bound = 40
exploration_scale = 2
exploration_exponent = 0.75
""" + "".join(
    f'[[provider]]\nname = "{name}"\nquality = {quality}\nmean_cost = {cost}\n'
    for name, quality, cost in (
        *(("A", 0.93, 12), ("B", 0.90, 7), ("C", 0.86, 6.5), ("D", 0.85, 3)),
        *(("E", 0.80, 2.2), ("F", 0.70, 1.9), ("G", 0.55, 0.6)),
    )
)


@pytest.fixture
def roster(tmp_path: Path) -> str:
    path = tmp_path / "roster.toml"
    path.write_text(ROSTER)
    return str(path)


@pytest.mark.parametrize("method", ["paper", "sharp", "sharpest"])
def test_improved_bounds_say_how_strongly_they_are_proved(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the advice names them, and where they are the numbers of the table."""
    text = " ".join(printed(["bounds", "gpqa-strong", "--method", method], capsys).split())
    when = "as checked when this package was made"
    steps = (
        f"PROVED_STEPS, {when}: each step of the argument proved by both solvers, what joins them argued in English."
    )
    advised = "The sharpest bounds and those for another radius are"
    assert (f"{advised} {steps}" in text) == (method == "paper")
    assert (f"They are {steps}" in text) == (method != "paper")


def test_the_provider_to_leave_out_is_named_after_the_mechanism_as_a_smaller_roster(
    roster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(["bounds", roster, "--horizon", "300k"], capsys).splitlines()
    text = " ".join(" ".join(lines).split())
    without = "a smaller roster: without E the bound is 28.945 of 33.5; all five"
    assert text.count("without E ") == 1
    assert "0.7 is the quality of F, the optimum, so there is no margin: just above it F is not qualified" in text
    order = (
        "--method sharpest is enough: 11.6",
        "exploration_scale = 10:",
        without,
        "quality_threshold = 0.85:",
        "another market: qual",
    )
    places = [text.index(each) for each in order]
    assert places == sorted(places)


def test_a_guarantee_that_says_something_says_from_when_on(roster: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(["bounds", roster, "--horizon", "250k"], capsys)
    assert re.search(r"^identification bound +81,013 +249,993 +32.4%  yes, from 77,994 *$", text, re.MULTILINE)
    assert "D, the optimum, serves more queries than any other from T_id = 159,046 on" in " ".join(text.split())
    assert re.search(r"^average payment deviation .*  from 8,033,794 *$", text, re.MULTILINE)


def test_counts_say_that_they_begin_after_initialization(roster: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The compiled market cannot exceed what the table says by more than the one query of initialization."""
    text = printed(["bounds", roster, "--horizon", "250k", "--all"], capsys)
    assert re.search(r"^ +after initialization *\nprovider +is +gap +selected at most ", text, re.MULTILINE)
    assert re.search(r"^A +qualified +9 in cost +5,195 ", text, re.MULTILINE)
    assert re.search(r"^N - 1 \+ B_id\(T\) of appendix D: the same with initialization +81,019$", text, re.MULTILINE)
    assert "queries after initialization for identification bound" in " ".join(text.split())


def test_large_numbers_and_shares_are_short(markets: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(["bounds", "near.toml"], capsys).split())
    assert "it lets 4.5e24 queries go to others than the optimum" in text
    assert not re.search(r"\d{16}|e\+|(?:,\d{3}){6}", text)
    assert re.search(r"identification bound 4.5e24 69,993 6.3e21%", text)
    gsm = printed(["bounds", "seven.toml", "--horizon", "200000"], capsys)
    assert re.search(r"^identification bound .* 559% ", gsm, re.MULTILINE)


def test_a_burn_in_that_is_merely_large_is_a_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quality 1e-7 below the threshold: T_0 is beyond every horizon, and not undefined."""
    path = tmp_path / "hair.toml"
    path.write_text(ROSTER.replace("quality = 0.8\n", "quality = 0.8399999\n"))
    monkeypatch.setenv("COLUMNS", "120")
    text = printed(["bounds", str(path)], capsys)
    burn_in = evaluate_bounds(load_setting(str(path)), 70_000).burn_in
    assert burn_in is not None
    assert burn_in > 2.0**52
    assert re.search(rf"^average payment deviation .* not before T_0 = {burn_in:.1e} *$".replace("+", ""), text, re.M)
    assert "undefined" not in text


def test_the_advice_says_at_which_horizon_nothing_helps(markets: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(["bounds", "seven.toml", "--horizon", "100k"], capsys).split())
    up, down = text.index("quality_threshold = 0.73 would help"), text.index("quality_threshold = 0.69 would help")
    assert up < down
    never = "exploration_scale or exploration_exponent: no value can help: the M_i and L_i alone add up to 1,114,524"
    none = "Tried one at a time, and not enough at T = 100,000: confidence (delta) up to 0.5; cost_bound down to"
    assert f"{never}, at T = 100,000 {none}" in text
    assert "a smaller roster: without edge the bound is 19,907 of 99,994 (T_id = 37,505)" in text
    scale = "exploration_scale = 20: not enough at T = 100,000, but from T = 127,469,010; exploration may take 82.4% of"
    assert f"{scale} the first 100,000 queries (now 8.24%); larger bounds at" in text
    delta = "confidence (delta) = 0.5: not enough at T = 100,000, but from T = 3,270,270,427;"
    without = "a smaller roster: without edge: not enough at T = 100,000, but from T = 1,249,401;"
    sharpest = "--method sharpest is enough: 0.0051409 of 0.0078;"
    assert delta not in text  # it gains little
    in_full = " ".join(printed(["bounds", "seven.toml", "--horizon", "100k", "--all"], capsys).split())
    for told, expected in ((text, (sharpest, scale, without)), (in_full, (sharpest, scale, delta, without))):
        places = [told.index(each) for each in expected]
        assert places == sorted(places)
    earliest = "A search found each T above; an earlier one may exist. A change with such a T is not listed if"
    rest = "another guarantee is then not informative."
    none = "Nothing sooner was found by changing cost_bound."
    assert f"leaving out one provider. {earliest} {rest} {none}" in text


def test_what_gains_little_is_told_with_all_only(capsys: pytest.CaptureFixture[str]) -> None:
    """A delta of 0.5 takes the start from T = 2,694,398 to 2,300,095; the sharpest bounds are enough at once."""
    little = "confidence (delta) = 0.5: not enough at T = 70,000, but from T = 2,300,095;"
    left_out = "1 of the changes above lowers T by less than a third: left out without --all"
    text = " ".join(printed(["bounds", "gsm8k-full"], capsys).split())
    assert "--method sharpest is enough: 55.518 of 68.028; market, mechanism and delta stay the same" in text
    assert little not in text
    assert left_out not in text
    in_full = " ".join(printed(["bounds", "gsm8k-full", "--all"], capsys).split())
    assert little in in_full
    assert left_out in in_full


def test_a_bound_is_rounded_up_in_the_table_and_in_the_advice(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(["bounds", "gpqa-strong"], capsys).split())
    assert "Bounds are rounded up." in text
    assert "generation regret 51,269 538,858" in text
    assert "generation regret 106,126 (now 51,269), excess payment 689,412 (now 595,682)" in text
    assert "51,268" not in text


def test_whose_bound_and_whose_fault_is_named(markets: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(["bounds", "seven.toml", "--horizon", "100k", "--all"], capsys).split())
    assert "it accounts for 1,096,215 of the identification bound of 1,116,014." in text
    assert "it lets 1,116,014 queries go to others than the optimum; only 99,993 (T - N) follow initialization." in text
    assert "identification bound B_id(T) of appendix D 1,116,014" in text
    assert "N - 1 + B_id(T) of appendix D: the same with initialization 1,116,020" in text
    assert "B_id(T) of Theorem 3, exploration not rounded 1,116,016" in text
    late = printed(["bounds", "seven.toml", "--horizon", "3M"], capsys)
    assert "The cause is the start-up term T_0: it accounts for" in late


@pytest.mark.parametrize("arguments", [["settings"], ["bounds", "gpqa-ladder", "--all"]], ids=" ".join)
def test_a_terminal_of_80_columns_shows_the_same(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    program = [sys.executable, "-m", "proofs_checks", *arguments]
    with subprocess.Popen(program, stdout=follower, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:  # the other end is closed: all has been read
            pass
        finally:
            os.close(leader)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "")
    assert max(map(len, text.splitlines())) <= 80
    monkeypatch.delenv("COLUMNS", raising=False)
    assert words(text) == words(printed(arguments, capsys))


def test_the_headline_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, *others = printed(["bounds", "gpqa-strong"], capsys).splitlines()
    assert first == "gpqa-strong: at T = 70,000 three of five guarantees are informative."
    assert second.startswith("The others become informative later: identification bound from T =")
    assert "The cause is Llama-3.2-1B (gap 0.037281):" in " ".join(others)


def test_a_headline_when_all_say_something() -> None:
    report = evaluate_bounds(published("gpqa-strong").setting, 10**8)
    leads = "from T_id = 153,697 on, with probability at least 0.95."
    assert headline(report) == [
        "gpqa-strong: at T = 100,000,000 five of five guarantees are informative.",
        f"Llama-3.1-8B, the optimum, serves more queries than any other {leads}",
    ]


def test_a_cap_above_the_horizon_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(["bounds", "gpqa-full"], capsys).splitlines()
    marked = [line for line in lines if "> T" in line]
    assert [_WORD.findall(line)[0] for line in marked] == ["Qwen2-0.5B"]


def test_one_qualified_provider_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lone.toml"
    toml = format_setting(published("gpqa-strong").setting)
    path.write_text(toml.replace("quality_threshold = 0.1451107", "quality_threshold = 0.19"))
    text = printed(["bounds", str(path), "--all"], capsys)
    assert "of five guarantees" in text.splitlines()[0]
    assert "undefined" in text


@pytest.mark.parametrize("command", [["bounds", "gpqa-strong"], ["settings"]])
def test_tables_for_papers(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed([*command, "--csv"], capsys))))
    assert len(rows) == 5
    if command[0] == "bounds":
        report = evaluate_bounds(published("gpqa-strong").setting, 70_000)
        known = [bound.value if bound.applies else None for bound in report.guarantees.values()]
        assert None in known
        assert [float(row["value"]) if row["value"] else None for row in rows] == known
    markdown = printed([*command, "--markdown"], capsys).splitlines()
    assert len(markdown) == 7
    assert len({line.count("|") for line in markdown if r"\|" not in line}) == 1
    latex = printed([*command, "--latex-table"], capsys)
    assert latex.count(r" \\") == 6
    assert latex.rstrip().endswith(r"\end{tabular}")
    assert not re.search(r"(?<!\\)[_#]", latex.partition("\n")[2])


def test_tables_name_units_and_the_two_horizons(markets: None, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bounds", "seven.toml", "--horizon", "100000"]
    rows = {row["guarantee"]: row for row in csv.DictReader(io.StringIO(printed([*command, "--csv"], capsys)))}
    older = ["guarantee", "value", "applies", "informative", "trivial", "share_of_trivial", "informative_from"]
    first = next(iter(rows.values()))
    newer = ["unit", "identification_horizon", "burn_in", "label", "proved_as", "not_proved_because"]
    assert list(first) == [*older, "driver", "driver_share", *newer]
    assert (rows["average_payment_deviation"]["applies"], rows["average_payment_deviation"]["share_of_trivial"]) == (
        "False",
        "",
    )
    assert [row["label"] for row in rows.values()] == [label for label, _ in THEOREMS.values()]
    assert [row["unit"] for row in rows.values()] == ["queries", "quality points", "money", "money", "money per query"]
    assert first["identification_horizon"] == "2265032"
    assert float(rows["average_payment_deviation"]["burn_in"]) == pytest.approx(2_840_512_188.5)
    assert [row["burn_in"] for row in rows.values()].count("") == 4
    head = printed([*command, "--markdown"], capsys).splitlines()[0].strip("| ").split(" | ")
    assert head == list(READ)
    screen = printed(command, capsys)
    for name in ("guarantee", "value", "share_of_trivial", "informative"):
        assert HEADINGS[name] in screen


def test_the_table_for_papers_is_narrow_and_says_its_parameters(
    roster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    comment, *lines = printed(["bounds", roster, "--horizon", "250k", "--latex-table"], capsys).splitlines()
    dash = "-: the theorem does not apply at this T"
    given = "T = 250,000, N = 7, delta = 0.05, k = 2, alpha = 0.75 (paper bounds); T_id = 159,046"
    assert comment == f"% roster: {given}; money in the unit of cost_bound; {dash}"
    assert lines[0] == r"% needs \usepackage{booktabs} in the preamble"
    assert lines[3].count("&") == 5
    assert r"Generation regret (money) & 110,139 & 2,250,000 & 4.9 & 8,225 & Theorem 18 \\" in lines
    assert r"Average payment deviation (money per query) & - & 33.5 & - & 8,033,794 & Theorem 4 \\" in lines


def test_the_theorems_have_the_numbers_of_the_pdf() -> None:
    known = [*THEOREMS.values(), *THEOREMS_DEVIATING.values(), ("prop:bayesian-substitution", "Proposition 31")]
    assert [(label, number_of(label)) for label, _ in known] == known


#: The market of a researcher: at T = 30,000 the payments have not settled, and small takes longest to be ruled out.
RESEARCHER = """[platform]
quality_threshold = 0.7
confidence = 0.05
cost_bound = 200
exploration_scale = 2
exploration_exponent = 0.75
""" + "".join(
    f'[[provider]]\nname = "{name}"\nquality = {quality}\nmean_cost = {cost}\n'
    for name, quality, cost in (
        *(("tiny", 0.35, 10), ("small", 0.55, 22), ("medium", 0.78, 40)),
        *(("medium-plus", 0.82, 70), ("large", 0.90, 110), ("xl", 0.95, 150)),
    )
)


@pytest.fixture
def researcher(tmp_path: Path) -> Callable[..., str]:
    """Write the market, with more keys of the platform or another text, and return its path."""

    def written(platform: str = "", old: str = "", new: str = "") -> str:
        path = tmp_path / "mine.toml"
        text = RESEARCHER.replace("[platform]\n", f"[platform]\n{platform}")
        path.write_text(text.replace(old, new) if old else text)
        return str(path)

    return written


def test_deviating_bids_cite_what_bounds_them(
    researcher: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers come from Proposition 33 and Theorems 17, 34 and 36; the cumulative excess from the last one's proof."""
    given = [researcher("overbid = 5\nunderbid = 2\n"), "--horizon", "30000"]
    text = " ".join(printed(["bounds", *given], capsys).split())
    cited = "Proposition 33, Theorem 17, Theorem 34, Theorem 36 (proof) and Theorem 36"
    assert f"{cited} of the paper, in this order." in text
    comment, *lines = printed(["bounds", *given, "--latex-table"], capsys).splitlines()
    assert "alpha = 0.75, d_- = 2, d_+ = 5 (paper bounds)" in comment
    theorems = [line.removesuffix(r" \\").rpartition(" & ")[2] for line in lines[5:10]]
    assert theorems == ["Proposition 33", "Theorem 17", "Theorem 34", "Theorem 36 (proof)", "Theorem 36"]
    rows = list(csv.DictReader(io.StringIO(printed(["bounds", *given, "--csv"], capsys))))
    deviation = "thm:deviation-payment-convergence"
    labels = ["prop:deviation-selection", "thm:quality-guarantee", "thm:deviation-generation-regret"]
    assert [row["label"] for row in rows] == [*labels, deviation, deviation]
    wide = printed(["bounds", researcher("belief_slack = 0.5\n"), "--horizon", "30000", "--latex-table"], capsys)
    assert "alpha = 0.75, gamma = 0.5 (paper bounds)" in wide
    assert r"Theorem 3, appendix D with Proposition 31 \\" in wide
    assert r"Theorem 17 \\" in wide


def test_a_bound_just_below_its_trivial_value_does_not_look_like_it(
    researcher: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["bounds", researcher(), "--horizon", "281672"]
    text = printed(given, capsys)
    assert re.search(r"^average payment deviation +129.9998 +130 +> 99.9%  yes, from 281,672 *$", text, re.MULTILINE)
    assert "(money per query) | 129.9998 | 130 | 99.9998 | 281,672 |" in printed([*given, "--markdown"], capsys)
    assert "(money per query) & 129.9998 & 130 & 99.9998 & 281,672 &" in printed([*given, "--latex-table"], capsys)
    assert 129.99 < evaluate_bounds(load_setting(researcher()), 281_672).bounds["average_payment_deviation"].value < 130


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_where_a_guarantee_begins_to_say_something_its_bound_never_looks_like_its_trivial_value(name: str) -> None:
    """At that horizon and one before, in the table for papers: one sees which of the two is smaller, if either is."""
    setting = published(name).setting
    for guarantee, now in evaluate_bounds(setting, 70_000).guarantees.items():
        start = now.worth.informative_from or 70_000
        for horizon in (start - 1, start):
            report = evaluate_bounds(setting, horizon)
            bound = report.guarantees[guarantee]
            if not bound.applies or bound.value is None or bound.worth.trivial is None:
                continue
            line = report.sheet().markdown().splitlines()[2 + list(report.guarantees).index(guarantee)]
            told, trivial, part = (float(cell.replace(",", "")) for cell in line.split(" | ")[1:4])
            assert (told < trivial, told > trivial) == (
                bound.value < bound.worth.trivial,
                bound.value > bound.worth.trivial,
            )
            assert (part < 100) == (told < trivial)
            assert told >= bound.value or math.isclose(told, bound.value, rel_tol=1e-12)


def test_one_that_is_left_is_told_as_one_and_what_the_formula_gives_is_no_bound_yet(
    researcher: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(printed(["bounds", researcher(), "--horizon", "30000"], capsys).split())
    assert (
        "four of five guarantees are informative. The other becomes informative later: average payment deviation from"
        in text
    )
    gives = "662.21 of the 782.99 that the formula gives for the average payment deviation"
    assert f"it accounts for {gives}; the theorem does not apply before T_0;" in text
    assert (
        "An informative identification bound does not make the optimum lead: that is guaranteed from T_id on." in text
    )


def test_all_as_a_table_has_every_quantity(researcher: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(["bounds", researcher(), "--horizon", "30000", "--csv", "--all"], capsys)
    told = {(row["quantity"], row["provider"]): row["value"] for row in csv.DictReader(io.StringIO(out))}
    report = evaluate_bounds(load_setting(researcher()), 30_000)
    assert told["selection_bound", "small"] == str(report.providers[1].selection_bound)
    assert told["burn_in", ""] == str(report.burn_in)
    assert told["quality_regret.anytime", ""] == str(report.bounds["quality_regret"].parts["anytime"])
    assert told["non_optimal_steps_bound", ""] == str(report.non_optimal_steps_bound)
    assert told["average_payment_deviation", ""] == ""


def test_a_tie_is_named_first_and_has_a_remedy(
    researcher: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    tie = researcher(old="mean_cost = 70", new="mean_cost = 40")
    text = " ".join(printed(["bounds", tie, "--horizon", "30000"], capsys).split())
    why = "the cheapest qualified provider is not unique (a tie of mean costs: medium, medium-plus)"
    assert f"Four are undefined: {why}. Bounds; those that are proved here hold together" in text
    assert f"Not proved here: quality regret (thm:quality-guarantee assumes more than this setting has: {why}" in text
    remedy = "state these costs to more digits, or leave all of them but one out"
    assert f"average payment deviation: {why}; the theory needs a unique i*: {remedy}" in text


def test_two_tables_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--csv", "--markdown"]) == 2
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.for_each(
    ("text", "value"),
    [
        ("1_000_000", 10**6),
        ("1,500k", 1_500_000),
        ("12.0", 12),
        ("70k", 70_000),
        ("2M", 2_000_000),
        ("1e6", 10**6),
        ("1.5m", 1_500_000),
        ("0.007K", 7),
        ("70,000", 70_000),
    ],
)
def test_horizons_as_people_write_them(text: str, value: int) -> None:
    assert whole_number(1)(text) == value


@pytest.mark.parametrize("text", ["250000,500000", "1000,5000", "1,2", "1_000,000", "250.000", "1,00k"])
def test_what_may_mean_two_numbers_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "gpqa-strong", f"--horizon={text}"]) == 2
    assert re.search(r"is not one number|may mean two numbers", capsys.readouterr().err)


@pytest.mark.parametrize(
    "text", ["k", "M", "1.0001k", "70kk", "1/3k", "nank", "70 g", "-1k", "infM", "1e99M", "1e99999999k", "1/0k"]
)
def test_other_suffixes_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "gpqa-strong", f"--horizon={text}"]) == 2
    assert "whole number" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["1T", "70 g", "2.5G", "70kk"])
def test_the_suffixes_that_are_read_are_named(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "gpqa-strong", f"--horizon={text}"]) == 2
    assert "k (thousand) and M (million)" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["bounds", "simulate"])
def test_the_help_names_the_suffixes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert "70k or 0.07M" in " ".join(capsys.readouterr().out.split())
