"""A machine file out of probe records: each probe's folder has its own distil.py."""

from datetime import UTC, datetime

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.facts.machines.consistency import Contradiction, contradictions, refuse
from hakaru.facts.machines.machine import MEASURED_ON, Machine
from hakaru.facts.machines.tree import Tree
from hakaru.facts.records import Record
from hakaru.facts.records.record import Environment


def _cores(environment: Environment) -> Tree:
    """Cores of the node, and how many hardware threads each has where it is more than one."""
    threads = environment.cpus_online
    cores = environment.cores_online or threads
    found = {"cores": {"value": cores, "unit": "1", "source": "operating system"}}
    if threads > cores:
        found["threads_of_core"] = {"value": threads // cores, "unit": "1", "source": "operating system"}
    return found


def distil(records: list[Record], name: str, description: str = "") -> Machine:
    """The machine that these probe records support, without facts that contradict each other. Raises UserError when there are no
    records."""
    return distil_checked(records, name, description)[0]


def distil_checked(
    records: list[Record], name: str, description: str = ""
) -> tuple[Machine, list[Contradiction]]:
    """The machine as of ``distil``, and what was refused: a disturbed machine's facts cannot all be true."""
    machine = all_of(records, name, description)
    refused: list[Contradiction] = []
    # A rule says the first of its kind, and may find the next when that is gone.
    while found := [one for one in contradictions(machine) if one not in refused]:
        refused += found
        machine = refuse(machine, found)
    return machine, refused


def _head(environment: Environment, name: str, description: str) -> Tree:
    """What the records say of the machine before any probe does."""
    return {
        "schema": "hakaru/machine/1",
        "name": name,
        "description": description or MEASURED_ON + environment.host,
        "kind": "measured",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "processor": {
            "model": {"value": environment.cpu_model, "source": "/proc/cpuinfo"},
            **_cores(environment),
        },
        "memory": {"capacity": {"value": environment.memory_bytes, "unit": "B", "source": "/proc/meminfo"}},
    }


def rounds_in(records: list[Record], near: bool) -> list[Record]:
    """Records of a probe that asks each round how far the cores are from each other (its folder has ``near.py``): rounds that met this state."""
    return load_module(root() / "probes" / records[0].program / "near.py").usual_rounds(records, near)


def all_of(records: list[Record], name: str, description: str) -> Machine:
    """With facts that contradict each other."""
    usable = [record for record in records if record.ok and record.kind == "probe"]
    if not usable:
        raise UserError(
            "no probe has succeeded",
            "a machine file is made from probe records",
            "run: hakaru probe",
            ENVIRONMENT,
        )
    environment = usable[-1].environment
    machine = Machine(_head(environment, name, description))
    for analysis in sorted((root() / "probes").glob("*/distil.py")):  # where nothing is built, too
        own = [record for record in usable if record.program == analysis.parent.name]
        if own:
            machine = machine.joined_with(load_module(analysis).distil(own))
    return machine
