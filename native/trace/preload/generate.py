"""Writes the wrappers of an MPI library: ``generate.py PREPROCESSED_MPI_H OUTPUT_FOLDER [CALLS_TOML]``.

The input is mpi.h after the preprocessor; calls.toml says what each wrapper records. Standard library only."""

import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
PROTOTYPE = re.compile(r"([A-Za-z_][\w\s*]*?)\b(P?MPI_\w+)\s*\(((?:[^;(){}]|\([^;(){}]*\))*)\)\s*;")
GROUPS = ["other", "point_to_point", "completion", "probe", "collective", "communicator", "one_sided", "file"]
GROUPS += ["environment", "datatype"]
NOT_COLLECTIVE, COVERED, UNCOVERED = 255, 1, 2
NOT_FROM_MEMORY = {0, *range(11, 17)}  # barriers and reductions


class TableError(Exception):
    """The table and mpi.h contradict each other."""


@dataclass
class Prototype:
    returns: str
    parameters: list[str]  # "const void *buf"; empty for (void)

    def names(self) -> list[str]:
        return [identifier(text)[0] for text in self.parameters]


@dataclass
class Call:
    """One wrapper. ``keys`` fill the braces of ``before``, ``after`` and ``given``, which the library gets for the parameter ``replaced``."""

    name: str
    group: str
    operation: int = NOT_COLLECTIVE
    parameters: list[str] = field(default_factory=list)
    before: str = ""
    after: str = ""
    status: str = ""
    always: bool = False
    replaced: str = ""
    given: str = ""


def identifier(parameter: str) -> tuple[str, int, int]:
    """The name in ``int (*f)[]``, ``const int ranges[][3]``, ``MPI_Comm *comm``, and where it stands."""
    found = re.search(r"\(\s*\**\s*(\w+)", parameter) or re.search(
        r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", parameter.rstrip()
    )
    return found.group(1), found.start(1), found.end(1)


def split_parameters(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    parts.append(current.strip())
    return [] if parts in ([""], ["void"]) else parts


def prototypes(header: str) -> dict[str, Prototype]:
    """The functions MPI_* of a preprocessed mpi.h that also exist as PMPI_*."""
    text = re.sub(r"^#.*$", "", header, flags=re.M)
    for _ in range(3):
        text = ATTRIBUTE.sub(" ", text)
    found = {}
    for returns, name, parameters in PROTOTYPE.findall(text):
        if "typedef" not in returns and "return" not in returns:
            found.setdefault(
                name, Prototype(" ".join(returns.split()), split_parameters(" ".join(parameters.split())))
            )
    return {name: p for name, p in found.items() if name.startswith("MPI_") and f"P{name}" in found}


def fill(template: str, keys: dict) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: str(keys[m.group(1)]), template)


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def call_of(name: str, shared: dict, keys: dict) -> Call:
    both = shared | keys
    return Call(
        name=f"MPI_{name}",
        group=both["group"],
        operation=both.get("operation", NOT_COLLECTIVE),
        parameters=words(both["parameters"]),
        before=fill(both.get("before", ""), both),
        after=fill(both["after"], both),
        status=both.get("status", ""),
        always=both.get("always", False),
        replaced=both.get("replaced", ""),
        given=fill(both.get("with", ""), both),
    )


COLLECTIVE_AFTER = """{{
    hk_communicator* k = hk_communicator_of(comm);
    uint64_t n = (uint64_t)hk_ranks(k);
    const hk_vector none = {{0}};
    int at_root = {at_root}, leaf = {leaf}, in_place = {in_place};
    (void)n, (void)none, (void)at_root, (void)leaf, (void)in_place;
    hk_transfer t = {{.root = {root}, .flags = in_place ? HAKARU_COLLECTIVE_IN_PLACE : 0}};
    t.sent = {sent};
    t.received = {received};
    t.out = {out};
    t.in = {incoming};
    hk_post_collective(&call, k, &t, {request}, {persistent});
  }}"""


