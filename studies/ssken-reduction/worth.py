"""What the publication left open: what each way to reduce is worth to programs, by ranks and by the noise of their systems."""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.options import Noise, Roofline
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import network_plan
from hakaru.studies import daemons
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.replays import loop_schedule, machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Beyond, Loop, Settings
from .ways import (
    ADAPTERS,
    DOUBLE,
    EXACT,
    PLAIN,
    SWITCH,
    UNSTRUCK,
    WAYS,
    Prices,
    computing_s,
    depth,
    measured,
    network_by,
    prices,
)

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

QUIET = "no noise"
LOOP = "loop"
SEED = 20261128
WORKERS = 2
PAYS = (0.1, 0.01)  # shares of a program's time


@dataclass(frozen=True)
class Case:
    """The iterations of a program on so many ranks; ``exact``: the same with exact sums, ``single``: with sums of one number, as adapters
    and switches take as long for a few."""

    name: str
    ranks: int
    iterations: int
    plain: Path
    exact: Path
    single: Path

    def schedule(self, way: str) -> Path:
        return {PLAIN: self.plain, EXACT: self.exact}.get(way, self.single)


@dataclass(frozen=True)
class Bench:
    study: Study[Settings]
    context: Context
    asked: Beyond
    machine: Machine
    adapter: Machine

    def network(self, ranks: int) -> tuple[Network, Roofline, list[str]]:
        plan = network_plan(self.machine, "loggp", ranks, self.asked.threads, 1)
        rates = compute.rates(self.machine, plan.placement, ranks, Told())
        return (
            plan.network,
            Roofline(flop_rate=rates.flops_per_s, memory_bandwidth=rates.bytes_per_s),
            plan.told.assumed,
        )

    def prices(self, ranks: int) -> Prices:
        return prices(self.machine, self.network(ranks)[0], self.adapter, self.asked)

    def iteration_s(
        self, case: Case, way: str, noise: Noise | None = None, costs: Prices | None = None
    ) -> float:
        """By the mean end of the ranks: the last one's would add a detour that holds it when all is over."""
        network, roofline, _ = self.network(case.ranks)
        network = network_by(network, way, case.ranks, costs or self.prices(case.ranks))
        options = Options(roofline=roofline, noise=noise, sharing="none")
        found = self.context.engine.replay(case.schedule(way), network, options)
        return found.breakdown.finish.mean / case.iterations


def noise_of(asked: Beyond, length_s: float, seed: int = SEED) -> Noise:
    """Detours of one length that take the share of a rank's time, also from calls."""
    return daemons.random(asked.noise_share / length_s, length_s, seed, calls=True)


def noises(asked: Beyond) -> dict[str, Noise | None]:
    return {QUIET: None} | {units.seconds(length): noise_of(asked, length) for length in asked.detours_s}


def sums_between(ranks: int, iterations: int, compute_s: float, size: int) -> dict[str, Any]:
    """Computing and one sum, again and again."""
    body = [{"do": "compute", "seconds": compute_s}, {"do": "allreduce", "bytes": size}]
    return loop_schedule(body, ranks, iterations, f"a sum of {size} B every {compute_s:g} s on {ranks} ranks")


def iterations_of(schedule: dict[str, Any], times: int) -> dict[str, Any]:
    """The document with nothing but the loop of so many iterations, and no phases: what a program does before and after would count the
    more the fewer iterations are replayed. Raises UserError where a rank has no such loop, or several."""
    streams = []
    for stream in schedule["streams"]:
        loops = [one for one in stream["operations"] if one["do"] == "repeat" and one["times"] == times]
        if len(loops) != 1:
            raise UserError(
                f"the schedule of '{schedule['program']}' has {len(loops)} loops of {times} iterations",
                "a study of its iterations needs one",
                "choose other parameters in study.toml",
            )
        streams.append(stream | {"operations": without_phases(loops)})
    return schedule | {"phases": [], "streams": streams}


