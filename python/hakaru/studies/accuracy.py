"""What ``hakaru accuracy --machines`` prints: forecasts against results that others published."""

import sys

from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.base.tables import print_table
from hakaru.facts.records.provenance import now_text
from hakaru.studies import load
from hakaru.studies.run import run_study


def of_published(study: str, as_json: bool) -> None:
    """The table of errors of a study of published results, the worst kind first."""
    result = run_study(load(study), results_folder(None), False, _say)
    table = result.sections[0]
    if as_json:
        rows = [dict(zip(table.columns, line, strict=True)) for line in table.lines]
        print_json({"made": now_text(), "kinds": rows, "summary": result.summary})
        return
    print_table(f"{table.title} ({now_text()})", table.columns, table.lines)
    for line in result.summary[3:]:
        print(line)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
