"""A document walked along its schema: what the schema says of which value, and documents that are spoilt there."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator

Schema = Mapping[str, Any]
#: A way into a document: keys and indices.
Path = tuple[str | int, ...]

#: A value of each type of JSON.
SAMPLES: Mapping[str, Any] = {
    "null": None,
    "boolean": True,
    "number": 7.25,
    "string": "no such text",
    "array": [[]],
    "object": {"no_such_key": []},
}
UNKNOWN = "no_such_key"
_WITHOUT = "without "


def type_of(value: Any) -> str:
    """Return the type of a value, whole numbers among the numbers."""
    for name, types in (("null", type(None)), ("boolean", bool), ("number", (int, float)), ("string", str)):
        if isinstance(value, types):
            return name
    return "array" if isinstance(value, list) else "object"


@dataclass(frozen=True)
class Node:
    """A value in a document, and every part of the schema that speaks of it.

    `place` is the way to it with ``[]`` for an index and ``*`` for a key that is a name.
    """

    place: str
    path: Path
    value: Any
    spoken: tuple[Schema, ...]


class SchemaWalk:
    """A schema that refers to nothing outside itself."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.validator = Draft202012Validator(schema)
        #: A hundred times as fast, and written by others; `test_schemas` holds the two to the same answers.
        self.quick = jsonschema_rs.Draft202012Validator(dict(schema))

    def accepts(self, document: Any) -> bool:
        return self.quick.is_valid(document)

    def nodes(self, document: Any) -> Iterator[Node]:
        """Yield every value of a document that the schema accepts."""
        yield from self._nodes("", (), document, (self.schema,))

    def _nodes(self, place: str, path: Path, value: Any, speaking: tuple[Schema, ...]) -> Iterator[Node]:
        node = Node(place, path, value, tuple(part for schema in speaking for part in self._parts(schema, value)))
        yield node
        if isinstance(value, list):
            items = tuple(part["items"] for part in node.spoken if "items" in part)
            for index, item in enumerate(value):
                yield from self._nodes(f"{place}[]", (*path, index), item, items)
        elif isinstance(value, dict):
            for key, item in value.items():
                stated = tuple(part["properties"][key] for part in node.spoken if key in part.get("properties", {}))
                others = (part.get("additionalProperties") for part in node.spoken)
                children = stated or tuple(other for other in others if isinstance(other, dict))
                name = key if stated else "*"
                yield from self._nodes(f"{place}.{name}".lstrip("."), (*path, key), item, children)

    def _parts(self, schema: Schema, value: Any) -> Iterator[Schema]:
        """Yield a schema, what it refers to, and of its alternatives those that accept the value."""
        yield schema
        if "$ref" in schema:
            yield from self._parts(self.schema["$defs"][schema["$ref"].removeprefix("#/$defs/")], value)
        for one in schema.get("allOf", ()):
            yield from self._parts(one, value)
        for one in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
            if self.validator.evolve(schema=one).is_valid(value):
                yield from self._parts(one, value)

    @cached_property
    def stated(self) -> dict[int, str]:
        """Every property that the schema states: from the identity of its schema to where it stands."""
        return {
            id(schema): f"{place}.{key}"
            for place, part in subschemas(self.schema)
            for key, schema in part.get("properties", {}).items()
        }

    def printed(self, document: Any) -> set[int]:
        """Return those of the stated properties that a document has."""
        return {id(part) for node in self.nodes(document) for part in node.spoken} & self.stated.keys()


def subschemas(schema: Schema, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every schema in a schema, itself first, with where it stands; ``#name`` is a definition."""
    yield place, schema
    for key, part in schema.get("$defs", {}).items():
        yield from subschemas(part, f"#{key}")
    for key, part in schema.get("properties", {}).items():
        yield from subschemas(part, f"{place}.{key}".lstrip("."))
    for word in ("oneOf", "anyOf", "allOf"):
        for part in schema.get(word, ()):
            yield from subschemas(part, place)
    for word, mark in (("items", "[]"), ("additionalProperties", ".*"), ("propertyNames", ".*")):
        if isinstance(schema.get(word), dict):
            yield from subschemas(schema[word], f"{place}{mark}")


def shortened(value: Any) -> Any:
    """Return a document without the entries of lists that look like the two before them, or like any one before."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    kept: list[Any] = []
    seen: set[tuple[str, str]] = set()
    for item in value:
        looks = set(_looks(item))
        if len(kept) < 2 or not looks <= seen:
            kept.append(shortened(item))
            seen |= looks
    return kept


def _looks(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the places in a value with the type of what is there; of what has a kind, with the kind."""
    yield place, type_of(value)
    if isinstance(value, dict):
        within = f"{place}<{value.get('kind')}>"
        for key, item in value.items():
            yield from _looks(item, f"{within}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _looks(item, f"{place}[]")


@dataclass(frozen=True)
class Spoilt:
    """A document changed in one place: ``"without KEY"``, ``"unknown key"``, or the type that a value has now.

    `was` is the type that it had.
    """

    place: str
    was: str
    change: str
    document: Any

    @property
    def lost(self) -> str:
        """The key that is left out; empty if it is another change."""
        return self.change.removeprefix(_WITHOUT) if self.change.startswith(_WITHOUT) else ""

    @property
    def of_null(self) -> bool:
        """Whether null takes a value's place, or a value that of null: many values may be missing."""
        return "null" in (self.was, self.change)


def spoilt(walk: SchemaWalk, document: Any, done: set[tuple[str, str, str]]) -> Iterator[Spoilt]:
    """Yield a document changed in each place once, but for changes that are `done`, to which these are added."""
    for node in walk.nodes(document):
        kind = node.value.get("kind", "") if isinstance(node.value, dict) else ""
        for change, value in _changes(node):
            key = (node.place, f"{type_of(node.value)} {kind}", change)
            if key not in done:
                done.add(key)
                yield Spoilt(node.place, type_of(node.value), change, _with(document, node.path, value))


def _changes(node: Node) -> Iterator[tuple[str, Any]]:
    for name, sample in SAMPLES.items():
        if name != type_of(node.value):
            yield name, sample
    if isinstance(node.value, dict):
        yield "unknown key", {**node.value, UNKNOWN: None}
        for key in node.value:
            told = key if any(key in part.get("properties", {}) for part in node.spoken) else "*"
            yield f"{_WITHOUT}{told}", {name: value for name, value in node.value.items() if name != key}


def _with(document: Any, path: Path, value: Any) -> Any:
    """Return a document with another value at a place; the rest is shared."""
    if not path:
        return value
    changed = copy.copy(document)
    changed[path[0]] = _with(document[path[0]], path[1:], value)
    return changed
