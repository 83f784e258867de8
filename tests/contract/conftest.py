"""Every present and future leaf inherits these tests: the programs that were built, the templates among them."""

import json
from functools import cache
from pathlib import Path

import pytest
from support import all_programs

from hakaru.base.paths import root
from hakaru.facts.programs.leaf import Leaf


@pytest.fixture(scope="session")
def schema():
    """Validator of one of the JSON Schemas: schema("record")(data) raises when it does not hold."""
    import jsonschema

    @cache
    def validator(name: str):
        text = (root() / "schema" / f"{name}.schema.json").read_text()
        return jsonschema.Draft202012Validator(json.loads(text)).validate

    return validator


@pytest.fixture(params=all_programs(), ids=lambda program: program.name)
def program(request) -> Leaf:
    return request.param


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    return tmp_path / "record.json"
