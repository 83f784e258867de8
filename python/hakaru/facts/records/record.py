"""One execution: all samples, phases, environment and verdict (schema/record.schema.json). Times in s, sizes in B."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hakaru.facts.records.power import Power
from hakaru.facts.records.provenance import now_text
from hakaru.facts.strict import Strict
from hakaru.facts.values import Seconds
from hakaru.facts.work import Parameters, Work

SCHEMA = "hakaru/record/1"
WAIT = "wait for others"
OTHER = "other"
STARTING = "starting and ending MPI"  # of programs that were measured as they are
MOST_BYTES = 2**29  # of a file: 65,536 ranks with ten phases and ten repetitions take a quarter
KINDS = ("compute", "communicate", "io", "idle")

Kind = Literal["compute", "communicate", "io", "idle"]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class Failure(Strict):
    """Why a run failed, the exit code of its launch and the end of what it wrote on standard error."""

    reason: Annotated[str, Meta(min_length=1)]
    exit_code: int
    standard_error: str


class ThreadBinding(Strict):
    """Processors that a thread may use, and the one on which it was seen."""

    thread: int
    allowed: tuple[int, ...]
    seen: int


class RankBinding(Strict):
    rank: Annotated[int, Meta(ge=0)]
    host: str
    threads: tuple[ThreadBinding, ...]


class RunLayout(Strict):
    """Where the ranks and their threads ran, as the kernel said."""

    ranks: Annotated[int, Meta(ge=1)]
    threads: Annotated[int, Meta(ge=1)]
    hosts: tuple[str, ...]
    oversubscribed: bool
    binding_problems: tuple[str, ...]
    binding: tuple[RankBinding, ...]

    @property
    def cores(self) -> int:
        return self.ranks * self.threads


class Phase(Strict):
    name: str
    kind: Kind


LEAST_LEFT = 0.05  # a repetition that waited longer says nothing about its time


class Repetition(Strict, omit_defaults=True):
    """One timed repetition: time from its start to the end of the slowest rank, and exclusive times of every rank by phase.

    ``waited_s``: how long a thread of each rank was ready to run while something else had its processor, the longest of its threads;
    ``waited_all_s``: the same of all its threads together. () where it was not watched. ``handover_s``: how long a write of the first core in
    use took to be seen by the last one right before it (an empty message between ranks); 0 where nobody asked."""

    wall_s: Seconds
    rank_s: Annotated[tuple[Seconds, ...], Meta(min_length=1)]
    phases: dict[str, tuple[Seconds, ...]]
    waited_s: tuple[Seconds, ...] = ()
    waited_all_s: tuple[Seconds, ...] = ()
    handover_s: Seconds = 0.0

    def left_alone(self, others: float = 0.0) -> float:
        """Share of the wall time that is left without the wait of the thread that waited longest, and this share of what the ``others``
        waited (models.waiting)."""
        if not self.waited_s or self.wall_s <= 0.0:
            return 1.0
        longest = max(self.waited_s)
        rest = max(sum(self.waited_all_s or self.waited_s) - longest, 0.0)
        return max(1.0 - (longest + others * rest) / self.wall_s, LEAST_LEFT)

    def rank_times(self, name: str) -> tuple[float, ...]:
        """One exclusive time a rank; ``other`` is what no phase claims between a rank's start and its end."""
        if name != OTHER:
            return self.phases.get(name) or (0.0,) * len(self.rank_s)
        claimed = [
            sum(times[rank] for phase, times in self.phases.items() if phase != WAIT)
            for rank in range(len(self.rank_s))
        ]
        return tuple(max(0.0, total - named) for total, named in zip(self.rank_s, claimed, strict=True))

    def kind_times(self, kinds: Mapping[str, str], kind: str) -> list[float]:
        """Time of one kind on every rank."""
        columns = [self.rank_times(name) for name, its_kind in kinds.items() if its_kind == kind]
        return [sum(times) for times in zip(*columns, strict=True)] if columns else [0.0] * len(self.rank_s)


class Metric(Strict):
    """A figure of merit, one sample a repetition; None where it was not finite."""

    name: str
    unit: str
    samples: tuple[float | None, ...]


Row = dict[str, Any]  # {column: value} of a table


class Column(Strict):
    name: str
    unit: str


class Table(Strict):
    name: str
    columns: Annotated[tuple[Column, ...], Meta(min_length=1)]
    rows: tuple[tuple[Any, ...], ...]

    def index(self, column: str) -> int | None:
        return next((at for at, one in enumerate(self.columns) if one.name == column), None)

    def as_dicts(self) -> list[Row]:
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