def collective_forms(entry: dict) -> list[Call]:
    """Blocking, non-blocking and persistent wrapper of one collective."""
    name, root = entry["name"], entry.get("root")
    forms = [
        (name, [], "NULL", 0),
        ("I" + name[0].lower() + name[1:], ["request"], "request", 0),
        (f"{name}_init", ["info", "request"], "request", 1),
    ]
    calls = []
    for form, more, request, persistent in forms:
        after = COLLECTIVE_AFTER.format(
            at_root=f"hk_is_root(k, {root})" if root else "0",
            leaf=f"hk_is_leaf(k, {root})" if root else "1",
            in_place=f"({entry['in_place']} == MPI_IN_PLACE)" if "in_place" in entry else "0",
            root=root or "HAKARU_RAW_NO_ROOT",
            sent=entry.get("sent", "0"),
            received=entry.get("received", "0"),
            out=entry.get("out", "none"),
            incoming=entry.get("in", "none"),
            request=request,
            persistent=persistent,
        )
        parameters = [*words(entry["parameters"]), *more]
        calls.append(Call(f"MPI_{form}", "collective", entry["operation"], parameters, after=after))
    return calls


def transfer_calls(entry: dict) -> list[Call]:
    """Reading and writing forms of MPI-IO."""
    calls = []
    for keys in entry["calls"]:
        collective = "COLLECTIVE" in keys["flags"]
        for verb in ("read", "write"):
            filled = keys | {"operation": f"HAKARU_FILE_{verb.upper()}", "group": "file"}
            call = call_of(keys["name"].format(verb=verb), entry, filled)
            call.operation = 254 if collective else NOT_COLLECTIVE
            calls.append(call)
    return calls


def table_calls(table: dict) -> dict[str, Call]:
    calls = [call_of(keys["name"], shared, keys) for shared in table["class"] for keys in shared["calls"]]
    calls += [
        call for block in table["collective"] for entry in block["calls"] for call in collective_forms(entry)
    ]
    calls += [call for entry in table["transfer"] for call in transfer_calls(entry)]
    calls += [Call(f"MPI_{name}", "environment") for name in table["by_hand"]["names"]]
    named = {call.name: call for call in calls}
    if len(named) != len(calls):
        raise TableError("a call stands twice in the table")
    return named


def chosen_calls(table: dict, known: dict[str, Prototype]) -> list[tuple[str, Call | None]]:
    """(name in mpi.h, its entry): None when it is only counted. Local calls are left out."""
    covered = table_calls(table)
    local = re.compile("MPI_(" + "|".join(table["local"]["names"]) + ")")
    chosen = []
    for name in sorted(known):
        entry = covered.get(name) or covered.get(name.removesuffix("_c"))
        if entry or not local.fullmatch(name):
            chosen.append((name, entry))
    return chosen


def renamed(prototype: Prototype, names: list[str], call: str) -> list[str]:
    """The parameters of mpi.h by the table's names."""
    if len(names) != len(prototype.parameters):
        raise TableError(
            f"{call} has {len(prototype.parameters)} parameters in mpi.h and {len(names)} in the table"
        )
    result = []
    for text, name in zip(prototype.parameters, names, strict=True):
        old, start, end = identifier(text)
        bare = text.rstrip().endswith("*") or (start == 0 and " " not in text)  # a type without a name
        result.append(f"{text} {name}" if bare else text[:start] + name + text[end:])
    return result


WRAPPER = """
EXPORT int {name}({parameters}) {{
  hk_call call;
  if (!hk_enter(&call, HK_ID_{name})) return hk_real.{name}({arguments});
{before}{around[0]}  int outcome = hk_real.{name}({given});
{around[1]}  hk_leave(&call, outcome);
{sent}  {after}
  return outcome;
}}
EXPORT int P{name}({parameters}) __attribute__((alias("{name}")));
"""
FILE_CALL = ("  hk_inside_file = 1;\n", "  hk_inside_file = 0;\n")  # POSIX calls below it are on its file
OWN_STATUS = """  MPI_Status own_status;
  if ({0} == MPI_STATUS_IGNORE) {0} = &own_status;
"""
COUNTER = """
EXPORT {returns} {name}({parameters}) {{
  hk_count_uncovered(HK_ID_{name});
  return hk_real.{name}({arguments});
}}
EXPORT {returns} P{name}({parameters}) __attribute__((alias("{name}")));
"""


