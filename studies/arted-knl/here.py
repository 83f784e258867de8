"""The kernel of a study of scaling on this machine, by the bench that the study names, beside the published processors."""

import tempfile
from pathlib import Path

from hakaru.base import units
from hakaru.base.files import load_module
from hakaru.own.bench.runner import bench_folder
from hakaru.studies.analyses import Context
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Settings
from .shown import kernel_line, kernels

HERE = "this machine"


def here_rows(study: Study[Settings], context: Context) -> Result:
    """All cores: rates by variant, their gain, shares of the peak and changes by prefetch distance; ratios are medians of those in each round."""
    bench = load_module(bench_folder() / f"{study.settings.bench}.py")
    context.say("compiling the kernel's variants")
    with tempfile.TemporaryDirectory(prefix="hakaru-study-") as folder:
        measured = bench.measure(Path(folder))
    most = max(cores for _, cores in measured)
    result, lines, prefetch = Result(), [], []
    for (case, cores), found in measured.items():
        if cores != most:
            continue
        slow, fast = study.settings.variants[0], study.settings.variants[-1]
        chosen = {variant: found.interval(variant).value for variant in study.settings.variants}
        for variant, rate in chosen.items():
            result.rows.append(Row(f"here/{case}/{variant}", None, rate, "flop/s", "measured"))
        gain, share = found.ratio(fast, slow).value, found.ratio(fast, "fma_peak").value
        result.rows.append(Row(f"here/{case}/gain", None, gain, "1", "measured"))
        result.rows.append(Row(f"here/{case}/share of peak", None, share, "1", "measured"))
        lines.append(kernel_line(case, HERE, list(chosen.values()), gain, share))
        changes = {
            d: (found.ratio(f"prefetch_{d}", fast).value - 1.0) * chosen[fast] for d in bench.PREFETCH_BYTES
        }
        for distance, change in changes.items():
            result.rows.append(Row(f"here/{case}/prefetch {distance} B", None, change, "flop/s", "measured"))
        prefetch.append([case, HERE, *(signed(change) for change in changes.values())])
    published = kernels(study, lines)
    published.words.append(
        f"This machine: {units.count(most, 'core')}; its peak was measured in the same run."
    )
    result.sections = [published, prefetch_section(study, prefetch)]
    result.summary = [f"The kernel ran here on {units.count(most, 'core')}, {len(lines)} cases."]
    return result


def signed(change: float) -> str:
    return ("+" if change >= 0 else "-") + units.quantity(abs(change), "flop/s")


def prefetch_section(study: Study[Settings], here: list[list[str]]) -> Section:
    table = study.published.table(study.settings.prefetch)
    distances = sorted(
        (name for name in table.rows[0] if name.startswith("d")), key=lambda name: int(name[1:])
    )
    lines = [
        [row["case"], row["processor"], *(signed(1e9 * row[name]) for name in distances)]
        for row in table.rows
    ]
    columns = ["case", "processor", *(f"{name[1:]} B" for name in distances)]
    return Section(
        "Change by software prefetch, by distance",
        ["Against no software prefetch."],
        [],
        columns,
        lines + here,
    )
