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
