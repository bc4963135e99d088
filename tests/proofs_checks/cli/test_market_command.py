"""`costproof market`: its numbers, computed again from the files with fractions, and what it says of them."""

import io
import json
import math
import statistics
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import binomtest

from bounds.setting.estimates import Proportion
from bounds.setting.file import parse_setting
from bounds.setting.model import Setting
from mechanism.market.market import market_laws
from tests.mechanism.made_evaluations import (
    MADE_FORMATS,
    MODELS,
    PRICE_FILE,
    PRICES,
    Made,
    made_answers,
    read_means,
    sprout,
    write_format,
)
from tests.mechanism.provider_tables import write_rows
from tests.proofs_checks.outcomes import Run

Call = Callable[..., tuple[str, str]]


@pytest.fixture
def call(call: Run) -> Call:
    def market(*words: object, code: int = 0) -> tuple[str, str]:
        outcome = call("market", *words)
        assert outcome.code == code
        return outcome.out, outcome.err

    return market


def priced(answers: Sequence[Made]) -> tuple[object, ...]:
    """Write answers that have tokens and no costs, and return the words that read them."""
    write_rows(Path("sprout.jsonl"), sprout(answers))
    return ("--answers", "sprout.jsonl", "--prices", "prices.csv")


def counted(right: int, of: int, *others: int, tokens: Sequence[int] = ()) -> list[Made]:
    """Return answers of the models of which so many are right; `tokens` are the first output tokens of the first."""
    return [
        Made(f"q-{q}", model, float(q < count), None, 100 + q, tokens[q] if not m and q < len(tokens) else 10 + q + m)
        for m, (model, count) in enumerate(zip(MODELS, (right, *others), strict=False))
        for q in range(of)
    ]


def setting_in(toml: str) -> Setting:
    return parse_setting(toml, "sprout")


def comments(toml: str) -> str:
    lines = (line.removeprefix("#") for line in toml.splitlines() if line.startswith("#"))
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("format", MADE_FORMATS)
def test_numbers_are_the_exact_means_of_the_file(format: str, call: Call, tmp_path: Path) -> None:
    path = write_format(format, made_answers(), tmp_path)
    options = ("--prices", "prices.csv") if format == "sprout" else ()
    toml, _ = call("--answers", path, *options, "--threshold", 0.5, "--margin", 0.6)
    means = read_means(format, path)
    setting = setting_in(toml)
    assert {each.name for each in setting.providers} == means.keys()
    for each in setting.providers:
        quality, price = means[each.name]
        assert each.quality == float(quality)
        assert each.mean_cost == float(price / (1 + Fraction(0.6)))
    assert setting.platform.quality_threshold == 0.5
    assert setting.pricing.margin == 0.6


def test_json_has_the_setting_of_the_toml(call: Call) -> None:
    words = (*priced(made_answers()), "--threshold", 0.6, "--confidence", 0.1, "--exploration-scale", 3)
    toml, err = call(*words, "--exploration-exponent", 0.6)
    document = json.loads(call(*words, "--exploration-exponent", 0.6, "--json")[0])
    platform = tomllib.loads(toml)["platform"]
    assert document["setting"] == setting_in(toml).to_data() | {"name": "sprout"}
    given = (platform["confidence"], platform["exploration_scale"], platform["exploration_exponent"])
    assert given == (0.1, 3.0, 0.6)
    for text in (*document["assumed"], *document["warnings"], *document["noticed"]):
        assert text in comments(toml)
    for text in (*document["warnings"], *document["noticed"]):
        assert text in err


