"""A results folder, and batch systems that stand in for real ones (stand_ins/)."""

import pytest

from hakaru.facts.records import RecordStore
from hakaru.run.batch.testing import stand_in

OTHERS = ("pbs", "pjm", "nqsv")


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "results")


@pytest.fixture(params=OTHERS)
def system(request, tmp_path, monkeypatch):
    stand_in(request.param, tmp_path, monkeypatch)
    return request.param


@pytest.fixture
def queue(tmp_path, monkeypatch):
    return stand_in("pbs", tmp_path, monkeypatch)
