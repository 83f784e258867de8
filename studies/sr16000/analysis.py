"""Studies that publish the time of one program in several ways of communicating, by size: replayed on one machine, and run here.

Computing rates are fitted (``rates``), each to the published time of one way and size, and hold up to a size; rows that the machine file's own
fits rest on are ``fitted`` too (``fitted``). Everything else is predicted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts import machines
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.network import Level, SizeClass
from hakaru.foretell.replay.levels import entries
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.replays import Bench, Replayed, flops_only, machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .here import here_rows
from .settings import Settings
from .shown import fastest_lines, times_section

ASSUMED, FIT = "assumption", "fit"
CLOSE = 1e-6  # relative, of the fitted time
MOST_STEPS = 8
CLOSE_ENOUGH = 0.1  # of a predicted time


Cell = tuple[int, str]  # size, way


@dataclass
class Machine:
    """The machine's network for the study's ranks, by way, and its computing rates in flop/s by the largest size that each holds for."""

    networks: dict[str, Network]
    links: str
    rates: dict[float, float] = field(default_factory=dict)

    def rate(self, n: int) -> float:
        return self.rates[min(size for size in self.rates if n <= size)]

    def replay(self, bench: Bench, cell: Cell, eager_limit: int | None = None) -> Replayed:
        n, way = cell
        network = self.networks[way]
        if eager_limit is not None:
            network = _levels(network, lambda level: replace(level, eager_limit_bytes=eager_limit))
        return bench.timed(network, Options(roofline=flops_only(self.rate(n)), sharing=self.links))


def _levels(network: Network, change: Callable[[Level], Level]) -> Network:
    return replace(network, levels={name: change(level) for name, level in network.levels.items()})


def started(network: Network, machine: machines.Machine) -> Network:
    """The network of messages that are started as requests: their overhead in place of a send's, up to where it is given."""
    own = [
        SizeClass(
            minimum_bytes=fact.keys["minimum_bytes"],
            maximum_bytes=fact.keys["maximum_bytes"],
            value_s=fact.value,
        )
        for fact in entries(machine, "node", "start_overhead")
    ]
    if not own:
        raise UserError(
            f"the machine '{machine.name}' does not say network.node.start_overhead",
            "the study has ways that start requests",
            "add the fact to its file",
        )
    most = own[-1].maximum_bytes

    def change(level: Level) -> Level:
        longer = [
            replace(one, minimum_bytes=max(one.minimum_bytes, most + 1))
            for one in level.send_overhead
            if one.maximum_bytes is None or one.maximum_bytes > most
        ]
        return replace(level, send_overhead=(*own, *longer))

    return _levels(network, change)


def run(study: Study[Settings], context: Context) -> Result:
    """Times by way and length beside the published ones, which way is fastest, and what the eager limit decides."""
    settings = study.settings
    benches = all_benches(study, context)
    ranks = study.programs[0].ranks
    found = machine_named(settings.machine)
    plan = network_plan(found, settings.network, ranks, 1, settings.ranks_per_node)
    networks = {
        one.way: started(plan.network, found) if one.starts else plan.network for one in settings.ways
    }
    machine = Machine(networks, settings.links)
    fit_rates(study, machine, benches)
    result = Result(basis=study.basis)
    times = {cell: machine.replay(bench, cell).time_s for cell, bench in benches.items()}
    result.add(time_row(study, *cell, time_s) for cell, time_s in times.items())
    for entry, rate in zip(settings.rates, machine.rates.values(), strict=True):
        result.add([Row(f"rate/{entry.n}", None, rate, "flop/s", of=(entry.name,))])
    result.add(eager_rows(study, machine, benches, times, context))
    result.sections = [times_section(study, result), eager_section(study, result)]
    lines, agreeing = fastest_lines(study, result)
    result.sections.append(Section("Which way is fastest", [], [], ["N", "published", "ours"], lines))
    result.summary = summary(result, agreeing, len(lines))
    result.assumptions = assumptions(study, found, plan.told.assumed)
    return result


def here(study: Study[Settings], context: Context) -> Result:
    return here_rows(study, context)


def all_benches(study: Study[Settings], context: Context) -> dict[Cell, Bench]:
    """The schedule of each way at each length. Raises UserError with the program's own words."""
    program, settings = study.programs[0], study.settings
    benches = {}
    for n in settings.lengths:
        context.say(f"N = {n}")
        for way in (one.way for one in settings.ways):
            asked = program.with_parameters({"n": n, "way": way}).changed(application=f"{way}-{n}")
            benches[n, way] = Bench(context.engine, context.schedule_of(asked))
    return benches


