"""verify checks what was asked for, or refuses it: no parameter is ignored and recorded."""

import json
import subprocess

import pytest
from support import all_programs, start

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.description import Parameter
from hakaru.facts.programs.leaf import Leaf
from hakaru.run.campaign import plan


def another(parameter: Parameter, now):
    """A value that is not ``now``, small where it sets a size; None where any text would do."""
    kind = parameter.type
    if kind == "boolean":
        return not now
    if kind == "choice":
        return next(choice for choice in parameter.choices if choice != now)
    if kind == "text":
        return None
    below, above = parameter.minimum, parameter.maximum
    if kind == "integer":
        return next(value for value in (now + 1, now - 1) if below <= value <= above)
    return next(
        value for value in (now * 1.5, now + 0.5, now * 0.5) if below <= value <= above and value != now
    )


def cases() -> list[tuple[Leaf, dict, bool]]:
    """Every parameter of every leaf, and whether its description says that verify heeds it."""
    found = []
    for program in all_programs():
        described = program.describe()
        heeded = described.verify.parameters
        found += [(program, parameter, parameter.name in heeded) for parameter in described.parameters]
    return found


REFUSED = [case[:2] for case in cases() if not case[2]]
# verification=full takes minutes: tests/contract/test_long.py.
HEEDED = [case[:2] for case in cases() if case[2] and case[1].name != "verification"]


def name_of(case) -> str:
    return f"{case[0].name} {case[1].name}"


def directly(program: Leaf, words: list[str]) -> subprocess.CompletedProcess:
    """Without a launcher: what is refused is refused before MPI starts."""
    return subprocess.run([program.path, *words], capture_output=True, text=True, timeout=60)


def word(parameter: Parameter, value) -> str:
    return programs.assignments({parameter.name: value})[0]


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_what_is_not_heeded_is_refused(case):
    program, parameter = case
    value = another(parameter, parameter.default)
    given = word(parameter, "some text" if value is None else value)
    done = directly(program, ["verify", "--preset", "small", given])
    assert done.returncode == 2, done.stdout + done.stderr
    assert given in done.stderr and "it checks" in done.stderr and done.stdout == ""


def verify(program, tmp_path, words: list[str]) -> dict:
    record_file = tmp_path / f"{len(words)}.json"
    done = start(program, ["verify", "--preset", "small", *words, "--record", str(record_file)])
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(record_file.read_text())


@pytest.mark.parametrize("case", HEEDED, ids=name_of)
def test_what_is_heeded_is_verified(case, tmp_path):
    """A number that is given changes what is checked; a choice is among what is checked whatever is given."""
    program, parameter = case
    name = parameter.name
    words = []
    if name == "m":  # heeded with class=custom
        words = ["class=custom"]
    small = program.describe(preset="small").evaluated.parameters[name]
    value = another(parameter, small)
    if value is None:
        value = str(tmp_path / "file")
        if name == "folder":
            (tmp_path / "file").mkdir()
    given = verify(program, tmp_path, [*words, word(parameter, value)])
    assert given["parameters"][name] == value
    assert set(given["parameters"]) == set(program.describe().verify.parameters)
    if parameter.type in ("integer", "real") and program.kind == "app":
        before = verify(program, tmp_path, words)
        assert given["checks"] != before["checks"]


def test_a_preset_that_is_not_heeded_is_refused():
    for program in all_programs():
        described = program.describe()
        for preset in described.presets:
            ignored = set(preset.values) - set(described.verify.parameters)
            if preset.name == "small" or not ignored:
                continue
            done = directly(program, ["verify", "--preset", preset.name])
            assert done.returncode == 2 and preset.name in done.stderr


def test_help_says_what_verify_checks():
    for program in all_programs():
        assert program.describe().verify.what in directly(program, ["help"]).stdout


def test_a_campaign_asks_for_what_is_heeded():
    def parameters(**given):
        runs = {
            "program": "template_app",
            "command": "verify",
            "layouts": ["1x1"],
        } | given
        return dict(
            plan.points_of(plan.make_plan({"name": "verified", "runs": [runs]}, "test"))[0].parameters
        )

    assert parameters(preset="small") == {"cells": 1000, "steps": 50}
    refusing = {"program": "turbulence"}
    assert "n" not in parameters(**refusing, preset="small")
    with pytest.raises(UserError, match="does not take n"):
        parameters(**refusing, parameters={"n": 48})
