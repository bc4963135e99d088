"""Results as JSON: the document of a result and the JSON Schema of that document, both derived from its type.

A document is a frozen dataclass or a `TypedDict`; its fields are the keys. The annotation of a field states its type
and its range, as in ``Annotated[float, limits(minimum=0)]``; ``Annotated[dict[str, float], Prices]`` says that the keys
are those of the class `Prices`. The docstring of the class states the meaning of a field, in its entry under
"Parameters". The first line of the docstring describes the object.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, Union

#: Metadata of a field whose value is a document: its keys stand among those of the class.
INLINE = {"document": "inline"}
#: Metadata of a field that is left out while it has its default value.
OPTIONAL = {"document": "optional"}
#: Metadata of a field that is no key.
INTERNAL = {"document": "internal"}

if TYPE_CHECKING:
    key = property
else:

    class key(property):  # noqa: N801
        """A property that is a key too, after the fields; its docstring states the meaning."""


def named(name: str) -> dict[str, str]:
    """Return the metadata of a field whose key has another name."""
    return {"key": name}


def limits(**keywords: float | str | tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
    """Return keywords of JSON Schema, to annotate a type with.

    Examples
    --------
    >>> schema_of(Annotated[int, limits(minimum=1)], "positive")["minimum"]
    1
    """
    return tuple(keywords.items())


def one_of(names: Iterable[str]) -> tuple[tuple[str, Any], ...]:
    """Return what restricts a text to some names, those of a registry."""
    return limits(enum=tuple(names))


Text = Annotated[str, limits(minLength=1)]
Count = Annotated[int, limits(minimum=0)]
NonNegative = Annotated[float, limits(minimum=0)]
Positive = Annotated[float, limits(exclusiveMinimum=0)]
Probability = Annotated[float, limits(minimum=0, maximum=1)]
#: A number strictly between 0 and 1.
OpenProbability = Annotated[float, limits(exclusiveMinimum=0, exclusiveMaximum=1)]


class Document:
    """A result that is printed with `--json`.

    A class whose document has other keys than its fields has a method `document`, which returns the document.
    """

    def to_data(self) -> dict[str, Any]:
        """Return the result as plain JSON data."""
        data: dict[str, Any] = to_data(self)
        return data


def to_data(value: Any) -> Any:
    """Return a result, or a collection of results, as plain JSON data.

    Examples
    --------
    >>> from bounds.coverage.enclosure import Bracket
    >>> to_data({"share": (Bracket(lower=0.25, upper=0.5),)})
    {'share': [{'lower': 0.25, 'upper': 0.5}]}
    """
    if value.__class__ in _PLAIN:
        return value
    if hasattr(value, "document"):
        return to_data(value.document())
    if dataclasses.is_dataclass(value):
        data: dict[str, Any] = {}
        for each in _keys(value.__class__):
            part = getattr(value, each.attribute)
            if each.role == "inline":
                data |= to_data(part)
            elif each.role != "optional" or part != each.default:
                data[each.name] = to_data(part)
        return data
    if isinstance(value, Mapping):
        return {name: to_data(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_data(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    return value.tolist() if hasattr(value, "tolist") else value  # an array or a scalar of NumPy


_PLAIN = {str, int, float, bool, types.NoneType}


class _Key(NamedTuple):
    """A key of the documents of a class, and the attribute that has its value."""

    attribute: str
    name: str
    role: str | None = None
    default: Any = None


@functools.cache
def _keys(owner: type) -> tuple[_Key, ...]:
    """Return the keys of the documents of a class: its fields, then its properties, those of base classes first."""
    if not dataclasses.is_dataclass(owner):
        return tuple(_Key(name, name) for name in typing.get_type_hints(owner))
    found = []
    for each in dataclasses.fields(owner):
        role, name = each.metadata.get("document"), each.metadata.get("key", each.name)
        default = each.default if each.default_factory is dataclasses.MISSING else each.default_factory()
        found += [_Key(each.name, name, role, default)] * (role != "internal")
    bases = reversed(owner.__mro__)
    return (*found, *(_Key(name, name) for base in bases for name, part in vars(base).items() if type(part) is key))


def schema_of(document: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12, of a type of documents; the other classes in it are definitions.

    Parameters
    ----------
    document : type
        A dataclass, a `TypedDict`, or another type that consists of such.
    title : str
    """
    definitions: dict[str, Any] = {}
    root = _schema(document, definitions)
    if "$ref" in root:
        refers_to_itself = json.dumps(root) in json.dumps(definitions)
        root = definitions[document.__name__] if refers_to_itself else definitions.pop(document.__name__)
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **root}
    return found | ({"$defs": definitions} if definitions else {})


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type, and add the classes that it refers to to the definitions."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated and isinstance(arguments[1], type):
        return _schema(arguments[1], definitions)
    if origin is Annotated:
        keywords: dict[str, Any] = to_data({word: value for each in arguments[1:] for word, value in each})
        return _schema(arguments[0], definitions) | keywords
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _union([_schema(each, definitions) for each in arguments if each is not types.NoneType], arguments)
    if origin is tuple and arguments[-1] is not Ellipsis:
        items = _union([_schema(each, definitions) for each in dict.fromkeys(arguments)], arguments)
        return {"type": "array", "items": items, "minItems": len(arguments), "maxItems": len(arguments)}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin in (dict, Mapping):
        names = _schema(arguments[0], definitions)
        found = {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
        return found if names == {"type": "string"} else found | {"propertyNames": names}
    if hint in _NAMES:
        return dict(_NAMES[hint])
    if hasattr(hint, "document"):
        return _schema(typing.get_type_hints(hint.document, include_extras=True)["return"], definitions)
    if issubclass(hint, Enum):
        return {"enum": [each.value for each in hint]}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}  # a class may refer to itself
        definitions[hint.__name__] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{hint.__name__}"}


