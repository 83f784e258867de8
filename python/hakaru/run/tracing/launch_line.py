"""What a launch line starts: launcher, program, MPI library; and the same line with the tracer injected."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError

LAUNCHERS = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun)([.-].*)?")
# Options whose values could be taken for the program: they may be executable files.
VALUES = {
    **dict.fromkeys(["--mca", "-mca", "--gmca", "-gmca", "-genv", "-env", "--prtemca", "--pmixmca"], 2),
    **dict.fromkeys(["-x", "-n", "-np", "--np", "-c", "-H", "-host", "--host", "-hosts", "-hostfile", "--hostfile"], 1),
    **dict.fromkeys(["-f", "-machinefile", "--machinefile", "-wdir", "--wdir", "-rmk", "-launcher-exec", "-iface"], 1),
    **dict.fromkeys(["--bind-to", "-bind-to", "--map-by", "-map-by", "--rank-by", "-launcher", "--prefix", "-ppn"], 1),
    **dict.fromkeys(["--launch-agent", "-N", "--nodes", "-p", "--partition", "-w", "--nodelist", "-A", "-t", "-J"], 1),
    **dict.fromkeys(["--ntasks", "--cpus-per-task", "--output-filename", "--report-uri", "-D", "--chdir", "-o", "-e"], 1),
}  # fmt: skip
LIBRARY_NAMES = re.compile(r"lib(mpi|mpich|mpifort|mpi_mpifh|mpich_?f\w*|mpi_usempi\w*|mpicxx|mpi_cxx)\.so")


@dataclass(frozen=True)
class Program:
    """``mpi`` is the MPI library that the loader would take for it, None when there is none."""

    path: str
    mpi: Path | None
    flavour: str | None
    static: bool = False


@dataclass
class LaunchLine:
    """``kind``: how the tracer is injected: ``openmpi``, ``mpich``, ``slurm`` or ``direct``."""

    command: list[str]
    kind: str
    program: Program
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def flavour(self) -> str:
        """The MPI library to build the tracer for."""
        if self.program.flavour:
            return self.program.flavour
        return self.kind if self.kind in ("openmpi", "mpich") else "openmpi"


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def flavour_of_library(path: Path) -> str:
    """By name where the name says it, else by the text inside."""
    if path.name.startswith("libmpich") or ".so.12" in path.name:
        return "mpich"
    try:
        text = path.read_bytes()
    except OSError:
        return "openmpi"
    return "openmpi" if b"Open MPI" in text else "mpich" if b"MPICH Version" in text else "other"


def _linked_mpi(path: str) -> Path | None:
    """The MPI library that ldd finds for a program or a Python extension."""
    for line in _output(["ldd", path]).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if LIBRARY_NAMES.match(name) and rest and "not found" not in rest:
            library = Path(rest.split(" (")[0])
            if library.name.startswith(("libmpi.so", "libmpich.so")):
                return library
    return None


def _of_mpi4py(python: str) -> Path | None:
    ask = "import mpi4py; mpi4py.rc.initialize = False; import mpi4py.MPI; print(mpi4py.MPI.__file__)"
    extension = _output([python, "-c", ask]).strip().splitlines()
    return _linked_mpi(extension[-1]) if extension and Path(extension[-1]).is_file() else None


def _holds_mpi(path: str) -> bool:
    """An ELF file that defines MPI itself: linked statically."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return False
    return data[:4] == b"\x7fELF" and (b"\0PMPI_Init\0" in data or b"\0MPI_Init\0" in data)


def _python_of(path: str) -> str | None:
    """The interpreter that runs this file, when it is Python."""
    if re.fullmatch(r"(python|pypy)[\d.]*", Path(path).name):
        return path
    try:
        with open(path, "rb") as file:
            first = file.readline(200).decode(errors="replace")
    except OSError:
        return None
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    return shutil.which(words[-1]) if words and "python" in words[-1] else None


def inspect_program(word: str) -> Program:
    path = shutil.which(word) or word
    library = _linked_mpi(path)
    if library is None and (python := _python_of(path)):
        library = _of_mpi4py(python)
    if library:
        return Program(path, library, flavour_of_library(library))
    return Program(path, None, None, static=_holds_mpi(path))


