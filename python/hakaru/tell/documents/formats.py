"""The reference of the files, from their JSON Schemas and valid examples."""

import json
from collections.abc import Iterator
from typing import Any

from hakaru.base.paths import root
from hakaru.tell.documents.markdown import code, listing, plain, section, table

FOLDER = "reference/formats"
COLUMNS = ("field", "kind", "needed", "meaning")


def pages() -> Iterator[tuple[str, str]]:
    """A page for each schema, and the list of all."""
    files = {path.name.removesuffix(".schema.json"): path for path in sorted(_folder().glob("*.schema.json"))}
    about = "What the JSON Schemas in `schema/` say; [the contracts](../contracts.md) explain them."
    yield f"{FOLDER}/index.md", listing("File formats", about, files)
    for name, path in files.items():
        yield f"{FOLDER}/{name}.md", described(name, json.loads(path.read_text()))


def _folder():
    return root() / "schema"


def described(name: str, schema: dict[str, Any]) -> str:
    """Fields of the file and of the parts that it is made of, and a valid example."""
    parts = [
        f"# {name}\n\n{plain(schema.get('title', ''))}\n\n"
        f"The schema is `schema/{name}.schema.json`, its version {code(schema.get('$id', ''))}.\n",
        section("Fields", table(COLUMNS, fields(schema))),
    ]
    for part, node in schema.get("$defs", {}).items():
        parts.append(section(f"Part {part}", _meaning(node), table(COLUMNS, fields(node)) or kind(node)))
    example = _folder() / "examples" / f"{name}.valid.json"
    if example.is_file():
        parts.append(section("Example", f"```json\n{example.read_text().rstrip()}\n```\n"))
    return "".join(parts)


def fields(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, ...]]:
    """A row for each field of an object, those of objects within it included."""
    if node.get("type") == "array" or "items" in node:
        items = node.get("items")
        yield from fields(items, f"{path}[]") if isinstance(items, dict) else ()
    for name, below in node.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        if isinstance(below, dict):
            yield code(here), kind(below), "yes" if name in node.get("required", []) else "", _meaning(below)
            yield from fields(below, here)


def _meaning(node: dict[str, Any]) -> str:
    return plain(node.get("description", node.get("title", "")))


def kind(node: Any) -> str:
    """What a value may be, in words; "" for what a schema says by conditions only."""
    if not isinstance(node, dict):
        return "anything"
    if "$ref" in node:
        return f"part {code(node['$ref'].rpartition('/')[2])}"
    if "const" in node:
        return code(json.dumps(node["const"]))
    if "enum" in node:
        return ", ".join(code(json.dumps(value)) for value in node["enum"])
    for word in ("anyOf", "oneOf"):
        if word in node:
            return " or ".join(dict.fromkeys(kind(one) or "an object" for one in node[word]))
    if "items" in node:
        return f"list of: {kind(node['items']) or 'objects'}"
    types = node.get("type", "")
    bounds = [f"{words} {node[key]:g}" for key, words in BOUNDS.items() if key in node]
    return ", ".join(filter(None, [" or ".join(types) if isinstance(types, list) else types, *bounds]))


BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
