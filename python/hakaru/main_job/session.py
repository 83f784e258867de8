"""Which main job the results folder is in the middle of: finished launches of the same session are not repeated."""

import json
import platform
from datetime import UTC, datetime

from hakaru.base.files import write_json_atomically
from hakaru.base.paths import mpi_flavour
from hakaru.facts.records import RecordStore
from hakaru.run.campaign.plan import Plan

FILE = "run-session.json"


def session_name(store: RecordStore, fresh: bool) -> str:
    """Name of the current session; a new one when asked for, when there is none, or when host or MPI library changed."""
    path = store.folder / FILE
    here = {"host": platform.node(), "mpi": mpi_flavour()}
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        known = {}
    if (
        not fresh
        and isinstance(known, dict)
        and known.get("name")
        and all(known.get(key) == value for key, value in here.items())
    ):
        return known["name"]
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    write_json_atomically(path, {"name": name, **here})
    return name


def campaign_of(session: str, plan: Plan) -> str:
    """Campaign name of a plan within a session; a changed plan starts anew."""
    return f"{plan.name}-{session}-{plan.fingerprint()}"
