"""The engine's documents: networks of known machines, collectives, files, noise."""

from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay.choices import MODELS
from hakaru.foretell.replay.compute import ComputePlan, Rates
from hakaru.foretell.replay.disturbances import CROWDED_WITHIN_S
from hakaru.foretell.replay.documents import Result
from hakaru.foretell.replay.documents.network import at_size
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.noise import noise
from hakaru.foretell.replay.question import Choices, Question
from hakaru.foretell.replay.source import Source


def machine(name):
    return Machine.load(known_machines()[name])


def plan(name="fx1", model="hierarchy", ranks=64, collectives=None, **changes):
    return network_plan(Machine.of(machine(name).tree | changes), model, ranks, 1, None, collectives or {})


@pytest.mark.parametrize("name", ["ethernet-10g", "fat-tree-100g", "hx600", "fx1", "earth-simulator"])
def test_every_known_machine_makes_a_network(name):
    found = plan(name, ranks=1024)
    assert found.network.as_dict()["model"] == "hierarchy" and "node" in found.network.as_dict()["levels"]
    assert all(fact.source for fact in found.told.facts)


def test_a_flat_network_is_the_outermost_distance_in_use():
    assert list(plan(model="loggp", ranks=64).network.as_dict()["levels"]) == ["node"]
    assert list(plan(model="loggp", ranks=4).network.as_dict()["levels"]) == ["core"]


def test_more_nodes_than_there_are_is_told():
    assert (
        "the machine grows from 512 to 1024 nodes, and everything else stays" in plan(ranks=4096).told.assumed
    )
    assert not any("grows" in text for text in plan(ranks=2048).told.assumed)


def test_one_node_needs_no_facts_about_others():
    inside = {"core": {"latency": fact(1e-6), "gap_per_byte": [fact(1e-10, "s/B")]}}
    assert list(plan(ranks=4, network=inside).network.as_dict()["levels"]) == ["core"]
    with pytest.raises(UserError, match="network.node"):
        plan(ranks=5, network=inside)


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


def test_a_reduction_moves_three_bytes_for_each():
    found = plan("ethernet-10g").network.as_dict()
    assert found["reduction_s_per_byte"] == pytest.approx(3.0 / 9.73e9)
    lacking = plan("fx1")
    assert lacking.network.as_dict()["reduction_s_per_byte"] == 0.0
    assert any("takes no time (no fact memory.bandwidth)" in text for text in lacking.told.assumed)


def test_vectors_that_caches_hold_are_combined_faster_on_published_machines():
    """A core's share of ARCHER2's last cache is 4 MiB; both vectors have to fit."""
    cached, beyond = plan("archer2").network.reduction_s_per_byte
    assert cached.maximum_bytes == 2 << 20 and beyond.minimum_bytes == cached.maximum_bytes + 1
    assert cached.value_s == pytest.approx(3.0 / (32 * 2.25e9))
    assert beyond.value_s == pytest.approx(3.0 * 128 / 2.194e11)
    assert any("in its caches" in text for text in plan("archer2").told.assumed)


def test_vectors_are_combined_as_fast_as_the_curve_of_a_probe_says():
    curve = [
        fact(rate, "B/s", cores=1, bytes=size)
        for size, rate in ((1 << 15, 6e10), (1 << 20, 3e10), (1 << 28, 9e9))
    ]
    memory = {"bandwidth": [fact(1e10, "B/s", cores=1, kernel="triad")], "working_sets": curve}
    pieces = plan(memory=memory).network.reduction_s_per_byte
    assert [piece.maximum_bytes for piece in pieces] == [1 << 14, 1 << 19, None]
    assert [piece.value_s for piece in pieces] == pytest.approx([5e-11, 1e-10, 3e-10])


