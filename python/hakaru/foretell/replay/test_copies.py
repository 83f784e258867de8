"""A message to oneself costs a copy in memory, and nothing of any network."""

import json
import subprocess

import pytest

from hakaru.base.paths import build_folder
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay.beyond_exchanges import beyond_exchanges
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import network_plan

SLOW = 4e-8  # s/B: 200 Mbit/s


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


def one_core_a_host(**memory):
    """Hosts of one core on a slow network: there is no level inside a host."""
    return {
        "name": "lab",
        "kind": "measured",
        "processor": {"cores": fact(1, "1"), "nodes": fact(4, "1")},
        "network": {
            "node": {
                "latency": fact(50e-6),
                "send_overhead": [fact(5e-6)],
                "receive_overhead": [fact(5e-6)],
                "gap_per_byte": [fact(SLOW, "s/B")],
            }
        },
        "memory": memory,
    }


MEMORY = {
    "bandwidth": [fact(1e10, "B/s", kernel="copy", cores=1), fact(1.6e10, "B/s", kernel="copy", cores=2)],
    "levels": [
        {"name": "L1", "capacity": fact(32768.0, "B"), "latency": fact(1e-9)},
        {"name": "L1", "bandwidth": [fact(8e10, "B/s", kernel="triad", cores=1)]},
        {"name": "memory", "latency": fact(1e-7)},
    ],
}


def replayed(tmp_path, machine, streams):
    plan = network_plan(Machine.of(machine), "hierarchy", len(streams), 1)
    (tmp_path / "network.json").write_text(json.dumps(plan.network.as_dict()))
    schedule = {
        "schema": "hakaru/schedule/1", "program": "p", "description": "", "ranks": len(streams), "phases": [], "works": [],
        "lists": [], "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[r, r, 1]], "operations": stream} for r, stream in enumerate(streams)],
    }  # fmt: skip
    (tmp_path / "schedule.json").write_text(json.dumps(schedule))
    command = [
        build_folder() / "bin" / "hakaru_replay",
        tmp_path / "schedule.json",
        "--network",
        tmp_path / "network.json",
    ]
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["makespan_s"]


def to_itself(size):
    keys = {"peer": 0, "tag": 0, "bytes": size}
    return [{"do": "isend", **keys, "request": 0}, {"do": "receive", **keys}, {"do": "wait", "request": 0}]


@pytest.mark.parametrize("size, seconds", [(1000, 1e-9 + 2e3 / 8e10), (1000000, 1e-7 + 2e6 / 1e10)])
def test_with_one_core_a_host_it_is_a_copy_and_no_message_of_the_network(tmp_path, size, seconds):
    streams = [to_itself(size), []]
    assert replayed(tmp_path, one_core_a_host(**MEMORY), streams) == pytest.approx(seconds)


def test_without_facts_of_memory_it_is_free_and_that_is_told(tmp_path):
    assert replayed(tmp_path, one_core_a_host(), [to_itself(10**6), []]) == 0.0
    told = network_plan(Machine.of(one_core_a_host()), "hierarchy", 2, 1).told
    assert "a message to oneself takes no time (no fact memory.bandwidth)" in told.assumed


def test_its_overheads_are_those_between_two_cores_where_they_were_measured():
    machine = one_core_a_host(**MEMORY)
    machine["network"]["core"] = {"latency": fact(1e-6), "send_overhead": [fact(2e-7)]}
    level = network_plan(Machine.of(machine), "hierarchy", 2, 1).network.as_dict()["levels"]["self"]
    assert level["send_overhead"][0]["value_s"] == pytest.approx(2e-7 + 1e-9)
    assert level["receive_overhead"] == 0.0


def test_published_machines_copy_at_their_memory():
    plan = network_plan(Machine.load(known_machines()["ethernet-10g"]), "loggp", 64, 1)
    assert plan.network.as_dict()["levels"]["self"]["gap_per_byte"][-1]["value_s"] == pytest.approx(
        2 / 9.73e9
    )
    assert isinstance(plan.told, Told)


def test_a_copy_takes_what_an_all_to_all_takes_beyond_an_exchange():
    machine = one_core_a_host(**MEMORY)

    def times(values):
        return [
            fact(value, ranks=2, bytes=size, low=0.9 * value, high=1.1 * value)
            for size, value in values.items()
        ]

    machine["network"]["core"] = {
        "latency": fact(1e-6),
        "gap_per_byte": [fact(1e-10, "s/B")],
        "exchange": times({1024: 1e-6, 65536: 1e-5, 1 << 20: 1e-4}),
        "alltoall": times({1024: 2e-6, 65536: 1.05e-5, 1 << 20: 2e-4}),  # 64 KiB: within the noise
    }
    plan = network_plan(Machine.of(machine), "hierarchy", 2, 1)
    found = plan.network.levels["self"].gap_per_byte
    assert {"network.core.alltoall", "network.core.exchange"} <= {basis.fact for basis in plan.told.facts}
    assert [(piece.minimum_bytes, piece.maximum_bytes) for piece in found] == [
        (0, 16384),
        (16385, (1 << 20) - 1),
        (1 << 20, None),
    ]
    assert found[-1].value_s == pytest.approx(1e-4 / (1 << 20))


@pytest.mark.parametrize(
    ("answering_s", "low", "high", "sure_s"),
    [(2e-5, 1e-5, 3e-5, 2e-5), (-2e-5, -3e-5, -1e-5, -2e-5), (2e-5, -1, 1, 0)],
)
def test_an_exchange_apart_lacks_what_those_in_a_row_do_to_each_other(answering_s, low, high, sure_s):
    size = 1 << 20
    core = {
        "exchange": [fact(1e-4, bytes=size)],
        "answering": [fact(answering_s, bytes=size, low=low, high=high)],
        "crowding": [fact(3e-5, bytes=size)],
        "alltoall": [fact(3e-4, ranks=2, bytes=size)],
    }
    machine = Machine.of({"name": "lab", "kind": "measured", "network": {"core": core}})
    [(_, found)] = beyond_exchanges(machine, "alltoall", 1, Told(), apart=True)
    assert found * size == pytest.approx(3e-4 - (1e-4 - 3e-5 - sure_s))
