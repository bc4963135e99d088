"""Results as JSON: the document of a result and the JSON Schema of that document, both derived from its type.

A document is a frozen dataclass, a `NamedTuple` or a `TypedDict`; its fields are the keys. The annotation of a field
states its type and its range, as in ``Annotated[float, limits(minimum=0)]``; ``Annotated[dict[str, float], Prices]``
says that the keys are those of the class `Prices`. The docstring of the class states the meaning of a field, in its
entry under "Parameters". The first line of the docstring describes the object.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, Union

#: Metadata of a field whose value is a document or a mapping: its keys are keys of the class, null where it is None.
INLINE = {"document": "inline"}
#: Metadata of a field whose value is documented by its name alone.
BY_NAME = {"document": "name"}
#: Metadata of a field that is left out while it has its default value.
OPTIONAL = {"document": "optional"}
#: Metadata of a field that is not a key.
INTERNAL = {"document": "internal"}

if TYPE_CHECKING:
    key = property
    inlined = property
    by_name = property
else:

    class key(property):  # noqa: N801
        """A property that is a key too, after the fields; its docstring states the meaning."""

        def __init__(self, getter):
            super().__init__(getter)
            self.__module__ = getter.__module__  # doctest runs the examples of this module's objects alone

    class inlined(key):  # noqa: N801
        """A property whose value is a document: its keys stand among those of the class, after the fields."""

    class by_name(key):  # noqa: N801
        """A property whose value is documented by its name alone."""


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
#: A whole number from 1, and one from 2.
FromOne = Annotated[int, limits(minimum=1)]
FromTwo = Annotated[int, limits(minimum=2)]
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
                data |= dict.fromkeys(_inlined(value.__class__, each.attribute)) if part is None else to_data(part)
            elif each.role == "name":
                data[each.name] = getattr(part, "name", None)
            elif each.role != "optional" or part != each.default:
                data[each.name] = to_data(part)
        return data
    if hasattr(value, "_asdict"):
        value = value._asdict()
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
def _inlined(owner: type, attribute: str) -> tuple[str, ...]:
    """Return the keys of a field whose keys stand among those of a class, and that may be None."""
    return tuple(each.name for each in _keys(typing.get_args(typing.get_type_hints(owner)[attribute])[0]))


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
    parts = ((name, part) for base in reversed(owner.__mro__) for name, part in vars(base).items())
    roles = {key: None, inlined: "inline", by_name: "name"}
    return (*found, *(_Key(name, name, roles[type(part)]) for name, part in parts if type(part) in roles))


def schema_of(document: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12, of a type of documents; the other classes in it are definitions.

    Parameters
    ----------
    document : type
        A class of documents, or another type that consists of such.
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
    if origin is Annotated and not isinstance(arguments[1], tuple):
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
        names, values = (_schema(each, definitions) for each in arguments)
        if "enum" in names:
            properties = dict.fromkeys(names["enum"], values)
            return {"type": "object", "additionalProperties": False, "properties": properties}
        found = {"type": "object", "additionalProperties": values}
        return found if names == {"type": "string"} else found | {"propertyNames": names}
    if hint in _NAMES:
        return dict(_NAMES[hint])
    if origin is not None:  # a generic class, with its arguments
        return _object(origin, definitions, dict(zip(origin.__parameters__, arguments, strict=True)))
    if hasattr(hint, "document"):
        return _schema(_printed(hint), definitions)
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


def _union(schemas: list[dict[str, Any]], arguments: Collection[Any]) -> dict[str, Any]:
    joined = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if types.NoneType not in arguments:
        return joined
    if "enum" in joined:
        joined = joined | {"enum": [*joined["enum"], *[None] * (None not in joined["enum"])]}
    if "type" in joined:
        names = [joined["type"]] if isinstance(joined["type"], str) else joined["type"]
        return joined | {"type": [*names, *["null"] * ("null" not in names)]}
    return joined if "enum" in joined else {"anyOf": [*schemas, {"type": "null"}]}


def _printed(hint: Any) -> Any:
    """Return the type of the document of a class: the class itself, or what its method `document` returns."""
    method = getattr(hint, "document", None)
    return hint if method is None else typing.get_type_hints(method, include_extras=True)["return"]


def _object(owner: type, definitions: dict[str, Any], variables: Mapping[Any, Any] | None = None) -> dict[str, Any]:
    """Return the schema of the documents of a class, given what its type variables stand for."""
    hints, meanings = typing.get_type_hints(owner, include_extras=True), descriptions(owner)
    variables, properties = variables or {}, dict[str, Any]()
    required: list[str] = []
    other: dict[str, Any] | bool = False
    for attribute, name, role, _ in _keys(owner):
        getter = inspect.getattr_static(owner, attribute, None)
        if isinstance(getter, key):
            hints[attribute] = typing.get_type_hints(getter.fget, include_extras=True)["return"]
            meanings[attribute] = _in_one_line((inspect.getdoc(getter) or "").split("\n\n")[0])
        hint = hints[attribute]
        if role == "name":
            hint = str | None if types.NoneType in typing.get_args(hint) else str
        if role == "inline" and typing.get_origin(hint) is Mapping:
            other = _schema(typing.get_args(hint)[1], definitions)
            continue
        if role == "inline":
            choices = typing.get_args(hint) or (hint,)
            part = _object(_printed(choices[0]), definitions)
            properties |= {each: _union([schema], choices) for each, schema in part["properties"].items()}
            required += part["required"]
            continue
        needed = role != "optional" and attribute in getattr(owner, "__required_keys__", hints)
        if typing.get_origin(hint) is NotRequired:
            needed, hint = False, typing.get_args(hint)[0]
        properties[name] = _schema(variables.get(hint, hint), definitions) | _described(meanings.get(attribute))
        required += [name] * needed
    return {
        **_described(inspect.getdoc(owner)),
        "type": "object",
        "additionalProperties": other,
        "required": required,
        "properties": properties,
    }


def descriptions(owner: type) -> dict[str, str]:
    """Return what the docstrings of a class and of its bases say of each field, in the words of JSON.

    Examples
    --------
    >>> from bounds.coverage.enclosure import Bracket
    >>> descriptions(Bracket)
    {'lower': 'At least.', 'upper': 'At most.'}
    """
    found: dict[str, str] = {}
    for base in reversed(owner.__mro__):
        text = inspect.cleandoc(vars(base).get("__doc__") or "")
        for names, said in re.findall(r"^(\w+(?:, \w+)*) : .*\n((?:    .*\n?)*)", text, flags=re.MULTILINE):
            found |= dict.fromkeys(names.split(", "), _in_one_line(said))
    return found


def _described(text: str | None) -> dict[str, str]:
    """Return the first paragraph of a docstring as a keyword."""
    said = _in_one_line((text or "").split("\n\n")[0])
    return {"description": said} if said else {}


def _in_one_line(text: str) -> str:
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))