def without_phases(operations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = ({name: value for name, value in one.items() if name != "in"} for one in operations)
    return [
        one | ({"operations": without_phases(one["operations"])} if "operations" in one else {})
        for one in kept
        if one["do"] not in ("begin", "end")
    ]


def with_sums(schedule: Any, size_of: Callable[[int], int]) -> Any:
    """The document with other sizes of its allreduces."""
    if isinstance(schedule, list):
        return [with_sums(one, size_of) for one in schedule]
    if not isinstance(schedule, dict):
        return schedule
    changed = {name: with_sums(value, size_of) for name, value in schedule.items()}
    return changed | ({"bytes": size_of(changed["bytes"])} if changed.get("do") == "allreduce" else {})


def loop_case(bench: Bench, loop: Loop, ranks: int, iterations: int) -> Case:
    folder = bench.context.results / "studies" / bench.study.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"loop-{ranks}-{iterations}-{loop.compute_s:g}.schedule.json"
    path.write_text(json.dumps(sums_between(ranks, iterations, loop.compute_s, DOUBLE)))
    return case_of(bench, LOOP, ranks, iterations, path)


def app_case(bench: Bench, entry: Entry) -> Case:
    path = bench.context.schedule_of(entry)
    return case_of(bench, entry.application, entry.ranks, int(entry.parameters["iterations"]), path)


def case_of(bench: Bench, name: str, ranks: int, iterations: int, path: Path) -> Case:
    document = iterations_of(json.loads(path.read_text()), iterations)
    longer = bench.asked.exact_bytes // DOUBLE
    sizes = {"plain": lambda size: size, "exact": lambda size: longer * size, "single": lambda _: DOUBLE}
    paths = {kind: path.with_name(f"{kind}-{path.name}") for kind in sizes}
    for kind, size_of in sizes.items():
        paths[kind].write_text(json.dumps(with_sums(document, size_of)))
    return Case(name, ranks, iterations, **paths)


def beyond(study: Study[Settings], context: Context, result: Result) -> None:
    """Adds rows, sections and lines of the summary."""
    asked = study.settings.beyond
    if asked is None:
        return
    bench = Bench(study, context, asked, machine_named(asked.machine), machine_named(asked.adapter))
    cases = [loop_case(bench, asked.loop, *one) for one in asked.loop.sizes]
    cases += [app_case(bench, entry) for entry in asked.programs]
    result.add(price_rows(bench, asked.loop))
    for case in cases:
        context.say(f"{case.name} on {case.ranks} ranks")
        result.add(rows_of(bench, case))
    times = {row.id: row.ours or 0.0 for row in result.of("worth/")}
    result.sections += [
        price_section(bench),
        *worth_sections(bench, cases, times),
        sweep_section(bench, cases, times),
        noise_section(bench, asked.loop),
    ]
    result.summary += summary(bench, cases, times)
    result.assumptions += [*asked.assumptions, *bench.network(cases[0].ranks)[2]]


def met(case: Case, noise: Noise, iteration_s: float) -> float:
    """How many detours strike all ranks together, in the mean."""
    rate = sum(one.rate_per_s for one in noise.detours or ())
    return case.ranks * case.iterations * iteration_s * rate


def rows_of(bench: Bench, case: Case) -> list[Row]:
    """Time of an iteration by noise and way; not where so few detours strike that chance decides."""
    ways = [way for way in WAYS if way != UNSTRUCK]
    quiet = timed(bench, case, [(QUIET, None, way) for way in ways])
    hosts_s = quiet[0].ours or 0.0
    asked = [
        (name, noise, way)
        for name, noise in noises(bench.asked).items()
        if noise and met(case, noise, hosts_s) >= bench.asked.least_detours
        for way in WAYS
    ]
    return quiet + timed(bench, case, asked)


def at_once(do: Callable[[Asked], Answer], asked: Sequence[Asked]) -> list[Answer]:
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(do, asked))


