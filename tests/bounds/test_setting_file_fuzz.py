"""Setting files, fuzzed: whatever the input, a setting that reads back or one error of one line."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings, strategies as st

from bounds import InputError, PlatformParameters, Provider, Setting
from bounds.setting.file import format_setting, parse_setting, read_setting
from bounds.setting.model import LARGEST_NUMBER, SMALLEST_POSITIVE

LINES = (
    "[platform]",
    "quality_threshold = 0.5",
    "confidence = 0.05",
    "cost_bound = 100.0",
    "exploration_scale = 2.0",
    "exploration_exponent = 0.75",
    "belief_slack = 0.25",
    "[[provider]]",
    'name = "small"',
    "quality = 0.6",
    "mean_cost = 10.0",
    "listed_price = 0.1",
    "[[provider]]",
    'name = "large"',
    "quality = 0.9",
    "mean_cost = 30.0",
    "multiplicity = 2",
)
ODD_VALUES = (
    *("nan", "+inf", "-inf", "true", "false", "-1", "0", "-0.0", "0.5", "2", "1e999", "5e-324", "1_0", "10"),
    *("9" * 5000, "1_" * 3000 + "1", "0x" + "f" * 5000, "0b" + "1" * 2000, "0o777", "1e308", str(10**30)),
    *('""', '"0.5"', "'''\n'''", '"a\\nb"', '"\\u2028"', '"\\ud800"', "'x", '"""', '"' + "é" * 300 + '"'),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "1979-13-45", "2020-02-30T25:00:00"),
    *("[]", "[0.5]", "[[[]]]", "[" * 3000, "[" * 50 + "]" * 50, "{}", "{a = 1}", "{a = " * 2000, "{a.b.c = 1}"),
    *("", "=", "# none", "0.5 0.6", "\0", "\ud800", "\ufeff"),
)
TEXTS = st.text(st.characters(), max_size=40)  # surrogates included


def outcome(read, source, *arguments) -> Setting | None:
    """Return the setting, or None after one printable line of error; anything else is a failure."""
    try:
        setting, error = read(source, *arguments), ""
    except InputError as caught:
        setting, error = None, str(caught)
    if setting is None:
        assert error
        assert error.isprintable()
        assert len(error) < 1000
    else:
        assert parse_setting(format_setting(setting), setting.name) == setting
    return setting


def test_the_unmutated_lines_read():
    assert outcome(parse_setting, "\n".join(LINES), "valid") is not None


@st.composite
def arbitrary_settings(draw) -> Setting:
    """Any setting there is, up to six providers: all ranges to their ends, all names."""
    unit = st.floats(0, 1)
    inner = st.floats(SMALLEST_POSITIVE, 1, exclude_max=True)
    positive = st.floats(SMALLEST_POSITIVE, LARGEST_NUMBER)
    not_negative = st.floats(0, LARGEST_NUMBER)
    bound = draw(positive)
    platform = PlatformParameters(
        draw(unit),
        draw(inner),
        bound,
        draw(positive),
        draw(inner),
        draw(not_negative),
        draw(not_negative),
        draw(not_negative),
    )
    names = st.text(min_size=1).filter(str.strip)
    providers = [
        Provider(name, draw(unit), draw(st.floats(0, bound)), draw(st.none() | positive), draw(st.integers(1, 1000)))
        for name in draw(st.lists(names, min_size=2, max_size=6, unique=True))
    ]
    return Setting(draw(TEXTS), platform, providers)


@settings(deadline=None)
@given(arbitrary_settings())
def test_round_trip_is_exact(setting):
    again = parse_setting(format_setting(setting), setting.name)
    assert again == setting
    assert repr(again) == repr(setting)  # tells -0.0 from 0.0


@settings(deadline=None)
@given(arbitrary_settings().filter(lambda setting: setting.name.isprintable()))
def test_round_trip_through_a_file(tmp_path_factory, setting):
    path = tmp_path_factory.mktemp("settings", numbered=True) / "mine.toml"
    path.write_text(format_setting(setting), encoding="utf-8")
    assert repr(read_setting(path).providers) == repr(setting.providers)


@settings(deadline=None)
@given(TEXTS)
@example("x = " + "[" * 100_000)
@example('"\\"' * 100_000)
def test_any_text(text):
    assert outcome(parse_setting, text, text[:20]) is None


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes", numbered=True) / "mine.toml"
    path.write_bytes(content)
    assert outcome(read_setting, path) is None


@st.composite
def mutated_lines(draw) -> list[str]:
    """A valid file with lines dropped, doubled, moved, renamed, given an odd value, or added."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 3))):
        if not lines:
            break
        at = draw(st.integers(0, len(lines) - 1))
        key, equals, value = lines[at].partition(" = ")
        match draw(st.sampled_from(["drop", "double", "move", "rename", "value", "value", "value", "line"])):
            case "drop":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "move":
                lines.insert(draw(st.integers(0, len(lines))), lines.pop(at))
            case "rename":
                key = draw(st.sampled_from([line.partition(" = ")[0] for line in LINES]) | TEXTS)
                lines[at] = key + equals + value
            case "value":
                lines[at] = f"{key} = {draw(st.sampled_from(ODD_VALUES))}"
            case "line":
                lines.insert(at, draw(TEXTS))
    return lines


@settings(deadline=None, max_examples=400)
@given(mutated_lines())
def test_mutations_of_a_valid_file(lines):
    outcome(parse_setting, "\n".join(lines), "mutant")


@pytest.mark.for_each("at", [i for i, line in enumerate(LINES) if " = " in line])
def test_every_key_with_every_odd_value(at):
    key = LINES[at].partition(" = ")[0]
    accepted = {
        value
        for value in ODD_VALUES
        if outcome(parse_setting, "\n".join((*LINES[:at], f"{key} = {value}", *LINES[at + 1 :])), "mutant")
    }
    assert accepted < set(ODD_VALUES)
    assert accepted, "every key accepts some of the odd values"


KEYS = st.sampled_from(
    ["platform", "provider", *(line.partition(" = ")[0] for line in LINES if " = " in line)]
) | st.text(max_size=5)
SCALARS = (
    st.booleans().map(lambda value: "true" if value else "false")
    | st.integers().map(str)
    | st.floats().map(repr)
    | st.text(max_size=5).map(lambda text: json.dumps(text, ensure_ascii=False))
    | st.datetimes().map(lambda when: when.isoformat())
    | st.dates().map(lambda day: day.isoformat())
    | st.times().map(lambda time: time.isoformat())
)


def inline_table(items: dict[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {v}" for k, v in items.items()) + "}"


VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda values: f"[{', '.join(values)}]")
        | st.dictionaries(KEYS, inner, max_size=4).map(inline_table)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_nested_document(items):
    text = "\n".join(f"{json.dumps(key, ensure_ascii=False)} = {value}" for key, value in items.items())
    assert outcome(parse_setting, text, "nested") is None
