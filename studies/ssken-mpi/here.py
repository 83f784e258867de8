"""A study of collectives on this machine: two ranks inside a node, by shared memory and by the network's loopback, and on two nodes of the
virtual cluster."""

import os
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path

from hakaru.base import units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.base.topology import usable_cores
from hakaru.facts import programs
from hakaru.facts.records import Record
from hakaru.run.launchers.here import launch_here
from hakaru.studies.analyses import Context
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Here, Settings

PROGRAM = "collectives"
RANKS = 2
TIMEOUT_S = 300.0
INSIDE = {"shared memory": "self,vader", "loopback": "self,tcp"}  # Open MPI's transports
BETWEEN = "between nodes"
LIBRARY = "library"

Times = dict[tuple[str, str, int], float]  # (collective, algorithm, bytes) -> s


def here_rows(study: Study[Settings], context: Context) -> Result:
    """Medians by place; the length up to which shared memory is ahead of the loopback; where the library loses to a named algorithm.
    Raises UserError where two ranks would share a core."""
    if usable_cores() < RANKS or mpi_flavour() != "openmpi":
        raise UserError(
            "the collectives do not run here",
            f"the study needs {RANKS} cores and Open MPI, whose transports it chooses",
            "run it on another machine",
            ENVIRONMENT,
        )
    settings = study.settings.here
    folder = context.results / "studies" / study.name
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, Times] = {}
    result, refused = Result(), []
    for place in (*INSIDE, BETWEEN):
        context.say(f"collectives: {place}")
        record = folder / f"here-{place.replace(' ', '-')}.json"
        try:
            found = (
                _between(settings, record) if place == BETWEEN else _inside(settings, INSIDE[place], record)
            )
        except UserError as error:
            refused.append(f"{place}: {error}")
            continue
        places[place] = times_of(found)
        result.sections.append(losses_section(place, places[place]))
    for place, times in places.items():
        result.rows += [
            Row(f"here/{place}/{collective}/{size}/{algorithm}", None, time_s, "s", "measured")
            for (collective, algorithm, size), time_s in sorted(times.items())
        ]
    result.rows += threshold_rows(study, places)
    result.sections.insert(0, places_section(settings, places, refused))
    result.summary = [*threshold_words(result), *refused]
    return result


def _line(settings: Here, record: Path) -> list[str]:
    record.unlink(missing_ok=True)
    asked = {"maximum_bytes": settings.maximum_bytes, "samples": settings.samples}
    execution = programs.Execution(parameters=asked, repetitions=1, warmup=0)
    return programs.named(PROGRAM).recorded(execution, record)


def _inside(settings: Here, transports: str, record: Path) -> Record:
    chosen = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": transports}
    launch = launch_here(mpi_flavour(), RANKS).setting(chosen)
    done = subprocess.run(
        launch.command(_line(settings, record)),
        env=os.environ | launch.variables(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    return _read(done, record)


def _between(settings: Here, record: Path) -> Record:
    from hakaru.run.lab import Cluster

    with Cluster(RANKS, settings.latency_s, settings.rate_bytes_per_s) as cluster:
        line = _line(settings, record)
        return _read(cluster.run(line, RANKS, timeout_s=TIMEOUT_S), record)


def _read(done: subprocess.CompletedProcess, record: Path) -> Record:
    if done.returncode != 0 or not record.is_file():
        said = (done.stderr or done.stdout or "").strip().splitlines()[-1:]
        raise UserError(
            "the collectives failed",
            said[0] if said else "they said nothing",
            "run them by hand",
            ENVIRONMENT,
        )
    return programs.named(PROGRAM).record(record, done.stdout)


def times_of(record: Record) -> Times:
    samples = defaultdict(list)
    for row in record.rows("collectives"):
        if row["ranks"] == RANKS:
            samples[row["collective"], row["algorithm"], row["bytes"]].append(row["seconds"])
    return {key: statistics.median(values) for key, values in samples.items()}


def threshold_bytes(shared: dict[int, float], loopback: dict[int, float]) -> int:
    """The longest length up to which shared memory is not slower, from the shortest on; 0: nowhere."""
    last = 0
    for size in sorted(shared.keys() & loopback.keys()):
        if shared[size] > loopback[size]:
            break
        last = size
    return last


def threshold_rows(study: Study[Settings], places: dict[str, Times]) -> list[Row]:
    """The published threshold beside ours, for each collective by the library's own algorithm."""
    if not INSIDE.keys() <= places.keys():
        return []
    settings = study.settings.here
    stated = study.published.number("facts", "item", settings.threshold, "value")
    rows = []
    for collective in sorted({key[0] for key in places["loopback"]}):
        own = [
            {
                size: time_s
                for (name, way, size), time_s in places[place].items()
                if (name, way) == (collective, LIBRARY)
            }
            for place in INSIDE
        ]
        name = f"threshold/{collective}"
        published = stated * settings.threshold_unit_bytes
        rows.append(Row(name, published, float(threshold_bytes(*own)), "B", "measured"))
    return rows


def threshold_words(result: Result) -> list[str]:
    return [
        f"{row.id.removeprefix('threshold/')}: shared memory is not slower than the loopback up to {units.capacity(row.ours)} "
        f"of the lengths tried; published, of another machine: {units.quantity(row.published, 'B')}."
        for row in result.of("threshold/")
    ]


def places_section(settings: Here, places: dict[str, Times], refused: list[str]) -> Section:
    """The library's own algorithm at each length by place."""
    keys = sorted({(key[0], key[2]) for times in places.values() for key in times})
    lines = [
        [
            collective,
            units.capacity(size),
            *(units.seconds(times[collective, LIBRARY, size]) for times in places.values()),
        ]
        for collective, size in keys
    ]
    lab = f"{units.seconds(settings.latency_s)} and {units.quantity(settings.rate_bytes_per_s, 'B/s')}"
    words = [
        f"The MPI library's own choice on two ranks: inside a node, and on two nodes of the virtual cluster ({lab} of a link), "
        "whose switch takes time of the same cores.",
        *refused,
    ]
    return Section("Inside a node and between nodes", words, [], ["collective", "bytes", *places], lines)


def losses_section(place: str, times: Times) -> Section:
    """The fastest named algorithm at each length, and the library's time over it."""
    lines = []
    for collective, size in sorted({(key[0], key[2]) for key in times}):
        named = {
            way: t
            for (name, way, at), t in times.items()
            if (name, at) == (collective, size) and way != LIBRARY
        }
        fastest = min(named, key=named.__getitem__)
        ratio = times[collective, LIBRARY, size] / named[fastest]
        lines.append(
            [collective, units.capacity(size), fastest, units.seconds(named[fastest]), f"{ratio:.2f}"]
        )
    words = [
        "Medians of one launch; where the ratio lies above one by more than the scatter, the probe's facts say so."
    ]
    columns = ["collective", "bytes", "fastest named", "time", "library / fastest"]
    return Section(f"By algorithm: {place}", words, [], columns, lines)
