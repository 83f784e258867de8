"""What a publication of speed-ups left open: queues that overflow, no strides, shared links, barriers of groups, and the same programs on a
modern machine."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import msgspec

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.documents.network import Level, Price, PutGet
from hakaru.foretell.replay.documents.options import Roofline
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.put_get import queue as queue_of
from hakaru.studies.analyses import Context
from hakaru.studies.replays import machine_named
from hakaru.studies.result import Row, Section
from hakaru.studies.study import Study
from hakaru.tell import figure

from .cases import Case
from .settings import Beyond, Settings

WORKERS = 2
MODEL = "fat_tree"


def beyond(study: Study[Settings], cases: list[Case], context: Context) -> tuple[list[Row], list[Section]]:
    """Rows without published numbers, and their sections. Programs that do not communicate are left out."""
    talking = [one for one in cases if one.fitted]
    asked = study.settings.beyond
    rows: list[Row] = []
    sections: list[Section] = []
    makes = [_queues, _strides, _links, _modern]
    if any(one.name == asked.groups.application for one in talking):
        makes.append(partial(_groups, context))
    for make in makes:
        context.say(f"beyond the publication, {len(sections) + 1} of {len(makes)}")
        own, section = make(study, talking, asked)
        rows += own
        sections.append(section)
    return rows, sections


def _each(work, items: list) -> list:
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(work, items))


def _queues(study: Study[Settings], cases: list[Case], asked: Beyond) -> tuple[list[Row], Section]:
    """Speed against the depth of the message controller's queue, 1: endless."""
    name = study.settings.predicted.machine
    machine = machine_named(name)
    queue = queue_of(machine)

    def speeds(one: Case) -> list[float]:
        endless = one.replayed[name].time_s
        return [
            endless
            / one.bench.replay(
                machine, one.rate, Options(queue=msgspec.structs.replace(queue, words=words))
            ).time_s
            for words in asked.queue_words
        ]

    found = dict(zip([one.name for one in cases], _each(speeds, cases), strict=True))
    rows = [
        Row(f"beyond/queue/{program}/{words}", None, speed, "1")
        for program, values in found.items()
        for words, speed in zip(asked.queue_words, values, strict=True)
    ]
    picture = figure.picture(
        "queue",
        "Speed by the depth of the queue",
        "; ".join(
            f"{program} {units.digits(values[0])} at {asked.queue_words[0]} words"
            for program, values in found.items()
        ),
        lambda axes: _paint_queue(axes, asked.queue_words, found),
    )
    words = [
        f"The machine has {queue.words} words; a command takes {queue.words_per_command} (assumed), one that does not fit costs the "
        f"controller {units.seconds(queue.spill_time)} (assumed). The publication took queues as endless, and left this open.",
    ]
    lines = [[program, *[units.digits(value) for value in values]] for program, values in found.items()]
    columns = ["application", *[f"{words} words" for words in asked.queue_words]]
    return rows, Section(
        "Queues that overflow", words, [(picture, "Speed against an endless queue.")], columns, lines
    )


def _paint_queue(axes, words: list[int], found: dict[str, list[float]]) -> None:
    for (program, values), colour, marker in zip(found.items(), figure.SERIES, figure.MARKERS, strict=False):
        axes.plot(words, values, color=figure.color(colour), marker=marker, label=program)
    axes.set_xscale("log", base=2)
    axes.set_xticks(words, [str(one) for one in words])
    axes.set_xlabel("words of the queue")
    axes.set_ylabel("speed, 1: endless queue")
    figure.number_axis(axes.yaxis)
    figure.heading(axes, "Speed by the depth of the queue")
    figure.legend_below(axes)


