"""LMbench's programs: the line that measures each item of its summary, and its figure in s or B/s."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.own.bench import on_one_core

SIZE_MIB = 64  # of memory, beyond the last cache of most processors
FILE_MIB = 16
ARITHMETIC = {"integer": "intgr", "int64": "int64", "float": "float", "double": "double"}
OF_INTEGERS = {"bit": "bit", "add": "add", "mul": "mul", "div": "div", "mod": "mod"}
OF_REALS = {"add": "add", "mul": "mul", "div": "div", "bogo": "bogomflops"}
MEMORY = {
    "Bcopy (libc)": "bcopy",
    "Bcopy (hand)": "fcp",
    "Bcopy (partial)": "cp",
    "Mem read": "frd",
    "Mem write": "fwr",
    "Mem partial read": "rd",
    "Mem partial write": "wr",
    "Mem partial r/w": "rdwr",
    "Mem fill": "bzero",
}
MICRO = r"([\d.]+) microseconds"
LIMIT_S = 120.0
WRITTEN_AT_ONCE = 8 << 10  # of lmdd, by which LMbench's script makes its file, and of the probe
FEW = ("-N", "3")  # of samples, where each lasts a second or more
LEAST_S = 0.02  # of a sample of either: several passes of SIZE_MIB


@dataclass(frozen=True)
class Peer:
    """``words``: program and arguments, in which {file} and {folder} stand for places; ``server``: has to be started with -s and stopped with -S.
    ``pattern`` finds the figure (its last match), ``scale`` makes SI of it; ``inverse``: it is operations a second.
    ``also``: a second line, of both of which the item is the mean."""

    words: tuple[str, ...]
    pattern: str = MICRO
    scale: float = 1e-6
    inverse: bool = False
    server: str = ""
    also: tuple[str, ...] = ()


def _calls() -> dict[str, Peer]:
    return {
        "null call": Peer(("lat_syscall", "null")),
        "null I/O": Peer(("lat_syscall", "read"), also=("lat_syscall", "write")),
        "stat": Peer(("lat_syscall", "stat", "{small}")),
        "open clos": Peer(("lat_syscall", "open", "{small}")),
        "10fd slct TCP": Peer(("lat_select", "-n", "10", "tcp")),
        "slct TCP": Peer(("lat_select", "-n", "100", "tcp")),
        "10fd selct": Peer(("lat_select", "-n", "10", "file")),
        "100fd selct": Peer(("lat_select", "-n", "100", "file")),
        "sig inst": Peer(("lat_sig", "install")),
        "sig hndl": Peer(("lat_sig", "catch")),
        "Prot Fault": Peer(("lat_sig", "prot", "{small}")),
        "fork proc": Peer(("lat_proc", "fork")),
        "exec proc": Peer(("lat_proc", "exec")),
        "sh proc": Peer(("lat_proc", "shell")),
    }


def _local() -> dict[str, Peer]:
    rate = r"([\d.]+) MB/sec"
    host = "localhost"
    return {
        "Pipe": Peer(("lat_pipe", *FEW)),
        "AF UNIX": Peer(("lat_unix",)),
        "UDP": Peer(("lat_udp", *FEW, host), server="lat_udp"),
        "TCP": Peer(("lat_tcp", "-m", "4", host), server="lat_tcp"),
        "RPC/UDP": Peer(("lat_rpc", *FEW, "-p", "udp", host), server="lat_rpc"),
        "RPC/TCP": Peer(("lat_rpc", *FEW, "-p", "tcp", host), server="lat_rpc"),
        "TCP conn": Peer(("lat_connect", host), server="lat_connect"),
        "Pipe bandwidth": Peer(("bw_pipe", *FEW), rate, 1e6),
        "AF UNIX bandwidth": Peer(("bw_unix", *FEW), rate, 1e6),
        "TCP bandwidth": Peer(
            ("bw_tcp", *FEW, "-W", "100000", "-m", "10m", host), rate, 1e6, server="bw_tcp"
        ),
    }


def _files() -> dict[str, Peer]:
    size = f"{FILE_MIB}m"
    found = {
        "Mmap Latency": Peer(("lat_mmap", size, "{file}"), r"[\d.]+ ([\d.]+)"),
        "Page Fault": Peer(("lat_pagefault", "{file}")),
        "File reread": Peer(("bw_file_rd", size, "io_only", "{file}"), r"[\d.]+ ([\d.]+)", 1e6),
        "File open2close": Peer(("bw_file_rd", size, "open2close", "{file}"), r"[\d.]+ ([\d.]+)", 1e6),
        "Mmap reread": Peer(("bw_mmap_rd", size, "mmap_only", "{file}"), r"[\d.]+ ([\d.]+)", 1e6),
        "Mmap open2close": Peer(("bw_mmap_rd", size, "open2close", "{file}"), r"[\d.]+ ([\d.]+)", 1e6),
    }
    for kibibytes in (0, 1, 4, 10):
        line = ("lat_fs", *(("-s", f"{kibibytes}k") if kibibytes else ()), "{folder}")
        row = rf"^{kibibytes}k\s+\d+\s+"
        found[f"{kibibytes}K File Create"] = Peer(line, row + r"(\d+)", 1.0, True)
        found[f"{kibibytes}K File Delete"] = Peer(line, row + r"\d+\s+(\d+)", 1.0, True)
    return found


def _memory() -> dict[str, Peer]:
    size = f"{SIZE_MIB}m"
    found = {name: Peer(("bw_mem", size, what), r"[\d.]+ ([\d.]+)", 1e6) for name, what in MEMORY.items()}
    chain = r"^[\d.]+ ([\d.]+)$"  # the last line is of the whole size
    found["Main mem"] = Peer(("lat_mem_rd", "-N", "1", str(SIZE_MIB), "128"), chain, 1e-9)
    found["Rand mem"] = Peer(("lat_mem_rd", "-N", "1", "-t", str(SIZE_MIB), "128"), chain, 1e-9)
    for group, prefix in ARITHMETIC.items():
        operations = OF_REALS if group in ("float", "double") else OF_INTEGERS
        for ours, theirs in operations.items():
            pattern = rf"^{group} {theirs}: ([\d.]+) nanoseconds"
            found[f"{prefix} {ours}"] = Peer(("lat_ops",), pattern, 1e-9)
    return found


def _switches() -> dict[str, Peer]:
    return {
        f"{processes}p/{kibibytes}K ctxsw": Peer(
            ("lat_ctx", "-s", str(kibibytes), str(processes)), rf"^{processes} ([\d.]+)"
        )
        for processes in (2, 8, 16, 24, 32, 64, 96)
        for kibibytes in (0, 4, 16, 32, 64)
    }


def peers() -> dict[str, Peer]:
    """By item; bandwidths of what also has a latency are called so."""
    return _calls() | _local() | _files() | _memory() | _switches()


def figure(peer: Peer, text: str) -> float | None:
    """In s or B/s; None where the program said nothing."""
    found = [float(one) for one in re.findall(peer.pattern, text, re.MULTILINE)]
    value = sum(found[-2:]) / 2.0 if peer.also and len(found) > 1 else found[-1] if found else 0.0
    if value <= 0.0:
        return None
    return 1.0 / value if peer.inverse else peer.scale * value


def timing(binaries: Path) -> dict[str, str]:
    """What LMbench's own script finds out once for all its programs: the costs of its clock and of its loop. Without it each program asks
    anew, and a noisy machine lets it ask for samples of a second."""
    known = {"ENOUGH": f"{1e6 * LEAST_S:.0f}"}
    for name, program in (("TIMING_O", "timing_o"), ("LOOP_O", "loop_o")):
        path = binaries / program
        done = subprocess.run([path], capture_output=True, text=True, timeout=LIMIT_S, env=os.environ | known)
        known[name] = done.stdout.strip() or done.stderr.strip()
    return known


def runner(binaries: Path, folder: Path) -> Callable[[Peer], str]:
    """What a program of LMbench says. ``folder`` gets the files that it reads. On one core: a context switch to another costs several
    times as much as one on the same, and kernels place processes as they like."""
    environment = timing(binaries) | os.environ
    places = {"file": folder / "large", "small": folder / "small", "folder": folder}
    if not places["file"].exists():
        with places["file"].open("wb", buffering=0) as file:
            for _ in range((FILE_MIB << 20) // WRITTEN_AT_ONCE):
                file.write(os.urandom(WRITTEN_AT_ONCE))
        places["small"].write_bytes(bytes(8))

    def run(words: Sequence[str]) -> str:
        line = [*on_one_core(), str(binaries / words[0]), *(word.format(**places) for word in words[1:])]
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=LIMIT_S, cwd=folder, env=environment
        )
        return done.stdout + done.stderr

    def said(peer: Peer) -> str:
        if not peer.server:
            return run(peer.words) + (run(peer.also) if peer.also else "")
        server = subprocess.Popen(
            [*on_one_core(), str(binaries / peer.server), "-s"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server.wait()
        try:
            return run(peer.words)
        finally:
            run((peer.server, "-S", "localhost"))

    return said
