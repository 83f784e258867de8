"""A file that says how anybody's program is run (NAME.toml, schema/program.schema.json): the types of its tables, and reading it."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hakaru.base import expressions
from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Positive, Words
from hakaru.facts.work import Scalar

SCHEMA = "hakaru/program/1"
NAME = r"^[A-Za-z][A-Za-z0-9_.+-]*$"
GUIDE = "docs/how-to/your-program.md says what may be written"
RESERVED = ("ranks", "threads", "cores", "folder")
RANK_RULES = {
    "any": "True",
    "even": "ranks % 2 == 0",
    "power of 2": "2 ^ round(log2(ranks)) == ranks",
    "square": "round(sqrt(ranks)) ^ 2 == ranks",
    "cube": "round(cbrt(ranks)) ^ 3 == ranks",
}

ProgramName = Annotated[str, Meta(pattern=NAME, max_length=80)]
ParameterName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Take = Literal["last", "first", "sum", "largest"]
TimeUnit = Literal["s", "ms", "us", "ns", "min", "h"]


class FileParameter(Strict, omit_defaults=True):
    """``role``: work grows with a ``size``, is proportional to ``steps``, and depends otherwise on ``other``."""

    default: Scalar
    type: Literal["integer", "real", "choice", "boolean", "text"] = "integer"
    role: Literal["size", "steps", "other"] = "other"
    unit: Words = "1"
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


class FileTime(Strict, omit_defaults=True):
    """Where the time stands: in what the program prints (the first group of ``pattern``) or in a region of MPI_Pcontrol."""

    pattern: str = ""
    region: str = ""
    unit: TimeUnit = "s"
    take: Take = "last"


class FilePhase(Strict, omit_defaults=True):
    """Time of a part of the run that the program prints."""

    name: Words
    pattern: Words
    kind: Literal["compute", "communicate", "io", "idle"] = "compute"
    unit: TimeUnit = "s"
    take: Take = "last"


class FileCheck(Strict, omit_defaults=True):
    """A printed value beside its reference, a command that must end with 0, or a file that must equal another."""

    name: Words
    pattern: str = ""
    value: float | str | None = None
    tolerance: float = 0.0
    comparison: Literal["relative", "absolute", "at most", "at least", "equal"] = "relative"
    take: Take = "last"
    command: str = ""
    file: str = ""
    reference: str = ""


class FileMetric(Strict, omit_defaults=True):
    """A figure of merit that the program prints."""

    name: Words
    pattern: Words
    unit: Words = "1"
    better: Literal["higher", "lower"] = "higher"
    take: Take = "last"


class FileInput(Strict, omit_defaults=True):
    """A file that each launch finds in its own folder: a copy, or made from a template in which {parameters} stand."""

    file: Words
    template: str = ""
    text: str = ""


class FileWork(Strict, omit_defaults=True):
    """What the user knows of the work of one run, all ranks together: arithmetic of parameters. B and flop."""

    flops: str = ""
    bytes: str = ""
    memory_bytes: str = ""


class FileMeasure(Strict, omit_defaults=True):
    """What ``hakaru measure`` runs when nobody says otherwise: values of parameters, ranks and threads, crossed."""

    parameters: dict[ParameterName, list[Scalar]] = {}
    ranks: tuple[AtLeastOne, ...] = ()
    threads: tuple[AtLeastOne, ...] = ()
    repeats: AtLeastOne = 5


class ProgramFile(Strict, omit_defaults=True, kw_only=True):
    """Everything that is known of a program. Relative paths start in the folder of the file."""

    schema: Literal["hakaru/program/1"]
    name: ProgramName
    command: Words
    title: str = ""
    folder: str = ""
    build: str = ""
    ranks: Words = "any"
    threads: tuple[AtLeastOne, ...] = ()
    size: str = ""
    size_meaning: str = ""
    timeout_s: Positive = 600.0
    trace: bool = True
    parameters: dict[ParameterName, FileParameter] = {}
    time: FileTime = FileTime()  # noqa: RUF009
    phases: tuple[FilePhase, ...] = ()
    checks: tuple[FileCheck, ...] = ()
    metrics: tuple[FileMetric, ...] = ()
    inputs: tuple[FileInput, ...] = ()
    outputs: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    modules: tuple[str, ...] = ()
    work: FileWork = FileWork()  # noqa: RUF009
    measure: FileMeasure = FileMeasure()  # noqa: RUF009

    @classmethod
    def read(cls, path: Path) -> "ProgramFile":
        """Raises UserError with the place and the mend for what is no program."""
        try:
            found = msgspec.convert(read_toml(path, "program file"), cls)
        except msgspec.ValidationError as error:
            raise UserError(f"{path} is no program", _place(path, str(error)), GUIDE) from None
        if not found.folder:
            found = msgspec.structs.replace(found, folder=str(path.resolve().parent))
        found.require_sound(str(path))
        return found

    def require_sound(self, origin: str) -> None:
        """Raises UserError for what no type can refuse."""
        if problem := self._problem():
            raise UserError(f"{origin} is no program", problem, GUIDE)

    def _problem(self) -> str | None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            return f"command: {error}"
        if not words:
            return "command: no word stands in it"
        for name in self.parameters:
            if name in RESERVED:
                return f"parameters.{name}: {', '.join(RESERVED)} are hakaru's own words"
        for name, one in self.parameters.items():
            if one.role != "other" and one.type not in ("integer", "real"):
                return f"parameters.{name}: a {one.role} is a number, not {one.type}"
        return self._unknown_names(words) or self._patterns() or self._checks()

    def _unknown_names(self, words: list[str]) -> str | None:
        known = {*self.parameters, *RESERVED}
        texts = [*words, *self.environment.values(), *(one.file for one in self.inputs)]
        for text in texts:
            for name in names_in(text):
                if name not in known:
                    return f"{{{name}}} in '{text}' is no parameter; known are {', '.join(sorted(known))}"
        for where, text in (
            ("size", self.size),
            ("ranks", RANK_RULES.get(self.ranks, self.ranks)),
            ("work.flops", self.work.flops),
            ("work.bytes", self.work.bytes),
            ("work.memory_bytes", self.work.memory_bytes),
        ):
            if text and (strange := expressions.names_in(text) - known):
                return f"{where}: '{text}' names {', '.join(sorted(strange))}, which is no parameter"
        return None

    def _patterns(self) -> str | None:
        given = [("time", self.time.pattern), *((f"checks '{one.name}'", one.pattern) for one in self.checks)]
        given += [(f"phases '{one.name}'", one.pattern) for one in self.phases]
        given += [(f"metrics '{one.name}'", one.pattern) for one in self.metrics]
        for where, pattern in given:
            if pattern and (wrong := pattern_problem(pattern)):
                return f"{where}: the pattern '{pattern}' {wrong}"
        if self.time.pattern and self.time.region:
            return "time: it has a pattern and a region; one of them counts"
        return None

    def _checks(self) -> str | None:
        for one in self.checks:
            ways = [bool(one.pattern), bool(one.command), bool(one.file)]
            if sum(ways) != 1:
                return f"checks '{one.name}': it needs one of pattern, command or file"
            if one.pattern and one.value is None:
                return f"checks '{one.name}': a pattern needs the value that it shall find"
            if one.file and not one.reference:
                return f"checks '{one.name}': a file needs the reference that it shall equal"
        return None

    def with_role(self, role: str) -> list[str]:
        return [name for name, one in self.parameters.items() if one.role == role]

    def as_toml(self) -> str:
        import tomli_w

        return tomli_w.dumps({name: value for name, value in self.as_dict().items() if value != {}})


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a pattern that shall find one number or word; None when nothing is."""
    import regex

    try:
        groups = regex.compile(pattern).groups
    except regex.error as error:
        return f"is no regular expression ({error})"
    return None if groups else "has no group: put ( ) around the value"


PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def names_in(text: str) -> list[str]:
    """The names that stand in ``{...}``; ``{{`` and ``}}`` are braces."""
    return [match[1].strip() for match in PLACE.finditer(text) if match[1] is not None]


def filled(text: str, values: dict[str, str]) -> str:
    """``text`` with the values in their places. Raises UserError for a name without one."""

    def place(match: re.Match) -> str:
        if match[1] is None:
            return match[0][0]
        name = match[1].strip()
        if name not in values:
            raise UserError(
                f"{{{name}}} in '{text}' has no value",
                f"known are {', '.join(sorted(values)) or 'none'}",
                f"give one with --size {name}=... or --set {name}=...; write {{{{ and }}}} for braces",
            )
        return values[name]

    return PLACE.sub(place, text)


def _place(path: Path, message: str) -> str:
    """The message, with the line of the key that it names where that is found."""
    match = re.search(r"`\$\.([A-Za-z0-9_.]+)", message) or re.search(r"unknown field `([^`]+)`", message)
    key = match[1].split(".")[-1] if match else None
    if key is None:
        return message
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if re.match(rf"\s*(\[+[\w.\s]*)?\b{re.escape(key)}\b", line):
            return f"line {number}: {message}"
    return message


def parse(text: str, origin: str) -> ProgramFile:
    """Of TOML text. Raises UserError as ``ProgramFile.read``."""
    try:
        found = msgspec.convert(tomllib.loads(text), ProgramFile)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{origin} is no program", str(error), GUIDE) from None
    found.require_sound(origin)
    return found
