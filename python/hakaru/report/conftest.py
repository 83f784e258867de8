"""One made-up campaign and its page, made once for all tests of the report."""

import pytest

from hakaru.explain import explain, fixtures
from hakaru.report import write_report
from hakaru.report.data import ReportData


@pytest.fixture(scope="session")
def results() -> tuple[list[dict], dict, list[dict]]:
    return fixtures.results()


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
