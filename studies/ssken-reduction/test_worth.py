"""Ways to reduce: their prices in closed form, what replays make of them, and what noise adds."""

import json
import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.documents.network import Level, Network
from hakaru.foretell.replay.engine import engine
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import with_settings
from hakaru.studies.replays import machine_named
from hakaru.studies.result import Result

FOLDER = Path(__file__).parent
worth, ways = part(FOLDER, "worth"), part(FOLDER, "ways")
RANKS = 64


def bench_of(folder: Path, **changes):
    study = load("ssken-reduction")
    asked = msgspec.structs.replace(study.settings.beyond, **changes)
    context = Context(engine(None), lambda entry: None, results=folder)
    study = with_settings(study, beyond=asked)
    return worth.Bench(study, context, asked, machine_named(asked.machine), machine_named(asked.adapter))


def loop(bench, compute_s: float, iterations: int = 20, ranks: int = RANKS):
    asked = msgspec.structs.replace(bench.asked.loop, compute_s=compute_s)
    return worth.loop_case(bench, asked, ranks, iterations)


@pytest.mark.parametrize(("nodes", "stages"), [(2, 1), (36, 1), (37, 2), (648, 2), (649, 3), (11664, 3)])
def test_a_full_fat_tree_of_radix_36(nodes, stages):
    assert ways.depth(36, nodes) == stages


def test_the_price_of_adapters_is_a_line():
    line = ways.Line.through({8: 4e-6, 64: 7e-6, 4096: 13e-6})
    assert line.start_s == pytest.approx(1e-6) and line.stage_s == pytest.approx(1e-6)
    assert line.worst({8: 4e-6, 64: 14e-6}) == pytest.approx(0.5)
    with pytest.raises(UserError, match="no times of an allreduce of 4 B"):
        ways.adapters_of(machine_named("fat-tree-100g"), 4)


@pytest.mark.parametrize("way", [ways.PLAIN, ways.EXACT, ways.ADAPTERS, ways.SWITCH])
def test_a_quiet_loop_takes_its_computing_and_the_price(tmp_path, way):
    bench = bench_of(tmp_path)
    costs = bench.prices(RANKS)
    time_s = bench.iteration_s(loop(bench, 1e-4), way)
    assert time_s == pytest.approx(1e-4 + costs.seconds(way, RANKS), rel=1e-9)
    dearer = replace(costs, adapters=ways.Line(1e-3, 0.0), switch_s=1e-3)
    changed = bench.iteration_s(loop(bench, 1e-4), way, None, dearer) != time_s
    assert changed == (way in (ways.ADAPTERS, ways.SWITCH))


def test_the_switch_that_is_as_good_takes_as_long(tmp_path):
    costs = bench_of(tmp_path).prices(RANKS)
    hosts_s = costs.hosts_s(RANKS)
    even = replace(costs, switch_s=costs.switch_as_good_as(hosts_s, RANKS))
    assert even.switch_of(RANKS) == pytest.approx(hosts_s)
    assert even.switch_s > costs.switch_s


def test_it_spares_a_tenth_of_so_much_computing(tmp_path):
    bench = bench_of(tmp_path)
    costs = bench.prices(RANKS)
    between_s = ways.computing_s(costs.hosts_s(RANKS), costs.switch_of(RANKS), 0.1)
    times = {way: bench.iteration_s(loop(bench, between_s), way) for way in (ways.PLAIN, ways.SWITCH)}
    assert 1.0 - times[ways.SWITCH] / times[ways.PLAIN] == pytest.approx(0.1, rel=1e-6)


def test_only_sums_become_exact():
    document = worth.sums_between(4, 2, 1e-4, 8)
    body = document["streams"][0]["operations"][0]["operations"]
    body += [{"do": "send", "bytes": 8}, {"do": "allreduce", "bytes": 16}]
    exact = worth.with_sums(document, lambda size: 35 * size)
    found = [(one["do"], one.get("bytes")) for one in exact["streams"][0]["operations"][0]["operations"]]
    assert found == [("compute", None), ("allreduce", 280), ("send", 8), ("allreduce", 560)]
    assert body[1]["bytes"] == 8, "the plain one stays as it is"


