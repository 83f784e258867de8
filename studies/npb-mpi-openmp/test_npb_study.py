"""Processes against threads: limits in closed form, by the engine; what does not verify has no row."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import fixtures
from hakaru.facts.schedules import Schedule
from hakaru.facts.work import Work
from hakaru.foretell.replay.engine import engine
from hakaru.studies import launches, load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import with_rows, with_settings
from hakaru.studies.replays import machine_named, written_schedule

FOLDER = Path(__file__).parent
npb, teams, pricing, here = (part(FOLDER, name) for name in ("analysis", "teams", "pricing", "here"))
shown = part(FOLDER, "shown")


@pytest.fixture
def study():
    return load("npb-mpi-openmp")


@pytest.fixture
def context(tmp_path):
    return Context(
        engine(tmp_path / "kept"), lambda entry: written_schedule(entry, tmp_path), results=tmp_path
    )


def node_of(study, machine, cores):
    return next(one for one in study.settings.nodes if (one.machine, one.cores) == (machine, cores))


def program_of(study, name):
    return next(one for one in study.programs if one.application == name)


def without_regions(study):
    rows = [row | {"parallel_do": 0.0} for row in study.published.table("overheads").rows]
    return with_rows(study, "overheads", rows)


def test_a_tree_of_threads_has_as_many_levels_as_doublings():
    assert [teams.levels(threads) for threads in (1, 2, 4, 12, 48, 128, 144)] == [0, 1, 2, 4, 6, 7, 8]
    assert teams.fork_s(1.1e-6, 4) == pytest.approx(2.2e-6) and teams.fork_s(1.1e-6, 1) == 0.0


def test_parts_of_loops_are_shared_whole(study):
    kernel = study.settings.kernels["SP.A"]  # 64 planes of 8 bundles
    assert teams.imbalance(kernel, 1, 48) == pytest.approx(11 * 48 / 512)
    assert teams.imbalance(kernel, 64, 1) == teams.uneven_ranks(kernel, 64) == 1.0
    assert teams.uneven_ranks(kernel, 48) == 1.5


def test_batches_come_out_the_same_by_ranks_and_by_threads(study):
    """ceil(ceil(n / R) / T) = ceil(n / (R T)): how a program without communication is divided makes no difference."""
    kernel = study.settings.kernels["EP.A"]
    for ranks, threads in itertools.product((1, 2, 3, 4, 12, 16), repeat=2):
        whole = teams.uneven_ranks(kernel, ranks * threads)
        assert teams.uneven_ranks(kernel, ranks) * teams.imbalance(kernel, ranks, threads) == pytest.approx(
            whole
        )


@pytest.mark.parametrize(("machine", "cores"), [("fugaku", 48), ("grace-superchip", 144)])
def test_a_program_without_communication_differs_by_the_regions_alone(study, context, machine, cores):
    node, program = node_of(study, machine, cores), program_of(study, "EP.A")
    benches = pricing.Benches(context, study.settings)
    found = [pricing.priced(study, benches, node, program, one) for one in pricing.layouts_of(node)]
    flat, *mixes = found
    assert flat.fork_s == 0.0 and all(one.regions == 1 and one.fork_s > 0.0 for one in mixes)
    case = npb.case_of(study, context, node, program, benches)
    assert shown.fastest_kind(case) == shown.CLOSE
    for one in mixes:
        assert one.time_s == pytest.approx(flat.time_s + one.fork_s, rel=1e-9)
    # 29 of 4096 batches of 2^17 numbers on 144 cores, 86 on 48
    share = -(-4096 // cores) * 2**17
    core = 10485730000.0 / 72 * machine_named(machine).number("processor.clock") / 3.4e9
    assert flat.time_s == pytest.approx(share / core, rel=1e-9)


def test_regions_that_cost_the_break_even_make_ranks_and_threads_alike(study, context):
    node = node_of(study, "rrze-clustera-icelake", 72)
    case = npb.case_of(study, context, node, program_of(study, "SP.B"))
    assert case.ratio(case.flat) > 1.0 and case.break_even_s > 0.0
    cost_us = 1e6 * case.break_even_s * teams.levels(4)
    rows = [row | {"parallel_do": cost_us} for row in study.published.table("overheads").rows]
    dear = npb.case_of(with_rows(study, "overheads", rows), context, node, program_of(study, "SP.B"))
    assert dear.ratio(dear.flat) == pytest.approx(1.0, rel=1e-6)


def test_one_memory_of_two_doubles_the_time_of_a_program_that_memory_bounds(study, context):
    free, node = without_regions(study), node_of(study, "grace-superchip", 144)
    case = npb.case_of(free, context, node, program_of(study, "FT.B"))
    own, far = (case.found[case.team, way].time_s for way in (pricing.ROOFLINE, pricing.ONE_MEMORY))
    assert far == pytest.approx(2.0 * own, rel=0.02)  # a few of its loops are bound by arithmetic


def test_computing_that_takes_longer_brings_a_ratio_nearer_to_one(study, context):
    free, node = without_regions(study), node_of(study, "archer2", 128)
    case = npb.case_of(free, context, node, program_of(study, "FT.A"))
    slower, plain, faster = (
        case.ratio(case.flat, way) for way in (pricing.SLOWER, pricing.ROOFLINE, pricing.FASTER)
    )
    assert 1.0 < slower < plain < faster
    assert case.fastest == case.team and shown.summary([case])[-1].startswith(
        "Fastest of 1 case: all threads 1"
    )


def test_more_ranks_than_planes_are_refused_and_named(study, context):
    case = npb.case_of(study, context, node_of(study, "archer2", 128), program_of(study, "SP.A"))
    assert list(case.refused) == [case.flat] and "plane" in case.refused[case.flat]
    rows = {row.id for row in npb.rows(case)}
    assert "ratio/SP.A/archer2/128/8x16" in rows and "ratio/SP.A/archer2/128/128x1" not in rows
    assert "cannot run" in " ".join(shown.summary([case])) + " ".join(shown.ratios_section([case]).lines[0])


def test_messages_are_lent_where_a_machine_has_none(study):
    lender, icelake = machine_named("archer2"), machine_named("rrze-clustera-icelake")
    lent = pricing.with_messages(icelake, lender)
    assert lent.number("network.core.latency") == 7.6e-7 and not icelake.has("network.core")
    assert lent.number("network.topology.link_bandwidth") == 1.25e10
    assert pricing.with_messages(lender, lender) is lender


def test_operations_of_cg_are_the_benchmarks():
    """1.496 Gop of class A in 15 estimates, as the benchmark prints them."""
    class_a = SimpleNamespace(order=14000, elements=11)
    assert 15 * npb.operations(class_a) == pytest.approx(1.496e9, rel=5e-4)


def test_regions_are_counted_in_the_timed_part():
    work = {"flops": 1.0, "bytes": 0.0, "bytes_write_allocate": 0.0}
    idle = work | {"flops": 0.0}
    inside = [
        {
            "do": "repeat",
            "times": 3,
            "operations": [{"do": "compute", "work": 0}, {"do": "compute", "work": 1}],
        }
    ]
    document = {
        "schema": "hakaru/schedule/1", "program": "", "description": "", "ranks": 1, "phases": [], "lists": [],
        "works": [work, idle], "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[0, 0, 1]], "operations": inside}],
    }  # fmt: skip
    assert teams.regions(Schedule.of(document)) == 3


WALLS = {"ep": (2.0, 1.0), "cg": (3.0, 2.0)}


@pytest.fixture
def launched(monkeypatch, study, tmp_path):
    """Runs of two programs whose times are known; what ``wrong`` names does not verify."""
    described = SimpleNamespace(describe=lambda *_: SimpleNamespace(evaluated=Work()))
    monkeypatch.setattr("hakaru.facts.programs.named", lambda name: described)
    monkeypatch.setattr(here, "usable_cores", lambda: 2)
    wrong, order = set(), []

    def perform(point, *_):
        layout = point.layout
        order.append((layout.ranks, layout.threads))
        wall = WALLS[point.program][layout.threads - 1]
        repetition = {"wall_s": wall, "rank_s": [wall], "phases": {"sum": [0.25 * wall]}}
        verdict = "failed" if point.program in wrong else "passed"
        phases = [{"name": "sum", "kind": "communicate"}]
        return fixtures.record(point.program, 0, [repetition], verdict=verdict, phases=phases)

    monkeypatch.setattr(launches, "perform", perform)
    monkeypatch.setattr(here, "replayed_ratio", lambda *_: 1.25)
    ours = study.settings.here
    asked = msgspec.structs.replace(ours, programs=ours.programs[:2], launches=6)
    small = with_settings(study, here=asked)
    run = lambda: here.run_here(small, Context(SimpleNamespace(), lambda _: tmp_path, results=tmp_path))  # noqa: E731
    return SimpleNamespace(run=run, wrong=wrong, order=order)


def test_layouts_take_turns_and_ratios_are_of_each_turn(launched):
    result = launched.run()
    found = {row.id: row.ours for row in result.rows}
    assert found["here/EP.A/ratio"] == 2.0 and found["here/CG.A/ratio"] == 1.5
    assert found["here/EP.A/messages"] == pytest.approx(0.25)
    assert launched.order[:4] == [(2, 1), (1, 2), (1, 2), (2, 1)]
    assert found["here/CG.A/ratio/replayed"] == 1.25
    assert {row.kind for row in result.rows if not row.id.endswith("replayed")} == {"measured"}
    assert "threads are faster" in result.summary[0]


def test_a_run_that_does_not_verify_is_no_row(launched):
    launched.wrong.add("cg")
    result = launched.run()
    assert {row.id.split("/")[1] for row in result.rows} == {"EP.A"}
    assert "CG.A" in result.summary[-1] and "did not verify" in result.summary[-1]


def test_one_core_has_nothing_to_compare(launched, monkeypatch):
    monkeypatch.setattr(here, "usable_cores", lambda: 1)
    with pytest.raises(UserError, match="do not run here"):
        launched.run()


def test_what_runs_here_is_replayed_alike(study, context):
    """Batches are even on two cores, so that EP's ratio lacks the regions alone; planes are even, so that SP pays its moves."""
    programs = {one.application: one for one in study.settings.here.programs}
    ratios = {name: here.replayed_ratio(study, context, one, 2) for name, one in programs.items()}
    assert ratios["EP.A"] == pytest.approx(1.0, abs=1e-4) and min(ratios["FT.A"], ratios["SP.W"]) > 1.0