def timed(bench: Bench, case: Case, asked: list[tuple[str, Noise | None, str]]) -> list[Row]:
    times_s = at_once(lambda one: bench.iteration_s(case, one[2], one[1]), asked)
    return [
        Row(f"worth/{case.name}/{case.ranks}/{name}/{way}", None, time_s, "s")
        for (name, _, way), time_s in zip(asked, times_s, strict=True)
    ]


def price_rows(bench: Bench, loop: Loop) -> list[Row]:
    return [
        Row(f"price/{ranks}/{way}", None, bench.prices(ranks).seconds(way, ranks), "s")
        for ranks, _ in loop.sizes
        for way in (PLAIN, EXACT, ADAPTERS, SWITCH)
    ]


def price_section(bench: Bench) -> Section:
    lines = []
    for ranks, _ in bench.asked.loop.sizes:
        costs = bench.prices(ranks)
        own = {way: costs.seconds(way, ranks) for way in (PLAIN, EXACT, ADAPTERS, SWITCH)}
        pays = [computing_s(own[PLAIN], own[SWITCH], share) for share in PAYS]
        even = [costs.switch_as_good_as(own[way], ranks) for way in (PLAIN, ADAPTERS)]
        lines.append(
            [
                str(ranks),
                str(depth(costs.radix, ranks)),
                *map(units.seconds, own.values()),
                *map(units.seconds, [*even, *pays]),
            ]
        )
    costs = bench.prices(bench.asked.loop.sizes[0][0])
    words = [
        f"One allreduce without noise. Hosts: a stage takes {units.seconds(costs.latency_s)} and the addition. Adapters: "
        f"{units.seconds(costs.adapters.start_s)} + {units.seconds(costs.adapters.stage_s)} log2 P, the line through the "
        f"times of {bench.asked.adapter_bytes} B on {bench.adapter.name}, whose adapters add. Switch: a message and "
        f"{units.seconds(costs.switch_s)} (assumed) for each of the switches of its way.",
        adapter_words(bench, costs),
        "Then: with how long a time of each switch it is no faster any more; and up to how much computing between two sums it spares "
        "so much of a program's time.",
    ]
    columns = [
        "ranks",
        "levels",
        PLAIN,
        EXACT,
        ADAPTERS,
        SWITCH,
        f"switch as {PLAIN}",
        f"switch as {ADAPTERS}",
    ]
    return Section("What one sum costs", words, [], columns, lines)


def adapter_words(bench: Bench, costs: Prices) -> str:
    """How far the line holds, and what hosts take where both were measured."""
    asked, name = bench.asked, bench.adapter.name
    added = measured(bench.adapter, asked.adapter_bytes)
    most = max(added)
    hosts_s = measured(bench.adapter, asked.host_bytes)[most]
    return (
        f"The line misses a measured time by {units.percent(costs.adapters.worst(added))} at most ({min(added)} to {most} nodes). "
        f"{name}'s hosts, which add {asked.host_bytes} B, take {units.seconds(hosts_s)} on {most} nodes, its adapters "
        f"{units.seconds(added[most])}: {hosts_s / added[most]:.1f} times less. This study's hosts are faster: they lose no time "
        "but that of messages."
    )


def gain(times: dict[str, float], prefix: str, way: str, over: str = PLAIN) -> float:
    """The share of the program's time that the way spares."""
    return 1.0 - times[f"{prefix}/{way}"] / times[f"{prefix}/{over}"]


def worth_sections(bench: Bench, cases: Iterable[Case], times: dict[str, float]) -> list[Section]:
    """A table for each program: ranks and noise down, ways across."""
    cases = list(cases)
    sections = []
    for name in dict.fromkeys(case.name for case in cases):
        lines = []
        for case in cases:
            for noise in noises(bench.asked) if case.name == name else ():
                prefix = f"worth/{name}/{case.ranks}/{noise}"
                if f"{prefix}/{PLAIN}" not in times:
                    continue
                own = [times.get(f"{prefix}/{way}") for way in WAYS]
                spared = [
                    gain(times, prefix, ADAPTERS),
                    gain(times, prefix, SWITCH),
                    gain(times, prefix, SWITCH, EXACT),
                ]
                lines.append(
                    [
                        str(case.ranks),
                        noise,
                        *("" if one is None else units.seconds(one) for one in own),
                        *map(units.percent, spared),
                    ]
                )
        columns = ["ranks", "noise", *WAYS, "adapters spare", "switch spares", "switch spares of exact"]
        words = [
            "Time of an iteration, and what of it is spared against sums by the hosts. Left out: noise of which the replay meets "
            f"fewer than {bench.asked.least_detours} detours."
        ]
        sections.append(Section(f"Worth to {name}", words, [], columns, lines))
    return sections


