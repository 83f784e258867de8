"""Studies of layouts on clusters of multicore nodes: flat or hybrid, with and without noise, with all cores or one kept free; by replay.

Computing runs at a published rate of a core; a team of threads adds ``fork_s`` to each sweep, or to each row where the compiler has
parallelised the innermost loop. Noise: the published share of a node's time that daemons take from a team of all cores, as detours of one
length; a rank of T of C cores meets T / C of them, since each of its threads holds it up. A core that is kept free takes them all.
"""

import statistics
from dataclasses import dataclass

from msgspec.structs import replace

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.network import Level, SizeClass
from hakaru.foretell.replay.documents.options import Noise
from hakaru.foretell.replay.network import network_plan
from hakaru.studies import daemons
from hakaru.studies.analyses import Context
from hakaru.studies.replays import Bench, Replayed, flops_only, machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from . import gathering
from .settings import Layout, Settings, Stretch

QUIET = "quiet"
SEEDS = (1, 2, 3)
NOISE = "noise.share"


@dataclass(frozen=True)
class Case:
    """One layout on so many nodes; ``replayed`` by name of the noise."""

    nodes: int
    layout: Layout
    iterations: int
    replayed: dict[str, Replayed]

    def iteration_s(self, noise: str) -> float:
        return self.replayed[noise].time_s / self.iterations


def run(study: Study[Settings], context: Context) -> Result:
    settings = study.settings
    machine = machine_named(settings.machine)
    result, refused = Result(basis=study.basis), []
    cases: dict[tuple[int, str], Case] = {}
    for nodes in settings.nodes:
        for layout in settings.layouts:
            try:
                cases[nodes, layout.name] = replayed_case(study, context, machine, nodes, layout)
            except UserError as error:
                refused.append(f"{layout.name} on {units.count(nodes, 'node')}: {error}")
    if not cases:
        raise UserError("no layout could be replayed", refused[0], "mend study.toml")
    result.add(rows(study, cases))
    result.sections = sections(study, cases)
    result.sections[0].words += refused
    result.summary = summary(study, result, cases)
    gathered = gathered_cases(study, context, machine)
    result.add(gathering.rows(gathered))
    result.sections.append(gathering.section(gathered, settings.noise.share))
    result.summary += gathering.summary(gathered)
    result.assumptions = list(settings.assumptions)
    return result


def replayed_case(
    study: Study[Settings], context: Context, machine: Machine, nodes: int, layout: Layout
) -> Case:
    settings, program = study.settings, study.programs[0]
    bench = bench_of(study, context, nodes, layout)
    network = network_of(settings, machine, nodes, layout)
    iterations = int(program.parameters["iterations"])
    found = {QUIET: bench.timed(network, options(study, bench, layout, iterations))}
    for noise in settings.noise.lengths:
        found[noise.name] = noisy(study, bench, network, layout, iterations, noise.length_s)
    return Case(nodes, layout, iterations, found)


def bench_of(
    study: Study[Settings], context: Context, nodes: int, layout: Layout, iterations: int | None = None
) -> Bench:
    """``iterations``: None for those of the study's program."""
    settings, program = study.settings, study.programs[0]
    ranks = nodes * layout.ranks_per_node
    context.say(f"{layout.name}: {units.count(nodes, 'node')}, {units.count(ranks, 'rank')}")
    if iterations is not None:
        program = program.with_parameters({"iterations": iterations})
    schedule = context.schedule_of(program.changed(ranks=ranks))
    return Bench(context.engine, schedule, settings.network, settings.links)


def network_of(settings: Settings, machine: Machine, nodes: int, layout: Layout) -> Network:
    ranks = nodes * layout.ranks_per_node
    network = network_plan(machine, settings.network, ranks, layout.threads, layout.ranks_per_node).network
    inside = Level(
        latency_s=settings.inside.latency_s,
        gap_per_byte=(SizeClass(value_s=1.0 / settings.inside.bytes_per_s),),
    )
    return replace(network, levels=network.levels | {"core": inside})


def gathered_cases(study: Study[Settings], context: Context, machine: Machine) -> list[gathering.Case]:
    """Without those whose replay would be too long."""
    settings = study.settings
    layouts = [one for one in settings.layouts if one.name in settings.gathering.layouts]
    cases = [
        gathered_case(study, context, machine, nodes, layout, length)
        for nodes in settings.gathering.nodes
        for layout in layouts
        for length in settings.gathering.lengths
    ]
    return [case for case in cases if case is not None]


