from msgspec.structs import replace

from hakaru.facts.records.fixtures import record
from hakaru.facts.records.record import Failure
from hakaru.facts.work import Work
from hakaru.tell.measured import inside


def launch(size, shares, files=()):
    rows = [{"routine": name, "share": share, "low": 0.0, "high": 1.0} for name, share in shares.items()]
    context = {"program": {"traced": True, "routines": rows, "files": list(files)}}
    return replace(record("sim", int(size)), kind="command", work=Work(size=float(size)), context=context)


def test_routines_stand_beside_each_other_by_size(capsys):
    inside.show([launch(8, {"solve": 0.5, "read": 0.4}), launch(64, {"solve": 0.9})])
    shown = capsys.readouterr().out
    assert "N=8 1x1" in shown and "N=64 1x1" in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("solve")]
    assert "50 %" in line and "90 %" in line and line.index("50 %") < line.index("90 %")


def test_launches_that_failed_are_no_column(capsys):
    why = Failure(reason="ended with status 255", exit_code=255, standard_error="")
    failed = replace(launch(64, {"solve": 0.9}), status="failed", failure=why)
    inside.show([launch(8, {"solve": 0.5}), failed])
    shown = capsys.readouterr().out
    assert "N=8" in shown and "N=64" not in shown


def test_bytes_that_look_wrong_are_named():
    wrong = {"path": "out.dat", "twice_bytes": 2048, "hole_bytes": 0}
    right = {"path": "ok.dat", "twice_bytes": 0, "hole_bytes": 0}
    assert inside.file_lines([launch(8, {}, [wrong, right])]) == [
        "ATTENTION: out.dat: 2 KiB written by more than one rank"
    ]