@pytest.mark.parametrize("iterations", [2, 5])
def test_what_a_program_does_before_and_after_is_no_part_of_an_iteration(tmp_path, iterations):
    bench = bench_of(tmp_path)
    document = worth.sums_between(RANKS, iterations, 1e-4, 8)
    document["phases"] = [{"name": "sum", "kind": "communicate"}]
    own = document["streams"][0]["operations"]
    body = own[0]["operations"]
    body[1:] = [{"do": "begin", "phase": "sum"}, *body[1:], {"do": "end", "phase": "sum"}]
    own[:] = [{"do": "compute", "seconds": 1.0}, *own, {"do": "allreduce", "bytes": 8}]
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(document))
    case = worth.case_of(bench, "whole", RANKS, iterations, path)
    expected_s = 1e-4 + bench.prices(RANKS).hosts_s(RANKS)
    assert bench.iteration_s(case, ways.PLAIN) == pytest.approx(expected_s, rel=1e-9)
    with pytest.raises(UserError, match="has 0 loops of 3 iterations"):
        worth.case_of(bench, "whole", RANKS, 3, path)
    own.append(own[1])
    with pytest.raises(UserError, match="has 2 loops"):
        worth.iterations_of(document, iterations)


def test_programs_have_the_same_size_per_rank_at_all_numbers_of_ranks():
    asked = load("ssken-reduction").settings.beyond
    points = {
        "himeno": lambda p: math.prod(p[f"n{axis}"] - 2 for axis in "xyz"),
        "scg": lambda p: p["n"] ** 2,
        "lattice_qcd": lambda p: math.prod(p[f"n{axis}"] for axis in "xyzt"),
    }
    each = {"himeno": 64**3, "scg": 200**2, "lattice_qcd": 8**4}
    for name, count in points.items():
        entries = [entry for entry in asked.programs if entry.program == name]
        assert [entry.ranks for entry in entries] == [ranks for ranks, _ in asked.loop.sizes]
        for entry in entries:
            assert count(entry.parameters) / entry.ranks == pytest.approx(each[name], rel=1e-3)
            assert entry.parameters["iterations"] >= 2, "one iteration is no loop in a schedule"


def test_noise_strikes_every_step_of_hosts_and_the_last_wait_of_others(tmp_path):
    """Ranks that compute nothing come together at once: who waits for the network is held by one detour at most, hosts at every stage."""
    bench = bench_of(tmp_path, noise_share=0.5)
    case, noise = loop(bench, 0.0, iterations=1), worth.noise_of(bench.asked, 1e-5)
    costs = bench.prices(RANKS)
    for way in (ways.UNSTRUCK, ways.ADAPTERS, ways.SWITCH):
        quiet_s = costs.seconds(way, RANKS)
        assert quiet_s < bench.iteration_s(case, way, noise) <= quiet_s + 1e-5
    struck_s = bench.iteration_s(case, ways.PLAIN, noise)
    assert struck_s > costs.hosts_s(RANKS) + 1e-5
    silent = msgspec.structs.replace(noise, calls=False)
    for way in ways.WAYS:
        assert bench.iteration_s(case, way, silent) == pytest.approx(costs.seconds(way, RANKS), rel=1e-9)