def test_sums_take_what_an_allreduce_of_two_cores_takes_beyond_its_messages():
    """Of long vectors half is combined, and two halves are exchanged; sums that the probe is not sure of, or of which libraries differ, say
    nothing."""
    memory = {"bandwidth": [fact(1e10, "B/s", cores=1, kernel="triad")]}
    core = {
        "latency": fact(1e-6),
        "gap_per_byte": [fact(1e-10, "s/B")],
        "exchange": [fact(size * 1e-9, bytes=size) for size in (1024, 2048, 8192, 16384, 32768)],
        "allreduce": [
            fact(1024e-9 + 1024 * 4e-11, ranks=2, bytes=1024),
            fact(4096 * 9e-9, ranks=2, bytes=4096),
            fact(16384e-9 + 8192 * 5e-11, ranks=2, bytes=16384),
            fact(32768e-9, ranks=2, bytes=32768),
            fact(65536e-9 + 32768 * 7e-11, ranks=2, bytes=65536),
            fact(1.0, ranks=4, bytes=65536),
        ],
    }
    core["exchange"][2] |= {"low": 8e-6, "high": 2e-5}  # one launch of few was slow
    core["allreduce"].append(fact(2e-6 + 1e-7, ranks=2, bytes=2048) | {"low": 1.9e-6, "high": 3e-6})
    found = plan(ranks=2, memory=memory, network={"core": core})
    pieces = found.network.reduction_s_per_byte
    assert [piece.maximum_bytes for piece in pieces] == [1023, 1024, 8192, None]
    assert [piece.value_s for piece in pieces] == pytest.approx([3e-10, 4e-11, 5e-11, 7e-11])
    assert any("beyond its messages" in text for text in found.told.assumed)


def test_exchanges_right_after_each_other_take_longer():
    """Those of sums do, too, so that a sum takes no more beyond them; what is not sure is none."""
    core = {
        "latency": fact(1e-7),
        "gap_per_byte": [fact(1e-10, "s/B")],
        "exchange": [fact(1.5e-7, bytes=8), fact(1e-6, bytes=8192)],
        "crossing": [fact(3e-8, bytes=8)],
        "crowding": [fact(4e-8, bytes=8)],
        "allreduce": [fact(1.9e-7, ranks=2, bytes=8), fact(3e-6, ranks=2, bytes=16384)],
    }
    memory = {"bandwidth": [fact(1e10, "B/s", cores=1, kernel="triad")]}
    found = plan(ranks=2, memory=memory, network={"core": core}).network
    level = found.levels["core"]
    assert [(one.maximum_bytes, one.value_s) for one in level.crowding][-1] == (None, 0.0)
    assert max(one.value_s for one in level.crowding) == 4e-8
    assert level.crowded_within_s == CROWDED_WITHIN_S
    assert found.reduction_s_per_byte[1].value_s == pytest.approx(4e-8 / 8)
    core["crowding"] = [fact(4e-8, bytes=8) | {"low": -1e-9, "high": 9e-8}]
    assert not plan(ranks=2, memory=memory, network={"core": core}).network.levels["core"].crowding


def test_messages_right_after_receives_take_longer_by_what_the_probe_says():
    """Single messages are those apart, and the rest is paid where a send follows a receive; nothing beyond the sizes that were timed."""
    core = {
        "latency": fact(1e-7),
        "gap_per_byte": [fact(1e-10, "s/B")],
        "pingpong": [fact(9e-8, bytes=8), fact(3e-7, bytes=4096)],
        "window": [fact(5e-8, bytes=8), fact(2e-7, bytes=4096)],
        "answering": [fact(1.3e-8, bytes=8), fact(2e-8, bytes=64) | {"low": -1e-9, "high": 4e-8}],
    }
    level = plan(ranks=2, network={"core": core}).network.levels["core"]
    assert [at_size(level.answering, size) for size in (8, 64, 4096)] == [1.3e-8, 0.0, 0.0]
    assert level.crowded_within_s == CROWDED_WITHIN_S
    later_s = {point.bytes: point.value_s for point in level.later}
    core["answering"] = [fact(-1.3e-8, bytes=8), fact(-2e-8, bytes=64) | {"low": -4e-8, "high": 1e-9}]
    sooner = plan(ranks=2, network={"core": core}).network.levels["core"]
    assert [at_size(sooner.answering, size) for size in (8, 64, 4096)] == [-1.3e-8, 0.0, 0.0]
    del core["answering"]
    without = plan(ranks=2, network={"core": core}).network.levels["core"]
    assert not without.answering
    earlier_s = {point.bytes: point.value_s - later_s[point.bytes] for point in without.later}
    assert (earlier_s[8], earlier_s[4096]) == pytest.approx((1.3e-8, 0.0), abs=1e-12)


