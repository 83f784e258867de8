"""JSON Schemas of the engine's documents, made from their types; scripts/schemas.py writes them to schema/."""

from collections.abc import Iterator
from typing import get_args

import msgspec

from hakaru.facts.json_schema import Schema, explained, head, without_nulls
from hakaru.facts.strict import Strict
from hakaru.foretell.replay.documents.meanings import MEANINGS
from hakaru.foretell.replay.documents.network import LevelName, Network
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.documents.result import Result

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


def schema_of(name: str) -> Schema:
    """Of one of ``KINDS``."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    own = (one for one in _below(Strict) if one.__module__.startswith(__package__))  # others may share a name
    optional = {one.__name__ for one in own if one.__struct_config__.omit_defaults}
    parts = {part: without_nulls(node) if part in optional else node for part, node in parts.items()}
    parts = {part: explained(node, MEANINGS[part]) for part, node in parts.items()}
    whole = parts.pop(kind.__name__)
    if kind is Network:
        whole["properties"]["levels"]["propertyNames"] = {"enum": list(get_args(LevelName))}
    return (
        head(name, TITLES[kind])
        | {key: value for key, value in whole.items() if key != "title"}
        | {"$defs": parts}
    )


def _below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
