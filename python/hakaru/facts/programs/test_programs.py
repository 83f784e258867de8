"""Programs that are known and not built yet, what starts them, and another kind."""

import json
from dataclasses import replace

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native, programs


@pytest.fixture
def build(tmp_path, monkeypatch):
    leaf = {"name": "solver", "kind": "app", "path": "solver", "source": "apps/solver", "needs_mpi": False}
    listing = {"programs": [leaf], "tools": [{"name": "engine", "path": "engine"}]}
    (tmp_path / "programs.json").write_text(json.dumps(listing))
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("find", "name"), [(programs.named, "solver"), (native.tool, "engine")])
def test_what_is_known_but_not_built_is_said(build, find, name):
    with pytest.raises(UserError, match=f"{name} is not built.*ninja -C .* {name}") as caught:
        find(name)
    assert caught.value.exit_code == 4
    (build / name).touch()
    assert find(name)


def test_an_unbuilt_program_is_listed(build):
    assert programs.listed("solver").needs_mpi is False and len(programs.known()) == 1


def test_a_line_says_what_was_asked_and_where_the_record_goes(build):
    solver = programs.listed("solver")
    asked = programs.Execution(
        parameters={"n": 8, "fast": True}, threads=2, repetitions=3, warmup=0, campaign="c"
    )
    words = [
        "run",
        "fast=true",
        "n=8",
        "--threads",
        "2",
        "--repetitions",
        "3",
        "--warmup",
        "0",
        "--campaign",
        "c",
    ]
    assert solver.line(asked) == [str(build / "solver"), *words]
    assert solver.recorded(asked, build / "r.json", build / "c.json") == [
        *solver.line(asked), "--record", str(build / "r.json"), "--context", str(build / "c.json"),
    ]  # fmt: skip
    assert solver.line(replace(asked, cold=True)) == [*solver.line(asked), "--cold"]
    verified = programs.Execution("verify", {"n": 8}, repetitions=3)
    assert solver.line(verified)[1:] == ["verify", "n=8"]


ANOTHER_KIND = """
from hakaru.facts.programs.program import Program

class Nothing(Program):
    name, kind, needs_mpi = "nothing", "app", False
    def require_ready(self): pass
    def describe(self, given=None, ranks=1, threads=1, preset=None): raise NotImplementedError
    def line(self, execution): return ["true"]
    def recorded(self, execution, place, context=None): return self.line(execution)
    def record(self, place, output=""): raise ValueError("nothing is recorded")

def programs():
    return [Nothing()]
"""


def test_another_kind_of_program_is_one_more_file(build, tmp_path, monkeypatch):
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "nothing_kind.py").write_text(ANOTHER_KIND)
    monkeypatch.setattr(programs, "__path__", [*programs.__path__, str(folder)])
    found = programs.named("nothing")
    assert found.line(programs.Execution()) == ["true"]
    with pytest.raises(UserError, match="nothing has no schedule"):
        found.write_schedule(tmp_path / "s.json", {}, 2)
    assert [one.name for one in programs.known("app")] == ["nothing", "solver"]
