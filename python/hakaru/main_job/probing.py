"""Runs the probes and distils the machine file."""

import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.consistency import Contradiction
from hakaru.facts.machines.settle import ATTEMPTS, refusal, settle
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.work import Parameters
from hakaru.run.campaign.plan import Layout, Plan, make_plan
from hakaru.run.campaign.progress import Progress
from hakaru.run.campaign.runner import require_complete, run_plan

REPEATS = 1  # a probe takes its own samples within one launch


def probe_plan(
    names: list[str] | None = None,
    preset: str | None = None,
    parameters: Mapping[str, Parameters] | None = None,
) -> Plan:
    """One launch of every probe (or the named ones): on one rank, or on two where a probe needs messages.

    ``parameters``: of a probe by its name, where they are not the usual ones.
    """
    chosen = [programs.listed(name) for name in names] if names else programs.known("probe")
    strangers = set(parameters or ()) - {probe.name for probe in chosen}
    if strangers:
        raise UserError(
            f"parameters are given for '{min(strangers)}'",
            "it is none of the probes that run",
            f"name one of {', '.join(probe.name for probe in chosen)}",
        )
    runs = [
        {
            "program": probe.name,
            "layouts": [Layout(2 if probe.needs_mpi else 1, 1)],
            "preset": preset,
            "parameters": dict((parameters or {}).get(probe.name, {})),
        }
        for probe in chosen
    ]
    return make_plan(
        {"name": "probes", "repeats": REPEATS, "most_repeats": REPEATS, "runs": runs, "timeout_s": 300.0},
        "the probe plan",
    )


def probe_machine(
    store: RecordStore,
    plan: Plan,
    output: Path | None = None,
    name: str | None = None,
    campaign: str | None = None,
    progress: Progress | None = None,
) -> tuple[Machine, Path, list[Contradiction]]:
    """Runs probes, writes the machine file; returns the machine, where it is, and what was refused.

    Probes whose facts contradict each other are run again; what stays contradictory is told and not written.

    With a ``campaign`` an interrupted probing goes on; without one every probe is run anew. Facts of probes that the plan leaves out
    come from the newest earlier record of each.
    """
    campaign = campaign or f"probes-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    outcome = run_plan(plan, store, campaign, progress)
    require_complete(outcome)

    def again(probes: list[str], attempt: int) -> list[Record]:
        runs = [run for run in plan.runs if run.program in probes]
        if not runs:
            return []
        told(f"measuring {', '.join(run.program for run in runs)} again ({attempt} of {ATTEMPTS})")
        repeated = run_plan(
            plan.model_copy(update={"runs": runs}), store, f"{campaign}-again-{attempt}", progress
        )
        return [record for record in repeated.records if record.ok]

    told = progress.say if progress else _say
    known = {record.program: record for record in newest_probes(store, outcome.records)}
    machine, refused = settle(known, again, name or platform.node(), told)
    if refused:
        told(
            f"{refusal(refused)} (something else used the machine while it was probed); these facts are not written; "
            "probe again when it is at rest"
        )
    path = output or store.folder / "machine.toml"
    machine.save(path)
    return machine, path, refused


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def newest_probes(store: RecordStore, fresh: list[Record]) -> list[Record]:
    """The fresh records, and for every other probe the newest good record of this host."""
    chosen = {
        record.program: record
        for record in store.all(command="run", status="ok")
        if record.kind == "probe" and record.environment.host == platform.node()
    }
    return list((chosen | {record.program: record for record in fresh}).values())
