"""From explained data to one HTML page: charts by section, tables, texts; jinja2 escapes all of them."""

from dataclasses import dataclass
from pathlib import Path

from hakaru.base import units
from hakaru.facts.records import Record
from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import layout_name
from hakaru.tell.chart_data import ReportData
from hakaru.tell.charts import charts
from hakaru.tell.explain import advice
from hakaru.tell.explain.summary import summary_lines
from hakaru.tell.report import energy, tables
from hakaru.tell.report.choosing import choosing
from hakaru.tell.report.precomputed import Precomputed
from hakaru.tell.shell import fill

_HERE = Path(__file__).parent
MOST_LINES = 60


@dataclass(frozen=True)
class Figure:
    """A drawn chart; ``svg`` is None where data are missing."""

    name: str
    title: str
    section: str
    explanation: str
    missing: str
    svg: str | None

    @property
    def count(self) -> int:
        return (self.svg or "").count("<svg")


def figures(data: ReportData) -> list[Figure]:
    """Of every chart; one that speaks of a single program only where that was run."""
    result = []
    ran = {record.program for record in data.records}
    for module in charts():
        if getattr(module, "program", None) not in (None, *ran):
            continue
        name = module.__name__.rsplit(".", 1)[-1].replace("_", "-")
        result.append(
            Figure(name, module.title, module.section, module.explanation, module.missing, module.draw(data))
        )
    return result


def page(data: ReportData, made: Precomputed | None = None) -> str:
    """The whole page; of the texts, only SVG and the style sheet are not escaped."""
    from markupsafe import Markup

    explanation = data.explanation
    drawn = figures(data)
    sections = {
        name: [figure for figure in drawn if figure.section == name]
        for name in ("machine", "programs", "forecasts")
    }
    for figure in drawn:
        sections.setdefault(figure.section, [figure])
    return fill(
        _HERE / "template.html.j2",
        filters={"seconds": units.seconds, "parameters": _parameters},
        svg=Markup,
        data=data,
        explanation=explanation,
        summary=summary_lines(explanation, data.machine),
        figures=sections,
        choosing=choosing(made) if made else None,
        layout_name=layout_name,
        tables=tables,
        energy=energy,
        case_advice=_case_advice(explanation),
        open_cases={case.label for case in advice.longest_of_each_program(explanation.cases)},
        lines=tables.launch_lines(data.records)[:MOST_LINES],
        when=_when(data.records),
        host=_host(data),
    )


def _case_advice(explanation) -> dict[str, list[advice.Advice]]:
    return {
        case.label: [item for item in (advice.limit(case), advice.flat_or_hybrid(case)) if item]
        for case in explanation.cases
    }


def _parameters(parameters: dict) -> str:
    return " ".join(f"{name}={plain(value)}" for name, value in parameters.items())


def _when(records: list[Record]) -> str:
    """First and last moment of the runs, from the records, so that the same records give the same page."""
    moments = sorted(moment for record in records for moment in (record.started, record.finished))
    if not moments:
        return "no runs yet"
    first, last = (moment[:16].replace("T", " ") for moment in (moments[0], moments[-1]))
    return f"{first} to {last} UTC" if first != last else f"{first} UTC"


def _host(data: ReportData) -> str:
    hosts = {record.environment.host for record in data.records} - {None, ""}
    return ", ".join(sorted(hosts)) or data.machine.name
