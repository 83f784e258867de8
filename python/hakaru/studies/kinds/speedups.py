"""Studies that publish how many times faster programs run on machines than on a base machine, from a simulator of messages.

The computing rate of each program, which the simulator took from traces, is found so that one machine (``fitted``) is as far from the base
as was published; the other machine (``predicted``) then follows. Nothing else is fitted to these ratios.
"""

import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from hakaru.facts.machines.facts import find, walk
from hakaru.facts.schedules import counts
from hakaru.studies.fit import rate_of_ratio
from hakaru.studies.kinds import Context
from hakaru.studies.replays import Bench, Replayed, computation_factor, machine_named
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

WORKERS = 2  # replays at a time
ASSUMED = "assumption"


@dataclass(frozen=True)
class Case:
    """One program: its replays by machine, its rate at computation_factor 1 in flop/s, and whether that was fitted."""

    program: dict[str, Any]
    bench: Bench
    counted: dict[str, float]
    rate: float
    fitted: bool
    replayed: dict[str, Replayed]

    @property
    def name(self) -> str:
        return self.program["application"]

    def ratio(self, base: str, machine: str) -> float:
        return self.replayed[base].time_s / self.replayed[machine].time_s


def run(study: Study, context: Context) -> Result:
    """Tables of ratios, communication and parts of time beside the published ones, then what the publication left open."""
    from hakaru.studies import beyond
    from hakaru.studies.kinds import _speedups_shown as shown

    cases = all_cases(study, context)
    result = Result()
    result.rows += ratio_rows(study, cases) + count_rows(study, cases) + part_rows(study, cases)
    result.assumptions = assumptions(study)
    result.summary = summary(result, study.settings["predicted"]["machine"])
    result.sections += shown.sections(study, cases, result)
    if study.settings.get("beyond"):
        context.say("beyond the publication")
        rows, sections = beyond.beyond(study, cases, context)
        result.rows += rows
        result.sections += sections
    return result


def here(study: Study, context: Context) -> Result:
    """The programs themselves on this machine."""
    from hakaru.studies.here import run_here

    return run_here(study, context)


def all_cases(study: Study, context: Context) -> list[Case]:
    def one(program: dict[str, Any]) -> Case:
        found = case(study, program, context)
        context.say(f"{found.name}: replayed on {len(found.replayed)} machines with {program['ranks']} ranks")
        return found

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, study.programs))


def case(study: Study, program: dict[str, Any], context: Context) -> Case:
    """One program's schedule, its rate, and its replays on the three machines."""
    settings = study.settings
    base, fitted = machine_named(settings["base"]), machine_named(settings["fitted"]["machine"])
    predicted = machine_named(settings["predicted"]["machine"])
    system = settings["run_time_system"] if program.get("run_time_system") else {}
    bench = Bench(
        context.engine,
        context.schedule_of(program),
        settings["network"],
        settings["links"],
        {key: system[key] for key in ("transfer_s", "collective_s") if key in system},
    )
    counted = counts.count(bench.document)
    talks = any(counted[name] for name in counts.COUNTS)
    rate = find(base, "compute.peak")["value"]
    if talks:
        wanted = study.published.number(
            settings["table"], "application", program["application"], settings["fitted"]["column"]
        )

        def ratio(flops_per_s: float) -> float:
            return bench.replay(base, flops_per_s).time_s / bench.replay(fitted, flops_per_s).time_s

        speed_up = computation_factor(base) / computation_factor(fitted)
        rate = rate_of_ratio(ratio, wanted, speed_up, rate)
    replayed = {machine["name"]: bench.replay(machine, rate) for machine in (base, fitted, predicted)}
    return Case(program, bench, counted, rate, talks, replayed)


def ratio_rows(study: Study, cases: list[Case]) -> list[Row]:
    rows = []
    for one in cases:
        for role in ("predicted", "fitted"):
            column, machine = study.settings[role]["column"], study.settings[role]["machine"]
            published = study.published.number(study.settings["table"], "application", one.name, column)
            kind = "fitted" if role == "fitted" and one.fitted else "prediction"
            ours = one.ratio(study.settings["base"], machine)
            rows.append(Row(f"table4/{one.name}/{machine}", published, ours, "times", kind))
    return rows


def count_rows(study: Study, cases: list[Case]) -> list[Row]:
    """What schedules do beside what the publication counted."""
    rows = []
    for one in cases:
        published = study.published.row(study.settings["counts"], "application", one.name)
        for name in (*counts.COUNTS, "message_size"):
            unit = "B" if name == "message_size" else "1"
            rows.append(
                Row(f"table5/{one.name}/{name}", float(published[name]), one.counted[name], unit, "measured")
            )
    return rows


def part_rows(study: Study, cases: list[Case]) -> list[Row]:
    """Parts of time as the publication states them: the overhead that is left, the share of the run-time system, the gain."""
    predicted, fitted = (study.settings[role]["machine"] for role in ("predicted", "fitted"))
    stated = {row["application"]: row for row in study.settings.get("stated", [])}
    rows = []
    for one in cases:
        facts = stated.get(one.name, {})
        before, after = one.replayed[fitted].parts_s["overhead"], one.replayed[predicted].parts_s["overhead"]
        if before > 0:
            rows.append(
                Row(f"figure6/{one.name}/overhead", facts.get("overhead"), after / before, "1", "prediction")
            )
        if one.fitted and one.bench.run_time_system:
            share = one.replayed[predicted].shares["runtime"]
            rows.append(
                Row(f"figure6/{one.name}/run-time system", facts.get("run_time_system"), share, "1", "fitted")
            )
    speed_up = 1.0 / computation_factor(machine_named(fitted))
    gains = [one.ratio(study.settings["base"], fitted) / speed_up for one in cases]
    if gains and "gain" in study.settings:
        rows.append(Row("statements/gain", study.settings["gain"], statistics.mean(gains), "1", "fitted"))
    return rows


def summary(result: Result, machine: str) -> list[str]:
    """Errors of what was predicted for a machine, in words."""
    errors = [abs(row.error) for row in result.of("table4/") if row.id.endswith(f"/{machine}")]
    fitted = [
        abs(row.error) for row in result.of("table4/") if row.kind == "fitted" and row.error is not None
    ]
    counted = [row for row in result.of("table5/") if row.published is not None]
    same = sum(abs(row.ours - row.published) <= max(0.5, 0.005 * row.published) for row in counted)
    lines = [
        f"Predicted ratios of {machine}: median error {statistics.median(errors):.1%}, largest {max(errors):.1%}, of {len(errors)}.",
        f"Communication counted in the schedules: {same} of {len(counted)} numbers as published (within 0.5 or 0.5 %).",
    ]
    if fitted:
        lines.insert(1, f"Fitted ratios: reached within {max(fitted):.1%}; they are no predictions.")
    return lines


def assumptions(study: Study) -> list[str]:
    """What is not published: of the study, and facts of its machines whose source says so."""
    texts = list(study.settings.get("assumptions", []))
    for name in (study.settings["base"], study.settings["predicted"]["machine"]):
        for path, entry in walk(machine_named(name)):
            if entry["source"].startswith(ASSUMED):
                reason = entry["source"].removeprefix(ASSUMED).lstrip(": ")
                texts.append(f"{name}: {path} = {entry['value']:g} {entry.get('unit', '')} ({reason})")
    return texts
