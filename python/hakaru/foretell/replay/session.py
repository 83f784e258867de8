"""From what a person asked to the stored answers: one replay, a sweep, a sensitivity."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.records import new_id
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.replay import ranges, what_if
from hakaru.foretell.replay.copies import SELF
from hakaru.foretell.replay.documents.answer import (
    Answer,
    PhaseOfAnswer,
    PlacedRanks,
    Sends,
    Sensitivity,
    Setting,
    Sweep,
    SweptPoint,
)
from hakaru.foretell.replay.documents.result import PhaseOfResult, Result
from hakaru.foretell.replay.placement import shared_node
from hakaru.foretell.replay.question import Documents, Question
from hakaru.foretell.replay.sends import EXCHANGE, Change
from hakaru.run.campaign.progress import counting


def replay(question: Question, machine: Machine, told: Sequence[Setting]) -> Answer:
    """The answer on this machine with POP's efficiencies, which take a second replay on an ideal network."""
    asked, result = question.ask(machine)
    path, change = result.critical_path, question.choices.sends
    for text in change.assumed if change else ():
        asked.plan.told.assume(text)
    return Answer(
        id=new_id("replay"),
        created=now_text(),
        input=question.source.told(result.ranks, result.warnings),
        machine=machine.name,
        network=asked.network.model,
        placement=_placed(machine, asked, result.ranks),
        compute=asked.compute.told(),
        noise=asked.options.noise,
        collectives={"decision": asked.options.decision, **asked.network.collectives},
        time_s=result.makespan_s,
        breakdown_s=result.parts_s,
        messages=result.messages,
        bytes=result.message_bytes,
        phases=tuple(map(_phase, result.phases)),
        critical_path_s=path.kinds if path else None,
        engine=result.engine,
        efficiency=result.efficiency(question.ideal_s(asked)),
        facts=tuple(asked.plan.told.facts),
        assumed=tuple(asked.plan.told.assumed),
        set=tuple(told),
        forecast=None,
        sends=_compared(question, machine, result) if change else None,
    )


def _compared(question: Question, machine: Machine, changed: Result) -> Sends:
    """What the changed sends, with waits as late as can be, are compared with: two more replays."""
    change = question.choices.sends
    return Sends(
        way=change.way,
        changed=changed.changed_sends or 0,
        as_they_are_s=_as_they_are_s(question, machine),
        exchange_s=question.with_sends(Change(change.way, EXCHANGE)).time_s(machine),
    )


def _as_they_are_s(question: Question, machine: Machine) -> float | None:
    """None where the input as it is cannot progress on this machine."""
    try:
        return question.with_sends(None).time_s(machine)
    except UserError as error:
        if "cannot progress" in str(error):
            return None
        raise


def _placed(machine: Machine, asked: Documents, ranks: int) -> PlacedRanks:
    placed = asked.plan.placement
    return PlacedRanks(
        ranks_per_node=placed.ranks_per_node,
        nodes=placed.nodes(ranks),
        threads=placed.threads,
        levels=tuple(level for level in asked.network.levels if level != SELF),
        attention=shared_node(machine, placed, ranks),
    )


def _phase(phase: PhaseOfResult) -> PhaseOfAnswer:
    spread = phase.time_s
    return PhaseOfAnswer(
        name=phase.name,
        kind=phase.kind,
        minimum_s=spread.minimum,
        mean_s=spread.mean,
        maximum_s=spread.maximum,
    )


def sweep(
    question: Question, machine: Machine, base: Answer, words: Sequence[str], jobs: int | None
) -> Sweep:
    """The grid of one or two facts beside the machine as it is; ``complete`` is False after Ctrl-C."""
    sweeps = [ranges.sweep(machine, word) for word in words]
    with shown_progress() as progress:
        values, finished = what_if.grid(machine, sweeps, question.time_s, jobs, progress)
    ideal_s = base.efficiency.ideal_time_s
    return Sweep(
        id=new_id("sweep"),
        created=now_text(),
        base=base,
        bound=base.time_s / ideal_s if ideal_s and not _sweeps_computing(sweeps) else None,
        axes=tuple(what_if.axis(machine, one) for one in sweeps),
        points=tuple(
            SweptPoint(values=point, time_s=took, speed=base.time_s / took if took else None)
            for point, took in zip(values, finished.times_s, strict=True)
        ),
        complete=finished.complete,
    )


def make_share(
    question: Question,
    machine: Machine,
    base: Answer,
    words: Sequence[str],
    jobs: int | None,
    share: what_if.Share,
) -> tuple[int, bool]:
    """Replays one share of a sweep, or of the sensitivity where there is none, and keeps each; how many there were, and whether all are done.

    The same question without a share finds them."""
    with shown_progress() as progress:
        if words:
            sweeps = [ranges.sweep(machine, word) for word in words]
            complete = what_if.grid(machine, sweeps, question.time_s, jobs, progress, share)[1].complete
        else:
            paths = what_if.candidates(base.facts, machine)
            complete = what_if.sensitivity(
                machine, paths, base.time_s, question.time_s, jobs, progress, share
            )[1]
    return progress.done, complete


def _sweeps_computing(sweeps: Sequence[ranges.Sweep]) -> bool:
    """Computing that changes moves the bound as well."""
    return any(not one.path.startswith("network.") for one in sweeps)


def sensitivity(question: Question, machine: Machine, base: Answer, jobs: int | None) -> Sensitivity:
    """Which fact, costing a tenth less time, buys most."""
    paths = what_if.candidates(base.facts, machine)
    with shown_progress() as progress:
        rows, complete = what_if.sensitivity(machine, paths, base.time_s, question.time_s, jobs, progress)
    return Sensitivity(
        id=new_id("sensitivity"),
        created=now_text(),
        base=base,
        improvement=what_if.IMPROVEMENT,
        rows=tuple(rows),
        complete=complete,
    )


@contextmanager
def shown_progress() -> Iterator[what_if.Progress]:
    with counting("replay") as tell:
        yield what_if.Progress(step=lambda now: tell(now.done, now.total))


def page_path(results: Path, sweep_id: str, asked: Path | None) -> Path:
    return asked or results / "replays" / f"{sweep_id}.html"
