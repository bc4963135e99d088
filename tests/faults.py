"""Draw faults to put into the product, one at a time, and see which the tests find: `python -m tests.faults`.

Prints a number of faults as JSON lines: where, the line, and what it becomes. Some are equivalent: read them first.
"""

import argparse
import ast
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
AREAS = ("bounds", "mechanism", "proofs_checks/claims", "proofs_checks/conformance", "proofs_checks/audit")
SEED = 45
_COMPARE = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
_COMPARE |= {ast.Eq: ("==", "!="), ast.NotEq: ("!=", "==")}
_OPERATORS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
_BOOLEANS = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
#: Kind, line, first and last column in bytes, and the new text.
_Change = tuple[str, int, int, int, str]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A line of a file of the product, and what it becomes."""

    kind: str
    path: str
    line: int
    before: str
    after: str


def sample(number: int, seed: int, also: Path) -> Iterator[Fault]:
    """Draw as many faults from each area, of each kind in turn, at most two of a file, in lines that `also` has."""
    rng = random.Random(seed)
    for area in AREAS:
        pool = [
            fault for path in sorted((also / area).rglob("*.py")) for fault in _faults(path.relative_to(also), also)
        ]
        by_kind = {kind: [f for f in pool if f.kind == kind] for kind in sorted({f.kind for f in pool})}
        for of_kind in by_kind.values():
            rng.shuffle(of_kind)
        chosen: list[Fault] = []
        while len(chosen) < number and any(by_kind.values()):
            for of_kind in by_kind.values():
                if len(chosen) < number and of_kind:
                    fault = of_kind.pop()
                    if sum(other.path == fault.path for other in chosen) < 2:
                        chosen.append(fault)
        yield from chosen


def _faults(path: Path, also: Path) -> Iterator[Fault]:
    """Yield the faults of a file in lines that are unique in both trees."""
    if not (ROOT / path).exists():
        return
    text, here = (also / path).read_text(encoding="utf-8"), (ROOT / path).read_text(encoding="utf-8").splitlines()
    lines = text.splitlines()
    for kind, line, start, end, new in _changes(ast.parse(text), lines, inside=False):
        before = lines[line - 1]
        after = (before.encode()[:start] + new.encode() + before.encode()[end:]).decode()
        if lines.count(before) == here.count(before) == 1:
            yield Fault(kind=kind, path=str(path), line=line, before=before, after=after)


def _changes(node: ast.AST, lines: list[str], *, inside: bool) -> Iterator[_Change]:
    """Yield the changes below a node: in classes and in functions that are not compiled, and not in messages."""
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.FunctionDef):
        if any("jit" in ast.unparse(decorator) for decorator in node.decorator_list):
            return
        inside, children = True, list(node.body[ast.get_docstring(node) is not None :])
    if isinstance(node, ast.ClassDef):
        inside, children = True, list(node.body)
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    if inside:
        yield from _of_node(node, lines)
    for child in children:
        yield from _changes(child, lines, inside=inside)


def _of_node(node: ast.AST, lines: list[str]) -> Iterator[_Change]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            yield from _between("compare", left, right, _COMPARE[type(op)], lines)
        case ast.BinOp(left=ast.JoinedStr()) | ast.BinOp(right=ast.JoinedStr()):
            pass
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield from _between("operator", left, right, _OPERATORS[type(op)], lines)
        case ast.BoolOp(op=op, values=[left, right]):
            yield from _between("boolean", left, right, _BOOLEANS[type(op)], lines)
        case ast.UnaryOp(op=ast.Not(), operand=operand) if node.lineno == operand.lineno:
            yield "negation", node.lineno, node.col_offset, operand.col_offset, ""
        case ast.Constant(value=int() | float() as value, end_col_offset=int(end)) if not isinstance(value, bool):
            new = value + 1 if isinstance(value, int) else value * 1.25 or 0.25
            yield "constant", node.lineno, node.col_offset, end, repr(new)
        case ast.If(test=ast.expr(end_col_offset=int(end)) as test) if test.lineno == test.end_lineno:
            yield "branch", test.lineno, test.col_offset, end, "False"


def _between(kind: str, left: ast.expr, right: ast.expr, texts: tuple[str, str], lines: list[str]) -> Iterator[_Change]:
    start, (old, new) = left.end_col_offset or 0, texts
    text = lines[right.lineno - 1].encode()[start : right.col_offset].decode()
    if left.end_lineno == right.lineno and text.count(old) == 1:
        column = start + len(text[: text.index(old)].encode())
        yield kind, right.lineno, column, column + len(old), new


def main() -> None:
    """Print the faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=20, help="of each of the five areas (default 20)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default {SEED}")
    parser.add_argument("--also", type=Path, default=ROOT, help="another checkout in which the lines must be")
    options = parser.parse_args()
    for fault in sample(options.number, options.seed, options.also):
        sys.stdout.write(json.dumps(asdict(fault)) + "\n")


if __name__ == "__main__":
    main()
