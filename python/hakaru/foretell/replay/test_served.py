"""Engines that wait for questions: one for the questions of an input, a new one after a death, a change or an interruption."""

import json
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.replay import fake_engine, served
from hakaru.foretell.replay.documents.network import Level, Network
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.engine import Engine

NEAR = Network(model="loggp", levels={"switch": Level(latency_s=1e-6)})


@pytest.fixture
def engine(tmp_path) -> Engine:
    served.close()
    tool = tmp_path / "hakaru_replay"
    tool.write_text(f"#!{sys.executable}\n" + Path(fake_engine.__file__).read_text())
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return Engine(tool)


@pytest.fixture
def source(tmp_path) -> Path:
    return schedule(tmp_path / "one.json")


def schedule(path: Path, **told) -> Path:
    path.write_text(json.dumps({"ranks": 2, "fake": {"seconds": 1.0, "messages": 10, "bytes": 8} | told}))
    return path


def waiting() -> list[int]:
    return [one.process.pid for _, one in served._idle]


def test_one_engine_answers_all_questions_of_an_input(engine, source, tmp_path):
    first = engine.replay(source, NEAR, Options()).makespan_s
    (one,) = waiting()
    assert engine.replay(source, NEAR, Options(compute_factor=2.0)).makespan_s == pytest.approx(first + 1.0)
    assert waiting() == [one]
    engine.replay(schedule(tmp_path / "other.json"), NEAR, Options())
    assert len(waiting()) == 2 and waiting()[0] == one


def test_a_refused_question_leaves_the_engine_waiting(engine, tmp_path):
    files = schedule(tmp_path / "files.json", files=True)
    for _ in range(2):
        with pytest.raises(UserError, match="uses a file") as error:
            engine.replay(files, NEAR, Options())
        assert error.value.exit_code == 2


def test_a_changed_input_is_read_again(engine, source):
    before = engine.replay(source, NEAR, Options()).makespan_s
    os.utime(schedule(source, seconds=5.0), ns=(1, 1))
    assert engine.replay(source, NEAR, Options()).makespan_s == pytest.approx(before + 4.0)


def test_an_engine_that_died_is_told_and_the_next_question_starts_another(engine, source):
    engine.replay(source, NEAR, Options())
    (pid,) = waiting()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(UserError, match="signal 9"):
        engine.replay(source, NEAR, Options())
    assert not waiting()
    assert engine.replay(source, NEAR, Options()).makespan_s > 1.0


def test_an_interrupted_question_ends_its_engine(engine, source, monkeypatch):
    engine.replay(source, NEAR, Options())
    (pid,) = waiting()

    def interrupted(self, question: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(served._Engine, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.replay(source, NEAR, Options())
    assert not waiting() and not Path(f"/proc/{pid}").exists()


def test_few_wait_and_none_after_the_end(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(served, "MOST_IDLE", 2)
    seen = set()
    for number in range(4):
        engine.replay(schedule(tmp_path / f"{number}.json"), NEAR, Options())
        seen |= set(waiting())
    assert len(waiting()) == 2 and len(seen) == 4
    served.close()
    assert not waiting() and not any(Path(f"/proc/{pid}").exists() for pid in seen)
