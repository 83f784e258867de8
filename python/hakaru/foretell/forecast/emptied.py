"""Runs with empty caches: the sizes that were measured, on the wanted layout, nothing of a phase's data in a cache when it begins.

What small problems then take of memory is what large ones take, whose data leave the caches: their growth is extrapolated, not a price.
"""

from hakaru.base.errors import UserError
from hakaru.facts.records import Record, RecordStore
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.models import LEAST_SIZES, relevant
from hakaru.run.campaign.plan import Plan, Runs
from hakaru.run.campaign.progress import Progress
from hakaru.run.campaign.runner import Outcome, run_plan

LAUNCHES = 5  # of each size
REPETITIONS, WARMUP = 2, 1


def measure(question: Question, progress: Progress | None = None) -> Outcome:
    """Makes those that are missing; their records are kept apart. Raises UserError where fewer than three sizes were measured on the layout,
    where nobody knows which phases leave the caches, and for a program that is not hakaru's own."""
    return run_plan(plan_of(question), RecordStore(question.folder), progress=progress)


def plan_of(question: Question) -> Plan:
    if question.machine is None or not question.machine.values("memory", "working_sets"):
        raise UserError(
            "--cold is given",
            f"which phases leave the caches is not known: no memory_bandwidth was measured into {question.folder}",
            "run hakaru probe memory_bandwidth first, or leave --cold away",
        )
    records = _one_of_each_size(question)
    if len(records) < LEAST_SIZES:
        what = f"{question.program} cannot be run with empty caches"
        why = f"{len(records)} smaller sizes were measured on this layout, and {LEAST_SIZES} are needed to see how the time grows"
        raise UserError(what, why, f"run at least {LEAST_SIZES} sizes of it first, or leave --cold away")
    layout = f"{question.all_ranks}x{question.threads}"
    return Plan(
        name="cold",
        cold=True,
        repeats=LAUNCHES,
        most_repeats=LAUNCHES,
        runs=[_runs(question.program, record, layout) for record in records],
    )


def _one_of_each_size(question: Question) -> list[Record]:
    """The newest on the wanted layout that the forecast rests on, of sizes below the wanted one, in the order of sizes."""
    found = relevant(question.records, question.wanted, question.work_of)
    layout = (question.all_ranks, question.threads)
    own = {record.work.size: record for record in found.records if (record.ranks, record.threads) == layout}
    return [own[size] for size in sorted(own) if size < question.wanted.size]


def _runs(program: str, record: Record, layout: str) -> Runs:
    return Runs(
        program=program,
        parameters=dict(record.work.parameters),
        layouts=[layout],
        repetitions=REPETITIONS,
        warmup=WARMUP,
    )
