"""Files that hold a trace, well or badly, and what reading them comes to."""

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.trace import Trace

#: Names that need quotes in CSV or escapes in JSON; one is the index of another provider.
NAMES = ("alice", "b_b", "ünï", "a,b", 'say "x"', "0", "two\nlines")


def market(*names: str) -> Setting:
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    return Setting("toy", platform, tuple(Provider(name, 0.9, 0.1) for name in names))


MARKET = market(*NAMES)
#: For tests that write each example into the folder of the test.
FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
COMMON = st.sampled_from(["1", "0", "0.5", "1.0", "0.1", "1e-05", "-3.25", "0.30000000000000004", "12345678901234567"])
#: What one reader takes for a number and another does not, or reads as another number.
ODD_NUMBERS = (
    *("-0", "-0.0", "1e-0", "1_0", " .25", "+0.5", "1.", "01", "0x1", "nan", "NaN", "inf", "1e400", "", "٣", "1E+2"),
    *("true", "null", "9007199254740993", "\x1c1", "\xa01", '"1"', "[1]", "1}", "1\r", "\r1"),
    *("9" * 400, "1" * 5000),
)
ODD_STEPS = ("{}.0", " {}", "{}0", "0{}", "{}e0", "+{}", "x", "", '"{}"')
ODD_PROVIDERS = ("zz", "-1", "7", "01", "1.0", "", " 1", "é\u2028", "-0", "null", "\\u0030")
ODD_ENDS = ("", "\n\n", " \n", "\r\n", "\r", "\r\r\n", "\x00\n", '"', ",\n", "\x0b\n", "\u2028\n")
COLUMNS = ("step", "provider", "payment", "score", "bid", "cost")


def csv_cell(cell: str, always: bool) -> str:
    return '"' + cell.replace('"', '""') + '"' if always or any(c in cell for c in ',"\n') else cell


def some_trace(steps: int) -> Trace:
    """Return a log of six providers."""
    rng = np.random.default_rng(steps)
    return Trace(rng.integers(0, 6, steps), rng.random(steps), rng.integers(0, 2, steps), rng.random(steps))


def standing_bids(trace: Trace) -> list[float]:
    """Return the bid of the served provider that stood before each step, NaN before its first."""
    last: dict[int, float] = {}
    found = []
    for provider, bid in zip(trace.provider.tolist(), trace.bid.tolist(), strict=True):
        found.append(last.get(provider, float("nan")))
        last[provider] = bid
    return found


def is_one_line(told: object) -> bool:
    return isinstance(told, str) and len(told.splitlines()) == 1 and told.isprintable()


@st.composite
def rows(draw: st.DrawFn, providers: st.SearchStrategy[str], steps: int = 30) -> tuple[list[str], list[dict[str, str]]]:
    """The columns in some order, and rows of which a few are odd."""
    columns = list(draw(st.permutations(COLUMNS[: draw(st.sampled_from([5, 6]))])))
    table = []
    odd_rows = draw(st.sets(st.integers(1, steps), max_size=2))
    for step in range(1, draw(st.integers(1, steps)) + 1):
        row = {name: draw(COMMON) for name in columns}
        row |= {"step": str(step), "score": draw(st.sampled_from(["0", "1", "0.5"])), "provider": draw(providers)}
        if step in odd_rows:
            changed = draw(st.sampled_from(columns))
            if changed == "step":
                row["step"] = draw(st.sampled_from(ODD_STEPS)).format(step)
            else:
                row[changed] = draw(
                    st.sampled_from(ODD_PROVIDERS) if changed == "provider" else st.sampled_from(ODD_NUMBERS)
                )
        table.append(row)
    return columns, table


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    columns, table = draw(rows(st.sampled_from([*NAMES, *"12345"])))
    end, always = draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans())
    text = ",".join(csv_cell(name, always) for name in columns)
    for row in table:
        text += end + ",".join(csv_cell(row[name], always) for name in columns)
    return with_odd_ends(draw, text + end)


@st.composite
def json_files(draw: st.DrawFn) -> bytes:
    ascii_only = draw(st.booleans())
    texts = [*(json.dumps(name, ensure_ascii=ascii_only) for name in (*NAMES, *"12345")), *"012345"]
    columns, table = draw(rows(st.sampled_from(texts)))
    between = draw(st.sampled_from([", ", ",", "\t,\r"]))
    colon, end = draw(st.sampled_from([": ", ":", " : "])), draw(st.sampled_from(["\n", "\r\n"]))
    shuffled = draw(st.booleans()) and draw(st.booleans())
    text = ""
    for row in table:
        order = draw(st.permutations(columns)) if shuffled else columns
        text += "{" + between.join(f'"{name}"{colon}{row[name]}' for name in order) + "}" + end
    return with_odd_ends(draw, text)


def with_odd_ends(draw: st.DrawFn, text: str) -> bytes:
    """Let one or two lines, or none, end otherwise; perhaps the last end is missing."""
    lines = text.split("\n")
    ends = ["\n"] * (len(lines) - 1)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        ends[draw(st.integers(0, len(ends) - 1))] = draw(st.sampled_from(ODD_ENDS))
    contents = "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True)).encode()
    return contents.rstrip(b"\r\n") if draw(st.booleans()) else contents


def odd_rows(ending: str) -> Iterator[bytes]:
    """Yield three plain rows with one odd cell or end, for every such cell and end."""
    plain = {"step": "{}", "provider": "alice", "payment": "2", "score": "1", "bid": "0.5", "cost": "1.5"}
    changes = [(name, odd) for name in COLUMNS[2:] for odd in ODD_NUMBERS]
    changes += [("step", odd) for odd in ODD_STEPS] + [("provider", odd) for odd in (*ODD_PROVIDERS, *NAMES, "2")]
    changes += [("end", odd) for odd in ODD_ENDS]
    for (name, odd), places in product(changes, [(2,), (2, 3)]):
        text = ",".join(COLUMNS) + "\n" if ending == ".csv" else ""
        for step in range(1, 4):
            row = {**plain, "end": "\n"} | ({name: odd} if step in places else {})
            text += written({**row, "step": row["step"].format(step)}, ending)
        yield text.encode()


def written(row: dict[str, str], ending: str) -> str:
    if ending == ".csv":
        return ",".join(csv_cell(row[name], False) for name in COLUMNS) + row["end"]
    cells = row | {"provider": json.dumps(row["provider"], ensure_ascii=False)}
    return "{" + ", ".join(f'"{name}": {cells[name]}' for name in COLUMNS) + "}" + row["end"]


def outcome(read: Callable[..., Trace], path: str | Path) -> object:
    """The bits of every column, or the error."""
    try:
        trace = read(path, MARKET)
    except InputError as error:
        return str(error)
    return {name: column.tobytes() for name, column in trace.columns().items()}
