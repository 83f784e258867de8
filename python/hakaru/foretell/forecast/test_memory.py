"""Memory grows as it did; what to ask for is rounded up as a person would."""

import pytest
from msgspec.structs import replace

from hakaru.base.errors import UserError
from hakaru.facts.records.fixtures import record
from hakaru.facts.records.record import Memory, Repetition
from hakaru.facts.work import PhaseWork, Work
from hakaru.foretell.forecast import inverse, memory, request
from hakaru.foretell.forecast.make import make

GIB = 2**30


def run(size, peak, number, wall=1.0):
    work = Work(parameters={"n": int(size)}, size=float(size))
    return replace(
        record("sim", number),
        kind="command",
        parameters={"n": int(size)},
        work=work,
        memory=Memory(rank_peak_bytes=(int(peak),)),
        repetitions=(Repetition(wall_s=wall, rank_s=(wall,), phases={}),),
    )


def runs(peak=lambda n: 10e6 + 800.0 * n**3, wall=lambda n: 1e-6 * n**3):
    sizes = (32, 48, 64, 96)
    return [
        run(n, peak(n), 5 * i + j, wall(n) * (1 + 0.002 * j)) for i, n in enumerate(sizes) for j in range(5)
    ]


def wanted(n):
    return Work(parameters={"n": n}, size=float(n))


def test_memory_grows_as_it_did():
    held = memory.foretell(runs(), wanted(192))
    truth = 10e6 + 800.0 * 192**3
    assert held.rank.value == pytest.approx(truth, rel=0.05)
    assert held.rank.low <= truth <= held.rank.high
    assert memory.foretell(runs(), wanted(192), ranks_of_node=4).node.value == 4 * held.rank.value


def test_memory_does_not_grow_with_steps():
    """The work does, and with it the time."""
    phases = (PhaseWork(phase="solve", flops=1e9),)
    one = [replace(each, work=replace(each.work, phases=phases)) for each in runs()]
    many = replace(wanted(192), phases=(PhaseWork(phase="solve", flops=1e12),))
    assert memory.foretell(one, many).rank.value == pytest.approx(10e6 + 800.0 * 192**3, rel=0.05)


def test_nothing_is_said_of_layouts_that_never_ran():
    other = Work(parameters={"n": 192}, size=192.0, ranks=2)
    assert memory.foretell(runs(), other) is None
    assert memory.foretell([], wanted(192)) is None


def test_a_run_that_surely_does_not_fit_is_refused():
    made = make(runs(), "sim", wanted(1000), wanted_of)
    assert made.refused and "of memory" in made.extrapolation.reason
    fitting = make(runs(), "sim", wanted(128), wanted_of)
    assert not fitting.refused and fitting.memory.rank.value > 1e9


def wanted_of(parameters):
    return wanted(parameters["n"])


@pytest.mark.parametrize(
    ("seconds", "asked"),
    [(1.0, 60), (61.0, 120), (700.0, 900), (4000.0, 4500), (20000.0, 21600), (90000.0, 108000)],
)
def test_times_are_rounded_up(seconds, asked):
    assert request.round_time(seconds) == asked


def test_memory_is_rounded_up_with_something_to_spare():
    assert request.round_bytes(100 * 2**20) == 200 * 2**20
    assert request.round_bytes(2.0 * GIB) == 3 * GIB
    assert request.round_bytes(40.0 * GIB) == 48 * GIB
    assert request.memory_word(3 * GIB) == "3G" and request.memory_word(200 * 2**20) == "200M"
    assert request.clock(108000.0) == "1-06:00:00" and request.clock(90.0) == "00:01:30"


def test_the_question_turned_round_has_the_same_answer():
    from hakaru.facts.programs.command import described
    from hakaru.facts.programs.file import SCHEMA, FileParameter, ProgramFile

    file = ProgramFile(
        schema=SCHEMA,
        name="sim",
        command="./sim {n}",
        parameters={"n": FileParameter(default=32, role="size", minimum=8)},
    )

    def foretell(given, ranks):
        return make(runs(peak=lambda n: 1e6), "sim", wanted(int(given["n"])), wanted_of)

    found = inverse.largest(described(file, {}, 1, 1), "n", {}, 1, 5.0, foretell)
    n = found.fits.parameters["n"]
    assert found.fits.time_s.high <= 5.0 < foretell({"n": n + 1}, 1).time_s.high
    with pytest.raises(UserError, match="no run ends within"):
        inverse.largest(described(file, {}, 1, 1), "n", {}, 1, 1e-9, foretell)
