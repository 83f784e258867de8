"""One launch: start it, wait, publish its record, whatever happened."""

import contextlib
import json
import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import UserError
from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.facts.programs import Program
from hakaru.facts.records import Record, RecordStore, new_id
from hakaru.facts.records.power import Power
from hakaru.facts.records.provenance import Provenance
from hakaru.facts.records.record import Failure
from hakaru.run.campaign.plan import Point
from hakaru.run.launchers import Launch
from hakaru.run.launchers.here import launch_here
from hakaru.run.launchers.known import DIRECT
from hakaru.run.measuring import perform as measuring
from hakaru.run.measuring.launching import Asked
from hakaru.run.power.metering import metered

STANDARD_ERROR_KEPT = 4000  # characters
Starter = Callable[[Program, Point], Launch]  # how the ranks of a point are started


@dataclass(frozen=True)
class PreparedLaunch:
    """Everything needed to start one launch; ``line`` is what a person would type."""

    id: str
    program: Program
    launch: Launch
    command: list[str]
    line: str

    @property
    def how(self) -> dict[str, object]:
        """What a record's context says of its launch, for ``Launch.of_context``."""
        return {"launch_line": self.line, "launch": self.launch.as_dict()}


def start_here(program: Program, point: Point) -> Launch:
    """Raises UserError for a layout on several nodes."""
    layout = point.layout
    if layout.nodes > 1:
        raise UserError(
            f"{point.label} cannot be started here",
            "this is one host, and no job of a batch system",
            "submit the campaign: hakaru campaign FILE --submit",
        )
    return launch_here(mpi_flavour() if program.needs_mpi else DIRECT, layout.ranks, layout.threads)


def prepare(
    point: Point,
    store: RecordStore,
    campaign: str | None,
    context_file: Path | None = None,
    starter: Starter = start_here,
) -> PreparedLaunch:
    """The launch line of a point."""
    program = programs.named(point.program)
    if program.brings_launcher:
        return _prepare_typed(point, program, campaign)
    launch = starter(program, point)
    record_id = new_id(point.program)
    execution = point.execution(campaign)
    recorded = program.recorded(execution, store.incoming.resolve() / f"{record_id}.json", context_file)
    return PreparedLaunch(
        record_id, program, launch, launch.command(recorded), launch.line(program.line(execution))
    )


def _prepare_typed(point: Point, program: Program, campaign: str | None) -> PreparedLaunch:
    asked = Asked(program.file, dict(point.parameters), point.layout.ranks, point.layout.threads)
    line = asked.line()
    return PreparedLaunch(
        new_id(point.program), program, line.launch, line.words, line.launch.line(line.program)
    )


def perform(
    point: Point,
    store: RecordStore,
    campaign: str | None,
    provenance: Provenance | None,
    timeout_s: float,
    number: int = 0,
    starter: Starter = start_here,
) -> Record:
    """Launches a point and publishes its record, also when it failed. A KeyboardInterrupt ends the launch and leaves no record.
    ``number``: how many launches of the point there were before."""
    program = programs.named(point.program)
    if program.brings_launcher:
        layout = (point.layout.ranks, point.layout.threads)
        return measuring.perform(
            program, dict(point.parameters), layout, store, campaign, provenance, timeout_s, number
        )
    with _context_file(store) as file:
        prepared = prepare(point, store, campaign, file, starter)
        common = provenance.as_dict() if provenance else {}
        file.write_text(json.dumps(common | prepared.how))
        incoming = store.incoming / f"{prepared.id}.json"
        try:
            with metered(point.layout.nodes) as meters:
                ended = processes.run(
                    prepared.command,
                    prepared.launch.variables(),
                    timeout_s,
                    keep_output=prepared.program.tells_by_output,
                )
        except BaseException:
            incoming.unlink(missing_ok=True)
            raise
    limit_s = timeout_s if ended.timed_out else None
    return _publish(point, store, prepared, incoming, campaign, ended, limit_s, meters.power)


@contextlib.contextmanager
def _context_file(store: RecordStore) -> Iterator[Path]:
    """A name for the context in the incoming folder, removed afterwards."""
    path = store.incoming.resolve() / f".context-{platform.node()}-{os.getpid()}.json"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _publish(
    point: Point,
    store: RecordStore,
    prepared: PreparedLaunch,
    incoming: Path,
    campaign: str | None,
    ended: processes.Finished,
    time_limit_s: float | None,
    power: Power | None,
) -> Record:
    try:
        record = prepared.program.record(incoming, ended.output)
    except (OSError, ValueError):
        record = _missing_record(point, prepared, campaign, ended.status)
    if ended.status != 0 or time_limit_s is not None or not record.ok:
        reason = record.failure.reason if record.failure else f"ended with status {ended.status}"
        if time_limit_s is not None:
            reason = f"took longer than {time_limit_s:g} s and was ended"
        record = record.failed(reason, ended.status, ended.errors.strip()[-STANDARD_ERROR_KEPT:])
    record = store.write(record.with_power(power))
    incoming.unlink(missing_ok=True)
    return record


def _missing_record(point: Point, prepared: PreparedLaunch, campaign: str | None, status: int) -> Record:
    """A record for a launch that left none (a rank killed outright, a launcher that could not start)."""
    return Record.without_run(
        id=prepared.id,
        program=point.program,
        kind=prepared.program.kind,
        command=point.command,
        campaign=campaign,
        parameters=dict(point.parameters),
        work=point.work(),
        layout=(point.layout.ranks, point.layout.threads),
        context=prepared.how,
        failure=Failure(reason=f"ended with status {status}", exit_code=status, standard_error=""),
    )
