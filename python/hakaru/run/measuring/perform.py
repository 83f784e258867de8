"""One launch of a point of a campaign whose program starts its ranks itself: from its words to its published record."""

from msgspec.structs import replace

from hakaru.base.errors import UserError
from hakaru.facts.programs import command as commands
from hakaru.facts.programs.command import KIND, Command
from hakaru.facts.records import Record, RecordStore, new_id
from hakaru.facts.records.provenance import Provenance, now_text
from hakaru.facts.records.record import Failure
from hakaru.facts.work import Scalar
from hakaru.run.measuring import environment, judging, place, recording
from hakaru.run.measuring.launching import Asked, launch, scratch
from hakaru.run.measuring.printed import NotFound
from hakaru.run.measuring.tracing import SHARE
from hakaru.run.power.metering import metered


def perform(
    program: Command,
    parameters: dict[str, Scalar],
    layout: tuple[int, int],
    store: RecordStore,
    campaign: str | None,
    provenance: Provenance | None,
    timeout_s: float,
    number: int = 0,
) -> Record:
    """``layout``: ranks and threads; ``number``: how many launches of this point there were before. A KeyboardInterrupt ends the launch and
    leaves no record."""
    file = program.file
    traced = file.trace and (number % SHARE == 0 or bool(file.time.region))
    asked = Asked(file, parameters, *layout, traced)
    name, started = new_id(file.name), now_text()
    context = provenance.as_dict() if provenance else {}
    try:
        line = asked.line()
        how = {"launch_line": line.launch.line(line.program), "launch": line.launch.as_dict()}
        with scratch(store, name) as folder:
            stolen = environment.steal_s()
            with metered(line.launch.nodes) as meters:
                left = launch(asked, line, folder, min(timeout_s, file.timeout_s))
            stolen = environment.steal_s() - stolen
            printed = _printed(asked, left)
            record = recording.make(name, asked, line, left, printed, started, campaign, context | how)
            record = record.with_power(meters.power)
            place.kept(file, left.place, store.folder / "kept" / name)
    except UserError as error:
        record = _refused(name, asked, campaign, context, error)
        stolen = 0.0
    return store.write(_with_steal(record, stolen))


def _printed(asked: Asked, left) -> judging.Printed | NotFound:
    if left.ended.stopped or left.ended.status != 0:
        return judging.Printed(None)
    try:
        if asked.file.time.region:
            recording.region_s(asked.file.time.region, left.seen)
        return judging.judge(asked.file, left.outputs, left.place, asked.texts)
    except NotFound as error:
        return error


def _with_steal(record: Record, stolen_s: float) -> Record:
    if not record.environment.known:
        return record
    return replace(record, environment=replace(record.environment, steal_s=max(stolen_s, 0.0)))


def _refused(name: str, asked: Asked, campaign: str | None, context: dict, error: UserError) -> Record:
    """The record of a launch that could not be started."""
    file = asked.file
    return Record.without_run(
        id=name,
        program=file.name,
        kind=KIND,
        command="run",
        campaign=campaign,
        parameters=commands.values_of(file, asked.parameters),
        work=commands.evaluated(file, asked.parameters, asked.ranks, asked.threads),
        layout=(asked.ranks, asked.threads),
        context=context,
        failure=Failure(reason=str(error), exit_code=error.exit_code, standard_error=""),
    )
