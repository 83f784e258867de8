"""Facts from synthetic records of the probe ``threads``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

OVERHEAD_S = {"parallel": 0.9e-6, "for": 0.3e-6, "parallel_for": 1e-6, "barrier": 0.25e-6, "single": 0.2e-6}
SAMPLES = 9


def record(identity: str = "t1", bind: str = "cores", factor: float = 1.0, wake_s: float = 60e-6) -> Record:
    """Overheads of ``OVERHEAD_S`` times ``factor`` on two threads; noise around zero for critical."""
    overheads, forks, creation, work = [], [], [], []
    for repetition in range(SAMPLES):
        noise = 1.0 + (repetition - 4) / 100
        for construct, overhead in OVERHEAD_S.items():
            cost = overhead * factor * noise
            overheads.append([construct, 2, repetition, 1000, 1000 * (cost + 1e-7), 1e-7, cost])
        overheads.append(["critical", 1, repetition, 1000, 1e-4, 1e-7, (repetition - 4) * 1e-9])
        forks += [[2, repetition, idle, fork * noise, 1e-7] for idle, fork in ((0.0, 4e-7), (0.01, wake_s))]
        forks.append([1, repetition, 0.0, 1e-7, 1e-7])
        creation.append([2, repetition, 5e-5 * noise])
        work += [[2, repetition, thread, 1e-3 * (1.0 + 0.1 * thread)] for thread in (0, 1)]
        work.append([1, repetition, 0, 1e-3])
    return probed(
        identity,
        table(
            "overheads",
            "construct threads repetition inner_repetitions seconds reference overhead",
            overheads,
        ),
        table("forks", "threads repetition idle fork join", forks),
        table("creation", "threads repetition seconds", creation),
        table("equal_work", "threads repetition thread seconds", work),
        parameters={"bind": bind},
    )


def test_overheads_by_construct():
    threads = distiller.distil([record()])["threads"]
    for construct, overhead in OVERHEAD_S.items():
        (found,) = threads[construct]
        assert found["value"] == pytest.approx(overhead)
        assert found["low"] < found["value"] < found["high"]
        assert found["threads"] == 2 and found["unit"] == "s" and found["source"] == "probe t1"


def test_an_overhead_not_told_from_zero_is_no_fact():
    assert "critical" not in distiller.distil([record()])["threads"]


def test_forks_wakes_and_creation():
    threads = distiller.distil([record()])["threads"]
    (fork,) = threads["fork"]
    assert fork["value"] == pytest.approx(4e-7) and fork["threads"] == 2
    (wake,) = threads["wake"]
    assert wake["value"] == pytest.approx(60e-6) and wake["idle_s"] == 0.01
    assert "OMP_WAIT_POLICY" in wake["note"]
    assert threads["create"][0]["value"] == pytest.approx(5e-5)


def test_threads_that_stay_awake_get_no_note():
    (wake,) = distiller.distil([record(wake_s=5e-7)])["threads"]["wake"]
    assert "note" not in wake


def test_imbalance_is_the_largest_over_the_mean():
    (found,) = distiller.distil([record()])["threads"]["equal_work"]["imbalance"]
    assert found["value"] == pytest.approx(1.1 / 1.05 - 1.0) and found["unit"] == "1"


def test_pinned_records_are_preferred():
    mixed = distiller.distil([record("free", bind="none", factor=9.0), record("pinned")])["threads"]
    assert mixed["parallel"][0]["value"] == pytest.approx(0.9e-6)
    assert mixed["parallel"][0]["source"] == "probe pinned"
    free = distiller.distil([record("free", bind="none", factor=9.0)])["threads"]
    assert free["parallel"][0]["value"] == pytest.approx(8.1e-6)


def test_failed_records_and_verifications_give_nothing():
    assert distiller.distil([changed(record(), status="failed"), changed(record(), command="verify")]) == {}


def test_the_machine_file_accepts_it():
    from hakaru.facts import machines

    head = {"schema": "hakaru/machine/1", "name": "synthetic", "kind": "measured", "date": "2026-11-21"}
    machines.validate({**head, **distiller.distil([record()])})
