"""Settings and their files: every bad input is one error of one line; what is written reads back exactly."""

import math
import os
import re
from dataclasses import MISSING, fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from bounds import InputError, PlatformParameters, Pricing, Provider, Setting
from bounds.characters import is_hidden
from bounds.documents import INTERNAL
from bounds.errors import printable
from bounds.loading import load_setting
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import _PAPERS, MAX_BYTES, format_setting, parse_setting, read_setting
from bounds.setting.model import LARGEST_NUMBER, SMALLEST_POSITIVE
from tests.hardening.mutations import ODD_VALUES
from tests.refusals import assert_refused, refusal

TEXT = """\
[platform]
quality_threshold = 0.5
confidence = 0.05
cost_bound = 100
exploration_scale = 2.0
exploration_exponent = 0.75

[[provider]]
name = "small"
quality = 0.6
mean_cost = 10.0

[[provider]]
name = "large"
quality = 0.9
mean_cost = 30.0
"""
PLATFORM_KEYS = [field.name for field in fields(PlatformParameters)]
PROVIDER_KEYS = [field.name for field in fields(Provider) if field.metadata != INTERNAL]
REQUIRED = [
    (place, field.name)
    for place, kind in (("platform", PlatformParameters), ("provider[1]", Provider))
    for field in fields(kind)
    if field.default is MISSING
]


def message(text: str) -> str:
    return str(refusal(parse_setting, text, "mine"))


def test_the_example_reads():
    setting = parse_setting(TEXT, "mine")
    assert setting.name == "mine"
    assert setting.platform == PlatformParameters(0.5, 0.05, 100.0, 2.0, 0.75)
    assert setting.providers == (Provider("small", 0.6, 10.0), Provider("large", 0.9, 30.0))


@pytest.mark.for_each(
    ("old", "new", "key", "value", "rule"),
    [
        ("confidence = 0.05", "confidence = 1.5", "platform.confidence", "1.5", "must lie in (0, 1)"),
        ("cost_bound = 100", "cost_bound = 1979-05-27", "platform.cost_bound", "datetime", "must be a number"),
        ("cost_bound = 100", "cost_bound = 0x" + "f" * 5000, "platform.cost_bound", "<int", "must be finite"),
        ("cost_bound = 100", "cost_bound = 20", "provider[2].mean_cost", "30.0", "exceed cost_bound=20.0"),
        ("quality = 0.9", "quality = 1.5", "provider[2].quality", "1.5", "must lie in [0, 1]"),
        ("= 30.0", "= 30.0\nmultiplicity = 2.0", "provider[2].multiplicity", "2.0", "must be a whole number"),
        ('"large"', '"small"', "provider[2].name", "'small'", "is a duplicate"),
        ('"large"', '" "', "provider[2].name", "' '", "must be a non-empty string"),
        ('"large"', "7", "provider[2].name", "7", "must be a non-empty string"),
        (TEXT[TEXT.rindex("[[") :], "", "provider", "1", "too few"),
        ("[platform]", "[[platform]]", "platform", "[{", "must be one table"),
        (TEXT[: TEXT.index("[[")], "platform = 3\n", "platform", "3", "must be one table"),
        (TEXT[TEXT.index("[[") :], "[provider]\nname = 'a'", "provider", "{'name'", "an array of tables"),
        (TEXT, "provider = [1]", "provider[1]", "1", "must be a table"),
    ],
)
def test_errors_name_key_value_and_rule(old, new, key, value, rule):
    assert TEXT.count(old) == 1
    text = message(TEXT.replace(old, new))
    assert text.startswith(f"mine: {key}={value}")
    assert rule in text
    assert text.index(rule) > text.index(value)
    remedy = text[text.index(rule) :].partition(": ")[2]
    assert len(remedy) > 10


@pytest.mark.for_each(("place", "key"), REQUIRED)
def test_a_missing_key_is_named_and_explained(place, key):
    text = message(re.sub(rf"(?m)^{key} = .*\n", "", TEXT, count=1))
    assert text.startswith(f"mine: {place}.{key} must be given: it is ")


