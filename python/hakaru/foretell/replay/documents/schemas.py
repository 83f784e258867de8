"""JSON Schemas of the engine's documents, made from their types; scripts/replay_schemas.py writes them to schema/."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from hakaru.facts.strict import Strict
from hakaru.foretell.replay.documents.meanings import MEANINGS
from hakaru.foretell.replay.documents.network import LevelName, Network
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.documents.result import Result

DIALECT = "https://json-schema.org/draft/2020-12/schema"
KINDS: dict[str, type[Strict]] = {
    "replay-network": Network,
    "replay-options": Options,
    "replay-result": Result,
}
TITLES = {
    Network: "hakaru_replay --network: what messages, one-sided operations, collectives and files cost, and where ranks sit",
    Options: "hakaru_replay --options: how computing is priced, noise, how links are shared, what the result shall hold",
    Result: "hakaru_replay --json: the time, where it went over ranks, and what it took to find out",
}
Schema = dict[str, Any]


def schema_of(name: str) -> Schema:
    """Of one of ``KINDS``."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    own = (one for one in _below(Strict) if one.__module__.startswith(__package__))  # others may share a name
    optional = {one.__name__ for one in own if one.__struct_config__.omit_defaults}
    parts = {part: _without_nulls(node) if part in optional else node for part, node in parts.items()}
    parts = {part: _explained(node, MEANINGS[part]) for part, node in parts.items()}
    whole = parts.pop(kind.__name__)
    if kind is Network:
        whole["properties"]["levels"]["propertyNames"] = {"enum": list(get_args(LevelName))}
    head = {"$schema": DIALECT, "$id": f"hakaru/{name}/1", "title": TITLES[kind]}
    return head | {key: value for key, value in whole.items() if key != "title"} | {"$defs": parts}


def _below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _without_nulls(node: Schema) -> Schema:
    """A field that is absent is not written as null, and the engine takes none."""
    return node | {"properties": {name: _plain(child) for name, child in node["properties"].items()}}


def _explained(node: Schema, meanings: dict[str, str]) -> Schema:
    """With a description of each field. Raises KeyError when one is missing."""
    fields = node["properties"].items()
    return node | {"properties": {name: {"description": meanings[name]} | child for name, child in fields}}


def _plain(node: Schema) -> Schema:
    kept = {key: value for key, value in node.items() if not (key == "default" and not value)}
    choices = [one for one in kept.pop("anyOf", []) if one != {"type": "null"}]
    return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})
