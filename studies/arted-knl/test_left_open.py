"""What the publication left open: schedules that are changed, thresholds of closed form, and steps of the program by the engine itself."""

from math import exp
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import operations_of
from hakaru.foretell.replay.documents.options import Detours, Noise
from hakaru.foretell.replay.engine import engine
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import ClosedForm, small_schedule, with_settings
from hakaru.studies.replays import written_schedule
from hakaru.studies.result import Result

FOLDER = Path(__file__).parent
further = part(FOLDER, "further")
left_open = part(FOLDER, "left_open")
multiscale = part(FOLDER, "multiscale")
nodes_of = part(FOLDER, "nodes")
per_node = part(FOLDER, "per_node")
settings_of = part(FOLDER, "settings")
steady_of = part(FOLDER, "steady")
Asked, Step = nodes_of.Asked, nodes_of.Step

LATENCY_S, BYTE_S = 3.55e-6, 1.1236e-10  # of machines/oakforest-pacs.toml
COPY_S = 2 / (450e9 / 68)  # of a byte by one core, read and written


@pytest.fixture
def study():
    return load("arted-knl")


@pytest.fixture
def nodes(study, tmp_path):
    """By the engine itself."""
    context = Context(engine(None), lambda entry: written_schedule(entry, tmp_path))
    return nodes_of.Nodes(study, context)


def hop(size_bytes):
    return LATENCY_S + (size_bytes - 1) * BYTE_S


@pytest.mark.parametrize("k_points", [1, 108, 13824, 108 * 8208, 16 * 8208, 32 * 8208])
def test_a_mesh_has_exactly_so_many_points(k_points):
    x, y, z = nodes_of.mesh(k_points).values()
    assert x * y * z == k_points


def test_the_published_mesh_is_found_and_an_impossible_one_refused():
    assert set(nodes_of.mesh(24**3).values()) == {24}
    with pytest.raises(ValueError, match="no mesh of 257"):
        nodes_of.mesh(257)


def small_film():
    exchange = [{"do": "begin", "phase": "exchange"}, {"do": "send", "shift": 1, "tag": 0, "bytes": 16}]
    exchange += [{"do": "receive", "shift": -1, "tag": 0, "bytes": 16}, {"do": "end", "phase": "exchange"}]
    step = [*exchange, {"do": "allreduce", "bytes": 8}]
    return Schedule.of(
        {
            "schema": "hakaru/schedule/1",
            "program": "film",
            "description": "",
            "ranks": 4,
            "phases": [{"name": "exchange", "kind": "communicate"}],
            "communicators": [{"name": "world"}],
            "works": [],
            "lists": [],
            "streams": [
                {
                    "ranks": [[0, 3, 1]],
                    "operations": [{"do": "barrier"}, {"do": "repeat", "times": 9, "operations": step}],
                }
            ],
        }
    )


def test_only_the_loop_of_steps_is_left():
    (loop,) = steady_of.steady(small_film(), 3).streams[0].operations
    assert loop.do == "repeat" and loop.times == 3 and len(loop.operations) == 5


def test_the_halo_is_exchanged_otherwise():
    gathered = operations_of([{"do": "allgather", "bytes": 24}])
    found = steady_of.with_halo(small_film(), gathered)
    barrier, loop = found.streams[0].operations
    assert barrier.do == "barrier"
    assert [one.do for one in loop.operations] == ["begin", "allgather", "end", "allreduce"]
    without = steady_of.with_halo(small_film(), ()).streams[0].operations[1]
    assert [one.do for one in without.operations] == ["begin", "end", "allreduce"]


def test_a_share_is_reached_at_a_factor_on_the_latency():
    steps = {factor: Step(110.0 + 5.0 * factor, 100.0) for factor in (1.0, 4.0)}
    assert further.factor_for(0.2, steps) == pytest.approx(3.0)  # 10 + 5 f of 100 / 0.8
    assert further.factor_for(0.05, steps) is None  # 10 are more than 5 %
    still = {factor: Step(110.0, 100.0) for factor in (1.0, 4.0)}
    assert further.factor_for(0.2, still) is None


def test_a_share_is_reached_at_a_load():
    steps = {each: Step(5.0 + 2.0 * each, 1.0 + 2.0 * each) for each in (16, 32)}
    assert further.load_for(0.2, steps) == pytest.approx(7.5)  # 4 of 1 + 2 k + 4
    assert further.load_for(0.2, {16: Step(1.0, 1.0), 32: Step(2.0, 2.0)}) is None


def test_a_step_of_the_program_sums_once(nodes):
    """Whole vectors over 8 nodes: three exchanges, each with an addition; none on one node, whose computing is the same."""
    few = nodes.step(nodes.schedule(1, 16), 16, Asked(steps=2))
    many = nodes.step(nodes.schedule(8, 128), 128, Asked(steps=2))
    assert few.messages_s == pytest.approx(0.0, abs=1e-12)
    assert many.computing_s == pytest.approx(few.computing_s)
    whole = 3 * (hop(32808) + 1.5 * 32808 * COPY_S)
    assert nodes.sum_alone(8, 32808, "recursive_doubling") == pytest.approx(whole, rel=1e-6)
    in_parts = nodes.sum_alone(8, 32808, "rabenseifner")
    assert many.messages_s == pytest.approx(in_parts, rel=1e-6) and in_parts < whole
    slow = nodes.step(nodes.schedule(8, 128), 128, Asked(steps=2, latency=2.0))
    assert slow.messages_s - many.messages_s == pytest.approx(6 * LATENCY_S, rel=1e-6)


