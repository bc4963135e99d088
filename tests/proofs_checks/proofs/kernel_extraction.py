"""The programs of Rules.v as Python: Coq extracts them as JSON, and this prints them.

Coq extracts to OCaml as well, but a reader of costproof reads Python: the printed file stands beside this one
(`extracted_rules.py`), runs without Coq, with exact fractions, and can be held against Rules.v line by line. What must
be believed of the printer is this page. `python -m tests.proofs_checks.proofs.kernel_extraction` prints the file anew.
"""

import json
import keyword
import sys
import tempfile
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proofs_checks.proofs.kernel.coq import check_file
from proofs_checks.proofs.kernel.theorems import sources

PRINTED = Path(__file__).with_name("extracted_rules.py")
_PROGRAMS = "candidates payment kind_of_query fresh may_serve price settled mean permitted decided"
_EXTRACT = f"""From Costproof Require Import Rules.
Require Extraction.
Extraction Language JSON.
Extraction "rules" {_PROGRAMS}.
"""
_HEAD = '''# ruff: noqa
# mypy: ignore-errors
# fmt: off
"""The programs of Rules.v, as Coq extracts them: made by `kernel_extraction.py`, not to be edited.

Numbers are whatever `numbers` says to calculate with. Whole numbers, booleans, lists and options are Python's own.
"""

from enum import Enum
from typing import Any, NamedTuple


class Some(NamedTuple):
    value: Any
'''
#: What stands for functions of Coq's library, given their arguments.
_LIBRARY: Mapping[str, tuple[int, str]] = {
    "negb": (1, "(not {0})"),
    "eqb": (2, "({0} == {1})"),
    "eqb0": (2, "({0} == {1})"),
    "leb": (2, "({0} <= {1})"),
    "length": (1, "len({0})"),
    "nth": (3, "({1}[{0}] if {0} < len({1}) else {2})"),
    "map": (2, "tuple(map({0}, {1}))"),
    "filter": (2, "tuple(filter({0}, {1}))"),
    "forallb": (2, "all(map({0}, {1}))"),
    "existsb": (2, "any(map({0}, {1}))"),
    "seq": (2, "tuple(range({0}, {0} + {1}))"),
    "repeat": (2, "({0},) * {1}"),
}
#: Constructors that are Python's own, as values and as patterns.
_VALUES = {"True": "True", "False": "False", "O": "0", "S": "({0} + 1)", "Nil": "()", "Cons": "({0}, *{1})"}
_VALUES |= {"None": "None", "Some": "Some({0})"}
_PATTERNS = {"True": "True", "False": "False", "O": "0", "Nil": "()", "Cons": "({0}, *{1})"}
_PATTERNS |= {"None": "None", "Some": "Some({0})"}
_OWN = ("bool", "nat", "option", "list")
Term = Mapping[str, Any]


def extract(folder: Path, rules: str) -> dict[str, Any]:
    """Have Coq compile Rules.v, given its text, in a folder, and return its programs as JSON."""
    check_file(folder, "Rules.v", rules)
    check_file(folder, "Extract.v", _EXTRACT)
    found: dict[str, Any] = json.loads((folder / "rules.json").read_text(encoding="utf-8"))
    return found


def printed(document: Mapping[str, Any]) -> str:
    """Return extracted programs as a module of Python."""
    return _HEAD + "".join(f"\n{part}\n" for part in _Printer(document["declarations"]).parts())


def loaded(text: str) -> types.ModuleType:
    """Return a printed module, ready to run."""
    module = types.ModuleType("printed")
    exec(compile(text, "printed", "exec"), module.__dict__)
    return module


