"""Expressions over the columns of a log: DuckDB parses them, and what is listed here is written anew as SQL.

Cells are text. Their use says how they are read: as a number in arithmetic or beside a number, as true or false where
a condition is needed, otherwise as text. The given text never becomes SQL: the caller looks up the columns, constants
are quoted, and operations come from one table.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from bounds.errors import InputError, did_you_mean, printable
from bounds.words import first_of
from mechanism.tabular.scalars import text_number
from mechanism.tabular.sql import number_sql, quoted

Kind = Literal["number", "text", "condition"]

#: Characters of an expression, its nesting, and characters of the SQL that it becomes, beyond which it is refused.
LONGEST, MOST_NESTED, _LONGEST_SQL = 10_000, 100, 200_000

#: The rule that a text breaks which DuckDB cannot parse.
NO_EXPRESSION = "is not an expression"

#: Separates the parts of our message in an error of DuckDB.
_MARK = "\x1f"
_KINDS: dict[str, Kind] = {"INTEGER": "number", "NUMERIC": "number", "STRING": "text", "BOOLEAN": "condition"}
_TYPES: dict[Kind, str] = {"condition": "BOOLEAN", "number": "DOUBLE", "text": "VARCHAR"}
_NEEDED = {"number": "must be a finite number", "condition": "must be true or false"}

_Node = dict[str, Any]


@dataclass(frozen=True)
class _Operation:
    """What is written for an operation, and what it gives and takes.

    Where it takes no fixed kind, its arguments are read alike: as what one of them is, else as `otherwise`, or as the
    operation itself is wanted.
    """

    sql: Callable[..., str]
    gives: Kind | None = "condition"
    takes: Kind | None = None
    otherwise: Kind | None = None
    counts: tuple[int, ...] = (2,)


def _call(name: str) -> Callable[..., str]:
    return lambda *parts: f"{name}({', '.join(parts)})"


def _infix(word: str) -> Callable[..., str]:
    return lambda *parts: f"({f' {word} '.join(parts)})"


def _deciding(word: str, test: str, result: str) -> Callable[..., str]:
    """Return how `and` or `or` is written so that nothing behind what decides it is read: DuckDB alone reads all."""
    check = f"WHEN {test}{{}} THEN {result}".format
    return lambda *parts: f"(CASE {' '.join(map(check, parts))} ELSE {_infix(word)(*parts)} END)"


def _case(*parts: str) -> str:
    checks = (f"WHEN {when} THEN {then}" for when, then in zip(parts[:-1:2], parts[1::2], strict=True))
    return f"(CASE {' '.join(checks)} ELSE {parts[-1]} END)"


_MANY = tuple(range(1, LONGEST))
_FUNCTIONS = {
    **{name: _Operation(_call(name), "number", "number", counts=(1,)) for name in ("abs", "floor", "ceil", "round")},
    **{name: _Operation(_call(name), "number", "number", counts=_MANY) for name in ("least", "greatest")},
    **{name: _Operation(_call(name), "text", "text", counts=(1,)) for name in ("lower", "upper", "trim")},
    **{name: _Operation(_call(name), takes="text") for name in ("contains", "starts_with", "ends_with")},
    "nullif": _Operation("(CASE WHEN {0} = {1} THEN NULL ELSE {0} END)".format, None),
}
_SIGNS = {
    **{sign: _Operation(_call(f'"{sign}"'), "number", "number", counts=(1, 2)) for sign in "+-"},
    "*": _Operation(_infix("*"), "number", "number"),
    # What is divided by zero is unknown.
    "/": _Operation("(CASE WHEN {1} = 0 THEN NULL ELSE {0} / {1} END)".format, "number", "number"),
    "%": _Operation("(CASE WHEN {1} = 0 THEN NULL ELSE {0} % {1} END)".format, "number", "number"),
    **{word: _Operation(_infix(word), takes="text") for word in ("~~", "!~~", "~~*", "!~~*")},
}
#: By the types of DuckDB's nodes.
_OPERATIONS = {
    "COMPARE_EQUAL": _Operation(_infix("="), otherwise="text"),
    "COMPARE_NOTEQUAL": _Operation(_infix("<>"), otherwise="text"),
    "COMPARE_DISTINCT_FROM": _Operation(_infix("IS DISTINCT FROM"), otherwise="text"),
    "COMPARE_NOT_DISTINCT_FROM": _Operation(_infix("IS NOT DISTINCT FROM"), otherwise="text"),
    "COMPARE_LESSTHAN": _Operation(_infix("<"), otherwise="number"),
    "COMPARE_GREATERTHAN": _Operation(_infix(">"), otherwise="number"),
    "COMPARE_LESSTHANOREQUALTO": _Operation(_infix("<="), otherwise="number"),
    "COMPARE_GREATERTHANOREQUALTO": _Operation(_infix(">="), otherwise="number"),
    "COMPARE_BETWEEN": _Operation("({} BETWEEN {} AND {})".format, otherwise="number", counts=(3,)),
    "COMPARE_IN": _Operation(lambda one, *among: f"({one} IN ({', '.join(among)}))", otherwise="text", counts=_MANY),
    "OPERATOR_NOT": _Operation("(NOT {})".format, takes="condition", counts=(1,)),
    "OPERATOR_IS_NULL": _Operation("({} IS NULL)".format, otherwise="text", counts=(1,)),
    "OPERATOR_IS_NOT_NULL": _Operation("({} IS NOT NULL)".format, otherwise="text", counts=(1,)),
    "OPERATOR_COALESCE": _Operation(_call("coalesce"), None, counts=_MANY),
    "CONJUNCTION_AND": _Operation(_deciding("AND", "NOT ", "false"), takes="condition", counts=_MANY),
    "CONJUNCTION_OR": _Operation(_deciding("OR", "", "true"), takes="condition", counts=_MANY),
    "CASE_EXPR": _Operation(_case, None, counts=_MANY),
    **{f"CAST {type_}": _Operation("{}".format, kind, kind, counts=(1,)) for kind, type_ in _TYPES.items()},
}
_ALLOWED = (
    "allowed are columns, numbers, 'texts', true, false, null, + - * / %, comparisons, and, or, not, in, between, "
    f"is null, like, case, coalesce, {', '.join(_FUNCTIONS)}"
)


@dataclass(frozen=True, kw_only=True)
class Expression:
    """An expression that `parse` accepted.

    Parameters
    ----------
    argument : str
        The argument that gave it, for errors.
    text : str
        As it was given.
    kind : {"number", "text", "condition"}
        What it gives; true and false as the numbers 1 and 0.
    tree : mapping
        As DuckDB parsed it.
    """

    argument: str
    text: str
    kind: Kind
    tree: _Node

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, in the order in which they come."""
        names: dict[str, str] = {}
        self.sql(lambda name: names.setdefault(name, "x"))
        return tuple(names)

    def check(self, header: Collection[str]) -> None:
        """Raise an InputError if the file lacks a column.

        Examples
        --------
        >>> parse("spnd > 0", "where", "condition").check(["spend"])
        Traceback (most recent call last):
        bounds.errors.InputError: where='spnd > 0' names 'spnd', which is not a column of the file: did you mean spend?
        """
        for name in self.columns:
            if name not in header:
                listed = first_of([printable(column, 40) for column in header], 12)
                otherwise = f"the columns are {listed}; texts stand in single quotes: 'success'"
                names = "" if name == self.text else f"names {printable(repr(name), 40)}, which "
                raise InputError(
                    self.argument,
                    self.text,
                    f"{names}is not a column of the file",
                    did_you_mean(name, header, otherwise),
                )

    def sql(self, cell: Callable[[str], str], row: str = "0") -> str:
        """Return it as SQL; NULL where empty cells leave it open.

        Nothing behind a condition that decides `and` or `or` is read.

        Parameters
        ----------
        cell : callable
            From a column to the SQL of its cell: a text, or NULL if the cell is empty.
        row : str, optional
            The SQL of the number of the row, for errors: see `unreadable`.

        Examples
        --------
        >>> import duckdb
        >>> sql = parse("spend*1e6", "columns", "number").sql(lambda column: "x0")
        >>> duckdb.sql(f"SELECT {sql} FROM (VALUES ('0.25'), (NULL)) cells(x0)").fetchall()
        [(250000.0,), (None,)]
        """
        writer = _Writer(self, cell, row)
        if self.kind == "number" and writer.kind(self.tree) == "condition":
            return f"CAST({writer.write(self.tree, 'condition')} AS DOUBLE)"
        return writer.write(self.tree, self.kind)


