"""The JSON Schema of program files, made from their types; scripts/schemas.py writes it to schema/."""

import msgspec

from hakaru.facts.json_schema import Schema, explained, head, without_nulls
from hakaru.facts.programs.file import ProgramFile

TITLE = "How anybody's program is run, timed, verified and measured (NAME.toml)"
_PATTERN = (
    "Regular expression with one group around the value, looked for in each line that the program prints."
)
_TAKE = "Which of several matches counts, or their sum."
_UNIT = "Unit in which the program prints the time."

MEANINGS: dict[str, dict[str, str]] = {
    "ProgramFile": {
        "schema": "The version of this format.",
        "name": "Name of the program, under which its records are kept.",
        "command": "The launch line, in which {parameters}, {ranks}, {threads}, {cores} and {folder} have their values.",
        "title": "What the program does, in a few words.",
        "folder": "Folder in which the command runs and relative paths start; the folder of this file when it is left out.",
        "build": "Command that builds the program when it is not there, or when --build asks for it.",
        "ranks": "Numbers of ranks that it can use: any, even, power of 2, square, cube, or arithmetic of ranks.",
        "threads": "Numbers of threads of a rank that it can use; any when it is left out.",
        "size": "Arithmetic of parameters that gives the problem's size; their product when it is left out.",
        "size_meaning": "What the size counts, in words.",
        "timeout_s": "Time in seconds after which a launch is ended.",
        "trace": "Whether a share of the launches is traced.",
        "parameters": "The parameters that stand in the command and in inputs, by name.",
        "time": "Where the time of a run is found; the launch's own time counts when it is left out.",
        "phases": "Parts of the run whose times the program prints.",
        "checks": "What makes a result right.",
        "metrics": "Figures of merit that the program prints.",
        "inputs": "Files that each launch finds in a folder of its own.",
        "outputs": "Files that the run writes in which patterns are looked for, too.",
        "keep": "Patterns of file names that are kept beside the record.",
        "environment": "Variables of the environment, in which {parameters} have their values.",
        "modules": "Environment modules that are loaded before the command.",
        "work": "What the user knows of the work of one run, all ranks together.",
        "measure": "What hakaru measure runs when nobody says otherwise.",
    },
    "FileParameter": {
        "default": "The value when nothing is said.",
        "type": "What kind of value the parameter takes.",
        "role": "Whether the work grows with it (size), is proportional to it (steps), or depends on it otherwise.",
        "unit": "Unit of the value; 1 for counts and ratios.",
        "help": "What the parameter means.",
        "minimum": "The least value of a number.",
        "maximum": "The largest value of a number.",
        "choices": "The values that a choice can take.",
    },
    "FileTime": {
        "pattern": _PATTERN,
        "region": "Name of a region of MPI_Pcontrol whose time counts; every launch is traced then.",
        "unit": _UNIT,
        "take": _TAKE,
    },
    "FilePhase": {
        "name": "Name of the phase.",
        "pattern": _PATTERN,
        "kind": "Whether the phase computes, communicates, uses files or waits.",
        "unit": _UNIT,
        "take": _TAKE,
    },
    "FileCheck": {
        "name": "What is checked.",
        "pattern": _PATTERN,
        "value": "The value that it shall find; text has to be equal.",
        "tolerance": "How far the two may be apart, by the way of comparing.",
        "comparison": "How the two are compared.",
        "take": _TAKE,
        "command": "A command that ends with status 0 when the result is right.",
        "file": "A file that the run wrote, which shall equal the reference.",
        "reference": "The file that it shall equal, byte for byte.",
    },
    "FileMetric": {
        "name": "Name of the figure.",
        "pattern": _PATTERN,
        "unit": "Unit of the figure.",
        "better": "Whether a higher or a lower figure is better.",
        "take": _TAKE,
    },
    "FileInput": {
        "file": "Name of the file in the launch's own folder.",
        "template": "File in which {parameters} get their values; a copy of file is made when neither this nor text is given.",
        "text": "Text of the file, in which {parameters} get their values.",
    },
    "FileWork": {
        "flops": "Arithmetic of parameters that gives the floating-point operations of a run.",
        "bytes": "Arithmetic of parameters that gives the bytes that a run moves to and from memory.",
        "memory_bytes": "Arithmetic of parameters that gives the memory of all ranks together in bytes.",
    },
    "FileMeasure": {
        "parameters": "Values of parameters, which are crossed.",
        "ranks": "Numbers of MPI ranks.",
        "threads": "Numbers of threads of a rank.",
        "repeats": "Number of launches of each point.",
    },
}


def schema() -> Schema:
    parts = msgspec.json.schema(ProgramFile)["$defs"]
    parts = {name: explained(without_nulls(node), MEANINGS[name]) for name, node in parts.items()}
    whole = parts.pop("ProgramFile")
    return (
        head("program", TITLE)
        | {key: value for key, value in whole.items() if key != "title"}
        | {"$defs": parts}
    )
