"""What `bounds` prints: numbers rounded up, what would help, what to type next, and counts as people write them."""

import csv
import io
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.glossary import unit_of
from bounds.guarantees import GUARANTEES
from bounds.loading import load_setting
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.cli.arguments import whole_number
from proofs_checks.cli.views.bounds import headline
from tests.proofs_checks.outcomes import Run, assert_bad_input


def market(threshold: float, cost_bound: float, *rows: tuple[str, float, float], exponent: float = 0.75) -> str:
    """Return a setting file of providers with these names, qualities and mean costs."""
    platform = f"quality_threshold = {threshold}\nconfidence = 0.05\ncost_bound = {cost_bound}\n"
    exploration = f"exploration_scale = 2\nexploration_exponent = {exponent}\n"
    listed = (
        f'[[provider]]\nname = "{name}"\nquality = {quality}\nmean_cost = {cost}\n' for name, quality, cost in rows
    )
    return f"[platform]\n{platform}{exploration}{''.join(listed)}"


#: Seven providers; the quality of one lies 0.01 below the threshold.
SEVEN = market(
    *(0.7, 0.01, ("nano", 0.41, 0.0002), ("mini", 0.58, 0.0005), ("edge", 0.69, 0.0009), ("mid", 0.74, 0.0014)),
    *(("plus", 0.79, 0.0022), ("large", 0.86, 0.0041), ("frontier", 0.93, 0.0085)),
    exponent=2 / 3,
)


@pytest.fixture
def markets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with seven.toml."""
    (tmp_path / "seven.toml").write_text(SEVEN)
    monkeypatch.chdir(tmp_path)


def test_the_next_command_asks_for_the_same_bounds(passed: Run) -> None:
    text = passed("bounds", "gpqa-strong", "--method", "sharp").out
    commands = [line.strip() for line in text.splitlines() if line.startswith("  costproof bounds")]
    assert commands
    assert all("--method sharp" in command for command in commands)
    others = passed("bounds", "gpqa-strong").out.partition("Next, ")[2]
    best = "the smallest bounds, for the same market and delta:"
    assert others.startswith(f"{best}\n  costproof bounds gpqa-strong --horizon 70000 --method sharpest\n")
    assert others.count("--method") == 1


#: Seven providers of which the quality of E, 0.04 below the threshold, makes T_0 long.
ROSTER = market(
    *(0.84, 40, ("A", 0.93, 12), ("B", 0.90, 7), ("C", 0.86, 6.5), ("D", 0.85, 3)),
    *(("E", 0.80, 2.2), ("F", 0.70, 1.9), ("G", 0.55, 0.6)),
)


@pytest.fixture
def roster(tmp_path: Path) -> str:
    path = tmp_path / "roster.toml"
    path.write_text(ROSTER)
    return str(path)


def test_a_burn_in_that_is_merely_large_is_a_number(
    tmp_path: Path, passed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quality 1e-7 below the threshold: T_0 is beyond every horizon, and not undefined."""
    path = tmp_path / "hair.toml"
    path.write_text(ROSTER.replace("quality = 0.8\n", "quality = 0.8399999\n"))
    monkeypatch.setenv("COLUMNS", "120")
    text = passed("bounds", str(path)).out
    burn_in = evaluate_bounds(load_setting(str(path)), 70_000).burn_in
    assert burn_in is not None
    assert burn_in > 2.0**52
    assert re.search(rf"^average payment deviation .* not before T_0 = {burn_in:.1e} *$".replace("+", ""), text, re.M)
    assert "undefined" not in text


def test_tables_name_units_and_the_two_horizons(markets: None, passed: Run) -> None:
    command = ["bounds", "seven.toml", "--horizon", "100000"]
    rows = {row["guarantee"]: row for row in csv.DictReader(io.StringIO(passed(*command, "--csv").out))}
    assert [row["label"] for row in rows.values()] == [kind.label for kind in GUARANTEES.values()]
    assert [row["unit"] for row in rows.values()] == [unit_of(name) for name in GUARANTEES]
    assert next(iter(rows.values()))["identification_horizon"] == "2265032"
    assert float(rows["average_payment_deviation"]["burn_in"]) == pytest.approx(2_840_512_188.5)
    assert [name for name, row in rows.items() if row["burn_in"]] == ["average_payment_deviation"]


def test_the_table_for_papers_is_narrow_and_says_its_parameters(roster: str, passed: Run) -> None:
    comment, *lines = passed("bounds", roster, "--horizon", "250k", "--latex-table").out.splitlines()
    dash = "-: the theorem does not apply at this T"
    given = "T = 250,000, N = 7, delta = 0.05, k = 2, alpha = 0.75 (paper bounds); T_id = 159,046"
    assert comment.startswith(f"% roster: {given}; money in the unit of cost_bound; {dash}")
    assert lines[0] == r"% needs \usepackage{booktabs} in the preamble"
    assert lines[3].count("&") == 5
    assert r"Generation regret (money) & 110,139 & 2,250,000 & 4.9 & 8,225 & Theorem 18 \\" in lines
    assert r"Average payment deviation (money per query) & - & 33.5 & - & 8,033,794 & Theorem 4 \\" in lines


def test_the_theorems_have_the_numbers_of_the_pdf() -> None:
    known = [pair for kind in GUARANTEES.values() for pair in ((kind.label, kind.theorem), kind.deviating or ("", ""))]
    for label, told in filter(all, [*known, ("prop:bayesian-substitution", "Proposition 31")]):
        assert told in (number_of(label), f"{number_of(label)}, appendix D", f"{number_of(label)} (proof)")


