"""What a campaign runs, from TOML or from Python, and how a plan becomes points."""

import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.facts import programs
from hakaru.facts.description import Description
from hakaru.facts.work import Parameters, Scalar, Work


@dataclass(frozen=True)
class Layout:
    """Ranks and threads of each rank, written ``2x1``; ``nodes`` over which the ranks are spread evenly."""

    ranks: int
    threads: int
    nodes: int = 1

    def __str__(self) -> str:
        return f"{self.ranks}x{self.threads}" + (f" on {self.nodes} nodes" if self.nodes > 1 else "")

    @property
    def ranks_of_node(self) -> int:
        return -(-self.ranks // self.nodes)


def parse_layout(value: Any) -> Any:
    """``2x1`` -> Layout(2, 1). Raises ValueError in words."""
    if isinstance(value, Layout):
        return value
    match = re.fullmatch(r"(\d{1,7})x(\d{1,4})", value) if isinstance(value, str) else None
    if not match or int(match[1]) < 1 or int(match[2]) < 1:
        raise ValueError(
            f'{value!r} is not a layout; write ranks x threads with at least one of each, such as "2x1"'
        )
    return Layout(int(match[1]), int(match[2]))


def listed(value: Any) -> Any:
    """``2`` -> ``[2]``."""
    return value if isinstance(value, list) else [value]


class Runs(BaseModel):
    """One [[runs]] table: a program with lists of parameter values to cross, on some layouts."""

    model_config = ConfigDict(extra="forbid", strict=True)
    program: str
    command: Literal["run", "verify"] = "run"
    preset: str | None = None
    parameters: dict[str, Scalar | list[Scalar]] = {}
    layouts: list[Annotated[Any, BeforeValidator(parse_layout)]] = Field(
        default=["1x1"], min_length=1, validate_default=True
    )
    nodes: Annotated[list[Annotated[int, Field(ge=1, le=1_000_000)]], BeforeValidator(listed)] = Field(
        default=[1], min_length=1
    )
    repetitions: int | None = Field(default=None, ge=1)
    warmup: int | None = Field(default=None, ge=0)
    repeats: int | None = Field(default=None, ge=1)


class Plan(BaseModel):
    """A campaign. ``repeats`` launches of every point, more while the 95 % interval of a point's median is wider than
    ``interval_width`` (relative), up to ``most_repeats`` and until ``time_cap_s`` has passed. ``cold``: caches are emptied before
    every phase, and the records are kept apart."""

    model_config = ConfigDict(extra="forbid", strict=True)
    schema_: Literal["hakaru/campaign/1"] = Field(alias="schema", default="hakaru/campaign/1")
    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    description: str = ""
    repeats: int = Field(default=5, ge=1, le=10_000)
    most_repeats: int = Field(default=10, ge=1, le=10_000)
    interval_width: float = Field(default=0.05, gt=0)
    time_cap_s: float = Field(default=3600.0, gt=0)
    timeout_s: float = Field(default=600.0, gt=0)
    cold: bool = False
    runs: list[Runs] = Field(min_length=1)

    def fingerprint(self) -> str:
        """Short name of the plan's content: the same plan resumes, a changed one starts anew."""
        tree = self.model_dump(mode="json", by_alias=True, exclude={"time_cap_s", "timeout_s", "description"})
        if not self.cold:  # as before there were cold ones
            del tree["cold"]
        for runs in tree["runs"]:
            for layout in runs["layouts"]:
                layout.pop("nodes")
            if runs["nodes"] == [1]:  # as before there were nodes
                del runs["nodes"]
        text = json.dumps(tree, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @property
    def campaign(self) -> str:
        """What its records say of the campaign that they belong to."""
        return f"{self.name}-{self.fingerprint()}"

    def as_dict(self) -> dict[str, object]:
        """What ``make_plan`` takes."""
        tree = self.model_dump(mode="json", by_alias=True)
        for runs, own in zip(tree["runs"], self.runs, strict=True):
            runs["layouts"] = [f"{layout.ranks}x{layout.threads}" for layout in own.layouts]
        return tree


@dataclass(frozen=True)
class Point:
    """One program with fixed parameters on one layout: what is launched ``repeats`` times."""

    program: str
    command: str
    parameters: tuple[tuple[str, Scalar], ...]
    layout: Layout
    repeats: int
    repetitions: int | None = None
    warmup: int | None = None
    cold: bool = False

    @property
    def key(self) -> tuple:
        """As Record.point."""
        layout = self.layout
        return (
            self.program,
            self.command,
            self.parameters,
            layout.ranks,
            layout.threads,
            layout.nodes,
        )

    @property
    def digest(self) -> str:
        """Short name of the point, the same on every host."""
        return hashlib.sha256(json.dumps(self.key).encode()).hexdigest()[:12]

    def execution(self, campaign: str | None) -> programs.Execution:
        return programs.Execution(
            self.command,
            dict(self.parameters),
            self.layout.threads,
            self.layout.ranks,
            repetitions=self.repetitions,
            warmup=self.warmup,
            campaign=campaign,
            cold=self.cold,
        )

    @property
    def label(self) -> str:
        program = programs.named(self.program)
        usual = {} if program.brings_launcher else program.work().parameters
        words = programs.assignments({k: v for k, v in self.parameters if k not in usual or usual[k] != v})
        layout = self.layout
        nodes = f" on {layout.nodes} nodes" if layout.nodes > 1 else ""
        return " ".join([self.program, *words, f"{layout.ranks} x {layout.threads}{nodes}"])

    def work(self) -> Work:
        return programs.named(self.program).work(
            dict(self.parameters), self.layout.ranks, self.layout.threads
        )


def load_plan(path: str | Path) -> Plan:
    """The plan of a TOML file. Raises UserError for anything that is not one."""
    return make_plan(read_toml(Path(path)), str(path))


def make_plan(data: Mapping[str, object], origin: str) -> Plan:
    """Raises UserError for what is no campaign."""
    try:
        return Plan.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(
            f"{origin} is not a campaign",
            f"{where}: {first['msg']}",
            "see docs/how-to/campaigns.md for what may be written",
        ) from None


def points_of(plan: Plan) -> list[Point]:
    """All points of a plan, checked against the programs' descriptions. Raises UserError for unknown programs, parameters out of
    range and layouts that a program refuses."""
    points = []
    for runs in plan.runs:
        lists = {
            name: value if isinstance(value, list) else [value] for name, value in runs.parameters.items()
        }
        for values in itertools.product(*lists.values()):
            given = dict(zip(lists, values, strict=True))
            for nodes, layout in itertools.product(runs.nodes, runs.layouts):
                points.append(_point(runs, given, replace(layout, nodes=nodes), plan))
    duplicates = len(points) - len({point.key for point in points})
    if duplicates:
        raise UserError(
            f"campaign {plan.name} names {duplicates} runs twice",
            "the same program, parameters and layout",
            "remove the repetition and use repeats",
        )
    return points


def _heeded(described: Description, command: str, given: Parameters) -> Parameters:
    """All parameters of a run; those that a verification looks at. Raises UserError when it is given others."""
    parameters = described.evaluated.parameters
    if command == "run":
        return parameters
    heeded = described.verify.parameters
    for name in given:
        if name not in heeded:
            raise UserError(
                f"{described.name} verify does not take {name}",
                f"it checks {described.verify.what}",
                f"leave {name} out, or use command = 'run'",
            )
    return {name: parameters[name] for name in heeded}


def _point(runs: Runs, given: Parameters, layout: Layout, plan: Plan) -> Point:
    program = programs.named(runs.program)
    if plan.cold:
        program.require_cold(runs.command)
    described = program.describe(given, layout.ranks, layout.threads, runs.preset)
    work = described.evaluated
    if layout.nodes > layout.ranks:
        raise UserError(
            f"{runs.program} cannot run as {layout}",
            "there are fewer ranks than nodes",
            "use more ranks, or fewer nodes",
        )
    if work.refused and runs.command == "run":
        raise UserError(
            f"{runs.program} {' '.join(programs.assignments(given))} cannot run as {layout}",
            work.refused,
            "change the parameters or the layout",
        )
    if over := described.limits.exceeded(layout.ranks, layout.threads):
        what, count, most = over
        raise UserError(f"{runs.program} cannot use {count} {what}", f"it allows {most}", "change the layout")
    parameters = tuple(sorted(_heeded(described, runs.command, given).items()))
    return Point(
        runs.program,
        runs.command,
        parameters,
        layout,
        runs.repeats or plan.repeats,
        runs.repetitions,
        runs.warmup,
        plan.cold,
    )
