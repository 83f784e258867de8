"""A profile from the samples that the watcher left."""

import os
import subprocess
from pathlib import Path

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts import native
from hakaru.facts.traces.profile import Profile, ProfiledProcess, StackSamples
from hakaru.run.tracing.samples import Process, Samples, Stack

TOOL = "hakaru_trace_profile"
SAMPLES = "*.hks"
FALSE_STATES = {
    "missing": "is not there any more",
    "changed": "is not the file that ran",
    "unreadable": "is no ELF file",
}


def profile(raw: Path) -> Profile | None:
    """None without samples. Raises UserError when the tool is not built or ends with an error."""
    if not any(raw.glob(SAMPLES)):
        return None
    done = subprocess.run([str(native.tool(TOOL)), str(raw)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix(f"{TOOL}: ")
        raise UserError(said or f"{TOOL} ended with status {done.returncode}", exit_code=ENVIRONMENT)
    return composed(msgspec.json.decode(done.stdout, type=Samples))


def composed(told: Samples) -> Profile | None:
    """Of what the tool prints; None when no process has a sample."""
    processes, stacks, warnings = [], [], list(told.refused)
    for process in told.processes:
        number = len(processes)
        own = [_stack(stack, number, process.period_s) for stack in process.stacks]
        processes.append(_process(process, own))
        stacks += own
        warnings += _warnings(process, processes[-1])
    if not stacks and not warnings:
        return None
    warnings += [
        f"{module.path} {FALSE_STATES[module.state]}: its addresses have no names"
        for module in told.modules
        if module.state in FALSE_STATES and module.path.startswith("/")
    ]
    return Profile.of(processes, told.modules, told.frames, stacks, warnings)


def _stack(stack: Stack, process: int, period_s: float) -> StackSamples:
    return StackSamples(
        process=process,
        thread=stack.thread,
        phase=stack.phase,
        frames=stack.frames,
        walked=stack.walked,
        samples=stack.samples,
        seconds=stack.periods * period_s,
    )


def _process(process: Process, stacks: list[StackSamples]) -> ProfiledProcess:
    return ProfiledProcess(
        rank=process.rank if process.rank >= 0 else None,
        world=process.world_id,
        host=process.host,
        process_id=process.process_id,
        program=process.program,
        period_s=process.period_s,
        samples=sum(stack.samples for stack in stacks),
        seconds=sum(stack.seconds for stack in stacks),
        complete=process.ended and not process.damage and not process.lost and not process.stepped_aside,
        threads=process.threads,
    )


def name(process: ProfiledProcess) -> str:
    """``rank 3``, or what stands for it."""
    who = f"process {process.process_id} on {process.host}"
    if process.rank is None:
        return who
    return f"rank {process.rank}" + (f" of a spawned world ({who})" if process.world != "0" else "")


def _warnings(process: Process, told: ProfiledProcess) -> list[str]:
    who, found = name(told), []
    if process.damage:
        found.append(f"{process.file}, samples of {who}: {process.damage}; what stands before it is shown")
    if process.lost:
        found.append(f"{who} lost its last {process.lost} samples ({os.strerror(process.lost_reason)})")
    if process.stepped_aside:
        found.append(f"{who} took the signal of the sampler for itself: its samples end there")
    if not process.ended and not process.damage and not process.stepped_aside:
        found.append(f"{who} was killed, or its samples are cut: they end without an end")
    return found