def parse(text: str, argument: str, kind: Kind) -> Expression:
    """Return an expression; whether the file has its columns is for `Expression.check` to say.

    Parameters
    ----------
    text : str
        As ``spend * 1e6``, or ``status = 'success' and not cache_hit``. Names with other characters than letters,
        digits and _ stand in double quotes.
    argument : str
        The argument that gave it, for errors.
    kind : {"number", "text", "condition"}
        What it is to give.

    Raises
    ------
    InputError
        It is not one expression, or it uses what is not listed here.

    Examples
    --------
    >>> parse("coalesce(spend, 0) * 1e6", "columns", "number").columns
    ('spend',)
    >>> parse("read_csv('/etc/passwd')", "where", "condition")
    Traceback (most recent call last):
    bounds.errors.InputError: where="read_csv('/etc/passwd')" may not use read_csv: allowed are columns, numbers, ...
    """
    if not text.strip():
        raise InputError(argument, text, "is empty", "write it as spend * 1e6, or as status = 'success'")
    if len(text) > LONGEST or not text.isprintable():
        rule = f"must be one line of at most {LONGEST:,} printable characters"
        raise InputError(argument, text, rule, "give a shorter expression")
    expression = Expression(argument=argument, text=text, kind=kind, tree=_tree(text, argument))
    expression.sql(lambda name: "x")  # refuses what is not listed
    return expression


