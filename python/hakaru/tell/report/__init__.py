"""The report: one self-contained HTML file that opens offline, and is complete without its script."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hakaru.facts.forecasts import Forecast
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record

if TYPE_CHECKING:
    from hakaru.tell.report.precomputed import Precomputed


def write_report(
    path: str | Path,
    records: list[Record],
    machine: Machine,
    forecasts: list[Forecast],
    campaign_summary: dict | None = None,
    made: "Precomputed | None" = None,
) -> Path:
    """Write the report of records, machine and forecasts with their scores
    (docs/reference/contracts.md).

    ``campaign_summary`` is shown as it is, name beside value; ``made`` is what people may choose, without which
    there is no script. The same input gives the same file, byte by
    byte. The file appears whole or not at all. Raises ``UserError`` where it cannot be written.
    """
    from hakaru.base.errors import ENVIRONMENT, UserError
    from hakaru.tell.chart_data import ReportData
    from hakaru.tell.explain import explain
    from hakaru.tell.report.render import page

    explanation = explain(records, machine, forecasts)
    text = page(ReportData(records, machine, forecasts, explanation, campaign_summary or {}), made)
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        why = error.strerror or str(error)
        what = "choose another file with --output, or free the disk"
        raise UserError(f"cannot write the report {target}", why, what, ENVIRONMENT) from error
    return target