def _start_of_program(words: list[str]) -> int:
    """Index of the first word that is no option of the launcher. Raises UserError when there is none."""
    at = 1
    while at < len(words):
        word = words[at]
        if word.startswith("-"):
            at += 1 + (VALUES.get(word, 0) if "=" not in word else 0)
        elif shutil.which(word):
            return at
        else:
            at += 1
    raise UserError(
        f"'{' '.join(words)}' starts no program",
        "no word after the launcher names an executable file",
        "check the path of the program, and that it is executable",
    )


def program_words(words: list[str]) -> list[str]:
    """The program and its arguments, of a line that begins with a launcher."""
    return words[_start_of_program(words) :]


def _program(words: list[str]) -> Program:
    """The first of the words that uses MPI: ``taskset -c 0 ./program`` starts the last one. Else the first one."""
    first = inspect_program(words[0])
    if first.mpi or first.static:
        return first
    for word in words[1:8]:
        if word == ":":
            break
        if not word.startswith("-") and shutil.which(word):
            other = inspect_program(word)
            if other.mpi or other.static:
                return other
    return first


def _kind(launcher: str) -> str:
    if Path(launcher).name.startswith("srun"):
        return "slurm"
    said = _output([launcher, "--version"])
    if "Open MPI" in said or "OpenRTE" in said or "PRTE" in said or "PRRTE" in said:
        return "openmpi"
    if "HYDRA" in said or "MPICH" in said or "Intel(R) MPI" in said:
        return "mpich"
    raise UserError(
        f"{launcher} is a launcher that hakaru does not know",
        "it is neither Open MPI's, MPICH's nor Slurm's: the tracer cannot be passed on",
        "use one of those, or start the ranks yourself with LD_PRELOAD",
        ENVIRONMENT,
    )


def read(words: list[str]) -> LaunchLine:
    """What a line starts. Raises UserError when the launcher or the program is missing."""
    if not shutil.which(words[0]):
        raise UserError(
            f"'{words[0]}' was not found",
            "it is neither in PATH nor an executable file",
            "install the launcher (sudo apt-get install openmpi-bin, or mpich) or give the program's path",
            ENVIRONMENT,
        )
    if LAUNCHERS.fullmatch(Path(words[0]).name):
        kind, start = _kind(words[0]), _start_of_program(words)
    else:
        kind, start = "direct", 0
    return LaunchLine(list(words), kind, _program(words[start:]))


def understand(words: list[str]) -> LaunchLine:
    """A line to be traced. Raises UserError when the launcher or the program is missing, or when MPI is linked statically."""
    if not words:
        raise UserError("nothing to trace", "no command was given", "hakaru trace -- mpirun -n 8 ./program")
    line = read(words)
    if line.program.static:
        raise UserError(
            f"{line.program.path} cannot be traced",
            "MPI is linked into it statically, and a preloaded library replaces only shared ones",
            "link the program with the shared MPI library",
        )
    return line


def inject(line: LaunchLine, library: Path, folder: Path) -> LaunchLine:
    """The line that runs the same ranks with the tracer, writing into ``folder``."""
    preload = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))
    variables = {"LD_PRELOAD": preload, "HAKARU_TRACE_FOLDER": str(folder.resolve())}
    command, environment = line.command, {}
    if line.kind == "openmpi":
        option = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        command = _after_each_start(command, option)
    elif line.kind == "mpich":
        command = [
            command[0],
            *(w for name, value in variables.items() for w in ("-genv", name, value)),
            *command[1:],
        ]
    elif line.kind == "slurm":
        command = _exported(command, ",".join(f"{name}={value}" for name, value in variables.items()))
    else:
        environment = variables
    return LaunchLine(command, line.kind, line.program, environment)


def _after_each_start(command: list[str], option: list[str]) -> list[str]:
    """Open MPI's -x belongs to one program of ``mpirun -n 1 a : -n 1 b``."""
    result = [command[0], *option]
    for word in command[1:]:
        result += [word, *option] if word == ":" else [word]
    return result


def _exported(command: list[str], assignments: str) -> list[str]:
    for at, word in enumerate(command):
        if word.startswith("--export="):
            return [*command[:at], f"{word},{assignments}", *command[at + 1 :]]
    return [command[0], f"--export=ALL,{assignments}", *command[1:]]
