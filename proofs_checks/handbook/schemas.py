"""A page for what each command prints with `--json`: every key, its type and its meaning, from the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.cli.schema import json_schema
from proofs_checks.handbook.markdown import ORPHAN, code, link, page, prose, table

Schema = Mapping[str, Any]


def schema_pages() -> Mapping[str, str]:
    """Return the page of every schema, the schema itself, and their index, by file.

    Examples
    --------
    >>> pages = schema_pages()
    >>> "`claims[].label`" in pages["claims.md"], json.loads(pages["claims.json"])["title"]
    (True, 'costproof claims --json')
    """
    schemas = {name: json_schema(name) for name in SUMMARIES}
    pages = {f"{name}.md": schema_page(name, schema) for name, schema in schemas.items()}
    files = {f"{name}.json": json.dumps(schema, indent=2, ensure_ascii=False) for name, schema in schemas.items()}
    return {**pages, **files, "index.md": _index(schemas)}


def _index(schemas: Mapping[str, Schema]) -> str:
    rows = (
        [link(code(f"costproof {name} --json"), f"{name}.md"), prose(schema["description"])]
        for name, schema in schemas.items()
    )
    return page(
        "# What `--json` prints",
        "A page for each command. How to read a document, and what you can rely on: [JSON](../../json.md).",
        table(["command", "document"], rows),
    )


def schema_page(name: str, schema: Schema) -> str:
    """Return the page of a command's schema."""
    definitions = schema.get("$defs", {})
    return ORPHAN + page(
        f"# {code(f'costproof {name} --json')}",
        f"{link('JSON', 'index.md')} · {link('the command', f'../commands/{name}.md')} · "
        f"{link('the schema itself', f'{name}.json')}",
        prose(schema["description"]),
        *_described(schema, name),
        *(part for key, each in definitions.items() for part in _definition(key, each, name)),
    )


def _definition(name: str, schema: Schema, command: str) -> Iterator[str]:
    yield f"({_anchor(name, command)})=\n## {code(name)}"
    if "description" in schema:
        yield prose(schema["description"])
    yield from _described(schema, command)


def _anchor(name: str, command: str) -> str:
    return f"definition-{command}-{name}"


def _described(schema: Schema, command: str) -> Iterator[str]:
    """Yield a table of the keys, or the type of what has none."""
    rows = [[code(key), _type(each, command), said, always] for key, each, always, said in _keys(schema, "")]
    if rows:
        yield table(["key", "type", "meaning", "is there"], rows)
    else:
        yield f"Type: {_type(schema, command)}."


def _keys(schema: Schema, above: str) -> Iterator[tuple[str, Schema, str, str]]:
    """Yield the keys of a schema and of the objects in it: each with its schema, whether it is there, its meaning."""
    required = schema.get("required", ())
    for key, each in schema.get("properties", {}).items():
        place = f"{above}{key}"
        yield place, each, "always" if key in required else "may be missing", prose(each.get("description", ""))
        yield from _keys(each, f"{place}.")
    if isinstance(values := schema.get("additionalProperties"), dict):
        if not above:
            yield "NAME", values, "", prose(values.get("description", ""))
        yield from _keys(values, f"{above}NAME.")
    if isinstance(items := schema.get("items"), dict):
        yield from _keys(items, f"{above.removesuffix('.')}[].")


def _type(schema: Schema, command: str) -> str:
    """Return what a value is, in words; of a definition a link to it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return link(code(name), f"#{_anchor(name, command)}")
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return " or ".join(code(json.dumps(value)) for value in schema["enum"])
    for form in ("oneOf", "anyOf"):
        if form in schema:
            return " or ".join(dict.fromkeys(_type(each, command) for each in schema[form]))
    kinds = schema.get("type", "any value")
    return " or ".join(_kind(kind, schema, command) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _kind(kind: str, schema: Schema, command: str) -> str:
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"array of {_type(schema['items'], command)}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'], command)} by name"
    return kind
