"""Synthetic records whose truth is known, beside the publication; a damaged one shows."""

import os
import shutil
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import probed, table
from hakaru.studies import launches
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import ClosedForm
from hakaru.studies.study import load_folder

FOLDER = Path(__file__).parent
STUDY = load_folder(FOLDER)
analysis = part(FOLDER)

COLUMNS = "language by form type place file_system items bytes buffer sample seconds user system"
BYTES = {"integer*4": 75750000, "real*4": 181875000, "real*8": 181875000}
BYTES |= {"complex*8": 363750000, "complex*16": 363750000}
PARTS = {"text": 400e-9, "characters": 80e-9, "calls": 0.0}


def record(items=7500000, buffer=0, changed=None, identity="f1", language="Fortran") -> Record:
    """0.4 µs an item; 75 % of the library's time converts, 20 % controls; a tenth of the processor time is the system's."""
    sizes = BYTES | (changed or {})
    writes, reads, steps, conversions = [], [], [], []
    for kind, size in sizes.items():
        head = [language, "write, read", "formatted", kind, "folder", "ext4", items, size, buffer, 0]
        seconds = 4e-7 * items
        writes.append([*head, seconds, 0.9 * seconds, 0.1 * seconds, 0.001 * seconds, 0.0])
        reads.append([*head, 3e-7 * items, 1.0, 0.0])
    for direction, by in (("write", "snprintf"), ("read", "strtod")):
        steps += [[name, direction, items, 24 * items, 0, one * items] for name, one in PARTS.items()]
        conversions.append([by, direction, items, 0, 300e-9 * items])
    return probed(
        identity,
        table("writes", f"{COLUMNS} flush sync", writes),
        table("reads", COLUMNS, reads),
        table("steps", "step direction items bytes sample seconds", steps),
        table("conversions", "by direction items sample seconds", conversions),
        table(
            "returned",
            "language by type numbers same rounding",
            [["C", "printf, scanf", "real*8", 100, 6, 5e-16]],
        ),
        table("missing", "what why", [["ext4 on a loop device", "nothing may be mounted"]]),
    )


def rows(*records: Record) -> dict:
    return {row.id: row for row in analysis.beside(STUDY, records).rows}


def test_sizes_are_the_published_ones():
    found = rows(record(), record(language="C"))
    assert {name: found[f"bytes/{name}"].ours for name in BYTES} == BYTES
    assert all(row.ours == row.published for name, row in found.items() if name.startswith("bytes/"))
    assert "5 of 5 file sizes" in analysis.beside(STUDY, [record()]).summary[0]


@pytest.mark.parametrize("records", [("one",), ("good", "other")])
def test_another_size_shows(records):
    damaged = record(changed={"real*8": 181875001})
    held = [damaged] if len(records) == 1 else [record(), damaged]
    assert rows(*held)["bytes/real*8"].ours != 181875000
    assert "4 of 5 file sizes" in analysis.beside(STUDY, held).summary[0]


def test_shares_and_times_stand_beside_the_published():
    found = rows(record())
    assert (
        found["share/user/write"].ours == pytest.approx(0.9) and found["share/user/write"].published == 0.88
    )
    assert found["share/statement/write"].ours == pytest.approx(1 / 1.001)
    assert found["part/write/data conversion"].ours == pytest.approx(0.75)
    assert found["part/write/data conversion"].published == pytest.approx(0.70)
    assert found["part/write/statement control and format"].ours == pytest.approx(0.2)
    assert found["part/write/statement control and format"].published == pytest.approx(0.15)
    assert found["part/read/data conversion"].published == pytest.approx(1.02 / 2.26)
    assert found["time/write/real*8"].ours == pytest.approx(3.0)
    assert found["time/write/real*8"].published == pytest.approx(3.64)


def test_runs_with_another_buffer_are_no_part_of_the_rest():
    buffered = record(750000, 65536, {"real*8": 18187500})
    result = analysis.beside(STUDY, [record(), buffered])
    assert {row.id: row.ours for row in result.rows} == {one: row.ours for one, row in rows(record()).items()}
    (section,) = [one for one in result.sections if one.title == "Buffers"]
    assert section.columns[-1] == "64 KiB" and len(section.lines) == 1


def test_what_is_missing_is_told():
    titles = [one.title for one in analysis.beside(STUDY, [record()]).sections]
    assert "Not measured here" in titles and "What comes back" in titles
    nothing = analysis.beside(STUDY, [probed("f1")])
    assert nothing.summary == ["Nothing was measured."]


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no Fortran compiler is installed here")
def test_buffers_are_asked_for_and_forgotten(monkeypatch, tmp_path):
    asked = []

    def perform(point, *_):
        asked.append((dict(point.parameters), os.environ.get(analysis.BUFFER)))
        return record()

    monkeypatch.setattr(launches, "perform", perform)
    monkeypatch.setenv(analysis.BUFFER, "12345")
    analysis.run(STUDY, Context(ClosedForm(), lambda program: None, results=tmp_path))
    assert [one["language"] for one, _ in asked] == ["fortran", "c", "c++", "fortran", "fortran", "fortran"]
    assert [value for _, value in asked[3:]] == ["4096", "65536", "1048576"]
    assert {one["items"] for one, _ in asked[3:]} == {750000} and os.environ[analysis.BUFFER] == "12345"


def test_without_fortran_the_rest_goes_on(monkeypatch, tmp_path):
    def launched(program, *_, **__):
        if program.application == "Fortran":
            raise UserError("it cannot run so", "there was no Fortran compiler", "install one")
        return None, record(language=program.application)

    monkeypatch.setattr(analysis, "launched", launched)
    result = analysis.run(STUDY, Context(ClosedForm(), lambda program: None, results=tmp_path))
    (section,) = [one for one in result.sections if one.title == "Not measured here"]
    assert section.lines[0][0] == "Fortran" and "no Fortran compiler" in section.lines[0][1]
    assert "5 of 5 file sizes" in result.summary[0]
    monkeypatch.setattr(analysis, "launched", lambda *_, **__: launched(STUDY.programs[0]))
    with pytest.raises(UserError, match="no Fortran compiler"):
        analysis.run(STUDY, Context(ClosedForm(), lambda program: None, results=tmp_path))
