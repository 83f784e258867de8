"""``hakaru replay`` with the real engine: closed forms, deadlocks, every network model, a program's own schedule."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native, programs
from hakaru.foretell.replay.network import MODELS

L, G = 4.1e-6, 5e-10  # of fx1 between nodes


def _built() -> bool:
    try:
        return native.tool("hakaru_replay").is_file()
    except UserError:
        return False


pytestmark = pytest.mark.skipif(not _built(), reason="the replay engine is not built")


def hakaru(*words, results, **more):
    return subprocess.run(
        [sys.executable, "-m", "hakaru", "replay", *[str(word) for word in words], "--results", str(results)],
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


def ask(*words, results):
    done = hakaru(*words, "--json", results=results)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def schedule(path, *streams):
    """A schedule with one stream a rank."""
    document = {
        "schema": "hakaru/schedule/1",
        "program": "test",
        "description": "",
        "ranks": len(streams),
        "phases": [{"name": "solve", "kind": "compute"}],
        "communicators": [{"name": "world"}],
        "works": [],
        "lists": [],
        "streams": [
            {"ranks": [[rank, rank, 1]], "operations": stream} for rank, stream in enumerate(streams)
        ],
    }
    path.write_text(json.dumps(document))
    return path


def send(peer, size):
    return {"do": "send", "peer": peer, "tag": 0, "bytes": size}


def receive(peer, size):
    return {"do": "receive", "peer": peer, "tag": 0, "bytes": size}


def compute(seconds):
    return {"do": "compute", "seconds": seconds}


ALONE = ("--machine", "fx1", "--ranks-per-node", "1")


def test_a_ping_pong_takes_two_messages(tmp_path):
    given = schedule(
        tmp_path / "s.json", [send(1, 1000), receive(1, 1000)], [receive(0, 1000), send(0, 1000)]
    )
    found = ask(given, *ALONE, results=tmp_path)
    assert found["time_s"] == pytest.approx(2 * (L + 999 * G), rel=1e-9)
    assert found["messages"] == 2 and found["bytes"] == 2000


def test_pop_factors_of_an_imbalanced_program(tmp_path):
    given = schedule(
        tmp_path / "s.json", [compute(1.0), send(1, 1)], [compute(0.5), receive(0, 1), compute(0.5)]
    )
    found = ask(given, *ALONE, "--set", "network.node.latency=0.5s", results=tmp_path)
    efficiency = found["efficiency"]
    assert found["time_s"] == pytest.approx(2.0) and efficiency["ideal_time_s"] == pytest.approx(1.5)
    assert efficiency["transfer"] == pytest.approx(0.75)
    assert efficiency["serialisation"] == pytest.approx(1.0 / 1.5)
    assert efficiency["load_balance"] == pytest.approx(1.0)
    assert sum(found["breakdown_s"].values()) == pytest.approx(2.0)


def test_a_compute_factor_and_a_sweep_of_the_latency(tmp_path):
    given = schedule(tmp_path / "s.json", [compute(1.0), send(1, 1)], [receive(0, 1)])
    half = ask(given, *ALONE, "--compute-factor", "0.5", results=tmp_path)
    assert half["time_s"] == pytest.approx(0.5 + L)
    swept = ask(given, *ALONE, "--sweep", "network.node.latency=1ms..1s:4", results=tmp_path)
    times = [point["time_s"] for point in swept["points"]]
    assert times == pytest.approx([1.001, 1.01, 1.1, 2.0])
    assert "<svg" in (tmp_path / "replays" / f"{swept['id']}.html").read_text()


def test_a_deadlock_names_who_waits_for_what(tmp_path):
    given = schedule(tmp_path / "s.json", [receive(1, 8), send(1, 8)], [receive(0, 8), send(0, 8)])
    done = hakaru(given, "--check", results=tmp_path)
    assert done.returncode != 0
    assert "rank 0" in done.stderr and "rank 1" in done.stderr and "receive" in done.stderr.lower()
    assert hakaru(given, *ALONE, results=tmp_path).returncode == done.returncode
    fine = schedule(tmp_path / "fine.json", [send(1, 8)], [receive(0, 8)])
    assert "can progress" in hakaru(fine, "--check", results=tmp_path).stdout


def test_a_damaged_schedule_is_refused(tmp_path):
    given = schedule(tmp_path / "s.json", [send(5, 8)], [receive(0, 8)])
    done = hakaru(given, *ALONE, results=tmp_path)
    assert (
        done.returncode == 2 and done.stderr.startswith("hakaru: ") and "its peer is no rank" in done.stderr
    )


@pytest.mark.parametrize("model", MODELS)
def test_every_network_replays_an_exchange_of_everybody(tmp_path, model):
    ranks = 12
    streams = []
    for rank in range(ranks):
        others = [(rank + step) % ranks for step in range(1, ranks)]
        posted = [
            {"do": "ireceive", "peer": o, "tag": 0, "bytes": 4000, "request": i} for i, o in enumerate(others)
        ]
        waits = [{"do": "wait", "request": i} for i in range(len(others))]
        streams.append([*posted, *[send(other, 4000) for other in others], *waits])
    given = schedule(tmp_path / "s.json", *streams)
    words = ("--machine", "fx1", "--network", model, "--set", "network.topology.radix=4")
    found = ask(given, *words, results=tmp_path)
    assert found["messages"] == ranks * (ranks - 1)
    assert found["time_s"] > L + 4000 * G
    slower = ask(given, *words, "--set", "network.node.latency=1ms", results=tmp_path)
    assert slower["time_s"] > found["time_s"]


def test_a_collective_follows_the_algorithm_asked_for(tmp_path):
    given = schedule(tmp_path / "s.json", *[[{"do": "alltoall", "bytes": 1000}]] * 8)
    pairwise, bruck = (
        ask(given, *ALONE, "--collective", f"alltoall={name}", results=tmp_path)
        for name in ("pairwise", "bruck")
    )
    assert pairwise["messages"] == 56 and bruck["messages"] == 24
    done = hakaru(given, *ALONE, "--collective", "alltoall=carrier_pigeon", results=tmp_path)
    assert done.returncode == 2 and "pairwise" in done.stderr


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    rank = [{"do": "repeat", "times": 30000, "operations": [{"do": "barrier"}]}]
    given = schedule(tmp_path / "s.json", *[rank] * 64)
    words = [str(given), "--machine", "fx1", "--sweep", "network.node.latency=1us..1ms:40", "--jobs", "1"]
    command = [sys.executable, "-m", "hakaru", "replay", *words, "--results", str(tmp_path)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    kept = tmp_path / "replays" / ".kept"
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and running.poll() is None and len(list(kept.glob("*.json"))) < 4:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=100)
    assert running.returncode == 130, errors
    assert "everything that had finished is kept" in errors
    stored = json.loads(next((tmp_path / "replays").glob("*sweep*.json")).read_text())
    done = [point for point in stored["points"] if point["time_s"] is not None]
    assert 1 <= len(done) < 40 and not stored["complete"]
    assert "Picture:" in output


def test_a_program_of_hakaru_says_its_schedule(tmp_path):
    names = [program.name for program in programs.known("app")]
    if "himeno" not in names:
        pytest.skip("himeno is not built")
    found = ask("schedule:himeno,iterations=2", "--ranks", "8", "--machine", "hx600", results=tmp_path)
    assert found["input"]["ranks"] == 8 and found["breakdown_s"]["compute"] > 0 and found["messages"] > 0
    slow = ask(
        "schedule:himeno,iterations=2",
        "--ranks",
        "8",
        "--machine",
        "hx600",
        "--set",
        "memory.bandwidth=0.5x",
        results=tmp_path,
    )
    assert slow["breakdown_s"]["compute"] > 1.5 * found["breakdown_s"]["compute"]