def published(study: Study[Settings], n: int, way: str) -> float | None:
    settings = study.settings
    column = next(one.column for one in settings.ways if one.way == way)
    rows = study.published.table(settings.table).rows
    return next((float(row[column]) for row in rows if row[settings.key] == n and column in row), None)


def fit_rates(study: Study[Settings], machine: Machine, benches: dict[Cell, Bench]) -> None:
    """The rates at which one time each is as published: what does not compute stays, so T - T_w + T_w' = wanted; a few steps end it."""
    for entry in study.settings.rates:
        n, way = cell = entry.n, entry.way
        wanted, bench = published(study, n, way), benches[cell]
        if wanted is None:
            raise UserError(
                f"there is no published time of {way} at {n}", "rates names it", "mend study.toml"
            )
        most = float(entry.up_to or "inf")
        machine.rates[most] = bench.flops / wanted
        for _ in range(MOST_STEPS):
            time_s, work_s = machine.replay(bench, cell).time_s, bench.flops / machine.rates[most]
            if abs(time_s / wanted - 1.0) < CLOSE:
                break
            rest_s = time_s - work_s
            if rest_s >= wanted:
                raise UserError(
                    "no rate gives the published time", "messages alone take longer", "mend study.toml"
                )
            machine.rates[most] = bench.flops / (wanted - rest_s)


def time_row(study: Study[Settings], n: int, way: str, time_s: float) -> Row:
    return Row(f"time/{n}/{way}", published(study, n, way), time_s, "s")


def eager_rows(
    study: Study[Settings], machine: Machine, benches: dict, usual: dict[Cell, float], context: Context
) -> list[Row]:
    """Blocking over persistent at published lengths when messages up to so many bytes are buffered. A limit that changes neither of both
    times from the ``usual`` ones gives nothing but their ratio."""
    rows = []
    for limit in study.settings.eager_limits:
        context.say(f"eager limit {limit} B")
        for row in study.published.table(study.settings.table).rows:
            n = row[study.settings.key]
            if (n, "blocking") not in benches:
                continue
            cells = [(n, way) for way in ("blocking", "persistent")]
            times = [machine.replay(benches[cell], cell, limit).time_s for cell in cells]
            same = times == [usual[cell] for cell in cells]
            of = tuple(f"time/{n}/{way}" for n, way in cells) if same else ()
            stated = [published(study, n, way) for way in ("blocking", "persistent")]
            rows.append(
                Row(f"eager/{limit}/{n}/ratio", stated[0] / stated[1], times[0] / times[1], "1", of=of)
            )
    return rows


def eager_section(study: Study[Settings], result: Result) -> Section:
    words = [
        "Time of blocking over persistent sends when messages up to the limit are buffered at the receiver, and longer ones wait for their receive."
    ]
    lines = []
    for row in result.of("eager/"):
        _, limit, n, _ = row.id.split("/")
        lines.append([units.capacity(int(limit)), n, f"{row.published:.3f}", f"{row.ours:.3f}"])
    return Section(
        "What the eager limit decides", words, [], ["eager limit", "N", "published", "ours"], lines
    )


def summary(result: Result, agreeing: int, ranges: int) -> list[str]:
    stated = [row for row in result.of("time/") if row.error is not None]
    predicted = [row for row in stated if row.kind == "prediction"]
    texts = [f"{row.id.removeprefix('time/')} {row.error:+.0%}" for row in predicted]
    within = [sum(abs(row.error) <= CLOSE_ENOUGH for row in rows) for rows in (stated, predicted)]
    return [
        f"Predicted times against the published ones: {', '.join(texts)}.",
        f"Within {CLOSE_ENOUGH:.0%}: {within[0]} of {len(stated)} stated times, {within[1]} of the {len(predicted)} predicted ones among them.",
        f"The fastest way is as published in {agreeing} of {ranges} ranges, of which two gave the eager limit.",
    ]


def assumptions(study: Study[Settings], machine: machines.Machine, assumed: list[str]) -> list[str]:
    """Those of the study, facts of the machine that are fitted or assumed, and what the replay took where the machine says nothing."""
    texts = list(study.settings.assumptions)
    for path, fact in machine.walk():
        if fact.source.startswith((ASSUMED, FIT)):
            texts.append(f"{path} = {fact.value:g} {fact.unit or ''} ({fact.source})")
    return texts + assumed
