"""Top-down accounting by the processor's own events (Yasin, ISPASS 2014), where perf_event_open(2) opens them.

What a slot of the pipeline was for: work that retired; work thrown away; waiting for instructions (front end); waiting for memory,
and for anything else behind (back end). Events and formulas: Intel, topdown events of the kernel's own list (tools/perf/Documentation/
topdown.txt); AMD, Performance Monitor Counters for family 19h models 10h and on and 1Ah, "pipeline utilization" (as in the kernel's
tools/perf/pmu-events); Arm, "Topdown methodology" of the Neoverse cores.
"""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.studies.told import Told

RETIRING, SPECULATION, FRONT, MEMORY, OTHER = SHARES = (
    "retiring",
    "bad speculation",
    "front end",
    "memory and caches",
    "other back end",
)
DEVICES = "sys/bus/event_source/devices"
RAW = 4  # PERF_TYPE_RAW

Counts = Mapping[str, float]


@dataclass(frozen=True)
class Event:
    """``group``: events of one group are counted together; the first leads."""

    name: str
    group: int
    kind: int
    config: int

    @property
    def word(self) -> str:
        """As the driver takes it."""
        return f"{self.group}:{self.kind}:{self.config:x}"


@dataclass(frozen=True)
class Method:
    """``shares`` of slots from counts by event name."""

    name: str
    events: tuple[Event, ...]
    shares: Callable[[Counts], dict[str, float]]


def method(root: Path = Path("/"), machine: str | None = None) -> Method | None:
    """Of the processor below ``root``; None where no events of this kind are known."""
    devices = root / DEVICES
    for name in ("cpu_core", "cpu"):
        if (devices / name / "events" / "topdown-retiring").exists():
            return intel(devices / name)
    if (machine or platform.machine()) in ("aarch64", "arm64"):
        found = sorted(devices.glob("armv*_pmu*")) if devices.exists() else []
        told = [one for one in found if (one / "events" / "stall_slot_backend").exists()]
        return arm(told[0]) if told else None
    slots = amd_slots(_cpuinfo(root)) if (devices / "cpu").exists() else None
    return amd(slots) if slots else None


def _cpuinfo(root: Path) -> dict[str, str]:
    try:
        text = (root / "proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def amd_slots(told: Mapping[str, str]) -> int | None:
    """Dispatch slots of a cycle: 6 of Zen 4 (family 19h, models 10h-1Fh, 60h-AFh), 8 of Zen 5 (1Ah); None where events are others."""
    if told.get("vendor_id") != "AuthenticAMD":
        return None
    family, model = (int(told.get(one, "0")) for one in ("cpu family", "model"))
    if family == 0x19 and (0x10 <= model <= 0x1F or 0x60 <= model <= 0xAF):
        return 6
    return 8 if family == 0x1A else None


def amd(slots_of_a_cycle: int) -> Method:
    """Seven events in two groups: there are six counters."""
    codes = {
        "cycles": (0, 0x076, 0x00),  # ls_not_halted_cyc
        "no ops": (0, 0x1A0, 0x01),  # de_no_dispatch_per_slot.no_ops_from_frontend
        "stalls": (0, 0x1A0, 0x1E),  # de_no_dispatch_per_slot.backend_stalls
        "dispatched": (0, 0x0AA, 0x07),  # de_src_op_disp.all
        "retired": (0, 0x0C1, 0x00),  # ex_ret_ops
        "not complete": (1, 0x0D6, 0x02),  # ex_no_retire.not_complete
        "load not complete": (1, 0x0D6, 0xA2),  # ex_no_retire.load_not_complete
    }
    events = tuple(
        Event(name, group, RAW, code & 0xFF | unit << 8 | (code >> 8) << 32)
        for name, (group, code, unit) in codes.items()
    )

    def shares(counts: Counts) -> dict[str, float]:
        slots = slots_of_a_cycle * counts["cycles"]
        stalled = counts["stalls"] / slots
        memory = counts["load not complete"] / counts["not complete"] if counts["not complete"] else 0.0
        return {
            RETIRING: counts["retired"] / slots,
            SPECULATION: max(0.0, counts["dispatched"] - counts["retired"]) / slots,
            FRONT: counts["no ops"] / slots,
            MEMORY: stalled * min(1.0, memory),
            OTHER: stalled * (1.0 - min(1.0, memory)),
        }

    return Method(f"AMD's pipeline utilization, {slots_of_a_cycle} slots a cycle", events, shares)


def intel(device: Path) -> Method:
    """Slots lead the only group; memory is told apart where the processor does (topdown-mem-bound)."""
    names = ["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"]
    if split := (device / "events" / "topdown-mem-bound").exists():
        names.append("topdown-mem-bound")
    kind = int((device / "type").read_text())
    events = tuple(Event(name, 0, kind, encoded(device, name)) for name in names)

    def shares(counts: Counts) -> dict[str, float]:
        slots = sum(counts[name] for name in names[1:5])
        back = counts["topdown-be-bound"] / slots
        memory = counts["topdown-mem-bound"] / slots if split else 0.0
        return {
            RETIRING: counts["topdown-retiring"] / slots,
            SPECULATION: counts["topdown-bad-spec"] / slots,
            FRONT: counts["topdown-fe-bound"] / slots,
            MEMORY: min(back, memory),
            OTHER: max(0.0, back - memory),
        }

    return Method("Intel's top-down metrics" + ("" if split else ", memory not told apart"), events, shares)


def arm(device: Path) -> Method:
    """Slots are those of an issue; memory is not told apart at this level."""
    names = ("cpu_cycles", "stall_slot_frontend", "stall_slot_backend", "op_retired", "op_spec")
    kind = int((device / "type").read_text())
    width = int((device / "caps" / "slots").read_text(), 0)
    events = tuple(Event(name, 0, kind, encoded(device, name)) for name in names)

    def shares(counts: Counts) -> dict[str, float]:
        slots = width * counts["cpu_cycles"]
        front, back = counts["stall_slot_frontend"] / slots, counts["stall_slot_backend"] / slots
        used = 1.0 - front - back
        kept = counts["op_retired"] / counts["op_spec"] if counts["op_spec"] else 1.0
        return {
            RETIRING: used * kept,
            SPECULATION: used * (1.0 - kept),
            FRONT: front,
            MEMORY: 0.0,
            OTHER: back,
        }

    return Method(f"Arm's top-down metrics, {width} slots a cycle, memory not told apart", events, shares)


def encoded(device: Path, name: str) -> int:
    """``event=0x00,umask=0x80`` of the kernel's list. Raises UserError for what is none."""
    text = (device / "events" / name).read_text().strip()
    parts = dict(part.split("=") for part in text.split(",") if "=" in part)
    if not parts.keys() <= {"event", "umask"} or "event" not in parts:
        raise UserError(f"the event {name} cannot be read", f"{device} says '{text}'", "report it")
    return int(parts["event"], 0) | int(parts.get("umask", "0"), 0) << 8


def read(found: Told, events: tuple[Event, ...]) -> dict[str, float]:
    """Counts by name of event. Raises UserError when the program could not count."""
    if "uncounted" in found.values:
        raise UserError(
            f"{found.program} could not count", f"error {found.text('uncounted')}", "see hakaru doctor"
        )
    pairs = (line.split() for line in found.values.get("count", []))
    counts = {events[int(place)].name: float(value) for place, value in pairs}
    if len(counts) < len(events):
        raise UserError(
            f"{found.program} could not count", f"{len(counts)} of {len(events)} events", "report it"
        )
    return counts
