import pytest

from hakaru.base.errors import UserError
from hakaru.facts.programs import command
from hakaru.facts.programs.file import SCHEMA, FileParameter, ProgramFile, parse

FILE = ProgramFile(
    schema=SCHEMA,
    name="lulesh2.0",
    command="mpirun -n {ranks} ./lulesh2.0 -s {n} -i {steps}",
    ranks="cube",
    parameters={
        "n": FileParameter(default=8, role="size", minimum=2, maximum=400),
        "steps": FileParameter(default=50, role="steps"),
        "label": FileParameter(default="a b; rm -rf /", type="text"),
    },
)


def test_a_value_stays_one_word():
    file = ProgramFile(
        schema=SCHEMA,
        name="x",
        command="./x --name={label} '{label}' {{literal}}",
        parameters=FILE.parameters,
    )
    assert command.words(file, {}, 1, 1) == ["./x", "--name=a b; rm -rf /", "a b; rm -rf /", "{literal}"]


def test_a_value_is_quoted_inside_of_a_shell():
    file = ProgramFile(
        schema=SCHEMA, name="x", command="bash -c 'echo {label} > out'", parameters=FILE.parameters
    )
    assert command.words(file, {}, 1, 1) == ["bash", "-c", "echo 'a b; rm -rf /' > out"]


def test_size_steps_and_layout():
    work = command.evaluated(FILE, {"n": 16}, 8, 1)
    assert (work.size, work.steps, work.refused) == (16.0, 50.0, None)
    assert "cube" in command.evaluated(FILE, {}, 2, 1).refused


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"m": 3}, "no parameter 'm'"),
        ({"n": "many"}, "whole number"),
        ({"n": 1}, "outside 2 to 400"),
        ({"n": 8.5}, "whole number"),
    ],
)
def test_values_that_cannot_be(given, why):
    with pytest.raises(UserError, match=why):
        command.values_of(FILE, given)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('schema = "hakaru/program/1"\nname = "x"\ncommand = "./x {n}"', r"\{n\}.*no parameter"),
        ('schema = "hakaru/program/1"\nname = "x"\ncommand = "./x \'"', "quot"),
        ('schema = "hakaru/program/1"\nname = "x y"\ncommand = "./x"', "name"),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\n[time]\npattern = "t=[0-9]+"',
            "no group",
        ),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\n[time]\npattern = "t=([0-9"',
            "regular expression",
        ),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\nranks = "__import__(1)"',
            "names __import__",
        ),
        ('schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\nsize = "m^2"', "names m"),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\n[[checks]]\nname = "a"',
            "one of pattern, command or file",
        ),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\n[parameters.ranks]\ndefault = 2',
            "own words",
        ),
        (
            'schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\n[parameters.n]\ndefault = "a"\ntype = "text"\nrole = "size"',
            "number",
        ),
        ("name = ", "TOML|Invalid"),
    ],
)
def test_a_wrong_file_is_refused_in_words(text, why):
    with pytest.raises(UserError, match=why):
        parse(text, "it")


def test_the_line_of_a_wrong_key_is_named(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('schema = "hakaru/program/1"\nname = "x"\ncommand = "./x"\ntimeout = 3\n')
    with pytest.raises(UserError, match="line 4"):
        ProgramFile.read(path)


def test_it_is_written_as_it_was_read(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(FILE.as_toml())
    again = ProgramFile.read(path)
    assert again.parameters == FILE.parameters and again.command == FILE.command


def test_what_is_only_told_does_not_change_what_is_run():
    from msgspec.structs import replace

    assert command.fingerprint(FILE) == command.fingerprint(replace(FILE, title="other", keep=("*.log",)))
    assert command.fingerprint(FILE) != command.fingerprint(replace(FILE, command=FILE.command + " -q"))


def test_the_name_of_a_program_of_hakaru_is_refused(tmp_path):
    with pytest.raises(UserError, match="program of hakaru"):
        command.keep(ProgramFile(schema=SCHEMA, name="heat", command="./x"), tmp_path)
