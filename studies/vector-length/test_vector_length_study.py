"""The study's rules asked of a made-up machine, whose times are known."""

from pathlib import Path

import pytest

from hakaru.base.statistics import Interval
from hakaru.facts.machines.from_probes import distil
from hakaru.facts.records.fixtures import changed, probed, table
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.conclusions import FAILS, HOLDS, OPEN

FOLDER = Path(__file__).parent
analysis, rules, vectors = (part(FOLDER, name) for name in ("analysis", "rules", "vectors"))
STUDY = load("vector-length")
LENGTHS = [2**power for power in range(4, 18)]
START_S, REGION_S = 8e-9, 1e-6
# Seconds of an element in the first cache, and its operations.
ELEMENTS = {
    "daxpy": (0.25e-9, 2),
    "polynomial": (0.5e-9, 18),
    "divide": (1.0e-9, 1),
    "divide equal": (0.5e-9, 1),
    "exponential": (0.4e-9, 1),
}


def made_up(columns, rows):
    return changed(probed("v1", table("vectors", columns, rows)), program="vector_length")


def record(
    elements=ELEMENTS,
    start_s=START_S,
    region_s=REGION_S,
    outer_s=REGION_S / 2,
    languages=("C++", "Fortran"),
    cores=2,
):
    """A vector starts in ``start_s``; a region costs ``region_s`` more where cores share a vector, ``outer_s`` where each has one."""
    rows = []
    for language in languages:
        for kernel, (element, operations) in elements.items():
            for n in LENGTHS:
                one = start_s + element * n
                ways = [("one", 1, 1, one)]
                if cores > 1:
                    ways += [("inner", 2, 1, region_s + one / 2), ("outer", 2, 2, outer_s + one)]
                rows += [
                    [kernel, language, way, count, n, 16 * n, sample, 10, held, 10 * seconds, operations * n]
                    for way, count, held, seconds in ways
                    for sample in range(6)
                ]
    names = "kernel language way cores length bytes sample passes vectors seconds operations"
    return made_up(names, rows)


def beside(one):
    return analysis.beside(STUDY, one, distil([one], "here"))


def verdicts(one):
    (found,) = vectors.of([one], distil([one], "here"))[:1]
    return {rule.name: rule.verdict(found) for rule in rules.RULES}


def test_a_machine_as_the_publication_says_bears_out_all_of_it():
    assert verdicts(record()) == {rule.name: HOLDS for rule in rules.RULES}
    result = beside(record())
    assert "with C++ 5 of 5; with Fortran 5 of 5" in result.summary[0]
    assert "5 of 5 kernels" in result.summary[-1]


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("equal division", {"elements": ELEMENTS | {"divide equal": (1.0e-9, 1)}}),
        ("much arithmetic", {"elements": ELEMENTS | {"polynomial": (4.5e-9, 18)}}),
        ("vectors", {"start_s": 80e-9}),
        ("threads", {"region_s": 0.1e-6}),
        ("outer loop", {"outer_s": 4e-6}),
    ],
)
def test_a_machine_that_shows_something_else_does_not(name, damaged):
    assert verdicts(record(**damaged))[name] == FAILS


def test_on_one_core_nothing_is_said_of_threads():
    one = record(cores=1)
    told = verdicts(one)
    assert told["threads"] == told["outer loop"] == OPEN and told["vectors"] == HOLDS
    result = beside(one)
    assert not result.of("gain/") and not result.of("break_even/")
    assert [section.title for section in result.sections].count("From which length threads pay") == 0


def test_numbers_are_those_that_were_made_up():
    rows = {row.id: row for row in beside(record()).rows}
    assert rows["r_inf/polynomial/C++"].ours == pytest.approx(18 / 0.5e-9, rel=1e-3)
    assert rows["n_half/daxpy/C++"].ours == pytest.approx(START_S / 0.25e-9, rel=1e-3)
    # One vector of n takes 8 ns + 0.4 n, two cores a microsecond and half of it: equal at n = 4980.
    assert rows["break_even/exponential/inner/C++"].ours == pytest.approx(4980, rel=0.05)
    one = START_S + 1024 * 0.25e-9
    assert rows["gain/daxpy/1024/C++"].ours == pytest.approx(one / (REGION_S + one / 2))


def test_languages_that_differ_are_named():
    slow = {name: (10.0 * element, operations) for name, (element, operations) in ELEMENTS.items()}
    rows = [
        list(dict(row).values())
        for one in (record(languages=("C++",)), record(elements=slow, languages=("Fortran",)))
        for row in one.rows("vectors")
    ]
    names = " ".join(dict(record().rows("vectors")[0]))
    told = beside(made_up(names, rows)).summary[-1]
    assert "0 of" in told and "daxpy (0.1 times)" in told


def test_the_page_has_curves_and_every_rule():
    result = beside(record())
    told = {section.title: section for section in result.sections}
    assert len(told["Curves"].pictures) == 2
    assert len(told["What the publication says"].lines) == 2 * len(rules.RULES)
    exponential = next(
        line
        for line in told["Highest rates, and the lengths at half of them"].lines
        if line[0] == "exponential"
    )
    assert exponential[2].startswith("62.5 G")  # 25 operations in 0.4 ns


def test_a_ratio_needs_both_times():
    assert vectors.ratio(None, [1.0]) is None
    assert isinstance(vectors.ratio([2.0] * 6, [1.0] * 6), Interval)