def test_bounds_read_it_from_standard_input(call: Call, passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    toml, _ = call(*priced(made_answers()), "--qualified", 2)
    monkeypatch.setattr("sys.stdin", io.StringIO(toml))
    assert passed("settings", "-", "--json").data["provider"] == setting_in(toml).to_data()["provider"]


def test_costs_vary_in_simulations_as_recorded(call: Call) -> None:
    answers = made_answers()
    setting = setting_in(call(*priced(answers), "--threshold", 0.5)[0])
    laws = market_laws(setting).describe()["providers"]
    for provider, law in zip(setting.providers, laws, strict=True):
        dearness, price = [each for each in answers if each.model == provider.name], PRICES[provider.name]
        costs = [(each.input_tokens * price[0] + each.output_tokens * price[1]) / 1.25 for each in dearness]
        assert provider.cost_variation == pytest.approx(statistics.pstdev(costs) / statistics.mean(costs), rel=1e-3)
        assert law["mean_cost"] == pytest.approx(statistics.mean(costs), rel=1e-12)
        assert law["cost_standard_deviation"] == pytest.approx(statistics.pstdev(costs), rel=0.02)
        assert law["price_unused"] is None


def test_prices_are_in_the_unit_that_is_named(call: Call) -> None:
    words = (*priced(made_answers()), "--threshold", 0.5)
    usual, _ = call(*words)
    for unit, tokens in (("1k", 1000), ("1", 1)):
        rows = [f"{m},{i * tokens / 10**6},{o * tokens / 10**6},per {unit} tokens\n" for m, (i, o) in PRICES.items()]
        Path("prices.csv").write_text("".join(["model,input_price,output_price,unit\n", *rows]))
        assert call(*words, "--price-unit", unit)[0] == usual
        assert "--price-unit" in call(*words, code=2)[1]


def test_a_discount_is_off_the_listed_price_of_a_model_or_of_all(call: Call) -> None:
    words = (*priced(made_answers()), "--threshold", 0.5)
    listed = {each.name: each for each in setting_in(call(*words)[0]).providers}
    toml, _ = call(*words, "--discount", "0.5", "--discount", "gpt-4=0.75")
    for each in setting_in(toml).providers:
        left = 0.25 if each.name == "gpt-4" else 0.5
        assert each.mean_cost == pytest.approx(left * listed[each.name].mean_cost)
        assert each.listed_price == pytest.approx(left * (listed[each.name].listed_price or 0))
        assert each.cost_variation == listed[each.name].cost_variation
    assert "discounted by 75%" in comments(toml)
    assert (
        "--discount='gpt-5' is of no model with a price: did you mean 'gpt-4'?"
        in call(*words, "--discount", "gpt-5=0.5", code=2)[1]
    )
    assert "must lie in [0, 1)" in call(*words, "--discount", "1", code=2)[1]


def test_the_cost_bound_covers_the_dearest_answer_or_one_of_the_cap(call: Call) -> None:
    answers, words = made_answers(), ()
    words = (*priced(answers), "--threshold", 0.5)
    largest = {
        None: max(
            each.input_tokens * PRICES[each.model][0] + each.output_tokens * PRICES[each.model][1] for each in answers
        ),
        4096: max(each.input_tokens * PRICES[each.model][0] + 4096 * PRICES[each.model][1] for each in answers),
    }
    for cap, expected in largest.items():
        toml, _ = call(*words, *(() if cap is None else ("--token-cap", cap)))
        setting = setting_in(toml)
        assert setting.platform.cost_bound == pytest.approx(expected, rel=1e-15)
        assert setting.pricing.token_cap == (cap or max(512, *(each.output_tokens for each in answers)))
    assert setting_in(call(*words, "--cost-bound", 10**6)[0]).platform.cost_bound == 10**6
    longest = max(each.output_tokens for each in answers)
    assert (
        f"--token-cap={longest - 1} is below the {longest} tokens"
        in call(*words, "--token-cap", longest - 1, code=2)[1]
    )
    recorded = write_format("routerbench", answers, Path.cwd())
    assert "needs prices of tokens" in call("--answers", recorded, "--token-cap", 4096, code=2)[1]


@pytest.mark.parametrize(
    ("right", "of", "threshold"), [(131, 200, 0.65), (153, 200, 0.65), (143, 200, 0.65), (10, 10, 0.8), (50, 50, 0.8)]
)
def test_a_quality_near_the_threshold_is_a_warning(right: int, of: int, threshold: float, call: Call) -> None:
    """131 of 200 are near 0.65, 153 are not; 10 right answers of 10 are near 0.8, 50 of 50 are not."""
    toml, err = call(*priced(counted(right, of, 0, of // 5)), "--threshold", threshold)
    setting = setting_in(toml)
    assert setting.providers[0].quality_estimate == Proportion(correct=right, of=of)
    estimates = [each for p in setting.providers for each in (p.quality_estimate, p.mean_cost_estimate) if each]
    low, high = binomtest(right, of).proportion_ci(1 - 0.05 / len(estimates), "exact")
    assert ("it is open whether" in " ".join(err.split())) == (low < threshold <= high)


def test_scores_between_0_and_1_have_no_count(call: Call) -> None:
    graded = [replace(each, score=0.5 + (q % 3) / 4) for q, each in enumerate(counted(30, 60, 0))]
    document = json.loads(call(*priced(graded), "--threshold", 0.6, "--json")[0])
    for provider in document["setting"]["provider"]:
        scores = [each.score for each in graded if each.model == provider["name"] and each.score is not None]
        error = statistics.stdev(scores) / math.sqrt(60)
        assert provider["quality"] == pytest.approx({"mean": statistics.mean(scores), "standard_error": error})


def test_answers_of_one_largest_length_look_cut_off(call: Call) -> None:
    cut, whole = counted(30, 60, 0, tokens=[512] * 5), counted(30, 60, 0, tokens=[512])
    said = "5 of 60 at 512"
    toml, err = call(*priced(cut), "--threshold", 0.4)
    assert said in err
    assert "512 output tokens at most (5 answers)" in comments(toml)
    assert "cut them off" not in call(*priced(whole), "--threshold", 0.4)[1]


def test_what_is_left_out_is_in_the_file(call: Call) -> None:
    answers = [
        each for each in made_answers(models=(*MODELS, "rare")) if each.model != "rare" or each.question < "mmlu-2"
    ]
    Path("prices.csv").write_text(f"{PRICE_FILE}rare,1,2\n")
    toml, err = call(*priced(answers), "--threshold", 0.5)
    for text in (comments(toml), err):
        assert "left out: 1 model with too few answers that the others share (rare" in text


@pytest.mark.parametrize("name", ["[[provider]]", 'a"] # "b', "# a = 1", "\\u000a"])
def test_no_name_ends_a_comment_or_a_table(name: str, call: Call) -> None:
    keys = ("global index", "prediction", "accuracy", "cost")
    cells = [
        (each.question, {MODELS[0]: name}.get(each.model, each.model), each.score, each.dollars)
        for each in made_answers()
    ]
    Path("sprout.json").write_text(json.dumps([dict(zip(keys, row, strict=True)) for row in cells]))
    toml, _ = call("--answers", "sprout.json", "--threshold", 0.9)
    assert name in {each.name for each in setting_in(toml).providers}
    assert max(len(line) for line in toml.splitlines() if line.startswith("#")) <= 100


def test_a_table_of_ones_own_has_cached_tokens_and_names_a_misspelt_column(call: Call) -> None:
    header, rows = (
        "model,question,score,input_tokens,cached_tokens,output_tokens",
        ["a,q1,true,10,30,5", "b,q1,0,40,0,7"],
    )
    rows += ["a,q2,false,20,0,6", "b,q2,1,50,10,8"]
    Path("prices.csv").write_text("model,input_price,cached_price,output_price\na,2,0.5,8\nb,1,,4\n")
    Path("sprout.csv").write_text("\n".join([header, *rows]) + "\n")
    words = ("--answers", "sprout.csv", "--prices", "prices.csv", "--threshold", 0.5)
    costs = [Fraction(10 * 2 + 15 + 40 + 20 * 2 + 48, 2), Fraction(40 + 28 + 50 + 10 + 32, 2)]
    providers = setting_in(call(*words)[0]).providers
    assert [each.mean_cost for each in providers] == [float(cost / Fraction(1.25)) for cost in costs]
    assert [each.quality for each in providers] == [0.5, 0.5]
    Path("sprout.csv").write_text("\n".join([header.replace("input_tokens", "input_token"), *rows]) + "\n")
    assert "is it the column 'input_token'? rename it" in call(*words, code=2)[1]


def test_answers_to_one_question_are_no_independent_ones(call: Call) -> None:
    """Of several generations of a question the standard error is that of the questions' means."""
    right = {"a": [4, 4, 4, 0, 0, 4, 2, 4], "b": [0, 0, 4, 0, 0, 0, 2, 0]}
    rows = [
        f"{m},q{q},{g},{int(g < of[q])},{10 + q + g}" for m, of in right.items() for q in range(8) for g in range(4)
    ]
    Path("sprout.csv").write_text("\n".join(["model,question,generation,correct,tokens", *rows]) + "\n")
    Path("prices.csv").write_text("model,output_price\na,2\nb,1\n")
    document = json.loads(call("--answers", "sprout.csv", "--prices", "prices.csv", "--threshold", 0.5, "--json")[0])
    assert document["answers_per_question"] == 4
    for provider in document["setting"]["provider"]:
        means = [count / 4 for count in right[provider["name"]]]
        error = statistics.stdev(means) / math.sqrt(8)
        assert provider["quality"] == pytest.approx({"mean": statistics.mean(means), "standard_error": error})
