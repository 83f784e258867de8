"""What is told of a round on labs, and what is left of it."""

import json

import pytest

from hakaru.foretell.accuracy.lab_cases import Kept, LabCase, OnLab
from hakaru.tell import accuracy
from hakaru.tell.accuracy import Labs, of_labs


@pytest.mark.parametrize("as_json", [True, False])
def test_a_round_says_since_when_and_leaves_nothing_that_the_next_would_take(
    as_json, tmp_path, monkeypatch, capsys
):
    """Its labs may have been measured before it was broken off."""
    asked = Labs(None, None, slice(0, 2), None, 1, 3, False, str(tmp_path))
    labs = [
        OnLab(made, setting.name, ("one",), 3, (LabCase("one", setting.name, (1.1,), (1.0,)),), ())
        for made, setting in zip(("2026-11-28T10:00", "2026-11-29T10:00"), asked.settings(), strict=True)
    ]
    kept = Kept(tmp_path / "labs")
    for lab in labs:
        kept.keep(lab)
    monkeypatch.setattr(accuracy, "validate", lambda *given: labs)
    of_labs(asked, as_json)
    told = capsys.readouterr().out
    assert len(json.loads(told)["cases"]) == 2 if as_json else "since 2026-11-28T10:00" in told
    assert not list((tmp_path / "labs").iterdir())