def test_posting_and_the_turn_of_long_messages_that_cross_are_what_the_probe_says():
    """The turn is what a second neighbour takes, of two ranks and but on grids; none where the probe timed one number only."""
    around = [
        fact(5e-7, ranks=2, bytes=8, neighbours=1),
        fact(4e-6, ranks=2, bytes=8192, neighbours=1),
        fact(7e-7, ranks=2, bytes=8, neighbours=2),
        fact(6.5e-6, ranks=2, bytes=8192, neighbours=2),
    ]
    other = [
        fact(1.0, ranks=4, bytes=8192, neighbours=2),
        fact(1.0, ranks=2, bytes=8192, neighbours=2, topology="grid"),
    ]
    core = {
        "latency": fact(1e-7),
        "gap_per_byte": [fact(1e-10, "s/B")],
        "neighbourhood": [*around, *other],
        "posting": [fact(2e-8, bytes=8), fact(7e-8, bytes=8192)],
        "posting_apart": [fact(3e-8, bytes=8)],
    }
    found = plan(ranks=2, network={"core": core})
    level = found.network.levels["core"]
    assert [at_size(level.crossing_turn, size) for size in (8, 8192)] == pytest.approx([2e-7, 2.5e-6])
    assert [at_size(level.posting, size) for size in (8, 8192)] == [2e-8, 7e-8]
    assert (at_size(level.posting_apart, 8192), level.crowded_within_s) == (3e-8, CROWDED_WITHIN_S)
    assert {"network.core.posting", "network.core.neighbourhood"} <= {one.fact for one in found.told.facts}
    core["neighbourhood"] = [*around[:2], *other]
    assert not plan(ranks=2, network={"core": core}).network.levels["core"].crossing_turn


def test_files_cost_what_the_slower_direction_does():
    assert plan("fat-tree-100g").network.as_dict()["file_system"]["total_bytes_per_s"] == 0.9e9
    assert "file_system" not in plan("hx600").network.as_dict()


def test_collectives_are_forced_measured_or_in_hardware():
    network = machine("fx1").tree["network"]
    network["node"]["barrier"] = [fact(5e-6, ranks=2, bytes=0), fact(8e-6, ranks=64, bytes=0)]
    asked = {"alltoall": "pairwise", "barrier": "measured", "allreduce": "hardware:6us"}
    found = plan(collectives=asked, network=network).network.as_dict()["collectives"]
    assert found["alltoall"] == {"algorithm": "pairwise"}
    assert found["barrier"]["table"][1] == {"ranks": 64, "bytes": 0, "value_s": 8e-6}
    assert found["allreduce"] == {"algorithm": "hardware", "hardware_s": pytest.approx(6e-6)}
    with pytest.raises(UserError, match="no measured times of scan"):
        plan(collectives={"scan": "measured"})


def test_an_unknown_model_is_refused():
    assert "torus" in MODELS
    with pytest.raises(UserError, match="known are: hierarchy"):
        plan(model="mesh")


@pytest.mark.parametrize(
    ("text", "kind", "key", "value"),
    [
        ("2us", "exponential", "mean_s", 2e-6),
        ("exponential:3us", "exponential", "mean_s", 3e-6),
        ("gaussian:5%", "gaussian", "relative_deviation", 0.05),
        ("periodic:10ms:100us", "periodic", "detour_s", 1e-4),
    ],
)
def test_noise_as_people_write_it(text, kind, key, value):
    found = noise(text, None, 3)
    assert found.kind == kind and getattr(found, key) == pytest.approx(value) and found.seed == 3
    assert not found.together


def test_detours_of_all_ranks_at_once():
    found = noise("periodic:10ms:100us:together", None, 3)
    assert found.together and (found.period_s, found.detour_s) == pytest.approx((1e-2, 1e-4))


@pytest.mark.parametrize("text", ["periodic:10ms:100us", "periodic:10ms:100us:together"])
def test_noise_that_strikes_calls(text):
    quiet, struck = noise(text, None, 3), noise(f"{text}:calls", None, 3)
    assert not quiet.calls and struck == msgspec.structs.replace(quiet, calls=True)


