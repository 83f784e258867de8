"""The main job's plans: plan.toml (or the user's own) with this machine's layouts filled in."""

from dataclasses import dataclass
from pathlib import Path

from hakaru.base import topology
from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.main_job.probing import probe_plan
from hakaru.run.campaign.plan import Plan, make_plan

USUAL = ("one core", "flat", "hybrid")
ORIGIN = Path(__file__).with_name("plan.toml")


@dataclass(frozen=True)
class MainPlan:
    """Probes to run, programs to run, problems to predict and then run."""

    probes: Plan
    programs: Plan
    prediction: Plan
    cold: Plan | None = None  # the programs again, their caches emptied


def layouts() -> dict[str, str]:
    """{"one core": "1x1", "flat": "2x1", "hybrid": "1x2"} for this machine, and the same on all hardware threads of its cores."""
    host = topology.here()
    threads = host.cores * host.threads_of_core
    return {
        "one core": "1x1",
        "flat": f"{host.cores}x1",
        "hybrid": f"1x{host.cores}",
        "flat smt": f"{threads}x1",
        "hybrid smt": f"1x{threads}",
    }


def load_main_plan(path: Path | None = None) -> MainPlan:
    """The main job's plan. Raises UserError when the file is missing or is not one."""
    path = path or ORIGIN
    data = read_toml(path)
    if missing := {"programs", "prediction"} - set(data):
        raise UserError(
            f"{path} is not a plan of the main job",
            f"[{min(missing)}] is missing",
            "see docs/how-to/campaigns.md",
        )
    probes = data.get("probes", {})
    return MainPlan(
        probe_plan(probes.get("names"), probes.get("preset"), probes.get("parameters")),
        *(make_plan(_fill(data[part]), f"{path.name} [{part}]") for part in ("programs", "prediction")),
    )


def _fill(part: dict) -> dict:
    """Replaces the words for layouts; a [[runs]] without layouts gets one core, flat and hybrid."""
    names = layouts()
    for runs in part.get("runs", []):
        wanted = [names.get(word, word) for word in runs.get("layouts", USUAL)]
        runs["layouts"] = list(dict.fromkeys(wanted))
    return part