def _strides(study: Study[Settings], cases: list[Case], _: Beyond) -> tuple[list[Row], Section]:
    """How many times longer programs take when every item of a strided transfer is a message."""
    names = [study.settings.predicted.machine, study.settings.base]
    strided = [one for one in cases if one.counted["puts"] + one.counted["gets"] > 0]

    def times(one: Case) -> list[float]:
        return [
            one.bench.replay(machine_named(name), one.rate, Options(strides=False)).time_s
            / one.replayed[name].time_s
            for name in names
        ]

    rows, lines = [], []
    for one, values in zip(strided, _each(times, strided), strict=True):
        rows += [
            Row(f"beyond/strides/{one.name}/{name}", None, value, "times")
            for name, value in zip(names, values, strict=True)
        ]
        lines.append([one.name, *[units.digits(value) for value in values]])
    words = [
        "Time with every item of a strided transfer as a message of its own, against strides in hardware: the publication only says that it is much worse."
    ]
    return rows, Section("Without strides", words, [], ["application", *names], lines)


def _links(study: Study[Settings], cases: list[Case], _: Beyond) -> tuple[list[Row], Section]:
    """How many times longer programs take when messages share the links of the torus."""
    name = study.settings.predicted.machine
    machine = machine_named(name)

    def times(one: Case) -> float:
        shared = one.bench.replay(machine, one.rate, Options(sharing="first_come")).time_s
        return shared / one.replayed[name].time_s

    found = list(zip(cases, _each(times, cases), strict=True))
    rows = [Row(f"beyond/links/{one.name}", None, value, "times") for one, value in found]
    words = [
        "Time when messages wait for the links of the torus, against free links (as everywhere else on this page)."
    ]
    lines = [[one.name, units.digits(value)] for one, value in found]
    return rows, Section("Shared links", words, [], ["application", name], lines)


# What a rank's block is and how puts are answered; and what barriers of groups are made of.
DECOMPOSITIONS = {
    "rows, messages": ({"decomposition": "rows", "acknowledgement": "messages"}, Options()),
    "rows, barrier of all": ({"decomposition": "rows", "acknowledgement": "barriers"}, Options()),
    "blocks, barriers of groups by hardware": (
        {"decomposition": "blocks", "acknowledgement": "barriers"},
        Options(),
    ),
    "blocks, barriers of groups by messages": (
        {"decomposition": "blocks", "acknowledgement": "barriers"},
        Options(collectives={"barrier": Price(algorithm="dissemination")}),
    ),
    "blocks, messages": ({"decomposition": "blocks", "acknowledgement": "messages"}, Options()),
}


def _groups(
    context: Context, study: Study[Settings], cases: list[Case], asked: Beyond
) -> tuple[list[Row], Section]:
    """Speed of a program in rows and in blocks of ranks, with barriers of all, of groups, or messages, against rows and messages."""
    group = asked.groups
    one = next(case for case in cases if case.name == group.application)
    names = [study.settings.base, study.settings.predicted.machine]
    questions = [(ranks, way, name) for ranks in group.ranks for way in DECOMPOSITIONS for name in names]
    schedules = {
        (ranks, way): context.schedule_of(one.program.changed(ranks=ranks, parameters=parameters))
        for ranks in group.ranks
        for way, (parameters, _) in DECOMPOSITIONS.items()
    }

    def seconds(question: tuple[int, str, str]) -> float:
        ranks, way, name = question
        bench = replace(one.bench, schedule=schedules[ranks, way])
        return bench.replay(machine_named(name), one.rate, DECOMPOSITIONS[way][1]).time_s

    times = dict(zip(questions, _each(seconds, questions), strict=True))
    rows, lines = [], []
    first = next(iter(DECOMPOSITIONS))
    for ranks in group.ranks:
        for way in DECOMPOSITIONS:
            speeds = {name: times[ranks, first, name] / times[ranks, way, name] for name in names}
            rows += [
                Row(f"beyond/groups/{one.name}/{ranks}/{way}/{name}", None, speed, "times")
                for name, speed in speeds.items()
            ]
            told = [units.digits(speed) for speed in speeds.values()]
            lines.append([str(ranks), way, *told, units.seconds(times[ranks, way, names[-1]])])
    words = [
        f"{one.name} on blocks of a grid of cells: halos a side of the block instead of a whole row (columns by strided PUT), twice the "
        "neighbours, and barriers of the cells of a row and of a column, which the publication's programs, cut in one direction, did not need. "
        f"Speed against {first}. Barriers by hardware cost what the barrier of all does (an assumption: the S-net serves groups too)."
    ]
    columns = ["cells", "blocks and answers", *names, f"time on {names[-1]}"]
    return rows, Section("Blocks and barriers of groups", words, [], columns, lines)


