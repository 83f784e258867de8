"""The energy of jobs: by the batch system's accounting, by the meters of their nodes, else an estimate by a machine file, marked as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import resolve
from hakaru.facts.records import RecordStore
from hakaru.foretell.energy.facts import Energy
from hakaru.foretell.energy.facts import of as by_facts
from hakaru.run.batch.energy import NOT_ENDED, Accounted, TaskEnergy, of_tasks
from hakaru.run.batch.following import TaskState
from hakaru.run.batch.site import Site


@dataclass(frozen=True)
class JobEnergy:
    """``estimate`` only where nothing was measured; of the time between the first launch and the end of the last."""

    measured: TaskEnergy
    estimate: Energy | None
    machine: str = ""

    @property
    def words(self) -> str:
        """What is surest: accounting, then meters, then the estimate."""
        found = self.measured
        if isinstance(found.accounted, Accounted):
            return f"{units.quantity(found.accounted.joules, 'J')} ({found.accounted.source})"
        if found.launches_j is not None:
            return f"{units.quantity(found.launches_j, 'J')} in launches ({found.metered.scope}, {found.metered.meter})"
        if self.estimate:
            ends = " to ".join(
                units.quantity(one, "J") for one in (self.estimate.joules.low, self.estimate.joules.high)
            )
            return f"estimate {units.quantity(self.estimate.joules.value, 'J')} ({ends})"
        return "" if found.accounted == NOT_ENDED else "not available"

    @property
    def why(self) -> str:
        """Why it is no measured energy of the whole job; empty where it is one."""
        found = self.measured
        if isinstance(found.accounted, Accounted) or found.accounted == NOT_ENDED:
            return ""
        basis = f"; estimated by {self.estimate.fact} of {self.machine}" if self.estimate else ""
        node = "" if found.launches_j is not None else f"; nodes: {found.metered.words}"
        return f"{found.accounted}{node}{basis}"

    def as_dict(self) -> dict[str, Any]:
        found = self.measured
        known = isinstance(found.accounted, Accounted)
        estimate = self.estimate and {
            "joules": self.estimate.joules.as_dict(),
            "fact": self.estimate.fact,
            "machine": self.machine,
        }
        return {
            "accounted": found.accounted.as_dict() if known else None,
            "launches_j": found.launches_j,
            "launch": found.metered.as_dict(),
            "estimate": estimate,
            "unavailable": "" if known else found.accounted,
        }


def told_energies(store: RecordStore, states: Sequence[TaskState], site: Site) -> list[JobEnergy]:
    """In the order of ``states``. Raises UserError for a machine that the site names and that is none."""
    machine = machine_of(store, site)
    return [_told(one, machine) for one in of_tasks(store, states)]


def machine_of(store: RecordStore, site: Site) -> Machine | None:
    """The one that site.toml names, else the one that was probed into the results folder."""
    if site.machine:
        return Machine.load(resolve(site.machine, store.folder))
    try:
        return Machine.load(resolve("here", store.folder))
    except UserError:
        return None


def _told(one: TaskEnergy, machine: Machine | None) -> JobEnergy:
    if one.known or machine is None or one.busy_s <= 0.0:
        return JobEnergy(one, None)
    time_s = Span(value=one.busy_s, low=one.busy_s, high=one.busy_s)
    return JobEnergy(one, by_facts(machine, one.nodes, time_s), machine.name)
