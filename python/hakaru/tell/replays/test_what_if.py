import json
import threading
import time

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay import settable, what_if
from hakaru.foretell.replay.documents.answer import Answer, Basis, Sweep, SweptPoint
from hakaru.foretell.replay.ranges import sweep
from hakaru.tell.replays.replay_page import page, summary


@pytest.fixture
def machine():
    return Machine.of(
        {
            "name": "example",
            "kind": "published",
            "network": {
                "node": {
                    "latency": {"value": 2e-6, "unit": "s", "source": "test"},
                    "gap_per_byte": [{"value": 1e-9, "unit": "s/B", "source": "test"}],
                }
            },
        }
    )


def time_of(machine):
    """1000 messages of 1 MB after 1 s of computing."""
    latency_s, per_byte_s = (machine.number(f"network.node.{name}") for name in ("latency", "gap_per_byte"))
    factor = settable.current(machine, settable.COMPUTE)
    return (1.0 if factor is None else factor) + 1000 * (latency_s + 1e6 * per_byte_s)


def test_a_grid_holds_every_combination_in_order(machine):
    sweeps = [
        sweep(machine, "network.node.latency=1us..4us:2"),
        sweep(machine, "network.node.bandwidth=1GB/s,2GB/s"),
    ]
    points, found = what_if.grid(machine, sweeps, time_of, 2, what_if.Progress())
    assert found.times_s == pytest.approx([2.001, 1.501, 2.004, 1.504]) and found.complete
    assert points[1] == pytest.approx((1e-6, 2e9))
    assert what_if.axis(machine, sweeps[1]).base == pytest.approx(1e9)
    assert machine.number("network.node.latency") == 2e-6


@pytest.mark.parametrize("written", ["0.5x..4x:3", "0.5..4x:3", "0.5x,1.41421356237x,4x"])
def test_a_sweep_may_multiply_a_fact(machine, written):
    one = sweep(machine, f"network.node.gap_per_byte={written}")
    assert one.values == pytest.approx((0.5, 2**0.5, 4.0)) and one.unit == "x"
    _, found = what_if.grid(machine, [one], time_of, 1, what_if.Progress())
    assert found.times_s == pytest.approx([1.502, 1.002 + 2**0.5, 5.002])
    assert what_if.axis(machine, one).base == 1.0


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("network.node.latency=0.5x..4us", "among values"),
        ("network.node.latency=0x..4x", "above zero"),
        ("network.switch.latency=0.5x..4x", "no such fact"),
    ],
)
def test_factors_that_say_nothing_are_refused(machine, written, why):
    with pytest.raises(UserError, match=why):
        sweep(machine, written)


def test_progress_counts_every_replay(machine):
    seen = []
    progress = what_if.Progress(step=lambda now: seen.append((now.done, now.total)))
    what_if.grid(machine, [sweep(machine, "compute.factor=1,2,3")], time_of, 1, progress)
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_three_sweeps_and_a_fact_swept_twice_are_refused(machine):
    one = sweep(machine, "compute.factor=1,2")
    with pytest.raises(UserError, match="one fact or two"):
        what_if.grid(machine, [one] * 3, time_of, 1, what_if.Progress())
    with pytest.raises(UserError, match="swept twice"):
        what_if.grid(machine, [one] * 2, time_of, 1, what_if.Progress())


def test_an_interruption_keeps_what_is_done(monkeypatch, machine):
    released = threading.Event()

    def slow(changed):
        if settable.current(changed, settable.COMPUTE) > 1.5:
            released.wait(20)
        return time_of(changed)

    real_wait, calls = what_if.wait, []

    def interrupted(running, return_when):
        calls.append(None)
        if len(calls) > 1:
            released.set()
            raise KeyboardInterrupt
        return real_wait(running, return_when=return_when)

    monkeypatch.setattr(what_if, "wait", interrupted)
    _, found = what_if.grid(machine, [sweep(machine, "compute.factor=1,2,3")], slow, 1, what_if.Progress())
    assert not found.complete
    assert found.times_s[0] is not None and found.times_s[-1] is None


def test_an_error_ends_a_sweep(machine):
    def wrong(changed):
        raise UserError("the trace is truncated")

    started = time.monotonic()
    with pytest.raises(UserError, match="truncated"):
        what_if.grid(machine, [sweep(machine, "compute.factor=1,2,3")], wrong, 1, what_if.Progress())
    assert time.monotonic() - started < 60


def test_the_fact_that_buys_most_comes_first(machine):
    known = Fact(value=1.0, unit="s", source="test")
    names = ("network.node.latency", "network.node.gap_per_byte", "processor.cores")
    facts = [Basis.of(name, known) for name in names]
    paths = what_if.candidates(facts, machine)
    assert paths == ["compute.factor", "network.node.latency", "network.node.gap_per_byte"]
    rows, complete = what_if.sensitivity(machine, paths, time_of(machine), time_of, 2, what_if.Progress())
    assert complete and {row.fact for row in rows[:2]} == {"compute.factor", "network.node.gap_per_byte"}
    assert rows[0].gain == pytest.approx(0.1 / 2.002, rel=1e-6)
    assert rows[-1].fact == "network.node.latency"
    assert rows[-1].time_s == pytest.approx(2.0018)
    assert rows[-1].gain == pytest.approx(0.0002 / 2.002)


def sweep_of(machine, words, done=None):
    """Of which the first ``done`` points were replayed; None: all."""
    sweeps = [sweep(machine, word) for word in words]
    points, found = what_if.grid(machine, sweeps, time_of, 1, what_if.Progress())
    times_s = [took if done is None or k < done else None for k, took in enumerate(found.times_s)]
    base = json.loads((root() / "schema" / "examples" / "replay.valid.json").read_text()) | {
        "time_s": time_of(machine),
        "facts": [],
        "assumed": ["nothing much"],
    }
    answer = msgspec.convert(base, Answer)
    return Sweep(
        id="sweep",
        created=answer.created,
        base=msgspec.structs.replace(
            answer,
            input=msgspec.structs.replace(answer.input, name="halo <n=4>"),
            facts=(Basis.of("network.node.latency", Fact(value=2e-6, unit="s", source="test")),),
        ),
        bound=2.0,
        axes=tuple(what_if.axis(machine, one) for one in sweeps),
        points=tuple(
            SweptPoint(values=values, time_s=took, speed=took and time_of(machine) / took)
            for values, took in zip(points, times_s, strict=True)
        ),
        complete=done is None,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["network.node.latency=1us..10ms:5"],
        ["network.node.latency=1us..10ms:5", "network.node.bandwidth=1..100Gbit/s:4"],
    ],
)
def test_a_page_is_self_contained_and_the_same_each_time(machine, words):
    found = sweep_of(machine, words)
    text = page(found, "hakaru replay x --sweep y")
    assert text == page(found, "hakaru replay x --sweep y")
    assert (
        text.count("<svg") == 1
        and "<script" not in text
        and "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")
    )
    assert "halo &lt;n=4&gt;" in text and "nothing much" in text and "network.node.latency" in text


def test_an_unfinished_sweep_says_so_and_draws_what_is_there(machine):
    words = ["network.node.latency=1us..10ms:5"]
    found = sweep_of(machine, words, done=2)
    assert "Stopped after 2 of 5 replays." in summary(found)
    assert "not replayed" in page(found, "x") and "<svg" in page(found, "x")
    assert "Too few replays" in page(sweep_of(machine, words, done=1), "x")
