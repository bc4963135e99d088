"""Trees: expressions as plain data, which the evaluator walks, and the stores of those that come with this toolkit.

A tree is a whole number, the name of a quantity or formula, or a list of an operation and its arguments. It is made
from SymPy's expression, and has its order of summands and factors. The trees of the formulas in this package are
stored in `trees.json`, so that evaluating them needs no SymPy. A store serves as long as the sources of the language
and the formulas, and SymPy's version, are those it was made from; otherwise trees are made afresh.
``python -m bounds`` writes it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bounds.language.terms import REDUCTIONS, Operation, Term

Tree = int | str | list[Any]


@dataclass(frozen=True)
class Store:
    """A file of trees.

    Parameters
    ----------
    file : Path
    declared_in : tuple of Path
        The sources, besides those of this package, of the quantities that stand in its terms.
    """

    file: Path
    declared_in: tuple[Path, ...] = ()


#: The store of this package's formulas.
STORE = Store(Path(__file__).with_name("trees.json"), declared_in=(Path(__file__).parents[1] / "radius_caps.py",))
#: Those of other packages, which add theirs.
MORE_STORES: list[Store] = []
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
    if isinstance(term, int):
        return term
    if not isinstance(term, Term):
        return fresh_tree(term)
    text = str(term)
    if not isinstance(term, Operation):  # a quantity or a formula
        return text
    known = next((trees for trees in map(_stored, (STORE, *MORE_STORES)) if text in trees), None)
    return fresh_tree(term) if known is None else known[text]


def fresh_tree(term: Any) -> Tree:
    """Return the tree as SymPy makes it, whatever is stored."""
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


def terms_of(formulas: Iterable[Any]) -> list[Any]:
    """Return the terms of formulas of which trees are asked for."""
    return [term for formula in formulas for term in (formula.right_side, *formula.requires)]


def stored_text(store: Store, terms: Iterable[Any]) -> str:
    """Return the text of a store of the trees of terms, each under the text of its term."""
    trees = {str(term): fresh_tree(term) for term in terms}
    lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(tree)}" for text, tree in trees.items())
    return f'{{"made_from": "{_origin(store)}", "trees": {{\n{lines}\n}}}}\n'


@functools.cache
def _stored(store: Store) -> dict[str, Tree]:
    """Return the stored trees, none if they were made from other sources."""
    try:
        found = json.loads(store.file.read_text(encoding="utf-8"))
        trees: dict[str, Tree] = found["trees"] if found["made_from"] == _origin(store) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return trees


def _origin(store: Store) -> str:
    """Return the digest of what trees depend on: the sources of formulas and language, and SymPy's version."""
    package = Path(__file__).parent.parent
    sources = sorted([path for room in ("language", "formulas", "sharpest") for path in package.glob(f"{room}/*.py")])
    version = Path(str(getattr(find_spec("sympy"), "origin", ""))).with_name("release.py")
    found = hashlib.sha256()
    for path in [*sources, *store.declared_in, version]:
        found.update(path.read_bytes())
    return found.hexdigest()
