"""Site files: what is read, and each mistake in a word that says what to do."""

import json
import subprocess

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.run.batch.job import Job, script
from hakaru.run.batch.site import Site, site_file

GOOD = 'system = "slurm"\ncores = 4\n'


def read(folder, text: str) -> Site:
    path = folder / "site.toml"
    path.write_text(text)
    return Site.read(path)


def test_the_least_is_enough(tmp_path):
    site = read(tmp_path, GOOD)
    assert (site.system, site.cores, site.longest_s, site.exclusive) == ("slurm", 4, 3600.0, True)


def test_the_example_is_one():
    tree = json.loads((root() / "schema" / "examples" / "site.valid.json").read_text())
    msgspec.convert(tree, Site).require_sound("the example")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('account = "ab; rm -rf /"', "account holds ';'"),
        ('partition = "$(reboot)"', r"partition holds '\$'"),
        ('modules = ["gcc/12", "`id`"]', "modules holds '`'"),
        ('options = ["--mem=1G\\n#SBATCH --uid=0"]', r"options holds '\\n'"),
        ('launcher = "mpirun & true"', "launcher holds ' '"),
        ('environment = { "A B" = "c" }', "environment holds A B='c'"),
        ('environment = { A = "c\\nd" }', "environment holds A="),
        ("margin_s = 3600", "no launch fits into a job of 3600 s"),
        ("cores_per_node = 4", "cores_per_node"),
        ("longest_s = -1", "longest_s"),
        ('schema = "hakaru/site/2"', "hakaru/site/2"),
    ],
)
def test_mistakes_are_told(tmp_path, line, said):
    with pytest.raises(UserError, match=said) as told:
        read(tmp_path, GOOD + line)
    assert ";" in str(told.value)


def test_values_of_variables_may_hold_what_a_shell_would_take_for_more(tmp_path):
    site = read(tmp_path, GOOD + "environment = { LINE = \"a; b $(c) 'd'\" }\n")
    job = Job("h", tmp_path, ("printenv", "LINE"), variables=tuple(site.environment.items()))
    subprocess.run(["bash"], input=script(job, [], {"HAKARU_TASK": "3"}, ()), text=True, check=True)
    assert (tmp_path / "out-task-3.txt").read_text() == "a; b $(c) 'd'\n"


def test_where_the_file_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HAKARU_SITE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    assert str(site_file()) == "site.toml"
    own = tmp_path / "own" / "hakaru" / "site.toml"
    own.parent.mkdir(parents=True)
    own.write_text(GOOD)
    assert site_file() == own
    (tmp_path / "site.toml").write_text(GOOD)
    assert str(site_file()) == "site.toml"
    monkeypatch.setenv("HAKARU_SITE", "there.toml")
    assert str(site_file()) == "there.toml"
    assert str(site_file(tmp_path / "x")) == str(tmp_path / "x")


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(UserError, match="docs/how-to/clusters.md"):
        Site.read(tmp_path / "site.toml")
