"""Campaigns with real launches of the small template app: interleaving, resuming, failing, interruption, damage."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.facts.records import RecordStore
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point, make_plan, points_of
from hakaru.run.campaign.progress import PlainProgress
from hakaru.run.campaign.runner import dry_run, run_plan
from hakaru.run.launchers import Launch
from hakaru.run.launchers.here import launch_here

PLAN = {
    "name": "tiny",
    "repeats": 2,
    "most_repeats": 2,
    "runs": [
        {
            "program": "template_app",
            "parameters": {"cells": [1000, 2000], "steps": 10},
            "layouts": ["1x1", "2x1"],
            "repetitions": 2,
        }
    ],
}


def plan(**changes):
    return make_plan(PLAN | changes, "test")


@pytest.fixture
def store(tmp_path) -> RecordStore:
    return RecordStore(tmp_path / "results")


@pytest.fixture
def quiet(tmp_path):
    with open(tmp_path / "progress.log", "w") as stream:
        yield PlainProgress(stream)


def test_every_point_gets_its_launches_interleaved(store, quiet):
    outcome = run_plan(plan(), store, progress=quiet)
    assert outcome.complete and not outcome.failures
    assert [len(state.good) for state in outcome.states] == [2, 2, 2, 2]
    order = [record.point for record in store.all()]
    assert len(set(order[:4])) == 4, "the first round holds every point once"
    record = store.all()[0]
    assert record.verdict == "passed" and "template_app run" in record.launch_line
    assert Launch.of_context(record.context) == launch_here(mpi_flavour(), record.ranks, record.threads)
    assert record.context["git"] is None or len(record.context["git"]["commit"]) >= 40
    assert list(store.incoming.iterdir()) == []


def test_finished_launches_are_not_repeated(store, quiet):
    first = run_plan(plan(), store, progress=quiet)
    kept = {record.id for record in store.all()}
    victims = sorted(store.records.glob("*.json"))[:3]
    for victim in victims:
        victim.unlink()
    second = run_plan(plan(), store, progress=quiet)
    assert second.campaign == first.campaign and second.complete
    after = {record.id for record in store.all()}
    assert len(after) == 8 and len(after - kept) == 3


def test_runs_with_empty_caches_are_kept_apart(store, quiet):
    short = {**PLAN["runs"][0], "parameters": {"cells": 1000, "steps": 1}, "repetitions": 1}
    warm = run_plan(plan(runs=[short]), store, progress=quiet)
    cold = run_plan(plan(runs=[short], cold=True), store, progress=quiet)
    assert cold.complete and len(store.all()) == len(store.cold.all()) == 4
    assert all(record.cold is True and record.launch_line.endswith("--cold") for record in store.cold.all())
    assert not any(record.cold for record in store.all())
    again = run_plan(plan(runs=[short], cold=True), store, progress=quiet)
    assert (len(again.records), len(store.cold.all()), len(warm.records)) == (4, 4, 4)


def test_a_verification_has_no_caches_to_empty():
    verify = {"program": "template_app", "command": "verify"}
    with pytest.raises(UserError, match="template_app verify cannot find its caches empty"):
        points_of(plan(cold=True, runs=[verify]))


def test_changed_plan_starts_anew():
    assert plan().fingerprint() != plan(cold=True).fingerprint()
    assert plan().fingerprint() != plan(repeats=3).fingerprint()
    assert plan().fingerprint() == plan(time_cap_s=7.0).fingerprint()


def test_dry_run_starts_and_writes_nothing(store):
    rows = dry_run(plan(), store)
    assert len(rows) == 4 and not store.folder.exists()
    assert any("-n 2" in row.line and "cells=2000" in row.line for row in rows)
    assert all(row.estimated_s > 0 for row in rows)


def test_failed_run_stays_visible_with_its_standard_error(store, quiet, monkeypatch):
    point = points_of(plan())[0]
    store.prepare()
    failing = Point("template_app", "verify", point.parameters, Layout(1, 1), 1)
    wrong = programs.Execution("verify", {"cells": 0}, threads=1)
    monkeypatch.setattr(Point, "execution", lambda self, campaign: wrong)
    record = perform(failing, store, "c", None, timeout_s=60)
    assert not record.ok and record.failure.exit_code == 2
    assert "cells=0 is out of range" in record.failure.standard_error
    assert [kept.id for kept in store.all(status="failed")] == [record.id]


def long_point(ranks: int) -> Point:
    described = programs.named("template_app").describe({"cells": 2_000_000, "steps": 1_000_000})
    return Point(
        "template_app",
        "run",
        tuple(sorted(described.evaluated.parameters.items())),
        Layout(ranks, 1),
        1,
    )


def ranks_of_template_app(store: RecordStore) -> list[int]:
    """Processes of launches into this results folder, which their command lines name."""
    own = os.fsencode(store.incoming.resolve())
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words and words[0].endswith(b"/template_app") and any(word.startswith(own) for word in words):
            found.append(int(folder.name))
    return found


def test_killed_rank_leaves_a_failed_record_and_no_hang(store):
    store.prepare()

    def kill_one():
        for _ in range(200):
            if len(found := ranks_of_template_app(store)) == 2:
                time.sleep(0.5)
                os.kill(found[1], signal.SIGKILL)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill_one)
    thread.start()
    record = perform(long_point(2), store, "c", None, timeout_s=60)
    thread.join()
    assert not record.ok and record.failure.reason
    assert ranks_of_template_app(store) == []


def test_launch_over_its_time_limit_is_ended(store):
    store.prepare()
    record = perform(long_point(1), store, "c", None, timeout_s=1.5)
    assert not record.ok and "took longer than 1.5 s" in record.failure.reason
    assert ranks_of_template_app(store) == []


def campaign_command(tmp_path: Path, text: str, *words: str) -> list[str]:
    file = tmp_path / "campaign.toml"
    file.write_text(text)
    return [
        sys.executable,
        "-m",
        "hakaru",
        "campaign",
        str(file),
        "--results",
        str(tmp_path / "results"),
        *words,
    ]


def test_interrupt_keeps_finished_runs_and_resumes(tmp_path):
    text = """
