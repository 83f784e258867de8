"""The main job's plans: plan.toml with this machine's layouts filled in."""

import tomllib
from pathlib import Path
from typing import Any

from hakaru.campaign.plan import Plan, make_plan
from hakaru.launchers import usable_cores

ORIGIN = Path(__file__).with_name("plan.toml")


def layouts() -> dict[str, str]:
    """{"one core": "1x1", "flat": "2x1", "hybrid": "1x2"} for this machine; one core has only the first."""
    cores = usable_cores()
    return {"one core": "1x1", "flat": f"{cores}x1", "hybrid": f"1x{cores}"}


def load_plans() -> tuple[Plan, Plan]:
    """(programs to run, problems to predict and then run)."""
    data = tomllib.loads(ORIGIN.read_text())
    return tuple(make_plan(_fill(data[part]), f"{ORIGIN.name} [{part}]") for part in ("programs", "prediction"))


def _fill(part: dict[str, Any]) -> dict[str, Any]:
    names = layouts()
    for runs in part["runs"]:
        wanted = [names[word] for word in runs.get("layouts", names)]
        runs["layouts"] = list(dict.fromkeys(wanted))
    return part
