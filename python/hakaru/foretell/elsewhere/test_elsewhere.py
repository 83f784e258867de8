"""Programs foretold on machines that nobody has, and machines ranked for them, with a stand-in for the engine."""

import json

import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import machines as machines_command
from hakaru.cli import predict as predict_command
from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.elsewhere import held
from hakaru.foretell.elsewhere.foretold import Asked, foretell
from hakaru.foretell.elsewhere.ranking import rank
from hakaru.foretell.replay.carried import faster_memory
from hakaru.foretell.replay.test_forecast import folder  # noqa: F401  (a results folder with runs, and the stand-in)

KNOWN = ("fugaku", "archer2", "aws-hpc7a", "fat-tree-100g")


def of(name):
    return Machine.load(known_machines()[name])


def chosen(*names):
    return {name: known_machines()[name] for name in names}


def asked(place, **more):
    return Asked(place, "solver", {"n": 80}, **({"ranks": 64} | more))


def run(*words):
    app = typer.Typer()
    for command in (machines_command, predict_command):
        command.register(app)
    return CliRunner(env={"COLUMNS": "250"}).invoke(app, [str(word) for word in words])


def test_a_program_is_foretold_where_nobody_ran_it(folder):  # noqa: F811
    found = foretell(asked(folder), of("fugaku"))
    assert found.nodes == 2 and found.answer.machine == "fugaku" and found.calibrated.startswith("5 launches")
    assert found.computing_s <= found.answer.time_s
    assert found.time_s.low == pytest.approx(
        held.COMPUTING.low * found.computing_s + held.MESSAGES.low * found.messages_s
    )
    assert found.time_s.low < found.time_s.value == found.answer.time_s < found.time_s.high
    assert found.node_hours.value == pytest.approx(2 * found.time_s.value / 3600)
    assert found.energy.fact == "power.node_hpl"


def test_computing_is_never_foretold_faster_than_the_peak(folder):  # noqa: F811
    """However fast its clock and its memory are."""
    file = folder / "machine.toml"
    clock = '[processor]\nclock = { value = 1e9, unit = "Hz", source = "test" }'
    file.write_text(file.read_text().replace("[processor]", clock))
    here = Machine.load(file)

    def computing_s(faster: float) -> float:
        there = here.with_each("processor.clock", lambda fact: fact.times(faster))
        return foretell(asked(folder, ranks=4), faster_memory(there, 10.0)).computing_s

    flops, of_core = 340.0 * 80**3, 8e9
    assert computing_s(1.0) > computing_s(1e8) >= flops / 4 / of_core


def test_cores_that_were_slower_at_times_make_the_slow_side_longer():
    steady = held.widened(1.0, 0.5)
    wider = held.widened(1.0, 0.5, unsteady=1.4)
    assert (wider.value, wider.low) == (steady.value, steady.low)
    assert wider.high - steady.high == pytest.approx(0.4 * held.COMPUTING.high)
    peak = {"kernel": "fma", "cores": 2, "precision": "double"}
    fact = Fact(value=137e9, unit="flop/s", source="made up", keys=peak, low=97e9, high=145e9)
    measured = of("fugaku").with_facts("compute.kernels", [fact])
    assert held.unsteady(measured, 2) == pytest.approx(137 / 97)
    assert held.unsteady(of("fugaku"), 2) == 1.0, "what was published has no interval"


def test_as_many_ranks_as_the_nodes_hold(folder):  # noqa: F811
    assert foretell(asked(folder, ranks=None, nodes=3), of("fugaku")).answer.input.ranks == 144


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_damage_to_a_fact_shows_in_the_forecast(folder, factor):  # noqa: F811
    whole, damaged = of("fugaku"), faster_memory(of("fugaku"), factor)
    before, after = (foretell(asked(folder), one).computing_s for one in (whole, damaged))
    assert (after - before) * (1.0 - factor) > 0.0 and abs(after / before - 1.0) > 0.2


