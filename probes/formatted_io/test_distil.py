"""Facts from synthetic records of the probe ``formatted_io``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

ITEMS = 1000
COLUMNS = "language by form type place file_system items bytes buffer sample seconds user system"
SECONDS = {  # of an item: text = calls + control + editing + conversion
    "write": {"text": 400e-9, "characters": 22e-9, "calls": 20e-9, "snprintf": 280e-9},
    "read": {"text": 300e-9, "characters": 16e-9, "calls": 10e-9, "strtod": 90e-9},
}
BYTES = {"text": 24250, "characters": 1250, "calls": 24250, "lines": 24250}


def record(identity="f1") -> Record:
    writes, reads, steps, conversions = [], [], [], []
    for sample in range(5):
        for buffer, factor in ((0, 1.0), (4096, 1.5)):
            head = [
                "C",
                "printf, scanf",
                "formatted",
                "real*8",
                "folder",
                "ext4",
                ITEMS,
                24250,
                buffer,
                sample,
            ]
            writes.append([*head, factor * 5e-7 * ITEMS, 0.0, 0.0, 0.0, 0.0])
            reads.append([*head, factor * 3e-7 * ITEMS, 0.0, 0.0])
        for direction, seconds in SECONDS.items():
            for name, value in seconds.items():
                if name in BYTES:
                    steps.append([name, direction, ITEMS, BYTES[name], sample, value * ITEMS])
                else:
                    conversions.append([name, direction, ITEMS, sample, value * ITEMS])
    return probed(
        identity,
        table("writes", f"{COLUMNS} flush sync", writes),
        table("reads", COLUMNS, reads),
        table("steps", "step direction items bytes sample seconds", steps),
        table("conversions", "by direction items sample seconds", conversions),
    )


def by(facts: list[dict], key: str) -> dict:
    return {fact[key]: fact["value"] for fact in facts}


def test_times_are_of_an_item_with_the_librarys_own_buffer():
    found = distiller.distil([record()])["storage"]["formatted"]
    (write,), (read,) = found["write"], found["read"]
    assert write["value"] == pytest.approx(5e-7) and read["value"] == pytest.approx(3e-7)
    assert write["unit"] == "s" and write["file_system"] == "ext4" and "buffer" not in write
    assert by(found["conversion"], "by") == pytest.approx({"snprintf": 280e-9, "strtod": 90e-9})


@pytest.mark.parametrize("direction", ["write", "read"])
def test_parts_are_differences_that_add_up(direction):
    seconds = SECONDS[direction]
    found = {name: values[0] for name, values in distiller.parts([record()], direction).items()}
    assert sum(found.values()) == pytest.approx(seconds["text"])
    control = seconds["characters"] - 1250 / 24250 * seconds["calls"]
    assert found[distiller.CONTROL] == pytest.approx(control)
    assert found[distiller.CALLS] == pytest.approx(seconds["calls"])
    assert found[distiller.CONVERSION] == pytest.approx(seconds[distiller.PROXY[direction]])


def test_without_fortran_there_are_no_parts():
    bare = record()
    bare = probed("f1", *[one for one in bare.tables if one.name != "steps"])
    assert distiller.parts([bare], "write") == {}
    assert "part" not in distiller.distil([bare])["storage"]["formatted"]


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}


def test_the_machine_file_accepts_it():
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **distiller.distil([record()])})
