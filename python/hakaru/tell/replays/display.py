"""A replay, a sweep and a sensitivity in the terminal."""

from collections.abc import Callable, Mapping

from hakaru.base import units
from hakaru.foretell.replay.basis import fact_lines
from hakaru.foretell.replay.documents import Answer, Sensitivity, Sweep
from hakaru.foretell.replay.documents.answer import Sends, Setting
from hakaru.foretell.replay.documents.network import Price
from hakaru.foretell.replay.documents.result import Efficiency
from hakaru.tell.charts._axes import shown_value

BAR = 40  # characters
MOST_PHASES = 12
LEAST_GAIN = 0.01
PARTS = (
    ("compute", "computing", "█"),
    ("runtime", "inside collectives", "▓"),
    ("overhead", "sends and receives", "▒"),
    ("file", "files", "▚"),
    ("waiting", "waiting", "░"),
)


def bar(parts: Mapping[str, float], width: int = BAR) -> str:
    """One line of the parts' symbols in proportion; the parts that are there take at least one symbol each."""
    total = sum(parts.values())
    if total <= 0.0:
        return ""
    return "".join(
        symbol * (max(1, round(width * parts.get(name, 0.0) / total)) if parts.get(name) else 0)
        for name, _, symbol in PARTS
    )


def print_answer(answer: Answer) -> None:
    from hakaru.base.tables import print_table

    given, placed = answer.input, answer.placement
    nodes, ranks = units.count(placed.nodes, "node"), units.count(given.ranks, "rank")
    print(f"{given.name}: {ranks} on {nodes} of {answer.machine}, network {answer.network}")
    print_attention(answer)
    for change in answer.set:
        print(f"  {told_change(change)}")
    print(f"Time {units.seconds(answer.time_s)}   {bar(answer.breakdown_s)}")
    if answer.sends:
        _print_sends(answer, answer.sends, print_table)
    _print_parts(answer, print_table)
    print(f"{units.count(answer.messages, 'message')} of {units.capacity(answer.bytes)} in all")
    _print_phases(answer, print_table)
    if answer.efficiency:
        _print_efficiency(answer.efficiency, print_table)
    if path := answer.critical_path_s:
        total = answer.time_s or 1.0
        shares = ", ".join(
            f"{name} {units.percent(spent / total)}" for name, spent in path.items() if spent > 0.0
        )
        print(f"Critical path: {shares}.")
    print(f"Computing: {answer.compute.text}.")
    print(f"Collectives: {collectives_text(answer.collectives)}.")
    if answer.noise:
        struck = ", also in calls of MPI" if answer.noise.calls else ""
        print(f"Noise: {answer.noise.kind}{struck}, seed {answer.noise.seed}.")
    print_basis(answer)


def print_attention(answer: Answer) -> None:
    for text in (*answer.input.warnings, answer.placement.attention):
        if text:
            print(f"ATTENTION: {text}.")


def _print_parts(answer: Answer, print_table: Callable) -> None:
    total = answer.time_s or 1.0
    rows = [
        [
            f"{symbol} {words}",
            units.seconds(answer.breakdown_s[name]),
            units.percent(answer.breakdown_s[name] / total),
        ]
        for name, words, symbol in PARTS
        if answer.breakdown_s.get(name) or name in ("compute", "waiting")
    ]
    print_table("Where the time goes", ["mean over ranks", "time", "share"], rows, right=(1, 2))


def _print_sends(answer: Answer, sends: Sends, print_table: Callable) -> None:
    named = {"nonblocking": "non-blocking"}.get(sends.way, sends.way)
    times = {
        "as they are": sends.as_they_are_s,
        f"{named}, waits after each exchange": sends.exchange_s,
        f"{named}, waits as late as dependences allow": answer.time_s,
    }
    rows = [
        [name, "cannot progress" if time_s is None else units.seconds(time_s), _less(time_s, sends)]
        for name, time_s in times.items()
    ]
    print_table(
        f"{units.count(sends.changed, 'blocking send')} changed", ["sends", "time", "less"], rows, (1, 2)
    )
    print(f"{sends_verdict(answer.time_s, sends)}.")


def _less(time_s: float | None, sends: Sends) -> str:
    base_s = sends.as_they_are_s
    return units.percent(1.0 - time_s / base_s) if time_s is not None and base_s else ""


def sends_verdict(late_s: float, sends: Sends) -> str:
    """In words; gains of less than ``LEAST_GAIN`` are none."""
    named = {"nonblocking": "Non-blocking"}.get(sends.way, sends.way.capitalize())
    base_s = sends.as_they_are_s
    if not sends.changed and sends.way == "nonblocking":
        return "No send blocks: there is nothing to change"
    if base_s is None:
        return f"{named} sends let it progress where messages are not buffered"
    late, exchange = (1.0 - time_s / base_s if base_s else 0.0 for time_s in (late_s, sends.exchange_s))
    if max(late, exchange) < LEAST_GAIN:
        return f"{named} sends would not pay here: less than {units.percent(LEAST_GAIN)}"
    if exchange < LEAST_GAIN:
        return (
            f"{named} sends would pay {units.percent(late)} here, but only where the memory of a message"
            " is left alone while its rank computes"
        )
    return f"{named} sends would pay here: {units.percent(exchange)} with waits after each exchange, {units.percent(late)} with late ones"


