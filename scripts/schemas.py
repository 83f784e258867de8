"""Writes the JSON Schemas that are made from types: PYTHONPATH=python python scripts/schemas.py"""

import json

from hakaru.base.paths import root
from hakaru.facts.programs import schema as programs
from hakaru.foretell.mix import schemas as mix
from hakaru.foretell.replay.documents.schemas import KINDS, schema_of
from hakaru.run.batch import schema as site
from hakaru.run.kit import about as kit

made = {name: schema_of(name) for name in KINDS} | {name: mix.schema_of(name) for name in mix.KINDS}
made |= {"program": programs.schema(), "site": site.schema(), "kit": kit.schema()}
for name, schema in made.items():
    (root() / "schema" / f"{name}.schema.json").write_text(json.dumps(schema, indent=2) + "\n")