class Check(Strict):
    """A verified value beside its reference, and why the tolerance is what it is."""

    name: str
    value: float | None
    reference: float | None
    tolerance: float | None
    comparison: Literal["relative", "absolute", "at most", "at least", "equal"]
    passed: bool
    reason: str


class Cache(msgspec.Struct, frozen=True):
    level: int
    type: str
    bytes: int
    shared_by: int


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """The machine as the program saw it; everything is None in the record of a program that did not start."""

    host: str | None = None
    kernel: str | None = None
    cpu_model: str | None = None
    cpus_online: int | None = None  # hardware threads
    cores_online: int | None = None  # None in older records, which do not tell them apart
    memory_bytes: float | None = None
    caches: tuple[Cache, ...] = ()
    compiler: str | None = None
    compiler_flags: str | None = None
    mpi_library: str | None = None
    variables: dict[str, str] = {}
    load_average: tuple[float, ...] = ()
    steal_s: float | None = None
    involuntary_switches: float | None = None
    major_faults: float | None = None

    @property
    def known(self) -> bool:
        return self.host is not None

    def setting(self, place: str | None) -> "Setting":
        return Setting(place, self.cpu_model, self.mpi_library, self.compiler, self.compiler_flags)


class Setting(msgspec.Struct, frozen=True, order=True):
    """What must be equal for two records' times to be comparable."""

    host: str | None
    cpu_model: str | None
    mpi_library: str | None
    compiler: str | None
    compiler_flags: str | None

    def as_dict(self) -> dict[str, str | None]:
        return msgspec.structs.asdict(self)

    def named(self) -> dict[str, str]:
        """As a forecast keeps it: every value a text."""
        return {name: str(value) for name, value in self.as_dict().items()}


SETTING = Setting.__struct_fields__


class Memory(Strict):
    """Largest resident set of each rank in B, in the order of ranks."""

    rank_peak_bytes: Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta(min_length=1)]

    def node_peak_bytes(self, hosts: Sequence[str]) -> int:
        """Of the fullest host, where all its ranks have their peaks at once; ``hosts``: of each rank."""
        sums: dict[str, int] = {}
        for host, peak in zip(hosts, self.rank_peak_bytes, strict=False):
            sums[host] = sums.get(host, 0) + peak
        return max(sums.values(), default=sum(self.rank_peak_bytes))


