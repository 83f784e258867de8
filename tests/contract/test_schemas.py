"""Every schema has valid and invalid examples, and tells them apart."""

import json

import jsonschema
import pytest

from hakaru.base.paths import root

EXAMPLES = sorted((root() / "schema" / "examples").glob("*.json"))
SCHEMAS = sorted(path.name.removesuffix(".schema.json") for path in (root() / "schema").glob("*.schema.json"))


def test_every_schema_is_a_schema_and_has_examples():
    for name in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(
            json.loads((root() / "schema" / f"{name}.schema.json").read_text())
        )
        kinds = [
            path.name.split(".")[1].split("-")[0] for path in EXAMPLES if path.name.startswith(f"{name}.")
        ]
        assert "valid" in kinds and "invalid" in kinds, f"{name} needs valid and invalid examples"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example):
    name, kind = example.name.split(".")[:2]
    schema = json.loads((root() / "schema" / f"{name}.schema.json").read_text())
    problems = list(jsonschema.Draft202012Validator(schema).iter_errors(json.loads(example.read_text())))
    assert bool(problems) == kind.startswith("invalid"), problems[:1]


def properties(node, path: str = ""):
    """(path, node) of every field of a file; conditions (if, allOf, not) name fields again and say nothing of them."""
    if not isinstance(node, dict):
        return
    for name, child in node.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        yield here, child
        yield from properties(child, here)
    for name, child in node.get("$defs", {}).items():
        yield from properties(child, f"{path}#{name}")
    below = [
        node.get("items"),
        node.get("additionalProperties"),
        *node.get("anyOf", []),
        *node.get("oneOf", []),
    ]
    for child in below:
        yield from properties(child, f"{path}[]")


UNITS = {"_s": "seconds", "bytes": "ytes"}  # what a name ends with, and what the description then says


def fault(path: str, node) -> str | None:
    """What a field's description lacks: one plain sentence, with its unit where the name tells that it has one."""
    text = node.get("description", "") if isinstance(node, dict) else ""
    if not (text[:1].isupper() and text.endswith(".") and ". " not in text):
        return f"{path}: its description is no sentence: {text!r}"
    unit = next((unit for ending, unit in UNITS.items() if path.endswith(ending)), "")
    return None if unit in text else f"{path}: its description does not say {unit}: {text!r}"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_has_a_description(name):
    found = dict(properties(json.loads((root() / "schema" / f"{name}.schema.json").read_text())))
    assert len(found) > 5
    assert not [why for path, node in found.items() if (why := fault(path, node))]


@pytest.mark.parametrize(
    "node",
    [
        True,
        {},
        {"description": "what it is"},
        {"description": "Two. Sentences."},
        {"description": "The time."},
    ],
)
def test_a_field_without_a_plain_description_is_seen(node):
    schema = {"$defs": {"part": {"anyOf": [{"items": {"properties": {"wall_s": node}}}]}}}
    assert [path for path, below in properties(schema) if fault(path, below)] == ["#part[][].wall_s"]
