"""A document walked along its schema: what the schema says of which value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jsonschema import Draft202012Validator

Schema = Mapping[str, Any]
#: A way into a document: keys and indices.
Path = tuple[str | int, ...]


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
