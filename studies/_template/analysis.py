"""How many times faster each program runs on a machine than on the base machine: its schedule, replayed on both."""

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive
from hakaru.studies.analyses import Context
from hakaru.studies.kinds import Assumptions, Links, Network
from hakaru.studies.replays import Bench, machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study


class Settings(Strict):
    """[analysis] of study.toml. ``table`` of published.toml: ratios to the machine ``base``, of which ``machine`` is a ``column``;
    ``flops_per_s`` of a cell of the base machine."""

    table: str
    column: str
    base: str
    machine: str
    network: Network
    links: Links
    flops_per_s: Positive
    assumptions: Assumptions


def run(study: Study[Settings], context: Context) -> Result:
    settings, result = study.settings, Result(basis=study.basis)
    for program in study.programs:
        name = program.application
        context.say(f"{name} on {program.ranks} ranks")
        bench = Bench(context.engine, context.schedule_of(program), settings.network, settings.links)
        base, ours = (
            bench.replay(machine_named(machine), settings.flops_per_s).time_s
            for machine in (settings.base, settings.machine)
        )
        published = study.published.number(settings.table, "application", name, settings.column)
        result.add([Row(f"speed/{name}", published, base / ours, "times")])
    lines = [[row.id, number(row.published), number(row.ours), error(row), row.kind] for row in result.rows]
    result.sections = [Section("Speed", [], [], ["what", "published", "ours", "error", "kind"], lines)]
    result.assumptions = list(settings.assumptions)
    return result
