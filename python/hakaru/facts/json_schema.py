"""JSON Schemas of files, made from their types and a sentence for each field."""

from collections.abc import Mapping
from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def head(name: str, title: str) -> Schema:
    return {"$schema": DIALECT, "$id": f"hakaru/{name}/1", "title": title}


def without_nulls(node: Schema) -> Schema:
    """Of a type that leaves out what is absent instead of writing null."""
    return node | {"properties": {name: _plain(child) for name, child in node["properties"].items()}}


def explained(node: Schema, meanings: Mapping[str, str]) -> Schema:
    """With a description of each field. Raises KeyError when one is missing."""
    fields = node["properties"].items()
    return node | {"properties": {name: {"description": meanings[name]} | child for name, child in fields}}


def _plain(node: Schema) -> Schema:
    kept = {key: value for key, value in node.items() if not (key == "default" and not value)}
    choices = [one for one in kept.pop("anyOf", []) if one != {"type": "null"}]
    return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})
