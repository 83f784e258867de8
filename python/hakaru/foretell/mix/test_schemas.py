"""The schemas of mixes are what their types say, and the examples are read."""

import json

import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.foretell.mix.schemas import KINDS, schema_of


@pytest.mark.parametrize("name", KINDS)
def test_the_schema_is_what_the_type_says(name):
    kept = json.loads((root() / "schema" / f"{name}.schema.json").read_text())
    assert kept == schema_of(name), "write them again: PYTHONPATH=python python scripts/schemas.py"


@pytest.mark.parametrize("name", KINDS)
def test_invalid_examples_are_refused_by_the_type_too(name):
    found = sorted((root() / "schema" / "examples").glob(f"{name}.invalid-*.json"))
    assert len(found) > 1
    for path in found:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(json.loads(path.read_text()), KINDS[name])