@pytest.mark.parametrize("text", ["2us", "exponential:2us", "gaussian:5%"])
def test_noise_of_operations_does_not_strike_calls(text):
    with pytest.raises(UserError, match=f"the noise '{text}' does not strike calls"):
        noise(f"{text}:calls", None, 3)


def test_noise_from_a_file_and_none(tmp_path):
    (tmp_path / "detours").write_text("1e-6 2us\n3e-6")
    assert noise(str(tmp_path / "detours"), None, None).samples_s == pytest.approx([1e-6, 2e-6, 3e-6])
    assert noise(None, None, None) is None
    (tmp_path / "empty").write_text("")
    for wrong in (
        str(tmp_path / "empty"),
        "gaussian:2us",
        "-1us",
        "periodic:10ms:1us:sometimes",
        "periodic:1s",
        "periodic:10ms:100us:calls:together",
        "calls",
        ":calls",
    ):
        with pytest.raises(UserError, match="is not understood"):
            noise(wrong, None, None)
    with pytest.raises(UserError, match="noise.mean cannot be set"):
        noise("gaussian:5%", 1e-6, None)


def test_on_the_ideal_network_files_still_cost():
    found = plan("fat-tree-100g", collectives={"alltoall": "pairwise"}).network.ideal().as_dict()
    assert found["file_system"]["total_bytes_per_s"] == 0.9e9 and "collectives" not in found
    assert found["levels"] == {"core": {"latency_s": 0.0}}


def test_options_hold_rates_and_factors():
    question = Question(Source("schedule", Path("s"), "s"), Choices(), Engine(Path("tool")))
    computing = ComputePlan("phases", 0.5, {"stencil": 2.0}, Rates(1e9, 2e9, True))
    found = question.options(computing, None).as_dict()
    assert found["compute_factor"] == 0.5 and found["phase_factor"] == {"stencil": 2.0}
    assert found["roofline"] == {"flop_rate": 1e9, "memory_bandwidth": 2e9, "write_allocate": True}


def test_a_result_of_another_version_is_refused():
    with pytest.raises(UserError, match="makespan_s.*build hakaru again"):
        Result.parse("{}")


def probed(reached_bytes: int) -> dict:
    """A probed machine of one-core nodes whose message trains reached so many bytes; 10 ns/B by its ping-pongs."""
    piece = {"minimum_bytes": 0, "maximum_bytes": reached_bytes}
    node = {
        "latency_without_overheads": fact(1e-3, "s"),
        "send_overhead": [
            fact(2e-5, "s", minimum_bytes=0, maximum_bytes=1023),
            fact(2e-3, "s", minimum_bytes=1024, maximum_bytes=reached_bytes),
        ],
        "gap_per_byte": [fact(1e-12, "s/B", **piece)],
        "eager_limit": fact(1023, "B"),
        "pingpong": [fact(1e-3 + 1e-8 * size, "s", bytes=size) for size in (8, 65536, 1048576)],
    }
    return {
        "schema": "hakaru/machine/1",
        "name": "probed",
        "kind": "measured",
        "date": "2026",
        "processor": {"cores": fact(1, "1")},
        "network": {"node": node},
    }


def test_long_messages_cost_what_ping_pongs_say_where_trains_ended_early():
    pieces = network_plan(Machine.of(probed(45)), "hierarchy", 2, 1, ranks_per_node=1).network.as_dict()[
        "levels"
    ]["node"]["gap_per_byte"]
    assert pieces[-1] == {"minimum_bytes": 46, "maximum_bytes": None, "value_s": pytest.approx(1e-8)}
    far = network_plan(Machine.of(probed(262144)), "hierarchy", 2, 1, ranks_per_node=1).network.as_dict()[
        "levels"
    ]["node"]
    assert [piece["value_s"] for piece in far["gap_per_byte"]] == [1e-12]


def test_overheads_above_the_eager_limit_hold_no_waiting():
    level = network_plan(Machine.of(probed(262144)), "hierarchy", 2, 1, ranks_per_node=1).network.as_dict()[
        "levels"
    ]["node"]
    assert level["send_overhead"] == [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 2e-5}]
