"""The layout in Python is that of native/trace/raw.h."""

import re

from hakaru.base.paths import root
from hakaru.facts.traces import layout
from hakaru.facts.traces.layout import HEADER_BYTES, Header

LAW = re.sub(r"/\*.*?\*/", "", (root() / "native" / "trace" / "raw.h").read_text(), flags=re.DOTALL)


def numbers(prefix: str) -> dict[str, int]:
    """{"send": 2} of ``HAKARU_ITEM_SEND = 2``."""
    return {
        name.lower(): int(value) for name, value in re.findall(rf"HAKARU_{prefix}_(\w+)\s*=\s*(\d+)", LAW)
    }


def defined(name: str) -> int:
    return int(re.search(rf"#define HAKARU_RAW_{name}\s+(?:\\\s*)?(\w+?)u?\s", LAW)[1], 0)


def test_items_have_their_numbers():
    assert layout.KINDS == {name: number for name, number in numbers("ITEM").items() if name != "long"}


def test_classes_and_definitions_have_their_numbers():
    assert {name: number for number, name in enumerate(layout.CLASSES)} == numbers("CLASS")
    meta = numbers("META")
    assert meta == {name: getattr(layout, name.upper()) for name in meta}


def test_marks_of_a_file_are_the_same():
    assert (layout.VERSION, layout.ENDIAN) == (defined("VERSION"), defined("ENDIAN"))
    for name in ("RUNNING", "FINALIZED", "ABORTED", "EXITED", "COVERED", "UNCOVERED", "META", "LONG"):
        assert getattr(layout, name) == defined(name), name


def test_a_header_is_read_as_it_was_written():
    header = Header(rank=3, world_size=8, start_ticks=10, last_ticks=30, last_monotonic_ns=40, host="node")
    data = header.packed()
    assert len(data) == HEADER_BYTES and Header.unpacked(data) == header
    assert header.seconds_per_tick == 2e-9
