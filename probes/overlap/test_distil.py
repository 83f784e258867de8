"""Facts from synthetic records of the probe ``overlap``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import layout, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

WORK_S, MESSAGES_S = 1e-3, 2e-4
HIDDEN = {"blocking": 0.0, "nonblocking": 0.75, "persistent": 1.0, "put": 0.5}


def record(oversubscribed=False, still=True, helped=True) -> Record:
    program, progress = [], []
    for repetition in range(5):
        program.append(["none", 100, 2, 1, repetition, WORK_S])
        for way, share in HIDDEN.items():
            program.append([way, 100, 2, 0, repetition, MESSAGES_S])
            program.append([way, 100, 2, 1, repetition, WORK_S + (1 - share) * MESSAGES_S])
        for side in ("sender", "receiver"):
            waits = {0: 0.95 if still else 0.1, 16: 0.2 if helped else 0.9}
            progress += [[side, 65536, tests, repetition, 1e-4, 3e-4, 1e-4 * w] for tests, w in waits.items()]
    return probed(
        "o1",
        table("levels", "ranks hosts level", [[2, 2, "node"]]),
        table("program", "way n ranks loaded repetition seconds", program),
        table("progress", "side bytes tests repetition alone_s compute_s wait_s", progress),
        layout=layout(2, 1, oversubscribed=oversubscribed),
    )


def test_the_hidden_part_is_recovered():
    found = distiller.distil([record()])["network"]["node"]["hidden"]
    assert {entry["way"]: entry["value"] for entry in found} == pytest.approx(HIDDEN)
    assert all(entry["bytes"] == 800 and entry["ranks"] == 2 for entry in found)


@pytest.mark.parametrize(("together", "share"), [(1.0, 1.0), (1.2, 0.0), (2.0, 0.0), (0.9, 1.0), (1.1, 0.5)])
def test_hidden_stays_between_nothing_and_all(together, share):
    assert distiller.hidden(0.2, 1.0, together) == pytest.approx(share)


@pytest.mark.parametrize(
    ("still", "helped", "words"), [(True, True, "does"), (True, False, "hardly helps"), (False, True, None)]
)
def test_messages_that_stand_still_are_said(still, helped, words):
    facts = distiller.distil([record(still=still, helped=helped)])["network"]["node"]
    for name in ("moved_while_sending", "moved_while_receiving"):
        entry = next(one for one in facts[name] if one["tests"] == 0)
        assert entry["value"] == pytest.approx(0.05 if still else 0.9)
        assert (words is None) == ("note" not in entry)
        assert words is None or entry["note"].endswith(words)


def test_ranks_that_share_a_processor_give_no_facts():
    assert distiller.distil([record(oversubscribed=True)]) == {}
    assert distiller.distil([]) == {}


def test_facts_fit_into_a_machine_file():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    validate(machine | distiller.distil([record()]))