class Record(Strict):
    """One immutable record file."""

    schema: Literal["hakaru/record/1"]
    id: Annotated[str, Meta(min_length=1)]
    program: Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_.+-]*$")]
    kind: Literal["app", "probe", "command"]
    command: Literal["run", "verify"]
    status: Literal["ok", "failed"]
    failure: Failure | None
    verdict: Literal["passed", "failed", "not verified"]
    started: Moment
    finished: Moment
    preset: str | None
    campaign: str | None
    parameters: Parameters
    layout: RunLayout
    work: Work
    phases: tuple[Phase, ...]
    warmup_discarded: Annotated[int, Meta(ge=0)]
    repetitions: tuple[Repetition, ...]
    metrics: tuple[Metric, ...]
    tables: tuple[Table, ...]
    checks: tuple[Check, ...]
    environment: Environment
    context: dict[str, Any]
    memory: Memory | UnsetType = UNSET
    power: Power | UnsetType = UNSET
    cold: Literal[True] | UnsetType = UNSET  # its caches were emptied before every phase

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Record":
        """From the JSON object. Raises msgspec.ValidationError (a ValueError) that names the field."""
        return msgspec.convert(dict(data), cls)

    @classmethod
    def without_run(cls, *, layout: tuple[int, int], **known: Any) -> "Record":
        """The record of a launch that left none: what its starter knows (``layout``: ranks and threads), and that nothing was measured."""
        ranks, threads = layout
        moment = now_text()
        return cls(
            schema=SCHEMA,
            status="failed",
            verdict="not verified",
            started=moment,
            finished=moment,
            preset=None,
            layout=RunLayout(
                ranks=ranks, threads=threads, hosts=(), oversubscribed=False, binding_problems=(), binding=()
            ),
            phases=(),
            warmup_discarded=0,
            repetitions=(),
            metrics=(),
            tables=(),
            checks=(),
            environment=Environment(),
            **known,
        )

    def failed(self, reason: str, exit_code: int, standard_error: str) -> "Record":
        """The same record as that of a failure."""
        failure = Failure(reason=reason, exit_code=exit_code, standard_error=standard_error)
        return msgspec.structs.replace(self, status="failed", failure=failure)

    def with_power(self, power: Power | None) -> "Record":
        """The same record with what the meters said of its launch; None: nobody looked."""
        return msgspec.structs.replace(self, power=power) if power else self

    @classmethod
    def read(cls, path: Path) -> "Record":
        """Raises OSError, or ValueError for what is no record."""
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ValueError(f"it has {size:.3g} B, and records have {MOST_BYTES:.3g} B at most")
        return msgspec.json.decode(path.read_bytes(), type=cls)

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def ran(self) -> bool:
        """A run, no verification, that ended well."""
        return self.ok and self.command == "run"

    @property
    def ranks(self) -> int:
        return self.layout.ranks

    @property
    def threads(self) -> int:
        return self.layout.threads

    @property
    def place(self) -> str | None:
        """The host, or the site whose batch system chose one of its nodes."""
        return self.context.get("place") or self.environment.host

    @property
    def setting(self) -> Setting:
        return self.environment.setting(self.place)

    @property
    def point(self) -> tuple:
        """What makes two launches comparable: program, command, parameters and layout."""
        parameters = tuple(sorted(self.parameters.items()))
        return (self.program, self.command, parameters, self.ranks, self.threads, self.nodes)

    @property
    def nodes(self) -> int:
        """Nodes over which its ranks were to be spread, as its starter noted; 1 where nobody did."""
        return int(self.context.get("launch", {}).get("nodes", 1))

    @property
    def duration_s(self) -> float:
        """Time between start and end of the whole program."""
        return (datetime.fromisoformat(self.finished) - self.began).total_seconds()

    @property
    def began(self) -> datetime:
        return datetime.fromisoformat(self.started)

    @property
    def wall_s(self) -> float | None:
        """Value of this launch: the median over its repetitions of the slowest rank's time."""
        return self.middle(lambda repetition: repetition.wall_s) if self.repetitions else None

    @property
    def disproved(self) -> bool:
        """It ended, and its result was found wrong."""
        return self.verdict == "failed"

    @property
    def is_sample(self) -> bool:
        """A successful, not disproved run of an app or of anybody's program that carries repetitions."""
        return (
            self.kind != "probe"
            and self.command == "run"
            and self.ok
            and not self.disproved
            and bool(self.repetitions)
        )

    @property
    def launch_line(self) -> str | None:
        """What a person would type to launch it, as its starter noted."""
        return self.context.get("launch_line")

    def middle(self, pick: Callable[[Repetition], float]) -> float:
        """Median over repetitions of ``pick``."""
        return median(pick(repetition) for repetition in self.repetitions)

    def table(self, name: str) -> Table | None:
        return next((table for table in self.tables if table.name == name), None)

    def rows(self, name: str) -> list[Row]:
        """Rows of a table; empty when the record has no such table."""
        table = self.table(name)
        return table.as_dicts() if table else []

    def metric(self, name: str) -> Metric | None:
        return next((metric for metric in self.metrics if metric.name == name), None)

    @property
    def launch_s(self) -> float:
        """From start to end of the launch, where its starter noted it; else 0."""
        return float(self.context.get("program", {}).get("launch_s", 0.0))

    @property
    def whole_s(self) -> float | None:
        """From start to end of the launch, with all that its program does beside its repetitions; None where nobody looked."""
        return self.launch_s or (self.power.seconds if self.power else None)

    @property
    def routines(self) -> list[Row]:
        """Those that computed most in a launch that was sampled: routine, share, low, high."""
        return self.context.get("program", {}).get("routines", [])

    @property
    def used_files(self) -> list[Row]:
        """Files of a launch that was watched: path, bytes_read, bytes_written, seconds, twice_bytes, hole_bytes."""
        return self.context.get("program", {}).get("files", [])

    @property
    def traced(self) -> bool:
        """A launch of anybody's program with the tracer in it."""
        return bool(self.context.get("program", {}).get("traced"))

    def phase_kinds(self) -> dict[str, Kind]:
        """Kind of each phase that the program described, without waiting and what no phase claims."""
        return {phase.name: phase.kind for phase in self.phases if phase.name not in (OTHER, WAIT)}


def layout_name(ranks: int, threads: int) -> str:
    return f"{ranks} rank{'s' * (ranks != 1)} × {threads} thread{'s' * (threads != 1)}"


def rows_of(records: Iterable[Record], name: str) -> list[Row]:
    """Rows of a table of all records; ``record`` is the record's place among them."""
    return [{**row, "record": number} for number, record in enumerate(records) for row in record.rows(name)]


def data_caches(records: Iterable[Record]) -> list[Cache]:
    """Caches that the kernel reports, innermost first, of the first record that has any."""
    caches = next((record.environment.caches for record in records if record.environment.caches), ())
    data = [cache for cache in caches if cache.type.lower() != "instruction"]
    return sorted(data, key=lambda cache: cache.level)
