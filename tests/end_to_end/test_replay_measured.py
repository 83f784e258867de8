"""The real engine on a machine that was probed: single messages, windows and epochs take what the probe says."""

import json

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.facts.machines.machine import Machine
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan


def _built() -> bool:
    try:
        return native.tool("hakaru_replay").is_file()
    except UserError:
        return False


pytestmark = pytest.mark.skipif(not _built(), reason="the replay engine is not built")

ALONE = {0: 1.4e-7, 1: 1.6e-7, 1024: 3.3e-7, 3000: 9e-7, 65536: 9.5e-6, 1 << 22: 7e-4, 1 << 28: 6e-2}
EACH = {0: 8e-8, 1: 9e-8, 1024: 2.2e-7, 3000: 7e-7, 65536: 5e-6, 1 << 22: 5e-4}
OVER_GRAPH = {1: {64: 1.2e-7, 4096: 9e-7}, 2: {64: 1.8e-7, 4096: 1.6e-6}}  # by partners and bytes
ON_GRID = {64: 2.2e-7, 4096: 1.7e-6}  # of two partners
CALL_S, DONE_S, FENCE_S = 1.8e-6, 1e-7, 3.1e-6


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


@pytest.fixture(scope="module")
def network():
    core = {
        "latency": fact(1.7e-7),
        "latency_without_overheads": fact(2e-8),
        "send_overhead": [fact(6e-8, minimum_bytes=0, maximum_bytes=1 << 22)],
        "receive_overhead": [fact(8e-8, minimum_bytes=0, maximum_bytes=1 << 22)],
        "gap": [fact(9e-8, minimum_bytes=0, maximum_bytes=1 << 22)],
        "gap_per_byte": [fact(1e-10, "s/B", minimum_bytes=0, maximum_bytes=1 << 22)],
        "eager_limit": fact(4000, "B"),
        "pingpong": [fact(seconds, bytes=size) for size, seconds in ALONE.items()],
        "window": [fact(seconds, bytes=size) for size, seconds in EACH.items()],
        "access": [
            fact(seconds, window="allocated", access=kind, part=part, bytes=size)
            for kind in ("put", "get", "accumulate")
            for part, seconds in (("call", CALL_S), ("gap", CALL_S), ("done", DONE_S))
            for size in (8, 4096)
        ],
        "epoch": [fact(FENCE_S, window="allocated", epoch="fence")],
        "neighbourhood": [
            fact(seconds, neighbours=count, ranks=2, bytes=size)
            for count, times in OVER_GRAPH.items()
            for size, seconds in times.items()
        ]
        + [
            fact(seconds, topology="grid", neighbours=2, ranks=2, bytes=size)
            for size, seconds in ON_GRID.items()
        ],
    }
    machine = {
        "schema": "hakaru/machine/1",
        "name": "probed",
        "kind": "measured",
        "date": "2026",
        "processor": {"cores": fact(2, "1")},
        "network": {"core": core},
    }
    return network_plan(Machine.of(machine), "hierarchy", 2, 1).network


def replayed_s(network, folder, *streams, lists=()):
    document = {
        "schema": "hakaru/schedule/1",
        "program": "test",
        "description": "",
        "ranks": len(streams),
        "phases": [],
        "communicators": [{"name": "world"}],
        "works": [],
        "lists": lists,
        "streams": [
            {"ranks": [[rank, rank, 1]], "operations": stream} for rank, stream in enumerate(streams)
        ],
    }
    path = folder / "schedule.json"
    path.write_text(json.dumps(document))
    return engine(None).replay(path, network, Options()).makespan_s


def message(do, peer, size, **more):
    return {"do": do, "peer": peer, "tag": 0, "bytes": size, **more}


@pytest.mark.parametrize("size", ALONE)
def test_a_ping_pong_takes_what_was_measured(network, tmp_path, size):
    here = [message("send", 1, size), message("receive", 1, size)]
    there = [message("receive", 0, size), message("send", 0, size)]
    assert replayed_s(network, tmp_path, here, there) == pytest.approx(2 * ALONE[size], rel=1e-6)


@pytest.mark.parametrize("size", EACH)
def test_each_message_of_a_window_takes_what_was_measured(network, tmp_path, size):
    def window_s(count):
        waits = [{"do": "wait", "request": i} for i in range(count)]
        starts = [message("isend", 1, size, request=i) for i in range(count)]
        posts = [message("ireceive", 0, size, request=i) for i in range(count)]
        return replayed_s(network, tmp_path, starts + waits, posts + waits)

    each_s = (window_s(64) - window_s(8)) / 56
    assert each_s == pytest.approx(EACH[size], rel=1e-3)


def test_an_epoch_takes_what_was_measured(network, tmp_path):
    stream = [[message("put", 1 - rank, 8), {"do": "fence"}] for rank in range(2)]
    assert replayed_s(network, tmp_path, *stream) == pytest.approx(FENCE_S, rel=1e-6)


@pytest.mark.parametrize("size", ON_GRID)
def test_exchanges_with_neighbours_take_what_was_measured_of_their_topology(network, tmp_path, size):
    def exchange_s(partners, grid):
        lists = [[1 - rank, size] * (2 * partners) for rank in range(2)]
        exchange = {"do": "neighbour_exchange", "bytes": partners, "grid": grid}
        return replayed_s(network, tmp_path, *([exchange | {"list": rank}] for rank in range(2)), lists=lists)

    assert exchange_s(2, False) == pytest.approx(OVER_GRAPH[2][size], rel=1e-6)
    assert exchange_s(2, True) == pytest.approx(ON_GRID[size], rel=1e-6)
    longer = ON_GRID[size] / OVER_GRAPH[2][size]
    for partners in (1, 4, 6):
        assert exchange_s(partners, True) == pytest.approx(longer * exchange_s(partners, False), rel=1e-6)