_NAMES: dict[Any, dict[str, str]] = {
    Any: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def _union(schemas: list[dict[str, Any]], arguments: tuple[Any, ...]) -> dict[str, Any]:
    joined = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if types.NoneType not in arguments:
        return joined
    or_null = {"enum": [*joined.get("enum", ()), None], "type": [joined.get("type"), "null"]}
    nullable = {word: or_null[word] for word in or_null if word in joined}
    return joined | nullable if nullable else {"anyOf": [*schemas, {"type": "null"}]}


def _object(owner: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the documents of a class."""
    hints, meanings = typing.get_type_hints(owner, include_extras=True), _meanings(owner)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for attribute, name, role, _ in _keys(owner):
        getter = inspect.getattr_static(owner, attribute, None)
        if type(getter) is key:
            hints[attribute] = typing.get_type_hints(getter.fget, include_extras=True)["return"]
            meanings[attribute] = _description((inspect.getdoc(getter) or "").split("\n\n")[0])
        hint = hints[attribute]
        if role == "inline":
            part = _object(hint, definitions)
            properties |= part["properties"]
            required += part["required"]
            continue
        needed = role != "optional" and attribute in getattr(owner, "__required_keys__", hints)
        if typing.get_origin(hint) is NotRequired:
            needed, hint = False, typing.get_args(hint)[0]
        properties[name] = _schema(hint, definitions) | meanings.get(attribute, {})
        required += [name] * needed
    return {
        **_description((inspect.getdoc(owner) or "").split("\n")[0]),
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _meanings(owner: type) -> dict[str, dict[str, str]]:
    """Return the description of every field, from the docstrings of the class and of its bases."""
    found: dict[str, dict[str, str]] = {}
    for base in reversed(owner.__mro__):
        text = inspect.cleandoc(vars(base).get("__doc__") or "")
        for names, said in re.findall(r"^(\w+(?:, \w+)*) : .*\n((?:    .*\n?)*)", text, flags=re.MULTILINE):
            found |= dict.fromkeys(names.split(", "), _description(said))
    return found


def _description(text: str) -> dict[str, str]:
    """Return what a docstring says, in the words of JSON."""
    said = re.sub(r"\bNone\b", "null", " ".join(text.split()))
    return {"description": said} if said else {}
