"""What every start of the command line loads."""

import subprocess
import sys

import pytest

HEAVY = ("matplotlib", "numpy", "jinja2", "scipy", "sqlite3")


def _loaded(code: str) -> str:
    code += f"\nimport sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_no_command_loads_heavy_libraries_before_it_is_called():
    assert _loaded("from hakaru.cli import register_commands; register_commands()") == "[]"


def test_a_heavy_library_is_seen():
    assert _loaded("import numpy") == "['numpy']"


def test_only_the_command_that_is_named_is_loaded():
    code = "import sys; sys.argv = ['hakaru', 'machines', '--nonsense']\nfrom hakaru.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "assert 'hakaru.cli.machines' in sys.modules and 'hakaru.cli.report' not in sys.modules"
    assert _loaded(code).endswith("[]")


@pytest.mark.parametrize(
    ("words", "prepared"),
    [
        ("machines --nonsense", False),
        ("machines --help", False),
        ("trace export --nonsense", False),
        ("replay", False),
        ("machines", True),
        ("trace export nowhere --csv -o x", True),
    ],
)
def test_what_is_mistyped_builds_nothing(words, prepared):
    code = f"import sys; sys.argv = ['hakaru', *{words.split()}]\nfrom hakaru.cli import main\n"
    code += "main(lambda: (print('builds'), sys.exit(0)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert ("builds" in done.stdout) is prepared, done.stderr