def unreadable(message: str) -> tuple[int, InputError] | None:
    """Return the row of which an error of DuckDB says that a cell cannot be read, and the error; None if it does not.

    Examples
    --------
    >>> import duckdb
    >>> sql = parse("spend > 0", "where", "condition").sql(lambda column: "x0", row="7")
    >>> try:
    ...     duckdb.sql(f"SELECT {sql} FROM (VALUES ('n/a')) cells(x0)").fetchall()
    ... except duckdb.Error as error:
    ...     row, problem = unreadable(str(error))
    >>> print(row, problem)
    7 spend='n/a' must be a finite number: where reads it so; nullif(spend, 'n/a') takes it for empty
    """
    if message.count(_MARK) < 5:
        return None
    _, row, argument, name, kind, cell = message.split(_MARK, 5)
    remedy = f"{argument} reads it so; nullif({printable(name, 40)}, {printable(cell, 40)!r}) takes it for empty"
    return int(row), InputError(name, cell, _NEEDED[kind], remedy)


@cache
def _parser() -> Any:
    import duckdb  # takes 0.1 s

    return duckdb.connect(config={"max_expression_depth": MOST_NESTED})


def _tree(text: str, argument: str) -> _Node:
    """Return the one expression that a text is, as DuckDB parses it."""
    # The text in brackets is one expression, unless it closes them; a comment ends with the line.
    given = [f"SELECT ({inner}\n)" for inner in (text, "1")]
    query = "SELECT unnest([json_serialize_sql($1), json_serialize_sql($2)])"
    try:
        found, plain = (json.loads(document) for (document,) in _parser().cursor().execute(query, given).fetchall())
        message = found.get("error_message", "").split(". ")[0]
    except RecursionError:
        message = "it is nested too deep"
    if message:
        remedy = f'{printable(message, 80)}; names with other characters stand in double quotes: "cost (usd)"'
        raise InputError(argument, text, NO_EXPRESSION, remedy)
    trees = [statement["node"].pop("select_list", ()) for statement in (*found["statements"], *plain["statements"])]
    if found != plain or len(trees[0]) != 1:
        raise InputError(argument, text, "must be one expression", _ALLOWED)
    tree: _Node = trees[0][0]
    return tree


