"""One made-up campaign and its page, made once for all tests of the report."""

import msgspec
import pytest

from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.forecasts.forecast import Band
from hakaru.facts.records import Record
from hakaru.tell.chart_data import ReportData
from hakaru.tell.explain import explain, fixtures
from hakaru.tell.report import write_report


@pytest.fixture(scope="session")
def results() -> tuple[list[Record], dict, list[Forecast]]:
    records, *rest = fixtures.results()
    *between, forecasts = rest
    return [*records, _dielectric(), _lines()], *between, [*forecasts, *_calibrated()]


def _calibrated() -> list[Forecast]:
    """Ten scored forecasts with intervals of several levels."""
    found = []
    for number in range(10):
        size, wanted_s = 200 + 8 * number, 1.0 + 0.1 * number
        made = fixtures.scored(
            fixtures.forecast(50 + number, size, wanted_s), wanted_s * (0.9 + 0.02 * number), [f"c{number}"]
        )
        usual = Span(value=wanted_s, low=0.9 * wanted_s, high=1.1 * wanted_s)
        band = Band(level=0.5, low=0.95 * wanted_s, high=1.05 * wanted_s)
        found.append(msgspec.structs.replace(made, usual_s=usual, bands=(band,)))
    return found


def _lines() -> Record:
    """A record of sharing with eight cores, four to a cache."""
    rows = [
        [
            first,
            second,
            "L3" if first // 4 == second // 4 else "machine",
            0,
            2e-8 if first // 4 == second // 4 else 2e-7,
        ]
        for first in range(8)
        for second in range(first + 1, 8)
    ]
    columns = [{"name": name, "unit": "1"} for name in ("first", "second", "shares", "sample", "seconds")]
    tables = [{"name": "lines", "columns": columns, "rows": rows}]
    return fixtures.record("sharing", 901, [], kind="probe", tables=tables)


def _dielectric() -> Record:
    """A record of electrons with an oscillator's dielectric function."""
    names = ("energy", "real", "imaginary", "conductivity")
    rows = [
        [e, 1.0 + 40.0 * (16.0 - e * e) / ((16.0 - e * e) ** 2 + e * e), 9.0 * e, 0.1 * e] for e in (1, 2, 5)
    ]
    columns = [{"name": name, "unit": "1"} for name in names]
    tables = [{"name": "dielectric", "columns": columns, "rows": rows}]
    return fixtures.record("electrons", 900, [], command="verify", tables=tables)


@pytest.fixture(scope="session")
def data(results) -> ReportData:
    return ReportData(*results, explain(*results))


@pytest.fixture(scope="session")
def page_file(results, tmp_path_factory):
    return write_report(
        tmp_path_factory.mktemp("report") / "report.html", *results, {"duration": "4 min 40 s"}
    )


@pytest.fixture(scope="session")
def page(page_file) -> str:
    return page_file.read_text(encoding="utf-8")
