"""Published tables in one form, rules asked of them and of made-up systems, our own facts beside them."""

from pathlib import Path

import pytest

from hakaru.facts.machines import Machine
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.conclusions import FAILS, HOLDS

FOLDER = Path(__file__).parent
analysis, rules, systems = (part(FOLDER, name) for name in ("analysis", "rules", "systems"))
STUDY = load("memory-and-openmp")
OVERHEADS = systems.published_overheads(STUDY)
BANDWIDTHS = {one.name: one for one in systems.published_bandwidths(STUDY)}


def of_overheads(one):
    return {rule.name: rule.verdict(one) for rule in rules.OF_OVERHEADS}


def test_published_tables_are_read_in_si_units():
    assert len(OVERHEADS) == 9 and OVERHEADS[0].seconds["reduction"] == pytest.approx(0.5e-6)
    assert len({(one.name, one.threads) for one in OVERHEADS}) == 9
    assert BANDWIDTHS["VPP5000"].all == pytest.approx(37.5e9)
    assert BANDWIDTHS["Opteron Barcelona"].parts == 4
    assert BANDWIDTHS["Core i7 940"] == systems.Bandwidth("Core i7 940", 4, 10e9, 16e9)
    assert systems.published_latency(STUDY) == pytest.approx({"L1": 1.14e-9, "L2": 5.33e-9, "memory": 125e-9})


def test_what_the_tables_bear_out():
    assert all(of_overheads(one)["region"] == HOLDS for one in OVERHEADS)
    assert all(of_overheads(one)["barrier"] == HOLDS for one in OVERHEADS)
    assert all(of_overheads(one)["reduction"] == HOLDS for one in OVERHEADS)
    shared = {name: rules.OF_BANDWIDTH[0].verdict(one) for name, one in BANDWIDTHS.items()}
    assert shared["HPC2500"] == HOLDS and shared["IBM p575"] == FAILS
    times = rules.hardware_barrier(OVERHEADS)
    assert min(times.values()) == pytest.approx(2.7) and max(times.values()) == pytest.approx(66.9)


def test_a_system_that_shows_something_else_fails():
    same = systems.Overheads("made up", 2, dict.fromkeys(systems.CONSTRUCTS.values(), 1e-6))
    assert of_overheads(same) == {"region": FAILS, "barrier": HOLDS, "reduction": FAILS}
    free = systems.Bandwidth("made up", 4, 1e9, 4e9)
    assert rules.OF_BANDWIDTH[0].verdict(free) == FAILS


def fact(value, unit, **keys):
    return {**keys, "value": value, "unit": unit, "source": "probe made up"}


def machine(barrier_s=1e-6):
    seconds = {"parallel_for": 3e-6, "for": 1.1e-6, "barrier": barrier_s, "reduction": 5e-6}
    return Machine.of(
        {
            "schema": "hakaru/machine/1",
            "name": "made up",
            "kind": "measured",
            "date": "2026-01-01",
            "memory": {
                "bandwidth": [
                    fact(10e9 * cores**0.5, "B/s", kernel="triad", cores=cores) for cores in (1, 2, 4)
                ],
                "levels": [
                    {"name": "L1", "latency": fact(1e-9, "s")},
                    {"name": "memory", "latency": fact(90e-9, "s")},
                ],
            },
            "threads": {name: [fact(value, "s", threads=4)] for name, value in seconds.items()},
        }
    )


def test_facts_of_a_machine_stand_beside_the_published_ones():
    here = systems.here(machine())
    result = analysis.beside(STUDY, here, {})
    rows = {row.id: row for row in result.rows}
    assert rows["overhead/barrier/4"].published == pytest.approx(0.10e-6)
    assert rows["overhead/barrier/4"].ours == pytest.approx(1e-6)
    assert rows["latency/memory"].error == pytest.approx(90 / 125 - 1)
    assert here.scaling == systems.Bandwidth("here", 4, 10e9, 20e9)
    assert "4 of 4" not in result.summary[0] and "with 4 threads 3 of 3" in result.summary[0]


def test_a_damaged_fact_is_seen():
    told = analysis.verdicts(systems.here(machine(barrier_s=0.2e-6)))
    assert told["4 threads"]["barrier"] == FAILS


def test_every_probe_gets_as_many_threads_as_it_takes(monkeypatch):
    layouts = {}

    def launched(program, layout, context):
        layouts[program.program] = layout.threads
        return None, program.program

    monkeypatch.setattr(analysis, "launched", launched)
    monkeypatch.setattr(analysis, "usable_cores", lambda: 8)
    records, failures = analysis.measured(STUDY, Context(None, None))
    assert layouts == {"memory_bandwidth": 8, "memory_latency": 1, "threads": 8}
    assert records == list(layouts) and not failures


def test_without_facts_the_published_tables_stand_alone():
    result = analysis.beside(STUDY, systems.here(None), {})
    assert result.rows == [] and len(result.sections) == 4