def test_noise_in_calls_is_the_same_in_both_engines(tmp_path):
    bench = bench_of(tmp_path, noise_share=0.15)
    case, noise = loop(bench, 1e-4, iterations=10, ranks=16), worth.noise_of(bench.asked, 3e-6)
    level = Level(latency_s=1e-5, send_overhead=1e-6, receive_overhead=2e-6)
    network = ways.network_by(
        Network(model="loggp", levels={"switch": level}), ways.PLAIN, 16, bench.prices(16)
    )
    blocked, ordered, quiet = (
        bench.context.engine.replay(case.plain, network, options).makespan_s
        for options in (
            Options(noise=noise, engine="run_until_blocked"),
            Options(noise=noise, engine="time_ordered"),
            Options(),
        )
    )
    assert blocked == pytest.approx(ordered, rel=1e-12) and blocked > 1.05 * quiet


def test_where_every_iteration_meets_a_long_detour_the_network_waits_for_one_and_hosts_for_more(tmp_path):
    """Some rank is always in a detour: an iteration takes its length, where no stage of hosts meets another one."""
    bench = bench_of(tmp_path, noise_share=0.025)
    case, noise = loop(bench, 1e-4, iterations=10, ranks=16384), worth.noise_of(bench.asked, 1e-2)
    times = {way: bench.iteration_s(case, way, noise) for way in (ways.PLAIN, ways.ADAPTERS, ways.SWITCH)}
    for way in (ways.ADAPTERS, ways.SWITCH):
        assert times[way] == pytest.approx(1e-2 + bench.iteration_s(case, way), rel=0.1)
    assert times[ways.PLAIN] > 1.5 * times[ways.SWITCH]
    rare = worth.noise_of(bench_of(tmp_path, noise_share=0.0).asked, 1e-2)
    assert bench.iteration_s(case, ways.PLAIN, rare) == pytest.approx(bench.iteration_s(case, ways.PLAIN))


def test_rows_sections_and_summary_of_a_small_question(tmp_path):
    study = load("ssken-reduction")
    small = msgspec.structs.replace(study.settings.beyond.loop, sizes=((16, 4), (64, 4)))
    asked = msgspec.structs.replace(
        study.settings.beyond, loop=small, programs=(), detours_s=(1e-5, 1e-2), least_detours=1
    )
    study = with_settings(study, beyond=asked)
    result = Result(basis=study.basis)
    worth.beyond(study, Context(engine(None), lambda entry: None, results=tmp_path), result)
    rows = {row.id: row for row in result.rows}
    assert {row.kind for row in result.rows} == {"unpublished"}
    assert rows["worth/loop/64/no noise/hosts"].ours > rows["worth/loop/64/no noise/switch"].ours
    assert "worth/loop/64/no noise/hosts, not struck" not in rows, "without noise it is the hosts'"
    assert rows["worth/loop/64/10.0 µs/hosts, not struck"].ours is not None
    assert "worth/loop/64/10.0 ms/hosts" not in rows, "it would meet less than one detour"
    titles = [one.title for one in result.sections]
    assert titles == ["What one sum costs", "Worth to loop", "By the time of a switch", "By noise"]
    assert len(result.sections[1].lines) == 4 and len(result.summary) == 2
    assert any("100 ns" in words for words in result.assumptions)


def test_programs_reduce_over_all_ranks_and_few_numbers(tmp_path):
    """What the prices of adapters and switch rest on."""
    from hakaru.studies.replays import written_schedule

    for entry in load("ssken-reduction").settings.beyond.programs:
        if entry.ranks > 1024:
            continue
        path = written_schedule(entry, tmp_path)
        assert [one.name for one in Schedule.read(path).communicators] == ["world"]
        own = worth.iterations_of(json.loads(path.read_text()), entry.parameters["iterations"])
        assert {one["do"] for one in operations(own)} >= {"compute", "allreduce"}
        sizes = {one["bytes"] for one in operations(json.loads(path.read_text())) if one["do"] == "allreduce"}
        assert sizes and max(sizes) <= 16


def operations(tree):
    if isinstance(tree, list):
        for one in tree:
            yield from operations(one)
    elif isinstance(tree, dict):
        if "do" in tree:
            yield tree
        for value in tree.values():
            yield from operations(value)
