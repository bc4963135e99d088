"""Expressions over columns: what is refused, what they mean beside plain Python, and empty cells."""

import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from mechanism.tabular.expressions import LONGEST, Expression, Kind, parse, unreadable
from tests.tabled import rows_of

Row = Mapping[str, str | None]
Evaluate = Callable[[Row], Any]
#: An expression, and what it means.
Meant = tuple[str, Evaluate]

COLUMNS = ("a", "b", "c.d", 'cost (usd)", x')


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def answer(expression: Expression, row: Row) -> object:
    """Return what DuckDB answers for one row, or raise what it says of a cell."""
    names = {name: f"x{at}" for at, name in enumerate(row)}
    # What DuckDB knows before it reads a row, it calculates with before it asks whether cells can be read.
    cells = ", ".join(f"CASE WHEN random() < 2 THEN CAST(? AS VARCHAR) END {name}" for name in names.values())
    query = f"SELECT {expression.sql(names.__getitem__, '17')} FROM (SELECT {cells})"
    try:
        return duckdb.execute(query, [cell or None for cell in row.values()]).fetchall()[0][0]
    except duckdb.Error as error:
        line, problem = unreadable(str(error)) or (0, error)
        raise problem if line == 17 else error from None


def where(text: str, **cells: str | None) -> object:
    return answer(parse(text, "where", "condition"), cells)


REFUSED = [
    *(text for (text,) in rows_of(__file__, "refused_expressions.csv")),
    "a = 'x\0'",
    "(" * 4_000 + "a" + ")" * 4_000,
    "not " * 2_000 + "a",
    "a + " * 2_000 + "1 > 0",
    "nullif(" * 60 + "a" + ", 'x')" * 60 + " = '1'",
    "a / (" * 45 + "a" + ")" * 45 + " > 0",
    "(a or b and " * 40 + "a" + ")" * 40,
    "a" * (1 << 20),
]


