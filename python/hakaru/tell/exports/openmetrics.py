"""OpenMetrics 1.0 text, as Prometheus reads it: each launch a sample with the time at which it began."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from hakaru.base.files import write_atomically
from hakaru.facts.records import Entry
from hakaru.facts.records.groups import plain

about = "OpenMetrics text for Prometheus and its kin, a sample for each launch at the time when it began"
needs_time = True
LABELS = {"host": "host", "compiler": "compiler", "mpi_library": "MPI library", "commit": "commit"}
FAMILIES = {
    "hakaru_launch_time_seconds": "Median over repetitions of the time of a launch.",
    "hakaru_phase_time_seconds": "Median over repetitions of the mean over ranks of the time in a phase.",
}

Sample = tuple[int, float]  # time in ms since 1970, value in s


def write(path: Path, entries: Sequence[Entry], system: str | None) -> list[Path]:
    """Raises UserError when it cannot be written."""
    text = "".join(f"{line}\n" for line in lines(entries, system)).encode()
    write_atomically(path, lambda file: file.write(text))
    return [path]


def lines(entries: Sequence[Entry], system: str | None) -> Iterator[str]:
    launch, phase = FAMILIES
    series: dict[str, dict[str, list[Sample]]] = {launch: {}, phase: {}}
    for entry in entries:
        began = round(datetime.fromisoformat(entry.started).timestamp() * 1000)
        named = _labels(entry, system)
        series[launch].setdefault(_text(named), []).append((began, entry.wall_s))
        for name, time_s in entry.phases.items():
            series[phase].setdefault(_text(named | {"phase": name}), []).append((began, time_s))
    for family, told in FAMILIES.items():
        yield f"# TYPE {family} gauge"
        yield f"# UNIT {family} seconds"
        yield f"# HELP {family} {told}"
        for labels, samples in series[family].items():
            for began, value in _in_order(samples):
                yield f"{family}{labels} {value!r} {began // 1000}.{began % 1000:03d}"
    yield "# EOF"


def _labels(entry: Entry, system: str | None) -> dict[str, str]:
    parameters = " ".join(f"{name}={plain(value)}" for name, value in sorted(entry.parameters.items()))
    found = {
        "program": entry.program,
        "parameters": parameters,
        "ranks": entry.ranks,
        "threads": entry.threads,
    }
    found |= {label: entry.environment.get(name, "") for label, name in LABELS.items()}
    return found | ({"system": system} if system else {})


def _text(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    safe = text.encode("utf-8", "backslashreplace").decode()
    return safe.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _in_order(samples: list[Sample]) -> Iterator[Sample]:
    """By time; launches of the same ms follow one another by 1 ms, since a series has one value at a time."""
    last = None
    for began, value in sorted(samples):
        last = began if last is None else max(began, last + 1)
        yield last, value