def test_all_missing_keys_and_tables_are_named_at_once():
    without = message(re.sub(r"(?m)^exploration_\w+ = .*\n", "", TEXT))
    assert "platform.exploration_scale, platform.exploration_exponent must be given: " in without
    text = message(re.sub(r"(?m)^(confidence|quality) = .*\n", "", TEXT))
    assert text.startswith("mine: platform.confidence, provider[1].quality, provider[2].quality must be given: ")
    assert text.count("quality is q_i") == 1
    of_one = message(TEXT.replace("quality = 0.9\n", "").replace("mean_cost = 30.0\n", ""))
    assert of_one.startswith("mine: provider[2].quality, provider[2].mean_cost must be given: ")
    many = message(TEXT + '[[provider]]\nname = "x"\n' * 50)
    assert " and 92 more must be given: " in many
    assert len(many) < 500
    table = TEXT.index("[[")
    assert message(TEXT[:table]).startswith("mine: provider must be given: write [[provider]]")
    assert message(TEXT[table:]).startswith("mine: platform must be given: write [platform]")
    # A misspelling comes before what is missing elsewhere, and two mistakes at the top are told at once.
    assert "platform.confidnce" in message("[platform]\nconfidnce = 0.05")
    both = message('name = "five"\n' + TEXT.replace("[[provider]]", "[[providers]]"))
    assert both.startswith("mine: name='five'")
    assert "write [[provider]], not [[providers]]" in both


def test_what_the_paper_is_said_to_use_it_uses():
    for name in PUBLISHED_NAMES:
        platform = published(name).setting.platform
        assert {key: getattr(platform, key) for key in _PAPERS} == _PAPERS


@pytest.mark.for_each("key", PLATFORM_KEYS + PROVIDER_KEYS)
def test_suggestions_for_misspellings_of_every_key(key):
    where = "0.75\n" if key in PLATFORM_KEYS else "30.0\n"
    for wrong in (key.upper(), key.replace("_", "-") + "s", key[0] + key[2:]):
        assert f" is not a known key: did you mean {key}?" in message(TEXT.replace(where, f"{where}{wrong} = 1\n"))


def test_keys_in_the_wrong_table_are_sent_home():
    assert "it belongs under [platform]" in message("confidence = 0.05\n" + TEXT)
    assert "it belongs under [platform]" in message(TEXT + "underbid = 1\n")
    assert "it belongs under [[provider]]" in message(TEXT.replace("0.75\n", "0.75\nquality = 1\n"))
    assert "the keys here are name, quality, mean_cost" in message(TEXT + "zzz = 1\n")


def test_errors_about_a_provider_say_its_name():
    for line in ("quality = 2", "speed = 3"):
        assert message(TEXT.replace("quality = 0.9", line)).endswith(" (provider 'large')")
    assert message(TEXT.replace("quality = 0.9", "")).endswith(" (provider 'large')")
    assert message(TEXT.replace("30.0", "300.0")).endswith(" (provider 'large')")
    assert message(TEXT.replace('"small"', '"large"')).endswith(": give every provider its own name")