class _Printer:
    """Prints declarations; knows how many arguments each function takes, and the fields of each record."""

    def __init__(self, declarations: Sequence[Term]) -> None:
        kept = [one for one in declarations if one["what"] != "decl:type" and one.get("name") not in _OWN]
        self._types = [one for one in kept if one["what"] == "decl:ind"]
        groups = [one["fixlist"] if one["what"] == "decl:fixgroup" else [one] for one in kept if one not in self._types]
        self._functions = [one for group in groups for one in group if one["name"] not in _LIBRARY]
        self._arity = {one["name"]: len(_binders(one["value"])) for one in self._functions}
        self._enums = {
            made["name"]: one["name"] for one in self._types for made in one["constructors"] if not made["argtypes"]
        }
        self._fields = {one["constructors"][0]["name"]: [] for one in self._types if len(one["constructors"]) == 1}
        for name, fields in self._fields.items():
            fields += _field_names(name, declarations)
        self._made = 0

    def parts(self) -> list[str]:
        """Return each class and function as text."""
        return [*map(self._type, self._types), *map(self._function, self._functions)]

    def _type(self, one: Term) -> str:
        made = one["constructors"]
        if len(made) == 1:
            return "\n".join(
                [f"class {made[0]['name']}(NamedTuple):"] + [f"    {f}: Any" for f in self._fields[made[0]["name"]]]
            )
        if any(each["argtypes"] for each in made):
            raise ValueError(f"{one['name']}: a type with several constructors that take arguments")
        return "\n".join([f"class {one['name']}(Enum):"] + [f"    {m['name']} = {m['name']!r}" for m in made])

    def _function(self, one: Term) -> str:
        self._made = 0
        return "\n".join(self._defined(one["name"], one["value"], {}, ""))

    def _defined(self, name: str, term: Term, known: Mapping[str, str], indent: str) -> list[str]:
        names = _binders(term)
        body = term["body"] if names else term
        known = {**known, **{each: _plain(each) for each in names}}
        head = f"{indent}def {_plain(name)}({', '.join(map(_plain, names))}):"
        return [head, *self._returned(body, known, f"{indent}    ")]

    def _returned(self, term: Term, known: Mapping[str, str], indent: str) -> list[str]:
        """Return statements that return a term: a choice that is not of a record becomes a match."""
        before: list[str] = []
        if term["what"] != "expr:case" or _names(term) <= {"True", "False"} or _names(term) <= self._fields.keys():
            value = self._value(term, known, before, indent)
            return [*before, f"{indent}return {value}"]
        chosen = self._value(term["expr"], known, before, indent)
        lines = [*before, f"{indent}match {chosen}:"]
        for case in term["cases"]:
            pattern, bound, first = self._pattern(case["pat"], chosen)
            lines += [f"{indent}    case {pattern}:", *(f"{indent}        {line}" for line in first)]
            lines += self._returned(case["body"], {**known, **bound}, f"{indent}        ")
        return lines

    def _pattern(self, pattern: Term, chosen: str) -> tuple[str, dict[str, str], list[str]]:
        if pattern["what"] == "pat:wild":
            return "_", {}, []
        name, names = pattern["name"], [_plain(each) for each in pattern["argnames"]]
        bound = {each: _plain(each) for each in pattern["argnames"]}
        if name == "S":
            return "_", bound, [f"{names[0]} = {chosen} - 1"]
        if name in self._enums:
            return f"{self._enums[name]}.{name}", {}, []
        return _PATTERNS[name].format(*names), bound, []

    def _value(self, term: Term, known: Mapping[str, str], before: list[str], indent: str) -> str:
        """Return a term as an expression; functions that it needs are defined in the lines before."""
        what = term["what"]
        if what == "expr:rel":
            return known[term["name"]]
        if what == "expr:global":
            return self._applied(term["name"], [], known, before, indent)
        if what == "expr:constructor":
            values = [self._value(each, known, before, indent) for each in term["args"]]
            name = term["name"]
            if name in self._enums:
                return f"{self._enums[name]}.{name}"
            return _VALUES[name].format(*values) if name in _VALUES else f"{name}({', '.join(values)})"
        if what == "expr:apply":
            values = [self._value(each, known, before, indent) for each in term["args"]]
            if term["func"]["what"] == "expr:global":
                return self._applied(term["func"]["name"], values, known, before, indent)
            return f"{self._value(term['func'], known, before, indent)}({', '.join(values)})"
        if what == "expr:case":
            return self._choice(term, known, before, indent)
        if what == "expr:lambda":
            return self._hoisted(term, known, before, indent)
        raise ValueError(f"a term of another kind: {what}")

    def _choice(self, term: Term, known: Mapping[str, str], before: list[str], indent: str) -> str:
        names = _names(term)
        if names <= {"True", "False"}:
            bodies = {case["pat"].get("name", "_"): case["body"] for case in term["cases"]}
            parts = [bodies["True"], term["expr"], bodies.get("False", bodies.get("_"))]
            yes, condition, no = (self._value(each, known, before, indent) for each in parts)
            if no == "False":
                return f"({condition} and {yes})"
            return f"({condition} or {no})" if yes == "True" else f"({yes} if {condition} else {no})"
        if names <= self._fields.keys():
            [case] = term["cases"]
            whole = self._value(term["expr"], known, before, indent)
            fields = zip(case["pat"]["argnames"], self._fields[case["pat"]["name"]], strict=True)
            return self._value(case["body"], {**known, **{n: f"{whole}.{f}" for n, f in fields}}, before, indent)
        return f"{self._hoisted(term, known, before, indent)}()"

    def _hoisted(self, term: Term, known: Mapping[str, str], before: list[str], indent: str) -> str:
        self._made += 1
        name = f"part_{self._made}"
        before += self._defined(name, term, known, indent)
        return name

    def _applied(self, name: str, values: list[str], known: Mapping[str, str], before: list[str], indent: str) -> str:
        arity, template = _LIBRARY.get(name) or (self._arity[name], f"{name}({{}})")
        missing = [f"x{place}" for place in range(arity - len(values))]
        given = [*values, *missing]
        text = template.format(*given) if name in _LIBRARY else template.format(", ".join(given))
        return f"(lambda {', '.join(missing)}: {text})" if missing else text


def _binders(term: Term) -> list[str]:
    return list(term["argnames"]) if term["what"] == "expr:lambda" else []


def _names(term: Term) -> set[str]:
    return {case["pat"]["name"] for case in term["cases"] if case["pat"]["what"] == "pat:constructor"}


def _plain(name: str) -> str:
    name = name.replace("'", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _field_names(constructor: str, declarations: Any) -> list[str]:
    """Return the names of a record's fields, which stand in the patterns that take them out."""
    found: dict[int, str] = {}
    size = 0

    def look(part: Any) -> None:
        nonlocal size
        if isinstance(part, Mapping):
            if part.get("what") == "pat:constructor" and part["name"] == constructor:
                size = len(part["argnames"])
                found.update({place: name for place, name in enumerate(part["argnames"]) if name != "_"})
            for each in part.values():
                look(each)
        elif isinstance(part, list):
            for each in part:
                look(each)

    look(declarations)
    return [found.get(place, f"unread_{place}") for place in range(size)]


def main() -> None:
    """Write the file anew."""
    with tempfile.TemporaryDirectory() as name:
        PRINTED.write_text(printed(extract(Path(name), sources()["Rules.v"])), encoding="utf-8")
    print(f"{PRINTED} is written", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
