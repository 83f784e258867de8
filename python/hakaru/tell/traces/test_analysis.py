"""What is said of a trace, on a made-up analysis whose numbers are known."""

import re

import msgspec
import pytest

from hakaru.facts.traces.profile import Frame, Module, Profile, StackSamples
from hakaru.facts.traces.summary import TraceSummary
from hakaru.tell.traces.analysis import lines
from hakaru.tell.traces.trace_page import draw_matrix, of_trace, page
from hakaru.tell.traces.watched.lines import lines as watched_lines
from hakaru.tell.traces.watched.results import Watched

KINDS = {"compute": 3.0, "wait": 1.0, "collective": 0.0, "other": 0.0, "environment": 7.0}
WHERE = {
    "host": "h",
    "begin_s": 0.0,
    "end_s": 4.0,
    "events": 25,
    "complete": True,
    "ended": "",
    "open_call": "",
}


def waiting(seconds: float) -> dict:
    return {"seconds": seconds, "by_rank": [], "by_calls": []}


def analysis(ranks: int = 4, **fields) -> TraceSummary:
    found = {
        "schema": "hakaru/trace_summary/1",
        "program": "solver",
        "creator": "hakaru",
        "ranks": [WHERE | {"rank": rank, "time_by_kind": KINDS} for rank in range(ranks)],
        "events": 100,
        "complete": True,
        "efficiencies": {
            "runtime_s": 4.0,
            "load_balance": 0.9,
            "communication": 0.5,
            "parallel": 0.45,
            "serialisation": 0.8,
            "transfer": 0.625,
        },
        "late_senders": waiting(0.25),
        "late_receivers": waiting(0.0),
        "collective_waits": {"by_rank": [], "by_call": [{"name": "MPI_Barrier", "count": 3, "seconds": 0.5}]},
        "unmatched": {"sends": 0, "receives": 0},
        "calls": [{"name": "MPI_<b>", "calls": 3, "bytes": 8, "seconds": 0.1}],
        "phases": [{"name": "", "kind": "", "mean_s": 1.0, "max_s": 2.0, "time_by_kind": KINDS}],
        "matrix": matrix([[0, 1, 5, 4096], [3, 2, 5, 64], [1, 0, 2, 0]]),
        "warnings": [],
        "uncovered": {},
        "marks": {"from": "", "to": ""},
        "critical_path": PATH,
        "ideal": {"makespan_s": 1.0},
    }
    return msgspec.convert(found | fields, TraceSummary)


PATH = {
    "kinds": {"compute": 3.0, "collective": 0.8, "wait": 0.16, "other": 0.04},
    "calls": {"MPI_Allreduce": 0.8, "MPI_Wait": 0.16},
    "phases": {"halo": 1.0, "stencil": 3.0},
    "messages": 7,
}


def matrix(rows: list) -> dict:
    return {"ranks_per_block": 1, "columns": ["from", "to", "messages", "bytes"], "rows": rows}


def test_shares_efficiencies_waiting_and_path_are_told():
    text = "\n".join(lines(analysis()))
    for words in (
        "compute 75 %",
        "waits 25 %",
        "serialisation 80 %",
        "transfer 6[23] %",
        "250 ms for late senders",
    ):
        assert re.search(words, text), words
    assert (
        "500 ms for others at collectives" in text
        and "critical path by phase: stencil 75 %, halo 25 %" in text
    )
    assert "from MPI_Init to MPI_Finalize: 4.00 s" in text


def test_a_foreign_program_has_a_critical_path_by_call():
    foreign = analysis(critical_path=PATH | {"phases": {}})
    told = [line for line in lines(foreign) if line.startswith("critical path")]
    assert told == [
        "critical path by call: computing 75 %, MPI_Allreduce 20 %, MPI_Wait 4.0 %, the rest 1.0 %"
    ]


def test_a_path_without_length_is_not_told():
    empty = analysis(critical_path=PATH | {"kinds": {"compute": 0.0}})
    assert "critical path" not in "\n".join(lines(empty))


def test_an_incomplete_trace_says_so():
    cut = analysis(ideal=None, complete=False, warnings=["rank 1 was killed"])
    assert "mind: rank 1 was killed" in lines(cut)


def test_marks_are_told():
    part = analysis(marks={"from": "MPI_Barrier:2", "to": ""})
    assert "from MPI_Barrier:2 to MPI_Finalize: 4.00 s" in lines(part)[0]


def test_what_was_sampled_is_said_to_be_of_the_whole_run_beside_a_part_of_it():
    """The watcher samples without regard to marks."""
    stack = StackSamples(process=0, thread=0, phase="", frames=(0,), walked="none", samples=3, seconds=0.03)
    module = Module(path="/p", build_id="", state="named")
    frame = Frame(routine="solve", source="p.c", line=7, inlined=False, module=0, address="0x1")
    seen = Watched(Profile.of([], [module], [frame], [stack], []))
    assert "whole run" in watched_lines(seen, True)[0]
    assert watched_lines(seen, True)[1:] == watched_lines(seen) != []
    assert watched_lines(Watched(), True) == []


def test_matrix_has_a_field_for_every_pair_that_sent_bytes():
    assert draw_matrix(analysis(matrix=matrix([])).matrix, 4) is None
    one = draw_matrix(analysis(matrix=matrix([[0, 1, 5, 4096]])).matrix, 4)
    two = draw_matrix(analysis().matrix, 4)
    assert two.count("<path") > one.count("<path")


def test_page_needs_nothing_from_outside_and_escapes_names():
    text = page(analysis(), of_trace("t", "t/archive"))
    assert "<script" not in text.lower() and "MPI_<b>" not in text and "MPI_&lt;b&gt;" in text
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', text) == []
    assert "hakaru replay t/archive" in text


@pytest.mark.parametrize("ranks", [1, 64])
def test_page_of_any_number_of_ranks(ranks):
    rows = [[rank, (rank + 1) % ranks, 1, 8 * (rank + 1)] for rank in range(ranks)]
    found = analysis(ranks, matrix=matrix(rows))
    assert "communication-matrix" in page(found, of_trace("t", "t/archive"))
