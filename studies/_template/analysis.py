"""How many times faster each program runs on a machine than on the base machine: its schedule, replayed on both."""

from hakaru.studies.analyses import Context
from hakaru.studies.replays import Bench, machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study


def run(study: Study, context: Context) -> Result:
    settings, result = study.settings, Result(basis=study.basis)
    for program in study.programs:
        name = program["application"]
        context.say(f"{name} on {program['ranks']} ranks")
        bench = Bench(context.engine, context.schedule_of(program), settings["network"], settings["links"])
        times = [
            bench.replay(machine_named(settings[role]), settings["flops_per_s"]).time_s
            for role in ("base", "machine")
        ]
        published = study.published.number(settings["table"], "application", name, settings["column"])
        result.add([Row(f"speed/{name}", published, times[0] / times[1], "times")])
    lines = [[row.id, number(row.published), number(row.ours), error(row), row.kind] for row in result.rows]
    result.sections = [Section("Speed", [], [], ["what", "published", "ours", "error", "kind"], lines)]
    result.assumptions = list(settings["assumptions"])
    return result