name = "stopped"
repeats = 2
[[runs]]
program = "template_app"
parameters = { cells = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007], steps = 2 }
"""
    command = campaign_command(tmp_path, text)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    store = RecordStore(tmp_path / "results")
    for _ in range(400):
        if len(store.all()) >= 2:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "kept" in errors
    kept = {record.id for record in store.all()}
    assert 2 <= len(kept) < 16 and all(record.ok for record in store.all())
    assert not list(store.incoming.glob("*.json"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert kept <= {record.id for record in store.all()} and len(store.all()) == 16


BAD_CAMPAIGNS = {
    "not TOML": ("name = ", "not valid TOML", 2),
    "no runs": ('name = "x"\nruns = []', "runs", 2),
    "unknown key": ('name = "x"\nspeed = 1\n[[runs]]\nprogram = "template_app"', "speed", 2),
    "wrong type": ('name = "x"\nrepeats = "five"\n[[runs]]\nprogram = "template_app"', "repeats", 2),
    "zero ranks": ('name = "x"\n[[runs]]\nprogram = "template_app"\nlayouts = ["0x1"]', "not a layout", 2),
    "unknown program": ('name = "x"\n[[runs]]\nprogram = "turbulenc"', "did you mean turbulence", 2),
    "unknown parameter": (
        'name = "x"\n[[runs]]\nprogram = "template_app"\nparameters = { cell = 3 }',
        "did you mean 'cells'",
        2,
    ),
    "out of range": (
        'name = "x"\n[[runs]]\nprogram = "template_app"\nparameters = { cells = 0 }',
        "out of range",
        2,
    ),
    "refused": (
        'name = "x"\n[[runs]]\nprogram = "template_app"\nparameters = { cells = 2 }\nlayouts = ["3x1"]',
        "at least one cell",
        2,
    ),
    "twice": (
        'name = "x"\n[[runs]]\nprogram = "template_app"\n[[runs]]\nprogram = "template_app"',
        "twice",
        2,
    ),
}


@pytest.mark.parametrize("case", BAD_CAMPAIGNS)
def test_bad_campaigns_end_in_one_clear_line(case, tmp_path):
    text, expected, code = BAD_CAMPAIGNS[case]
    done = subprocess.run(campaign_command(tmp_path, text), capture_output=True, text=True, timeout=60)
    assert (
        done.returncode == code and expected in done.stderr and len(done.stderr.strip().splitlines()) == 1
    ), done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "results").exists()


def test_missing_campaign_ends_with_4(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hakaru", "campaign", str(tmp_path / "none.toml")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 4 and "cannot read" in done.stderr


def test_problem_too_large_for_memory_is_said_before_it_starts(store):
    store.prepare()
    described = programs.named("template_app").describe({"cells": 10**12})
    assert described.evaluated.memory_bytes == 16e12
    point = Point(
        "template_app", "run", tuple(sorted(described.evaluated.parameters.items())), Layout(1, 1), 1
    )
    record = perform(point, store, "c", None, timeout_s=60)
    assert not record.ok and record.failure.exit_code == 4
    assert "14901.2 GiB of memory" in record.failure.reason and record.repetitions == ()


def test_unwritable_results_end_with_4(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    text = 'name = "x"\n[[runs]]\nprogram = "template_app"\nparameters = { cells = 10, steps = 1 }'
    command = campaign_command(tmp_path, text)
    command[command.index("--results") + 1] = str(blocker / "results")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "cannot be written" in done.stderr and "--results" in done.stderr


def test_full_disk_ends_with_4_and_keeps_what_is_there(tmp_path):
    """A limit on file sizes plays the full disk."""
    text = (
        'name = "x"\nrepeats = 1\n[[runs]]\nprogram = "template_app"\nparameters = { cells = 10, steps = 1 }'
    )
    command = campaign_command(tmp_path, text)
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    kept = {path.name: path.read_bytes() for path in (tmp_path / "results" / "records").glob("*.json")}
    more = text.replace("cells = 10", "cells = 11")
    limited = [
        "bash",
        "-c",
        'ulimit -f 1; trap "" XFSZ; exec "$@"',
        "bash",
        *campaign_command(tmp_path, more),
    ]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "Traceback" not in done.stderr, done.stderr
    assert "cannot write" in done.stderr
    store = RecordStore(tmp_path / "results")
    assert {name: (store.records / name).read_bytes() for name in kept} == kept and not store.damaged
    assert not list(store.records.glob("**/*.part"))


def test_damaged_records_are_named_and_left_out(store, quiet):
    run_plan(plan(repeats=1, most_repeats=1), store, progress=quiet)
    files = sorted(store.records.glob("*.json"))
    files[0].write_text(files[0].read_text()[:100])
    files[1].write_text('{"schema": "something else"}')
    assert len(store.all()) == 2
    assert [path for path, _ in store.damaged] == files[:2]
    done = subprocess.run(
        [sys.executable, "-m", "hakaru", "records", "--results", str(store.folder), "--json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and len(json.loads(done.stdout)["damaged"]) == 2


def test_records_are_immutable(store, quiet):
    run_plan(plan(repeats=1, most_repeats=1), store, progress=quiet)
    with pytest.raises(UserError, match="exists already"):
        store.write(store.all()[0])


TINY = """
name = "tiny"
repeats = 2
most_repeats = 2
[[runs]]
program = "template_app"
parameters = { cells = [1000, 2000], steps = 10 }
layouts = ["1x1", "2x1"]
"""


def test_two_at_once_run_nothing_twice(store, tmp_path):
    command = campaign_command(tmp_path, TINY, "--json")
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [one.communicate(timeout=120) for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    assert len(store.all()) == 8
    assert sum("waiting until it has ended" in errors for _, errors in said) == 1
    assert all(json.loads(output)["complete"] for output, _ in said)
