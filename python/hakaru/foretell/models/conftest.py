import pytest

from hakaru.foretell.models import drift


@pytest.fixture
def without_drift(monkeypatch):
    """Another hour is as this one, so that narrow intervals can be compared."""
    monkeypatch.setattr(drift, "size", lambda span_s, cores: 0.0)
