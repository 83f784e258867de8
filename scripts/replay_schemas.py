"""Writes the JSON Schemas of the replay engine's documents from their types: PYTHONPATH=python python scripts/replay_schemas.py"""

import json

from hakaru.base.paths import root
from hakaru.foretell.replay.documents.schemas import KINDS, schema_of

for name in KINDS:
    (root() / "schema" / f"{name}.schema.json").write_text(json.dumps(schema_of(name), indent=2) + "\n")