def gathered_case(
    study: Study[Settings], context: Context, machine: Machine, nodes: int, layout: Layout, length: Stretch
) -> gathering.Case | None:
    settings, ranks = study.settings, nodes * layout.ranks_per_node
    if ranks > settings.gathering.most_ranks:
        return None
    share, fewest = settings.noise.share, int(study.programs[0].parameters["iterations"])
    network = network_of(settings, machine, nodes, layout)

    def times_s(iterations: int, *noises: Noise | None) -> list[float]:
        bench = bench_of(study, context, nodes, layout, iterations)
        asked = options(study, bench, layout, iterations)
        return [bench.timed(network, replace(asked, noise=one)).time_s for one in noises]

    iteration_s = times_s(fewest, None)[0] / fewest
    iterations = gathering.iterations(fewest, iteration_s, length.length_s / share, length.periods)
    if iterations * ranks > settings.gathering.most:
        return None
    name = f"gathering/{nodes}/{layout.name}/{length.name}"
    part = layout.threads / settings.noise.cores
    noises = daemons.noises(length.length_s, share, SEEDS, part)
    quiet_s, *noisy_s = times_s(iterations, None, *noises)
    lost = daemons.lost(name, quiet_s, noisy_s)
    return gathering.Case(nodes, layout.name, length.name, iterations, iteration_s, lost)


def options(study: Study[Settings], bench: Bench, layout: Layout, iterations: int) -> Options:
    return Options(
        roofline=flops_only(core_rate(study) * layout.threads),
        sharing=bench.links,
        fork_s=team_cost_s(study, bench, layout, iterations) or None,
    )


def core_rate(study: Study[Settings]) -> float:
    """flop/s of a core in this program, as published."""
    where = study.settings.rate
    return 1e6 * study.published.number(where.table, where.key, where.row, where.column)


def team_cost_s(study: Study[Settings], bench: Bench, layout: Layout, iterations: int) -> float:
    """Of one sweep. Rows of the rank that has most points: its operations of a sweep over those of a row."""
    if layout.threads == 1:
        return 0.0
    where = study.settings.fork
    region_s = 1e-6 * study.published.number(where.table, where.key, where.row, where.column)
    regions = 1.0
    if layout.forks == "row":
        regions = bench.flops / iterations / study.settings.row_flops
    return regions * region_s * layout.fork_factor


def noisy(
    study: Study[Settings], bench: Bench, network: Network, layout: Layout, iterations: int, length_s: float
) -> Replayed:
    """The run of median time of three seeds; without noise where a core is kept free for it."""
    asked = options(study, bench, layout, iterations)
    if layout.spare_cores > 0:
        return bench.timed(network, asked)
    noise = study.settings.noise
    of_node = noise.share / length_s
    rate = of_node * layout.threads / noise.cores
    runs = []
    for seed in SEEDS:
        noisy_options = replace(asked, noise=daemons.random(rate, length_s, seed))
        runs.append(bench.timed(network, noisy_options))
    return sorted(runs, key=lambda one: one.time_s)[len(runs) // 2]


def rows(study: Study[Settings], cases: dict[tuple[int, str], Case]) -> list[Row]:
    found = []
    for (nodes, name), case in cases.items():
        for noise in case.replayed:
            found.append(Row(f"iteration/{nodes}/{name}/{noise}", None, case.iteration_s(noise), "s"))
        computing = case.replayed[QUIET].shares["compute"]
        found.append(Row(f"communication/{nodes}/{name}", None, 1.0 - computing, "1"))
    whole = next(
        (c for (n, _), c in cases.items() if n == 1 and c.layout.threads == study.settings.noise.cores),
        None,
    )
    if whole:
        lost = [
            whole.iteration_s(one) / whole.iteration_s(QUIET) - 1.0 for one in whole.replayed if one != QUIET
        ]
        stated = study.settings.noise.share
        found.append(Row("noise/one node/share", stated, statistics.median(lost), "1", of=(NOISE,)))
    return found


def sections(study: Study[Settings], cases: dict[tuple[int, str], Case]) -> list[Section]:
    names = [layout.name for layout in study.settings.layouts]
    noises = [QUIET, *(one.name for one in study.settings.noise.lengths)]
    shown = []
    for noise in noises:
        lines = [
            [
                str(nodes),
                *(
                    units.seconds(cases[nodes, name].iteration_s(noise)) if (nodes, name) in cases else ""
                    for name in names
                ),
            ]
            for nodes in study.settings.nodes
        ]
        title = (
            "Time of an iteration, no noise" if noise == QUIET else f"Time of an iteration, noise: {noise}"
        )
        shown.append(Section(title, [], [], ["nodes", *names], lines))
    lines = [
        [
            str(nodes),
            *(
                units.percent(1.0 - cases[nodes, name].replayed[QUIET].shares["compute"])
                if (nodes, name) in cases
                else ""
                for name in names
            ),
        ]
        for nodes in study.settings.nodes
    ]
    shown.append(Section("Time outside of computing, no noise", [], [], ["nodes", *names], lines))
    return shown


def summary(study: Study[Settings], result: Result, cases: dict[tuple[int, str], Case]) -> list[str]:
    lines = []
    for nodes in study.settings.nodes:
        here = {name: case for (n, name), case in cases.items() if n == nodes}
        if not here:
            continue
        best = {
            noise: min(here, key=lambda name, noise=noise: here[name].iteration_s(noise))
            for noise in next(iter(here.values())).replayed
        }
        told = "; ".join(f"{noise}: {name}" for noise, name in best.items())
        lines.append(f"{units.count(nodes, 'node')}: fastest, {told}.")
    return lines
