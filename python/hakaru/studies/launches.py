"""One launch of a study's program on this machine."""

from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.facts.records import RecordStore
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point
from hakaru.studies.kinds import Context


def launched(
    program: dict[str, Any],
    layout: Layout,
    context: Context,
    parameters: dict[str, Any] | None = None,
    repetitions: int = 1,
    warmup: int = 0,
    timeout_s: float = 600.0,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what the program says of itself at these parameters, the record). ``parameters`` come on top of those of the study's entry.
    Raises UserError when the program refuses the layout, or the launch failed."""
    name = program["program"]
    wanted = program.get("parameters", {}) | (parameters or {})
    described = native.describe(name, wanted, layout.ranks, layout.threads, program.get("preset"))[
        "evaluated"
    ]
    if described.get("refused"):
        raise UserError("it cannot run so", described["refused"], "choose other parameters")
    store = RecordStore(context.results)
    store.prepare()
    values = tuple(sorted(described["parameters"].items()))
    record = perform(Point(name, "run", values, layout, 1, repetitions, warmup), store, None, {}, timeout_s)
    if record.data["status"] != "ok":
        raise UserError("it failed", str(record.data["failure"]["reason"])[:200], "see its record")
    return described, record.data
