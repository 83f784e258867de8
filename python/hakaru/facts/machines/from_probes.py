"""A machine file out of probe records: each probe's folder has its own distil.py."""

from datetime import UTC, datetime
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import load_module
from hakaru.facts import programs
from hakaru.facts.machines.consistency import Contradiction, contradictions, refuse
from hakaru.facts.machines.machine import Machine
from hakaru.facts.machines.tree import is_fact
from hakaru.facts.records import Record
from hakaru.facts.records.record import Environment


def merge(target: dict[str, Any], source: dict[str, Any]) -> None:
    """Adds the facts of ``source`` to ``target``. Arrays of the same path are joined; their entries of the same ``name`` (a cache
    level that two probes saw) become one."""
    for name, node in source.items():
        if isinstance(node, dict) and isinstance(target.get(name), dict):
            merge(target[name], node)
        elif isinstance(node, list) and isinstance(target.get(name), list):
            _join(target[name], node)
        else:
            target[name] = node


def _join(target: list[dict[str, Any]], source: list[dict[str, Any]]) -> None:
    named = {entry["name"]: entry for entry in target if "name" in entry and not is_fact(entry)}
    for entry in source:
        same = named.get(entry.get("name")) if not is_fact(entry) else None
        if same is None:
            target.append(entry)
        else:
            merge(same, entry)


def _cores(environment: Environment) -> dict[str, Any]:
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
    tree = _tree(records, name, description)
    refused: list[Contradiction] = []
    # A rule says the first of its kind, and may find the next when that is gone.
    while found := [one for one in contradictions(tree) if one not in refused]:
        refused += found
        refuse(tree, found)
    return Machine.of(tree), refused


def _tree(records: list[Record], name: str, description: str) -> dict[str, Any]:
    usable = [record for record in records if record.ok and record.kind == "probe"]
    if not usable:
        raise UserError(
            "no probe has succeeded",
            "a machine file is made from probe records",
            "run: hakaru probe",
            ENVIRONMENT,
        )
    environment = usable[-1].environment
    machine: dict[str, Any] = {
        "schema": "hakaru/machine/1",
        "name": name,
        "description": description or f"measured on {environment.host}",
        "kind": "measured",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "processor": {
            "model": {"value": environment.cpu_model, "source": "/proc/cpuinfo"},
            **_cores(environment),
        },
        "memory": {"capacity": {"value": environment.memory_bytes, "unit": "B", "source": "/proc/meminfo"}},
    }
    for probe in programs.known("probe"):
        own = [record for record in usable if record.program == probe.name]
        analysis = probe.source / "distil.py"
        if own and analysis.is_file():
            merge(machine, load_module(analysis).distil(own))
    return machine
