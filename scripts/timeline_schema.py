"""Writes the JSON Schema of a timeline from its type: PYTHONPATH=python python scripts/timeline_schema.py"""

import json

from hakaru.base.paths import root
from hakaru.facts.traces.timeline import schema

(root() / "schema" / "timeline.schema.json").write_text(json.dumps(schema(), indent=2) + "\n")
