"""Four kernels and six tuning cases, compiled and run here: where their cycles go, and what each case gains."""

import statistics
from collections.abc import Mapping
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.run.doctor.system import System
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import accounting, counters, places, rules, shown, variants
from .loops import NEAR, PARTS
from .rules import Finding
from .settings import Run, Settings
from .variants import Times, Variant

__all__ = ["Settings", "run"]

Failures = dict[str, UserError]
Shares = dict[Variant, dict[str, float]]


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on this machine; programs are kept in the results folder. Raises UserError when nothing can be compiled or two programs do not compute
    the same."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    wanted = settings.beyond or settings.trial
    caches = places.caches()
    built, bounds, failures = made(study, wanted, caches, context)
    times = variants.timed(built, bounds, wanted, caches, context.say)
    found = list(rules.findings(times))
    way, shares = by_events(built, wanted)
    result.rows = (
        time_rows(times) + part_rows(times) + wait_rows(times) + rule_rows(found) + event_rows(shares)
    )
    result.sections = [
        one for one in shown.sections(times, found, way, shares, caches, failures) if one.lines
    ]
    result.summary = [held(verdicts(found)), way]
    return result


def made(
    study: Study[Settings], wanted: Run, caches: places.Caches, context: Context
) -> tuple[dict[Variant, Path], Path, Failures]:
    """(programs that ran and have one result, the program of ceilings, failures by name)"""
    settings, folder = study.settings, context.results / "studies" / study.name
    jobs = list(variants.variants(settings, wanted, caches))
    context.say(f"compiling {len(jobs)} programs, unless {folder} has them")
    driver, bounds = variants.driver(folder), variants.ceilings(settings.flags, folder)
    built, failed = compilers.each(jobs, lambda one: variants.build(one, settings.flags, folder, driver))
    running, broken = variants.checked(built)
    failed |= broken
    if not running:
        raise UserError("no program could be compiled and run", str(next(iter(failed.values()))))
    return running, bounds, {one.name: error for one, error in failed.items()}


def time_rows(times: Times) -> list[Row]:
    rows = [
        Row(f"time/{one.name}", None, statistics.median(values), "s", "measured")
        for one, values in times.seconds.items()
    ]
    rows += [
        Row(f"barrier/{one.name}", None, statistics.median(values), "1", "measured")
        for one, values in times.waited.items()
    ]
    limits = times.ceilings.items()
    return rows + [
        Row(f"ceiling/{name}", None, statistics.median(values), "s", "measured") for name, values in limits
    ]


def part_rows(times: Times) -> list[Row]:
    """Shares of the cycles of each kernel."""
    return [
        Row(
            f"part/{kernel.name}/{part}/{name}",
            None,
            accounting.share(kernel, own, part).value,
            "1",
            "measured",
        )
        for kernel, name, own in accounting.kernels_of(times)
        for part in PARTS
    ]


def wait_rows(times: Times) -> list[Row]:
    """Shares of the time of each case that it waits for its data."""
    found = {one: accounting.wait_share(times, one) for one in times.seconds if one.size != NEAR}
    return [
        Row(f"wait/{one.name}", None, share.value, "1", "measured") for one, share in found.items() if share
    ]


def rule_rows(found: list[Finding]) -> list[Row]:
    return [
        Row(f"rule/{one.rule}/{one.column}", one.published, one.value.value, "1", "measured") for one in found
    ]


def event_rows(shares: Shares) -> list[Row]:
    return [
        Row(f"slots/{one.name}/{name}", None, value, "1", "measured")
        for one, own in shares.items()
        for name, value in own.items()
    ]


def verdicts(found: list[Finding]) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for one in found:
        told.setdefault(one.compiler, {})[f"{one.rule}, {one.size}" if one.size else one.rule] = one.verdict
    return told


def by_events(built: Mapping[Variant, Path], wanted: Run, system: System | None = None) -> tuple[str, Shares]:
    """(how cycles are accounted, in words; shares of slots of each program with one thread, where events can be counted)"""
    system = system or System()
    method = counters.method(system.root)
    without = "Cycles are accounted by ablation and by bounds"
    if method is None:
        return f"{without}: no top-down events of this processor are known or shown here.", {}
    if error := system.open_cycle_counter():
        return f"{without}: perf_event_open gives no counter (error {error}); see hakaru doctor.", {}
    words = [one.word for one in method.events]
    shares: Shares = {}
    try:
        for variant, path in built.items():
            if variant.threads == 1:
                found = variants.counted(path, variant, words, wanted.least_s)
                shares[variant] = method.shares(counters.read(found, method.events))
    except UserError as error:
        return f"{without}: {error}", {}
    return f"Cycles are accounted by {method.name}, and by ablation beside them.", shares
