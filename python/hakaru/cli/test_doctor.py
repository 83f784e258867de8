"""``hakaru doctor`` as people and programs see it."""

import json

import pytest
import typer
from typer.testing import CliRunner

from hakaru.cli import doctor
from hakaru.run import doctor as diagnosis_package
from hakaru.run.doctor import Diagnosis, bad, fine, unavailable


@pytest.fixture
def app(monkeypatch):
    results = [
        Diagnosis("load", "load", bad("3.10 over one minute [x]", "see what runs", load_one_minute=3.1)),
        Diagnosis("power", "power meter", unavailable("no RAPL", "joules stay empty")),
        Diagnosis("numa", "NUMA", fine("one memory node")),
    ]
    monkeypatch.setattr(diagnosis_package, "diagnose", lambda: results)
    app = typer.Typer()
    doctor.register(app)
    return app


def test_the_table_says_what_is_wrong_and_what_to_do(app):
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].split()[:2] == ["warning", "load"] and "[x]" in lines[0] and "→ see what runs" in lines[0]
    assert "not here" in done.output and "joules stay empty" in done.output
    assert lines[-1].startswith("1 of 3 checks warn; 1 not available here")


def test_json_holds_the_figures(app):
    done = CliRunner().invoke(app, ["--json"])
    checks = json.loads(done.output)["checks"]
    assert [check["status"] for check in checks] == ["warning", "not available here", "ok"]
    assert checks[0]["figures"] == {"load_one_minute": 3.1}
