"""Command lines of the tools that are no leaves: mistakes end with one line in hakaru's form, help does not."""

import subprocess

import pytest

from hakaru.facts import native

TOOLS = ("hakaru_replay", "hakaru_trace_convert", "hakaru_trace_summary")


def run(tool: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([native.tool(tool), *words], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("words", [["a", "--colour"], ["a", "b", "c"], ["a", "--json=red"]], ids=" ".join)
@pytest.mark.parametrize("tool", TOOLS)
def test_words_that_are_not_understood(tool, words):
    done = run(tool, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"{tool}: the command line is not understood (")
    assert done.stderr.endswith(f"); see {tool} --help\n") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("tool", TOOLS)
def test_no_words_are_too_few(tool):
    done = run(tool)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith(f"{tool}: ")


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
@pytest.mark.parametrize("tool", TOOLS)
def test_help_names_the_options(tool, word):
    done = run(tool, word)
    assert done.returncode == 0 and "--json" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("words", [["a", "--phases", "odd"], ["a", "--from", ""]], ids=" ".join)
def test_values_of_a_summary_are_checked(words):
    assert run("hakaru_trace_summary", *words).returncode == 2


def test_options_of_a_replay_may_be_repeated_and_are_checked():
    words = ["--generate", "barriers:ranks=4", "--check", "--set", "a.b=1"]
    assert run("hakaru_replay", *words, "--set", "c=2").returncode == 0
    done = run("hakaru_replay", *words, "--set", "c")
    assert done.returncode == 2 and "cannot read --set 'c'" in done.stderr
