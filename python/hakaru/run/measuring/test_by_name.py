import pytest

from hakaru.base.errors import UserError
from hakaru.facts.programs.command import keep
from hakaru.facts.programs.file import SCHEMA, FileParameter, ProgramFile
from hakaru.run.measuring import by_name


@pytest.fixture
def known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    parameters = {"n": FileParameter(default=8, role="size")}
    file = ProgramFile(
        schema=SCHEMA, name="sim", command="true {n}", ranks="power of 2", parameters=parameters
    )
    keep(file, tmp_path / "results")


def test_a_measured_program_by_its_name(known):
    found = by_name.named(["sim", "n=12", "ranks=2"])
    assert (found.given, found.ranks, found.threads) == ({"n": "12"}, 2, 1)
    assert by_name.named(["mpirun", "-n", "2", "./sim"]) is None
    assert by_name.named([]) is None


@pytest.mark.parametrize(
    ("words", "why"), [(["m=1"], "no parameter"), (["ranks=x"], "whole number"), (["ranks=3"], "power of 2")]
)
def test_what_it_cannot_take_is_said(known, words, why):
    with pytest.raises(UserError, match=why):
        by_name.named(["sim", *words])


def test_the_line_of_a_name(known):
    assert by_name.entered(["sim", "n=12"])[-2:] == ["true", "12"]
    assert by_name.entered(["./a.out", "-n"]) == ["./a.out", "-n"]
