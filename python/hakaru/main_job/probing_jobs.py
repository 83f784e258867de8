"""Probes of several nodes as jobs of a batch system, and the machine file of what they found: ``network.node`` is between nodes."""

from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.consistency import Contradiction
from hakaru.facts.machines.from_probes import distil_checked
from hakaru.facts.records import RecordStore
from hakaru.run.batch.site import Site
from hakaru.run.campaign.plan import Plan, make_plan
from hakaru.run.campaign.runner import states_of

TIMEOUT_S = 300.0  # of a probe


def cluster_plan(nodes: int, names: list[str] | None = None, preset: str | None = None) -> Plan:
    """One launch of every probe (or the named ones) on one node; of those that need messages also one with a rank on each of ``nodes``."""
    chosen = [programs.listed(name) for name in names] if names else programs.known("probe")
    runs: list[dict[str, object]] = []
    for probe in chosen:
        common = {"program": probe.name, "preset": preset}
        runs.append(common | {"layouts": ["2x1" if probe.needs_mpi else "1x1"]})
        if probe.needs_mpi and nodes > 1:
            runs.append(common | {"layouts": [f"{nodes}x1"], "nodes": nodes})
    return make_plan(
        {"name": "probes", "repeats": 1, "most_repeats": 1, "runs": runs, "timeout_s": TIMEOUT_S},
        "the probe plan",
    )


def machine_of(
    store: RecordStore, plan: Plan, site: Site, name: str, output: Path | None = None
) -> tuple[Machine, Path, list[Contradiction]]:
    """The machine file of what the jobs of a probe plan have left; what contradicts is told and not written. Raises UserError when they left
    nothing yet."""
    records = [record for state in states_of(plan, store, plan.campaign) for record in state.good]
    if not records:
        raise UserError(
            "there are no records of these probes yet",
            "their jobs have not ended, or failed",
            "see how they stand: the table above, and hakaru records --failed",
            ENVIRONMENT,
        )
    machine, refused = distil_checked(records, name, f"nodes of {name}, probed as jobs of {site.system}")
    path = output or store.folder / "machine.toml"
    machine.save(path)
    return machine, path, refused
