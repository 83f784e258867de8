"""Types and JSON Schemas say the same: each field of the one is a property of the other, as necessary and of the same kind."""

import json

import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.facts.description import Description
from hakaru.facts.forecasts import Forecast
from hakaru.facts.programs.file import ProgramFile
from hakaru.facts.records import Record
from hakaru.facts.schedules import Operation, Schedule
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.profile import Profile
from hakaru.foretell.mix.answer import MixResult
from hakaru.foretell.mix.file import MixFile
from hakaru.run.batch.site import Site
from hakaru.run.kit.about import About
from hakaru.studies.published import Published
from hakaru.studies.study import StudyFile

NOUNS = {
    "record": Record,
    "description": Description,
    "forecast": Forecast,
    "schedule": Schedule,
    "study": StudyFile,
    "published": Published,
    "profile": Profile,
    "files": FileUse,
    "program": ProgramFile,
    "site": Site,
    "kit": About,
    "mix": MixFile,
    "mix-result": MixResult,
}
# What a schema leaves open on purpose: objects whose fields depend on the machine or the program.
OPEN = {"environment", "context", "work", "evaluated.parameters", "parameters", "streams.operations"}


def schema_of(name: str) -> dict:
    return json.loads((root() / "schema" / f"{name}.schema.json").read_text())


def type_schema(noun: type) -> dict:
    return msgspec.json.schema(noun)


def resolved(node: dict, whole: dict) -> dict:
    """The object behind references and the non-null alternative."""
    while "$ref" in node:
        node = _at(whole, node["$ref"])
    for word in ("anyOf", "oneOf"):
        others = [one for one in node.get(word, []) if one.get("type") != "null"]
        if len(others) == 1:
            return resolved(others[0], whole)
    return node


def _at(whole: dict, reference: str) -> dict:
    node = whole
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


def fields(node: dict, whole: dict, path: str = "") -> dict[str, bool]:
    """{"layout.ranks": True} of a schema: every property with whether it must be there."""
    node = resolved(node, whole)
    if "items" in node and isinstance(node["items"], dict):
        return fields(node["items"], whole, path)
    found = {}
    for name, child in node.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        found[here] = name in node.get("required", [])
        if here not in OPEN and isinstance(child, dict):
            found |= fields(child, whole, here)
    return found


def of_schema(name: str) -> dict[str, bool]:
    whole = schema_of(name)
    return fields(whole, whole)


def of_type(noun: type) -> dict[str, bool]:
    whole = type_schema(noun)
    found = fields(whole, whole)
    return {path: must for path, must in found.items() if not any(path.startswith(f"{one}.") for one in OPEN)}


@pytest.mark.parametrize("name", NOUNS)
def test_type_and_schema_have_the_same_fields(name):
    assert set(of_schema(name)) == set(of_type(NOUNS[name]))


def test_a_field_that_only_one_of_them_has_is_seen():
    class Longer(Record, frozen=True, kw_only=True):
        colour: str

    assert set(of_type(Longer)) - set(of_schema("record")) == {"colour"}


@pytest.mark.parametrize("name", NOUNS)
def test_what_the_schema_requires_the_type_requires(name):
    needed = {path for path, must in of_schema(name).items() if must}
    optional = {path for path, must in of_type(NOUNS[name]).items() if not must}
    open_parts = {path for path in optional if path.startswith("evaluated.")}
    assert needed & optional - open_parts == set()


def test_operations_have_the_fields_that_their_kinds_have():
    kinds = [one["$ref"] for one in schema_of("schedule")["$defs"]["operation"]["oneOf"]]
    parts = [_at(schema_of("schedule"), kind) for kind in kinds]
    made = type_schema(Operation)
    assert {name for part in parts for name in part["properties"]} == set(resolved(made, made)["properties"])


def examples(name: str, kind: str) -> list:
    return sorted((root() / "schema" / "examples").glob(f"{name}.{kind}*.json"))


@pytest.mark.parametrize("path", [p for name in NOUNS for p in examples(name, "valid")], ids=lambda p: p.name)
def test_valid_examples_are_read_and_written_without_loss(path):
    noun = NOUNS[path.name.partition(".")[0]]
    data = json.loads(path.read_text())
    again = json.loads(msgspec.json.encode(msgspec.convert(data, noun)))
    assert loses_nothing(data, again), "every value of the file is still there"


def loses_nothing(before, after) -> bool:
    if isinstance(before, dict):
        return all(key in after and loses_nothing(value, after[key]) for key, value in before.items())
    if isinstance(before, list):
        return len(before) == len(after) and all(map(loses_nothing, before, after))
    return before == after