def sends_from_memory(call: Call) -> bool:
    """Whether its first parameter is the memory that it sends; reductions send copies."""
    if call.group == "collective":
        return call.operation not in NOT_FROM_MEMORY
    return re.match(r"hk_post_i?send", call.after) is not None


def wrapper(name: str, call: Call, prototype: Prototype) -> str:
    return wrapper_text(name, call, ", ".join(renamed(prototype, call.parameters, name)) or "void")


def wrapper_text(name: str, call: Call, parameters: str) -> str:
    before = OWN_STATUS.format(call.status) if call.status else ""
    before += f"  {call.before}\n" if call.before else ""
    after = (
        call.after
        if call.always
        else f"if (!call.success)\n    hk_post_plain(&call);\n  else\n    {call.after}"
    )
    arguments = ", ".join(call.parameters)
    given = ", ".join(call.given if name == call.replaced else name for name in call.parameters)
    return WRAPPER.format(
        name=name,
        parameters=parameters,
        arguments=arguments,
        given=given,
        before=before,
        after=after,
        sent=f"  call.from = {call.parameters[0]};\n" if sends_from_memory(call) else "",
        around=FILE_CALL if call.group == "file" else ("", ""),
    )


def counter(name: str, prototype: Prototype) -> str:
    return COUNTER.format(
        returns=prototype.returns.removeprefix("extern "),
        name=name,
        parameters=", ".join(prototype.parameters) or "void",
        arguments=", ".join(prototype.names()),
    )


def real_header(chosen: list[tuple[str, Call | None]]) -> str:
    lines = ["#ifndef HAKARU_TRACE_REAL_H", "#define HAKARU_TRACE_REAL_H", "#include <mpi.h>"]
    lines += [f"#define HK_ID_{name} {number}u" for number, (name, _) in enumerate(chosen)]
    lines += ["/* The library's own functions. */", "typedef struct {"]
    lines += [f"  __typeof__(&{name}) {name};" for name, _ in chosen]
    return "\n".join([*lines, "} hk_functions;", "extern hk_functions hk_real;", "#endif", ""])


def source(chosen: list[tuple[str, Call | None]], known: dict[str, Prototype]) -> str:
    parts = [
        '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include "post.h"\n#include "real.h"\n',
        '#define EXPORT __attribute__((visibility("default")))\n#define B(count, type) hk_bytes(count, type)\n',
        "hk_functions hk_real;\n\nvoid hk_resolve(void) {\n",
        "".join(
            f'  hk_real.{name} = (__typeof__(hk_real.{name}))dlsym(RTLD_NEXT, "P{name}");\n'
            for name, _ in chosen
        ),
        "}\n\nconst hakaru_raw_call hk_calls[] = {\n",
    ]
    for name, call in chosen:
        group = GROUPS.index(call.group) if call else 0
        operation = call.operation if call else NOT_COLLECTIVE
        parts.append(f'  {{"{name}", {COVERED if call else UNCOVERED}, {operation}, {group}}},\n')
    parts.append("};\nconst uint32_t hk_call_count = sizeof hk_calls / sizeof *hk_calls;\n")
    for name, call in chosen:
        if call is None:
            parts.append(counter(name, known[name]))
        elif call.group != "environment":
            parts.append(wrapper(name, call, known[name]))
    return "".join(parts)


def main(arguments: list[str]) -> int:
    header, output = Path(arguments[0]), Path(arguments[1])
    table_file = Path(arguments[2]) if len(arguments) > 2 else Path(__file__).with_name("calls.toml")
    known = prototypes(header.read_text())
    if "MPI_Send" not in known:
        print(f"{header} declares no MPI functions (is it mpi.h after the preprocessor?)", file=sys.stderr)
        return 2
    try:
        chosen = chosen_calls(tomllib.loads(table_file.read_text()), known)
        text = source(chosen, known)
    except TableError as error:
        print(f"{table_file}: {error}", file=sys.stderr)
        return 2
    output.mkdir(parents=True, exist_ok=True)
    (output / "real.h").write_text(real_header(chosen))
    (output / "wrappers.c").write_text(text)
    uncovered = [name for name, call in chosen if call is None]
    print(
        f"{len(chosen) - len(uncovered)} calls covered, {len(uncovered)} only counted: {', '.join(uncovered)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