@pytest.mark.for_each("text", REFUSED)
def test_what_is_not_listed_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text, "where", "condition")
    assert refused.value.argument == "where"
    assert len(str(refused.value)) < 600


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(InputError):
        parse("a = '\ud800'", "where", "condition")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lowr(a) = 'x'", "may not use lowr: did you mean lower?"),
        ("main.abs(a) = 1", "may not use main.abs: allowed are columns"),
        ("spend >", "is not an expression: syntax error"),
        ("statsu = 'x'", "names 'statsu', which is not a column of the file: did you mean status?"),
        (
            'status = "ok"',
            "names 'ok', which is not a column of the file: the columns are status, spend; texts stand in single",
        ),
        ("spend * 2", "has a number where it needs a condition: compare it"),
    ],
)
def test_a_refusal_says_what_to_do(text: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        parse(text, "where", "condition").check(["status", "spend"])


@pytest.mark.for_each(
    "text, kind, cell, result",
    [
        ("a = 'C'", "number", "C", 1.0),
        ("a = 'C'", "number", "", None),
        ("coalesce(a, '7')", "number", "", 7.0),
        ("a", "number", "1e3", 1000.0),
        ("a", "text", "1e3", "1e3"),
        ("case a when 'x' then 'y' else a end", "text", "x", "y"),
    ],
)
def test_a_value_is_what_it_is_to_be(text: str, kind: Kind, cell: str, result: object) -> None:
    assert answer(parse(text, "columns", kind), {"a": cell}) == result


def test_names_are_those_of_the_columns() -> None:
    text = f"{quoted(COLUMNS[3])} = 'x' AND c.d > a AND Not user /* no column */"
    assert parse(text, "where", "condition").columns == (COLUMNS[3], "c.d", "a", "user")


@pytest.mark.for_each("text, cell, result", rows_of(__file__, "conditions.csv"))
def test_what_a_condition_means(text: str, cell: str, result: str) -> None:
    assert where(text, a=cell) is {"true": True, "false": False, "": None}[result]


@pytest.mark.for_each(
    "text, said",
    [
        (
            "b = 'ok' and a > 0",
            "a='n/a' must be a finite number: where reads it so; nullif(a, 'n/a') takes it for empty",
        ),
        ("a", "a='n/a' must be true or false"),
        ("coalesce(a, 0) > 0", "a='n/a' must be a finite number"),
        ("trim(a) * 2 > 0", "text='n/a' must be a finite number"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        where(text, a="n/a", b="ok")


@pytest.mark.parametrize(
    "text", ["b = 'ok' and a > 0", "not (b <> 'ok' or a < 0)", "case when b = 'ok' then a > 0 else false end"]
)
def test_nothing_is_read_behind_what_decides(text: str) -> None:
    """Also where many rows are evaluated at once, and the same cell is read elsewhere."""
    keep = parse(text, "where", "condition").sql(str)
    value = parse("a * 2", "columns", "number").sql(str)
    rows = "SELECT if(i % 3 = 0, 'n/a', '7') a, if(i % 3 = 0, 'failed', 'ok') b FROM range(9000) r(i)"
    read = f"SELECT {keep} keep, CASE WHEN {keep} THEN {value} END v FROM ({rows})"
    found = duckdb.execute(f"SELECT count(v), min(v), max(v), count(keep) FROM ({read})").fetchall()
    assert found == [(6000, 14.0, 14.0, 9000)]


# The meaning of random expressions in plain Python.


class UnreadableError(Exception):
    """A cell is not what it is read as; DuckDB need not read it if the other side is empty in all rows."""

    def __init__(self, *, other_empty: bool = False) -> None:
        self.other_empty = other_empty


def number(cell: str | None) -> float | None:
    if not cell:
        return None
    try:
        found = float(cell) if cell.isascii() and "_" not in cell else math.inf
    except ValueError:
        raise UnreadableError from None
    if math.isinf(found):
        raise UnreadableError
    return None if math.isnan(found) else found


def truth(cell: str | None) -> bool | None:
    if not cell:
        return None
    try:
        return {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}[cell.strip(" ").lower()]
    except KeyError:
        raise UnreadableError from None


def column(read: Callable[[str | None], Any]) -> st.SearchStrategy[Meant]:
    return st.sampled_from(COLUMNS).map(lambda name: (quoted(name), lambda row: read(row[name])))


def strict(form: str, function: Callable[..., Any], *parts: st.SearchStrategy[Meant]) -> st.SearchStrategy[Meant]:
    """Return an operation that reads all of its arguments, and is open if one of them is."""

    def built(arguments: tuple[Meant, ...]) -> Meant:
        def evaluated(row: Row) -> Any:
            values: list[Any] = []
            for _, evaluate in arguments:
                try:
                    values.append(evaluate(row))
                except UnreadableError as error:
                    values.append(error)
            if unread := [value for value in values if isinstance(value, UnreadableError)]:
                raise UnreadableError(other_empty=None in values or any(error.other_empty for error in unread))
            return None if None in values else function(*values)

        return form.format(*(text for text, _ in arguments)), evaluated

    return st.tuples(*parts).map(built)


def loose(form: str, function: Callable[..., Any], *parts: st.SearchStrategy[Meant]) -> st.SearchStrategy[Meant]:
    """Return an operation that is given its arguments to evaluate."""

    def built(arguments: tuple[Meant, ...]) -> Meant:
        evaluates = [evaluate for _, evaluate in arguments]
        text = form.format(*(text for text, _ in arguments))
        return text, lambda row: function(*((lambda e=evaluate: e(row)) for evaluate in evaluates))

    return st.tuples(*parts).map(built)


def settled_by(value: bool) -> Callable[[Callable[[], Any], Callable[[], Any]], Any]:
    """Return AND, which False settles, or OR, which True does."""

    def combined(left: Callable[[], Any], right: Callable[[], Any]) -> Any:
        first = left()
        if first is value:
            return value
        second = right()
        return value if second is value else None if None in (first, second) else not value

    return combined


both, either = settled_by(False), settled_by(True)


def like(text: str, pattern: str) -> bool:
    expression = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def smallest(*values: Callable[[], Any]) -> Any:
    return min((value for each in values if (value := each()) is not None), default=None)


def rounded(value: float) -> float:
    return float(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))


NUMBERS: st.SearchStrategy[Meant] = st.deferred(
    lambda: st.one_of(
        st.sampled_from([0, 1, 7, -2, 0.5, 1e6, 1.1]).map(lambda value: (repr(value), lambda row: float(value))),
        strict("({} + 0)", lambda value: value + 0, column(number)),
        strict("({} + {})", lambda a, b: a + b, NUMBERS, NUMBERS),
        strict("({} - {})", lambda a, b: a - b, NUMBERS, NUMBERS),
        strict("({} * {})", lambda a, b: a * b, NUMBERS, NUMBERS),
        strict("({} / {})", lambda a, b: a / b, NUMBERS, DIVISORS),
        strict("({} % {})", math.fmod, NUMBERS, DIVISORS),
        strict("(- {})", lambda a: -a, NUMBERS),
        strict("abs({})", abs, NUMBERS),
        strict("floor({})", math.floor, NUMBERS),
        strict("ceil({})", math.ceil, NUMBERS),
        strict("round({})", rounded, NUMBERS),
        loose("least({}, {})", smallest, NUMBERS, NUMBERS),
        loose("coalesce({}, {})", lambda a, b: first if (first := a()) is not None else b(), NUMBERS, NUMBERS),
        loose("case when {} then {} else {} end", lambda c, a, b: a() if c() else b(), CONDITIONS, NUMBERS, NUMBERS),
        loose("case when {} then {} end", lambda c, a: a() if c() else None, CONDITIONS, NUMBERS),
        loose("cast({} as double)", lambda a: number(a()), TEXTS),
    )
)
DIVISORS: st.SearchStrategy[Meant] = NUMBERS.map(lambda meant: (meant[0], lambda row: meant[1](row) or None))
TEXTS: st.SearchStrategy[Meant] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["x", "", "it's", "%b", "1", "a_"]).map(
            lambda t: ("'" + t.replace("'", "''") + "'", lambda row: t)
        ),
        strict("{}", str, column(lambda cell: cell or None)),
        strict("lower({})", str.lower, TEXTS),
        strict("upper({})", str.upper, TEXTS),
        strict("trim({})", lambda text: text.strip(" "), TEXTS),
        loose("nullif({}, {})", lambda a, b: None if (first := a()) == b() else first, TEXTS, TEXTS),
        loose(
            "coalesce({}, {}, 'z')", lambda a, b: next((v for e in (a, b) if (v := e()) is not None), "z"), TEXTS, TEXTS
        ),
    )
)
CONDITIONS: st.SearchStrategy[Meant] = st.deferred(
    lambda: st.one_of(
        column(truth),
        strict("({} = {})", lambda a, b: a == b, NUMBERS, NUMBERS),
        strict("({} < {})", lambda a, b: a < b, NUMBERS, NUMBERS),
        strict("({} >= {})", lambda a, b: a >= b, NUMBERS, NUMBERS),
        strict("({} <> {})", lambda a, b: a != b, TEXTS, TEXTS),
        strict("({} = {})", lambda a, b: a == b, column(lambda cell: cell or None), TEXTS),
        strict("({} between {} and 7)", lambda a, b: b <= a <= 7, NUMBERS, st.just(("-2", lambda row: -2))),
        strict(
            "({} in ({}, {}))",
            lambda a, b, c: a in (b, c),
            NUMBERS,
            st.just(("1", lambda row: 1)),
            st.just(("7", lambda row: 7)),
        ),
        strict("({} like {})", like, TEXTS, TEXTS),
        strict("contains({}, {})", lambda a, b: b in a, TEXTS, TEXTS),
        strict("starts_with({}, {})", str.startswith, TEXTS, TEXTS),
        strict("ends_with({}, {})", str.endswith, TEXTS, TEXTS),
        strict("(not {})", lambda a: not a, CONDITIONS),
        loose("({} is null)", lambda a: a() is None, NUMBERS),
        loose("({} is not null)", lambda a: a() is not None, TEXTS),
        loose("({} is not true)", lambda a: a() is not True, CONDITIONS),
        loose("({} and {})", both, CONDITIONS, CONDITIONS),
        loose("({} or {})", either, CONDITIONS, CONDITIONS),
    )
)
CELLS = st.sampled_from(["", "1", "0", "2.5", " 3 ", "-1e3", "7", "true", " False", "x", "nan", "it's", "aB"])
ROWS = st.fixed_dictionaries(dict.fromkeys(COLUMNS, CELLS))


