"""Programs whose computing is carried from where it was measured: SPEChpc from one memory node of cluster A, LULESH and kernels from here,
OpenSBLI from two nodes of its own machine."""

from collections.abc import Callable

from hakaru.foretell.replay.carried import Share, carried, share_of
from hakaru.studies.published import Cells
from hakaru.studies.result import Row
from hakaru.studies.study import Study

from .known import machine_of
from .settings import Linpack, Settings

A, B = "rrze-clustera-icelake", "rrze-clusterb-sapphire"
GRACE = "grace-superchip"
ELEMENT_ITERATIONS = 300
STREAMS = ("Copy", "Scale", "Add")


def rows(study: Study[Settings]) -> list[Row]:
    return [*spechpc(study), *lulesh(study), *opensbli(study), *linpack(study), *stream(study)]


def _share(machine: str, ranks: int) -> Share:
    """Of one rank, where so many start on nodes that are filled one after the other."""
    return share_of(machine_of(machine), ranks)


def spechpc(study: Study[Settings]) -> list[Row]:
    """From the fewest ranks on A, whose traffic is known, to more of A and to B: the work stays, and is divided by more ranks."""
    counts = {cells["program"]: cells for cells in study.published.table("cluster-a-counts").rows}
    base = _fewest(study.published.table("cluster-a-spechpc").rows, counts)
    found = []
    for cluster, machine in (("a", A), ("b", B)):
        for cells in study.published.table(f"cluster-{cluster}-spechpc").rows:
            start = base.get(cells["program"])
            if start is None:
                continue
            moved = counts[cells["program"]]["bytes"]
            time_s = _spread(start, cells, moved, _share(A, start["ranks"]), _share(machine, cells["ranks"]))
            name = cells["program"].removeprefix("SPEChpc 2021 ")
            found.append(Row(f"spechpc/{cluster}/{name}/{cells['ranks']}", cells["value"], time_s, "s"))
    return found


def _fewest(rows: tuple[Cells, ...], counts: dict[str, Cells]) -> dict[str, Cells]:
    """The row of each program on as many ranks as its counts are of."""
    return {
        cells["program"]: cells
        for cells in rows
        if cells["program"] in counts and counts[cells["program"]]["ranks"] == cells["ranks"]
    }


def _spread(start: Cells, wanted: Cells, moved: float, here: Share, there: Share) -> float:
    """A rank's part of the whole, carried, where the whole is divided by other ranks."""
    before = start["ranks"]
    return carried(start["value"], moved / before, here, there).value * before / wanted["ranks"]


def lulesh(study: Study[Settings]) -> list[Row]:
    """An element's time here, and its traffic on A, alone where one rank has the cache of a socket and full where all have it."""
    here, found = study.settings.here, []
    counts = {cells["size"]: cells for cells in study.published.table("cluster-a-lulesh-counts").rows}
    for cells in study.published.table("cluster-a-lulesh").rows:
        size = cells["size"]
        elements = size**3 * ELEMENT_ITERATIONS
        measured_s = here.lulesh_s[str(size)] * elements
        alone, full = counts[size]["bytes_alone"], counts[size]["bytes_full"]
        one, there = _share(A, 1), _share(A, cells["ranks"])
        core_s = carried(measured_s, alone, here.share, one).value - min(alone / one.bytes_per_s, measured_s)
        moved = alone if cells["ranks"] == 1 else full
        time_s = max(core_s, 0.0) + moved / there.bytes_per_s
        found.append(Row(f"lulesh/{size}/{cells['ranks']}", cells["value"], time_s, "s"))
    return found


def opensbli(study: Study[Settings]) -> list[Row]:
    """Strong scaling from its fewest nodes: computing is divided, messages are left out."""
    cells = study.published.table("archer2-opensbli").rows
    found = []
    for transport in ("OFI", "UCX"):
        own = sorted((one for one in cells if transport in one["input"]), key=lambda one: one["ranks"])
        start = own[0]
        for one in own:
            time_s = start["value"] * start["ranks"] / one["ranks"]
            found.append(Row(f"opensbli/{transport}/{one['ranks']}", one["value"], time_s, "s"))
    return found


def linpack(study: Study[Settings]) -> list[Row]:
    """A matrix product's share of the peak here, of the peak there."""
    share = study.settings.here.dgemm_share
    return [_linpack(study, entry, share) for entry in study.settings.linpack]


def _linpack(study: Study[Settings], entry: Linpack, share: float) -> Row:
    cells = study.published.table(entry.table).rows[entry.row]
    machine = machine_of(entry.machine)
    per_core = _share(entry.machine, machine.cores or entry.cores).flops_per_s
    if entry.clock_hz:
        per_core *= entry.clock_hz / machine.number("processor.clock")
    rate = share * per_core * entry.cores * entry.nodes
    published = 1e9 * cells["gflops"] if "gflops" in cells else cells["value"]
    return Row(f"linpack/{entry.table}/{entry.row}", published, rate, "flop/s")


def stream(study: Study[Settings]) -> list[Row]:
    """Copy, scale and add from the triad there, by their ratios here."""
    here = study.settings.here.stream
    triad = machine_of(GRACE).find("memory.bandwidth", kernel="triad", cores=144).value
    value: Callable[[str], float] = lambda name: study.published.number(  # noqa: E731
        "grace-stream", "program", f"STREAM 5.10 {name}", "value"
    )
    return [
        Row(f"stream/{name.lower()}", value(name), triad * here[name.lower()] / here["triad"], "B/s")
        for name in STREAMS
    ]