def collectives_text(collectives: Mapping[str, str | Price]) -> str:
    """Whose choice of algorithms, and what was asked for instead."""
    library = {"openmpi": "Open MPI", "mpich": "MPICH"}[collectives["decision"]]
    asked = [
        f"{name} {price.algorithm or 'by a table of times'}"
        for name, price in collectives.items()
        if name != "decision"
    ]
    return f"as {library} chooses by size and ranks" + (f", but {', '.join(asked)}" if asked else "")


def _print_phases(answer: Answer, print_table: Callable) -> None:
    phases = [phase for phase in answer.phases if phase.maximum_s > 0.0]
    if len(phases) < 2:
        return
    phases.sort(key=lambda phase: -phase.mean_s)
    rows = [
        [phase.name, phase.kind, units.seconds(phase.mean_s), units.seconds(phase.maximum_s)]
        for phase in phases[:MOST_PHASES]
    ]
    print_table("Phases", ["phase", "kind", "mean over ranks", "longest"], rows, right=(2, 3))


def _print_efficiency(found: Efficiency, print_table: Callable) -> None:
    meaning = {
        "load_balance": "mean over longest computing time",
        "serialisation": "longest computing time over the time when messages cost nothing",
        "transfer": "time when messages cost nothing over the time",
        "communication": "serialisation x transfer",
        "parallel": "load balance x communication",
    }
    factors = {name: getattr(found, name) for name in meaning}
    rows = [
        [name.replace("_", " "), "" if factors[name] is None else units.percent(factors[name]), words]
        for name, words in meaning.items()
    ]
    print_table(
        f"POP efficiencies (messages cost nothing: {units.seconds(found.ideal_time_s)})",
        ["factor", "", "is"],
        rows,
        right=(1,),
    )


def told_change(change: Setting) -> str:
    if change.factor is not None:
        return f"{change.fact} times {change.factor:g}"
    value = change.value
    return f"{change.fact} = {value if isinstance(value, str) else units.shown(value, change.unit)}"


def print_basis(answer: Answer) -> None:
    """The facts it rests on, and what was assumed."""
    print("It rests on:")
    for line in fact_lines(answer.facts):
        print(f"  {line}")
    for text in answer.assumed:
        print(f"  assumed: {text}")


def print_sweep(sweep: Sweep) -> None:
    """One fact: a line for each value with a bar of its speed. Two: the fastest and the slowest fields."""
    from hakaru.base.tables import print_table

    axes, points = sweep.axes, sweep.done
    if not points:
        print("no replay had finished")
        return
    fastest = max(point.speed for point in points)
    if len(axes) == 2:
        chosen = sorted(points, key=lambda point: -point.speed)
        points = chosen if len(chosen) <= 10 else chosen[:5] + chosen[-5:]
    rows = [
        [
            *[shown_value(axis, value) for axis, value in zip(axes, point.values, strict=True)],
            units.seconds(point.time_s),
            units.digits(point.speed),
            "█" * max(1, round(12 * point.speed / fastest)),
        ]
        for point in points
    ]
    title = "Speed, 1: the machine as it is" + (
        "" if len(axes) == 1 or len(sweep.points) <= 10 else "; the five fastest and the five slowest"
    )
    print_table(
        title,
        [*[axis.fact for axis in axes], "time", "speed", ""],
        rows,
        right=tuple(range(len(axes) + 2)),
        wrap=False,
    )
    if sweep.bound:
        print(f"Bound when messages cost nothing: speed {units.digits(sweep.bound)}")


def print_sensitivity(found: Sensitivity, base_s: float) -> None:
    from hakaru.base.tables import print_table

    rows = [row for row in found.rows if row.gain is not None]
    most = max((row.gain for row in rows), default=0.0)
    lines = [
        [
            row.fact,
            units.seconds(row.time_s),
            units.percent(row.gain),
            "█" * max(1, round(30 * row.gain / most)) if most > 0.0 and row.gain > 0.0005 else "",
        ]
        for row in rows
    ]
    share = units.percent(found.improvement)
    print_table(
        f"What each fact buys when it costs {share} less time (now {units.seconds(base_s)})",
        ["fact", "time", "gain", ""],
        lines,
        right=(1, 2),
    )
    if rows and rows[0].gain > 0.0:
        print(f"{rows[0].fact} buys most.")
    if any(row.gain < -0.0005 for row in rows):
        print("A loss where a cost shrinks: messages then take shared links in another order.")
