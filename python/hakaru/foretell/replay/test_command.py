"""``hakaru replay`` from the words of the command line to stored files, with a stand-in for the engine."""

import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.cli import replay as command
from hakaru.facts.machines import known_machines
from hakaru.facts.work import Work
from hakaru.foretell.replay import fake_engine, served


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A build folder whose replay engine is the stand-in, and a schedule of 64 ranks."""
    build = tmp_path / "build"
    build.mkdir()
    tool = build / "hakaru_replay"
    tool.write_text(f"#!{sys.executable}\n" + Path(fake_engine.__file__).read_text())
    tool.chmod(0o755)
    listing = {"programs": [], "tools": [{"name": "hakaru_replay", "path": "hakaru_replay"}]}
    (build / "programs.json").write_text(json.dumps(listing))
    monkeypatch.setenv("HAKARU_BUILD", str(build))
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    write_schedule(tmp_path / "halo.json")
    return tmp_path


def write_schedule(path, **fake):
    told = {"seconds": 1.0, "messages": 1000, "bytes": 100000} | fake
    path.write_text(
        json.dumps({"schema": "hakaru/schedule/1", "program": "", "ranks": 64, "streams": [], "fake": told})
    )


def run(*words):
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["replay", *[str(word) for word in words]])


def ask(*words):
    done = run(*words, "--json")
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    return json.loads(done.stdout)


def refused(*words) -> UserError:
    done = run(*words)
    assert isinstance(done.exception, UserError), done.output
    return done.exception


def valid(document):
    schema = json.loads((root() / "schema" / "replay.schema.json").read_text())
    problems = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    assert not problems, problems[0].message


def test_time_and_parts_on_a_published_machine(folder):
    found = ask(folder / "halo.json", "--machine", "fx1")
    assert found["time_s"] == pytest.approx(1.0 + 1000 * (4.1e-6 + 1e5 * 5e-10))
    assert sum(found["breakdown_s"].values()) == pytest.approx(found["time_s"])
    assert found["placement"] == {"ranks_per_node": 4, "nodes": 16, "threads": 1, "levels": ["core", "node"]}
    assert any(fact["fact"] == "network.node.latency" and "Liu" in fact["source"] for fact in found["facts"])
    assert any("no fact network.node.send_overhead" in text for text in found["assumed"])
    valid(found)
    assert json.loads((folder / "results" / "replays" / f"{found['id']}.json").read_text()) == found


def test_pop_efficiencies_come_from_a_replay_without_message_costs(folder):
    found = ask(folder / "halo.json", "--machine", "fx1")["efficiency"]
    assert found["ideal_time_s"] == 1.0 and found["serialisation"] == 1.0 and found["load_balance"] == 1.0
    assert found["transfer"] == pytest.approx(1.0 / 1.0541)
    assert found["communication"] == pytest.approx(found["serialisation"] * found["transfer"])


def test_people_see_the_time_its_parts_and_what_it_rests_on(folder):
    shown = run(folder / "halo.json", "--machine", "fx1", "--set", "network.node.latency=2us").output
    for words in (
        "Time 1.05 s",
        "64 ranks on 16 nodes of fx1",
        "network.node.latency = 2.00 µs",
        "waiting",
        "transfer",
        "It rests on:",
        "assumed:",
        "No forecast",
        "Stored:",
    ):
        assert words in shown, words


def test_ranks_that_share_the_only_node_of_many_are_said_loudly(folder):
    document = json.loads((folder / "halo.json").read_text())
    (folder / "two.json").write_text(json.dumps(document | {"ranks": 2}))
    loud = "ATTENTION: all 2 ranks share one node of fx1"
    assert loud in run(folder / "two.json", "--machine", "fx1").output.splitlines()[1]
    found = ask(folder / "two.json", "--machine", "fx1")
    assert "no message crosses its network" in found["placement"]["attention"]
    valid(found)
    for words in (["--ranks-per-node", "1"], ["--ranks-per-node", "2"], ["--set", "processor.nodes=1"]):
        assert "ATTENTION" not in run(folder / "two.json", "--machine", "fx1", *words).output
    assert "ATTENTION" not in run(folder / "halo.json", "--machine", "fx1").output


def test_what_a_trace_says_against_itself_is_said_loudly(folder):
    (folder / "run").mkdir()
    (folder / "run" / "traces.otf2").write_bytes(b"crowded")
    loud = "ATTENTION: oversubscribed: 4 ranks had 2 processors."
    for more in ([], ["--sensitivity"], ["--sweep", "network.node.latency=1us..100us:3"]):
        shown = run(folder / "run", "--machine", "fx1", "--ranks-per-node", "1", *more)
        assert shown.exit_code == 0 and loud in shown.output, shown.output
    found = ask(folder / "run", "--machine", "fx1", "--ranks-per-node", "1")
    assert found["input"]["warnings"] == ["oversubscribed: 4 ranks had 2 processors"]
    valid(found)
    (folder / "run" / "traces.otf2").write_bytes(b"")
    assert "ATTENTION" not in run(folder / "run", "--machine", "fx1", "--ranks-per-node", "1").output


def test_the_critical_path_is_shown_when_asked_for(folder):
    shown = run(folder / "halo.json", "--machine", "fx1", "--critical-path").output
    assert "Critical path: compute 95 %, latency 5.1 %." in shown


def test_a_set_fact_and_a_compute_factor_change_the_time(folder):
    words = (
        folder / "halo.json",
        "--machine",
        "fx1",
        "--set",
        "network.node.latency=1ms",
        "--set",
        "network.node.bandwidth=1GB/s",
    )
    found = ask(*words, "--compute-factor", "0.5")
    assert found["time_s"] == pytest.approx(0.5 + 1000 * (1e-3 + 1e5 * 1e-9))
    assert [change["fact"] for change in found["set"]] == [
        "network.node.latency",
        "network.node.bandwidth",
        "compute.factor",
    ]


def test_a_trace_takes_its_ranks_from_the_engine(folder):
    (folder / "run").mkdir()
    (folder / "run" / "traces.otf2").write_bytes(b"anchor")
    found = ask(folder / "run", "--machine", "fx1")
    assert (
        found["input"]["ranks"] == 4
        and found["placement"]["nodes"] == 1
        and found["placement"]["levels"] == ["core"]
    )


def test_a_trace_on_more_nodes_than_the_machine_has_facts_for_is_refused(folder):
    (folder / "run").mkdir()
    (folder / "run" / "traces.otf2").write_bytes(b"anchor")
    machine = folder / "laptop.toml"
    text = 'schema = "hakaru/machine/1"\nname = "laptop"\nkind = "measured"\ndate = "2026"\n[processor]\n'
    text += 'cores = { value = 2, unit = "1", source = "t" }\n[network.core]\nlatency = { value = 1e-6, unit = "s", source = "t" }\n'
    machine.write_text(text + 'gap_per_byte = [{ value = 1e-10, unit = "s/B", source = "t" }]\n')
    assert "does not say network.node" in str(refused(folder / "run", "--machine", machine))
    assert ask(folder / "run", "--machine", machine, "--ranks-per-node", "4")["placement"]["nodes"] == 1


def test_roofline_of_two_machines_scales_a_trace_by_its_work(folder, monkeypatch):
    (folder / "run").mkdir()
    (folder / "run" / "traces.otf2").write_bytes(b"anchor")
    evaluated = {
        "parameters": {"n": 8},
        "phases": [{"phase": "stencil", "flops": 1.0, "bytes": 1e9, "bytes_write_allocate": 0.0}],
    }
    solver = SimpleNamespace(work=lambda *_: Work.of(evaluated))
    monkeypatch.setattr("hakaru.facts.programs.named", lambda name: solver)
    found = ask(
        folder / "run", "--machine", "fx1", "--compute", "roofline", "--from", "hx600", "--work", "solver,n=8"
    )
    # four ranks on 16 cores of hx600, and on a node of fx1: what four cores get of the memory bandwidth
    total = found["compute"]["factor"] * found["compute"]["phase_factor"]["stencil"]
    assert total == pytest.approx(5.9e9 / 40e9)
    assert found["time_s"] == pytest.approx(total, rel=0.1)
    assert "rooflines of 'hx600' and 'fx1'" in found["compute"]["text"]


def test_a_trace_of_the_probed_machine_is_carried_to_another(folder):
    (folder / "run").mkdir()
    (folder / "run" / "traces.otf2").write_bytes(b"anchor")
    as_it_was = ask(folder / "run", "--machine", "archer2")
    assert (as_it_was["compute"]["way"], as_it_was["compute"]["factor"]) == ("factor", 1.0), (
        "nothing was probed"
    )
    (folder / "results").mkdir(exist_ok=True)
    text = known_machines()["rrze-clustera-icelake"].read_text()
    (folder / "results" / "machine.toml").write_text(text)
    found = ask(folder / "run", "--machine", "archer2")
    valid(found)
    # of four ranks, each has a quarter of what four cores draw of the memory, and of 128 cores' memory all of it
    memory = (58.73e9 / 4) / (219.4e9 / 4)
    core = ((5.53e12 / 72) / (4.608e12 / 128) * 2.4 / 2.25) ** 0.5
    assert found["compute"]["factor"] == pytest.approx((memory * core) ** 0.5, rel=1e-3)
    assert "carried from 'rrze-clustera-icelake' to 'archer2'" in found["compute"]["text"]
    assert any(fact["fact"].startswith("rrze-clustera-icelake: ") for fact in found["facts"])
    assert "Interval: " in run(folder / "run", "--machine", "archer2").output
    chosen = ask(folder / "run", "--machine", "archer2", "--compute", "factor")
    assert chosen["compute"]["factor"] == 1.0
    assert ask(folder / "run", "--machine", "archer2", "--compute-factor", "0.5")["compute"]["factor"] == 0.5
    text = refused(folder / "run", "--machine", "aws-hpc7a", "--ranks-per-node", "4")
    assert "the machine 'aws-hpc7a' does not say network.core.gap_per_byte" in str(text)


def test_noise_is_seeded_and_swept(folder):
    found = ask(folder / "halo.json", "--machine", "fx1", "--noise", "10ms", "--seed", "7")
    assert found["noise"] == {"kind": "exponential", "mean_s": 0.01, "seed": 7}
    swept = ask(folder / "halo.json", "--machine", "fx1", "--sweep", "noise.mean=1ms..100ms:3")
    assert swept["points"][0]["time_s"] < swept["points"][2]["time_s"]


def test_noise_strikes_calls_when_asked(folder):
    words = (folder / "halo.json", "--machine", "fx1", "--noise")
    quiet, struck = (ask(*words, f"periodic:2us:1us{calls}") for calls in ("", ":calls"))
    assert struck["noise"] == quiet["noise"] | {"calls": True}
    assert "Noise: periodic, also in calls of MPI, seed " in run(*words, "periodic:2us:1us:calls").output


def test_a_sweep_is_stored_with_a_picture(folder):
    found = ask(folder / "halo.json", "--machine", "fx1", "--sweep", "network.node.latency=1us..100us:9")
    valid(found)
    assert len(found["points"]) == 9 and found["points"][0]["speed"] > 1.0 > found["points"][-1]["speed"]
    assert found["bound"] == pytest.approx(1.0541)
    page = (folder / "results" / "replays" / f"{found['id']}.html").read_text()
    assert "<svg" in page and "network.node.latency" in page


def test_two_sweeps_make_a_map(folder):
    target = folder / "map.html"
    words = (
        "--sweep",
        "network.node.latency=1us..100us:3",
        "--sweep",
        "network.node.bandwidth=1..100Gbit/s:4",
        "--page",
        target,
    )
    shown = run(folder / "halo.json", "--machine", "fx1", *words)
    assert shown.exit_code == 0, shown.output
    assert "five fastest" in shown.output and str(target) in shown.output
    assert "Speed by network.node.latency and" in target.read_text()


def test_sensitivity_names_what_buys_most(folder):
    found = ask(folder / "halo.json", "--machine", "fx1", "--sensitivity")
    valid(found)
    assert found["rows"][0]["fact"] == "compute.factor"
    assert found["rows"][0]["gain"] == pytest.approx(0.1 / 1.0541)
    shown = run(folder / "halo.json", "--machine", "fx1", "--sensitivity").output
    assert "compute.factor buys most." in shown and "network.node.gap_per_byte" in shown


def test_what_was_replayed_once_is_not_replayed_again(folder):
    first = ask(folder / "halo.json", "--machine", "fx1")
    break_engine(folder)
    assert ask(folder / "halo.json", "--machine", "fx1")["time_s"] == first["time_s"]
    assert isinstance(run(folder / "halo.json", "--machine", "hx600").exception, UserError)


def test_check_says_whether_it_can_progress(folder):
    assert "on 64 ranks can progress" in run(folder / "halo.json", "--check").output
    assert ask(folder / "halo.json", "--check")["ranks"] == 64
    write_schedule(folder / "buffers.json", buffers=True)
    assert "Without buffers: rank 0" in run(folder / "buffers.json", "--check").output
    write_schedule(folder / "blocked.json", blocked=True)
    error = refused(folder / "blocked.json", "--check")
    assert "rank 0 waits in receive" in str(error) and error.exit_code == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["halo.json", "--machine", "fx2"], "no machine 'fx2'"),
        (
            ["halo.json", "--machine", "fx1", "--set", "network.node.latancy=1us"],
            "did you mean network.node.latency",
        ),
        (["halo.json", "--machine", "fx1", "--set", "network.node.latency=1GB/s"], "'s' is needed"),
        (["halo.json", "--machine", "fx1", "--network", "mesh"], "no network model 'mesh'"),
        (["halo.json", "--machine", "fx1", "--collective", "alltoall"], "a collective gets an algorithm"),
        (
            ["halo.json", "--machine", "fx1", "--collective", "alltoall=measured"],
            "no measured times of alltoall",
        ),
        (["halo.json", "--machine", "fx1", "--mpi", "lam"], "no MPI library 'lam'"),
        (["halo.json", "--machine", "fx1", "--links", "fair"], "known are first_come, max_min"),
        (["halo.json", "--machine", "fx1", "--compute", "magic"], "no way 'magic'"),
        (["halo.json", "--machine", "fx1", "--compute", "phases"], "no phase is named"),
        (["halo.json", "--machine", "fx1", "--compute", "measured"], "for programs of hakaru"),
        (["halo.json", "--machine", "fx1", "--phase", "a=1"], "add --compute phases"),
        (["halo.json", "--machine", "fx1", "--noise", "loud"], "the noise 'loud'"),
        (["halo.json", "--machine", "fx1", "--noise", "2us:calls"], "the noise '2us' does not strike calls"),
        (["halo.json", "--machine", "fx1", "--seed", "1"], "nothing is drawn without noise"),
        (["halo.json", "--machine", "fx1", "--ranks", "4"], "says itself how many ranks"),
        (["halo.json", "--machine", "fx1", "--page", "x.html"], "a page shows a sweep"),
        (
            ["halo.json", "--machine", "fx1", "--sweep", "compute.factor=1,2", "--sensitivity"],
            "one picture at a time",
        ),
        (["nothing.json", "--machine", "fx1"], "there is no input"),
        (["damaged.json", "--machine", "fx1"], "is no schedule"),
        (["list.json", "--machine", "fx1"], "no ranks or no streams"),
        (["empty", "--machine", "fx1"], "holds no traces.otf2"),
        (["schedule:nothing,n=4", "--machine", "fx1", "--ranks", "4"], "no program 'nothing'"),
        (["schedule:turbulence,n=4", "--machine", "fx1"], "give --ranks"),
        (["schedule:", "--machine", "fx1", "--ranks", "4"], "no program is named"),
    ],
)
def test_mistakes_are_told_in_words(folder, monkeypatch, words, why):
    monkeypatch.chdir(folder)
    Path("empty").mkdir()
    Path("damaged.json").write_text("{")
    Path("list.json").write_text("[]")
    error = refused(*words)
    assert why in str(error) and error.exit_code == 2


def test_the_engines_own_words_and_exit_code_are_passed_on(folder):
    (folder / "cut").mkdir()
    (folder / "cut" / "traces.otf2").write_bytes(b"truncated")
    error = refused(folder / "cut", "--machine", "fx1")
    assert str(error).startswith("the trace of rank 1 is truncated") and error.exit_code == 2
    write_schedule(folder / "crash.json", crash=True)
    error = refused(folder / "crash.json", "--machine", "fx1")
    assert "ended with signal 11" in str(error) and error.exit_code == 4


def test_files_need_the_rate_of_a_file_system(folder):
    write_schedule(folder / "files.json", files=True)
    error = refused(folder / "files.json", "--machine", "hx600")
    assert "'hx600' does not say storage.shared.write_bandwidth" in str(error)
    words = ("--machine", "hx600", "--set", "storage.shared.write_bandwidth=1GB/s")
    assert ask(folder / "files.json", *words)["time_s"] > 0
    assert ask(folder / "files.json", "--machine", "fx1")["time_s"] > 0


def test_an_engine_that_is_not_built_is_told(folder):
    (folder / "build" / "hakaru_replay").unlink()
    error = refused(folder / "halo.json", "--machine", "fx1")
    assert "not built" in str(error) and error.exit_code == 4
    shutil.rmtree(folder / "build")
    assert "not built" in str(refused(folder / "halo.json", "--machine", "fx1"))


def test_an_interruption_keeps_what_is_done_and_goes_on_from_there(folder, monkeypatch):
    from hakaru.foretell.replay import what_if

    def stopped(jobs, workers, progress, share):
        return what_if.Finished([jobs[0](), *[None] * (len(jobs) - 1)], False)

    monkeypatch.setattr(what_if, "run_all", stopped)
    done = run(folder / "halo.json", "--machine", "fx1", "--sweep", "network.node.latency=1us..100us:3")
    assert done.exit_code == 130
    stored = json.loads(next((folder / "results" / "replays").glob("*sweep*.json")).read_text())
    valid(stored)
    assert [point["time_s"] is None for point in stored["points"]] == [False, True, True]


def break_engine(folder) -> None:
    """The tool is another from now on, and looks as before: who needs a replay fails."""
    served.close()
    tool = folder / "build" / "hakaru_replay"
    before = tool.stat()
    tool.write_text("broken".ljust(before.st_size))
    os.utime(tool, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_other_sends_are_compared_with_those_as_they_are(folder):
    found = ask(folder / "halo.json", "--machine", "fx1", "--sends", "nonblocking")
    message_s = 1000 * (4.1e-6 + 1e5 * 5e-10)
    assert found["time_s"] == pytest.approx(1.0 + 0.5 * message_s)
    told = found["sends"]
    assert (told["way"], told["changed"]) == ("nonblocking", 1000)
    assert told["as_they_are_s"] == pytest.approx(1.0 + message_s)
    assert told["exchange_s"] == pytest.approx(1.0 + 0.75 * message_s)
    assert any("leave the memory of a message alone" in text for text in found["assumed"])
    assert not any("persistent" in text for text in found["assumed"])
    valid(found)
    shown = run(folder / "halo.json", "--machine", "fx1", "--sends", "nonblocking").output
    assert (
        "Non-blocking sends would pay here: 1.3 % with waits after each exchange, 2.6 % with late ones"
        in shown
    )
    assert "No forecast" in shown


def test_persistent_sends_say_what_starting_is_assumed_to_cost(folder):
    found = ask(folder / "halo.json", "--machine", "fx1", "--sends", "persistent")
    assert any("a persistent send takes" in text for text in found["assumed"])


def test_sends_that_cannot_progress_as_they_are(folder):
    write_schedule(folder / "stuck.json", stuck=True)
    found = ask(folder / "stuck.json", "--machine", "fx1", "--sends", "nonblocking")
    assert found["sends"]["as_they_are_s"] is None
    assert (
        "cannot progress" in run(folder / "stuck.json", "--machine", "fx1", "--sends", "nonblocking").output
    )
    valid(found)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--sends", "fast"], "there are no 'fast' sends"),
        (["--sends", "persistent", "--check"], "--sends is given"),
    ],
)
def test_other_sends_that_cannot_be_asked_for(folder, words, problem):
    assert problem in str(refused(folder / "halo.json", "--machine", "fx1", *words))
