"""The page of the study: overheads, bandwidths, latencies, ours first."""

from collections.abc import Mapping

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.studies.conclusions import FAILS, HOLDS, LITTLE, OPEN
from hakaru.studies.result import Section
from hakaru.studies.study import Study

from . import rules
from .settings import Settings
from .systems import CONSTRUCTS, Bandwidth, Here, Overheads

SHORT = {HOLDS: "yes", FAILS: "no", OPEN: "open"}
PUBLISHED = {"parallel_for": "PARALLEL DO", "for": "DO", "barrier": "BARRIER", "reduction": "REDUCTION"}


def overheads_section(here: Here, stated: list[Overheads]) -> Section:
    section = Section(
        "What OpenMP's directives cost",
        [
            "By the definitions of the EPCC microbenchmarks.",
            f"A difference of less than {100 * (LITTLE - 1):.0f} % is little.",
            *(f"{rule.name.capitalize()}: {rule.words}" for rule in rules.OF_OVERHEADS),
        ],
        columns=[
            "system",
            "threads",
            *(PUBLISHED[one] for one in CONSTRUCTS.values()),
            *(rule.name for rule in rules.OF_OVERHEADS),
        ],
    )
    for one in (*here.overheads, *stated):
        whole = set(CONSTRUCTS.values()) <= one.seconds.keys()
        asked = [
            f"{rule.value(one):.2f} {SHORT[rule.verdict(one)]}" if whole and one.threads > 1 else ""
            for rule in rules.OF_OVERHEADS
        ]
        cells = [
            units.seconds(one.seconds[name]) if name in one.seconds else "" for name in CONSTRUCTS.values()
        ]
        section.lines.append([one.name, str(one.threads), *cells, *asked])
    return section


def bandwidth_section(here: Here, stated: list[Bandwidth]) -> Section:
    rule = rules.OF_BANDWIDTH[0]
    section = Section(
        "Memory bandwidth of a part and of the whole",
        [
            f"{rule.words} Parts are chips of a node; of PCs and of this machine they are cores. The published PCs have ranges: their upper ends."
        ],
        columns=["system", "parts", "one alone", "all", "of as many times one"],
    )
    own = [here.scaling] if here.scaling else []
    for one in (*own, *stated):
        told = f"{rule.value(one):.2f} {SHORT[rule.verdict(one)]}" if one.parts > 1 else ""
        cells = [units.quantity(value, "B/s") for value in (one.one, one.all)]
        section.lines.append([one.name, str(one.parts), *cells, told])
    return section


def totals_section(study: Study[Settings], here: Here) -> Section:
    section = Section(
        "STREAM",
        [
            "Published totals of whole machines; here the kernels by number of cores, by STREAM's count of bytes."
        ],
        columns=["system", "processor or kernel", "processors", "total", "each"],
    )
    for (kernel, cores), value in here.bandwidth.items():
        cells = [units.quantity(value, "B/s"), units.quantity(value / cores, "B/s")]
        section.lines.append(["here", kernel, str(cores), *cells])
    for row in study.published.table("published-examples").rows:
        total = 1e6 * float(row["total"])
        cells = [units.quantity(total, "B/s"), units.quantity(total / row["cpus"], "B/s")]
        section.lines.append([str(row["system"]), str(row["cpu"]), str(row["cpus"]), *cells])
    return section


def latency_section(here: Here, stated: Mapping[str, float]) -> Section:
    section = Section(
        "Latency of a load",
        ["Published: PRIMERGY RX200 S3 with Clovertown at 2.66 GHz, strides of 512 B."],
        columns=["level", "here", "published"],
    )
    for level in dict.fromkeys([*here.latency, *stated]):
        section.lines.append([level, _told(here.latency, level), _told(stated, level)])
    return section


def _told(seconds: Mapping[str, float], level: str) -> str:
    return units.seconds(seconds[level]) if level in seconds else ""


def failures_section(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section("What could not run", ["The rest went on."], [], ["probe", "why"], lines)
