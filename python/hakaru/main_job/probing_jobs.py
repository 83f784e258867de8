"""Probes of several nodes as jobs of a batch system, and the machine file of what they found: ``network.node`` is between nodes, and
``network.switch`` between switches."""

from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.consistency import Contradiction
from hakaru.facts.machines.from_probes import distil_checked
from hakaru.facts.programs import Program
from hakaru.facts.records import RecordStore
from hakaru.run.batch.site import Site
from hakaru.run.campaign.plan import Plan, make_plan
from hakaru.run.campaign.runner import states_of

TIMEOUT_S = 300.0  # of a probe
FOLDER = "folder"  # parameter of probes that write files
ACROSS = ("across_hosts", "switch")  # of probes that can be told that their hosts hang on different switches
Runs = dict[str, object]


@dataclass(frozen=True)
class Wanted:
    """``names``: of probes, None for all. ``shared``: a folder that all nodes see, where files that ranks of several nodes write must lie."""

    nodes: int
    names: list[str] | None
    preset: str | None
    shared: Path


def cluster_plans(wanted: Wanted, site: Site) -> list[tuple[Plan, Site]]:
    """Each with the site as its jobs are to be submitted: the probes, and those that tell switches where the site says how to cross them."""
    plans = [(cluster_plan(wanted), site)]
    if across := _across(wanted) if site.across and wanted.nodes > 1 else []:
        plans.append((_plan("probes-across-switches", across), site.spread))
    return plans


def cluster_plan(wanted: Wanted) -> Plan:
    """One launch of every probe (or the named ones) on one node; of those that need messages also one with a rank on each of ``nodes``."""
    runs: list[Runs] = []
    for probe in _chosen(wanted):
        runs.append(_common(probe, wanted) | {"layouts": ["2x1" if probe.needs_mpi else "1x1"]})
        if probe.needs_mpi and wanted.nodes > 1:
            own = {FOLDER: str(wanted.shared.resolve())} if FOLDER in _parameters(probe) else {}
            runs.append(_over_nodes(probe, wanted, own))
    return _plan("probes", runs)


def _across(wanted: Wanted) -> list[Runs]:
    probes = [one for one in _chosen(wanted) if ACROSS[0] in _parameters(one)]
    return [_over_nodes(probe, wanted, {ACROSS[0]: ACROSS[1]}) for probe in probes]


def _over_nodes(probe: Program, wanted: Wanted, parameters: dict[str, str]) -> Runs:
    layout = {"layouts": [f"{wanted.nodes}x1"], "nodes": wanted.nodes}
    return _common(probe, wanted) | layout | {"parameters": parameters}


def _common(probe: Program, wanted: Wanted) -> Runs:
    return {"program": probe.name, "preset": wanted.preset}


def _chosen(wanted: Wanted) -> list[Program]:
    return [programs.listed(name) for name in wanted.names] if wanted.names else programs.known("probe")


def _parameters(probe: Program) -> set[str]:
    return {one.name for one in probe.describe().parameters}


def _plan(name: str, runs: list[Runs]) -> Plan:
    tree = {"name": name, "repeats": 1, "most_repeats": 1, "runs": runs, "timeout_s": TIMEOUT_S}
    return make_plan(tree, "the probe plan")


def machine_of(
    store: RecordStore, plans: list[Plan], site: Site, name: str, output: Path | None = None
) -> tuple[Machine, Path, list[Contradiction]]:
    """The machine file of what the jobs of probe plans have left; what contradicts is told and not written. Raises UserError when they left
    nothing yet."""
    states = [state for plan in plans for state in states_of(plan, store, plan.campaign)]
    records = [record for state in states for record in state.good]
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