def software_and_hardware(machine: Machine, like: Machine, latency_s: float, byte_s: float) -> list[PutGet]:
    """PUT on a machine of today, by software and by hardware; a byte takes ``byte_s`` on the wire. Half of the published
    latency is taken as the processors' part, a quarter at each end; in hardware the instructions of ``like`` at this machine's clock."""
    end_s = latency_s / 4.0
    faster = like.number("processor.clock") / machine.number("processor.clock")
    names = ("put_prolog_time", "put_dma_set_time", "check_prolog_time", "recv_dma_set_time")
    scaled = {name: like.number(f"network.put_get.{name}") * faster for name in names}
    software = PutGet(
        hardware=False,
        put_msg_time=byte_s,
        put_prolog_time=end_s,
        intr_rtc_time=end_s,
        check_prolog_time=scaled["check_prolog_time"],
    )
    return [software, PutGet(hardware=True, put_msg_time=byte_s, **scaled)]


def _sooner(level: Level, by_s: float) -> Level:
    return msgspec.structs.replace(level, latency_s=max(level.latency_s - by_s, 0.0))


def _modern(study: Study[Settings], cases: list[Case], asked: Beyond) -> tuple[list[Row], Section]:
    """The same schedules on a machine of today, with PUT by software and by hardware, one rank on each node and all cores in use."""
    machine, like = machine_named(asked.modern), machine_named(study.settings.predicted.machine)

    def seconds(question: tuple[Case, int | None]) -> list[float]:
        one, ranks_per_node = question
        plan = network_plan(machine, MODEL, one.bench.ranks, 1, ranks_per_node)
        rates = compute.rates(machine, plan.placement, one.bench.ranks, Told())
        latency_s = machine.number("network.node.latency")
        widest = list(plan.network.levels.values())[-1]
        levels = {name: _sooner(level, latency_s / 2.0) for name, level in plan.network.levels.items()}
        roofline = Roofline(flop_rate=rates.flops_per_s, memory_bandwidth=rates.bytes_per_s)
        ways = software_and_hardware(machine, like, latency_s, widest.gap_per_byte[-1].value_s)
        networks = [msgspec.structs.replace(plan.network, levels=levels, put_get=way) for way in ways]
        options = Options(sharing="none", roofline=roofline)
        return [one.bench.timed(network, options).time_s for network in networks]

    base = study.settings.base
    questions = [(one, ranks) for one in cases for ranks in (1, None)]
    rows, lines = [], []
    for (one, ranks), (software, hardware) in zip(questions, _each(seconds, questions), strict=True):
        where = "1 rank a node" if ranks else "full nodes"
        rows += [
            Row(f"beyond/modern/{one.name}/{where}/gain of hardware PUT", None, software / hardware, "times"),
            Row(f"beyond/modern/{one.name}/{where}/time", None, hardware, "s"),
        ]
        old = one.replayed[base].time_s
        lines.append(
            [
                one.name,
                where,
                units.seconds(old),
                units.seconds(software),
                units.seconds(hardware),
                units.digits(software / hardware),
            ]
        )
    words = [
        f"The same schedules on {asked.modern}, computing by its roofline. Software: a quarter of the published latency is the "
        "sender's processor, a quarter interrupts the receiver. Hardware: the instructions of the AP1000+ at this machine's clock. "
        "Both are assumptions; reductions and barriers are messages here."
    ]
    columns = ["application", "placement", f"time on {base}", "PUT by software", "PUT by hardware", "gain"]
    return rows, Section("On a machine of today", words, [], columns, lines)