def outcomes(evaluate: Callable[[], object]) -> set[object]:
    """Return what DuckDB may answer."""
    try:
        return {evaluate()}
    except UnreadableError as error:
        return {"unreadable", None} if error.other_empty else {"unreadable"}


def outcome(text: str, row: Row, kind: Kind) -> object:
    try:
        return answer(parse(text, "columns", kind), row)
    except InputError:
        return "unreadable"


@given(CONDITIONS, ROWS)
def test_conditions_mean_what_python_says(meant: Meant, row: Row) -> None:
    text, evaluate = meant
    assert outcome(text, row, "condition") in outcomes(lambda: evaluate(row))


@given(NUMBERS, ROWS)
def test_values_mean_what_python_says(meant: Meant, row: Row) -> None:
    text, evaluate = meant
    assert outcome(text, row, "number") in outcomes(lambda: evaluate(row))


@given(st.text("0123456789.+-eE_xinfatyNA \t١", max_size=8))
@example("1_000")
@example("1e400")
@example("infinity")
@example("0x10")
def test_numbers_are_those_of_python(cell: str) -> None:
    assert {outcome("a + 0", {"a": cell}, "number")} == outcomes(lambda: number(cell))


WORDS = """and or not in is like between case when then else end select from where union copy to lambda cast as
double over filter distinct read_csv( repeat( lower( abs( coalesce( nullif( exists( null true 'x' 1e6 -- /* */"""
TOKENS = st.sampled_from("()()()',;.:=<>+-*/%|[]{}$1?#@ab ") | st.sampled_from(re.findall(r"\S+", WORDS)).map(
    " {} ".format
)
KINDS: tuple[Kind, ...] = ("number", "text", "condition")
WRITTEN = {"abs", "floor", "ceil", "round", "least", "greatest", "lower", "upper", "trim", "contains", "starts_with"}
WRITTEN |= {"ends_with", "nullif", "+", "-", "*", "/", "%", "~~", "!~~", "~~*", "!~~*"}
WRITTEN |= {"error", "concat_ws", "left", "isfinite", "isnan"}


