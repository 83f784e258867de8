"""Programs that are known and not built yet."""

import json

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
