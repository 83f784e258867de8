"""The engine's other documents: options that go in, the result that comes out (docs/reference/replay-engine.md)."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.foretell.replay import quantities
from hakaru.foretell.replay.compute import ComputePlan

DEFAULT_SEED = 20261121
LINKS = ("first_come", "max_min", "none")
LIBRARIES = ("openmpi", "mpich")  # whose choice of algorithms for collectives


def options(
    computing: ComputePlan,
    noise: dict[str, Any] | None,
    critical_path: bool,
    links: str = LINKS[0],
    mpi: str = LIBRARIES[0],
) -> dict[str, Any]:
    """The options document. The critical path takes memory in proportion to the operations."""
    result: dict[str, Any] = {
        "compute_factor": computing.factor,
        "critical_path": critical_path,
        "sharing": links,
        "decision": mpi,
    }
    if computing.team.fork_s:
        result["fork_s"] = computing.team.fork_s
    if computing.phase_factor:
        result["phase_factor"] = computing.phase_factor
    if computing.rates:
        result["roofline"] = {
            "flop_rate": computing.rates.flops_per_s,
            "memory_bandwidth": computing.rates.bytes_per_s,
            "write_allocate": computing.rates.write_allocate,
        }
    if noise:
        result["noise"] = noise
    return result


def noise(
    asked: str | None, mean_s: float | None, seed: int | None, of_machine: dict[str, Any] | None = None
) -> dict[str, Any] | None:
    """``machine`` (``of_machine``), ``2us`` (exponential, mean for each computation), ``exponential:2us``, ``gaussian:5%``,
    ``periodic:10ms:100us`` (a detour of the second every first), or a file of measured detours in s, one a line. ``mean_s`` overrides
    the mean of the second. Raises UserError.
    """
    if asked is None and mean_s is None:
        return None
    document = of_machine or (_noise(asked) if asked else {"kind": "exponential"})
    if mean_s is not None:
        if document["kind"] != "exponential":
            raise UserError(
                "noise.mean cannot be set",
                f"the noise asked for is {document['kind']}",
                "leave one of the two away",
            )
        document["mean_s"] = mean_s
    return document | {"seed": DEFAULT_SEED if seed is None else seed}


def _noise(text: str) -> dict[str, Any]:
    kind, *parts = text.split(":")
    try:
        if kind == "gaussian" and len(parts) == 1:
            return {"kind": kind, "relative_deviation": _amount(parts[0], "1")}
        if kind == "periodic" and len(parts) == 2:
            return {"kind": kind, "period_s": _amount(parts[0], "s"), "detour_s": _amount(parts[1], "s")}
        if kind == "exponential" and len(parts) == 1:
            return {"kind": kind, "mean_s": _amount(parts[0], "s")}
        if Path(text).is_file():
            return {"kind": "empirical", "samples_s": _samples(Path(text))}
        return {"kind": "exponential", "mean_s": _amount(text, "s")}
    except ValueError as error:
        raise UserError(
            f"the noise '{text}' is not understood",
            str(error),
            "write machine, 2us, gaussian:5%, periodic:10ms:100us, or name a file of detours in s",
        ) from None


def _amount(text: str, unit: str) -> float:
    value = quantities.parse(text, unit)
    if value < 0:
        raise ValueError(f"'{text}' is negative")
    return value


def _samples(path: Path) -> list[float]:
    words = re.split(r"[\s,]+", path.read_text().strip())
    samples = [_amount(word, "s") for word in words if word]
    if not samples:
        raise ValueError(f"{path} holds no detours")
    return samples


def ideal_network(network: dict[str, Any]) -> dict[str, Any]:
    """The same machine when messages cost nothing; files cost what they do."""
    kept = {"file_system": network["file_system"]} if "file_system" in network else {}
    return {"model": "loggp", "levels": {"core": {"latency_s": 0.0}}, **kept}


def _number(result: dict[str, Any], *names: str) -> float:
    for name in names:
        if isinstance(result.get(name), int | float):
            return float(result[name])
    raise UserError(
        "the replay engine's result lacks " + names[0],
        "it is of another version",
        "build hakaru again",
        ENVIRONMENT,
    )


def makespan_s(result: dict[str, Any]) -> float:
    return _number(result, "makespan_s")


@dataclass(frozen=True)
class Totals:
    """What the engine found. ``breakdown_s`` are means over ranks that add up to ``makespan_s``."""

    makespan_s: float
    ranks: int
    breakdown_s: dict[str, float]
    compute_mean_s: float
    compute_max_s: float
    messages: int
    bytes: int
    phases: list[dict[str, Any]]
    critical_path_s: dict[str, float] | None
    engine: str


def ranks_of(result: dict[str, Any]) -> int:
    return int(_number(result, "ranks"))


PARTS = ("compute", "runtime", "overhead", "file", "waiting")


def read_result(result: dict[str, Any]) -> Totals:
    """The engine's result; what a rank's parts leave of the time is waiting for the last one to finish."""
    makespan, ranks = makespan_s(result), ranks_of(result)
    spreads = result.get("breakdown", {})
    means = {part: _number(spreads.get(part, {}), "mean") for part in PARTS}
    means["waiting"] += max(makespan - sum(means.values()), 0.0)
    return Totals(
        makespan,
        ranks,
        means,
        means["compute"],
        _number(spreads["compute"], "maximum"),
        int(_number(result, "messages")),
        int(_number(result, "message_bytes")),
        [_phase(phase) for phase in result.get("phases", [])],
        (result.get("critical_path") or {}).get("kinds"),
        str(result.get("engine", "")),
    )


def _phase(phase: dict[str, Any]) -> dict[str, Any]:
    spread = {f"{name}_s": _number(phase["time_s"], name) for name in ("minimum", "mean", "maximum")}
    return {"name": phase["name"], "kind": phase["kind"], **spread}
