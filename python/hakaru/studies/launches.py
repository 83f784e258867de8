"""One launch of a study's program on this machine."""

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.work import Parameters, Work
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry


def launched(
    entry: Entry,
    layout: Layout,
    context: Context,
    parameters: Parameters | None = None,
    repetitions: int = 1,
    warmup: int = 0,
    timeout_s: float = 600.0,
) -> tuple[Work, Record]:
    """(what the program says of itself at these parameters, the record). ``parameters`` come on top of those of the study's entry.
    Raises UserError when the program refuses the layout, or the launch failed."""
    name, wanted = entry.program, entry.parameters | (parameters or {})
    described = programs.named(name).describe(wanted, layout.ranks, layout.threads, entry.preset)
    work = described.evaluated
    if work.refused:
        raise UserError("it cannot run so", work.refused, "choose other parameters")
    store = RecordStore(context.results)
    store.prepare()
    values = tuple(sorted(work.parameters.items()))
    record = perform(Point(name, "run", values, layout, 1, repetitions, warmup), store, None, None, timeout_s)
    if record.failure:
        raise UserError("it failed", record.failure.reason[:200], "see its record")
    return work, record
