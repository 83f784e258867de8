"""The noun ``Profile``: where the threads of a traced run computed, from samples of their CPU time. Kept as ``profile.json``. Times in s."""

import math
from collections.abc import Iterator
from typing import Literal, Self

import msgspec

from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Positive, Seconds

SCHEMA = "hakaru/profile/1"
Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution


class ProfiledThread(Strict):
    """``number``: 0 for the first of the process, the others in the order in which they began."""

    number: Count
    name: str


class ProfiledProcess(Strict):
    """``rank``: of MPI_COMM_WORLD, or as the launcher's environment says; None without either."""

    rank: int | None
    world: str
    host: str
    process_id: Count
    program: str
    period_s: Positive
    samples: Count
    seconds: Seconds
    complete: bool
    threads: tuple[ProfiledThread, ...]


class Module(Strict):
    """``state``: where names come from; ``missing`` and ``changed`` files lend none."""

    path: str
    build_id: str
    state: Literal["named", "missing", "changed", "unreadable"]


class Frame(Strict):
    """``module``: index, -1 where no file lies; ``line`` 0: not known; ``address`` in the file."""

    routine: str
    source: str
    line: Count
    inlined: bool
    module: int
    address: str


class StackSamples(Strict):
    """Samples of one call path; ``frames``: indices, the innermost first; ``walked``: how much of the path is known."""

    process: Count
    thread: Count
    phase: str
    frames: tuple[int, ...]
    walked: Literal["whole", "cut", "none"]
    samples: AtLeastOne
    seconds: Seconds


class Share(Strict):
    """``exclusive``: samples in the routine itself; ``inclusive``: also in what it called, once each for recursive ones. ``low`` and
    ``high``: 95 % interval of the exclusive share of all samples (Wilson)."""

    routine: str
    module: str
    source: str
    line: Count
    exclusive: Count
    inclusive: Count
    share: float
    low: float
    high: float


class Part(Strict):
    """Samples of one routine in one phase of one thread."""

    process: Count
    thread: Count
    phase: str
    routine: str
    module: str
    exclusive: Count
    inclusive: Count


def wilson(hits: int, samples: int) -> tuple[float, float]:
    """95 % interval of a share (E. B. Wilson, J. Am. Stat. Assoc. 22, 209, 1927)."""
    if samples == 0:
        return 0.0, 1.0
    p, z = hits / samples, Z95
    middle = p + z * z / (2 * samples)
    half = z * math.sqrt(p * (1 - p) / samples + z * z / (4 * samples * samples))
    scale = 1 + z * z / samples
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


class Profile(Strict):
    """``routines`` and ``lines`` are sums over all processes, most exclusive samples first; ``parts`` says of whom and when;
    ``stacks`` are the samples."""

    schema: Literal["hakaru/profile/1"]
    samples: Count
    seconds: Seconds
    processes: tuple[ProfiledProcess, ...]
    modules: tuple[Module, ...]
    frames: tuple[Frame, ...]
    stacks: tuple[StackSamples, ...]
    routines: tuple[Share, ...]
    lines: tuple[Share, ...]
    parts: tuple[Part, ...]
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, processes, modules, frames, stacks, warnings) -> Self:
        """Of what was sampled; the sums are made here."""
        sums = _Sums(modules, frames)
        for stack in stacks:
            sums.add(stack)
        return cls(
            schema=SCHEMA,
            samples=sums.samples,
            seconds=sum(stack.seconds for stack in stacks),
            processes=tuple(processes),
            modules=tuple(modules),
            frames=tuple(frames),
            stacks=tuple(stacks),
            routines=sums.shares(sums.routines),
            lines=sums.shares(sums.lines),
            parts=sums.parts(),
            warnings=tuple(warnings),
        )

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Raises ValueError when the bytes are no profile."""
        return msgspec.json.decode(data, type=cls)

    def folded(self) -> Iterator[str]:
        """``process;phase;outermost;...;innermost samples``: the lines that flame graph tools read, sorted."""
        sums: dict[str, int] = {}
        for stack in self.stacks:
            process = self.processes[stack.process]
            who = f"rank {process.rank}" if process.rank is not None else f"process {process.process_id}"
            path = [who, f"thread {stack.thread}", *([f"phase {stack.phase}"] if stack.phase else [])]
            if stack.walked != "whole":
                path.append("(callers unknown)" if stack.walked == "none" else "(deeper)")
            path += [routine_of(self.frames[i], self.modules)[0] for i in reversed(stack.frames)]
            line = ";".join(name.replace(";", ",") for name in path)
            sums[line] = sums.get(line, 0) + stack.samples
        for line in sorted(sums):
            yield f"{line} {sums[line]}"


def routine_of(frame: Frame, modules: tuple[Module, ...]) -> tuple[str, str]:
    """(routine, module) by which samples are added up; code without a name goes by its file."""
    module = modules[frame.module].path if frame.module >= 0 else ""
    file = module.rsplit("/", 1)[-1]
    return frame.routine or (f"({file}, no names)" if file else "(no file)"), module


class _Sums:
    """Exclusive and inclusive samples by routine, by line, and by routine in parts of the run."""

    def __init__(self, modules, frames):
        self.samples = 0
        self.routines: dict[tuple, list[int]] = {}
        self.lines: dict[tuple, list[int]] = {}
        self._parts: dict[tuple, list[int]] = {}
        self._routine = [routine_of(frame, modules) for frame in frames]
        self._line = [self._line_of(frame, at) for at, frame in enumerate(frames)]

    def _line_of(self, frame: Frame, at: int) -> tuple:
        routine, module = self._routine[at]
        where = frame.source if frame.line else frame.address
        return routine, module, where, frame.line

    def add(self, stack: StackSamples) -> None:
        self.samples += stack.samples
        part = (stack.process, stack.thread, stack.phase)
        for sums, key_of, before in (
            (self.routines, lambda i: (*self._routine[i], "", 0), ()),
            (self.lines, lambda i: self._line[i], ()),
            (self._parts, lambda i: self._routine[i], part),
        ):
            for key in {key_of(i) for i in stack.frames}:
                sums.setdefault((*before, *key), [0, 0])[1] += stack.samples
            sums[(*before, *key_of(stack.frames[0]))][0] += stack.samples

    def shares(self, sums: dict[tuple, list[int]]) -> tuple[Share, ...]:
        found = []
        for (routine, module, source, line), (exclusive, inclusive) in sums.items():
            low, high = wilson(exclusive, self.samples)
            share = exclusive / self.samples
            found.append(
                Share(
                    routine=routine,
                    module=module,
                    source=source,
                    line=line,
                    exclusive=exclusive,
                    inclusive=inclusive,
                    share=share,
                    low=low,
                    high=high,
                )
            )
        return tuple(
            sorted(found, key=lambda one: (-one.exclusive, -one.inclusive, one.routine, one.source, one.line))
        )

    def parts(self) -> tuple[Part, ...]:
        fields = ("process", "thread", "phase", "routine", "module")
        found = [
            Part(**dict(zip(fields, key, strict=True)), exclusive=exclusive, inclusive=inclusive)
            for key, (exclusive, inclusive) in self._parts.items()
        ]
        return tuple(
            sorted(found, key=lambda one: (one.process, one.thread, one.phase, -one.exclusive, one.routine))
        )