def test_a_machine_without_the_fact_that_decides_is_refused(folder):  # noqa: F811
    with pytest.raises(UserError, match="'aws-hpc7a'.*memory.bandwidth.*hakaru machines aws-hpc7a"):
        foretell(asked(folder), of("aws-hpc7a"))
    for path in ("compute.peak", "memory.bandwidth", "network.node"):
        machine = of("archer2").without(path)
        machine = machine.with_facts(path, None).with_facts("memory.bandwidth_peak", None)
        with pytest.raises(UserError, match="nothing can be foretold"):
            foretell(asked(folder, ranks=256), machine)


def test_a_program_that_never_ran_here_is_refused(folder):  # noqa: F811
    for file in (folder / "records").glob("*.json"):
        file.unlink()
    with pytest.raises(UserError, match="run it here first.*hakaru app solver n=80"):
        foretell(asked(folder), of("fugaku"))


def test_machines_are_ranked_and_nobody_is_lost(folder):  # noqa: F811
    found = rank(asked(folder), chosen(*KNOWN))
    times = [one.found.time_s.value for one in found.ranked]
    assert times == sorted(times) and len(times) == 3
    assert "memory.bandwidth" in found.left_out["aws-hpc7a"]
    assert {one.name for one in found.ranked} | set(found.left_out) == set(KNOWN)
    assert set(found.unsure) <= {one.name for one in found.ranked[1:]}


def test_the_order_follows_the_times(folder):  # noqa: F811
    def reversed_times(one, machine):
        made = foretell(one, machine)
        return (
            made
            if machine.name != "fugaku"
            else type(made)(**(vars(made) | {"time_s": made.time_s.scaled(1e6)}))
        )

    found = rank(asked(folder), chosen("fugaku", "archer2"), reversed_times)
    assert [one.name for one in found.ranked] == ["archer2", "fugaku"] and found.unsure == []


def test_no_machine_is_an_error(folder):  # noqa: F811
    with pytest.raises(UserError, match="no machine can be ranked for solver.*memory.bandwidth"):
        rank(asked(folder), chosen("aws-hpc7a"))


def test_the_commands(folder):  # noqa: F811
    done = run("predict", "solver", "n=80", "--on", "fugaku", "--nodes", "2", "--json")
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    told = json.loads(done.stdout)
    assert told["ranks"] == 96 and told["time_s"]["low"] < told["time_s"]["value"] < told["time_s"]["high"]
    assert any(name.startswith("network.topology.link_bandwidth") for name in told["missing"])
    shown = run("predict", "solver", "n=80", "--on", "archer2", "--ranks", "64").output
    assert "64 ranks" in shown and "not said by archer2" in shown and "machines-today" in shown


def test_the_command_ranks(folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr("hakaru.facts.machines.known_machines", lambda: chosen(*KNOWN))
    ranked = run("machines", "--rank", "solver", "n=80", "--ranks", "64", "--json")
    assert ranked.exit_code == 0, f"{ranked.output}{ranked.exception}"
    told = json.loads(ranked.stdout)
    assert len(told["ranked"]) == 3 and "memory.bandwidth" in told["left_out"]["aws-hpc7a"]
    shown = run("machines", "--rank", "solver", "n=80", "--ranks", "64").output
    assert "node-hours" in shown and "not ranked: aws-hpc7a" in shown


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["machines", "--rank"], "no program is named"),
        (["predict", "solver", "--on", "fugaku", "--within", "1h"], "neither --within nor --growth"),
        (["predict", "solver", "--on", "fugak"], "there is no machine 'fugak'"),
        (["predict", "solver", "n=13", "--on", "fugaku"], "bad luck"),
        (["predict", "solver", "--on", "fugaku", "--mpi", "lam"], "no MPI library 'lam'"),
    ],
)
def test_what_cannot_be_told_is_said(folder, words, expected):  # noqa: F811
    done = run(*words)
    assert isinstance(done.exception, UserError) and expected in str(done.exception), (
        f"{done.output}{done.exception}"
    )