class _Writer:
    """Writes the SQL of an expression, node by node."""

    def __init__(self, expression: Expression, cell: Callable[[str], str], row: str) -> None:
        self._given, self._cell, self._row = expression, cell, row

    def write(self, node: _Node, want: Kind) -> str:
        """Return the SQL of a node, read as a kind."""
        kind, name = self.kind(node), ".".join(node.get("column_names", ()))
        if kind not in (None, "text", want):
            rule = f"has a {kind} where it needs a {want}"
            remedy = "compare it, as spend > 0; case when ... then 1 else 0 end makes a number of a condition"
            raise self._refused(rule, remedy)
        if name:
            sql, kind = self._cell(name), "text"
        elif node["class"] == "CONSTANT":
            sql = self._constant(node["literal"], want)
        else:
            operation, arguments = self._operation(node)
            kinds = [operation.takes or self._joint(arguments) or operation.otherwise or want] * len(arguments)
            if node["class"] == "CASE":
                kinds = ["condition", kind or want] * (len(arguments) // 2) + [kind or want]
            if operation.otherwise == "number" and "text" in kinds:
                self._refuse_ordered(arguments)
            sql = operation.sql(*map(self.write, arguments, kinds))
        if kind == "text" and want != "text":
            sql = self._read(sql, want, name or "text")
        if len(sql) > _LONGEST_SQL:
            raise self._refused("is too long", "give a shorter expression")
        return sql

    def kind(self, node: _Node) -> Kind | None:
        """Return what a node is by itself; None if its use says how it is read."""
        if node["class"] == "CONSTANT":
            return _KINDS.get(node["literal"]["kind"])
        if node["class"] == "COLUMN_REF":
            return None
        operation, arguments = self._operation(node)
        values = [*arguments[1::2], arguments[-1]] if node["class"] == "CASE" else arguments
        return operation.gives or self._joint(values)

    def _joint(self, nodes: list[_Node]) -> Kind | None:
        """Return as what nodes are read that are read alike; None if all of them are columns."""
        kinds = {self.kind(node) for node in nodes}
        return next((kind for kind in _TYPES if kind in kinds), None)

    def _operation(self, node: _Node) -> tuple[_Operation, list[_Node]]:
        """Return what a node does, and to what."""
        name = str(node.get("function_name") or node["type"])
        known, extras, keys = _OPERATIONS, [], ("input", "lower", "upper", "left", "right", "child")
        arguments = node.get("children") or [node[key] for key in keys if key in node]
        if node["class"] == "FUNCTION":
            known, arguments = _FUNCTIONS | _SIGNS, [argument["expression"] for argument in node["arguments"]]
            extras = [node[key] for key in ("schema", "catalog", "filter", "distinct", "export_state")]
            extras += [node["order_bys"]["orders"], *(argument["name"] for argument in node["arguments"])]
        elif node["class"] == "CAST":
            name, extras = f"CAST {node['type_expr'].get('type_name')}".upper(), [node["try_cast"]]
        elif node["class"] == "CASE":
            arguments = [check[part] for check in node["case_checks"] for part in ("when_expr", "then_expr")]
            arguments.append(node["else_expr"])
        if name not in known or any(extras):
            path = node["qualified_name"]["path"] if node["class"] == "FUNCTION" else [name.lower().replace("_", " ")]
            shown = ".".join(path)
            remedy = _ALLOWED if name in known else did_you_mean(name, _FUNCTIONS, _ALLOWED)
            raise self._refused(f"may not use {printable(shown, 40)}", remedy)
        if len(arguments) not in known[name].counts:
            raise self._refused(f"gives {len(arguments)} arguments to {name}", f"it takes {known[name].counts[0]}")
        return known[name], arguments

    def _constant(self, literal: _Node, want: Kind) -> str:
        kind, text = literal["kind"], literal["text"]
        if kind == "NULL_LITERAL":
            return f"CAST(NULL AS {_TYPES[want]})"
        if kind == "BOOLEAN":
            return str(text)
        if kind == "STRING" and "\0" not in text:
            return quoted(text)
        if kind not in ("INTEGER", "NUMERIC"):
            raise self._refused("has a constant of another kind", _ALLOWED)
        number = float(text.replace("_", ""))
        if not math.isfinite(number) or (kind == "INTEGER" and int(text) != number):
            rule = f"has the number {printable(text, 40)}, which a double cannot hold"
            raise self._refused(rule, "compare it as a text: '...'")
        return f"CAST({number!r} AS DOUBLE)"

    def _read(self, text: str, want: Kind, name: str) -> str:
        """Return the SQL of a text read as a number, or as true or false; if it is neither, its error names it."""
        names = (quoted(printable(part, 60)) for part in (self._given.argument, name, want))
        told = f"error(concat_ws('{_MARK}', '', {', '.join([self._row, *names])}, left({text}, 100)))"
        number, word = number_sql(text), f"lower(trim({text}))"
        known = f"WHEN isnan(TRY_CAST({text} AS DOUBLE)) THEN NULL ELSE coalesce({number}, {told})"
        if want == "condition":
            true, false = f"{word} IN ('true', 't', '1')", f"{word} IN ('false', 'f', '0')"
            known = f"WHEN {true} THEN true WHEN {false} THEN false ELSE {told}"
        return f"(CASE WHEN coalesce({text}, '') = '' THEN NULL {known} END)"

    def _refuse_ordered(self, nodes: list[_Node]) -> None:
        """Raise an InputError if texts are put in order one of which is a number: '10' comes before '9'."""
        for text in (node["literal"]["text"] for node in nodes if node["class"] == "CONSTANT"):
            if text_number(text) is not None:
                raise self._refused(f"orders texts, of which {text!r} is a number", "write numbers without quotes")

    def _refused(self, rule: str, remedy: str) -> InputError:
        return InputError(self._given.argument, self._given.text, rule, remedy)