def sweep_section(bench: Bench, cases: list[Case], times: dict[str, float]) -> Section:
    """What the switch spares by its own time, without noise, at a middle number of ranks of each program."""
    lines = []
    for name in dict.fromkeys(case.name for case in cases):
        own = [case for case in cases if case.name == name]
        case = own[(len(own) - 1) // 2]
        hosts_s = times[f"worth/{name}/{case.ranks}/{QUIET}/{PLAIN}"]
        costs = [replace(bench.prices(case.ranks), switch_s=one) for one in bench.asked.switch_sweep_s]
        swept = at_once(lambda price, case=case: bench.iteration_s(case, SWITCH, None, price), costs)
        lines.append([name, str(case.ranks), *(units.percent(1.0 - one / hosts_s) for one in swept)])
    columns = ["program", "ranks", *map(units.seconds, bench.asked.switch_sweep_s)]
    words = [
        "What the switch spares of an iteration's time without noise, by the time that each switch takes."
    ]
    return Section("By the time of a switch", words, [], columns, lines)


def noise_section(bench: Bench, loop: Loop) -> Section:
    """What the switch spares of the loop's time by the share that noise takes and the length of its detours."""
    ranks, iterations = loop.sizes[min(1, len(loop.sizes) - 1)]
    case = loop_case(bench, loop, ranks, iterations)
    hosts_s = loop.compute_s + bench.prices(ranks).hosts_s(ranks)

    def spared(one: tuple[float, float]) -> str:
        noise = noise_of(msgspec.structs.replace(bench.asked, noise_share=one[1]), one[0])
        if met(case, noise, hosts_s) < bench.asked.least_detours:
            return "too few detours"
        times = {way: bench.iteration_s(case, way, noise) for way in (PLAIN, SWITCH)}
        return f"{units.percent(1.0 - times[SWITCH] / times[PLAIN])} of {units.seconds(times[PLAIN])}"

    asked = [(length, share) for length in bench.asked.detours_s for share in bench.asked.noise_sweep]
    told = dict(zip(asked, at_once(spared, asked), strict=True))
    lines = [
        [units.seconds(length), *(told[length, share] for share in bench.asked.noise_sweep)]
        for length in bench.asked.detours_s
    ]
    columns = [
        "detours",
        *(f"noise takes {units.digits(100.0 * share)} %" for share in bench.asked.noise_sweep),
    ]
    words = [
        f"What the switch spares of an iteration of the loop ({units.seconds(loop.compute_s)} of computing and a sum) on {ranks} ranks."
    ]
    return Section("By noise", words, [], columns, lines)


def summary(bench: Bench, cases: list[Case], times: dict[str, float]) -> list[str]:
    """By noise: what the switch spares at most and at least of a program's time, and where."""
    lines = []
    for noise in noises(bench.asked):
        found = {
            f"{case.name} on {case.ranks}": gain(times, f"worth/{case.name}/{case.ranks}/{noise}", SWITCH)
            for case in cases
            if f"worth/{case.name}/{case.ranks}/{noise}/{PLAIN}" in times
        }
        if not found:
            continue
        most, least = max(found, key=found.__getitem__), min(found, key=found.__getitem__)
        lines.append(
            f"Sums in the switch instead of on the hosts, {noise}: {units.percent(found[least])} ({least}) to "
            f"{units.percent(found[most])} ({most}) of the time, median {units.percent(statistics.median(found.values()))}."
        )
    return lines
