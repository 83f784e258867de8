"""A replay, a sweep and a sensitivity in the terminal."""

from typing import Any

from hakaru.base import units
from hakaru.foretell.replay.basis import fact_lines

BAR = 40  # characters
MOST_PHASES = 12
PARTS = (
    ("compute", "computing", "█"),
    ("runtime", "inside collectives", "▓"),
    ("overhead", "sends and receives", "▒"),
    ("file", "files", "▚"),
    ("waiting", "waiting", "░"),
)


def bar(parts: dict[str, float], width: int = BAR) -> str:
    """One line of the parts' symbols in proportion; the parts that are there take at least one symbol each."""
    total = sum(parts.values())
    if total <= 0.0:
        return ""
    return "".join(
        symbol * (max(1, round(width * parts.get(name, 0.0) / total)) if parts.get(name) else 0)
        for name, _, symbol in PARTS
    )


def print_outcome(outcome: dict[str, Any]) -> None:
    from hakaru.base.tables import print_table

    given, placed = outcome["input"], outcome["placement"]
    nodes, ranks = units.count(placed["nodes"], "node"), units.count(given["ranks"], "rank")
    print(f"{given['name']}: {ranks} on {nodes} of {outcome['machine']}, network {outcome['network']}")
    if placed.get("attention"):
        print(f"ATTENTION: {placed['attention']}.")
    for change in outcome["set"]:
        print(f"  {told_change(change)}")
    print(f"Time {units.seconds(outcome['time_s'])}   {bar(outcome['breakdown_s'])}")
    total = outcome["time_s"] or 1.0
    rows = [
        [
            f"{symbol} {words}",
            units.seconds(outcome["breakdown_s"][name]),
            units.percent(outcome["breakdown_s"][name] / total),
        ]
        for name, words, symbol in PARTS
        if outcome["breakdown_s"].get(name) or name in ("compute", "waiting")
    ]
    print_table("Where the time goes", ["mean over ranks", "time", "share"], rows, right=(1, 2))
    print(f"{units.count(outcome['messages'], 'message')} of {units.capacity(outcome['bytes'])} in all")
    _print_phases(outcome, print_table)
    _print_efficiency(outcome["efficiency"], print_table)
    if path := outcome["critical_path_s"]:
        shares = ", ".join(
            f"{name} {units.percent(spent / total)}" for name, spent in path.items() if spent > 0.0
        )
        print(f"Critical path: {shares}.")
    print(f"Computing: {outcome['compute']['text']}.")
    print(f"Collectives: {collectives_text(outcome['collectives'])}.")
    if outcome["noise"]:
        print(f"Noise: {outcome['noise']['kind']}, seed {outcome['noise']['seed']}.")
    print_basis(outcome)


def collectives_text(collectives: dict[str, Any]) -> str:
    """Whose choice of algorithms, and what was asked for instead."""
    library = {"openmpi": "Open MPI", "mpich": "MPICH"}[collectives["decision"]]
    asked = [
        f"{name} {price.get('algorithm', 'by the measured table')}"
        for name, price in collectives.items()
        if name != "decision"
    ]
    return f"as {library} chooses by size and ranks" + (f", but {', '.join(asked)}" if asked else "")


def _print_phases(outcome: dict[str, Any], print_table) -> None:
    phases = [phase for phase in outcome["phases"] if phase["maximum_s"] > 0.0]
    if len(phases) < 2:
        return
    phases.sort(key=lambda phase: -phase["mean_s"])
    rows = [
        [phase["name"], phase["kind"], units.seconds(phase["mean_s"]), units.seconds(phase["maximum_s"])]
        for phase in phases[:MOST_PHASES]
    ]
    print_table("Phases", ["phase", "kind", "mean over ranks", "longest"], rows, right=(2, 3))


def _print_efficiency(found: dict[str, Any] | None, print_table) -> None:
    if not found:
        return
    names = ("load_balance", "serialisation", "transfer", "communication", "parallel")
    meaning = {
        "load_balance": "mean over longest computing time",
        "serialisation": "longest computing time over the time when messages cost nothing",
        "transfer": "time when messages cost nothing over the time",
        "communication": "serialisation x transfer",
        "parallel": "load balance x communication",
    }
    rows = [
        [name.replace("_", " "), "" if found[name] is None else units.percent(found[name]), meaning[name]]
        for name in names
    ]
    print_table(
        f"POP efficiencies (messages cost nothing: {units.seconds(found['ideal_time_s'])})",
        ["factor", "", "is"],
        rows,
        right=(1,),
    )


def told_change(change: dict[str, Any]) -> str:
    if "factor" in change:
        return f"{change['fact']} times {change['factor']:g}"
    value = change["value"]
    return f"{change['fact']} = {value if isinstance(value, str) else units.shown(value, change['unit'])}"


def print_basis(outcome: dict[str, Any]) -> None:
    """The facts it rests on, and what was assumed."""
    print("It rests on:")
    for line in fact_lines(outcome["facts"]):
        print(f"  {line}")
    for text in outcome["assumed"]:
        print(f"  assumed: {text}")


def print_sweep(sweep: dict[str, Any]) -> None:
    """One fact: a line for each value with a bar of its speed. Two: the fastest and the slowest fields."""
    from hakaru.base.tables import print_table

    axes, points = sweep["axes"], [point for point in sweep["points"] if point["time_s"] is not None]
    if not points:
        print("no replay had finished")
        return
    fastest = max(point["speed"] for point in points)
    if len(axes) == 2:
        chosen = sorted(points, key=lambda point: -point["speed"])
        points = chosen if len(chosen) <= 10 else chosen[:5] + chosen[-5:]
    rows = [
        [
            *[
                units.tick(units.shown(value, axis["unit"]))
                for axis, value in zip(axes, point["values"], strict=True)
            ],
            units.seconds(point["time_s"]),
            units.digits(point["speed"]),
            "█" * max(1, round(12 * point["speed"] / fastest)),
        ]
        for point in points
    ]
    title = "Speed, 1: the machine as it is" + (
        "" if len(axes) == 1 or len(sweep["points"]) <= 10 else "; the five fastest and the five slowest"
    )
    print_table(
        title,
        [*[axis["fact"] for axis in axes], "time", "speed", ""],
        rows,
        right=tuple(range(len(axes) + 2)),
        wrap=False,
    )
    if sweep["bound"]:
        print(f"Bound when messages cost nothing: speed {units.digits(sweep['bound'])}")


def print_sensitivity(found: dict[str, Any], base_s: float) -> None:
    from hakaru.base.tables import print_table

    rows = [row for row in found["rows"] if row["gain"] is not None]
    most = max((row["gain"] for row in rows), default=0.0)
    lines = [
        [
            row["fact"],
            units.seconds(row["time_s"]),
            units.percent(row["gain"]),
            "█" * max(1, round(30 * row["gain"] / most)) if most > 0.0 and row["gain"] > 0.0005 else "",
        ]
        for row in rows
    ]
    share = units.percent(found["improvement"])
    print_table(
        f"What each fact buys when it costs {share} less time (now {units.seconds(base_s)})",
        ["fact", "time", "gain", ""],
        lines,
        right=(1, 2),
    )
    if rows and rows[0]["gain"] > 0.0:
        print(f"{rows[0]['fact']} buys most.")
    if any(row["gain"] < -0.0005 for row in rows):
        print("A loss where a cost shrinks: messages then take shared links in another order.")
