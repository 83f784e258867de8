"""The replay engine's documents: types, schemas and the engine itself say the same, in both directions."""

import json
import re
import subprocess

import msgspec
import pytest
from contract.test_nouns import fields as paths_of
from contract.test_nouns import loses_nothing, type_schema
from contract.test_nouns import schema_of as kept_schema

from hakaru.base.paths import root
from hakaru.facts import native
from hakaru.facts.strict import Strict
from hakaru.foretell.replay.documents.answer import Answer, Basis, Sensitivity, Sweep
from hakaru.foretell.replay.documents.result import Result
from hakaru.foretell.replay.documents.schemas import KINDS, schema_of

EXAMPLES = root() / "schema" / "examples"
SCHEDULE = EXAMPLES / "schedule.valid.json"
ANSWERS = {"replay": Answer, "sweep": Sweep, "sensitivity": Sensitivity}
# What schema/replay.schema.json leaves open.
OPEN = ("placement", "noise", "collectives", "facts", "set", "compute.rates")
PAIRS = [("valid", "valid"), ("valid-torus", "valid-put-get"), ("valid-fat-tree", "valid")]


def fields(name: str) -> set[str]:
    """Names of all fields of a document and of its parts."""
    schema = schema_of(name)
    parts = [schema, *schema["$defs"].values()]
    return {field for part in parts for field in part["properties"]}


def written(names: list[str]) -> set[str]:
    """Names of all fields that examples write."""
    found: set[str] = set()

    def note(node: object) -> None:
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            note(child)
        found.update(node if isinstance(node, dict) else ())

    for name in names:
        note(json.loads((EXAMPLES / f"{name}.json").read_text()))
    return found


def replayed(network: str, options: str) -> bytes:
    files = ("--network", EXAMPLES / f"replay-network.{network}.json")
    files += ("--options", EXAMPLES / f"replay-options.{options}.json")
    done = subprocess.run(
        [native.tool("hakaru_replay"), SCHEDULE, *files, "--json", "--ranks"], capture_output=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", KINDS)
def test_the_schema_is_what_the_type_says(name):
    kept = json.loads((root() / "schema" / f"{name}.schema.json").read_text())
    assert kept == schema_of(name), "write them again: PYTHONPATH=python python scripts/schemas.py"


@pytest.mark.parametrize("name", KINDS)
def test_valid_examples_are_read_and_written_without_loss(name):
    for path in EXAMPLES.glob(f"{name}.valid*.json"):
        data = json.loads(path.read_text())
        assert msgspec.convert(data, KINDS[name]).as_dict() == data


@pytest.mark.parametrize(("network", "options"), PAIRS)
def test_the_engine_takes_what_the_types_write_and_they_read_its_result(network, options):
    text = replayed(network, options)
    assert Result.parse(text).as_dict() == json.loads(text)


def test_the_examples_that_the_engine_takes_have_every_field():
    networks = [f"replay-network.{network}" for network, _ in PAIRS]
    options = [f"replay-options.{one}" for _, one in PAIRS]
    lists = {"node_of_rank", "socket_of_rank"}  # only without the mapping that stands in the example
    other_noise = {"relative_deviation", "mean_s", "samples_s"}  # of kinds that the examples have not
    assert fields("replay-network") - written(networks) <= lists
    assert fields("replay-options") - written(options + networks) <= other_noise


def test_the_types_know_every_key_that_the_engine_does():
    sources = [*root().glob("native/replay/**/*.cpp"), *root().glob("native/replay/**/*.hpp")]
    lists = [
        keys
        for path in sources
        if not path.name.endswith("_test.cpp")
        for keys in re.findall(r"require_(?:keys|topology)\([^{;]*\{([^}]*)\}", path.read_text())
    ]
    keys = {key for text in lists for key in re.findall(r'"(\w+)"', text)}
    assert len(keys) > 60, "the lists of keys are found in the engine's sources"
    levels = {"self", "core", "socket", "node", "switch"}
    assert keys - levels <= fields("replay-network") | fields("replay-options")


def closed(paths: dict[str, bool]) -> dict[str, bool]:
    def is_open(path: str) -> bool:
        return path.removeprefix("base.").startswith(tuple(f"{one}." for one in OPEN))

    return {path: must for path, must in paths.items() if not is_open(path)}


@pytest.mark.parametrize("part", ANSWERS)
def test_answers_have_the_fields_of_their_schema(part):
    whole, made = kept_schema("replay"), type_schema(ANSWERS[part])
    kept, ours = closed(paths_of(whole["$defs"][part], whole)), closed(paths_of(made, made))
    assert set(kept) == set(ours)
    assert {path for path, must in ours.items() if must} <= {path for path, must in kept.items() if must}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("replay.valid*.json")), ids=lambda path: path.name)
def test_answers_are_written_as_they_were_read(path):
    data = json.loads(path.read_text())
    plain = data.get("base", data)
    keys = [{key: fact[key] for key in fact if key not in Basis.__struct_fields__} for fact in plain["facts"]]
    rest = [{key: fact[key] for key in fact if key in Basis.__struct_fields__} for fact in plain["facts"]]
    facts = [fact | {"about": about} for fact, about in zip(rest, keys, strict=True)]
    split = plain | {"facts": facts}
    read = msgspec.convert(data | {"base": split} if "base" in data else split, ANSWERS[data["kind"]])
    assert loses_nothing(data, read.as_dict())


def test_a_type_of_the_same_name_elsewhere_changes_no_schema():
    before = schema_of("replay-options")

    class Roofline(Strict, omit_defaults=True):
        flop_rate: float = 0.0

    assert schema_of("replay-options") == before and Roofline.__name__ in before["$defs"]
