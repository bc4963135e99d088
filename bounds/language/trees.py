"""Trees: expressions as plain data, which the evaluator walks.

A tree is a whole number, the name of a quantity or formula, or a list of an operation and its arguments. It is made
from SymPy's expression, and has its order of summands and factors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.language.terms import REDUCTIONS

Tree = int | str | list[Any]

#: Operations by SymPy's name of their class.
_OPERATIONS = {
    "Add": "add",
    "Mul": "mul",
    "Max": "maximum",
    "Min": "minimum",
    "Pi": "pi",
    "Exp1": "euler",
    **{name: name for name in ("log", "exp", "ceiling", "floor", *REDUCTIONS)},
}


def tree_of(term: Any) -> Tree:
    """Return the tree of a term or a SymPy expression.

    Raises
    ------
    TypeError
        It holds an operation that the evaluator does not know.

    Examples
    --------
    >>> from bounds.language.quantities import COUNT, GAP
    >>> tree_of(4 * COUNT / GAP**2)
    ['mul', 4, 'count', ['integer_power', 'gap', -2]]
    """
    import sympy

    return _tree(sympy.sympify(term))


def _tree(node: Any) -> Tree:
    kind = type(node).__name__
    if node.is_Symbol:
        return str(node.name)
    if node.is_Rational:
        return int(node.p) if node.q == 1 else ["rational", int(node.p), int(node.q)]
    arguments = [_tree(argument) for argument in node.args]
    if kind == "Pow":
        return _power(*arguments)
    if kind == "LambertW" and arguments[1:] == [-1]:
        return ["lambertw_lower", arguments[0]]
    if kind not in _OPERATIONS:
        raise TypeError(f"no evaluation for {kind}")
    return [_OPERATIONS[kind], *arguments]


def _power(base: Tree, exponent: Tree) -> Tree:
    match exponent:
        case ["rational", 1, 2]:
            return ["sqrt", base]
        case ["rational", -1, 2]:
            return ["reciprocal", ["sqrt", base]]
        case -1:
            return ["reciprocal", base]
        case int():
            return ["integer_power", base, exponent]
    return ["power", base, exponent]


def names_in(tree: Tree) -> Iterator[str]:
    """Yield the quantities and formulas in a tree, as often as they stand there.

    Examples
    --------
    >>> sorted(names_in(["add", "count", ["mul", 2, "gap"]]))
    ['count', 'gap']
    """
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        for argument in tree[1:]:
            yield from names_in(argument)
