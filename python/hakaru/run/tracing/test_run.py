"""Where a trace goes, before anything is started."""

from datetime import UTC, datetime

import pytest

from hakaru.base.errors import UserError
from hakaru.run.tracing import run


class OneSecond(datetime):
    @classmethod
    def now(cls, zone=None):
        return datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def test_traces_of_one_second_have_folders_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "datetime", OneSecond)
    folders = [run.trace_folder(None, "./bin/solver").path.name for _ in range(3)]
    assert folders == [f"trace-solver-20261121T120000{end}" for end in ("", "-2", "-3")]
    assert all((tmp_path / name / "raw").is_dir() for name in folders)


def test_a_named_folder_must_be_empty(tmp_path):
    assert run.trace_folder(tmp_path / "t", "solver").path == tmp_path / "t"
    with pytest.raises(UserError, match="is there already"):
        run.trace_folder(tmp_path / "t", "solver")


def test_a_folder_that_cannot_be_made_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be made"):
        run.trace_folder(tmp_path / "file" / "t", "solver")