#: The market of a researcher: at T = 30,000 the payments have not settled, and small takes longest to be ruled out.
RESEARCHER = market(
    *(0.7, 200, ("tiny", 0.35, 10), ("small", 0.55, 22), ("medium", 0.78, 40)),
    *(("medium-plus", 0.82, 70), ("large", 0.90, 110), ("xl", 0.95, 150)),
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


def test_deviating_bids_cite_what_bounds_them(researcher: Callable[..., str], passed: Run) -> None:
    """Numbers come from Proposition 33 and Theorems 17, 34 and 36; the cumulative excess from the last one's proof."""
    given = [researcher("overbid = 5\nunderbid = 2\n"), "--horizon", "30000"]
    text = passed("bounds", *given, "--all").told
    assert re.findall(r"; ((?:Proposition|Theorem) \d+)", text) == [
        "Proposition 33",
        *(f"Theorem {number}" for number in (17, 34, 36, 36)),
    ]
    comment, *lines = passed("bounds", *given, "--latex-table").out.splitlines()
    assert "alpha = 0.75, d_- = 2, d_+ = 5 (paper bounds)" in comment
    theorems = [line.removesuffix(r" \\").rpartition(" & ")[2] for line in lines[5:10]]
    assert theorems == ["Proposition 33", "Theorem 17", "Theorem 34", "Theorem 36 (proof)", "Theorem 36"]
    rows = list(csv.DictReader(io.StringIO(passed("bounds", *given, "--csv").out)))
    deviation = "thm:deviation-payment-convergence"
    labels = ["prop:deviation-selection", "thm:quality-guarantee", "thm:deviation-generation-regret"]
    assert [row["label"] for row in rows][:5] == [*labels, deviation, deviation]
    wide = passed("bounds", researcher("belief_slack = 0.5\n"), "--horizon", "30000", "--latex-table").out
    assert "alpha = 0.75, gamma = 0.5 (paper bounds)" in wide
    assert r"Theorem 3, appendix D with Proposition 31 \\" in wide
    assert r"Theorem 17 \\" in wide


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


def test_all_as_a_table_has_every_quantity(researcher: Callable[..., str], passed: Run) -> None:
    out = passed("bounds", researcher(), "--horizon", "30000", "--csv", "--all").out
    told = {(row["quantity"], row["provider"]): row["value"] for row in csv.DictReader(io.StringIO(out))}
    report = evaluate_bounds(load_setting(researcher()), 30_000)
    assert told["selection_bound", "small"] == str(report.providers[1].selection_bound)
    assert told["burn_in", ""] == str(report.burn_in)
    assert told["quality_regret.anytime", ""] == str(report.bounds["quality_regret"].parts["anytime"])
    assert told["non_optimal_steps_bound", ""] == str(report.non_optimal_steps_bound)
    assert told["average_payment_deviation", ""] == ""


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


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["250000,500000", "1000,5000", "1,2", "1_000,000", "250.000", "1,00k"], "is not one number|may mean two"),
        (["k", "M", "1.0001k", "1/3k", "nank", "-1k", "infM", "1e99M", "1e99999999k", "1/0k"], "whole number"),
        (["-1", "1.5", "nan", "x", "", "1e99", "1e-3"], "whole number"),
        (["1T", "70 g", "2.5G", "70kk"], r"k \(thousand\) and M \(million\)"),
    ],
)
def test_what_is_no_count_is_refused(texts: list[str], told: str, run: Run) -> None:
    for text in texts:
        refused = run("bounds", "gpqa-strong", f"--horizon={text}")
        assert_bad_input(refused)
        assert re.search(told, refused.err), text


# ----------------------------------------------------------------------------------------------------
# The first lines say of a bound that is nearly trivial that it is.


HARDLY = "hardly better than the trivial value"


@pytest.mark.parametrize(("horizon", "told"), [(32_000, True), (70_000, False)])
def test_a_bound_next_to_its_trivial_value_is_told_so(horizon: int, told: bool) -> None:
    report = evaluate_bounds(published("gsm8k-full").setting, horizon)
    worth = report.identification.worth
    assert worth.informative
    assert worth.share_of_trivial is not None
    assert (worth.share_of_trivial > 0.99) == told
    first, second, *_ = headline(report)
    assert first.endswith(" guarantees are informative.")
    assert (second == f"Of these, identification bound (99.3%) is {HARDLY}.") == told
    assert (HARDLY in " ".join(headline(report))) == told


@pytest.mark.long("searches for a plan")
def test_what_a_plan_found_is_asked_for_with_the_bounds_that_it_used(tmp_path: Path, passed: Run) -> None:
    """A plan takes the sharpest bounds, `bounds` those of the paper: without the method they disagree."""
    providers = [Provider(f"p{i}", q, c) for i, (q, c) in enumerate([(0.35, 0.8), (0.66, 2.5), (0.78, 3.2), (0.88, 6)])]
    platform = PlatformParameters(
        quality_threshold=0.6, confidence=0.05, cost_bound=10.0, exploration_scale=2.0, exploration_exponent=2 / 3
    )
    path = tmp_path / "mine.toml"
    path.write_text(format_setting(Setting("mine", platform, providers)))
    out = passed("plan", path, "--goal", "payment-within=2@200000", "--runs", "0").out.replace("\\\n", " ")
    [command] = [line.split() for line in out.splitlines() if line.strip().startswith("costproof bounds")]
    lines = [line.split() for line in out.splitlines() if line.startswith("  exploration_")]
    changed = {name: float(value) for name, _, value in lines}
    assert changed.keys() == {"exploration_scale", "exploration_exponent"}
    path.write_text(format_setting(Setting("mine", replace(platform, **changed), providers)))
    assert command[:2] == ["costproof", "bounds"]
    report = passed("bounds", path, *command[3:], "--json").data
    assert report["method"] == "sharpest"
    assert report["bounds"]["average_payment_deviation"]["value"] <= 2.0