def test_text_must_be_text():
    assert_refused("must be a string", parse_setting, TEXT.encode(), "mine")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "text='' is empty"),
        (b" \r\n\t", "is empty"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "line 1='.*' must not begin with a byte order mark"),
        (TEXT.encode("utf-16"), r"line 1=b'\\xff' is not UTF-8"),
        (TEXT.replace("small", "für").encode("latin-1"), r"line 9=b'\\xfc' is not UTF-8"),
        (b"#" * (MAX_BYTES + 1), f"is longer than {MAX_BYTES} bytes"),
        (b"\0" * 10, r"line 1='.*' is not valid TOML: .*line 1, column 1"),
    ],
    ids=["empty", "blank", "byte order mark", "utf-16", "latin-1", "too long", "binary"],
)
def test_bad_files(tmp_path, content, rule):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rule) as caught:
        read_setting(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()


@pytest.mark.for_each(
    ("text", "expected"),
    [
        ("a = 1\nb = = 2\nc = 3", r"line 2='b = = 2' is not valid TOML: Invalid value \(at line 2, column 5\)"),
        ("a = 1\nb = 'x", r"line 2=\"b = 'x\" is not valid TOML: .*\(at (end of document|line 2, column \d+)\)"),
        ("a = 1\na = 2", "line 2='a = 2' is not valid TOML: Cannot overwrite a value"),
        ("a = 1\nb = " + "9" * 5000, "line 2='b = 9999.* holds a number of too many digits"),
        ("a = 1\nb = " + "[" * 5000, r"line 2='b = \[\[\[.* is nested too deep"),
    ],
)
def test_errors_show_the_line(text, expected):
    assert re.match(f"mine: {expected}", message(text))


@pytest.mark.for_each(
    ("path", "reason"),
    [
        ("missing.toml", "no such file"),
        (".", "is a directory|permission denied"),
        ("", "no such file"),
        ("a\0b", "null"),
        ("x" * 5000, "too long|no such file"),
        ("a\nb.toml", "no such file"),
    ],
)
def test_unreadable_paths(path, reason):
    with pytest.raises(InputError, match=f"cannot be read .*({reason}).*: give the path of a TOML") as caught:
        read_setting(path)
    assert (caught.value.argument, caught.value.value) == ("path", path)
    assert str(caught.value).isprintable()


@pytest.mark.for_each("path", [3, None, True, ["a"]])
def test_a_path_is_a_string_or_path(path):
    assert_refused("must be a path", read_setting, path)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs a device without an end")
def test_an_endless_device_is_not_read_to_its_end():
    assert_refused("is longer than", read_setting, "/dev/zero")


def test_a_setting_is_called_like_its_file(tmp_path):
    for stem in ("mine", "my.market", "näme", "two\nlines"):
        path = tmp_path / f"{stem}.toml"
        path.write_text(TEXT.replace("\n", "\r\n"), encoding="utf-8", newline="")
        expected = replace(parse_setting(TEXT, "x"), name=stem.replace("\n", "\\n"))
        assert read_setting(path) == read_setting(str(path)) == load_setting(str(path)) == expected


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_built_in_settings_by_name_and_round_trip(name):
    setting = load_setting(name)
    assert setting is published(name).setting
    assert parse_setting(format_setting(setting), name) == setting


def test_a_built_in_name_wins_over_a_file_unless_written_as_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gsm8k-full").write_text(TEXT)
    Path("plain").write_text(TEXT)
    assert load_setting("gsm8k-full") is published("gsm8k-full").setting
    assert load_setting("./gsm8k-full").platform.cost_bound == 100
    assert load_setting("plain").name == "plain"


@pytest.mark.for_each(
    ("name", "rule", "nearest"),
    [
        ("gsm8k-ful", "is neither a built-in setting nor an existing file", "gsm8k-full"),
        ("GPQA_strong", "is neither a built-in setting nor an existing file", "gpqa-strong"),
        ("", "is neither a built-in setting nor an existing file", None),
        ("a\0b", "is neither a built-in setting nor an existing file", None),
        ("gpqa-ladder.toml", "is not an existing file", "gpqa-ladder"),
        ("./zzz", "is not an existing file", None),
    ],
)
def test_unknown_names_list_the_built_in_ones(name, rule, nearest):
    with pytest.raises(InputError, match=re.escape(rule)) as caught:
        load_setting(name)
    text = str(caught.value)
    assert caught.value.value == name
    assert f"the built-in settings are {', '.join(PUBLISHED_NAMES)}" in text
    assert text.endswith("anything else must be the path of a TOML file")
    assert ("did you mean" in text) == (nearest is not None)
    assert nearest is None or f"did you mean {nearest}?" in text


def test_the_written_file_explains_every_key_once():
    ladder = published("gsm8k-ladder").setting
    # It has listed prices and multiplicities, though not on its first provider; a radius is written if it is not
    # the paper's.
    providers = (replace(ladder.providers[0], cost_variation=0.5), *ladder.providers[1:])
    platform = replace(ladder.platform, radius="beta-binomial")
    setting = replace(ladder, name="two\nlines", platform=platform, providers=providers)
    text = format_setting(setting)
    assert text.splitlines()[0] == "# Setting two\\nlines"
    assert "1e-6 USD" in text.splitlines()[1]
    commented = re.findall(r"(?m)^(\w+) = .*?  # .{5,}$", text)
    assert sorted(commented) == sorted(PLATFORM_KEYS + PROVIDER_KEYS)
    assert max(map(len, text.splitlines())) <= 110


def test_optional_keys_of_a_provider_are_written_only_when_set():
    setting = parse_setting(TEXT + "listed_price = 2\nmultiplicity = 3\n", "mine")
    small, large = format_setting(setting).split("[[provider]]")[1:]
    assert re.findall(r"(?m)^\w+", small) == ["name", "quality", "mean_cost"]
    assert re.findall(r"(?m)^\w+", large) == ["name", "quality", "mean_cost", "listed_price", "multiplicity"]
    assert re.findall(r"(?m)^(belief_slack|underbid|overbid) = 0.0", format_setting(setting)) != []


PRICED = TEXT.replace("[[provider]]", "[pricing]\ntoken_cap = 4096\nmargin = 0\n\n[[provider]]", 1)


def test_pricing_is_the_papers_unless_the_file_says_otherwise():
    assert parse_setting(TEXT, "mine").pricing == Pricing(512, 0.25)
    assert "pricing" not in parse_setting(TEXT, "mine").to_data()
    assert "[pricing]" not in format_setting(parse_setting(TEXT, "mine"))
    setting = parse_setting(PRICED, "mine")
    assert setting.pricing == Pricing(token_cap=4096, margin=0.0)
    assert setting.to_data()["pricing"] == {"token_cap": 4096, "margin": 0.0}
    assert parse_setting(format_setting(setting), "mine") == setting
    assert setting != parse_setting(TEXT, "mine")


@pytest.mark.for_each(
    ("old", "new", "told"),
    [
        ("token_cap = 4096", "token_cap = 0", "pricing.token_cap=0 must lie in 1..65536"),
        ("token_cap = 4096", "token_cap = 1.5", "pricing.token_cap=1.5 must be a whole number"),
        ("= 0.05", "= 0.05\ntoken_cap = 9", "platform.token_cap=9 is not a known key: it belongs under [pricing]"),
        ("margin = 0", "margin = -0.1", "pricing.margin=-0.1 must not be negative"),
        ("margin = 0", "margn = 0", "pricing.margn=0 is not a known key: did you mean margin?"),
        ("[pricing]\ntoken_cap = 4096\nmargin = 0\n", "pricing = 3\n", "is not a known key"),
    ],
)
def test_errors_name_the_key_of_pricing(old: str, new: str, told: str):
    assert told in message(PRICED.replace(old, new))


LINES = (TEXT.replace("0.75\n", "0.75\nbelief_slack = 0.25\n") + "listed_price = 0.1\nmultiplicity = 2").splitlines()
TEXTS = st.text(st.characters(), max_size=40)  # surrogates included


def outcome(text, name) -> Setting | None:
    """Return the setting, or None after one printable line of error; anything else is a failure."""
    try:
        setting, error = parse_setting(text, name), ""
    except InputError as caught:
        setting, error = None, str(caught)
    if setting is None:
        assert error
        assert error.isprintable()
        assert len(error) < 1000
    else:
        assert parse_setting(format_setting(setting), setting.name) == setting
    return setting


UNIT, NOT_NEGATIVE = st.floats(0, 1), st.floats(0, LARGEST_NUMBER)
INNER, POSITIVE = st.floats(SMALLEST_POSITIVE, 1, exclude_max=True), st.floats(SMALLEST_POSITIVE, LARGEST_NUMBER)
NAMES = st.text(min_size=1).filter(str.strip)
PLATFORMS = st.builds(PlatformParameters, UNIT, INNER, POSITIVE, POSITIVE, INNER, *[NOT_NEGATIVE] * 3)


@st.composite
def arbitrary_settings(draw) -> Setting:
    """Any setting there is, up to six providers: all ranges to their ends, all names."""
    platform = draw(PLATFORMS)
    costs, prices = st.floats(0, platform.cost_bound), st.none() | POSITIVE
    providers = st.builds(Provider, NAMES, UNIT, costs, prices, st.integers(1, 1000))
    return Setting(draw(TEXTS), platform, draw(st.lists(providers, min_size=2, max_size=6, unique_by=lambda p: p.name)))


@settings(deadline=None)
@given(arbitrary_settings())
def test_round_trip_is_exact(setting):
    again = parse_setting(format_setting(setting), setting.name)
    assert again == setting
    assert repr(again) == repr(setting)  # tells -0.0 from 0.0


@settings(deadline=None)
@given(TEXTS)
@example("x = " + "[" * 100_000)
@example('"\\"' * 100_000)
def test_any_text(text):
    assert outcome(text, text[:20]) is None


@pytest.mark.for_each("at", [i for i, line in enumerate(LINES) if " = " in line])
def test_every_key_with_every_odd_value(at):
    key = LINES[at].partition(" = ")[0]
    accepted = {
        value
        for value in ODD_VALUES
        if outcome("\n".join((*LINES[:at], f"{key} = {value}", *LINES[at + 1 :])), "mutant")
    }
    assert accepted < set(ODD_VALUES)
    assert accepted, "every key accepts some of the odd values"


PLATFORM = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
PROVIDER = Provider("a", 0.9, 0.2)
NOT_NUMBERS = [True, "0.5", None, [0.5], 1j, Fraction(1, 2)]
NOT_FINITE = [math.nan, math.inf, -math.inf, 10**400]


def market(*rows: tuple[float, float], threshold: float = 0.5) -> Setting:
    """Return a setting of providers (quality, mean cost) called a, b, c, ..."""
    providers = [Provider(chr(97 + i), quality, cost) for i, (quality, cost) in enumerate(rows)]
    return Setting("toy", replace(PLATFORM, quality_threshold=threshold), providers)


@pytest.mark.for_each("key", [field.name for field in fields(PlatformParameters) if field.name != "radius"])
def test_every_platform_parameter_is_a_finite_number(key):
    for value in NOT_NUMBERS + NOT_FINITE:
        with pytest.raises(InputError, match=f"^{key}=.* must be (a number|finite): ") as caught:
            replace(PLATFORM, **{key: value})
        assert (caught.value.argument, repr(caught.value.value)) == (key, repr(value))


@pytest.mark.for_each(
    ("key", "inside", "outside"),
    [
        ("quality_threshold", [0, 1], [-1e-9, math.nextafter(1, 2)]),
        ("confidence", [1e-300, math.nextafter(1, 0)], [0, 1, -0.1, 1.5, 5e-324, 1e-320]),
        ("cost_bound", [1e-300, 1e15], [0, -1, 5e-324, 1.1e15, 1e300]),
        ("exploration_scale", [1e-300, 1e15], [0, -1, 5e-324, 1e300]),
        ("exploration_exponent", [1e-300, math.nextafter(1, 0)], [0, 1, 1.2, 5e-324]),
        ("belief_slack", [0, 1e15], [-1e-9, 1e300]),
        ("underbid", [0, 5], [-1e-9, 1e300]),
        ("overbid", [0, 5], [-1e-9, 1e300]),
    ],
)
def test_platform_ranges(key, inside, outside):
    for value in inside:
        accepted = getattr(replace(PLATFORM, **{key: value}), key)
        assert accepted == value
        assert type(accepted) is float
    for value in outside:
        rules = "lie in|be positive|not be negative|not exceed|be at least"
        assert_refused(rf"^{key}=\S+ must ({rules})", replace, PLATFORM, **{key: value})


@pytest.mark.for_each(
    ("key", "inside", "outside"),
    [
        ("name", ["x", " y ", "名"], ["", "  \t", 3, None, b"x"]),
        ("quality", [0, 1, 0.5], [-0.1, 1.1, math.nan, "1", True, None]),
        ("mean_cost", [0, 3], [-1e-9, math.inf, "1", False, None]),
        ("listed_price", [None, 1e-9, 4], [0, -1, math.nan, "1", True]),
        ("cost_variation", [None, 0, 0.35, 4], [-0.1, math.nan, "1", True]),
        ("multiplicity", [1, 1000], [0, 1001, -1, 2.0, "2", True, None, 10**5000]),
    ],
)
def test_provider_ranges(key, inside, outside):
    for value in inside:
        assert getattr(replace(PROVIDER, **{key: value}), key) == value
    for value in outside:
        with pytest.raises(InputError, match=f"^{key}=") as caught:
            replace(PROVIDER, **{key: value})
        assert caught.value.argument == key
        assert str(caught.value).isprintable()


@pytest.mark.for_each("providers", [[], [PROVIDER]])
def test_a_market_needs_two_providers(providers):
    assert_refused(f"^provider={len(providers)} .*too few", Setting, "toy", PLATFORM, providers)


GRID = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(st.lists(st.tuples(GRID, GRID), min_size=2, max_size=6), GRID)
@example([(0.5, 0.5), (0.5, 0.5)], 0.5)
@example([(0.0, 0.0), (0.0, 1.0)], 0.0)
def test_derived_sets_are_the_papers(rows, threshold):
    """Against the definitions, by brute force over all pairs and on a grid where ties abound."""
    setting = market(*rows, threshold=threshold)
    exact = [(Fraction(quality), Fraction(cost)) for quality, cost in rows]
    qualified = {i for i, (quality, _) in enumerate(exact) if quality >= Fraction(threshold)}
    strictly_cheapest = [i for i in qualified if all(exact[i][1] < exact[j][1] for j in qualified if j != i)]
    competitors = qualified - set(strictly_cheapest) if strictly_cheapest else set()

    assert setting.n_providers == len(rows)
    assert set(setting.qualified) == qualified
    assert sorted(setting.qualified + setting.unqualified) == list(range(len(rows)))
    assert ([] if setting.optimal is None else [setting.optimal]) == strictly_cheapest
    assert set(setting.competitors) == competitors
    assert setting.second_lowest_cost == (float(min(exact[i][1] for i in competitors)) if competitors else None)
    assert bool(setting.unmet_assumptions) == (len(qualified) < 2 or not strictly_cheapest)


@pytest.mark.for_each(
    ("rows", "reason"),
    [
        ([(0.4, 0.1), (0.6, 0.9), (0.3, 0.2)], "1 provider reaches"),
        ([(0.4, 0.1), (0.1, 0.9)], "no provider reaches"),
        ([(0.9, 0.2), (0.6, 0.2), (0.9, 0.3), (0.1, 0.2)], "tie of mean costs"),
    ],
)
def test_an_unmet_assumption_is_told(rows, reason):
    [told] = market(*rows).unmet_assumptions
    assert reason in told


@pytest.mark.for_each(
    "value",
    [1 << 20000, "x" * 1000, "a\nb\u2028c", "\ud800", [[["é"]]]],
    ids=["huge", "long", "lines", "surrogate", "nested"],
)
def test_errors_are_one_printable_line_for_any_value(value):
    error = InputError("quality", value, "must lie in [0, 1]", "it is q_i")
    assert str(error).isprintable()
    assert str(error).startswith("quality=")
    assert str(error).endswith(" must lie in [0, 1]: it is q_i")
    assert len(str(error)) < 130


@given(st.text(st.characters()), st.none() | st.integers(3, 20))
def test_printable_is_one_printable_line(text, longest):
    line = printable(text, longest)
    assert line.isprintable()
    assert longest is None or len(line) <= longest
    assert line == text or any(map(is_hidden, text)) or longest is not None


@pytest.mark.for_each(
    ("costs", "underbid", "overbid", "close"),
    [
        ([0.1, 0.3, 0.5], 0.0, 0.0, ()),
        ([0.0, 0.4, 0.5], 0.1, 0.3, ()),  # 0.4 is the larger double, 0.1 + 0.3 rounds to it
        ([0.25, 0.5, 0.75], 0.125, 0.125, (1,)),
        ([0.75, 0.25, 0.5, 0.625], 0.25, 0.125, (2, 3)),
        ([0.25, 0.25, 0.5], 0.25, 0.25, ()),
    ],
)
def test_cost_gaps_within_the_deviations_are_found_exactly(costs, underbid, overbid, close):
    setting = market(*((0.9, cost) for cost in costs))
    setting = replace(setting, platform=replace(setting.platform, underbid=underbid, overbid=overbid))
    assert setting.unseparated == close
