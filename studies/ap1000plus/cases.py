"""The programs: their schedules, their fitted rates, and their replays on the three machines."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from hakaru.facts.schedules import counts
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.replays import Bench, Replayed, computation_factor, machine_named
from hakaru.studies.study import Study

from .fit import rate_of_ratio
from .settings import Settings

WORKERS = 2  # replays at a time


@dataclass(frozen=True)
class Case:
    """One program: its replays by machine, its rate at computation_factor 1 in flop/s, and whether that was fitted."""

    program: Entry
    bench: Bench
    counted: dict[str, float]
    rate: float
    fitted: bool
    replayed: dict[str, Replayed]

    @property
    def name(self) -> str:
        return self.program.application

    def ratio(self, base: str, machine: str) -> float:
        return self.replayed[base].time_s / self.replayed[machine].time_s


def all_cases(study: Study[Settings], context: Context) -> list[Case]:
    def one(program: Entry) -> Case:
        found = case(study, program, context)
        context.say(f"{found.name}: replayed on {len(found.replayed)} machines with {program.ranks} ranks")
        return found

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, study.programs))


def case(study: Study[Settings], program: Entry, context: Context) -> Case:
    """One program's schedule, its rate, and its replays on the three machines."""
    settings = study.settings
    base, fitted = machine_named(settings.base), machine_named(settings.fitted.machine)
    predicted = machine_named(settings.predicted.machine)
    bench = Bench(
        context.engine,
        context.schedule_of(program),
        settings.network,
        settings.links,
        settings.run_time_system.calls if program.run_time_system else None,
    )
    counted = counts.count(bench.document)
    talks = any(counted[name] for name in counts.COUNTS)
    rate = base.number("compute.peak")
    if talks:
        wanted = study.published.number(
            settings.table, "application", program.application, settings.fitted.column
        )

        def ratio(flops_per_s: float) -> float:
            return bench.replay(base, flops_per_s).time_s / bench.replay(fitted, flops_per_s).time_s

        speed_up = computation_factor(base) / computation_factor(fitted)
        rate = rate_of_ratio(ratio, wanted, speed_up, rate)
    replayed = {machine.name: bench.replay(machine, rate) for machine in (base, fitted, predicted)}
    return Case(program, bench, counted, rate, talks, replayed)