def test_neighbours_take_two_messages_and_an_allgather_three_rounds(nodes):
    layout = settings_of.Layout(nodes=2, points=(4,))
    rows = {row.id: row.ours for row in multiscale.point_rows(nodes, layout, 4)}
    assert rows["halo/2/4/two neighbours/time"] == pytest.approx(2 * hop(16), rel=1e-6)
    rounds = 24 * COPY_S + hop(24) + hop(48) + hop(96)
    assert rows["halo/2/4/allgather/time"] == pytest.approx(rounds, rel=1e-6)
    assert rows["halo/2/4/allgather in rounds/time"] == pytest.approx(rounds, rel=1e-6)


def test_a_ring_takes_as_many_messages_as_processes(nodes):
    films = multiscale.schedules(nodes, settings_of.Layout(nodes=2, points=(4,)), 4)
    ring, alone = (
        nodes.step(films[way], 24**3, Asked(steps=2, gather="ring")).step_s
        for way in (multiscale.ALLGATHER, multiscale.NOTHING)
    )
    assert ring - alone == pytest.approx(7 * hop(24) + 24 * COPY_S, rel=1e-6)


def test_more_processes_have_more_rounds(nodes):
    rows = {row.id: row.ours for row in per_node.layout_rows(nodes, 16, 4, 1)}
    rows |= {row.id: row.ours for row in per_node.layout_rows(nodes, 16, 4, 2)}
    one, two = (rows[f"per node/16/4/{processes}/one sum/step"] for processes in (1, 2))
    took = [rows[f"per node/16/4/{processes}/one sum/messages"] for processes in (1, 2)]
    for_itself = (
        655360 + 131072
    ) / 450e9  # bytes of the mean field, which each process computes, at half a node's speed
    assert took[1] > took[0] and two - one == pytest.approx(took[1] - took[0] + for_itself, rel=1e-3)
    assert rows["per node/16/4/2/one sum, inside x 4/messages"] > took[1]
    halves = 2 * (1.8e-6 + 16403 * BYTE_S) + 1.5 * 16404 * COPY_S
    assert rows["per node/16/4/2/by node/messages"] == pytest.approx(took[0] + halves, rel=5e-3)
    assert "per node/16/4/1/by node/step" not in rows


def test_interruptions_of_one_node_cost_their_time(nodes):
    noise = Noise(kind="detours", detours=(Detours(rate_per_s=1000.0, detour_s=1e-4),), seed=1)
    schedule = nodes.schedule(1, 108)
    calm, hit = (nodes.step(schedule, 108, Asked(steps=500, noise=one)) for one in (None, noise))
    assert hit.step_s / calm.step_s - 1.0 == pytest.approx(0.1, rel=0.05)


def test_interruptions_of_one_of_many_hold_up_all(nodes):
    """A step of N nodes is longer by d when any is interrupted, with probability 1 - exp(-N r t) where two at once are rare on a node."""
    many, length = 64, 1e-4
    schedule = nodes.schedule(many, 108 * many)
    calm = nodes.step(schedule, 108 * many, Asked(steps=200))
    rate = 1.0 / (many * calm.computing_s)
    noise = Noise(kind="detours", detours=(Detours(rate_per_s=rate, detour_s=length),), seed=1)
    hit = nodes.step(schedule, 108 * many, Asked(steps=200, noise=noise))
    assert hit.step_s - calm.step_s == pytest.approx(length * (1.0 - exp(-1.0)), rel=0.2)


def test_an_allgather_holds_up_all_points_and_neighbours_fewer(nodes):
    many, length = 16, 1e-3
    layout = settings_of.Layout(nodes=1, points=(many,))
    step = nodes.step(nodes.schedule(1, 24**3), 24**3, Asked(steps=2)).step_s
    one = settings_of.Interruption(rate_per_s=1.0 / (many * step), length_s=length)
    asked = msgspec.structs.replace(nodes.asked, interruptions=(one,))
    few = nodes_of.Nodes(with_settings(nodes.study, left_open=asked), nodes.context)
    found = {row.id.split("/")[-2]: row.ours for row in multiscale.interrupted_rows(few, layout, many)}
    assert found["allgather"] == pytest.approx(length / step * (1.0 - exp(-1.0)), rel=0.25)
    assert found["no messages"] < found["two neighbours"] < found["allgather"]


def test_all_rows_are_shown(study, tmp_path):
    """By an engine of closed form, for few nodes."""
    asked = study.settings.left_open
    context = Context(ClosedForm(), lambda entry: small_schedule(entry, tmp_path))
    result = Result(basis=study.basis)
    left_open.add(study, context, result)
    shown = {section.title: section for section in result.sections}
    assert len(shown) == 7
    assert len(shown["Left open: weak scaling, Si"].lines) == len(asked.weak.nodes)
    assert len(shown["Left open: the sum by algorithm"].lines) == 4 * len(asked.sums.nodes)
    points = sum(len(layout.points) for layout in asked.halo.layouts)
    assert len(shown["Left open: the field between macroscopic points"].lines) == points
    assert {row.kind for row in result.rows} == {"unpublished"}


def test_a_system_that_is_not_listed_is_an_error(study):
    asked = SimpleNamespace(system="no such", case="Si")
    damaged = with_settings(study, left_open=asked)
    with pytest.raises(StopIteration):
        _ = nodes_of.Nodes(damaged, SimpleNamespace()).system
