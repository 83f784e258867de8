"""Studies that publish the time of one program in several ways of communicating, by size: replayed on one machine, and run here.

One number is fitted, the computing rate, from the published time of one way and size (``fit_rate``); rows that the machine file's own fits
rest on are ``fitted`` too (``fitted``). Everything else is predicted.
"""

from dataclasses import dataclass
from typing import Any

from hakaru import units
from hakaru.errors import UserError
from hakaru.replay.network import network_plan
from hakaru.studies.kinds import Context
from hakaru.studies.kinds._ways_here import here_rows
from hakaru.studies.kinds._ways_shown import fastest_lines, times_section
from hakaru.studies.kinds.speedups import ASSUMED
from hakaru.studies.replays import Bench, Replayed, machine_named, read
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

FIT = "fit"
CLOSE = 1e-6  # relative, of the fitted time
MOST_STEPS = 8


@dataclass
class Machine:
    """The machine's network for the study's ranks, and its computing rate in flop/s."""

    document: dict[str, Any]
    links: str
    rate: float = 0.0

    def replay(self, bench: Bench, eager_limit: int | None = None) -> Replayed:
        document = self.document
        if eager_limit is not None:
            levels = {
                name: level | {"eager_limit_bytes": eager_limit} for name, level in document["levels"].items()
            }
            document = document | {"levels": levels}
        options = {
            "roofline": {"flop_rate": self.rate, "memory_bandwidth": 1e30},
            "sharing": self.links,
        }
        return read(bench.engine.replay(bench.schedule, document, options, bench.part()))


def run(study: Study, context: Context) -> Result:
    """Times by way and length beside the published ones, which way is fastest, and what the eager limit decides."""
    settings = study.settings
    benches = all_benches(study, context)
    ranks = study.programs[0]["ranks"]
    found = machine_named(settings["machine"])
    plan = network_plan(found, settings["network"], ranks, 1, settings["ranks_per_node"])
    machine = Machine(plan.document, settings["links"])
    fit_rate(study, machine, benches)
    result = Result()
    for (n, way), bench in benches.items():
        result.rows.append(time_row(study, n, way, machine.replay(bench).time_s))
    result.rows.append(Row("rate", None, machine.rate, "flop/s", "fitted"))
    result.rows += eager_rows(study, machine, benches, context)
    result.sections = [times_section(study, result), eager_section(study, result)]
    lines, agreeing = fastest_lines(study, result)
    result.sections.append(Section("Which way is fastest", [], [], ["N", "published", "ours"], lines))
    result.summary = summary(result, agreeing, len(lines))
    result.assumptions = assumptions(study, found, plan.told.assumed)
    return result


def here(study: Study, context: Context) -> Result:
    return here_rows(study, context)


def all_benches(study: Study, context: Context) -> dict[tuple[int, str], Bench]:
    """The schedule of each way at each length. Raises UserError with the program's own words."""
    program, settings = study.programs[0], study.settings
    benches = {}
    for n in settings["lengths"]:
        context.say(f"N = {n}")
        for entry in settings["ways"]:
            parameters = program.get("parameters", {}) | {"n": n, "way": entry["way"]}
            asked = program | {"application": f"{entry['way']}-{n}", "parameters": parameters}
            benches[n, entry["way"]] = Bench(context.engine, context.schedule_of(asked))
    return benches


def published(study: Study, n: int, way: str) -> float | None:
    settings = study.settings
    column = next(entry.get("column") for entry in settings["ways"] if entry["way"] == way)
    rows = study.published.table(settings["table"])["rows"]
    return next((float(row[column]) for row in rows if row[settings["key"]] == n and column in row), None)


def fit_rate(study: Study, machine: Machine, benches: dict[tuple[int, str], Bench]) -> None:
    """The rate at which one time is as published: what does not compute stays, so T - T_w + T_w' = wanted; a few steps end it."""
    n, way = study.settings["fit_rate"]["n"], study.settings["fit_rate"]["way"]
    wanted, bench = published(study, n, way), benches[n, way]
    if wanted is None:
        raise UserError(f"there is no published time of {way} at {n}", "fit_rate names it", "mend study.toml")
    machine.rate = bench.flops / wanted
    for _ in range(MOST_STEPS):
        time_s, work_s = machine.replay(bench).time_s, bench.flops / machine.rate
        if abs(time_s / wanted - 1.0) < CLOSE:
            return
        rest_s = time_s - work_s
        if rest_s >= wanted:
            raise UserError(
                "no rate gives the published time", "messages alone take longer", "mend study.toml"
            )
        machine.rate = bench.flops / (wanted - rest_s)


def is_fitted(study: Study, n: int, way: str) -> bool:
    return {"n": n, "way": way} in [study.settings["fit_rate"], *study.settings.get("fitted", [])]


def time_row(study: Study, n: int, way: str, time_s: float) -> Row:
    kind = "fitted" if is_fitted(study, n, way) else "prediction"
    return Row(f"time/{n}/{way}", published(study, n, way), time_s, "s", kind)


def eager_rows(study: Study, machine: Machine, benches: dict, context: Context) -> list[Row]:
    """Blocking over persistent at published lengths when messages up to so many bytes are buffered."""
    rows = []
    for limit in study.settings.get("eager_limits", []):
        context.say(f"eager limit {limit} B")
        for row in study.published.table(study.settings["table"])["rows"]:
            n = row[study.settings["key"]]
            if (n, "blocking") not in benches:
                continue
            times = [machine.replay(benches[n, way], limit).time_s for way in ("blocking", "persistent")]
            stated = [published(study, n, way) for way in ("blocking", "persistent")]
            rows.append(
                Row(f"eager/{limit}/{n}/ratio", stated[0] / stated[1], times[0] / times[1], "1", "prediction")
            )
    return rows


def eager_section(study: Study, result: Result) -> Section:
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
    predicted = [row for row in result.of("time/") if row.kind == "prediction" and row.error is not None]
    texts = [f"{row.id.removeprefix('time/')} {row.error:+.0%}" for row in predicted]
    return [
        f"Predicted times against the published ones: {', '.join(texts)}.",
        f"The fastest way is as published in {agreeing} of {ranges} ranges.",
    ]


def assumptions(study: Study, machine: dict[str, Any], assumed: list[str]) -> list[str]:
    """Those of the study, facts of the machine that are fitted or assumed, and what the replay took where the machine says nothing."""
    from hakaru.machines.facts import walk

    texts = list(study.settings.get("assumptions", []))
    for path, entry in walk(machine):
        if entry["source"].startswith((ASSUMED, FIT)):
            texts.append(f"{path} = {entry['value']:g} {entry.get('unit', '')} ({entry['source']})")
    return texts + assumed