def functions(node: object) -> set[str]:
    """Return the functions of a tree of DuckDB, and what it has instead of expressions over columns."""
    if isinstance(node, list):
        return set().union(*map(functions, node))
    if not isinstance(node, dict):
        return set()
    own = {str(node["function_name"])} if "function_name" in node else set()
    own |= {str(node.get("class"))} & {"SUBQUERY", "STAR", "LAMBDA", "WINDOW", "PARAMETER", "POSITIONAL_REFERENCE"}
    return own.union(*map(functions, node.values()))


@given(st.lists(TOKENS, max_size=12).map("".join) | st.text(max_size=20), st.sampled_from(KINDS))
@example("lower( a ) = 'x' and abs( b ) < 1", "condition")
def test_whatever_is_accepted_is_rewritten_in_known_functions(text: str, kind: Kind) -> None:
    try:
        expression = parse(text, "columns", kind)
    except InputError:
        return
    sql = expression.sql(lambda name: "x0")
    tree = json.loads(duckdb.execute("SELECT json_serialize_sql($1)", [f"SELECT {sql}"]).fetchall()[0][0])
    assert not tree["error"]
    assert len(tree["statements"]) == 1
    assert functions(tree) <= WRITTEN
    with suppress(InputError):  # 'x' where a number is needed
        answer(expression, dict.fromkeys(("a", *expression.columns), "1"))


def test_the_longest_expression_is_accepted() -> None:
    among = ", ".join(f"'{name:04}'" for name in range(LONGEST // 8 - 2))
    assert where(f"a in ({among})", a="0007") is True
