"""The energy of jobs that have ended: what the batch system's accounting says, and what the meters of their nodes said of the launches.

Accounting is asked until it says something, since it may be late, and kept beside the submission then, since it forgets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.energies import Energies, energies
from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.run.batch import executor
from hakaru.run.batch.following import TaskState
from hakaru.run.batch.systems.known import batch_system

NOT_ENDED = "the job has not ended"


class Accounted(Strict):
    """The file ``energy-K.json`` of a task: J of all its nodes, as the command of ``source`` said."""

    joules: Positive
    source: Words


@dataclass(frozen=True)
class TaskEnergy:
    """``accounted``: by the batch system, or why it says nothing. ``launches``: the sum over launches on its nodes, as ``metered`` describes
    one. ``node_s``: nodes times the time between its first launch and the end of its last."""

    accounted: Accounted | str
    metered: Energies
    launches_j: float | None
    nodes: int
    busy_s: float

    @property
    def known(self) -> bool:
        return isinstance(self.accounted, Accounted) or self.launches_j is not None


def of_tasks(store: RecordStore, states: Sequence[TaskState]) -> list[TaskEnergy]:
    """In the order of ``states``; a batch system that does not answer is a reason and no error."""
    told: dict[tuple[str, str], dict | str] = {}
    return [_of_task(store, state, told) for state in states]


def _of_task(store: RecordStore, state: TaskState, told: dict) -> TaskEnergy:
    records = _records(store, state)
    metered = energies(records)
    totals = [one.power.total for one in records if one.power and one.power.total]
    whole = bool(records) and len(totals) == len(records)
    moments = sorted(moment for one in records for moment in (one.started, one.finished))
    return TaskEnergy(
        _accounted(state, told),
        metered,
        sum(total.joules for total in totals) if whole else None,
        state.submission.nodes,
        _between(moments[0], moments[-1]) if moments else 0.0,
    )


def _between(first: str, last: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def _records(store: RecordStore, state: TaskState) -> list[Record]:
    """Those that the task has published and that are here."""
    found = []
    for name in state.mark.records if state.mark else ():
        try:
            found.append(Record.read(store.path(name)))
        except (OSError, ValueError):
            continue
    return found


def _accounted(state: TaskState, told: dict) -> Accounted | str:
    file = state.folder / f"energy-{state.task}.json"
    if kept := _kept(file):
        return kept
    one = state.submission
    if not state.settled or one.id is None:
        return NOT_ENDED
    if (one.system, one.id) not in told:
        told[one.system, one.id] = _asked(one.system, one.id)
    answer = told[one.system, one.id]
    if isinstance(answer, str):
        return answer
    joules = answer.get((one.id, state.task)) or answer.get((one.id, None))
    if not joules:
        return f"the accounting of {batch_system(one.system).title} says no energy of this job"
    found = Accounted(joules=joules, source=batch_system(one.system).energy_command(one.id)[0])
    write_json_atomically(file, found.as_dict())
    return found


def _kept(file: Path) -> Accounted | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Accounted)
    except (OSError, msgspec.MsgspecError):
        return None


def _asked(system: str, id: str) -> dict | str:
    try:
        return executor.energies(batch_system(system), id)
    except UserError as error:
        return f"{error.problem}: {error.why}"
